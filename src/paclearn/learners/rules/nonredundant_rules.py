"""Of many candidates, the rules that are sure, say something new, and are not each other's copies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
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

    @cached_property
    def p_and_q(self) -> tuple[float, float]:
        """See `Evidence`."""
        return self.evidence.p_and_q(self.members)

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
        self.chosen: list[Candidate] = []
        self.facts: list[FoundRule] = []

    def fill(self, candidates: Iterable[Candidate]) -> RuleChoice:
        """Go through all candidates, best first."""
        for one in sorted(candidates, key=lambda candidate: (candidate.rank, candidate.members)):
            if len(self.chosen) == self.n_rules:
                break
            self._consider(one, one.rows)
        return self

    def _consider(self, one: Candidate, rows: NDArray[np.bool_]) -> None:
        if self._has_copy(one, rows):
            return
        if self._says_something_new(one, rows) and one.p_and_q[1] <= self.fdr:
            self.facts.append(describe(one.evidence.aim, rows, one.words, one.p_and_q, rows & self.left))
            self.chosen.append(one)
            self.left &= ~rows

    def _says_something_new(self, one: Candidate, rows: NDArray[np.bool_]) -> bool:
        """Whether its rows stand out, as clearly as a rule must, among those that no rule above it holds for.

        Or among those of a rule above it that says otherwise: an exception is no echo.
        """
        if not self.chosen or self._stands_out(one, rows, self.left, 1):
            return True
        mine, others = self._by_aim(one)
        known = np.any([other.rows for other in mine], axis=0) if mine else np.zeros(len(rows), dtype=bool)
        return any(self._stands_out(one, rows, other.rows & ~known, len(others)) for other in others)

    def _by_aim(self, one: Candidate) -> tuple[list[Candidate], list[Candidate]]:
        """Rules above that say the same, and those that say otherwise."""
        mine = [other for other in self.chosen if other.evidence is one.evidence]
        return mine, [other for other in self.chosen if other.evidence is not one.evidence]

    def _stands_out(self, one: Candidate, rows: NDArray[np.bool_], among: NDArray[np.bool_], tries: int) -> bool:
        inside = rows & among
        if not inside.any():
            return False
        log_tail = one.evidence.aim.log_tail(inside, among)
        return bool(log_tail + one.evidence.log_choices(one.members) + np.log(tries) <= np.log(self.fdr))

    def _has_copy(self, one: Candidate, rows: NDArray[np.bool_]) -> bool:
        every = (other.rows for other in self._by_aim(one)[0])
        return any((rows & other).sum() >= self.alike * (rows | other).sum() for other in every)
