"""From binned rows and scaled targets to a graph, by each of the rules for when to stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.graphs.axis import AxisBranching, ExactTarget
from paclearn.graphs.gather import gather
from paclearn.graphs.graph import RegressionGraph
from paclearn.graphs.grow import Growth, GrowthRules
from paclearn.graphs.staged import Onlookers

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from paclearn.graphs.bins import BinnedTable

__all__ = ["Recipe", "ScaledTarget", "fit_graph", "follow_codes", "theorem_splits"]


@dataclass(frozen=True)
class Recipe:
    """What the parameters of an estimator say about growing."""

    stop: str
    max_splits: int | None
    max_leaves: int | None
    merge: float
    least_weight: float
    validation_fraction: float
    patience: int


@dataclass(frozen=True, eq=False)
class ScaledTarget:
    """Targets of the rows, their weights, and the range that is scaled to [0, 1]."""

    values: NDArray[np.float64]
    weights: NDArray[np.float64]

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
    """A graph on all rows; with validation, some of them first say how many splits are good."""
    n_rows = float(target.weights.sum())
    if recipe.stop == "theorem":
        n_splits = recipe.max_splits or theorem_splits(n_rows)
    else:
        n_splits = _validated_splits(table, target, recipe, rng)
    growth = _growth(table, target.scaled, target.weights, recipe, n_splits).run()
    shape, questions = growth.graph()
    graph = RegressionGraph.of(shape, questions, table.domain)
    used = sorted({question.column for question in questions})
    leaf = graph.leaf_of_codes(np.ascontiguousarray(table.codes[used]))
    return graph.with_targets(leaf, target.values, target.weights, target.low, target.unit)


def _growth(
    table: BinnedTable, scaled: NDArray[np.float64], weights: NDArray[np.float64], recipe: Recipe, n_splits: int
) -> Growth:
    branching = AxisBranching(table, ExactTarget.of(scaled, weights), recipe.least_weight)
    return Growth(branching, GrowthRules(n_splits, recipe.max_leaves, recipe.merge))


def _validated_splits(
    table: BinnedTable, target: ScaledTarget, recipe: Recipe, rng: np.random.RandomState
) -> int:
    """Splits after which rows left out are predicted best; patience says how many more to wait for a better one."""
    kinds = gather(table.codes, target.values, target.weights)
    n_out = min(max(1, round(recipe.validation_fraction * len(kinds.first))), len(kinds.first) - 1)
    if n_out < 1:
        return 1
    order = rng.permutation(len(kinds.first))
    out, kept = order[:n_out], np.sort(order[n_out:])
    scaled = target.scaled[kinds.first]
    most = recipe.max_splits or len(kinds.first)
    grown = _growth(table.take(kinds.first[kept]), scaled[kept], kinds.weights[kept], recipe, most)
    codes = table.codes[:, kinds.first[out]]
    watchers = Onlookers(grown, follow_codes(codes), scaled[out], kinds.weights[out])
    best, best_error = 0, watchers.error
    while grown.n_rounds < min(most, best + recipe.patience) and grown.round():
        watchers.follow()
        if watchers.error < best_error * (1 - 1e-9):
            best, best_error = grown.n_rounds, watchers.error
    return best


def follow_codes(codes: NDArray[np.uint8]) -> Callable[[Any, NDArray[np.intp]], NDArray[np.bool_]]:
    """Which rows of binned columns go low."""
    return lambda question, rows: question.low[codes[question.column, rows]] > 0
