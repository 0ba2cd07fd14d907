"""From a table to vectors: categories become one coordinate a level, numbers stay numbers.

Rows that are alike become one that counts as often, in an order that depends on what rows hold and not on where they
stand: a row of weight three is then the same thing as three rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding import LevelColumn, learn_column, read_column
from paclearn.encoding.domain import numbers_of_labels
from paclearn.exceptions import EmptyTableError
from paclearn.tables.raw import Labels, format_number
from paclearn.tables.table import row_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.encoding import EncodingRules
    from paclearn.tables.raw import Numbers, RawColumn, SmallIntegers
    from paclearn.tables.table import Table

__all__ = ["Coordinates", "Gathered", "NumberColumn", "gather", "learn_columns"]


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers; a missing one takes the mean, and a coordinate of its own says so."""

    name: str
    position: int
    mean: float = 0.0
    spread: float = 1.0
    missing: bool = False

    def read(self, raw: RawColumn) -> NDArray[np.float64]:
        """The number of every row, NaN where missing."""
        if isinstance(raw, Labels):
            return numbers_of_labels(raw, self.name)
        return np.asarray(raw.values, dtype=np.float64)

    def learned(self, values: NDArray[np.float64], counts: NDArray[np.float64], *, standardize: bool) -> NumberColumn:
        absent = np.isnan(values)
        shares = np.where(absent, 0.0, counts) / counts[~absent].sum()
        mean = float(shares @ np.where(absent, 0.0, values))
        away = np.where(absent, 0.0, values - mean)
        largest = float(np.abs(away).max())  # squares of the numbers themselves may be too large or too small
        spread = largest * float(np.sqrt(shares @ (away / largest) ** 2)) if largest > 0 else 0.0
        scale = spread if standardize and spread > 0 else 1.0
        return NumberColumn(self.name, self.position, mean, scale, bool(absent.any()))

    def coordinates(self, values: NDArray[np.float64], *, standardize: bool) -> NDArray[np.float64]:
        absent = np.isnan(values)
        filled = np.where(absent, self.mean, values)
        scaled = (filled - self.mean) / self.spread if standardize else filled
        return np.column_stack([scaled, absent]) if self.missing else scaled[:, None]


Column = LevelColumn | NumberColumn


def learn_columns(table: Table, rules: EncodingRules, weights: NDArray[np.float64] | None) -> tuple[Column, ...]:
    """The columns that vary, and the levels of those that hold categories."""
    columns: list[Column] = []
    dropped = []
    for position, name in enumerate(table.names):
        raw = read_column(table.column(position), name, row_numbers(table))
        if isinstance(raw, Labels):
            column: Any = learn_column(raw, name, position, rules, weights)
        else:
            column = _numbers(raw, name, position)
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
    return NumberColumn(name, position)


@dataclass(frozen=True)
class Coordinates:
    """Which columns are used, and what becomes of each."""

    columns: tuple[Any, ...]
    standardize: bool

    def read(self, table: Table) -> NDArray[np.float64]:
        """One number a row and column: the number itself, or the code of a level."""
        matrix = np.empty((table.n_rows, len(self.columns)))
        for place, column in enumerate(self.columns):
            raw = read_column(table.column(column.position), column.name, row_numbers(table))
            matrix[:, place] = column.encode(raw) if isinstance(column, LevelColumn) else column.read(raw)
        return matrix + 0.0  # no minus nought

    def learned(self, matrix: NDArray[np.float64], counts: NDArray[np.float64]) -> Coordinates:
        """The same with means and spreads of the numbers."""
        columns = tuple(
            column.learned(matrix[:, i], counts, standardize=self.standardize)
            if isinstance(column, NumberColumn)
            else column
            for i, column in enumerate(self.columns)
        )
        return Coordinates(columns, self.standardize)

    def vectors(self, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        """Rows as vectors."""
        parts = [
            column.coordinates(matrix[:, i], standardize=self.standardize)
            if isinstance(column, NumberColumn)
            else _one_hot(matrix[:, i], column.n_codes)
            for i, column in enumerate(self.columns)
        ]
        return np.concatenate(parts, axis=1)


def _one_hot(codes: NDArray[np.float64], n_codes: int) -> NDArray[np.float64]:
    """One coordinate a level; a level that was never seen has none."""
    return np.eye(n_codes + 1)[:, :n_codes][codes.astype(np.intp)]


@dataclass(frozen=True, eq=False)
class Gathered:
    """Different rows with their classes, how often each counts, and how many rows of the table it stands for."""

    matrix: NDArray[np.float64]
    classes: NDArray[np.intp]
    counts: NDArray[np.float64]
    times: NDArray[np.intp]


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
    return Gathered(matrix[first], classes[first], totals, np.bincount(which.ravel(), minlength=len(first)))


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
