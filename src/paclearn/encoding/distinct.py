"""Rows by what they hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DistinctRows", "gather"]


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """One of the rows of every kind, how many times it counts in all, and the kind of every row."""

    first: NDArray[np.intp]
    weights: NDArray[np.float64]
    kind: NDArray[np.intp]


def gather(codes: NDArray[np.uint8], targets: NDArray[np.float64], weights: NDArray[np.float64]) -> DistinctRows:
    """Rows that are alike in all codes and in the target, sorted by what they hold.

    Whatever is drawn by lot is drawn for them: then a row of weight three is the same thing as three rows, and the
    order of the rows is of no account.
    """
    marks = np.concatenate([codes.T, np.ascontiguousarray(targets)[:, None].view(np.uint8)], axis=1)
    marks = np.ascontiguousarray(marks).view([("", np.uint8, marks.shape[1])]).ravel()
    _, first, kind = np.unique(marks, return_index=True, return_inverse=True)
    return DistinctRows(first, np.bincount(kind.ravel(), weights).astype(np.float64), kind.ravel())
