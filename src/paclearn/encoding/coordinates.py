"""From a table to vectors: categories become one coordinate a level, numbers stay numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.column_pass import LearnedColumns, encode_each, learn_each
from paclearn.encoding.domain import LevelColumn, numbers_of_labels
from paclearn.encoding.learning import learn_column
from paclearn.tables.raw import Labels, format_number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from paclearn.encoding.learning import EncodingRules
    from paclearn.tables.raw import Numbers, RawColumn, SmallIntegers
    from paclearn.tables.table import Table

__all__ = ["Coordinates", "NumberColumn", "learn_coordinates"]


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers; a missing one takes the mean, and a coordinate of its own says so."""

    name: str
    position: int
    mean: float = 0.0
    spread: float = 1.0
    missing: bool = False

    def encode(self, raw: RawColumn) -> NDArray[np.float64]:
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


def learn_coordinates(
    table: Table, rules: EncodingRules, weights: NDArray[np.float64] | None, *, standardize: bool
) -> tuple[Coordinates, NDArray[np.float64]]:
    """The columns that vary, with the levels of those that hold categories, and what `Coordinates.read` would read."""
    found: LearnedColumns[LevelColumn | NumberColumn] = learn_each(
        table, partial(_learn_column, rules=rules, weights=weights)
    )
    found.refuse_none(table)
    return Coordinates(tuple(found.columns), standardize), _matrix(found.codes, table.n_rows, len(found.columns))


def _learn_column(
    raw: RawColumn, name: str, position: int, rules: EncodingRules, weights: NDArray[np.float64] | None
) -> LevelColumn | NumberColumn | str:
    if not isinstance(raw, Labels):
        return _numbers(raw, name, position)
    column = learn_column(raw, name, position, rules, weights)
    assert isinstance(column, LevelColumn | str)  # noqa: S101 - labels have levels
    return column


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

    columns: tuple[LevelColumn | NumberColumn, ...]
    standardize: bool

    def read(self, table: Table) -> NDArray[np.float64]:
        """One number a row and column: the number itself, or the code of a level."""
        return _matrix(encode_each(self.columns, table), table.n_rows, len(self.columns))

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


def _matrix(columns: Iterable[NDArray[Any]], n_rows: int, n_columns: int) -> NDArray[np.float64]:
    matrix = np.empty((n_rows, n_columns))
    for place, column in enumerate(columns):
        matrix[:, place] = column
    return matrix + 0.0  # no minus nought


def _one_hot(codes: NDArray[np.float64], n_codes: int) -> NDArray[np.float64]:
    """One coordinate a level; a level that was never seen has none."""
    return np.eye(n_codes + 1)[:, :n_codes][codes.astype(np.intp)]
