"""The one door for X, y and weights: whatever the user has becomes a `Table`, read one column at a time."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import narwhals as nw
import numpy as np
from scipy import sparse
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from paclearn._compat import check_sample_weight, validate_data
from paclearn.exceptions import EmptyTableError, InputError, TargetError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

__all__ = [
    "ArrayTable",
    "FrameTable",
    "RowSubset",
    "Table",
    "all_or_nothing",
    "are_counts",
    "as_table",
    "check_between",
    "check_choice",
    "check_jobs",
    "check_unique_names",
    "class_target",
    "classes_present",
    "fitted_names",
    "hint",
    "is_whole",
    "numeric_target",
    "own_weights",
    "relative_weights",
    "row_numbers",
    "row_weights",
    "weights_of",
]


_COLUMNS_AT_ONCE = 16


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
        """The column at a position: a narwhals Series or a one-dimensional array."""
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
            self._block = np.ascontiguousarray((block.toarray() if sparse.issparse(block) else block).T)
        return self._block[position - self._first]


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


@dataclass(frozen=True)
class RowSubset:
    """Some of the rows of a table."""

    table: Table
    rows: NDArray[np.intp]

    @property
    def names(self) -> tuple[str, ...]:
        return self.table.names

    @property
    def n_rows(self) -> int:
        return len(self.rows)

    def column(self, position: int) -> Any:
        return self.table.column(position)[self.rows]


def row_numbers(table: Table) -> NDArray[np.intp] | None:
    """The numbers that the rows of a table have in the user's own, or None where they are the same."""
    if not isinstance(table, RowSubset):
        return None
    outer = row_numbers(table.table)
    return table.rows if outer is None else outer[table.rows]


def as_table(estimator: Any, X: Any, *, reset: bool) -> Table:
    """X as a `Table`, checked against what the estimator saw in fit (``reset=False``) or recorded there."""
    if reset:
        vars(estimator).pop("_column_names", None)  # of an earlier fit
    frame = _as_frame(X)
    if frame is not None:
        return _check_frame(estimator, frame, reset=reset)
    if isinstance(X, Table):
        return _check_lazy_table(estimator, X, reset=reset)
    X = validate_data(
        estimator, X, reset=reset, dtype=None, ensure_all_finite=False, accept_sparse="csc", ensure_min_samples=1
    )
    if np.dtype(X.dtype).kind == "c":
        raise InputError("Complex data not supported: the table holds complex numbers")
    return ArrayTable(X, _array_names(estimator, X.shape[1]))


def _as_frame(X: Any) -> nw.DataFrame[Any] | None:
    try:
        frame = nw.from_native(X, pass_through=True)
    except nw.exceptions.DuplicateError:
        check_unique_names([str(name) for name in getattr(X, "column_names", X.columns)])
        raise
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    return frame if isinstance(frame, nw.DataFrame) else None


def _array_names(estimator: Any, n_columns: int) -> tuple[str, ...]:
    names = fitted_names(estimator)
    return tuple(f"x{i}" for i in range(n_columns)) if names is None else names


def fitted_names(estimator: Any) -> tuple[str, ...] | None:
    """The columns of the table of fit as text; numbered ones of a data frame have no names to scikit-learn."""
    names = getattr(estimator, "_column_names", getattr(estimator, "feature_names_in_", None))
    return None if names is None else tuple(map(str, names))


def _check_frame(estimator: Any, frame: nw.DataFrame[Any], *, reset: bool) -> FrameTable:
    table = FrameTable.of(frame)
    names = table.names
    check_unique_names(names)
    if not names:
        raise EmptyTableError("the table has no columns: 0 feature(s) (shape=(n, 0)) while a minimum of 1 is required.")
    native = frame.to_native() if reset else _as_named(estimator, frame, names)
    validate_data(estimator, native, reset=reset, skip_check_array=True)
    if len(frame) == 0:
        raise EmptyTableError("the table has no rows: 0 sample(s) while a minimum of 1 is required.")
    _check_own_names(estimator, names, reset=reset)
    return table


def _as_named(estimator: Any, frame: nw.DataFrame[Any], names: tuple[str, ...]) -> Any:
    """The user's data frame; numbered columns are named by text where those of fit were (only pandas has them)."""
    numbered = tuple(frame.columns) != names and hasattr(estimator, "feature_names_in_")
    return frame.to_native().set_axis(names, axis=1) if numbered else frame.to_native()


def _check_own_names(estimator: Any, names: tuple[str, ...], *, reset: bool) -> None:
    """Scikit-learn looks at names only if they are text; numbered columns can be in another order as well."""
    if reset:
        estimator._column_names = names  # noqa: SLF001
    elif getattr(estimator, "_column_names", names) != names:
        raise InputError(_names_differ(estimator._column_names, names))  # noqa: SLF001


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
        "The feature names should match those that were passed during fit.\n"
        + ("; ".join(details) or "Feature names must be in the same order as they were in fit")
        + "."
    )


def _nonempty(missing: list[str], extra: list[str]) -> Iterable[tuple[str, list[str]]]:
    return ((what, names) for what, names in (("missing columns", missing), ("unexpected columns", extra)) if names)


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """A fit that fails leaves the estimator as it was, fitted or not."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def check_unique_names(names: Sequence[str]) -> None:
    """Refuse two columns of one name: a result could not say which of them it means."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        shown = ", ".join(repr(name) for name in twice[:5])
        raise InputError(f"column names must be unique; found more than once: {shown}. Rename or drop the copies")


def check_between(name: str, value: Any, low: float, high: float) -> None:
    """Refuse a value that is not a number strictly between two others."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not low < value < high:
        raise InputError(f"{name}={value!r} must be a number between {low:g} and {high:g}")


def check_choice(parameter: str, value: Any, choices: Sequence[str]) -> None:
    """Refuse a value that is none of the named choices."""
    if value not in choices:
        raise InputError(f"{parameter}={value!r} is not known; it can be {', '.join(map(repr, choices))}")


def check_jobs(n_jobs: Any) -> None:
    """Refuse what is no number of threads."""
    if n_jobs is not None and (not is_whole(n_jobs) or n_jobs == 0):
        raise InputError(f"n_jobs={n_jobs!r} must be a number of threads, or -1 for all cores")


def is_whole(value: Any) -> bool:
    """Whether a parameter is a whole number; True and False are none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def hint(word: str, words: Iterable[str]) -> str:
    """``'; did you mean ...?'`` with the closest word, or a list of a few."""
    words = [str(w) for w in words]
    folded = {w.casefold(): w for w in words}
    close = get_close_matches(word.casefold(), folded, n=1)
    if close:
        return f"; did you mean {folded[close[0]]!r}?"
    shown = ", ".join(map(repr, words[:10]))
    return f"; there are {shown}" + (f" and {len(words) - 10} more" if len(words) > 10 else "")


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


def row_weights(sample_weight: Any, table: Table) -> NDArray[np.float64] | None:
    """Checked weights, or None where all rows count once.

    Whole numbers say how many times a row occurs. Other weights are relative and are scaled to one a row on average.
    """
    weights = weights_of(sample_weight, table.n_rows)
    return weights if weights is None or are_counts(weights) else relative_weights(weights)


def relative_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same weights in proportion, one a row on average; rows of no weight are not counted."""
    weights = np.ldexp(weights, -np.frexp(weights.max())[1])  # exact, and then the sum is neither nought nor infinite
    return np.asarray(weights * (np.count_nonzero(weights) / weights.sum()))


def weights_of(sample_weight: Any, n_rows: int) -> NDArray[np.float64] | None:
    """Checked weights of so many rows, as they are."""
    if sample_weight is None:
        return None
    weights = check_sample_weight(sample_weight, np.empty((n_rows, 1)), dtype=np.float64, ensure_non_negative=True)
    if not weights.any():
        raise InputError("sample_weight is zero everywhere; at least one row must count")
    return np.asarray(weights)


def are_counts(weights: NDArray[np.float64]) -> bool:
    """Whether weights are whole numbers and so say how many times a row occurs."""
    return bool(np.array_equal(weights, np.round(weights)))


def own_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weight that a row has in its own vote, times its weight: what a leave-one-out correction takes off.

    A row that occurs w times is w rows of weight one; a row of relative weight w is one row.
    """
    return weights if are_counts(weights) else weights**2
