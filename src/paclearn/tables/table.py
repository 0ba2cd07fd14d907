"""The one door for X, y and weights: whatever the user has becomes a `Table`, read one column at a time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import narwhals as nw
import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from paclearn._compat import TakesTables, make_frame, need, validate_data
from paclearn.exceptions import EmptyTableError, InputError, InputTypeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

__all__ = [
    "ArrayTable",
    "ColumnSubset",
    "FrameTable",
    "KnownColumns",
    "NamedColumns",
    "RowBlock",
    "RowSubset",
    "Table",
    "WeighedRows",
    "as_frame",
    "as_table",
    "check_unique_names",
    "cluster_package",
    "fitted_names",
    "frame_of",
    "is_plain_matrix",
    "refuse_no_rows",
    "refuse_uncollected",
    "row_numbers",
    "uncollected",
    "whole_table",
]

_COLUMNS_AT_ONCE, _ROWS_AT_ONCE = 16, 2048
_CLUSTER_PACKAGES = {"dask", "dask_expr", "distributed"}


@runtime_checkable
class Table(Protocol):
    """Columns with names, handed out one at a time, so that a file need never be in memory as a whole."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        ...

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        ...

    def column(self, position: int) -> Any:
        """The column at a position: a narwhals Series, a one-dimensional array, or a column that was read before."""
        ...


class ArrayTable:
    """A two-dimensional array, dense or sparse (compressed columns)."""

    def __init__(self, values: Any, names: tuple[str, ...]) -> None:
        self.values, self.names = values, names
        self.n_rows = int(values.shape[0])
        self._first, self._block = 0, np.empty((0, 0))

    def column(self, position: int) -> NDArray[Any]:
        """A column in one piece. Its neighbours are taken out with it: they lie in the same lines of memory."""
        if not self._first <= position < self._first + len(self._block):
            block = self.values[:, position : position + _COLUMNS_AT_ONCE]
            self._first = position
            self._block = _turned(block.toarray() if sparse.issparse(block) else block)
        return self._block[position - self._first]


def _turned(rows: NDArray[Any]) -> NDArray[Any]:
    """Columns one after the other, of some rows at a time: these are near while they are read and written."""
    if rows.flags.f_contiguous:
        return rows.T
    turned = np.empty(rows.shape[::-1], dtype=rows.dtype)
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        turned[:, start : start + _ROWS_AT_ONCE] = rows[start : start + _ROWS_AT_ONCE].T
    return turned


@dataclass(frozen=True)
class FrameTable:
    """A data frame of pandas, polars, pyarrow or whatever else narwhals knows."""

    columns: tuple[nw.Series[Any], ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, frame: nw.DataFrame[Any]) -> FrameTable:
        """All columns are taken apart at once: to look one up by number takes a look at all of them."""
        return cls(tuple(frame.iter_columns()), tuple(str(name) for name in frame.columns))

    @property
    def n_rows(self) -> int:
        return len(self.columns[0]) if self.columns else 0

    def column(self, position: int) -> nw.Series[Any]:
        return self.columns[position]


@dataclass(frozen=True, eq=False)
class _TableWith:
    """A table and what is known beside it; as a table it is that one."""

    table: Table

    @property
    def names(self) -> tuple[str, ...]:
        return self.table.names

    @property
    def n_rows(self) -> int:
        return self.table.n_rows

    def column(self, position: int) -> Any:
        return self.table.column(position)


@dataclass(frozen=True, eq=False)
class RowSubset(_TableWith):
    """Some of the rows of a table."""

    rows: NDArray[np.intp]

    @property
    def n_rows(self) -> int:
        return len(self.rows)

    def column(self, position: int) -> Any:
        return self.table.column(position)[self.rows]


@dataclass(frozen=True, eq=False)
class RowBlock(_TableWith):
    """A block of the rows of a table: ``start`` is the number of its first row."""

    start: int


@dataclass(frozen=True, eq=False)
class WeighedRows(_TableWith):
    """A table whose rows count as often as their weights say."""

    weights: NDArray[np.float64]


@dataclass(frozen=True)
class ColumnSubset:
    """Some of the columns of a table."""

    table: Table
    positions: tuple[int, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        names = self.table.names
        return tuple(names[i] for i in self.positions)

    @property
    def n_rows(self) -> int:
        return self.table.n_rows

    def column(self, position: int) -> Any:
        return self.table.column(self.positions[position])


@dataclass(frozen=True)
class NamedColumns:
    """The columns of a table in the order of some names; one that is never asked for need not be there."""

    table: Table
    names: tuple[str, ...]

    @property
    def n_rows(self) -> int:
        return self.table.n_rows

    def column(self, position: int) -> Any:
        return self.table.column(self.table.names.index(self.names[position]))


def is_plain_matrix(table: Table) -> bool:
    """Whether a table is an array, or some rows or columns of one: its columns have no names of their own."""
    while isinstance(table, RowSubset | ColumnSubset):
        table = table.table
    return isinstance(table, ArrayTable)


def frame_of(table: Table) -> Any:
    """A table as a data frame, for those who take no tables of ours."""
    columns: dict[str, Any] = {name: table.column(i) for i, name in enumerate(table.names)}
    plain: dict[str, Any] = {n: c.to_numpy() if isinstance(c, nw.Series) else c for n, c in columns.items()}
    return make_frame(plain)


def row_numbers(table: Table) -> NDArray[np.intp] | None:
    """The numbers that the rows of a table have in the user's own, or None where they are the same."""
    if isinstance(table, RowBlock):
        return np.arange(table.start, table.start + table.n_rows)
    if not isinstance(table, RowSubset):
        return None
    outer = row_numbers(table.table)
    return table.rows if outer is None else outer[table.rows]


def as_table(estimator: Any, X: Any, *, reset: bool) -> Table:
    """X as a `Table`, checked against what the estimator saw in fit (``reset=False``) or recorded there."""
    if reset:
        vars(estimator).pop("_column_names", None)  # of an earlier fit
    refuse_uncollected(X, "X")
    frame = as_frame(X)
    if frame is not None:
        return _check_frame(estimator, frame, reset=reset)
    if isinstance(X, Table):
        return _check_lazy_table(estimator, X, reset=reset)
    try:
        X = validate_data(
            estimator,
            without_mask(X),
            reset=reset,
            dtype=None,
            ensure_all_finite=False,
            accept_sparse="csc",
            ensure_min_samples=1,
        )
    except ValueError as error:
        if "setting an array element" in str(error):
            raise InputError("the table cannot be read: its rows must all hold as many values, and no lists") from error
        raise
    if np.dtype(X.dtype).kind == "c":
        raise InputError("Complex data not supported: the table holds complex numbers")
    return ArrayTable(X, _array_names(estimator, X.shape[1]))


class KnownColumns(TakesTables, BaseEstimator):
    """What a table must look like: it stands in for the estimator where there is only a model."""

    def __init__(self, n_features: int, names: tuple[str, ...] | None) -> None:
        self.n_features_in_ = n_features
        if names is not None:
            self._column_names = names
            self.feature_names_in_ = np.array(names, dtype=object)


def whole_table(X: Any) -> Any:
    """A batch of Arrow is a table of one part, though neither narwhals nor scikit-learn knows it for one."""
    is_batch = hasattr(X, "to_struct_array") and not hasattr(X, "to_batches")
    return need("pyarrow", "io", "reading batches of Arrow").Table.from_batches([X]) if is_batch else X


def as_frame(X: Any) -> nw.DataFrame[Any] | None:
    """A data frame of any library, names that occur once, nothing left to compute; None of what is no data frame."""
    try:
        frame = nw.from_native(whole_table(X), pass_through=True)
    except nw.exceptions.DuplicateError:
        check_unique_names([str(name) for name in getattr(X, "column_names", X.columns)])
        raise
    if isinstance(frame, nw.LazyFrame):
        if not frame.implementation.is_polars():  # whose plan is in this process, over what is at hand
            raise uncollected("X", frame.implementation.value)
        frame = frame.collect()
    return frame if isinstance(frame, nw.DataFrame) else None


def without_mask(values: Any) -> Any:
    """What a mask covers is missing; numpy shows what lies under it to all who do not ask."""
    if not isinstance(values, np.ma.MaskedArray) or not np.ma.is_masked(values):  # pandas has others
        return values
    shown = values.data.copy() if values.dtype.kind == "f" else values.data.astype(object)
    shown[np.ma.getmaskarray(values)] = None  # NaN among floats
    return shown


def refuse_uncollected(data: Any, name: str) -> None:
    """Refuse what lies on a cluster, before numpy brings all of it here without a word."""
    package = cluster_package(data)
    if package is not None:
        raise uncollected(name, package)


def cluster_package(data: Any) -> str | None:
    """The package of an array or a frame on a cluster, or of a list of delayed parts; None for all else."""
    one = data[0] if isinstance(data, list | tuple) and len(data) else data
    package = type(one).__module__.partition(".")[0]
    return package if package in _CLUSTER_PACKAGES else None


def uncollected(name: str, library: str) -> InputTypeError:
    """The error of what lies elsewhere and is not brought here unasked."""
    return InputTypeError(
        f"{name} is a lazy {library} object; it may not fit in memory, so it is never collected unasked: "
        "collect it yourself, or write it to a Parquet file and pass open_table(path); on a Dask cluster, "
        "JuntaClassifier, JuntaRegressor, SpectralClassifier, SpectralRegressor, RegressionGraphClassifier, "
        "RegressionGraphRegressor, RedundancyFilter, FourierSelector, discover and find_rules learn where the rows are"
    )


def _array_names(estimator: Any, n_columns: int) -> tuple[str, ...]:
    names = fitted_names(estimator)
    return tuple(f"x{i}" for i in range(n_columns)) if names is None else names


def fitted_names(estimator: Any) -> tuple[str, ...] | None:
    """The columns of the table of fit as text; numbered ones of a data frame have no names to scikit-learn."""
    names = getattr(estimator, "_column_names", getattr(estimator, "feature_names_in_", None))
    return None if names is None else tuple(map(str, names))


def refuse_no_rows(n_rows: int) -> None:
    """Refuse a table without rows."""
    if n_rows == 0:
        raise EmptyTableError("the table has no rows: 0 sample(s) while a minimum of 1 is required.")


def _check_frame(estimator: Any, frame: nw.DataFrame[Any], *, reset: bool) -> FrameTable:
    table = FrameTable.of(frame)
    names = table.names
    check_unique_names(names)
    if not names:
        raise EmptyTableError("the table has no columns: 0 feature(s) (shape=(n, 0)) while a minimum of 1 is required.")
    native = frame.to_native() if reset else _as_named(estimator, frame, names)
    validate_data(estimator, native, reset=reset, skip_check_array=True)
    refuse_no_rows(len(frame))
    _check_own_names(estimator, names, reset=reset)
    return table


def _as_named(estimator: Any, frame: nw.DataFrame[Any], names: tuple[str, ...]) -> Any:
    """The user's data frame; numbered columns are named by text where those of fit were (only pandas has them)."""
    numbered = tuple(frame.columns) != names and hasattr(estimator, "feature_names_in_")
    return frame.to_native().set_axis(names, axis=1) if numbered else frame.to_native()


def _check_own_names(estimator: Any, names: tuple[str, ...], *, reset: bool) -> None:
    """Scikit-learn looks at names only if they are text; numbered columns can be in another order as well."""
    if reset:
        vars(estimator)["_column_names"] = names
        return
    known = vars(estimator).get("_column_names", names)
    if known != names:
        raise InputError(_names_differ(known, names))


def _check_lazy_table(estimator: Any, table: Table, *, reset: bool) -> Table:
    check_unique_names(table.names)
    if reset:
        estimator.feature_names_in_ = np.asarray(table.names, dtype=object)
        estimator.n_features_in_ = len(table.names)
        return table
    fitted = _array_names(estimator, estimator.n_features_in_)
    if fitted != table.names:
        raise InputError(_names_differ(fitted, table.names))
    return table


def _names_differ(fitted: Sequence[str], given: Sequence[str]) -> str:
    missing = [n for n in fitted if n not in given]
    extra = [n for n in given if n not in fitted]
    details = [f"{what}: {', '.join(map(repr, names[:5]))}" for what, names in _nonempty(missing, extra)]
    return (
        "The feature names should match those that were passed during fit. "
        + ("; ".join(details) or "Feature names must be in the same order as they were in fit")
        + "."
    )


def _nonempty(missing: list[str], extra: list[str]) -> Iterable[tuple[str, list[str]]]:
    return ((what, names) for what, names in (("missing columns", missing), ("unexpected columns", extra)) if names)


def check_unique_names(names: Sequence[str]) -> None:
    """Refuse two columns of one name: a result could not say which of them it means."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        shown = ", ".join(repr(name) for name in twice[:5])
        raise InputError(f"column names must be unique; found more than once: {shown}. Rename or drop the copies")
