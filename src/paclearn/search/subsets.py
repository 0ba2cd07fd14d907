"""Subsets of {0, ..., d-1} of size k in lexicographic order, by number: any stretch of them without the ones before."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["subsets_at", "subsets_between"]

_LARGEST = 2**62  # nobody gets there


def subsets_between(d: int, k: int, start: int, stop: int) -> NDArray[np.int32]:
    """Subsets number ``start`` up to ``stop`` of the C(d, k) subsets, one a row, members ascending.

    Parameters
    ----------
    d, k : int
        How many units there are, and how many are in a subset.
    start, stop : int
        The first number, and the one after the last.
    """
    return subsets_at(d, k, np.arange(start, stop, dtype=np.int64))


def subsets_at(d: int, k: int, numbers: NDArray[np.int64]) -> NDArray[np.int32]:
    """The subsets of these numbers."""
    rank = numbers
    subsets = np.empty((len(rank), k), dtype=np.int32)
    least = np.zeros(len(rank), dtype=np.int64)
    for t in range(k):
        # before[m]: subsets of the remaining size whose first member is below m
        every = (comb(d, k - t) - comb(d - m, k - t) for m in range(d + 1))
        before = np.array([min(number, _LARGEST) for number in every], dtype=np.int64)
        member = np.searchsorted(before, rank + before[least], side="right") - 1
        rank = rank + before[least] - before[member]
        subsets[:, t] = member
        least = member + 1
    return subsets
