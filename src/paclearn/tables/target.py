"""Targets: classes or numbers, checked, and the rows that have one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from paclearn.exceptions import TargetError
from paclearn.tables.raw import Labels, format_number, read_column
from paclearn.tables.table import RowSubset

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.tables.raw import RawColumn
    from paclearn.tables.table import Table

__all__ = ["MOST_CLASSES", "TargetColumn", "class_target", "classes_present", "numeric_target", "read_target_column"]

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


def class_target(y: Any, n_rows: int) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """The classes, sorted, and the class number of every row."""
    y = _target_column(y, n_rows)
    check_classification_targets(y)
    classes, numbers = np.unique(y, return_inverse=True)
    return classes, numbers.astype(np.int32)


def classes_present(classes: NDArray[Any], numbers: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The classes that some rows have, of which a classifier needs two, and every row's number among them."""
    present, renumbered = np.unique(numbers, return_inverse=True)
    if len(present) < 2:
        raise TargetError(
            f"the target has one class only ({classes[present].tolist()[0]!r} in all {len(numbers)} rows); "
            "a classifier needs at least two classes"
        )
    return classes[present], renumbered


def numeric_target(y: Any, n_rows: int) -> NDArray[np.float64]:
    """The target as numbers, all of them finite."""
    y = _target_column(y, n_rows)
    try:
        numbers = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TargetError(f"the target must be numeric; found values such as {y.tolist()[0]!r}") from error
    if not np.isfinite(numbers).all():
        raise TargetError("the target y holds values that are infinite (inf) or too large for float64")
    return numbers


def _target_column(y: Any, n_rows: int) -> NDArray[Any]:
    if y is None:
        raise TargetError("This estimator requires y to be passed, but the target y is None")
    y = column_or_1d(_as_array(y), warn=True)
    check_consistent_length(range(n_rows), y)
    if y.dtype.kind == "c":
        raise TargetError("Complex data not supported: the target holds complex numbers")
    if y.dtype.kind == "M":
        raise TargetError("the target holds dates; turn them into numbers or classes first")
    missing = _is_missing(y)
    if missing.any():
        raise TargetError(
            f"the target y contains NaN or None in {missing.sum()} of {len(y)} rows (first: row {missing.argmax()}); "
            "drop those rows or fill them in"
        )
    if y.dtype.kind == "f" and np.isinf(y).any():
        raise TargetError(f"the target y holds {np.isinf(y).sum()} infinite value(s) (inf)")
    return y


def _as_array(y: Any) -> Any:
    series = nw.from_native(y, pass_through=True, allow_series=True)
    return series.to_numpy() if isinstance(series, nw.Series) else y


def _is_missing(y: NDArray[Any]) -> NDArray[np.bool_]:
    if y.dtype.kind == "f":
        return np.isnan(y)
    if y.dtype.kind != "O":
        return np.zeros(len(y), dtype=bool)
    return np.fromiter(map(_is_none, y), dtype=bool, count=len(y))


def _is_none(value: Any) -> bool:
    # pandas' NA first: it answers no question, not even whether it is itself
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, float) and np.isnan(value)
