"""SpectralFeatures: the terms with the largest coefficients, for any other model (Zhang 2019, Algorithms 2 and 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from paclearn._compat import TakesTables, all_or_nothing, make_frame
from paclearn._parameters import OneOf, Rule, check_parameters
from paclearn.learners.fitting import Rows
from paclearn.learners.footprints import check_room
from paclearn.learners.thesis.several_targets import targets_of
from paclearn.learners.thesis.spectrum_learner import SPECTRUM_PARAMETERS, EstimatesSpectrum, class_signs
from paclearn.models.terms import products_of, signs_of
from paclearn.tables.table import as_table
from paclearn.tables.target import read_target
from paclearn.tables.weights import row_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.tables.target import Target

__all__ = ["SpectralFeatures"]


@dataclass(eq=False, repr=False)
class SpectralFeatures(EstimatesSpectrum, TransformerMixin, TakesTables, BaseEstimator):
    """Terms with the largest Fourier coefficients, as columns with readable names.

    Parameters
    ----------
    degree : int, default=2
        Bits a term may have.
    n_terms : int or None, default=100
        How many terms to keep; None for all beyond the threshold.
    measure : {"product", "uniform", "chain", "tree", "groups", "grid", "auto"}, Measure or list, default="product"
        The law of the bits. Of a list, the one under which rows left out are most probable; ``"auto"`` is the list of
        the first five.
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
    """

    _parameters: ClassVar[dict[str, Rule]] = {**SPECTRUM_PARAMETERS, "basis": OneOf("parity", "orthonormal")}

    degree: int = 2
    n_terms: int | None = 100
    measure: Any = "product"
    basis: str = "parity"
    threshold: float = 0.0
    n_bins: int = 8
    min_count: float = 5
    max_levels: int = 64

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SpectralFeatures:
        """Estimate the coefficients and keep the largest.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_rows, n_columns)
            The table.
        y : array-like of shape (n_rows,) or (n_rows, n_targets)
            Classes, or numbers; of several targets the terms that one of them has most of are kept.
        sample_weight : array-like of shape (n_rows,), default=None
            How many times each row counts, if all are whole numbers; otherwise relative weights.
        """
        check_parameters(self, self._parameters)
        with all_or_nothing(self):
            table = as_table(self, X, reset=True)
            check_room(type(self).__name__, table)
            weights, several = row_weights(sample_weight, table), targets_of(y)
            targets = [read_target(y, table.n_rows, weights=weights) for y in (several or {"": y}).values()]
            rows = Rows(targets[0].rows_of(table), targets[0].values, targets[0].weights)
            if several is None and targets[0].classes is not None:
                self.classes_ = targets[0].classes
            columns = np.concatenate([_in_units(target) for target in targets], axis=1)
            found = self._estimate(rows, columns).without_constant()
            self.spectrum_ = self._largest(found)
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
        check_is_fitted(self)
        codes = list(self.domain_.encode(as_table(self, X, reset=False)))
        signs = signs_of(self.domain_, self.domain_.bits, codes)
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
        tags.target_tags.multi_output = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _in_units(target: Target) -> NDArray[np.float64]:
    """Classes as -1 and +1, numbers less their mean in units of their standard deviation."""
    if target.classes is not None:
        return class_signs(target.values, len(target.classes))
    numbers = target.values - np.average(target.values, weights=target.weights)
    numbers = np.ldexp(numbers, -np.frexp(np.abs(numbers).max())[1])  # the squares of the smallest are nought
    return np.asarray(numbers / np.sqrt(np.average(numbers**2, weights=target.weights)))[:, None]
