"""How many splits a graph grows, by each of the rules for when to stop, wherever its rows lie."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from paclearn.learners.graphs.graph_tuning import TUNING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paclearn.learners.graphs.graph_growth import Growth
    from paclearn.learners.graphs.graph_rows import LeftOut
    from paclearn.learners.graphs.regression_graph import RegressionGraph

__all__ = ["Fold", "GraphRows", "Recipe", "fit_graph", "theorem_splits"]


@dataclass(frozen=True)
class Recipe:
    """What the parameters of an estimator say about growing."""

    stop: str
    max_splits: int | None
    max_leaves: int | None
    merge: float
    least_weight: float | None
    n_folds: int
    patience: int


class Fold(Protocol):
    """A graph as it grows, and how it predicts rows that it does not see."""

    @property
    def error(self) -> float:
        """The sum of their squared errors."""
        ...

    @property
    def gains(self) -> tuple[float, float]:
        """By how much they are predicted better than by a constant: the weighted sum, and that of squares."""
        ...

    def advance(self) -> bool:
        """Let it grow by a round; says whether it did."""
        ...


class GraphRows(Protocol):
    """Rows that graphs are grown from, here or elsewhere."""

    @property
    def weight(self) -> float:
        """Of all rows together."""
        ...

    def left_out(self, recipe: Recipe, rng: np.random.RandomState) -> LeftOut:
        """Graphs of some of the rows, judged by the others."""
        ...

    def growth(self, recipe: Recipe, n_splits: int, least: float) -> Growth:
        """A graph of all rows, about to grow."""
        ...

    def finished(self, growth: Growth) -> RegressionGraph:
        """The graph that has grown, in units of the target."""
        ...


def theorem_splits(n_rows: float) -> int:
    """``n^(3/7)``, the number of splits of Kalai (2005), Theorem 2."""
    return max(1, int(n_rows ** (3 / 7) + 1e-9))


def fit_graph(rows: GraphRows, recipe: Recipe, rng: np.random.RandomState) -> RegressionGraph:
    """A graph on all rows; some of them first say how many splits are good, unless that is settled."""
    return rows.finished(rows.growth(recipe, *_plan(rows, recipe, rng)).run())


def _plan(rows: GraphRows, recipe: Recipe, rng: np.random.RandomState) -> tuple[int, float]:
    """How many splits, and the least weight of a side."""
    most, least = theorem_splits(rows.weight), recipe.least_weight or 1
    if recipe.stop == "theorem" or (recipe.stop == "auto" and recipe.max_splits is not None):
        return recipe.max_splits or most, least
    out = rows.left_out(recipe, rng)
    if recipe.stop == "auto":
        checked = replace(recipe, max_splits=most, patience=most)
        return (most if out.n_kinds < TUNING.checked_rows else _checked(_trial(out, checked, least), out.unit)), least
    return (1, 1.0) if out.n_kinds < 2 else _validated(out, recipe)


@dataclass(frozen=True)
class _Trial:
    """Error on rows left out after 0, 1, 2, ... splits; how much better than by a constant they are predicted after the
    best number of them, in sum, and the sum of squares.
    """

    errors: list[float]
    gain: float
    squares: float

    @property
    def best(self) -> int:
        return int(np.argmin(self.errors))


def _checked(trial: _Trial, unit: float) -> int:
    """Splits after which rows left out are predicted best; none where that is not clearly better than a constant.

    By several standard errors, or by half of the error: few rows cannot say the former, however clear it is.
    """
    if min(trial.errors) < TUNING.clear_share * trial.errors[0]:
        return trial.best
    return trial.best if trial.gain > TUNING.clear_gain * np.sqrt(unit * trial.squares) else 0


def _validated(out: LeftOut, recipe: Recipe) -> tuple[int, float]:
    """Splits after which rows left out are predicted best, and the least weight of a side that does so."""
    found: dict[tuple[int, float], float] = {}
    for least in TUNING.side_weights if recipe.least_weight is None else (recipe.least_weight,):
        trial = _trial(out, recipe, least)
        found[trial.best, least] = min(trial.errors)
    return min(found, key=found.__getitem__)


def _trial(out: LeftOut, recipe: Recipe, least: float) -> _Trial:
    """Grow until rows left out have not been predicted better for a while.

    One graph a fold, all of them grown side by side, so that every row is left out once.
    """
    most = recipe.max_splits or out.n_kinds
    folds = out.folds(most, least)
    errors, best = [sum(fold.error for fold in folds)], _gains(folds)
    while len(errors) <= most and len(errors) - int(np.argmin(errors)) <= recipe.patience:
        if not any([fold.advance() for fold in folds]):  # noqa: C419 - all of them are to go on
            break
        errors.append(sum(fold.error for fold in folds))
        if errors[-1] < min(errors[:-1]):
            best = _gains(folds)
    return _Trial(errors, *best)


def _gains(folds: Sequence[Fold]) -> tuple[float, float]:
    sums, squares = zip(*(fold.gains for fold in folds), strict=True)
    return sum(sums), sum(squares)
