"""The target column of a table file: classes or numbers, and the rows that have one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.exceptions import TargetError
from paclearn.tables.raw import Labels, format_number, read_column
from paclearn.tables.table import RowSubset

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.tables.raw import RawColumn
    from paclearn.tables.table import Table

__all__ = ["MOST_CLASSES", "TargetColumn", "read_target_column"]

MOST_CLASSES = 20  # a column of numbers with more different ones than this is no column of classes


@dataclass(frozen=True, eq=False)
class TargetColumn:
    """The target of the rows that have one: text for classes, else numbers."""

    values: NDArray[Any]
    rows: NDArray[np.intp]
    n_missing: int
    classify: bool

    def rows_of(self, table: Table) -> Table:
        """The rows of a table that have a target."""
        return RowSubset(table, self.rows) if self.n_missing else table


def read_target_column(column: Any, name: str, task: str) -> TargetColumn:
    """Read it as ``classification`` or ``regression``; ``auto`` takes text and few different numbers for classes."""
    raw = read_column(column, name)
    classify = _is_classification(raw, task)
    rows = np.flatnonzero(~raw.missing)
    if len(rows) == 0:
        raise TargetError(f"the target {name!r} is missing in every row")
    return TargetColumn(_values(raw, rows, name, classify=classify), rows, len(raw) - len(rows), classify)


def _is_classification(raw: RawColumn, task: str) -> bool:
    if task != "auto":
        return task == "classification"
    return isinstance(raw, Labels) or len(np.unique(raw.values[~np.isnan(raw.values)])) <= MOST_CLASSES


def _values(raw: RawColumn, rows: NDArray[np.intp], name: str, *, classify: bool) -> NDArray[Any]:
    if not isinstance(raw, Labels):
        values = raw.values[rows]
        return np.array([format_number(v) for v in values], dtype=object) if classify else values
    if not classify:
        raise TargetError(f"the target {name!r} holds text such as {raw.labels[0]!r}; regression needs numbers")
    return np.array(raw.labels, dtype=object)[raw.codes[rows]]
