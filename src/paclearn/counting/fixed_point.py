r"""Numbers of rows as whole numbers of one step, so that sums of them are exact whatever the order, threads or shards.

A number :math:`v` becomes the whole number :math:`z` nearest to :math:`v / h`, with :math:`h` a power of two so small
that the largest has 15 bits, or 30 where 15 would say too little. A sum over n rows then differs from
:math:`h \sum z` by :math:`n e` at most, where :math:`e \le h / 2` is the largest difference of a single row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["FixedPoint"]

_FEW_BITS, _MANY_BITS = 15, 30
_MOST_BITS = 53  # of a sum: floats hold no more
_ROUNDING = 1 + 2.0**-40  # of the differences themselves


@dataclass(frozen=True, eq=False)
class FixedPoint:
    """Some numbers of every row, rounded.

    Parameters
    ----------
    numbers : ndarray of int32 of shape (n_channels, n_rows)
        Whole numbers.
    steps : ndarray of shape (n_channels,)
        What one of each channel is worth.
    errors : ndarray of shape (n_channels,)
        The most that a row's number differs from what its whole number is worth.
    """

    numbers: NDArray[np.int32]
    steps: NDArray[np.float64]
    errors: NDArray[np.float64]

    @classmethod
    def of(cls, channels: Sequence[NDArray[np.float64]], enough: Sequence[float]) -> FixedPoint:
        """Round the numbers of each channel to a step of its own.

        Parameters
        ----------
        channels : sequence of ndarray of shape (n_rows,)
            Finite numbers.
        enough : sequence of float
            The error that 15 bits of each channel may have, as a share of the mean size of its numbers (the mean: a few
            large ones must not hide the others); where they have more, 30 bits are taken.
        """
        numbers, steps, errors = zip(*map(_rounded, channels, enough), strict=True)
        return cls(np.stack(numbers), np.array(steps), np.array(errors))

    def at(self, places: NDArray[np.intp], n_places: int) -> FixedPoint:
        """The same numbers elsewhere, with noughts between them.

        Parameters
        ----------
        places : ndarray of int
            Where the number of each row goes.
        n_places : int
            How many places there are.
        """
        moved = np.zeros((len(self.numbers), n_places), dtype=np.int32)
        moved[:, places] = self.numbers
        return FixedPoint(moved, self.steps, self.errors)


def _rounded(values: NDArray[np.float64], enough: float) -> tuple[NDArray[np.int32], float, float]:
    few, mean_size = _rounded_to(values, _FEW_BITS), float((np.abs(values) / max(len(values), 1)).sum())
    return (
        few
        if few[2] <= enough * mean_size
        else _rounded_to(values, min(_MANY_BITS, _MOST_BITS - len(values).bit_length()))
    )


def _rounded_to(values: NDArray[np.float64], bits: int) -> tuple[NDArray[np.int32], float, float]:
    largest = float(np.abs(values).max(initial=0.0))
    step = float(np.ldexp(1.0, max(int(np.frexp(largest)[1]) - bits, -1021)))
    if np.rint(largest / step) >= 2**bits:
        step *= 2
    whole = np.rint(values / step)
    return whole.astype(np.int32), step, float(np.abs(values - whole * step).max(initial=0.0)) * _ROUNDING
