"""Pairs and triples of columns by sums of numbers, on the graphics card.

The card sums whole numbers that stand for those of the rows and bounds the scores from above; subsets whose bound is
within reach of the best are scored by the processor, from the numbers themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.kernels.gpu_card import card
from paclearn.kernels.gpu_columns import CardColumns, numbers_of
from paclearn.kernels.gpu_lists import ListedSubsets
from paclearn.kernels.gpu_rows import digits_of, every_row

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from paclearn.kernels.gpu_columns import Batch
    from paclearn.kernels.gpu_rows import Digit

__all__ = ["GpuSums", "SumSubsets"]

_SQUARES, _WEIGHTED_SQUARES, _VOTES = range(3)
_SLACK = 1e-11  # as of the processor's scan
_NOTHING = -1e300  # what the card says of blocks without subsets
_WORD_BITS = 64


@dataclass(frozen=True, eq=False)
class GpuSums(CardColumns):
    """Whole numbers of the rows are summed, and rows are counted.

    Parameters
    ----------
    words, sizes, class_starts, class_rows, memory : ndarray, ndarray, ndarray, ndarray, int
        As of `CardColumns`.
    numbers : ndarray of int32 of shape (n_channels, n_places)
        For every bit of a plane.
    rounding : ndarray
        What one of each channel is worth, how far off a row is at most, the most that a row's weight is in its own vote
        or mean, and the largest square of a number.
    kind : str
        squares or votes.
    scale : float
        What the score is multiplied with.
    """

    text, adds, scores, dtype = "sums.cu", "plane_sums", "bounds", np.int64

    numbers: NDArray[np.int32]
    rounding: NDArray[np.float64]
    kind: str
    scale: float

    @cached_property
    def digits(self) -> list[Digit]:
        found = [digit for channel, of in enumerate(self.numbers) for digit in digits_of(channel, of)]
        return [*found, every_row(len(self.numbers))]

    @cached_property
    def layer_totals(self) -> NDArray[np.int64]:
        wide = np.concatenate([self.numbers, np.zeros((len(self.numbers), 1), dtype=np.int32)], axis=1)
        ends = _WORD_BITS * self.class_starts
        found = np.array([wide[:, a:b].sum(axis=1, dtype=np.int64) for a, b in pairwise(ends.tolist())])
        return np.column_stack([found, self.class_rows]).ravel()

    @property
    def how(self) -> tuple[Any, ...]:
        n_channels = len(self.numbers)
        kind = _VOTES if self.kind == "votes" else _SQUARES if n_channels == 2 else _WEIGHTED_SQUARES
        return (card().asarray(self.rounding), np.int32(n_channels), np.int32(kind), np.float64(self.scale))


@dataclass(frozen=True, eq=False)
class SumSubsets(ListedSubsets):
    """Pairs or triples, those within reach of the best scored exactly.

    Parameters
    ----------
    sums : GpuSums
        What is summed.
    k : int
        Two or three.
    exact : callable
        Scores of subsets from the rows themselves.
    """

    sums: GpuSums
    k: int
    exact: Callable[[NDArray[np.int32]], NDArray[np.float64]]

    def best(self, begin: int, end: int, n_best: int, floor: float) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        kept = _Kept(lambda members: self.exact(numbers_of(members, self.k)), n_best, floor)
        for batch in self.sums.batches(self.k, begin, end):
            if not isfinite(kept.bar):
                kept.probe(batch)
            kept.list(batch)
        order = np.argsort(kept.members)  # among equals the first one stays
        return numbers_of(kept.members[order], self.k), kept.scores[order]


@dataclass(eq=False)
class _Kept:
    """Subsets that were scored, and the score that others have to reach."""

    exact: Callable[[NDArray[np.uint64]], NDArray[np.float64]]
    n_best: int
    bar: float
    members: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    scores: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))

    def probe(self, batch: Batch) -> None:
        """The most hopeful of every block make a bar."""
        bounds, members, _ = batch.score(-np.inf, probe=True)
        hopeful = np.argsort(-bounds, kind="stable")[: self.n_best]
        hopeful = hopeful[bounds[hopeful] > _NOTHING]
        self._score(members[hopeful])

    def list(self, batch: Batch) -> None:
        """All that may reach the bar; a list that runs over is made again with a higher one."""
        while True:
            before = self.bar
            bounds, members, n_listed = batch.score(self.bar - _SLACK, probe=False)
            self._settle(bounds, members)
            if n_listed <= len(bounds):
                return
            if not self.bar > before:
                raise MemoryError("more subsets tie than the card has room to list")

    def _settle(self, bounds: NDArray[np.float64], members: NDArray[np.uint64]) -> None:
        """The most hopeful first: the others are then often out of the question."""
        is_new = ~np.isin(members, self.members)
        bounds, members = bounds[is_new], members[is_new]
        order = np.argsort(-bounds, kind="stable")
        for at in range(0, len(order), self.n_best):
            some = order[at : at + self.n_best]
            some = some[bounds[some] >= self.bar - _SLACK]
            if len(some) == 0:
                return
            self._score(members[some])

    def _score(self, members: NDArray[np.uint64]) -> None:
        self.members = np.concatenate([self.members, members])
        self.scores = np.concatenate([self.scores, self.exact(members)])
        if len(self.scores) >= self.n_best:
            self.bar = max(self.bar, float(np.partition(self.scores, -self.n_best)[-self.n_best]))
        near = self.scores >= self.bar - _SLACK
        self.members, self.scores = self.members[near], self.scores[near]
