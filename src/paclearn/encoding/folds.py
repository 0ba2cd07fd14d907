"""Folds that depend on what a row holds and not on where it stands.

Equal rows share a fold, so a row of weight three is treated as three rows, and a row of weight nought as none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Splits", "splits"]

Splits = list[tuple["NDArray[np.intp]", "NDArray[np.intp]"]]

_MANY_ROWS, _SOME_ROWS, _FEW_ROWS = 4000, 1000, 200
_HELD = 5  # one in so many
_REPEATS = 3  # where a choice by one set of folds is much by chance, and there are rows enough to choose by


def splits(
    signs: NDArray[np.int8],
    groups: NDArray[np.intp],
    counts: NDArray[np.float64],
    rng: np.random.RandomState,
) -> Splits:
    """Rows to fit to and rows to judge by: five pairs, three times five, three, or one, the more rows there are."""
    n = counts.sum()
    every = np.arange(len(signs))
    held: list[NDArray[np.intp]] = []
    for _ in range(_REPEATS if _FEW_ROWS < n <= _SOME_ROWS else 1):
        fold = _folds(signs, groups, counts, rng, 3 if _SOME_ROWS < n <= _MANY_ROWS else _HELD)
        held += [np.flatnonzero(fold == k) for k in range(1 if n > _MANY_ROWS else fold.max() + 1)]
    found = [(np.setdiff1d(every, rows), rows) for rows in held if 0 < len(rows) < len(every)]
    return found or [(every, every)]  # rows that are all alike


def _folds(
    signs: NDArray[np.int8],
    groups: NDArray[np.intp],
    counts: NDArray[np.float64],
    rng: np.random.RandomState,
    n_folds: int,
) -> NDArray[np.intp]:
    high, low = rng.randint(0, 2**31 - 1, size=(2, signs.shape[1]))
    marks = np.asarray(high, dtype=np.int64) << 31 ^ np.asarray(low, dtype=np.int64)
    label = (signs > 0).astype(np.int64) @ marks
    fold = np.zeros(len(signs), dtype=np.intp)
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        distinct, which = np.unique(label[rows], return_inverse=True)
        mass = np.bincount(which, weights=counts[rows], minlength=len(distinct))
        middle = (np.cumsum(mass) - mass / 2) / mass.sum()
        fold[rows] = np.minimum((middle * n_folds).astype(np.intp), n_folds - 1)[which]
    return fold
