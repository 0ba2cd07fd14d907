"""From a table to vectors: categories become one coordinate a level, numbers stay numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.column_pass import LearnedColumns, encode_each, learn_each
from paclearn.encoding.domain import Bit, Column, LevelColumn, numbers_of_labels
from paclearn.encoding.learning import learn_column
from paclearn.tables.raw import Labels, Numbers, SmallIntegers, format_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.learning import EncodingRules
    from paclearn.tables.raw import RawColumn
    from paclearn.tables.table import Table

__all__ = ["NumberColumn", "coordinate_names", "learn_coordinates", "read_numbers", "vectors_of", "with_means"]


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


def learn_coordinates(
    table: Table, rules: EncodingRules, weights: NDArray[np.float64] | None
) -> tuple[tuple[Column, ...], NDArray[np.float64]]:
    """The columns that vary, with the levels of those that hold categories, and what `read_numbers` would read."""
    found: LearnedColumns[Column] = learn_each(table, partial(_learn_column, rules=rules, weights=weights))
    found.refuse_none(table.n_rows)
    return tuple(found.columns), _matrix(found.codes, table.n_rows, len(found.columns))


def _learn_column(
    raw: RawColumn, name: str, position: int, rules: EncodingRules, weights: NDArray[np.float64] | None
) -> Column | str:
    if isinstance(raw, Labels):
        return learn_column(raw, name, position, rules, weights)
    return _numbers(raw, name, position)


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
    return _matrix(encode_each(columns, table), table.n_rows, len(columns))


def _matrix(columns: Iterable[NDArray[Any]], n_rows: int, n_columns: int) -> NDArray[np.float64]:
    matrix = np.empty((n_rows, n_columns))
    for place, column in enumerate(columns):
        matrix[:, place] = column
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
