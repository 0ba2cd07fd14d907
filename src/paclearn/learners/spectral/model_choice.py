"""How many terms, which penalty, which degree: whatever predicts rows that were left out best."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.learners.spectral.side_by_side import SideBySide, rows_lost
from paclearn.learners.spectral.trials import SINGLES, Family, Trial, refit
from paclearn.learners.spectral.tuning import TUNING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.folds import Split
    from paclearn.learners.spectral.forward import Design
    from paclearn.learners.spectral.side_by_side import Fold

__all__ = ["Choice", "Judging", "average_if_better", "choose"]

PENALTIES = tuple(10.0 ** np.arange(0.5, -5.0, -0.5))


@dataclass(frozen=True, eq=False)
class Choice:
    """The trial that was chosen, and the mean loss on held-out rows of every one."""

    best: Trial
    losses: dict[Trial, float]
    lost: NDArray[np.float64]  # by the best, of the rows left out, or of the first of them


@dataclass(frozen=True, eq=False)
class Judging:
    """Folds, the share of every kind of row that is judged, and what each adds to the variance of a mean loss."""

    folds: Sequence[Fold]
    shares: NDArray[np.float64]
    variance: NDArray[np.float64]
    groups: NDArray[np.intp] | None = None

    @classmethod
    def of(cls, design: Design, splits: Sequence[Split]) -> Judging:
        """A row that is judged several times is still one."""
        trains = [design.rows(split.train) for split in splits]
        helds = [replace(design.rows(s.held), scales_of=train) for s, train in zip(splits, trains, strict=True)]
        folds = list(zip(trains, helds, strict=True))
        weights = np.concatenate([held.counts for _, held in folds])
        times = max(1.0, float(weights.sum() / design.counts.sum()))
        variance = np.concatenate([split.held.variance for split in splits])
        known = [split.held.groups for split in splits if split.held.groups is not None]
        groups = np.concatenate(known) if known else None
        return cls(folds, weights / weights.sum(), times * variance / weights.sum() ** 2, groups)

    @cached_property
    def singles(self) -> tuple[Trial, NDArray[np.float64]]:
        """The best model of all single bits, and its losses; what is believed of them, by the folds of a race."""
        first = self.first(TUNING.race_folds) or self
        tried = [_singles(first, belief) for belief in range(len(self.folds[0][0].roots))]
        best = min(tried, key=first.mean_lost)
        believed = [item for item in reversed(tried) if not first.clearly_less(best[1], item[1], TUNING.race_slack)]
        chosen = min([believed[0], *first.with_own_scales(believed[0][0])], key=first.mean_lost)
        return chosen if first is self else _singles(self, chosen[0].family.belief)

    def with_own_scales(self, singles: Trial) -> list[tuple[Trial, NDArray[np.float64]]]:
        """The same model where columns differ in how much they say, if that is to be tried."""
        rows = self.folds[0][0]
        return [_singles(self, len(rows.roots) + singles.family.belief)] if rows.own_scales else []

    def mean_lost(self, item: tuple[Trial, NDArray[np.float64]]) -> float:
        """By a trial."""
        return float(self.shares @ item[1])

    def first(self, n_folds: int) -> Judging | None:
        """The first folds, in which all rows are left out once; None where there are no more of them."""
        if len(self.folds) <= n_folds:
            return None
        folds = self.folds[:n_folds]
        n = sum(len(held.counts) for _, held in folds)
        part = float(self.shares[:n].sum())
        groups = None if self.groups is None else self.groups[:n]
        return Judging(folds, self.shares[:n] / part, self.variance[:n] / part, groups)

    def clearly_less(self, one: NDArray[np.float64], other: NDArray[np.float64], slack: float) -> bool:
        """Whether losses are less by more than so many standard errors."""
        difference = other - one
        mean = self.shares @ difference
        return bool(mean > slack * np.sqrt(self._variance(difference - mean)))

    def _variance(self, deviations: NDArray[np.float64]) -> float:
        """Of a mean loss: rows of a group, however often it is judged, go up and down together."""
        if self.groups is None:
            return float(self.variance @ deviations**2)
        return float((np.bincount(self.groups, self.shares * deviations) ** 2).sum())


_ORDER = ("sparse", "points", "rich", "lasso")  # what is taken first of equally good ones


def _smallest(trial: Trial, loss: float) -> tuple[float, ...]:
    return _ORDER.index(trial.family.name), trial.size, trial.family.degree, loss


def choose(
    judged: Judging,
    families: Sequence[Family],
    slack: float,
    order: Callable[[Trial, float], tuple[float, ...]] = _smallest,
) -> Choice:
    """Try families; of all trials within ``slack`` standard errors of the best, the smallest, or the first in order."""
    singles, held = judged.singles
    growth = min(singles.penalty, TUNING.largest_growth)
    kinds = [replace(f, belief=singles.family.belief if f.name == "rich" else 0) for f in families]
    rows = _raced(judged, [kind for kind in kinds if kind.name != "lasso"], growth)
    # single bits alone: where that was asked for, and where there are no interactions to be had
    if not rows or any(family.name == "rich" and 0 in family.sizes for family in families):
        rows[singles] = held
    choice = _first_of_the_good(judged, rows, slack, order)
    for kind in kinds:
        if kind.name == "lasso" and _promising(judged, kind, growth, [*rows.values(), held]):
            choice = _or_fewer(judged, kind, growth, choice, slack)
    return choice


def _first_of_the_good(
    judged: Judging,
    rows: dict[Trial, NDArray[np.float64]],
    slack: float,
    order: Callable[[Trial, float], tuple[float, ...]],
) -> Choice:
    means = {trial: float(judged.shares @ loss) for trial, loss in rows.items()}
    best = min(means, key=lambda t: (means[t], t.size))
    for trial in sorted(means, key=lambda t: order(t, means[t])):
        if not judged.clearly_less(rows[best], rows[trial], slack):
            return Choice(trial, means, rows[trial])
    return Choice(best, means, rows[best])


def _or_fewer(judged: Judging, family: Family, growth: float, choice: Choice, slack: float) -> Choice:
    """The choice, or terms that an absolute penalty leaves, where these are better when all rows are left out once."""
    judged = judged.first(TUNING.race_folds) or judged
    few = _compare(judged.folds, judged.shares, family, growth)
    found = _first_of_the_good(judged, {choice.best: choice.lost[: len(judged.shares)]} | few, slack, _smallest)
    return replace(found, losses=found.losses | choice.losses)


def _compare(
    folds: Sequence[Fold], weights: NDArray[np.float64], family: Family, growth: float, most: float = inf
) -> dict[Trial, NDArray[np.float64]]:
    """Losses of models of one family, up to some size."""
    return SideBySide(folds, weights, family, growth).until(most).losses


def _raced(judged: Judging, families: Sequence[Family], growth: float) -> dict[Trial, NDArray[np.float64]]:
    """Losses in all folds; where there are many, or phrases take long, of what kept up in the first.

    Of each trial that was made both times; a family grows no further then than to the largest that kept up.
    """
    in_words = len(families) > 1 and all(family.name == "points" for family in families)
    first = judged.first(TUNING.first_folds if in_words else TUNING.race_folds)
    if first is None:
        return _on_the_best_scale(judged, families, growth)
    found = [_compare(first.folds, first.shares, family, growth) for family in families]
    least = min(_all_of(found).values(), key=lambda lost: float(first.shares @ lost), default=None)
    rest, shares = judged.folds[len(first.folds) :], judged.shares[len(first.shares) :]
    known: dict[Trial, NDArray[np.float64]] = {}
    for family, rows in zip(families, found, strict=True):
        slack = 0.0 if in_words else TUNING.race_slack  # longer phrases are there to be better
        kept = [t for t, lost in rows.items() if least is not None and not first.clearly_less(least, lost, slack)]
        kept = list(rows) if in_words and family is families[0] else kept
        if kept:
            later = _compare(rest, shares / shares.sum(), family, growth, max(trial.size for trial in kept))
            known |= {trial: np.concatenate([rows[trial], later[trial]]) for trial in rows if trial in later}
    return known


def _on_the_best_scale(judged: Judging, families: Sequence[Family], growth: float) -> dict[Trial, NDArray[np.float64]]:
    """Families that differ in their scale alone are compared while they are small; the best of them grows on.

    Unless all single bits alone, with whatever penalty suits them, are still better than these with interactions.
    """
    alone = judged.mean_lost(judged.singles)
    growing = [SideBySide(judged.folds, judged.shares, family, growth).until(TUNING.early_size) for family in families]
    for one in growing:
        rivals = [other.least for other in growing if replace(other.family, scale=one.family.scale) == one.family]
        behind = one.family.name == "rich" and alone < one.least < inf
        if one.least == min(rivals) and not behind:
            one.until(inf)
    return _all_of([one.losses for one in growing])


def _all_of(found: Sequence[dict[Trial, NDArray[np.float64]]]) -> dict[Trial, NDArray[np.float64]]:
    return {trial: lost for rows in found for trial, lost in rows.items()}


def _promising(judged: Judging, family: Family, growth: float, others: Sequence[NDArray[np.float64]]) -> bool:
    """Whether others leave anything to be won, and the family wins it in the first fold: if not, the rest is spared."""
    if min(float(judged.shares @ lost) for lost in others) < TUNING.nothing_left:
        return False
    first = judged.first(1) or judged
    found = _compare(first.folds, first.shares, family, growth)
    best = min((float(first.shares @ lost) for lost in found.values()), default=np.inf)
    return best < TUNING.promising * min(float(first.shares @ lost[: len(first.shares)]) for lost in others)


def _singles(judged: Judging, belief: int) -> tuple[Trial, NDArray[np.float64]]:
    """The best model of all single bits that goes with a belief, and its losses."""
    family = replace(SINGLES, belief=belief)
    folds = [(family.of(train), family.of(held)) for train, held in judged.folds]
    penalty, lost = _penalty_of_singles(folds, judged.shares)
    return Trial(family, 0, penalty, penalty), lost


def _penalty_of_singles(folds: Sequence[Fold], weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """The best penalty of the model of all single bits, and its losses."""
    terms = tuple((i,) for i in range(folds[0][0].signs.shape[1]))
    problems = [train.problem(terms) for train, _ in folds]
    fits: list[Any] = [None] * len(folds)
    found: dict[float, NDArray[np.float64]] = {}
    worse = 0
    for penalty in PENALTIES:
        fits = [p.solve(penalty, f) for p, f in zip(problems, fits, strict=True)]
        found[penalty] = rows_lost(fits, [terms] * len(folds), folds)
        best = min(found, key=lambda p: weights @ found[p])
        worse = 0 if best == penalty else worse + 1
        if worse == TUNING.patience:
            break
    return best, found[best]


def average_if_better(judged: Judging, choice: Choice, slack: float) -> Choice:
    """The mean of several models like the chosen one, where it predicts rows left out better by enough."""
    judged = judged.first(TUNING.race_folds) or judged
    best = min(choice.losses, key=choice.losses.__getitem__)  # a mean varies less, so that more may be said
    mean = replace(best, averaged=True)
    models = [refit(train, mean) for train, _ in judged.folds]
    places = [(mean.family.of(train), mean.family.of(held)) for train, held in judged.folds]
    lost = rows_lost([s.fit for s in models], [s.terms for s in models], places)
    if judged.clearly_less(lost, choice.lost[: len(judged.shares)], slack):
        return Choice(mean, choice.losses | {mean: float(judged.shares @ lost)}, lost)
    return choice
