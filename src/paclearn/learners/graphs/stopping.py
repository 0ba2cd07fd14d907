"""From binned rows and scaled targets to a graph, by each of the rules for when to stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.distinct import DistinctRows
from paclearn.exceptions import TargetError
from paclearn.learners.graphs.axis import AxisBranching, ExactTarget
from paclearn.learners.graphs.growth import Growth, GrowthRules
from paclearn.learners.graphs.held_out_growth import Onlookers
from paclearn.learners.graphs.regression_graph import RegressionGraph

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from paclearn.encoding.bins import BinnedTable

__all__ = ["Recipe", "ScaledTarget", "fit_graph", "follow_codes", "theorem_splits"]

_LARGEST = 1e150
_LEAST_WEIGHTS = (1, 10, 40)  # of a side of a split, to choose from


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
    """Targets of the rows, their weights, and the range that is scaled to [0, 1]."""

    values: NDArray[np.float64]
    weights: NDArray[np.float64]

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
    """``n^(3/7)``, the number of splits of Theorem 2."""
    return max(1, int(n_rows ** (3 / 7) + 1e-9))


def fit_graph(table: BinnedTable, target: ScaledTarget, recipe: Recipe, rng: np.random.RandomState) -> RegressionGraph:
    """A graph on all rows; with validation, some of them first say how many splits are good, and how light leaves."""
    if recipe.stop == "theorem":
        n_splits, least = recipe.max_splits or theorem_splits(float(target.weights.sum())), recipe.least_weight or 1
    else:
        n_splits, least = _validated(table, target, recipe, rng)
    growth = _growth(table, target.scaled, target.weights, recipe, n_splits, least).run()
    shape, questions = growth.graph()
    graph = RegressionGraph.of(shape, questions, table.domain)
    used = sorted({question.column for question in questions})
    leaf = graph.leaf_of_codes(np.ascontiguousarray(table.codes[used]))
    return graph.with_targets(leaf, target.values, target.weights, target.low, target.unit)


def _growth(
    table: BinnedTable,
    scaled: NDArray[np.float64],
    weights: NDArray[np.float64],
    recipe: Recipe,
    n_splits: int,
    least: float,
) -> Growth:
    branching = AxisBranching(table, ExactTarget.of(scaled, weights), least)
    return Growth(branching, GrowthRules(n_splits, recipe.max_leaves, recipe.merge))


def _validated(
    table: BinnedTable, target: ScaledTarget, recipe: Recipe, rng: np.random.RandomState
) -> tuple[int, float]:
    """Splits after which rows left out are predicted best, and the least weight of a side that does so."""
    kinds = DistinctRows.in_order(table.codes.T, target.values, target.weights)
    n = len(kinds.first)
    if n < 2:
        return 1, 1.0
    fold = rng.permutation(np.arange(n) % min(recipe.n_folds, n))
    rows = table.take(kinds.first), target.scaled[kinds.first], kinds.weights
    found: dict[tuple[int, float], float] = {}
    for least in _LEAST_WEIGHTS if recipe.least_weight is None else (recipe.least_weight,):
        errors = _fold_errors(*rows, fold, recipe, least)
        found[int(np.argmin(errors)), least] = min(errors)
    return min(found, key=found.__getitem__)


def _fold_errors(
    table: BinnedTable,
    scaled: NDArray[np.float64],
    weights: NDArray[np.float64],
    fold: NDArray[np.intp],
    recipe: Recipe,
    least: float,
) -> list[float]:
    """Error on rows left out after 0, 1, 2, ... splits, until it has not got better for a while.

    One graph a fold, all of them grown side by side, so that every row is left out once.
    """
    most = recipe.max_splits or len(scaled)
    rows = table, scaled, weights
    watchers = [_fold(*rows, fold == out, recipe, most, least) for out in range(fold.max() + 1)]
    errors = [sum(watcher.error for watcher in watchers)]
    while len(errors) <= most and len(errors) - int(np.argmin(errors)) <= recipe.patience:
        if not any([watcher.advance() for watcher in watchers]):  # noqa: C419 - all of them are to go on
            break
        errors.append(sum(watcher.error for watcher in watchers))
    return errors


def _fold(
    table: BinnedTable,
    scaled: NDArray[np.float64],
    weights: NDArray[np.float64],
    out: NDArray[np.bool_],
    recipe: Recipe,
    most: int,
    least: float,
) -> Onlookers:
    """A graph on the other rows, and these rows looking on."""
    kept, left = np.flatnonzero(~out), np.flatnonzero(out)
    growth = _growth(table.take(kept), scaled[kept], weights[kept], recipe, most, least)
    return Onlookers(growth, follow_codes(table.codes[:, left]), scaled[left], weights[left])


def follow_codes(codes: NDArray[np.uint8]) -> Callable[[Any, NDArray[np.intp]], NDArray[np.bool_]]:
    """Which rows of binned columns go low."""
    return lambda question, rows: question.low[codes[question.column, rows]] > 0
