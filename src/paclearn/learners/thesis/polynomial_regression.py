"""Polynomial regression of the labels over all small terms: the baselines of chapter 2 of the thesis."""

from __future__ import annotations

from abc import abstractmethod
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linprog

from paclearn._compat import all_or_nothing
from paclearn.encoding.distinct import distinct_signs
from paclearn.exceptions import InputError
from paclearn.learners.thesis.spectrum_learner import SignClassifier
from paclearn.models.terms import products_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.thesis.spectrum_learner import Encoded

__all__ = ["PolynomialL1Classifier", "PolynomialL2Classifier"]

_MOST_TERMS = 20_000


class _Polynomial(SignClassifier):
    def __init__(self, degree: int = 2, n_bins: int = 4, min_count: float = 5, max_levels: int = 16) -> None:
        self.degree = degree
        self.n_bins = n_bins
        self.min_count = min_count
        self.max_levels = max_levels

    @abstractmethod
    def _coefficients(
        self, terms: NDArray[np.float64], target: NDArray[np.float64], counts: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Of the polynomial nearest to the labels."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> _Polynomial:
        """Fit the polynomial.

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
        estimator
            The fitted classifier.
        """
        with all_or_nothing(self):
            rows = self._fit_bits(X, sample_weight)
            signs, targets, counts = _by_content(rows, self._class_signs(y, rows))
            d = signs.shape[1]
            total = sum(comb(d, k) for k in range(int(self.degree) + 1))
            if total > _MOST_TERMS:
                raise InputError(f"{d} bits have {total:,} terms of degree {self.degree}; {_MOST_TERMS:,} is the most")
            self._terms = [s for k in range(1, int(self.degree) + 1) for s in combinations(range(d), k)]
            terms = self._expanded(signs)
            self.coef_ = np.stack([self._coefficients(terms, target, counts) for target in targets.T])
        return self

    def _expanded(self, signs: NDArray[np.int8]) -> NDArray[np.float64]:
        ones = np.ones((len(signs), 1))
        if not self._terms:
            return ones
        return np.concatenate([ones, products_of(signs.astype(np.float32), self._terms)], axis=1)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The value of the polynomial.

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
        values = self._expanded(signs) @ self.coef_.T
        return values[:, 0] if len(self.classes_) == 2 else values


def _by_content(
    rows: Encoded, targets: NDArray[np.float64]
) -> tuple[NDArray[np.int8], NDArray[np.float64], NDArray[np.float64]]:
    """Equal rows as one that counts as often; where several polynomials are best, their order then decides nothing."""
    patterns, numbers = np.unique(targets, axis=0, return_inverse=True)
    counts = np.ones(len(targets)) if rows.weights is None else rows.weights
    signs, which, counts = distinct_signs(rows.signs, numbers.ravel().astype(np.float64), counts)
    return signs, patterns[which.astype(np.intp)], counts


class PolynomialL2Classifier(_Polynomial):
    """The sign of the polynomial nearest to the labels in squared error.

    Parameters
    ----------
    degree : int, default=2
        Of the polynomial.
    n_bins, min_count, max_levels : default=4, 5, 16
        How columns become bits, see `BooleanEncoder`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_outputs, n_terms)
        Coefficients: the constant, single bits, pairs, ...
    classes_ : ndarray
        The class labels.
    domain_ : Domain
        What the bits mean.
    n_features_in_ : int
        Number of columns seen in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, where they had names.
    """

    def _coefficients(
        self, terms: NDArray[np.float64], target: NDArray[np.float64], counts: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        root = np.sqrt(counts)
        return np.asarray(np.linalg.lstsq(terms * root[:, None], target * root, rcond=1e-8)[0], dtype=np.float64)


class PolynomialL1Classifier(_Polynomial):
    """The sign of the polynomial nearest to the labels in absolute error (agnostic learning by linear programming).

    Parameters
    ----------
    degree : int, default=2
        Of the polynomial.
    n_bins, min_count, max_levels : default=4, 5, 16
        How columns become bits, see `BooleanEncoder`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_outputs, n_terms)
        Coefficients: the constant, single bits, pairs, ...
    classes_ : ndarray
        The class labels.
    domain_ : Domain
        What the bits mean.
    n_features_in_ : int
        Number of columns seen in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, where they had names.
    """

    def _coefficients(
        self, terms: NDArray[np.float64], target: NDArray[np.float64], counts: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        n, p = terms.shape
        # target = terms w + above - below, and the sum of above and below as small as can be
        equal = np.concatenate([terms, np.eye(n), -np.eye(n)], axis=1)
        cost = np.concatenate([np.zeros(p), counts, counts])
        bounds = [(None, None)] * p + [(0, None)] * (2 * n)
        return np.asarray(linprog(cost, A_eq=equal, b_eq=target, bounds=bounds, method="highs").x[:p])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # where a class has fewer than half of the rows, a constant is often nearest in absolute error
        tags.classifier_tags.poor_score = True
        return tags
