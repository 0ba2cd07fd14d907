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
        aim, new = one.evidence.aim, rows & self.left
        if self._has_copy(one, rows):
            return
        if self._says_something_new(one, new) and one.p_and_q[1] <= self.fdr:
            self.chosen.append(one)
            self.facts.append(describe(aim, rows, one.words, one.p_and_q, new))
            self.left &= ~rows

    def _says_something_new(self, one: Candidate, new: NDArray[np.bool_]) -> bool:
        """Whether its rows stand out, as clearly as a rule must, among those that no rule above it holds for."""
        if not self.chosen:
            return True
        evidence = one.evidence
        log_tail = evidence.aim.log_tail(new, self.left) if new.any() else 0.0
        return log_tail + evidence.log_choices(one.members) <= np.log(self.fdr)

    def _has_copy(self, one: Candidate, rows: NDArray[np.bool_]) -> bool:
        others = (other.rows for other in self.chosen if other.evidence is one.evidence)
        return any((rows & other).sum() >= self.alike * (rows | other).sum() for other in others)
