"""Polynomial regression of the labels over all small terms: the baselines of Zhang (2019), chapter 2."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linprog

from paclearn.encoding.distinct import distinct_signs
from paclearn.exceptions import InputError
from paclearn.learners.effect_reading import HasEffects
from paclearn.learners.thesis.spectrum_learner import ReadsBits, SignLearner, class_signs
from paclearn.models.linear import LinearModel
from paclearn.models.terms import products_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.learners.fitting import Rows
    from paclearn.models.terms import Term

__all__ = ["PolynomialL1Classifier", "PolynomialL2Classifier"]

_MOST_TERMS = 20_000


@dataclass(eq=False, repr=False)
class _Polynomial(HasEffects, ReadsBits, SignLearner):
    model_: LinearModel = field(init=False)

    degree: int = 2
    n_bins: int = 4
    min_count: float = 5
    max_levels: int = 16

    @abstractmethod
    def _coefficients(
        self, terms: NDArray[np.float64], target: NDArray[np.float64], counts: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Of the polynomial nearest to the labels."""

    def _fit_rows(self, train: Rows, held: Rows | None, rng: np.random.RandomState) -> None:  # noqa: ARG002
        train = train.read_once()
        # where several polynomials are best, the order of the rows decides nothing
        signs, numbers, draws = distinct_signs(self._signs(train), train.targets.astype(np.float64), train.counts)
        targets = class_signs(numbers.astype(np.intp), len(self.classes_))
        subsets = _all_terms(signs.shape[1], int(self.degree))
        terms = _expanded(signs, subsets)
        self.coef_ = np.stack([self._coefficients(terms, target, draws.weights) for target in targets.T])
        about, bits, (constant, *weights) = self._about(self.classes_), self.domain_.bits, self.coef_.T
        shaped = np.reshape(weights, (len(subsets), len(constant)))
        model = LinearModel.of_terms(about, self.domain_, bits, subsets, shaped, constant, calibrated=False)
        self._keep_certified(model.fitted_to(model.encode(train.table), train.weights), [])


def _all_terms(d: int, degree: int) -> list[Term]:
    total = sum(comb(d, k) for k in range(degree + 1))
    if total > _MOST_TERMS:
        raise InputError(f"{d} bits have {total:,} terms of degree {degree}; {_MOST_TERMS:,} is the most")
    return [s for k in range(1, degree + 1) for s in combinations(range(d), k)]


def _expanded(signs: NDArray[np.int8], terms: Sequence[Term]) -> NDArray[np.float64]:
    """The constant, and the terms of every row."""
    ones = np.ones((len(signs), 1))
    return np.concatenate([ones, products_of(signs.astype(np.float32), terms)], axis=1) if terms else ones


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
    model_ : LinearModel
        The polynomial: it predicts, explains and can be exported.
    coef_ : ndarray of shape (n_outputs, n_terms)
        Coefficients: the constant, single bits, pairs, ...
    classes_ : ndarray
        The class labels.
    certificate_ : None
        There is no bound on its error.
    domain_ : Domain
        What the bits mean.
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
    degree, n_bins, min_count, max_levels : as of `PolynomialL2Classifier`
        Degree of the polynomial, and how columns become bits.

    Attributes
    ----------
    model_, coef_, classes_, domain_, certificate_ : as of `PolynomialL2Classifier`
        The polynomial, its coefficients, and what they are about.
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
