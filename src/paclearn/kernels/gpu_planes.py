"""Pairs and triples of columns by counts of rows in any number of classes, on the graphics card.

What scores within rounding of the best is listed.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.kernels.gpu_card import card
from paclearn.kernels.gpu_columns import CardColumns, numbers_of
from paclearn.kernels.gpu_lists import ListedSubsets
from paclearn.kernels.gpu_rows import every_row

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.kernels.gpu_columns import Batch
    from paclearn.kernels.gpu_rows import Digit

__all__ = ["KINDS", "GpuPlanes", "PlaneSubsets"]

KINDS = {"empirical": 0, "product": 1, "l2": 2}
_SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class GpuPlanes(CardColumns):
    """Rows are counted.

    Parameters
    ----------
    words, sizes, class_starts, class_rows, memory : ndarray, ndarray, ndarray, ndarray, int
        As of `CardColumns`.
    kind : str
        Which score.
    scale : float
        What it is multiplied with.
    inverse : ndarray of shape (n_columns, n_codes) or None
        One over the share of every code, where the score asks for it.
    """

    text, adds, scores, dtype = "planes.cu", "plane_pairs", "columns", np.int32

    kind: str
    scale: float
    inverse: NDArray[np.float64] | None = None

    @property
    def digits(self) -> list[Digit]:
        return [every_row(0)]

    @property
    def layer_totals(self) -> NDArray[np.int64]:
        return self.class_rows

    @property
    def how(self) -> tuple[Any, ...]:
        inverse = self.inverse
        weights = (
            (np.intp(0), np.int32(0)) if inverse is None else (card().asarray(inverse), np.int32(inverse.shape[1]))
        )
        return (*weights, np.int32(KINDS[self.kind]), np.float64(self.scale))


@dataclass(frozen=True, eq=False)
class PlaneSubsets(ListedSubsets):
    """Pairs or triples of the columns of some planes.

    Parameters
    ----------
    planes : GpuPlanes
        What is counted.
    k : int
        Two or three.
    """

    planes: GpuPlanes
    k: int

    def best(self, begin: int, end: int, n_best: int, floor: float) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        scores, members = np.empty(0), np.empty(0, dtype=np.uint64)
        for batch in self.planes.batches(self.k, begin, end):
            floor = floor if isfinite(floor) else _probed(batch, n_best)
            more, who = _listed(batch, n_best, floor)
            scores, members = np.concatenate([scores, more]), np.concatenate([members, who])
            floor = max(floor, _nth(scores, n_best))
            scores, members = scores[scores >= floor], members[scores >= floor]
        order = np.argsort(members)  # among equals the first one stays
        return numbers_of(members[order], self.k), scores[order]


def _nth(scores: NDArray[np.float64], n_best: int) -> float:
    """The least of the best, less what rounding may take."""
    if len(scores) < n_best:
        return -np.inf
    nth = float(np.partition(scores, -n_best)[-n_best])
    return nth - _SLACK * max(1.0, abs(nth))


def _probed(batch: Batch, n_best: int) -> float:
    """Blocks have different subsets, so as many of them as are wanted have one that is no worse than their least."""
    return _nth(batch.score(-np.inf, probe=True)[0], n_best)


def _listed(batch: Batch, n_best: int, floor: float) -> tuple[NDArray[np.float64], NDArray[np.uint64]]:
    while True:
        scores, members, n_listed = batch.score(floor, probe=False)
        if n_listed <= len(scores):
            return scores, members
        higher = _nth(scores, n_best)
        if not higher > floor:
            raise MemoryError("more subsets tie than the card has room to list")
        floor = higher
