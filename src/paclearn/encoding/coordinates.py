"""From a table to vectors: categories become one coordinate a level, numbers stay numbers.

Rows that are alike become one that counts as often, in an order that depends on what rows hold and not on where they
stand: a row of weight three is then the same thing as three rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding import LevelColumn, learn_column, read_column
from paclearn.encoding.domain import Bit, Column, numbers_of_labels
from paclearn.exceptions import EmptyTableError
from paclearn.tables.raw import Labels, Numbers, SmallIntegers, format_number
from paclearn.tables.table import row_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import EncodingRules
    from paclearn.tables.raw import RawColumn
    from paclearn.tables.table import Table

__all__ = [
    "Gathered",
    "NumberColumn",
    "coordinate_names",
    "gather",
    "learn_columns",
    "read_numbers",
    "vectors_of",
    "with_means",
]


@dataclass(frozen=True)
class NumberColumn(Column):
    """A column of numbers, which are their own codes: there is no list of them, and no bit asks for one.

    The coordinate of a number is ``(number - centre) / scale``. A missing one (NaN) takes the mean, and where that
    happened in training, a coordinate of its own says so.
    """

    mean: float = 0.0
    centre: float = 0.0
    scale: float = 1.0

    @property
    def n_codes(self) -> int:
        return 0

    @property
    def code_names(self) -> tuple[str, ...]:
        return ()

    def bits(self, column: int) -> tuple[Bit, ...]:  # noqa: ARG002
        return ()

    def encode(self, raw: RawColumn) -> NDArray[Any]:
        """The number of every row, NaN where missing."""
        return self._codes(Numbers(raw.values) if isinstance(raw, SmallIntegers) else raw)

    def _codes(self, raw: Numbers | Labels) -> NDArray[Any]:
        return numbers_of_labels(raw, self.name) if isinstance(raw, Labels) else raw.values

    def learned(self, values: NDArray[np.float64], counts: NDArray[np.float64], *, standardize: bool) -> NumberColumn:
        """With the mean of the numbers, and, to standardise them, their standard deviation."""
        absent = np.isnan(values)
        shares = np.where(absent, 0.0, counts) / counts[~absent].sum()
        mean = float(shares @ np.where(absent, 0.0, values))
        missing = bool(absent.any())
        if not standardize:
            return replace(self, missing=missing, mean=mean)
        away = np.where(absent, 0.0, values - mean)
        largest = float(np.abs(away).max())  # squares of the numbers themselves may be too large or too small
        deviation = largest * float(np.sqrt(shares @ (away / largest) ** 2)) if largest > 0 else 0.0
        return replace(self, missing=missing, mean=mean, centre=mean, scale=deviation if deviation > 0 else 1.0)

    def coordinates(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """One or two coordinates a row."""
        absent = np.isnan(values)
        scaled = (np.where(absent, self.mean, values) - self.centre) / self.scale
        return np.column_stack([scaled, absent]) if self.missing else scaled[:, None]


def learn_columns(table: Table, rules: EncodingRules, weights: NDArray[np.float64] | None) -> tuple[Column, ...]:
    """The columns that vary, and the levels of those that hold categories."""
    columns: list[Column] = []
    dropped = []
    for position, name in enumerate(table.names):
        raw = read_column(table.column(position), name, row_numbers(table))
        column = (
            learn_column(raw, name, position, rules, weights)
            if isinstance(raw, Labels)
            else _numbers(raw, name, position)
        )
        if isinstance(column, str):
            dropped.append(f"{name}: {column}")
        else:
            columns.append(column)
    if not columns:
        raise EmptyTableError(
            f"no column varies in {table.n_rows} row(s) (n_samples={table.n_rows}), so there is nothing to learn "
            f"from ({'; '.join(dropped[:3])}{'; ...' if len(dropped) > 3 else ''})"
        )
    return tuple(columns)


def _numbers(raw: Numbers | SmallIntegers, name: str, position: int) -> NumberColumn | str:
    """A column of numbers, or why it is dropped."""
    values = raw.values
    present = values[~np.isnan(values)]
    if len(present) == 0:
        return "every value is missing"
    if len(present) == len(values) and present.min() == present.max():
        return f"constant ({format_number(present[0])})"
    return NumberColumn(name, position, missing=False)


def read_numbers(columns: Sequence[Column], table: Table) -> NDArray[np.float64]:
    """One number a row and column: the number itself, or the code of a level."""
    matrix = np.empty((table.n_rows, len(columns)))
    for place, column in enumerate(columns):
        matrix[:, place] = column.encode(read_column(table.column(column.position), column.name, row_numbers(table)))
    return matrix + 0.0  # no minus nought


def with_means(
    columns: Sequence[Column], matrix: NDArray[np.float64], counts: NDArray[np.float64], *, standardize: bool
) -> tuple[Column, ...]:
    """The same columns with means and standard deviations of their numbers."""
    return tuple(
        column.learned(matrix[:, i], counts, standardize=standardize) if isinstance(column, NumberColumn) else column
        for i, column in enumerate(columns)
    )


def vectors_of(columns: Sequence[Column], codes: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
    """Rows as vectors, from the codes of all columns."""
    parts = [
        column.coordinates(values) if isinstance(column, NumberColumn) else _one_hot(values, column.n_codes)
        for column, values in zip(columns, codes, strict=True)
    ]
    return np.concatenate(parts, axis=1)


def coordinate_names(column: Column) -> tuple[str, ...]:
    """What every coordinate of a column says."""
    absent = (f"{column.name} is missing",) * column.missing
    if isinstance(column, LevelColumn):
        rest = (f"{column.name} is other",) * column.other
        return (*(f"{column.name}={level}" for level in column.levels), *rest, *absent)
    return (column.name, *absent)


def _one_hot(codes: NDArray[Any], n_codes: int) -> NDArray[np.float64]:
    """One coordinate a level; a level that was never seen has none."""
    return np.eye(n_codes + 1)[:, :n_codes][codes.astype(np.intp)]


@dataclass(frozen=True, eq=False)
class Gathered:
    """Different rows with their classes, how often each counts, and which of them every row of the table is."""

    matrix: NDArray[np.float64]
    classes: NDArray[np.intp]
    counts: NDArray[np.float64]
    kind: NDArray[np.intp]


def gather(matrix: NDArray[np.float64], classes: NDArray[np.intp], counts: NDArray[np.float64]) -> Gathered:
    """Alike rows of the same class become one. The order is that of a mark which mixes all that a row holds."""
    marks = _marks(matrix, classes)
    _, first, which = np.unique(marks, return_index=True, return_inverse=True)
    alike = np.array_equal(matrix, matrix[first[which]], equal_nan=True) and np.array_equal(
        classes, classes[first[which]]
    )
    if not alike:  # two different rows of one mark: one chance in a million for a million rows, and then
        keys = np.column_stack([matrix, classes])
        _, first, which = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    totals = np.bincount(which.ravel(), weights=counts, minlength=len(first)).astype(np.float64)
    return Gathered(matrix[first], classes[first], totals, which.ravel())


def _marks(matrix: NDArray[np.float64], classes: NDArray[np.intp]) -> NDArray[np.uint64]:
    """64 bits that depend on all bits of a row and its class (the mixer of splitmix64, column by column)."""
    marks = classes.astype(np.uint64)
    for column in matrix.T:
        bits = np.where(np.isnan(column), np.nan, column).view(np.uint64)
        marks = marks * np.uint64(0x9E3779B97F4A7C15) + bits
        marks ^= marks >> np.uint64(30)
        marks *= np.uint64(0xBF58476D1CE4E5B9)
        marks ^= marks >> np.uint64(27)
        marks *= np.uint64(0x94D049BB133111EB)
        marks ^= marks >> np.uint64(31)
    return marks
