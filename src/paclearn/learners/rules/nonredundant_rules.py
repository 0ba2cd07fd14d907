"""Of many candidates, the rules that are sure, say something new, and are not each other's copies."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

import numpy as np

from paclearn.learners.rules.found_rule import FoundRule, describe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from paclearn.learners.rules.rule_evidence import Evidence

__all__ = ["Candidate", "RuleChoice"]


@dataclass(frozen=True, eq=False)
class Candidate:
    """A rule that may be told."""

    evidence: Evidence
    members: tuple[int, ...]
    rank: tuple[float, int, int]  # quality; a rule and its mirror image for the other class are of the same

    @property
    def rows(self) -> NDArray[np.bool_]:
        """Which rows it holds for; kept by nobody, for there are thousands of candidates."""
        return self.evidence.rows.of_rule(self.members)

    @property
    def words(self) -> str:
        """The conditions, joined."""
        return " and ".join(self.evidence.rows.pool.names[m] for m in self.members)


class RuleChoice:
    """Rules that are sure, say something new, and are not each other's copies."""

    def __init__(self, n_rules: int, fdr: float, n_rows: int, alike: float) -> None:
        self.n_rules, self.fdr, self.alike = n_rules, fdr, alike
        self.left = np.ones(n_rows, dtype=bool)  # rows that no rule holds for
        self.chosen: list[tuple[Candidate, NDArray[np.bool_]]] = []
        self.facts: list[FoundRule] = []

    def fill(self, candidates: Iterable[Candidate]) -> RuleChoice:
        """Go through all candidates, best first."""
        for one in sorted(candidates, key=lambda candidate: (candidate.rank, candidate.members)):
            if len(self.chosen) == self.n_rules:
                break
            self._consider(one, one.rows)
        return self

    def _consider(self, one: Candidate, rows: NDArray[np.bool_]) -> None:
        mine = [known for other, known in self.chosen if other.evidence is one.evidence]
        if self._has_copy(rows, mine) or not self._says_something_new(one, rows, mine):
            return
        p_and_q = one.evidence.p_and_q(one.members, self.fdr)
        if p_and_q[1] <= self.fdr:
            self.facts.append(describe(one.evidence.aim, rows, one.words, p_and_q, rows & self.left))
            self.chosen.append((one, rows))
            self.left &= ~rows

    def _says_something_new(self, one: Candidate, rows: NDArray[np.bool_], mine: list[NDArray[np.bool_]]) -> bool:
        """Whether its rows stand out, as clearly as a rule must, among those that no rule above it holds for.

        Or among those of a rule above it that names another class: an exception is no echo. Of numbers any part of a
        rule's rows may lie lower than the rest of them, and that is no exception to it.
        """
        if not self.chosen or self._stands_out(one, rows, self.left, 1):
            return True
        if one.evidence.aim.numbers:
            return False
        others = [known for other, known in self.chosen if other.evidence is not one.evidence]
        unknown = ~np.any(mine, axis=0) if mine else np.ones(len(rows), dtype=bool)
        return any(self._stands_out(one, rows, other & unknown, len(others)) for other in others)

    def _stands_out(self, one: Candidate, rows: NDArray[np.bool_], among: NDArray[np.bool_], tries: int) -> bool:
        inside = rows & among
        if not inside.any():
            return False
        wanted = log(self.fdr) - log(tries) - one.evidence.log_choices(one.members)
        return one.evidence.aim.log_tail(inside, among, wanted) <= wanted

    def _has_copy(self, rows: NDArray[np.bool_], mine: list[NDArray[np.bool_]]) -> bool:
        """Whether a rule above it that says the same holds for nearly the same rows."""
        return any(np.count_nonzero(rows & other) >= self.alike * np.count_nonzero(rows | other) for other in mine)
