"""The direct estimators: predictions are the sum of the estimated terms (Algorithm 1 of the thesis)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.base import RegressorMixin

from paclearn._compat import all_or_nothing
from paclearn.learners.thesis.spectrum_learner import PlainSpectral, SignClassifier, kept
from paclearn.tables.target import numeric_target

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["DirectSpectrumClassifier", "DirectSpectrumRegressor"]


class _Direct:
    def __init__(
        self,
        degree: int = 2,
        n_terms: int | None = None,
        measure: Any = "product",
        threshold: float = 0.0,
        n_bins: int = 8,
        min_count: float = 5,
        max_levels: int = 64,
    ) -> None:
        self.degree = degree
        self.n_terms = n_terms
        self.measure = measure
        self.threshold = threshold
        self.n_bins = n_bins
        self.min_count = min_count
        self.max_levels = max_levels


class DirectSpectrumClassifier(_Direct, SignClassifier):
    """The sign of the estimated spectrum, or the class with the largest value: the low-degree algorithm, generalised.

    Not competitive with models that fit their weights together; it is here because it can be analysed.

    Parameters
    ----------
    degree : int, default=2
        Bits a term may have.
    n_terms : int, default=None
        Keep only the largest coefficients.
    measure : {"product", "uniform", "chain", "tree", "auto"} or Measure, default="product"
        The law of the bits; ``"uniform"`` is the classical low-degree algorithm.
    threshold : float, default=0.0
        Coefficients of at most this size are dropped.
    n_bins, min_count, max_levels : default=8, 5, 64
        How columns become bits, see `BooleanEncoder`.

    Attributes
    ----------
    spectrum_ : Spectrum
        The coefficients.
    measure_ : Measure
        The fitted measure.
    domain_ : Domain
        What the bits mean.
    classes_ : ndarray
        The class labels.
    n_features_in_ : int
        Number of columns seen in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, where they had names.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DirectSpectrumClassifier:
        """Estimate the coefficients.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_columns)
            The table.
        y : array-like of shape (n_rows,)
            The classes.
        sample_weight : array-like of shape (n_rows,), default=None
            How many times each row counts, if all are whole numbers; otherwise relative weights.

        Returns
        -------
        DirectSpectrumClassifier
            The fitted classifier.
        """
        with all_or_nothing(self):
            rows = self._fit_bits(X, sample_weight)
            found = self._estimate(rows, self._class_signs(y, rows))
            self.spectrum_ = kept(found, self.n_terms, self.threshold)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The values of the spectrum.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_columns)
            The table, with the columns of ``fit``.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            Above nought for the second of two classes, or one value a class.
        """
        signs = self._bits(X)
        return self.spectrum_.predict(signs)


class DirectSpectrumRegressor(_Direct, RegressorMixin, PlainSpectral):
    """The value of the estimated spectrum: like `DirectSpectrumClassifier`, for numbers.

    Parameters
    ----------
    degree : int, default=2
        Bits a term may have.
    n_terms : int, default=None
        Keep only the largest coefficients.
    measure : {"product", "uniform", "chain", "tree", "auto"} or Measure, default="product"
        The law of the bits.
    threshold : float, default=0.0
        Coefficients of at most this size are dropped.
    n_bins, min_count, max_levels : default=8, 5, 64
        How columns become bits, see `BooleanEncoder`.

    Attributes
    ----------
    spectrum_ : Spectrum
        The coefficients, in units of the target.
    measure_ : Measure
        The fitted measure.
    domain_ : Domain
        What the bits mean.
    n_features_in_ : int
        Number of columns seen in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, where they had names.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DirectSpectrumRegressor:
        """Estimate the coefficients.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_columns)
            The table.
        y : array-like of shape (n_rows,)
            The targets.
        sample_weight : array-like of shape (n_rows,), default=None
            How many times each row counts, if all are whole numbers; otherwise relative weights.

        Returns
        -------
        DirectSpectrumRegressor
            The fitted regressor.
        """
        with all_or_nothing(self):
            rows = self._fit_bits(X, sample_weight)
            found = self._estimate(rows, numeric_target(y, rows.n_rows)[rows.rows, None])
            self.spectrum_ = kept(found, self.n_terms, self.threshold)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predictions for the rows of a table.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_columns)
            The table, with the columns of ``fit``.

        Returns
        -------
        ndarray of shape (n_rows,)
            Numbers.
        """
        signs = self._bits(X)
        return self.spectrum_.predict(signs)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # thresholds of one column are far from independent
        return tags
