"""What the thesis's plain learners share: bits of a table, and the spectrum of a target over them."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from paclearn._compat import TakesTables
from paclearn._parameters import is_whole
from paclearn.encoding import EncodingRules, learn_and_encode
from paclearn.exceptions import InputError
from paclearn.learners.measuring import fitted_measure
from paclearn.models.terms import signs_of
from paclearn.spectra import Spectrum
from paclearn.tables.table import RowSubset, as_table
from paclearn.tables.target import class_target, classes_present, read_target
from paclearn.tables.weights import row_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Encoded", "PlainSpectral", "SignClassifier", "kept"]

_SEED = 0  # of the rows that choose a measure: these learners have no other draws


class Encoded(NamedTuple):
    """The rows that count, as bits: which of how many they are, and how much each counts."""

    signs: NDArray[np.int8]
    rows: NDArray[np.intp]
    n_rows: int
    weights: NDArray[np.float64] | None


class PlainSpectral(TakesTables, BaseEstimator):
    """Bits of a table; a base for learners that take one look at the coefficients."""

    degree: int
    n_bins: int
    min_count: float
    max_levels: int
    measure: Any

    def _fit_bits(self, X: Any, sample_weight: Any) -> Encoded:
        if not is_whole(self.degree) or self.degree < 0:
            raise InputError(f"degree={self.degree!r} must be a whole number >= 0")
        table = as_table(self, X, reset=True)
        n, weights = table.n_rows, row_weights(sample_weight, table)
        rows = np.arange(n) if weights is None else np.flatnonzero(weights)
        if weights is not None:
            table, weights = RowSubset(table, rows), weights[rows]
        rules = EncodingRules(self.n_bins, self.min_count, self.max_levels)
        self.domain_, codes = learn_and_encode(table, rules, weights)
        return Encoded(signs_of(self.domain_, self.domain_.bits, codes), rows, n, weights)

    def _bits(self, X: Any) -> NDArray[np.int8]:
        check_is_fitted(self)
        table = as_table(self, X, reset=False)
        return signs_of(self.domain_, self.domain_.bits, list(self.domain_.encode(table)))

    def _estimate(self, found: Encoded, targets: NDArray[np.float64]) -> Spectrum:
        self.measure_ = fitted_measure(self.measure, found.signs, found.weights, _SEED)
        names, weights = self.domain_.bit_names, found.weights
        return Spectrum.estimate(
            found.signs, targets, self.measure_, degree=int(self.degree), names=names, sample_weight=weights
        )

    def _class_signs(self, y: Any, found: Encoded) -> NDArray[np.float64]:
        """Classes as -1 and +1: one column for two of them, otherwise one each."""
        classes, numbers = class_target(y, found.n_rows)
        self.classes_, present = classes_present(classes, numbers[found.rows])
        return _signs_of_classes(present, len(self.classes_))

    def _any_signs(self, y: Any, found: Encoded) -> NDArray[np.float64]:
        """Classes as -1 and +1, numbers less their mean in units of their standard deviation."""
        target = read_target(y, found.n_rows).take(found.rows).explainable()
        if target.classes is not None:
            self.classes_, present = classes_present(target.classes, target.values)
            return _signs_of_classes(present, len(self.classes_))
        numbers = target.values - np.average(target.values, weights=found.weights)
        return (numbers / np.sqrt(np.average(numbers**2, weights=found.weights)))[:, None]


def _signs_of_classes(numbers: NDArray[Any], n_classes: int) -> NDArray[np.float64]:
    signs = np.where(numbers[:, None] == np.arange(n_classes), 1.0, -1.0)
    return signs[:, 1:] if n_classes == 2 else signs


class SignClassifier(ClassifierMixin, PlainSpectral):
    """A classifier by the sign of a value, or by the largest of several."""

    classes_: NDArray[Any]

    @abstractmethod
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Above nought for the second of two classes, or one value a class."""

    def predict(self, X: Any) -> NDArray[Any]:
        """Classes of the rows of a table.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_columns)
            The table, with the columns of ``fit``.

        Returns
        -------
        ndarray of shape (n_rows,)
            Class labels.
        """
        values = self.decision_function(X)
        return self.classes_[values.argmax(axis=1) if values.ndim == 2 else (values > 0).astype(np.intp)]


def kept(spectrum: Spectrum, n_terms: int | None, threshold: float) -> Spectrum:
    """The largest coefficients, beyond the threshold."""
    chosen = spectrum.above(threshold) if threshold > 0 else spectrum
    return chosen if n_terms is None else chosen.top(n_terms)
