"""SpectralRegressor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from paclearn._parameters import OneOf, Rule
from paclearn.certificates import heldout_squared
from paclearn.exceptions import InputError
from paclearn.learners.fitting import NumberLearner
from paclearn.learners.spectral.finer_cuts import with_finer_cuts
from paclearn.learners.spectral.long_tables import limits_of
from paclearn.learners.spectral.scale_choice import OnScale, choose_scale
from paclearn.learners.spectral.spectral_base import SPECTRAL, SpectralBase
from paclearn.learners.spectral.target_scales import SCALES, NumbersAndMeans, Plain, scales_for
from paclearn.learners.spectral.target_views import OnScaleOf
from paclearn.learners.spectral.tuning import TUNING
from paclearn.learners.spectral.weighted_terms import Terms, linear_model
from paclearn.tables.remote import RemoteTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.certificates import Certificate
    from paclearn.encoding.domain import Bit, Domain
    from paclearn.encoding.encoded_rows import Kinds
    from paclearn.encoding.folds import Split
    from paclearn.learners.fitting import Rows
    from paclearn.learners.learned import Judged
    from paclearn.learners.spectral.effect_learner import EffectsLearned
    from paclearn.learners.spectral.fitted_terms import WeightedTerms
    from paclearn.learners.spectral.forward import Design
    from paclearn.learners.spectral.losses import Loss
    from paclearn.learners.spectral.model_choice import Choice
    from paclearn.learners.spectral.target_scales import TargetScale
    from paclearn.learners.spectral.target_views import TargetView
    from paclearn.models.linear import LinearModel
    from paclearn.models.model import About

__all__ = ["SpectralRegressor"]


@dataclass(eq=False, repr=False, kw_only=True)
class SpectralRegressor(NumberLearner, SpectralBase):
    """A linear model over named terms: levels, thresholds, and XORs of two or three of them.

    Like `SpectralClassifier`, with squared error and for numbers. Predictions stay within the range of the targets of
    ``fit``.

    Parameters
    ----------
    degree, n_terms, max_terms, terms : as of `SpectralClassifier`
        Bits an interaction may have, how many interactions, how many terms in all, and what a short model is made of.
    max_effects, monotone : as of `SpectralClassifier`
        How many effects, and columns that predictions rise or fall with.
    measure, basis, selection : as of `SpectralClassifier`
        The law under which interactions are ranked, what terms are made of, and how they are ranked.
    n_bins, min_count, max_levels : default=32, "auto", "auto"
        How columns become bits, see `BooleanEncoder`. Tables of many columns get fewer bins. A column of numbers gets
        four times as many where these say more of the target than chance (without ``max_terms`` and groups, up to
        50 000 rows). ``"auto"``: all levels that there is room for, those of a single row as well where levels come
        back; of a short model the 500 most frequent, of two rows or more.
    holdout, delta : float or "auto", float, default=None, 0.05
        Share of the rows to bound the error with, and how probably the bound may fail.
    random_state : int, RandomState instance or None, default=None
        Draws the folds and the held-out rows.
    loss : {"auto", "squared", "log", "poisson", "gamma"}, default="auto"
        What is made small: squared error of the number, or of its logarithm, or the Poisson or gamma deviance. With the
        last three terms multiply the prediction instead of adding to it. ``"auto"`` takes what predicts rows left out
        best, by squared error of the number, among those that the target admits. Predictions are means in any case.
        With ``max_effects`` or ``monotone`` it is squared error.

    Attributes
    ----------
    model_ : as of `SpectralClassifier`
        The model: it predicts, explains and can be exported.
    terms_ : data frame
        Every term with its weight and standard error, in units of the target, or of its logarithm.
    loss_ : str
        The loss that was taken.
    effects_, effects_start_, path_ : as of `SpectralClassifier`
        The model as a start and effects of one column or of several together, and the loss against the number of terms.
    intercept_ : ndarray
        What predictions start from.
    n_terms_, degree_ : int
        How many terms there are, and the size of the largest.
    certificate_ : Certificate or None
        A bound on the mean squared error, if rows were held out.
    certificates_ : list of Certificate
        It, or nothing.
    exam_ : tuple of ErrorInterval
        How far off half of new rows are at most, and nine of ten, if rows were held out.
    measure_ : Measure or None
        The fitted measure; None for independent bits.
    domain_ : Domain
        What the bits mean.
    """

    _parameters: ClassVar[dict[str, Rule]] = {**SPECTRAL, "loss": OneOf("auto", *SCALES)}
    _SCALES = (0.25, 0.5, 1.0)
    _SHORT = tuple(range(1, 61))
    _MAY_AVERAGE = True
    _MAY_BE_SMOOTH = True

    loss: str = "auto"

    def _rows_elsewhere(self, X: Any, y: Any, sample_weight: Any) -> Rows:
        self._refuse_single_rows()
        return self._numbers_elsewhere(X, y, sample_weight)

    def _prepare(self, targets: NDArray[np.float64], counts: NDArray[np.float64]) -> tuple[Loss, TargetView]:
        self._range = float(targets.min()), float(targets.max())
        self._plain = Plain.of(targets, counts / counts.sum())
        self._scale: TargetScale = self._plain
        return self._plain.loss, self._view()

    def _prepare_many(self, few: Kinds, train: Rows) -> tuple[Loss, TargetView]:
        found = super()._prepare_many(few, train)
        self._range = limits_of(train)
        return found

    def _encoded(self, train: Rows) -> tuple[Domain, Any]:
        """With finer cuts where they say more: models of numbers have no Occam bound, so that targets may decide."""
        if train.n > TUNING.enough_rows or self.max_terms is not None or train.groups is not None:
            return super()._encoded(train)
        train = train if isinstance(train.table, RemoteTable) else train.read_once()
        return with_finer_cuts(*super()._encoded(train), train, TUNING.finer * self._rules(train).n_bins)

    def _view(self) -> TargetView:
        return OnScaleOf(self._scale)

    def _chosen_on_scale(
        self,
        few: Design,
        targets: NDArray[np.float64],
        shares: NDArray[np.float64],
        some: NDArray[np.intp],
        judged: Sequence[Split],
    ) -> tuple[Design, Choice]:
        scales = scales_for(self.loss, targets, shares, self._range)
        self._scale, choice = choose_scale(few, targets[some], judged, scales, self._chosen)
        return OnScale.of(self._scale, few, targets[some]).design, choice

    def _strata(self, targets: NDArray[np.float64]) -> NDArray[np.intp]:
        return np.zeros(len(targets), dtype=np.intp)

    def _in_units(self, fitted: WeightedTerms) -> Terms:
        problem, scale = fitted.problem, self._scale
        self.loss_ = scale.name
        shift = scale.shift_between(*problem.mean_of(NumbersAndMeans(scale), fitted.fit)) if scale.logarithmic else 0.0
        weights = problem.matrix.to_terms(fitted.fit.weights) * scale.unit
        intercept = scale.scores(fitted.fit.intercept) + shift
        errors, covariance = self._errors(fitted)
        return Terms(fitted.terms, weights, intercept, errors * scale.unit, _times(covariance, scale.unit**2))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self._wants_effects and self.loss not in {"auto", Plain.name}:
            raise InputError(f"loss={self.loss!r} cannot be had with max_effects or monotone; loss={Plain.name!r} can")

    def _kept(self, learned: EffectsLearned) -> EffectsLearned:
        return learned

    def _units(self) -> tuple[float, float, tuple[float, float] | None]:
        self.loss_ = self._plain.name
        return self._plain.unit, self._plain.centre, self._range

    def _about_it(self) -> About:
        return self._about()

    def _model(self, domain: Domain, bits: Sequence[Bit], terms: Terms) -> LinearModel:
        log = self._scale.logarithmic
        return linear_model(self._about(), domain, bits, terms, limits=self._range, logarithmic=log)

    def _certify(self, train: Judged, held: Judged | None) -> Sequence[Certificate]:  # noqa: ARG002
        if held is None:
            return []
        width = self._range[1] - self._range[0]
        return [heldout_squared(held.squared_error, held.n, width, self.delta, self._plain.unit**2)]


def _times(covariance: NDArray[np.float64] | None, factor: float) -> NDArray[np.float64] | None:
    return None if covariance is None else covariance * factor
