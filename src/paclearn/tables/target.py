"""Targets: one rule for what is a class and what is a number, for every door.

The rule, by what a column holds and not by what holds it:

- text, booleans and categories are classes;
- numbers with a fractional part, even a single one, are a number;
- whole numbers, 0.0 and 1.0 among them, are classes where at most 20 different ones occur, and a number otherwise;
- dates, times, complex numbers and infinities are refused.

That is scikit-learn's rule too, but for the many whole numbers: numbers are never taken for classes that its
classifiers would refuse. Two different fractions are no exception: a third one would turn the task round.

A task that is asked for goes before the rule. Asked for classes, all that can be read is classes. Asked for numbers,
booleans are 0 and 1, and text will do where each value is the text of a number. Classifiers ask for classes, and
refuse with scikit-learn what could not be compared with their predictions; regressors ask for numbers.

Rows without a target: who reads a column of a table (`read_target_column`: reports, the command line) leaves them out
and can say how many they are; who is handed ``y`` (`read_target`, `class_target`, `numeric_target`) refuses them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from paclearn._parameters import check_choice
from paclearn.exceptions import ColumnError, TargetError
from paclearn.tables.raw import Labels, Numbers, SmallIntegers, format_number, label_text, number_of, read_raw
from paclearn.tables.table import RowSubset, refuse_uncollected, without_mask

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.tables.raw import RawColumn
    from paclearn.tables.table import Table

__all__ = [
    "MOST_CLASSES",
    "Target",
    "class_target",
    "classes_present",
    "holds_classes",
    "numeric_target",
    "read_target",
    "read_target_column",
    "refuse_one_class",
    "text_labels",
]

MOST_CLASSES = 20
_LARGEST = 1e140  # its square, and sums of such, are floats
_LARGEST_LABEL = 2.0**63  # that scikit-learn takes for a whole number
_Y = "y"  # what a target is called that comes without a name


@dataclass(frozen=True, eq=False)
class Target:
    """What is to be explained, of the rows that have it: class numbers and the classes, or numbers.

    ``classes`` is None for numbers; ``weights`` where all rows count once; ``rows``, which have a target, where all do.
    """

    values: NDArray[Any]
    classes: NDArray[Any] | None
    weights: NDArray[np.float64] | None = None
    rows: NDArray[np.intp] | None = None
    n_missing: int = 0
    name: str = _Y

    @property
    def classify(self) -> bool:
        return self.classes is not None

    @property
    def task(self) -> str:
        return "classification" if self.classify else "regression"

    @property
    def n_classes(self) -> int:
        """How many classes there are; one for numbers."""
        return 1 if self.classes is None else len(self.classes)

    @property
    def y(self) -> NDArray[Any]:
        """What an estimator is fitted to: the class, or the number, of every row."""
        return self.values if self.classes is None else self.classes[self.values]

    def rows_of(self, table: Table) -> Table:
        """The rows of a table that have a target."""
        return table if self.rows is None else RowSubset(table, self.rows)

    def take(self, rows: NDArray[np.intp]) -> Target:
        """The target of some of its rows, in this order."""
        weights = None if self.weights is None else self.weights[rows]
        of_table = rows if self.rows is None else self.rows[rows]
        return replace(self, values=self.values[rows], weights=weights, rows=of_table)

    def counted(self) -> Target:
        """The target without rows of weight zero; classes that leave with them are gone."""
        if self.weights is None or self.weights.all():
            return self
        some = self.take(np.flatnonzero(self.weights))
        if some.classes is not None:
            classes, values = _present(some.classes, some.values)
            some = replace(some, values=values, classes=classes)
        return some.explainable()

    def explainable(self) -> Target:
        """The same, or an error: of one class, or one number, there is nothing to explain."""
        if self.classes is not None:
            refuse_one_class(self.classes, len(self.values), self.name, self.n_missing)
            return self
        _refuse_large(self.values, self.name)
        if np.ptp(self.values) == 0:
            raise TargetError(
                f"{_place(self.name)} is {self.values[0]:g} in all {len(self.values)} rows; there is nothing to explain"
            )
        return self


# ---- the rule --------------------------------------------------------------------------------------------------------


def holds_classes(raw: RawColumn) -> bool:
    """Whether a column holds classes, by the rule above."""
    if isinstance(raw, Labels):
        return not raw.exact or (len(raw.labels) <= MOST_CLASSES and all(map(_is_whole, raw.labels)))
    if isinstance(raw, SmallIntegers):
        return int(np.count_nonzero(raw.counts)) <= MOST_CLASSES
    present = raw.values[~np.isnan(raw.values)]
    return bool((present == np.floor(present)).all()) and len(np.unique(present)) <= MOST_CLASSES


def _is_whole(text: str) -> bool:
    return text.lstrip("-").isdigit()


def _wants_classes(raw: RawColumn, task: str) -> bool:
    check_choice("task", task, ("auto", "classification", "regression"))
    return holds_classes(raw) if task == "auto" else task == "classification"


# ---- a column of a table ---------------------------------------------------------------------------------------------


def read_target_column(column: Any, name: str, task: str = "auto") -> Target:
    """A column of a table as a target: the rows that have one, classes named by text."""
    raw = _read(column, name)
    absent = raw.missing
    if absent.all():
        raise TargetError(f"{_place(name)} is missing in every row")
    rows = np.flatnonzero(~absent) if absent.any() else None
    classes, values = _text_classes(raw) if _wants_classes(raw, task) else (None, _numbers(raw, name))
    some = values if rows is None else values[rows]
    return Target(some, classes, None, rows, int(absent.sum()), name).explainable()


def text_labels(column: Any, name: str) -> NDArray[Any]:
    """The class of every row of a column that has no gaps, named by text."""
    classes, values = _text_classes(_read(nw.from_native(column, pass_through=True, allow_series=True), name))
    return np.asarray(classes[values])


def _read(column: Any, name: str) -> RawColumn:
    """What a column holds; infinities are refused with everything else that is no target."""
    try:
        raw = read_raw(column, _place(name))
    except ColumnError as error:
        raise TargetError(str(error)) from None
    if isinstance(raw, Numbers):
        _refuse_infinities(raw.values, name)
    return raw


def _place(name: str) -> str:
    return f"the target {name!r}"


def _refuse_infinities(numbers: NDArray[np.float64], name: str) -> None:
    infinite = np.isinf(numbers)
    if infinite.any():
        raise TargetError(
            f"{_place(name)} holds {infinite.sum()} infinite value(s) (inf), or too large for float64, "
            f"the first in row {infinite.argmax()}; leave those rows out or put a number there"
        )


def _refuse_large(numbers: NDArray[np.float64], name: str) -> None:
    largest = np.abs(numbers).max(initial=0.0)
    if largest > _LARGEST:
        raise TargetError(f"{_place(name)} goes up to {largest:.3g}, too far to square; rescale it")


def _numbers(raw: RawColumn, name: str) -> NDArray[np.float64]:
    """The number of every row, NaN where there is none; text has to be that of numbers."""
    if not isinstance(raw, Labels):
        return np.asarray(raw.values, dtype=np.float64)
    known = np.array([*map(number_of, raw.labels), np.nan])
    odd = np.isnan(known[:-1])
    if odd.any():
        raise TargetError(f"{_place(name)} holds text such as {raw.labels[odd.argmax()]!r}; regression needs numbers")
    numbers = known[raw.codes]
    _refuse_infinities(numbers, name)
    return numbers


def _text_classes(raw: RawColumn) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Classes as text, in the order of text, and the class number of every row, -1 where there is none."""
    if isinstance(raw, Labels):
        codes, labels = raw.codes, raw.labels
    else:
        values, codes = np.unique(raw.values, return_inverse=True)
        codes = np.where(raw.missing, -1, codes)
        labels = tuple(format_number(v) for v in values[~np.isnan(values)])
    occurring = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(labels)))
    order = sorted(occurring.tolist(), key=labels.__getitem__)
    number = np.full(len(labels) + 1, -1, dtype=np.intp)
    number[order] = np.arange(len(order))
    return np.array([labels[i] for i in order], dtype=object), number[codes]


# ---- a target that is handed over ------------------------------------------------------------------------------------


def read_target(y: Any, n_rows: int, task: str = "auto", weights: NDArray[np.float64] | None = None) -> Target:
    """A target of so many rows, all of which have one; rows of weight zero are left out."""
    given = _Given.of(y, n_rows)
    if _wants_classes(given.raw, task):
        classes, values = given.classes()
        return Target(values, classes, weights).explainable().counted()
    return Target(given.numbers(), None, weights).explainable().counted()


def class_target(y: Any, n_rows: int) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """The classes of a classifier, sorted, and the class number of every row."""
    given = _Given.of(y, n_rows)
    _refuse_labels(given.array)
    check_classification_targets(given.one_of_each)
    return given.classes()


def numeric_target(y: Any, n_rows: int) -> NDArray[np.float64]:
    """The target of a regressor: numbers, all of them finite, and their squares too."""
    numbers = _Given.of(y, n_rows).numbers()
    _refuse_large(numbers, _Y)
    return numbers


def classes_present(classes: NDArray[Any], numbers: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The classes that some rows have, of which a classifier needs two, and every row's number among them."""
    present, renumbered = _present(classes, numbers)
    refuse_one_class(present, len(numbers), _Y)
    return present, renumbered


def _present(classes: NDArray[Any], numbers: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    occurs = np.bincount(numbers, minlength=len(classes)) > 0
    return classes[occurs], (np.cumsum(occurs) - 1)[numbers]


def refuse_one_class(classes: NDArray[Any], n_rows: int, name: str, n_missing: int = 0) -> None:
    """Refuse a target of which there is nothing to tell apart."""
    if len(classes) < 2:
        only = label_text(classes.tolist()[0])
        none = f"; {n_missing:,} rows have none: if that says no, write it there" if n_missing else ""
        raise TargetError(
            f"{_place(name)} has one class only ({only!r} in all {n_rows} rows); at least two classes are needed{none}"
        )


@dataclass(frozen=True, eq=False)
class _Given:
    """``y`` as an array, which has the labels as their owner knows them, and as what it holds."""

    array: NDArray[Any]
    raw: RawColumn

    @classmethod
    def of(cls, y: Any, n_rows: int) -> _Given:
        if y is None:
            raise TargetError("This estimator requires y to be passed, but the target y is None")
        refuse_uncollected(y, _Y)
        if issparse(y):
            raise TargetError(
                f"the target {_Y} is a sparse matrix of shape {y.shape}; give it as an array: y.toarray().ravel()"
            )
        series = nw.from_native(y, pass_through=True, allow_series=True)
        if isinstance(series, nw.Series) and isinstance(series.dtype, nw.String):
            return cls._of_text(series, n_rows)
        given = _array_of(series) if isinstance(series, nw.Series) else np.asarray(without_mask(y))
        given = _known_elsewhere(given)
        if given.ndim == 0:
            raise TargetError(f"y should be a 1d array; found one object, of type {type(y).__name__}")
        if given.dtype.kind == "c":
            _read(given.ravel(), _Y)  # refuses it before scikit-learn does, which would print all of it
        if given.ndim == 2 and given.shape[1] > 1:
            raise TargetError(
                f"y should be a 1d array; found {given.shape[1]} targets of {given.shape[0]} rows. Give one of them; "
                f"DirectSpectrumClassifier, DirectSpectrumRegressor and SpectralFeatures take several at once, and "
                f"sklearn.multioutput.MultiOutputClassifier and MultiOutputRegressor fit a model to each"
            )
        array = column_or_1d(given, warn=True)
        check_consistent_length(range(n_rows), array)
        raw = _read(series if isinstance(series, nw.Series) else array, _Y)
        _refuse_missing(raw.missing)
        return cls(array, raw)

    @classmethod
    def _of_text(cls, series: nw.Series[Any], n_rows: int) -> _Given:
        """Words of a data frame are labels as they are: one of each will do to look at."""
        check_consistent_length(range(n_rows), series)
        raw = _read(series, _Y)
        _refuse_missing(raw.missing)
        return cls(np.array(raw.labels, dtype=object), raw)  # type: ignore[union-attr]

    @property
    def one_of_each(self) -> NDArray[Any]:
        """Of words, each once; of all else what was given."""
        words = self.array.dtype.kind in "OU" and isinstance(self.raw, Labels)
        return np.array(self.raw.labels, dtype=object) if words else self.array  # type: ignore[union-attr]

    def numbers(self) -> NDArray[np.float64]:
        return _numbers(self.raw, _Y)

    def classes(self) -> tuple[NDArray[Any], NDArray[np.int32]]:
        """Numbers and flags stay what they are; all else is text."""
        if self.array.dtype.kind in "biuf":
            classes, numbers = np.unique(self.array, return_inverse=True)
            return classes, numbers.astype(np.int32)
        classes, numbers = _text_classes(self.raw)
        if self.array.dtype.kind == "U":
            classes = classes.astype(self.array.dtype)
        return classes, numbers.astype(np.int32)


def _array_of(series: nw.Series[Any]) -> NDArray[Any]:
    """A series as numpy has it, or, where numpy has no such integers, as Python has them."""
    is_wide = isinstance(series.dtype, nw.Int128 | nw.UInt128)
    return np.array(series.to_list(), dtype=object) if is_wide else series.to_numpy()


def _known_elsewhere(given: NDArray[Any]) -> NDArray[Any]:
    """Text of any length is unknown to scikit-learn, and numbers beyond 64 bits to model files."""
    if given.dtype == np.longdouble:
        return given.astype(np.float64)
    return given.astype(object) if given.dtype.kind == "T" else given


def _refuse_missing(missing: NDArray[np.bool_]) -> None:
    if missing.any():
        raise TargetError(
            f"{_place(_Y)} contains NaN or None in {missing.sum()} of {len(missing)} rows "
            f"(first: row {missing.argmax()}); drop those rows or fill them in"
        )


def _refuse_labels(labels: NDArray[Any]) -> None:
    """What scikit-learn takes for no classes, in our words after its first ones."""
    odd: list[Any] = []
    if labels.dtype.kind == "f":
        wide = labels.astype(np.float64)  # the bound is no number of 16 bits
        odd = labels[(wide != np.floor(wide)) | (np.abs(wide) >= _LARGEST_LABEL)][:1].tolist()
    elif labels.dtype.kind in "OS":
        odd = [v for v in labels.tolist() if not isinstance(v, str)]
    if odd:
        remedy = "use a regressor" if labels.dtype.kind == "f" else "make it an array of numbers or booleans"
        raise TargetError(
            f"Unknown label type: {_place(_Y)} holds {repr(odd[0])[:60]} ({type(odd[0]).__name__}); "
            f"classes are text, whole numbers or booleans: turn it into text, or {remedy}"
        )
