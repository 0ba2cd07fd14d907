"""Which scale a model of numbers is to be linear on: the one that predicts rows left out best.

All scales estimate the same means, so all are judged alike: by the squared error of rows left out over its variance.
Where large numbers vary more than small ones, a plain mean would listen to a few large ones alone; the variance is
taken for a power of the mean, whose exponent the residuals of all scales together decide (nought where they vary
alike).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from paclearn.learners.spectral.model_choice import Choice, Judging
from paclearn.learners.spectral.trials import Trial, refit
from paclearn.learners.spectral.tuning import TUNING
from paclearn.models.links import exponential

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.folds import Split
    from paclearn.learners.spectral.forward import Design
    from paclearn.learners.spectral.target_scales import TargetScale

__all__ = ["OnScale", "choose_scale"]

_LEAST_MEAN = 1e-3  # share of the mean number below which a prediction says nothing of its variance
_LEAST_RESIDUAL = 1e-12
_STEEPEST = 2.0


@dataclass(frozen=True, eq=False)
class OnScale:
    """Rows with numbers, on some scale of them."""

    scale: TargetScale
    design: Design
    numbers: NDArray[np.float64]

    @classmethod
    def of(cls, scale: TargetScale, design: Design, numbers: NDArray[np.float64]) -> OnScale:
        """The rows, with targets as the scale's loss takes them."""
        return cls(scale, replace(design, targets=scale.targets(numbers)[:, None], loss=scale.loss), numbers)

    def means(self, splits: Sequence[Split], trial: Trial) -> NDArray[np.float64]:
        """What models of the other rows say of all rows left out, split by split."""
        return np.concatenate([self._means(split, trial) for split in splits])

    def singles(self, splits: Sequence[Split]) -> Trial:
        """The best model of all single bits."""
        return Judging.of(replace(self.design, own_scales=False), splits).singles[0]

    def with_pairs(self, singles: Trial) -> Trial:
        """The same with as many interactions as rows have something to say of: enough to tell scales apart."""
        growth = min(singles.penalty, TUNING.largest_growth)
        wanted = tuple(size for size in TUNING.sizes if size <= max(len(self.numbers) / TUNING.rows_a_pair, 1))
        return replace(singles, family=replace(singles.family, degree=2, sizes=wanted), size=wanted[-1], growth=growth)

    def _means(self, split: Split, trial: Trial) -> NDArray[np.float64]:
        train, held = (trial.family.of(self.design.rows(part)) for part in (split.train, split.held))
        model = refit(train, trial)
        known, asked = (self.scale.scores(rows.scores(model.fit, model.terms)[:, 0]) for rows in (train, held))
        if self.scale.logarithmic:
            asked = exponential(asked + self.scale.shift(known, self.numbers[split.train.kinds], train.shares))
        return np.clip(asked, self.numbers.min(), self.numbers.max())


def choose_scale(
    design: Design,
    numbers: NDArray[np.float64],
    splits: Sequence[Split],
    scales: Sequence[TargetScale],
    chosen: Callable[[Design, Sequence[Split]], Choice],
) -> tuple[TargetScale, Choice]:
    """The plain scale, the first, unless models of single bits and then of pairs, too, are better on another."""
    plain, *others = (OnScale.of(scale, design, numbers) for scale in scales)
    best = plain
    if others:
        once = splits[: TUNING.race_folds]  # all rows are left out
        singles = {rows: rows.singles(once) for rows in (plain, *others)}
        means = {rows: rows.means(once, trial) for rows, trial in singles.items()}
        judge = _Judge.of(numbers, once, np.mean(list(means.values()), axis=0))
        other = min(others, key=lambda rows: judge.error(means[rows]))
        if judge.error(means[other]) < judge.error(means[plain]):
            with_pairs = {rows: rows.means(once, rows.with_pairs(singles[rows])) for rows in (plain, other)}
            best = min((plain, other), key=lambda rows: min(judge.error(means[rows]), judge.error(with_pairs[rows])))
    return best.scale, chosen(best.design, splits)


@dataclass(frozen=True, eq=False)
class _Judge:
    """Numbers of the rows left out, split by split, and how much a squared error of each counts."""

    numbers: NDArray[np.float64]
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, numbers: NDArray[np.float64], splits: Sequence[Split], means: NDArray[np.float64]) -> _Judge:
        """With a variance that is a power of the mean."""
        asked = np.concatenate([numbers[split.held.kinds] for split in splits])
        weights = np.concatenate([split.held.weights for split in splits])
        level = np.log(np.maximum(means, _LEAST_MEAN * np.average(asked, weights=weights)))
        residuals = (asked - means) ** 2 + _LEAST_RESIDUAL * np.var(asked)
        log_residual = np.log(np.maximum(residuals, 1e-300))  # of one number in all rows there are none
        middle = np.average(level, weights=weights)
        slope = weights * (level - middle) @ log_residual / max(weights @ (level - middle) ** 2, 1e-300)
        return cls(asked, weights * np.exp(-np.clip(slope, 0.0, _STEEPEST) * (level - middle)))

    def error(self, means: NDArray[np.float64]) -> float:
        return float(self.weights @ (means - self.numbers) ** 2)
