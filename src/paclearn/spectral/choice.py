"""How many terms, which penalty, which degree: whatever predicts rows that were left out best."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.spectral.forward import Bench, Stage, grow_rich, grow_sparse

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

__all__ = ["Choice", "Trial", "choose", "refit"]

PENALTIES = tuple(10.0 ** np.arange(0.5, -5.0, -0.5))
STEPS = (0, 8, 16, 32, 64, 128, 256, 512, 1024)
_PATIENCE = 2
_LARGEST_GROWTH = 0.01
_LEAST_PENALTY, _LARGEST_PENALTY = 2e-5, 10.0


@dataclass(frozen=True)
class Trial:
    """A way to fit: which family, of what degree, how many interactions or terms, and how strongly held back."""

    family: str
    degree: int
    size: int
    growth: float
    penalty: float


@dataclass(frozen=True, eq=False)
class Choice:
    """The trial that was chosen, and the mean loss on held-out rows of every one."""

    best: Trial
    losses: dict[Trial, float]


Fold = tuple[Bench, Bench]


def choose(
    bench: Bench,
    splits: Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]],
    families: Sequence[tuple[str, int, Sequence[int]]],
    slack: float,
) -> Choice:
    """Try families (name, degree, sizes); of all trials within ``slack`` standard errors of the best, the smallest."""
    folds = [(bench.rows(train), bench.rows(held)) for train, held in splits]
    weights = np.concatenate([held.counts for _, held in folds])
    weights = weights / weights.sum()
    penalty, held = _penalty_of_singles(folds, weights)
    rows: dict[Trial, NDArray[np.float64]] = {}
    for family, degree, sizes in families:
        rows |= _compare(folds, weights, (family, degree, sizes), min(penalty, _LARGEST_GROWTH))
    # single bits alone: where that was asked for, and where there are no interactions to be had
    if not rows or any(family == "rich" and 0 in sizes for family, _, sizes in families):
        rows[Trial("rich", 1, 0, penalty, penalty)] = held
    means = {trial: float(weights @ loss) for trial, loss in rows.items()}
    best = min(means, key=lambda t: (means[t], t.size))
    for trial in sorted(means, key=lambda t: (t.family == "rich", t.size, t.degree, means[t])):
        difference = rows[trial] - rows[best]
        error = np.sqrt(weights**2 @ (difference - weights @ difference) ** 2)
        if means[trial] - means[best] <= slack * error:
            return Choice(trial, means)
    return Choice(best, means)


def _rows_lost(fits: Sequence[Any], terms: Sequence[Sequence[Any]], folds: Sequence[Fold]) -> NDArray[np.float64]:
    return np.concatenate([held.losses_of(f, t) for f, t, (_, held) in zip(fits, terms, folds, strict=True)])


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
        if worse == _PATIENCE:
            break
    return best, found[best]


def _compare(
    folds: Sequence[Fold], weights: NDArray[np.float64], kind: tuple[str, int, Sequence[int]], growth: float
) -> dict[Trial, NDArray[np.float64]]:
    """Losses of one family: growing in all folds side by side, until it has stopped helping."""
    family, degree, sizes = kind
    found: dict[Trial, NDArray[np.float64]] = {}
    paths = [_grow(replace(train, degree=degree), family, sizes, growth) for train, _ in folds]
    best, waited = np.inf, 0
    for size in sizes:
        stages = [next(path, None) for path in paths]
        if any(stage is None for stage in stages):
            break
        here = _losses_by_penalty([s for s in stages if s is not None], folds, weights, growth)
        found |= {Trial(family, degree, size, growth, penalty): loss for penalty, loss in here.items()}
        lowest = min(float(weights @ loss) for loss in here.values())
        best, waited = (lowest, 0) if lowest < best * (1 - 1e-4) else (best, waited + 1)
        if waited > _PATIENCE * (1 if family == "rich" else 4):
            break
    return found


def _grow(bench: Bench, family: str, sizes: Sequence[int], growth: float) -> Iterator[Stage]:
    if family == "rich":
        return grow_rich(bench, growth, sizes)
    return (stage for stage in grow_sparse(bench, growth, max(sizes)) if stage.n_terms in {0, *sizes})


def _losses_by_penalty(
    stages: Sequence[Stage], folds: Sequence[Fold], weights: NDArray[np.float64], growth: float
) -> dict[float, NDArray[np.float64]]:
    """Up from the penalty of the path, then down, as long as that helps."""
    terms = [s.terms for s in stages]
    fits: list[Any] = [s.fit for s in stages]
    found = {growth: _rows_lost(fits, terms, folds)}
    first = weights @ found[growth]
    for factor in (10.0, 0.1):
        penalty, here, best = growth, fits, first
        while _LEAST_PENALTY <= penalty * factor <= _LARGEST_PENALTY:
            penalty *= factor
            here = [s.problem.solve(penalty, f) for s, f in zip(stages, here, strict=True)]
            found[penalty] = _rows_lost(here, terms, folds)
            if weights @ found[penalty] > best:
                break
            best = weights @ found[penalty]
        if best < first:
            break
    return found


def refit(bench: Bench, trial: Trial, sizes: Sequence[int]) -> Stage:
    """The chosen model on all rows."""
    path = _grow(replace(bench, degree=trial.degree), trial.family, [s for s in sizes if s <= trial.size], trial.growth)
    *_, stage = path
    return Stage(stage.terms, stage.problem, stage.problem.solve(trial.penalty, stage.fit))
