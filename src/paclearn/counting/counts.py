"""Counts: contingency tables of subsets of units. They add up over blocks of rows, and everything else is algebra."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.exceptions import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Counts"]


@dataclass(frozen=True, eq=False)
class Counts:
    """Tables of a block of subsets of equal size.

    ``values[i, cell, channel]`` belongs to subset i. Cells are numbered in mixed radix, the last member fastest, so
    ``values[i, :n].reshape(*sizes, channels)`` is the table; cells beyond those of a subset are zero. A channel is a
    class, or a class and a summed quantity.

    Parameters
    ----------
    subsets : ndarray of shape (n_subsets, k)
        Units of every subset.
    sizes : ndarray of shape (n_subsets, k)
        How many codes each has.
    values : ndarray of shape (n_subsets, n_cells, n_channels)
        What was counted in every cell, the last unit fastest.
    """

    subsets: NDArray[np.int32]
    sizes: NDArray[np.int64]  # codes of every member of every subset
    values: NDArray[Any]

    def __add__(self, other: Counts) -> Counts:
        if not isinstance(other, Counts):
            return NotImplemented
        if not (np.array_equal(self.subsets, other.subsets) and np.array_equal(self.sizes, other.sizes)):
            raise InputError("only counts of the same subsets of the same columns add up")
        return Counts(self.subsets, self.sizes, self.values + other.values)

    def __len__(self) -> int:
        return len(self.subsets)

    def table(self, i: int) -> NDArray[Any]:
        """The table of subset i: one axis a member, and the channels last.

        Parameters
        ----------
        i : int
            Which subset.
        """
        sizes = [int(q) for q in self.sizes[i]]
        return self.values[i, : int(np.prod(sizes, dtype=np.int64))].reshape(*sizes, self.values.shape[2])
