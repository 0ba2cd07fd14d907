"""What the thesis's plain learners share: bits of a table, and the spectrum of a target over them."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from paclearn._compat import TakesTables
from paclearn._validation import as_table, check_choice, class_target, classes_present, is_whole, numeric_target
from paclearn.encoding import EncodingRules, learn_and_encode
from paclearn.exceptions import InputError
from paclearn.measures import ChainMeasure, Measure, ProductMeasure, TreeMeasure, UniformMeasure
from paclearn.spectra import Spectrum
from paclearn.spectral.bits import signs_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MEASURES", "PlainSpectral", "SignClassifier", "kept", "measure_from"]

MEASURES = {"uniform": UniformMeasure, "product": ProductMeasure, "chain": ChainMeasure, "tree": TreeMeasure}


def measure_from(given: Any) -> Measure:
    """A measure to be fitted, from its name or another one."""
    if isinstance(given, str):
        check_choice("measure", given, tuple(MEASURES))
        return MEASURES[given]()
    if not isinstance(given, Measure):
        raise InputError(f"measure={given!r} must be {', '.join(map(repr, MEASURES))} or a Measure")
    return clone(given)


class PlainSpectral(TakesTables, BaseEstimator):
    """Bits of a table; a base for learners that take one look at the coefficients."""

    degree: int
    n_bins: int
    min_count: float
    max_levels: int
    measure: Any

    def _fit_bits(self, X: Any) -> NDArray[np.int8]:
        if not is_whole(self.degree) or self.degree < 0:
            raise InputError(f"degree={self.degree!r} must be a whole number >= 0")
        table = as_table(self, X, reset=True)
        self.domain_, codes = learn_and_encode(table, EncodingRules(self.n_bins, self.min_count, self.max_levels))
        return signs_of(self.domain_, self.domain_.bits, codes)

    def _bits(self, X: Any) -> NDArray[np.int8]:
        check_is_fitted(self)
        table = as_table(self, X, reset=False)
        return signs_of(self.domain_, self.domain_.bits, list(self.domain_.encode(table)))

    def _estimate(self, signs: NDArray[np.int8], targets: NDArray[np.float64]) -> Spectrum:
        self.measure_ = measure_from(self.measure).fit(signs)
        return Spectrum.estimate(signs, targets, self.measure_, degree=int(self.degree), names=self.domain_.bit_names)

    def _class_signs(self, y: Any, n_rows: int) -> NDArray[np.float64]:
        """Classes as -1 and +1: one column for two of them, otherwise one each."""
        self.classes_, numbers = classes_present(*class_target(y, n_rows))
        signs = np.where(numbers[:, None] == np.arange(len(self.classes_)), 1.0, -1.0)
        return signs[:, 1:] if len(self.classes_) == 2 else signs

    def _any_signs(self, y: Any, n_rows: int) -> NDArray[np.float64]:
        """Classes as -1 and +1, numbers in units of their spread."""
        if type_of_target(y).startswith("continuous"):
            numbers = numeric_target(y, n_rows)
            return ((numbers - numbers.mean()) / (numbers.std() or 1.0))[:, None]
        return self._class_signs(y, n_rows)


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
