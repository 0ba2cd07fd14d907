"""SpectralRegressor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paclearn.certificates import heldout_squared
from paclearn.learners.fitting import NumberLearner
from paclearn.learners.spectral.losses import SquaredLoss
from paclearn.learners.spectral.spectral_base import SpectralBase, Terms
from paclearn.models.linear import LinearModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.certificates import Certificate
    from paclearn.encoding.domain import Bit, Domain
    from paclearn.learners.fitting import Judged
    from paclearn.learners.spectral.effect_learner import EffectsLearned
    from paclearn.learners.spectral.forward import FittedTerms
    from paclearn.learners.spectral.losses import Loss
    from paclearn.models.model import About

__all__ = ["SpectralRegressor"]


class SpectralRegressor(NumberLearner, SpectralBase):
    """A linear model over named terms: levels, thresholds, and XORs of two or three of them.

    Like `SpectralClassifier`, with squared error and for numbers. Predictions stay within the range of the targets of
    ``fit``.

    Parameters
    ----------
    degree, n_terms, max_terms : as of `SpectralClassifier`
        Bits an interaction may have, how many interactions, and how many terms in all.
    measure, basis, selection : as of `SpectralClassifier`
        The law under which interactions are ranked, what terms are made of, and how they are ranked.
    n_bins, min_count, max_levels : default=32, 2, 500
        How columns become bits, see `BooleanEncoder`. Tables of many columns get fewer bins.
    holdout, delta : float, default=None, 0.05
        Share of the rows to bound the error with, and how probably the bound may fail.
    random_state : int, RandomState instance or None, default=None
        Draws the folds and the held-out rows.

    Attributes
    ----------
    model_ : LinearModel
        The model: it predicts, explains and can be exported.
    terms_ : data frame
        Every term with its weight and standard error, in units of the target.
    intercept_ : ndarray
        What predictions start from.
    n_terms_ : int
        How many terms there are.
    degree_ : int
        The size of the largest.
    path_ : data frame
        Loss on rows left out against the number of terms.
    certificate_ : Certificate or None
        A bound on the mean squared error, if rows were held out.
    certificates_ : list of Certificate
        It, or nothing.
    measure_ : Measure or None
        The fitted measure; None for independent bits.
    domain_ : Domain
        What the bits mean.
    """

    _SCALES = (0.25, 0.5, 1.0)
    _SHORT = tuple(range(1, 61))
    _MAY_AVERAGE = True
    _MAY_BE_SMOOTH = True

    def _prepare(self, targets: NDArray[np.float64], counts: NDArray[np.float64]) -> tuple[Loss, NDArray[np.float64]]:
        share = counts / counts.sum()
        self._mean = float(share @ targets)
        self._deviation = float(np.sqrt(share @ (targets - self._mean) ** 2)) or 1.0
        self._range = float(targets.min()), float(targets.max())
        return SquaredLoss(), ((targets - self._mean) / self._deviation)[:, None]

    def _strata(self, targets: NDArray[np.float64]) -> NDArray[np.intp]:
        return np.zeros(len(targets), dtype=np.intp)

    def _in_units(self, fitted: FittedTerms) -> Terms:
        unit = self._deviation
        weights = fitted.problem.matrix.to_terms(fitted.fit.weights) * unit
        return Terms(
            fitted.terms, weights, fitted.fit.intercept * unit + self._mean, self._standard_errors(fitted) * unit
        )

    def _kept(self, learned: EffectsLearned) -> EffectsLearned:
        return learned

    def _units(self) -> tuple[float, float, tuple[float, float] | None]:
        return self._deviation, self._mean, self._range

    def _about_it(self) -> About:
        return self._about()

    def _model(self, domain: Domain, bits: Sequence[Bit], terms: Terms) -> LinearModel:
        parts = domain, bits, terms.terms, terms.weights, terms.intercept
        return LinearModel.of_terms(self._about(), *parts, errors=terms.errors, limits=self._range)

    def _certify(self, train: Judged, held: Judged | None) -> Sequence[Certificate]:  # noqa: ARG002
        if held is None:
            return []
        width = self._range[1] - self._range[0]
        return [heldout_squared(held.squared_error, held.n, width, self.delta, self._deviation**2)]
