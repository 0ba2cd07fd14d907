"""Sums over the cells of all pairs of units at once, where many pairs are asked for: whole numbers, so exactly those of
the rows one after another.

Values that are multiples of one power of two, whose sum a float holds exactly, are whole numbers of up to 53 bits, and
those are digits of 30 bits. Sums of digits over all pairs of planes are a hundred times faster than sums over rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.counting.bits import BitTable
from paclearn.kernels import dispatch as native

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from paclearn.counting.bits import CodeTable

__all__ = ["AllPairs", "pays_for_all"]

_DIGIT_BITS, _FLOAT_BITS, _WORD_BITS = 30, 53, 64
_MOST_BYTES = 2**28
_SHARE_THAT_PAYS = 0.05  # of all pairs of planes


def pays_for_all(table: CodeTable, subsets: NDArray[np.int32]) -> bool:
    """Whether so many pairs are asked for that all of them take less time, and little room.

    Parameters
    ----------
    table : CodeTable
        Codes and values.
    subsets : ndarray of shape (n_subsets, k)
        What is asked for.
    """
    codes = int(table.sizes.sum())
    enough = _SHARE_THAT_PAYS * codes**2
    return subsets.shape[1] == 2 and len(subsets) > enough and 8 * codes**2 * table.n_channels <= _MOST_BYTES


@dataclass(frozen=True, eq=False)
class AllPairs:
    """Sums over the rows that have two codes, of the same or of different units.

    Parameters
    ----------
    sums : ndarray of shape (n_channels, n_codes, n_codes)
        For all codes of all units, one unit after another.
    first : ndarray of int
        Where the codes of each unit begin.
    sizes : ndarray of int
        How many it has.
    """

    sums: NDArray[np.float64]
    first: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @classmethod
    def of(cls, table: CodeTable, n_threads: int) -> AllPairs | None:
        """All pairs of a table; None where its values are no whole numbers of one step.

        Parameters
        ----------
        table : CodeTable
            Codes and values.
        n_threads : int
            Threads.
        """
        found = [whole_numbers(column) for column in _channels(table)]
        channels = [channel for channel in found if channel is not None]
        if len(channels) < len(found):
            return None
        bits = BitTable.pack(_with_all_rows(table), [*table.sizes, 2], np.zeros(len(table.row_class), dtype=int), 1)
        different = {numbers.tobytes(): numbers for numbers, _ in channels}
        known = {key: _every_code(_sums(bits, numbers, n_threads), table.sizes) for key, numbers in different.items()}
        sums = np.stack([step * known[numbers.tobytes()] for numbers, step in channels])
        return cls(sums, np.cumsum(table.sizes) - table.sizes, table.sizes)

    def cells(self, subsets: NDArray[np.int32]) -> NDArray[np.float64]:
        """The sums of pairs of different units, cell by cell, with noughts behind those of smaller tables.

        Parameters
        ----------
        subsets : ndarray of shape (n_subsets, 2)
            Two units each.
        """
        q = self.sizes[subsets]
        most = int(q.prod(axis=1).max(initial=1))
        found = np.zeros((len(subsets), most, len(self.sums)))
        for shape in np.unique(q, axis=0):
            mine = np.flatnonzero((q == shape).all(axis=1))
            rows = self.first[subsets[mine, 0], None, None] + np.arange(shape[0])[:, None]
            columns = self.first[subsets[mine, 1], None, None] + np.arange(shape[1])
            here = self.sums[:, rows, columns].reshape(len(self.sums), len(mine), -1)
            found[mine, : int(shape.prod())] = here.transpose(1, 2, 0)
        return found


def whole_numbers(values: NDArray[np.float64]) -> tuple[NDArray[np.int64], float] | None:
    """Values as whole numbers and a power of two, or None where sums of them would not be exact."""
    total = float(np.abs(values).sum())
    if not np.isfinite(total) or total == 0:
        return None if total else (np.zeros(len(values), dtype=np.int64), 1.0)
    step = float(np.ldexp(1.0, max(int(np.frexp(total)[1]) - _FLOAT_BITS, -1021)))
    numbers = np.rint(values / step)
    if not np.array_equal(numbers * step, values):
        return None
    whole = numbers.astype(np.int64)
    spare = int(np.bitwise_or.reduce(whole) & -np.bitwise_or.reduce(whole)).bit_length() - 1
    return whole >> spare, step * 2.0**spare


def _channels(table: CodeTable) -> Iterator[NDArray[np.float64]]:
    """The values of every class, noughts elsewhere."""
    for number in range(table.n_classes):
        for column in table.values.T:
            yield np.where(table.row_class == number, column, 0.0)


def _with_all_rows(table: CodeTable) -> Iterator[NDArray[Any]]:
    yield from table.codes
    yield np.ones(len(table.row_class), dtype=np.uint8)


def _sums(bits: BitTable, numbers: NDArray[np.int64], n_threads: int) -> NDArray[np.float64]:
    """Of whole numbers over all pairs of planes, digit by digit."""
    n_digits = max(1, -(-int(np.abs(numbers).max(initial=0)).bit_length() // _DIGIT_BITS))
    digits = np.zeros((n_digits, _WORD_BITS * bits.words.shape[1]), dtype=np.int32)
    for place in range(n_digits):
        digit = numbers >> _DIGIT_BITS * place
        digits[place, : len(numbers)] = digit if place == n_digits - 1 else digit & (2**_DIGIT_BITS - 1)
    sums = native.sum_pairs(bits.words, digits, n_threads)
    worth = 2 ** (_DIGIT_BITS * np.arange(n_digits))
    return np.asarray((sums * worth[:, None, None]).sum(axis=0), dtype=np.float64)


def _every_code(sums: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """With code 0 of every unit: what its other codes leave of all rows, which are the last plane."""
    return _with_first_codes(_with_first_codes(sums, sizes).T, sizes).T


def _with_first_codes(sums: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    first, end = np.cumsum(sizes) - sizes, np.cumsum(sizes)
    whole = np.empty((int(sizes.sum()), sums.shape[1]))
    planes = np.setdiff1d(np.arange(len(whole)), first)
    whole[planes] = sums[:-1]
    for a, b in zip(first.tolist(), end.tolist(), strict=True):
        whole[a] = sums[-1] - whole[a + 1 : b].sum(axis=0)
    return whole
