"""SpectralFeatures: the terms with the largest coefficients, for any other model (Algorithms 2 and 3 of the thesis)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from paclearn._compat import all_or_nothing, make_frame
from paclearn._parameters import check_choice
from paclearn.learners.thesis.spectrum_learner import PlainSpectral, kept
from paclearn.models.terms import products_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SpectralFeatures"]


class SpectralFeatures(TransformerMixin, PlainSpectral):
    """Terms with the largest Fourier coefficients, as columns with readable names.

    Parameters
    ----------
    degree : int, default=2
        Bits a term may have.
    n_terms : int or None, default=100
        How many terms to keep; None for all beyond the threshold.
    measure : {"product", "uniform", "chain", "tree", "auto"} or Measure, default="product"
        The law of the bits. ``"auto"`` takes the one of the four under which rows left out are most probable.
    basis : {"parity", "orthonormal"}, default="parity"
        Parities of signs (Algorithm 3), or the measure's own functions (Algorithm 2).
    threshold : float, default=0.0
        Coefficients of at most this size are dropped.
    n_bins, min_count, max_levels : default=8, 5, 64
        How columns become bits, see `BooleanEncoder`.

    Attributes
    ----------
    terms_ : data frame
        Every term with its degree, coefficient and standard error, the largest first.
    spectrum_ : Spectrum
        The coefficients that were kept.
    measure_ : Measure
        The fitted measure.
    domain_ : Domain
        What the bits mean.
    n_features_in_ : int
        Number of columns seen in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, where they had names.
    """

    def __init__(
        self,
        degree: int = 2,
        n_terms: int | None = 100,
        measure: Any = "product",
        basis: str = "parity",
        threshold: float = 0.0,
        n_bins: int = 8,
        min_count: float = 5,
        max_levels: int = 64,
    ) -> None:
        self.degree = degree
        self.n_terms = n_terms
        self.measure = measure
        self.basis = basis
        self.threshold = threshold
        self.n_bins = n_bins
        self.min_count = min_count
        self.max_levels = max_levels

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SpectralFeatures:
        """Estimate the coefficients and keep the largest.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_columns)
            The table.
        y : array-like of shape (n_rows,)
            Classes, or numbers.
        sample_weight : array-like of shape (n_rows,), default=None
            How many times each row counts, if all are whole numbers; otherwise relative weights.

        Returns
        -------
        SpectralFeatures
            The fitted transformer.
        """
        check_choice("basis", self.basis, ("parity", "orthonormal"))
        with all_or_nothing(self):
            rows = self._fit_bits(X, sample_weight)
            found = kept(self._estimate(rows, self._any_signs(y, rows)), None, self.threshold)
            found = found.without_constant()
            self.spectrum_ = found if self.n_terms is None else found.top(int(self.n_terms))
            self.terms_ = make_frame(self._columns())
        return self

    def _columns(self) -> dict[str, list[Any]]:
        found = self.spectrum_
        best = np.abs(found.values).argmax(axis=1)
        rows = np.arange(len(best))
        errors = found.se if found.se is not None else np.zeros_like(found.values)
        return {
            "term": self.get_feature_names_out().tolist(),
            "degree": found.degrees.tolist(),
            "coefficient": found.values[rows, best].tolist(),
            "se": errors[rows, best].tolist(),
        }

    def transform(self, X: Any) -> NDArray[np.float64]:
        """The terms of every row.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_columns)
            The table, with the columns of ``fit``.

        Returns
        -------
        ndarray of shape (n_rows, n_terms)
            Products of signs, or of the measure's functions.
        """
        signs = self._bits(X)
        values = signs if self.basis == "parity" else self.measure_.basis(signs)
        if not self.spectrum_.subsets:
            return np.empty((len(signs), 0))
        return products_of(values.astype(np.float32), self.spectrum_.subsets).astype(np.float64)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """Names of the terms, such as ``colour=red XOR age>41``.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of str
            One name a term.
        """
        check_is_fitted(self)
        names = self.domain_.bit_names
        return np.array([" XOR ".join(names[i] for i in s) for s in self.spectrum_.subsets], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = []
        return tags
