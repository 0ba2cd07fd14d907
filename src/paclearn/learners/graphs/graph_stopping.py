"""From binned rows and scaled targets to a graph, by each of the rules for when to stop."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from paclearn.encoding.distinct import DistinctRows
from paclearn.exceptions import TargetError
from paclearn.learners.graphs.axis_splits import AxisBranching, BinnedRows, ExactTarget
from paclearn.learners.graphs.graph_growth import Growth, GrowthRules, HeldOutRows
from paclearn.learners.graphs.graph_tuning import TUNING
from paclearn.learners.graphs.regression_graph import RegressionGraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.bins import BinnedTable
    from paclearn.encoding.folds import Split

__all__ = ["Recipe", "ScaledTarget", "fit_graph", "grown_graph", "theorem_splits"]

_LARGEST = 1e150  # whose square a float64 holds


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


@dataclass(frozen=True, eq=False)
class ScaledTarget:
    """Targets of the rows, their weights and groups, and the range that is scaled to [0, 1]."""

    values: NDArray[np.float64]
    weights: NDArray[np.float64]
    groups: NDArray[np.intp] | None = None

    def __post_init__(self) -> None:
        largest = float(np.abs(self.values).max())
        if largest > _LARGEST:
            raise TargetError(
                f"the target holds numbers as large as {largest:.3g}, whose squares no float64 holds; "
                "divide it by some unit"
            )

    @property
    def low(self) -> float:
        return float(self.values.min())

    @property
    def unit(self) -> float:
        return float(self.values.max() - self.values.min()) or 1.0

    @property
    def scaled(self) -> NDArray[np.float64]:
        return np.clip((self.values - self.low) / self.unit, 0.0, 1.0)


def theorem_splits(n_rows: float) -> int:
    """``n^(3/7)``, the number of splits of Kalai (2005), Theorem 2."""
    return max(1, int(n_rows ** (3 / 7) + 1e-9))


def fit_graph(table: BinnedTable, target: ScaledTarget, recipe: Recipe, rng: np.random.RandomState) -> RegressionGraph:
    """A graph on all rows; some of them first say how many splits are good, unless that is settled."""
    n_splits, least = _plan(table, target, recipe, rng)
    growth = _growth(BinnedRows(table, target.scaled, target.weights), recipe, n_splits, least).run()
    graph, leaf = grown_graph(growth, table)
    graph = graph.with_targets(leaf, target.values, target.weights, target.low, target.unit)
    return graph.reduced(table.codes_of(graph.columns), target.values, target.weights)


def grown_graph(growth: Growth, table: BinnedTable) -> tuple[RegressionGraph, NDArray[np.int32]]:
    """A graph that has grown, in units of the scaled target, and the leaf of every row of the table."""
    shape, questions = growth.graph()
    used = sorted({question.column for question in questions})
    graph = RegressionGraph.of(shape, questions, table.domain)
    return graph, graph.leaf_of_codes(np.ascontiguousarray(table.codes[used]))


def _growth(rows: BinnedRows, recipe: Recipe, n_splits: int, least: float) -> Growth:
    branching = AxisBranching(rows.table, ExactTarget.of(rows.scaled, rows.weights), least)
    return Growth(branching, GrowthRules(n_splits, recipe.max_leaves, recipe.merge))


def _plan(table: BinnedTable, target: ScaledTarget, recipe: Recipe, rng: np.random.RandomState) -> tuple[int, float]:
    """How many splits, and the least weight of a side."""
    most, least = theorem_splits(float(target.weights.sum())), recipe.least_weight or 1
    if recipe.stop == "theorem" or (recipe.stop == "auto" and recipe.max_splits is not None):
        return recipe.max_splits or most, least
    rows, folds, unit = _left_out(table, target, recipe, rng)
    if recipe.stop == "auto":
        checked = replace(recipe, max_splits=most, patience=most)
        return (most if rows.n < TUNING.checked_rows else _checked(_trial(rows, folds, checked, least), unit)), least
    return (1, 1.0) if rows.n < 2 else _validated(rows, folds, recipe)


def _left_out(
    table: BinnedTable, target: ScaledTarget, recipe: Recipe, rng: np.random.RandomState
) -> tuple[BinnedRows, list[Split], float]:
    """The different rows, folds of them, and the weight of what is drawn independently."""
    kinds = DistinctRows.in_order(table.codes.T, target.values, target.weights, target.groups)
    draws, none = kinds.draws, np.zeros_like(kinds.first)
    rows = BinnedRows(table.take(kinds.first), target.scaled[kinds.first], kinds.weights)
    n_folds = min(recipe.n_folds, draws.n_independent)
    once = recipe.stop == "auto" and draws.n_independent > TUNING.checked_once
    held = draws.fold_counts(none, n_folds, rng, 1 if once else n_folds)
    folds = [draws.split(out) for out in held]
    return rows, folds, float(kinds.weights.sum()) / draws.n_independent


@dataclass(frozen=True, eq=False)
class _Trial:
    """Error on rows left out after 0, 1, 2, ... splits; how much better than by a constant each row is predicted after
    the best number of them, and how much it counts.
    """

    errors: list[float]
    gains: NDArray[np.float64]
    weights: NDArray[np.float64]

    @property
    def best(self) -> int:
        return int(np.argmin(self.errors))


def _checked(trial: _Trial, unit: float) -> int:
    """Splits after which rows left out are predicted best; none where that is not clearly better than a constant.

    By several standard errors, or by half of the error: few rows cannot say the former, however clear it is.
    """
    if min(trial.errors) < TUNING.clear_share * trial.errors[0]:
        return trial.best
    total = float(trial.weights @ trial.gains)
    deviation = np.sqrt(unit * float(trial.weights @ trial.gains**2))
    return trial.best if total > TUNING.clear_gain * deviation else 0


def _validated(rows: BinnedRows, folds: Sequence[Split], recipe: Recipe) -> tuple[int, float]:
    """Splits after which rows left out are predicted best, and the least weight of a side that does so."""
    found: dict[tuple[int, float], float] = {}
    for least in TUNING.side_weights if recipe.least_weight is None else (recipe.least_weight,):
        trial = _trial(rows, folds, recipe, least)
        found[trial.best, least] = min(trial.errors)
    return min(found, key=found.__getitem__)


def _trial(rows: BinnedRows, splits: Sequence[Split], recipe: Recipe, least: float) -> _Trial:
    """Grow until rows left out have not been predicted better for a while.

    One graph a fold, all of them grown side by side, so that every row is left out once.
    """
    most = recipe.max_splits or rows.n
    folds = [_fold(rows, split, recipe, most, least) for split in splits]
    errors, best = [sum(held.error for held in folds)], [held.gains for held in folds]
    while len(errors) <= most and len(errors) - int(np.argmin(errors)) <= recipe.patience:
        if not any([held.advance() for held in folds]):  # noqa: C419 - all of them are to go on
            break
        errors.append(sum(held.error for held in folds))
        if errors[-1] < min(errors[:-1]):
            best = [held.gains for held in folds]
    gains, weights = (np.concatenate(parts) for parts in zip(*best, strict=True))
    return _Trial(errors, gains, weights)


def _fold(rows: BinnedRows, split: Split, recipe: Recipe, most: int, least: float) -> HeldOutRows:
    """A graph on the other rows, and what it says of these."""
    held = rows.part(split.held)
    growth = _growth(rows.part(split.train), recipe, most, least)
    return HeldOutRows(growth, held.goes_low, held.scaled, held.weights)
