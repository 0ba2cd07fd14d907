"""BitTable: code planes, packed 64 rows to a word, rows sorted by class, every class padded to 512 bits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.exceptions import InputError
from paclearn.kernels import dispatch as native

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Bit

__all__ = ["BitTable", "ClassOrder", "CodeTable", "bit_codes"]

_WORD_BITS = 64
_WORDS_PER_LINE = 8  # 512 bits: one AVX-512 register, one cache line


@dataclass(frozen=True, eq=False)
class ClassOrder:
    """How rows are sorted by class: where the words of each class start and how many rows it has."""

    row_class: NDArray[np.integer[Any]]
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, row_class: NDArray[np.integer[Any]], n_classes: int) -> ClassOrder:
        counts = np.bincount(row_class, minlength=n_classes).astype(np.int64)
        return cls(row_class, _padded_starts(counts), counts)

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """The rows, class by class."""
        return np.argsort(self.row_class, kind="stable").astype(np.int64)

    @cached_property
    def masks(self) -> NDArray[np.uint64]:
        """For every class a bit for every row, and at least one word more than the rows fill."""
        masks = np.zeros((len(self.counts), len(self.row_class) // _WORD_BITS + 1), dtype=np.uint64)
        for c, mask in enumerate(masks):
            packed = np.packbits(self.row_class == c, bitorder="little")
            mask.view(np.uint8)[: len(packed)] = packed
        return masks


@dataclass(frozen=True, eq=False)
class BitTable:
    """Packed units (columns or bits) with the rows sorted by class.

    A unit with q codes has q - 1 planes, for codes 1 to q - 1; code 0 is what no plane covers. A bit is a unit of two
    codes. The rows of class c lie in words ``class_starts[c]`` up to ``class_starts[c + 1]`` of every plane, and the
    padding behind them is zero, so a class is a range of words and not a mask.
    """

    words: NDArray[np.uint64]
    sizes: NDArray[np.int64]
    class_starts: NDArray[np.int64]
    class_rows: NDArray[np.int64]

    @classmethod
    def pack(
        cls,
        columns: Iterable[NDArray[np.unsignedinteger[Any]]],
        sizes: Sequence[int],
        row_class: NDArray[np.integer[Any]],
        n_classes: int,
    ) -> BitTable:
        """Pack code columns, one after another; an iterator of columns is never held as a whole."""
        rows = ClassOrder.of(row_class, n_classes)
        words = _zeros_on_a_line((int(sum(sizes)) - len(sizes), int(rows.starts[-1])))
        n_codes = np.asarray(sizes, dtype=np.int64)
        if native.available() and native.pack_matrix(columns, n_codes, rows, words):
            return cls(words, n_codes, rows.starts, rows.counts)
        pack_codes = native.pack_codes if native.available() else _pack_codes
        first = 0
        for codes, size in zip(columns, sizes, strict=True):
            pack_codes(np.ascontiguousarray(codes), rows, words[first : first + size - 1])
            first += size - 1
        return cls(words, n_codes, rows.starts, rows.counts)

    def sorted_by(self, row_class: NDArray[np.integer[Any]], n_classes: int) -> BitTable:
        """The same rows in other classes; for a table of one class, whose rows are in their own order.

        This takes a tenth of the time of packing, so shuffled labels cost little more than the scan itself.
        """
        rows = ClassOrder.of(row_class, n_classes)
        words = _zeros_on_a_line((len(self.words), int(rows.starts[-1])))
        if not (native.available() and native.sort_planes(self.words, rows, words)):
            for unsorted, plane in zip(self.words, words, strict=True):
                bits = np.unpackbits(unsorted.view(np.uint8), count=len(row_class), bitorder="little")
                _pack_codes(bits, rows, plane[np.newaxis])
        return BitTable(words, self.sizes, rows.starts, rows.counts)

    @property
    def n_units(self) -> int:
        return len(self.sizes)

    @property
    def n_channels(self) -> int:
        """Numbers kept for every cell: a count for every class."""
        return len(self.class_rows)

    @property
    def first_plane(self) -> NDArray[np.int64]:
        """The number of the first plane of every unit."""
        return np.concatenate([[0], np.cumsum(self.sizes - 1)])[:-1].astype(np.int64)

    @property
    def valid(self) -> NDArray[np.uint64]:
        """One bit for every row, none for the padding."""
        valid = _zeros_on_a_line((1, int(self.class_starts[-1])))
        n_classes = len(self.class_rows)
        rows = ClassOrder.of(np.repeat(np.arange(n_classes), self.class_rows), n_classes)
        _pack_codes(np.ones(int(self.class_rows.sum()), dtype=np.uint8), rows, valid)
        return valid[0]

    @property
    def nbytes(self) -> int:
        return self.words.nbytes


@dataclass(frozen=True, eq=False)
class CodeTable:
    """Code columns with values to be summed over cells: for sample weights and numeric targets.

    ``values`` has one column a quantity (a weight; or weight, weighted target and weighted square). ``row_class`` sorts
    the sums by class; it is all zero where the target is a number.
    """

    codes: NDArray[np.unsignedinteger[Any]]  # units x rows
    sizes: NDArray[np.int64]
    row_class: NDArray[np.int32]
    n_classes: int
    values: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        columns: Iterable[NDArray[np.unsignedinteger[Any]]],
        sizes: Sequence[int],
        values: NDArray[np.float64],
        row_class: NDArray[np.integer[Any]] | None = None,
        n_classes: int = 1,
    ) -> CodeTable:
        """Collect code columns (of one or two bytes each) and the values of the rows."""
        if row_class is None:
            row_class = np.zeros(len(values), dtype=np.int32)
        codes = np.stack(list(columns))
        if codes.size and (codes.max(axis=1) >= np.asarray(sizes)).any():
            raise InputError("a code is as large as the number of codes of its unit")
        return cls(
            np.ascontiguousarray(codes),
            np.asarray(sizes, dtype=np.int64),
            row_class.astype(np.int32),
            n_classes,
            np.ascontiguousarray(values, dtype=np.float64),
        )

    @property
    def n_units(self) -> int:
        return len(self.sizes)

    @property
    def n_channels(self) -> int:
        return self.n_classes * self.values.shape[1]


def bit_codes(
    columns: Iterable[NDArray[np.unsignedinteger[Any]]], bits: Sequence[Bit], sizes: Sequence[int]
) -> Iterable[NDArray[np.uint8]]:
    """The codes 0 and 1 of every bit, from the codes of the columns."""
    for i, codes in enumerate(columns):
        for bit in (b for b in bits if b.column == i):
            yield bit.answers(sizes[i]).astype(np.uint8)[codes]


def _zeros_on_a_line(shape: tuple[int, int]) -> NDArray[np.uint64]:
    """Zeros that start on a cache line: vectors of 512 bits are loaded from there."""
    n = shape[0] * shape[1]
    room = np.zeros(n + _WORDS_PER_LINE, dtype=np.uint64)
    skip = -room.ctypes.data // room.itemsize % _WORDS_PER_LINE
    return room[skip : skip + n].reshape(shape)


def _padded_starts(class_rows: NDArray[np.int64]) -> NDArray[np.int64]:
    lines = -(-class_rows // (_WORD_BITS * _WORDS_PER_LINE))
    return np.concatenate([[0], np.cumsum(lines * _WORDS_PER_LINE)]).astype(np.int64)


def _pack_codes(codes: NDArray[Any], rows: ClassOrder, planes: NDArray[np.uint64]) -> None:
    """The same as the kernel of this name, in numpy."""
    ends = np.cumsum(rows.counts)
    for c, (end, count) in enumerate(zip(ends, rows.counts, strict=True)):
        of_class = codes[rows.order[end - count : end]]
        for code in range(1, len(planes) + 1):
            packed = np.packbits(of_class == code, bitorder="little")
            room = planes[code - 1, rows.starts[c] : rows.starts[c + 1]].view(np.uint8)
            room[: len(packed)] = packed
