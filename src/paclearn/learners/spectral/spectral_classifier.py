"""SpectralClassifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from paclearn._parameters import Nothing, Rule, Such
from paclearn.certificates import occam_kl
from paclearn.exceptions import InputError
from paclearn.learners.fitting import ClassLearner
from paclearn.learners.predicting import DecidesByScore
from paclearn.learners.spectral.effect_tuning import EFFECTS
from paclearn.learners.spectral.level_scales import price_of_scales
from paclearn.learners.spectral.losses import LadderLoss, LogLoss, SoftmaxLoss
from paclearn.learners.spectral.model_choice import Judging
from paclearn.learners.spectral.ordered_classes import in_turns, ranks_of
from paclearn.learners.spectral.rounding import price_of_integers, to_multiples
from paclearn.learners.spectral.spectral_base import SPECTRAL, SpectralBase
from paclearn.learners.spectral.target_views import OneEach, RanksOf, as_column
from paclearn.learners.spectral.trials import refit
from paclearn.learners.spectral.tuning import TUNING
from paclearn.learners.spectral.weighted_terms import Terms, linear_model
from paclearn.models.ladder import Ladder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.certificates import Certificate
    from paclearn.encoding.domain import Bit, Domain
    from paclearn.encoding.folds import Split
    from paclearn.learners.fitting import Rows
    from paclearn.learners.learned import Judged
    from paclearn.learners.spectral.effect_learner import EffectsLearned
    from paclearn.learners.spectral.fitted_terms import WeightedTerms
    from paclearn.learners.spectral.forward import Design
    from paclearn.learners.spectral.losses import Loss
    from paclearn.learners.spectral.target_views import TargetView
    from paclearn.models.linear import LinearModel
    from paclearn.models.model import About

__all__ = ["SpectralClassifier"]

_BELIEFS = 3  # beside none: in lines, in scales of the columns' own, in both


def _is_order(value: Any) -> bool:
    return isinstance(value, Sequence | np.ndarray) and not isinstance(value, str) and len(value) > 1


@dataclass(eq=False, repr=False, kw_only=True)
class SpectralClassifier(DecidesByScore, ClassLearner, SpectralBase):
    """A logistic model over named terms: levels, thresholds, and XORs of two or three of them.

    By default all single bits are in the model, and the interactions that explain most of what these leave; how many,
    of what degree and with which penalty is decided on rows left out, and the winner is fitted to all rows. With
    ``max_terms`` the model grows from nothing, one best term at a time, beyond its limit, and is cut back to it; its
    terms are then conditions and conjunctions of two or three, which add their points where they are true and nothing
    where they are not.

    Parameters
    ----------
    degree : {1, 2, 3, "auto"}, default="auto"
        Bits an interaction may have. ``"auto"`` tries two, and three where that is cheap.
    n_terms : int or "auto", default="auto"
        How many interactions beside the single bits.
    max_terms : int, default=None
        At most this many terms in all: the best model of that size, in points.
    terms : {"auto", "xor"}, default="auto"
        What a model of ``max_terms`` is made of. ``"auto"``: conditions (``24 < age <= 41``, ``town in {Bonn, Ulm}``),
        and conjunctions of up to ``degree`` of them, as long as predicting rows left out asks for; a parity is said as
        such ("exactly one of ...") where nothing simpler says half as much. ``"xor"``: the thesis's form, products of
        signs, which add their weight where an XOR is true and subtract it where it is false.
    max_effects : int, default=None
        At most this many effects, of one column or of several together: the best model of that size, every effect as
        simple as rows left out allow. A number's is a line, a few steps or a curve; levels that act alike are merged.
    monotone : dict, default=None
        Columns of numbers with +1 or -1: raising such a column never lowers (or raises) the score, whatever the others
        are. Without ``max_effects`` the model has as many effects as help.
    measure : {"product", "uniform", "chain", "tree", "groups", "grid", "auto"}, Measure or list, default="product"
        The law of the bits under which interactions are ranked. ``"groups"``: the bits of a column
        depend on each other. ``"grid"``: the columns are the pixels of a square, row by row. Other structures, by the
        names of the columns: `GraphMeasure`, `GridMeasure`, `ChainMeasure` and `GroupMeasure` of ``paclearn.measures``.
        Of a list, the one under which rows left out are most probable; ``"auto"`` is the list of the first five.
    basis : {"parity", "orthonormal"}, default="parity"
        Whether terms are products of signs, or of the measure's own functions.
    selection : {"residual", "coefficient"}, default="residual"
        Rank interactions by what the terms before leave unexplained and leave near copies out; or once, by the size of
        their coefficients under the measure (Zhang 2019, Algorithm 3). Of models without ``max_terms``.
    n_bins, min_count, max_levels : default=32, "auto", "auto"
        How columns become bits, see `BooleanEncoder`. Tables of many columns get fewer bins. With ``max_effects`` or
        ``monotone`` numbers have four times as many, over which curves are smooth; with ``max_terms`` up to four
        times as many, of 30 rows or more. ``"auto"``: all levels that there is room for, those of a single row as well
        where levels come back; of a short model the 500 most frequent, of two rows or more.
    holdout : float or "auto", default=None
        Share of the rows to keep out of the fit and to bound the error with; ``"auto"``: a fifth, of 200 rows or more.
    delta : float, default=0.05
        Probability with which the certificate may fail.
    random_state : int, RandomState instance or None, default=None
        Draws the folds and the held-out rows.
    ordered : sequence, default=None
        The classes, the lowest first, where they have an order (``["low", "mid", "high"]``). Three or more then share
        one score and one set of effects: what adds to it adds as much to the log-odds of every class against the one
        below it (adjacent-categories logits). Not with ``max_effects`` or ``monotone``.

    Attributes
    ----------
    model_ : LinearModel, PointsModel or AdditiveModel
        The model: it predicts, explains and can be exported. With ``max_terms`` a sum of points, with
        ``max_effects`` or ``monotone`` a sum of tables.
    terms_ : data frame
        The model: every term with its weight and standard error, the weightiest first. A term adds its weight to the
        score where it is true; where it is false it subtracts it or, in a model of ``max_terms``, adds nothing, and
        ``rows`` says of how many rows it is true. The score is the log-odds of the second class, or one score a class
        where there are more.
    effects_ : data frame
        The model as a start and effects of one column or of several together, purified under the law of the rows:
        columns, importance and cells, the most important first. See ``effect``, ``plot_effect`` and ``plot_effects``.
    effects_start_ : ndarray
        What scores start from before effects are added: their mean.
    intercept_ : ndarray
        What the score starts from.
    n_terms_ : int
        How many terms there are.
    degree_ : int
        The size of the largest.
    path_ : data frame
        Loss on rows left out against the number of terms.
    certificate_ : Certificate
        A bound on the error: Occam's on the rows of the fit, or Clopper-Pearson's on those held out.
    certificates_ : list of Certificate
        All bounds, of which that is the tightest.
    exam_ : tuple of Certificate
        A bound on the calibration error, if rows were held out.
    measure_ : Measure or None
        The fitted measure; None for independent bits.
    classes_, domain_ : ndarray, Domain
        The class labels, and what the bits mean.

    Examples
    --------
    >>> from paclearn import SpectralClassifier
    >>> from paclearn.datasets import make_parity
    >>> data = make_parity(1000, n_columns=20, k=3, noise=0.1, random_state=0)
    >>> model = SpectralClassifier(max_terms=1, degree=3, random_state=0).fit(data.data, data.target)
    >>> model.terms_["term"].tolist() == ["an odd number of " + ", ".join(f"x{i} = 1" for i in data.relevant)]
    True
    """

    _MAY_BE_SPARSE = True

    _parameters: ClassVar[dict[str, Rule]] = {
        **SPECTRAL,
        "ordered": Such(_is_order, "a list of two classes or more, the lowest first") | Nothing(),
    }

    ordered: Any = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.ordered is not None and self._wants_effects:
            raise InputError("ordered cannot be had with max_effects or monotone; leave one of them out")

    def _rows_elsewhere(self, X: Any, y: Any, sample_weight: Any) -> Rows:
        self._refuse_single_rows()
        return self._classes_elsewhere(X, y, sample_weight)

    def _prepare(self, targets: NDArray[np.float64], counts: NDArray[np.float64]) -> tuple[Loss, TargetView]:
        self._ranks = None if self.ordered is None else ranks_of(self.ordered, self.classes_)
        self._rungs: NDArray[np.float64] | None = None
        view = self._view()
        if len(self.classes_) == 2:
            self._asked = self._asked if self._ranks is None else int(np.argmax(self._ranks))
            return LogLoss(), view
        if self._ranks is not None:
            return LadderLoss.of(view(targets)[:, 0], counts / counts.sum(), len(self.classes_)), view
        return SoftmaxLoss(), view

    def _view(self) -> TargetView:
        if len(self.classes_) == 2:
            return as_column
        return OneEach(len(self.classes_)) if self._ranks is None else RanksOf(self._ranks)

    def _strata(self, targets: NDArray[np.float64]) -> NDArray[np.intp]:
        return targets.astype(np.intp)

    def _begun(self, few: Design, judged: Sequence[Split]) -> Design:
        """Of ordered classes, with starts that go with a model of all single bits."""
        if not isinstance(few.loss, LadderLoss):
            return few
        trial = Judging.of(few, judged).singles[0]
        _, loss = in_turns(refit(few, trial), few.loss, trial.penalty, weights_too=True)
        return replace(few, loss=loss)

    def _output_labels(self) -> list[str]:
        alone = len(self.classes_) == 2 or self.ordered is not None
        return [""] if alone else [f"[{label}]" for label in self.classes_]

    def _in_units(self, fitted: WeightedTerms) -> Terms:
        """Weights are kept to a sixty-fourth of the largest, or finer: no worse, easier to read, finitely many."""
        ladder = fitted.problem.loss
        if isinstance(ladder, LadderLoss):
            best = self._choice.best
            fitted, ladder = in_turns(fitted, ladder, best.penalty, weights_too=best.size <= TUNING.many_terms)
        rounded, step = fitted.coarsely(TUNING.steps_a_weight)
        self._rungs = to_multiples(ladder.starts, step) if isinstance(ladder, LadderLoss) else None
        rungs: Any = [] if self._rungs is None else self._rungs[1:-1] / step
        whole = rounded.fit.weights / step, rounded.fit.intercept / step, rungs, [np.log2(step)]
        self._digits = sum(map(price_of_integers, whole))
        if self._choice.best.family.belief:
            scales = fitted.problem.matrix.scale[: len(self._bits)]
            own = price_of_scales(len(self.domain_.columns)) if np.ptp(scales) > 0 else 0.0
            self._digits += float(np.log(_BELIEFS)) + own
        weights = fitted.problem.matrix.to_terms(rounded.fit.weights)
        return Terms(fitted.terms, weights, rounded.fit.intercept, *self._errors(rounded))

    def _kept(self, learned: EffectsLearned) -> EffectsLearned:
        rounded, step = learned.coarsely(EFFECTS.weight_steps)
        whole = [*(w / step for w in rounded.fit.weights), rounded.fit.intercept / step, [np.log2(step)]]
        self._digits = sum(map(price_of_integers, whole))
        return rounded

    def _units(self) -> tuple[float, float, tuple[float, float] | None]:
        return 1.0, 0.0, None

    def _about_it(self) -> About:
        return self._about(self.classes_)

    def _model(self, domain: Domain, bits: Sequence[Bit], terms: Terms) -> LinearModel:
        ladder = None
        if self._ranks is not None and self._rungs is not None:
            ladder = Ladder(tuple(self._rungs[self._ranks].tolist()), tuple(self._ranks.tolist()))
        return linear_model(self._about(self.classes_), domain, bits, terms, ladder=ladder)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        scores = self._scores(X)
        ladder = getattr(self.model_, "ladder", None)
        if ladder is not None:
            return np.asarray(ladder.class_scores(scores))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    decision_function.__doc__ = DecidesByScore.decision_function.__doc__

    def _certify(self, train: Judged, held: Judged | None) -> Sequence[Certificate]:
        """Every row of positive weight counts once."""
        trivial, delta = train.trivial, self._share_of_delta
        found = [occam_kl(train.missed, train.n, self._log_choices() + self._digits, delta, trivial)]
        return [*found, *self._exam(held, trivial)]
