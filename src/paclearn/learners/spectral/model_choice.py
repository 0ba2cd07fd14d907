"""How many terms, which penalty, which degree: whatever predicts rows that were left out best."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.folds import Draws
from paclearn.learners.spectral.forward import Design, FittedTerms, grow_rich
from paclearn.learners.spectral.lasso import grow_lasso
from paclearn.learners.spectral.ridge import LinearFit
from paclearn.learners.spectral.sparse import grow_and_cut, grow_sparse
from paclearn.learners.spectral.tuning import TUNING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.folds import Split

__all__ = ["Choice", "Family", "Judging", "Trial", "average_if_better", "choose", "parts_of", "refit"]

PENALTIES = tuple(10.0 ** np.arange(0.5, -5.0, -0.5))


@dataclass(frozen=True)
class Family:
    """Models that grow in the same way, of several sizes: interactions beside all single bits, or terms in all."""

    name: str  # "rich", "sparse", "lasso" or "points"
    degree: int
    sizes: tuple[int, ...]
    scale: float = 0.5
    belief: int = 0  # what of the weights of thresholds, see `Design`
    cut_back: bool = False  # whether a sparse model grows beyond its sizes first
    teacher: Trial | None = None  # whose scores a short model is to come near; otherwise it learns from targets

    def of(self, design: Design) -> Design:
        """Rows, ready to grow such a model."""
        wanted = self.degree, self.scale, self.belief, self.name == "points"
        if (design.degree, design.scale, design.belief, design.in_phrases) == wanted:
            return design  # with all it has worked out
        degree, scale, belief, in_phrases = wanted
        return replace(design, degree=degree, scale=scale, belief=belief, in_phrases=in_phrases)

    def grow(self, design: Design, penalty: float) -> Iterator[FittedTerms]:
        """Models of all sizes, one after the other."""
        if self.name == "rich":
            return grow_rich(self.of(design), penalty, self.sizes)
        rows = self.of(design)
        if self.name == "lasso":
            return grow_lasso(rows, penalty, self.sizes)
        if self.teacher is not None:
            rows = rows.distilled_from(refit(design, self.teacher))
        return (grow_and_cut if self.cut_back else grow_sparse)(rows, penalty, self.sizes)


@dataclass(frozen=True)
class Trial:
    """A way to fit: which family, how many interactions or terms, and how strongly held back."""

    family: Family
    size: int
    growth: float
    penalty: float
    averaged: bool = False  # over models of most of the rows, which differ in their interactions


@dataclass(frozen=True, eq=False)
class Choice:
    """The trial that was chosen, and the mean loss on held-out rows of every one."""

    best: Trial
    losses: dict[Trial, float]


SINGLES = Family("rich", 1, (0,))
Fold = tuple[Design, Design]


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
        folds = [(design.rows(split.train), design.rows(split.held)) for split in splits]
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
        best = min(tried, key=lambda item: float(first.shares @ item[1]))
        believed = [item for item in reversed(tried) if not first.clearly_less(best[1], item[1], TUNING.race_slack)]
        return believed[0] if first is self else _singles(self, believed[0][0].family.belief)

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
    folds, weights = judged.folds, judged.shares
    singles, held = judged.singles
    growth = min(singles.penalty, TUNING.largest_growth)
    rows: dict[Trial, NDArray[np.float64]] = {}
    kinds = [replace(f, belief=singles.family.belief if f.name == "rich" else 0) for f in families]
    rows |= _raced(judged, [kind for kind in kinds if kind.name != "lasso"], growth)
    for kind in kinds:
        if kind.name == "lasso" and _promising(folds, weights, kind, growth, [*rows.values(), held]):
            rows |= _compare(folds, weights, kind, growth)
    # single bits alone: where that was asked for, and where there are no interactions to be had
    if not rows or any(family.name == "rich" and 0 in family.sizes for family in families):
        rows[singles] = held
    means = {trial: float(weights @ loss) for trial, loss in rows.items()}
    best = min(means, key=lambda t: (means[t], t.size))
    for trial in sorted(means, key=lambda t: order(t, means[t])):
        if not judged.clearly_less(rows[best], rows[trial], slack):
            return Choice(trial, means)
    return Choice(best, means)


def _raced(judged: Judging, families: Sequence[Family], growth: float) -> dict[Trial, NDArray[np.float64]]:
    """Losses in all folds; where rows are left out several times, of what kept up when all were left out once.

    Of each trial that was made both times; a family grows no further then than to the largest that kept up.
    """
    first = judged.first(TUNING.race_folds)
    if first is None:
        return _all_of([_compare(judged.folds, judged.shares, family, growth) for family in families])
    found = [_compare(first.folds, first.shares, family, growth) for family in families]
    least = min(_all_of(found).values(), key=lambda lost: float(first.shares @ lost), default=None)
    rest, shares = judged.folds[len(first.folds) :], judged.shares[len(first.shares) :]
    known: dict[Trial, NDArray[np.float64]] = {}
    for family, rows in zip(families, found, strict=True):
        kept = [t for t, lost in rows.items() if least is not None and not _lags(first, least, lost)]
        if kept:
            later = _compare(rest, shares / shares.sum(), family, growth, max(trial.size for trial in kept))
            known |= {trial: np.concatenate([rows[trial], later[trial]]) for trial in rows if trial in later}
    return known


def _lags(judged: Judging, least: NDArray[np.float64], lost: NDArray[np.float64]) -> bool:
    return judged.clearly_less(least, lost, TUNING.race_slack)


def _all_of(found: Sequence[dict[Trial, NDArray[np.float64]]]) -> dict[Trial, NDArray[np.float64]]:
    return {trial: lost for rows in found for trial, lost in rows.items()}


def _promising(
    folds: Sequence[Fold],
    weights: NDArray[np.float64],
    family: Family,
    growth: float,
    others: Sequence[NDArray[np.float64]],
) -> bool:
    """Whether others leave anything to be won, and the family wins it in the first fold: if not, the rest is spared."""
    if min(float(weights @ lost) for lost in others) < TUNING.nothing_left:
        return False
    n = len(folds[0][1].counts)
    share = weights[:n] / weights[:n].sum()
    found = _compare(folds[:1], share, family, growth)
    best = min((float(share @ lost) for lost in found.values()), default=np.inf)
    return best < TUNING.promising * min(float(share @ lost[:n]) for lost in others)


def _rows_lost(fits: Sequence[Any], terms: Sequence[Sequence[Any]], folds: Sequence[Fold]) -> NDArray[np.float64]:
    return np.concatenate([held.losses_of(f, t) for f, t, (_, held) in zip(fits, terms, folds, strict=True)])


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
        found[penalty] = _rows_lost(fits, [terms] * len(folds), folds)
        best = min(found, key=lambda p: weights @ found[p])
        worse = 0 if best == penalty else worse + 1
        if worse == TUNING.patience:
            break
    return best, found[best]


def _compare(
    folds: Sequence[Fold], weights: NDArray[np.float64], family: Family, growth: float, most: float = inf
) -> dict[Trial, NDArray[np.float64]]:
    """Losses of one family: growing in all folds side by side, until it has stopped helping, or is so large."""
    folds = [(family.of(train), family.of(held)) for train, held in folds]
    found: dict[Trial, NDArray[np.float64]] = {}
    paths = [family.grow(train, growth) for train, _ in folds]
    best, waited, nothing_left = np.inf, 0, _next_to_nothing(folds[0][0])
    for size in (size for size in family.sizes if size <= most):
        if waited and family.name == "rich" and size + folds[0][0].signs.shape[1] > len(folds[0][0].counts):
            break  # it has stopped helping, and terms would outnumber rows
        found_models = [next(path, None) for path in paths]
        if any(model is None for model in found_models):
            break
        here = _losses_by_penalty([s for s in found_models if s is not None], folds, weights, growth)
        found |= {Trial(family, size, growth, penalty): loss for penalty, loss in here.items()}
        lowest = min(float(weights @ loss) for loss in here.values())
        best, waited = (lowest, 0) if lowest < best * (1 - 1e-4) else (best, waited + 1)
        if waited > TUNING.patience * (1 if family.name == "rich" else 4) or lowest < nothing_left:
            break
    return found


def _next_to_nothing(design: Design) -> float:
    """A loss below which all that can be told of classes has been told: a small share of that of a constant."""
    if not design.loss.saturates:
        return 0.0
    constant = design.losses_of(design.problem(()).constant(), ())
    return TUNING.nothing_left * float(design.shares @ constant)


def _losses_by_penalty(
    found_models: Sequence[FittedTerms], folds: Sequence[Fold], weights: NDArray[np.float64], growth: float
) -> dict[float, NDArray[np.float64]]:
    """Up from the penalty of the path, then down, as long as that helps."""
    terms = [s.terms for s in found_models]
    fits: list[Any] = [s.fit for s in found_models]
    found = {growth: _rows_lost(fits, terms, folds)}
    first = weights @ found[growth]
    for factor in (10.0, 0.1):
        penalty, here, best = growth, fits, first
        while TUNING.least_penalty <= penalty * factor <= TUNING.largest_penalty:
            penalty *= factor
            here = [s.problem.solve(penalty, f) for s, f in zip(found_models, here, strict=True)]
            found[penalty] = _rows_lost(here, terms, folds)
            if weights @ found[penalty] > best:
                break
            best = weights @ found[penalty]
        if best < first:
            break
    return found


def average_if_better(judged: Judging, choice: Choice, slack: float) -> Choice:
    """The mean of several models like the chosen one, where it predicts rows left out better by enough."""
    judged = judged.first(TUNING.race_folds) or judged
    trial = choice.best
    mean = replace(trial, averaged=True)
    lost = {}
    for way in (trial, mean):
        found_models = [refit(train, way) for train, _ in judged.folds]
        places = [(trial.family.of(train), trial.family.of(held)) for train, held in judged.folds]
        lost[way] = _rows_lost([s.fit for s in found_models], [s.terms for s in found_models], places)
    if judged.clearly_less(lost[mean], lost[trial], slack):
        return Choice(mean, choice.losses | {mean: float(judged.shares @ lost[mean])})
    return choice


def refit(design: Design, trial: Trial) -> FittedTerms:
    """The chosen model on all rows."""
    if trial.averaged:
        return _mean_of_parts(design, replace(trial, averaged=False))
    model = _grown(design, trial)
    if model is None:  # these rows, a part of those that chose, have no interactions: single bits alone
        model = next(grow_rich(trial.family.of(design), trial.growth, (0,)))
    fit = model.problem.solve(trial.penalty, model.fit)
    return FittedTerms(model.terms, trial.family.of(design).problem(model.terms), fit)  # with the targets themselves


def _grown(design: Design, trial: Trial) -> FittedTerms | None:
    """The model of a trial's size, or the largest that there is."""
    family = trial.family
    if family.cut_back:  # found from the largest down: what is smaller is not asked for
        larger = tuple(size for size in family.sizes if size >= trial.size)
        return next(replace(family, sizes=larger).grow(design, trial.growth), None)
    sizes = takewhile(lambda size: size <= trial.size, family.sizes)
    model = None
    for _, model in zip(sizes, family.grow(design, trial.growth), strict=False):  # noqa: B007
        pass
    return model


def _mean_of_parts(design: Design, trial: Trial) -> FittedTerms:
    """The mean of models of all rows but a fifth: a sum over the terms of any of them."""
    found_models = [refit(part, trial) for part in parts_of(design)]
    terms = tuple(dict.fromkeys(term for model in found_models for term in model.terms))  # single bits stay in front
    where = {term: i for i, term in enumerate(terms)}
    weights = np.zeros((len(terms), design.targets.shape[1]))
    for model in found_models:
        weights[[where[term] for term in model.terms]] += model.fit.weights / len(found_models)
    intercept = np.mean([model.fit.intercept for model in found_models], axis=0)
    return FittedTerms(terms, trial.family.of(design).problem(terms), LinearFit(weights, intercept))


def parts_of(design: Design) -> list[Design]:
    """All rows but a fifth, five times."""
    draws = Draws.of(design.counts, np.ones(len(design.counts), dtype=np.intp), design.groups)
    out = draws.fold_counts(np.zeros(len(design.counts), dtype=np.intp), TUNING.parts, np.random.RandomState(0))
    return [design.rows(draws.split(part).train) for part in out]
