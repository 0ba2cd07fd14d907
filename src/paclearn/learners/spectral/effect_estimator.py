"""What spectral estimators do when a model of few effects is asked for, or effects that keep their sign."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._compat import make_frame
from paclearn._parameters import Nothing, Rule, Such, Whole, hint
from paclearn.encoding import EncodingRules
from paclearn.exceptions import ColumnError, InputError
from paclearn.learners.fitting import ModelLearner
from paclearn.learners.learned import Learned
from paclearn.learners.spectral.effect_learner import EffectsAsked, learn_effects
from paclearn.learners.spectral.effect_tuning import EFFECTS
from paclearn.models.additive_model import AdditiveModel
from paclearn.views.effect_pieces import pieces_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.fitting import Rows
    from paclearn.learners.spectral.effect_learner import EffectsLearned
    from paclearn.learners.spectral.losses import Loss
    from paclearn.learners.spectral.target_views import TargetView
    from paclearn.models.model import About
    from paclearn.tables.table import Table

__all__ = ["EFFECT_PARAMETERS", "EffectEstimator"]


def _are_signs(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(sign, int | np.integer) and not isinstance(sign, bool) and sign in {1, -1} for sign in value.values()
    )


EFFECT_PARAMETERS: dict[str, Rule] = {
    "max_effects": Whole(1) | Nothing(),
    "monotone": Such(_are_signs, "a dict of names of columns, each with +1 or -1") | Nothing(),
}


class EffectEstimator(ModelLearner):
    """Learns a sum of few effects; see `SpectralClassifier` for the parameters."""

    degree: int | str
    max_terms: int | None
    max_effects: int | None
    monotone: dict[str, int] | None
    min_count: float | str
    n_bins: int
    max_levels: int | str

    # ---- what differs ----

    @abstractmethod
    def _prepare(self, targets: NDArray[np.float64], counts: NDArray[np.float64]) -> tuple[Loss, TargetView]:
        """The loss, and what makes of targets what it takes, one column an output."""

    @abstractmethod
    def _strata(self, targets: NDArray[np.float64]) -> NDArray[np.intp]:
        """Groups that folds should share evenly."""

    @abstractmethod
    def _output_labels(self) -> list[str]:
        """What columns of weights end in."""

    @abstractmethod
    def _kept(self, learned: EffectsLearned) -> EffectsLearned:
        """Weights as they are kept: rounded where that makes them countable."""

    @abstractmethod
    def _units(self) -> tuple[float, float, tuple[float, float] | None]:
        """The unit of scores, what they start from, and the limits of predictions."""

    @abstractmethod
    def _about_it(self) -> About:
        """What the model is about."""

    # ---- what does not ----

    @property
    def _wants_effects(self) -> bool:
        return self.max_effects is not None or bool(self.monotone)

    def _check_effects(self) -> None:
        if self._wants_effects and self.max_terms is not None:
            other = "max_effects" if self.max_effects is not None else "monotone"
            raise InputError(
                f"max_terms={self.max_terms} and {other}={getattr(self, other)!r} ask for two kinds of models; "
                "leave out one of them"
            )

    def _learn_effects(self, train: Rows, rng: np.random.RandomState) -> Learned:
        signs = self._signs(train.table)
        rules = self._level_rules(min(EFFECTS.finer * self.n_bins, EFFECTS.most_of_all), EFFECTS.most_levels)
        rules = replace(rules, max_levels=min(rules.max_levels, EFFECTS.most_levels))
        degree = None if self.degree == "auto" else int(self.degree)
        asked = EffectsAsked(self.max_effects or EFFECTS.unlimited, degree, signs)
        learned = learn_effects(train, rules, asked, self._prepare, self._strata, rng)
        self.domain_, self.measure_ = learned.domain, None
        self._effect_path, self._effect_choices = learned.path, learned.log_choices()
        model = self._effect_model(self._kept(learned))
        self._keep_effects(model)
        return Learned.of(model, self.domain_, list(learned.codes), train.n)

    def _level_rules(self, n_bins: int, most_levels: int) -> EncodingRules:
        """Levels that were asked for; of a short model those of two rows, and so many of them."""
        fewest: Any = 2 if self.min_count == "auto" else self.min_count
        most: Any = most_levels if self.max_levels == "auto" else self.max_levels
        return EncodingRules(n_bins, fewest, most)

    def _signs(self, table: Table) -> dict[str, int]:
        """The signs that were asked for, each of a column that is there."""
        if not self.monotone:
            return {}
        if len(self._output_labels()) > 1:
            raise InputError(
                f"monotone={self.monotone!r} needs a number or two classes to rise or fall with a column; "
                f"there are {len(self._output_labels())} classes"
            )
        for name in self.monotone:
            if name not in table.names:
                raise ColumnError(f"monotone names {name!r}, which is no column{hint(str(name), table.names)}")
        return {name: int(sign) for name, sign in self.monotone.items()}

    def _effect_model(self, learned: EffectsLearned) -> AdditiveModel:
        unit, origin, limits = self._units()
        found = learned.pure_effects()
        used = sorted({c for effect in found.effects for c in effect.columns})
        place = {old: new for new, old in enumerate(used)}
        tables = tuple(
            replace(e, columns=tuple(place[c] for c in e.columns), cells=e.cells * unit, errors=_times(e.errors, unit))
            for e in found.effects
        )
        shapes = tuple(learned.shapes.get(effect.columns, "table") for effect in found.effects)
        columns = tuple(learned.domain.columns[i] for i in used)
        return AdditiveModel(self._about_it(), columns, found.start * unit + origin, tables, shapes, limits)

    def _keep_effects(self, model: AdditiveModel) -> None:
        """One row a cell, the weightiest first."""
        self.intercept_ = model.start
        rows = [piece for table in model.tables for piece in pieces_of(model, table)]
        rows.sort(key=lambda piece: -float(np.abs(piece.values).max()))
        found: dict[str, list[Any]] = {"term": [r.name for r in rows], "degree": [len(r.codes) for r in rows]}
        for k, label in enumerate(self._output_labels()):
            found[f"weight{label}"] = [float(r.values[k]) for r in rows]
            found[f"se{label}"] = [np.nan if r.errors is None else float(r.errors[k]) for r in rows]
        self.n_terms_ = len(rows)
        self.degree_ = max((len(table.columns) for table in model.tables), default=0)
        self.terms_ = make_frame(found)


def _times(errors: NDArray[np.float64] | None, unit: float) -> NDArray[np.float64] | None:
    return None if errors is None else errors * unit
