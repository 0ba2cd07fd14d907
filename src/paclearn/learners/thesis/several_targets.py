"""Several targets at once: one look at the coefficients serves all of them (Zhang 2019, section 7.2)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any, Self

import narwhals as nw
import numpy as np
from sklearn.base import clone

from paclearn._blas_threads import one_blas_thread
from paclearn._compat import all_or_nothing
from paclearn._parameters import check_parameters
from paclearn.exceptions import InputError
from paclearn.learners.copied_rows import uncopied
from paclearn.learners.effect_reading import HasEffects
from paclearn.learners.fitting import Learner, Rows
from paclearn.learners.footprints import check_room
from paclearn.learners.thesis.spectrum_learner import EstimatesSpectrum
from paclearn.tables.groups import group_numbers
from paclearn.tables.read_once import read_once
from paclearn.views.text import to_html

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.spectra import Spectrum

__all__ = ["SharesSpectrum", "side_by_side", "targets_of"]

_OF_ONE_TARGET = ("model_", "certificate_", "certificates_", "_n_rows", "_largest_target")


def targets_of(y: Any) -> dict[str, Any] | None:
    """The columns of a target that has several, by name; None where it has one, or is nothing like a table."""
    frame = nw.from_native(y, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return {str(name): frame[name].to_native() for name in frame.columns} if frame.shape[1] > 1 else None
    if isinstance(y, list | tuple):
        if not all(isinstance(row, list | tuple | np.ndarray) and len(row) == len(y[0]) for row in y):
            return None
        y = np.asarray(y)
    if not isinstance(y, np.ndarray) or y.ndim != 2 or y.shape[1] < 2:
        return None
    return {f"y{k}": column for k, column in enumerate(y.T)}


def side_by_side(columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Columns of one kind as they are, others as objects: numbers stay numbers beside text."""
    kinds = {column.dtype.kind for column in columns}
    return np.column_stack([column if len(kinds) == 1 else column.astype(object) for column in columns])


def _together(rows: Rows, targets: Sequence[NDArray[Any]]) -> list[Rows]:
    """The rows with each target, once where all of it was copied."""
    values, codes = zip(*(np.unique(target, return_inverse=True) for target in targets), strict=True)
    kinds, kind = np.unique(np.column_stack(codes), axis=0, return_inverse=True)
    single = uncopied(replace(rows, targets=kind.ravel()))
    return [replace(single, targets=v[k][single.targets]) for v, k in zip(values, kinds.T, strict=True)]


def _some_targets(found: Spectrum, some: slice) -> Spectrum:
    errors = None if found.se is None else found.se[:, some]
    return replace(found, values=found.values[:, some], se=errors)


class SharesSpectrum(EstimatesSpectrum, HasEffects, Learner):
    """A direct estimator that takes a table of targets as well: then ``estimators_`` holds one of its kind for each.

    Columns are encoded once, the law of the bits is learned once, and the coefficients of all targets are one product
    of matrices. Every target keeps its own largest coefficients: what is predicted of it is what a fit to it alone
    would have said.
    """

    estimators_: list[Self]

    @abstractmethod
    def _numbers(self, rows: Rows) -> NDArray[np.float64]:
        """What the spectrum is of, one column an output."""

    @abstractmethod
    def _keep_spectrum(self, found: Spectrum, train: Rows, numbers: NDArray[np.float64]) -> None:
        """The model of a spectrum."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Learn the model, or one for each of several targets.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table.
        y : array-like of shape (n_rows,) or (n_rows, n_targets)
            What is to be predicted: classes, or numbers.
        sample_weight : array-like of shape (n_rows,), default=None
            How many times each row counts, if all are whole numbers; otherwise relative weights.
        groups : array-like of shape (n_rows,), default=None
            What rows belong together. There is no bound on the error that could mind it.

        Returns
        -------
        estimator
            Itself, fitted.
        """
        targets = targets_of(y)
        if targets is None:
            return super().fit(X, y, sample_weight, groups)
        check_parameters(self, self._parameters)
        with all_or_nothing(self), one_blas_thread():
            self._fit_together(X, targets, sample_weight, groups)
            for name in _OF_ONE_TARGET:  # of an earlier fit
                self.__dict__.pop(name, None)
        return self

    def _fit_rows(self, train: Rows, held: Rows | None, rng: np.random.RandomState) -> None:  # noqa: ARG002
        train = uncopied(train.read_once())
        numbers = self._numbers(train)
        self._keep_spectrum(self._estimate(train, numbers), train, numbers)
        self.__dict__.pop("estimators_", None)

    def _fit_together(self, X: Any, targets: dict[str, Any], sample_weight: Any, groups: Any) -> None:
        given = self._table(X, reset=True)
        check_room(type(self).__name__, given)
        table = read_once(given)
        weights = self._weights(sample_weight, table)
        counted = np.arange(table.n_rows) if weights is None else np.flatnonzero(weights)
        known = None if groups is None else group_numbers(groups, table.n_rows)
        found = [(self._read_target(y, table.n_rows, counted), vars(self).get("classes_")) for y in targets.values()]
        classes = [labels for _, labels in found]
        rows = _together(Rows(table, found[0][0], weights, known).take(counted), [t[counted] for t, _ in found])
        numbers = [self._numbers_of(mine, labels) for mine, labels in zip(rows, classes, strict=True)]
        whole = self._estimate(rows[0], np.concatenate(numbers, axis=1))
        ends = np.cumsum([columns.shape[1] for columns in numbers]).tolist()
        parts = [_some_targets(whole, slice(e - c.shape[1], e)) for c, e in zip(numbers, ends, strict=True)]
        self.estimators_ = [self._of_one(*each) for each in zip(targets, parts, rows, numbers, classes, strict=True)]
        self.spectrum_ = whole

    def _numbers_of(self, rows: Rows, classes: Any) -> NDArray[np.float64]:
        if classes is not None:
            self.classes_ = classes
        return self._numbers(rows)

    def _of_one(self, name: str, found: Spectrum, rows: Rows, numbers: NDArray[np.float64], classes: Any) -> Self:
        """One of its kind that was fitted to one target, which this one is as well until it turns to the next."""
        if classes is not None:
            self.classes_ = classes
        self.heldout_rows_, self._misfits, self.exam_ = None, None, ()
        self._keep_spectrum(found, rows, numbers)
        self.model_ = self.model_.named(name)
        part = clone(self)
        vars(part).update({key: value for key, value in vars(self).items() if key not in vars(part)})
        return part

    # ---- what was found ----

    @property
    def _has_several(self) -> bool:
        return "estimators_" in vars(self)

    def __sklearn_is_fitted__(self) -> bool:
        return self._has_several or super().__sklearn_is_fitted__()

    def _check_fitted(self) -> None:
        super()._check_fitted()
        if self._has_several:
            raise InputError(
                f"this {type(self).__name__} was fitted to {len(self.estimators_)} targets and has a model for each: "
                "ask estimators_[0] and so on"
            )

    def _of_each(self, X: Any, said: Callable[[Self, Any], Any]) -> Iterator[Any]:
        """What the estimator of every target says of a table that is read once."""
        table = read_once(self._table(X, reset=False))
        return (said(part, table) for part in self.estimators_)

    def predict(self, X: Any) -> NDArray[Any]:
        """What is predicted of the rows of a table: a number or a class each, of every target.

        Parameters
        ----------
        X : table of shape (n_rows, n_columns)
            Rows, with the columns of ``fit``.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_targets)
            Numbers, or class labels.
        """
        if not self._has_several:
            return np.asarray(super().predict(X))
        return side_by_side([*self._of_each(X, lambda part, table: part.predict(table))])

    def to_text(self, most: int = 20, *, terms: bool = False) -> str:
        """The model in words, or the models of several targets.

        Parameters
        ----------
        most : int, default=20
            Show at most this many terms or effects of each.
        terms : bool, default=False
            List the weightiest terms of a sum of many, as the thesis writes it.

        Returns
        -------
        str
            Text for a terminal.
        """
        if not self._has_several:
            return super().to_text(most, terms=terms)
        texts = (f"{part.model_.about.target}\n\n{part.to_text(most, terms=terms)}" for part in self.estimators_)
        return "\n\n".join(texts)

    def _in_notebook(self) -> str | None:
        if not self._has_several:
            return super()._in_notebook()
        models = (part.model_ for part in self.estimators_)
        return "".join(f"<p><b>{escape(model.about.target or '')}</b></p>{to_html(model)}" for model in models)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
