"""What a search found, and what it did and did not look at."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Ranking", "SearchResult"]

_TIE_DIGITS = 12


@dataclass
class Ranking:
    """The best few of a stream of subsets. Blocks must come in lexicographic order: among equals the first stays."""

    most: int
    subsets: list[NDArray[np.int32]] = field(default_factory=list)
    scores: list[NDArray[np.float64]] = field(default_factory=list)

    def add(self, subsets: NDArray[np.int32], scores: NDArray[np.float64]) -> None:
        """Merge a block."""
        best = _best_first(scores, self.most)
        self.subsets.append(subsets[best])
        self.scores.append(scores[best])
        if sum(map(len, self.scores)) > 8 * self.most:
            self._squeeze()

    def floor(self) -> float:
        """A score that a subset must reach to enter."""
        self._squeeze()
        full = bool(self.scores) and len(self.scores[0]) == self.most
        return float(self.scores[0][-1]) - 1e-9 if full else -np.inf

    def best(self) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The subsets and their scores, best first."""
        self._squeeze()
        return self.subsets[0], self.scores[0]

    def _squeeze(self) -> None:
        if not self.scores:
            return
        subsets, scores = np.concatenate(self.subsets), np.concatenate(self.scores)
        # lexsort takes its last key first: the score, then the members from the left
        keys = (*subsets.T[::-1], -np.round(scores, _TIE_DIGITS))
        best = np.lexsort(keys)[: self.most]
        self.subsets, self.scores = [subsets[best]], [scores[best]]


def _best_first(scores: NDArray[np.float64], most: int) -> NDArray[np.intp]:
    """Places of the best, rounding noise apart; equal scores keep their order."""
    rounded = -np.round(scores, _TIE_DIGITS)
    if len(scores) > 4 * most:
        bar = np.partition(rounded, most - 1)[most - 1]
        places = np.flatnonzero(rounded <= bar)
        return places[np.argsort(rounded[places], kind="stable")[:most]]
    return np.argsort(rounded, kind="stable")[:most]


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The best subsets, ranked, with a statement of what was searched.

    Parameters
    ----------
    kind : str
        The search.
    subsets : ndarray of shape (n_best, k)
        Numbers of the members, the best subset first.
    scores : ndarray of shape (n_best,)
        Their scores.
    n_searched, n_total : int
        How many subsets were scored, and how many there are.
    seconds : float
        How long it took.
    stopped : str or None
        What ended it early, if anything did.
    """

    kind: str
    subsets: NDArray[np.int32]
    scores: NDArray[np.float64]
    n_searched: int
    n_total: int
    seconds: float
    stopped: str | None = None

    @property
    def complete(self) -> bool:
        """Whether every subset of this size was scored."""
        return self.n_searched == self.n_total

    def __str__(self) -> str:
        return f"{self.looked_at} in {self.seconds:.2g} s"

    @property
    def looked_at(self) -> str:
        """What was searched, in words; how long that took, which is not the same twice, is left out."""
        k = self.subsets.shape[1]
        if self.complete:
            return f"{self.kind}: all {self.n_total:,} subsets of size {k}"
        why = f"stopped by {self.stopped}, " if self.stopped else ""
        share = self.n_searched / self.n_total
        return f"{self.kind}: {why}{self.n_searched:,} of {self.n_total:,} subsets of size {k} ({share:.2g})"
