"""BitTable: code planes, packed 64 rows to a word, rows sorted by class, every class padded to 512 bits."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._parameters import Whole, check
from paclearn.encoding.remote_columns import RemoteColumns
from paclearn.exceptions import EmptyTableError, InputError, InputTypeError
from paclearn.kernels import dispatch as native
from paclearn.kernels.numpy_counting import WORDS_PER_LINE, starts_of, valid_words
from paclearn.tables.lazy_columns import LazyColumns
from paclearn.tables.memory import room_for_counting
from paclearn.tables.scratch import zeros

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Bit

__all__ = ["BitTable", "CodeTable", "bit_codes", "bit_columns"]

_MOST_CLASSES = 2**24
_CODES = (np.dtype(np.uint8), np.dtype(np.uint16))


_WORD_BITS = 64


@dataclass(frozen=True, eq=False)
class _Table:
    """A copy, pickled or not, is made anew, and so with its arrays where and as the compiled core wants them."""

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, field.name) for field in fields(self))

    def _put(self, **arrays: Any) -> None:
        for name, array in arrays.items():
            object.__setattr__(self, name, array)


@dataclass(frozen=True, eq=False)
class BitTable(_Table):
    """Packed units (columns or bits) with the rows sorted by class.

    A unit with q codes has q - 1 planes, for codes 1 to q - 1; code 0 is what no plane covers. A bit is a unit of two
    codes. The rows of class c lie in words ``class_starts[c]`` up to ``class_starts[c + 1]`` of every plane, and the
    padding behind them is zero, so a class is a range of words and not a mask. Words that do not start on a cache line
    are copied to one.

    Parameters
    ----------
    words : ndarray of uint64 of shape (n_planes, n_words)
        The planes, 64 rows a word.
    sizes : tuple of int
        Codes of every unit.
    class_starts : ndarray of int
        The first word of every class, and the end.
    class_rows : ndarray of int
        Rows of every class.
    """

    words: NDArray[np.uint64]
    sizes: NDArray[np.int64]
    class_starts: NDArray[np.int64]
    class_rows: NDArray[np.int64]

    def __post_init__(self) -> None:
        starts, rows = _integers("class_starts", self.class_starts), _integers("class_rows", self.class_rows)
        self._put(words=_on_a_line(self.words), sizes=_sizes(self.sizes), class_starts=starts, class_rows=rows)
        planes, words = int(self.sizes.sum()) - len(self.sizes), int(starts[-1]) if len(starts) else 0
        if self.words.shape != (planes, words) or len(starts) != len(rows) + 1:
            raise InputError(
                f"words must have shape {(planes, words)} for these sizes and classes, and class_starts one number "
                f"more than class_rows; found shape {self.words.shape}, {len(starts)} and {len(rows)} numbers"
            )

    @classmethod
    def pack(
        cls,
        columns: Iterable[NDArray[np.unsignedinteger[Any]]],
        sizes: Sequence[int],
        row_class: NDArray[np.integer[Any]],
        n_classes: int,
    ) -> BitTable:
        """Pack code columns, one after another; an iterator of columns is never held as a whole.

        Parameters
        ----------
        columns : iterable of ndarray
            Codes, one array a unit.
        sizes : sequence of int
            How many codes each has.
        row_class : ndarray of int
            The class of every row.
        n_classes : int
            How many classes there are.
        """
        n_codes, classes = _sizes(sizes), _classes(row_class, n_classes)
        packer = native.Packer(classes, n_classes)
        starts = packer.class_starts
        words = _zeros_on_a_line((int(n_codes.sum()) - len(n_codes), int(starts[-1])))
        if _is_matrix_by_rows(columns, (len(n_codes), len(classes))):
            packer.pack_matrix(columns.T, n_codes, words)  # type: ignore[attr-defined]
        else:
            first = 0
            for codes, size in zip(_checked(columns, len(n_codes), len(classes)), n_codes.tolist(), strict=True):
                packer.pack(codes, words[first : first + size - 1])
                first += size - 1
        return cls(words, n_codes, starts, packer.class_rows)

    @classmethod
    def joined(cls, tables: Sequence[BitTable]) -> BitTable:
        """The rows of several tables in one, as if they had been packed together.

        Parameters
        ----------
        tables : sequence of BitTable
            Of the same units and classes.
        """
        rows = np.sum([table.class_rows for table in tables], axis=0)
        starts = starts_of(rows)
        words = _zeros_on_a_line((len(tables[0].words), int(starts[-1])))
        for number, start in enumerate(starts[:-1].tolist()):
            place = _WORD_BITS * start
            for table in tables:
                first, n_rows = int(table.class_starts[number]), int(table.class_rows[number])
                _put_bits(words, place, table.words[:, first : first - (-n_rows // _WORD_BITS)])
                place += n_rows
        return cls(words, tables[0].sizes, starts, rows)

    def sorted_by(self, row_class: NDArray[np.integer[Any]], n_classes: int) -> BitTable:
        """The same rows in other classes; for a table of one class, whose rows are in their own order.

        This takes a tenth of the time of packing, so shuffled labels cost little more than the scan itself.

        Parameters
        ----------
        row_class : ndarray of int
            The class of every row.
        n_classes : int
            How many classes there are.
        """
        classes, n_rows = _classes(row_class, n_classes), int(self.class_rows.sum())
        if len(self.class_rows) != 1 or len(classes) != n_rows:
            raise InputError(
                f"rows of one class can be sorted, by a class for each of them; found {len(self.class_rows)} classes "
                f"of {n_rows} rows, to be sorted by {len(classes)}"
            )
        packer = native.Packer(classes, n_classes)
        words = _zeros_on_a_line((len(self.words), int(packer.class_starts[-1])))
        packer.sort(self.words, words)
        return BitTable(words, self.sizes, packer.class_starts, packer.class_rows)

    def of_sizes(self, sizes: NDArray[np.int64]) -> BitTable:
        """The same planes as those of other units.

        Parameters
        ----------
        sizes : ndarray of int
            Codes of every unit.
        """
        return BitTable(self.words, sizes, self.class_starts, self.class_rows)

    @property
    def n_units(self) -> int:
        """Units whose cells can be counted."""
        return len(self.sizes)

    @property
    def n_channels(self) -> int:
        """Numbers kept for every cell: a count for every class."""
        return len(self.class_rows)

    @property
    def valid(self) -> NDArray[np.uint64]:
        """One bit for every row, none for the padding."""
        return valid_words(self.class_starts, self.class_rows)

    @property
    def nbytes(self) -> int:
        """Bytes of the planes."""
        return self.words.nbytes


@dataclass(frozen=True, eq=False)
class CodeTable(_Table):
    """Code columns with values to be summed over cells: for sample weights and numeric targets.

    ``values`` has one column a quantity (a weight; or weight, weighted target and weighted square). ``row_class`` sorts
    the sums by class; it is all zero where the target is a number.

    Parameters
    ----------
    codes : ndarray
        One row a unit.
    sizes : tuple of int
        How many codes each has.
    row_class : ndarray of int
        The class of every row.
    n_classes : int
        How many classes there are.
    values : ndarray of shape (n_rows, n_values)
        What is summed up.
    """

    codes: NDArray[np.unsignedinteger[Any]]  # units x rows
    sizes: NDArray[np.int64]
    row_class: NDArray[np.int32]
    n_classes: int
    values: NDArray[np.float64]

    def __post_init__(self) -> None:
        self._put(
            codes=np.require(self.codes, requirements=["C", "A"]),
            sizes=_sizes(self.sizes),
            row_class=_classes(self.row_class, self.n_classes),
            values=np.require(self.values, np.float64, requirements=["C", "A"]),
        )
        n_units, n_rows = len(self.sizes), len(self.row_class)
        found = (self.codes.shape, self.values.shape[:1], self.values.ndim)
        if found != ((n_units, n_rows), (n_rows,), 2) or not self.values.shape[1]:
            raise InputError(
                f"{n_units} sizes and {n_rows} classes need codes of shape {(n_units, n_rows)} and {n_rows} rows of "
                f"values; found shapes {self.codes.shape} and {self.values.shape}"
            )
        if n_rows and (self.codes.max(axis=1) >= self.sizes).any():
            raise InputError("a code is as large as the number of codes of its unit")

    @classmethod
    def of(
        cls,
        columns: Iterable[NDArray[np.unsignedinteger[Any]]],
        sizes: Sequence[int],
        values: NDArray[np.float64],
        row_class: NDArray[np.integer[Any]] | None = None,
        n_classes: int = 1,
    ) -> CodeTable:
        """Collect code columns and the values of the rows.

        Parameters
        ----------
        columns : iterable of ndarray
            Codes of one or two bytes, an array for every unit.
        sizes : sequence of int
            How many codes the units have.
        values : ndarray of shape (n_rows, n_values)
            What is summed up.
        row_class : ndarray of int, default=None
            The class of every row; all are of one class by default.
        n_classes : int, default=1
            How many classes there are.
        """
        if row_class is None:
            row_class = np.zeros(len(values), dtype=np.int32)
        n_codes, classes = _sizes(sizes), _classes(row_class, n_classes)
        return cls(_stacked(columns, n_codes, len(classes)), n_codes, classes, n_classes, values)

    @property
    def n_units(self) -> int:
        """Units whose cells can be summed over."""
        return len(self.sizes)

    @property
    def n_channels(self) -> int:
        """Sums a cell: values times classes."""
        return self.n_classes * self.values.shape[1]


def bit_codes(
    columns: Iterable[NDArray[np.unsignedinteger[Any]]], bits: Sequence[Bit], sizes: Sequence[int]
) -> Iterable[NDArray[np.uint8]]:
    """The codes 0 and 1 of every bit, from the codes of the columns."""
    for i, codes in enumerate(columns):
        for bit in (b for b in bits if b.column == i):
            yield bit.answers(sizes[i]).astype(np.uint8)[codes]


def bit_columns(
    columns: Sequence[NDArray[np.unsignedinteger[Any]]], bits: Sequence[Bit], sizes: Sequence[int]
) -> Sequence[NDArray[np.uint8]]:
    """The same as a sequence: in memory if the columns are, and otherwise each made when it is asked for."""
    if not isinstance(columns, LazyColumns):
        return list(bit_codes(columns, bits, sizes))
    if isinstance(columns, RemoteColumns):
        return columns.of_bits(bits, sizes)

    def of(number: int) -> NDArray[np.uint8]:
        bit = bits[number]
        return bit.answers(sizes[bit.column]).astype(np.uint8)[columns[bit.column]]

    return LazyColumns(len(bits), of)


def _put_bits(words: NDArray[np.uint64], place: int, more: NDArray[np.uint64]) -> None:
    """Bits from a place on, where there is nothing yet; behind the last of them there is nothing either."""
    first, shift = divmod(place, _WORD_BITS)
    words[:, first : first + more.shape[1]] |= more << np.uint64(shift)
    if shift:
        rest = more >> np.uint64(_WORD_BITS - shift)
        room = words[:, first + 1 : first + 1 + more.shape[1]]
        room |= rest[:, : room.shape[1]]  # what a last word leaves over is nothing where the words end


def _zeros_on_a_line(shape: tuple[int, int]) -> NDArray[np.uint64]:
    """Zeros that start on a cache line: vectors of 512 bits are loaded from there."""
    n = shape[0] * shape[1]
    room = zeros((n + WORDS_PER_LINE,), np.uint64, room_for_counting())
    skip = -room.ctypes.data // room.itemsize % WORDS_PER_LINE
    return room[skip : skip + n].reshape(shape)


def _on_a_line(words: Any) -> NDArray[np.uint64]:
    """The words, or a copy if they do not start on a cache line."""
    if not isinstance(words, np.ndarray) or words.dtype != np.uint64 or words.ndim != 2:
        found = f"{words.dtype} of shape {words.shape}" if isinstance(words, np.ndarray) else type(words).__name__
        raise InputTypeError(f"words must be an array of uint64 with 2 dimensions; found {found}")
    if words.flags.c_contiguous and words.ctypes.data % (words.itemsize * WORDS_PER_LINE) == 0:
        return words
    copy = _zeros_on_a_line((words.shape[0], words.shape[1]))
    copy[:] = words
    return copy


def _stacked(columns: Any, sizes: NDArray[np.int64], n_rows: int) -> NDArray[np.unsignedinteger[Any]]:
    """Columns one below the other, in memory or mapped from a file; they come one at a time."""
    dtype = np.uint8 if sizes.max() < 256 else np.uint16
    stacked = zeros((len(sizes), n_rows), dtype, room_for_counting())
    for place, codes in enumerate(_checked(columns, len(sizes), n_rows)):
        if n_rows and codes.max() >= sizes[place]:
            raise InputError("a code is as large as the number of codes of its unit")
        stacked[place] = codes
    return stacked


def _integers(name: str, numbers: Any) -> NDArray[np.int64]:
    found = np.asarray(numbers)
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iu"):
        raise InputTypeError(f"{name} must be a list of integers; found {found.dtype} of shape {found.shape}")
    return np.require(found, np.int64, requirements=["C", "A"])


def _sizes(sizes: Any) -> NDArray[np.int64]:
    found = _integers("sizes", sizes)
    if not len(found):
        raise EmptyTableError("a table must have a column; found none")
    if found.min() < 1 or found.max() > 2**16:
        raise InputError(f"a column has from 1 to 65,536 codes; found {found.min()} to {found.max()} in sizes")
    return found


def _classes(row_class: Any, n_classes: int) -> NDArray[np.int32]:
    check("n_classes", n_classes, Whole(1, _MOST_CLASSES))
    found = np.asarray(row_class)
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iub"):
        raise InputTypeError(f"row_class must be a list of integers; found {found.dtype} of shape {found.shape}")
    least, most = (int(found.min()), int(found.max())) if found.size else (0, 0)
    if least < 0 or most >= n_classes:
        raise InputError(f"classes must be numbers from 0 to n_classes - 1 = {n_classes - 1}; found {least} to {most}")
    return np.require(found, np.int32, requirements=["C", "A"])


def _is_matrix_by_rows(columns: Any, shape: tuple[int, int]) -> bool:
    """Whether the columns are those of a matrix of bytes that is stored row by row."""
    if not isinstance(columns, np.ndarray) or columns.dtype != np.uint8:
        return False
    return columns.shape == shape and columns.T.flags.c_contiguous


def _checked(columns: Iterable[Any], n_columns: int, n_rows: int) -> Iterable[NDArray[np.unsignedinteger[Any]]]:
    """The columns, if there are as many, as long and of a type as there should be."""
    if isinstance(columns, np.ndarray) and columns.dtype in _CODES and columns.shape == (n_columns, n_rows):
        yield from np.ascontiguousarray(columns)  # all of them at once
        return
    number = 0
    for number, codes in enumerate(columns, 1):
        if not isinstance(codes, np.ndarray) or codes.dtype not in _CODES:
            found = codes.dtype if isinstance(codes, np.ndarray) else type(codes).__name__
            raise InputTypeError(f"codes must be arrays of uint8 or uint16; found {found} for column {number - 1}")
        if codes.shape != (n_rows,) or number > n_columns:
            raise InputError(
                f"{n_columns} columns of {n_rows} codes were expected, by sizes and row_class; found a column "
                f"{number - 1} of shape {codes.shape}"
            )
        yield np.ascontiguousarray(codes)
    if number < n_columns:
        raise InputError(f"{n_columns} columns were expected, one for each of sizes; found {number}")
