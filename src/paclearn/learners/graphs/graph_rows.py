"""The rows that a graph is grown from, here or on the workers of a cluster: what is asked of them are sums."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from operator import add
from typing import TYPE_CHECKING

import numpy as np

from paclearn.encoding.bins import BinnedTable
from paclearn.encoding.distinct import DistinctRows
from paclearn.encoding.encoded_rows import Kinds, RowsHere, first_kinds
from paclearn.encoding.folds import Draws
from paclearn.learners.graphs.axis_splits import AxisBranching, BinnedRows, ExactTarget, unit_of
from paclearn.learners.graphs.far_splits import FarBranching, HashedFold, fold_of_rows
from paclearn.learners.graphs.graph_growth import Growth, GrowthRules, HeldOutRows
from paclearn.learners.graphs.graph_tuning import TUNING
from paclearn.learners.graphs.regression_graph import RegressionGraph
from paclearn.learners.graphs.scaled_target import ScaledTarget
from paclearn.learners.graphs.watched_splits import WatchedBranching, WatchedGrowth
from paclearn.tables.weights import are_counts, multiples, summable_steps

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from paclearn.encoding import Domain
    from paclearn.encoding.encoded_rows import EncodedBlock, EncodedRows
    from paclearn.encoding.folds import Split
    from paclearn.learners.graphs.graph_growth import Branching
    from paclearn.learners.graphs.graph_stopping import Fold, Recipe
    from paclearn.learners.graphs.scaled_target import FarTarget
    from paclearn.models.graph_assembly import Wiring

__all__ = ["LeftOut", "RowsHereToGrow", "RowsThereToGrow", "grown_graph"]


@dataclass(frozen=True)
class LeftOut:
    """Graphs of parts of the rows, each beside the rows that it does not see.

    Parameters
    ----------
    n_kinds : int
        How many different rows there are; of very many, some of them.
    unit : float
        The weight of what is drawn independently.
    folds : callable
        Makes the graphs, of so many splits at the most, whose sides have so much weight at the least.
    """

    n_kinds: int
    unit: float
    folds: Callable[[int, float], list[Fold]]


def _growth(branching: Branching, recipe: Recipe, n_splits: int) -> Growth:
    return Growth(branching, GrowthRules(n_splits, recipe.max_leaves, recipe.merge))


# ---- rows that are here ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RowsHereToGrow:
    """Codes and targets of rows in memory."""

    table: BinnedTable
    target: ScaledTarget

    @property
    def weight(self) -> float:
        """Of all rows together."""
        return float(self.target.weights.sum())

    @cached_property
    def _unit(self) -> float:
        return unit_of(self.target.weights)

    def growth(self, recipe: Recipe, n_splits: int, least: float) -> Growth:
        """A graph of all rows, about to grow."""
        exact = ExactTarget.of(self.target.scaled, self.target.weights)
        return _growth(AxisBranching(self.table, exact, least, self._unit), recipe, n_splits)

    def finished(self, growth: Growth) -> RegressionGraph:
        """The graph that has grown, in units of the target, in as few nodes as an order of the columns allows."""
        graph, leaf = grown_graph(growth, self.table)
        target = self.target
        graph = graph.with_targets(leaf, target.values, target.weights, target.low, target.unit)
        return graph.reduced(self.table.codes_of(graph.columns), target.values, target.weights)

    def left_out(self, recipe: Recipe, rng: np.random.RandomState) -> LeftOut:
        """Folds of the different rows, or, where these are very many, by the hash of each."""
        target, codes = self.target, self.table.codes
        if self.table.n_rows <= TUNING.enough_rows:
            kinds = Kinds.of(codes, target.values, target.weights, target.groups)
            return _of_kinds(kinds, self.table.domain, recipe, rng, self._unit)
        seed = int(rng.randint(0, 2**31 - 1))
        rows = RowsHere(codes, target.values, target.weights, target.groups)
        kinds = first_kinds(rows, TUNING.enough_rows + 1, seed)
        if kinds.n <= TUNING.enough_rows:
            return _of_kinds(kinds, self.table.domain, recipe, rng, self._unit)
        n_draws = self.weight if are_counts(target.weights) else float(self.table.n_rows)
        if target.groups is not None:
            n_draws = float(len(np.unique(target.groups)))
        folds = partial(_by_hash, partial(self._watched, recipe), _n_folds(recipe, n_draws), seed)
        return LeftOut(kinds.n, self.weight / n_draws, folds)

    def _watched(self, recipe: Recipe, fold: HashedFold, n_splits: int, least: float, _: list[str]) -> Growth:
        codes, target = self.table.codes, self.target
        rows = RowsHere(codes, target.values, None, target.groups)
        out = np.concatenate(rows.summed(_OutOf(fold), add))
        branching = WatchedBranching(self.table, target.scaled, target.weights, out, least, self._unit)
        return _growth(branching, recipe, n_splits)


def grown_graph(growth: Growth, table: BinnedTable) -> tuple[RegressionGraph, NDArray[np.int32]]:
    """A graph that has grown, in units of the scaled target, and the leaf of every row of the table."""
    shape, questions = growth.graph()
    used = sorted({question.column for question in questions})
    graph = RegressionGraph.of(shape, questions, table.domain)
    return graph, graph.leaf_of_codes(np.ascontiguousarray(table.codes[used]))


@dataclass(frozen=True)
class _OutOf:
    """A list of blocks: which rows are left out. Those of a group are together."""

    fold: HashedFold

    def __call__(self, block: EncodedBlock) -> list[NDArray[np.bool_]]:
        if block.groups is None:
            return [fold_of_rows(block.codes, block.targets, self.fold)]
        return [fold_of_rows([], block.groups.astype(np.float64), self.fold)]


# ---- folds -----------------------------------------------------------------------------------------------------------


def _n_folds(recipe: Recipe, n_draws: float) -> tuple[int, int]:
    """How many folds there are, and how many of them are judged."""
    n_folds = int(min(recipe.n_folds, n_draws))
    return n_folds, 1 if recipe.stop == "auto" and n_draws > TUNING.checked_once else n_folds


def _of_kinds(kinds: Kinds, domain: Domain, recipe: Recipe, rng: np.random.RandomState, row: float) -> LeftOut:
    """Folds of different rows, each of which is so many draws; a row weighs so much."""
    codes = np.array([kinds.codes[i] for i in range(len(domain.columns))], dtype=np.uint8).reshape(-1, kinds.n)
    found = DistinctRows.in_order(codes.T, kinds.targets, kinds.weights, kinds.groups)
    draws = Draws.of(found.weights, found.sums_of(kinds.n_rows), found.groups)
    table = BinnedTable(domain, np.ascontiguousarray(codes[:, found.first]))
    scaled = ScaledTarget(kinds.targets[found.first], found.weights).scaled
    rows = BinnedRows(table, scaled, found.weights)
    n_folds, n_judged = _n_folds(recipe, draws.n_independent)
    held = draws.fold_counts(np.zeros_like(found.first), n_folds, rng, n_judged)
    splits = [draws.split(out) for out in held]
    unit = float(found.weights.sum()) / draws.n_independent
    return LeftOut(rows.n, unit, lambda most, least: [_fold(rows, split, recipe, most, least, row) for split in splits])


def _fold(rows: BinnedRows, split: Split, recipe: Recipe, most: int, least: float, row: float) -> HeldOutRows:
    """A graph on the other rows, and what it says of these."""
    held, train = rows.part(split.held), rows.part(split.train)
    branching = AxisBranching(train.table, ExactTarget.of(train.scaled, train.weights), least, row)
    return HeldOutRows(_growth(branching, recipe, most), held.goes_low, held.scaled, held.weights)


def _by_hash(
    grow: Callable[[HashedFold, int, float, list[str]], Growth],
    n_folds: tuple[int, int],
    seed: int,
    most: int,
    least: float,
) -> list[Fold]:
    side_by_side: list[str] = []
    folds = [HashedFold(seed, n_folds[0], k) for k in range(n_folds[1])]
    return [WatchedGrowth(grow(fold, most, least, side_by_side)) for fold in folds]


# ---- rows on the workers of a cluster --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RowsThereToGrow:
    """Rows whose codes workers keep, a byte each."""

    rows: EncodedRows
    domain: Domain
    target: FarTarget

    @property
    def weight(self) -> float:
        """Of all rows together."""
        return self.target.weight

    def growth(self, recipe: Recipe, n_splits: int, least: float) -> Growth:
        """A graph of all rows, about to grow."""
        return _growth(FarBranching(self.rows, self.domain, self.target, least), recipe, n_splits)

    def left_out(self, recipe: Recipe, rng: np.random.RandomState) -> LeftOut:
        """As of rows that are here."""
        many = self.rows.n > TUNING.enough_rows
        seed = int(rng.randint(0, 2**31 - 1)) if many else 0
        kinds = first_kinds(self.rows, TUNING.enough_rows + 1, seed, self.target.values)
        if kinds.n <= TUNING.enough_rows:
            return _of_kinds(kinds, self.domain, recipe, rng, 1.0)
        folds = partial(_by_hash, partial(self._watched, recipe), _n_folds(recipe, self.weight), seed)
        return LeftOut(kinds.n, 1.0, folds)

    def _watched(self, recipe: Recipe, fold: HashedFold, n_splits: int, least: float, alive: list[str]) -> Growth:
        branching = FarBranching(self.rows, self.domain, self.target, least, fold, alive)
        return _growth(branching, recipe, n_splits)

    def finished(self, growth: Growth) -> RegressionGraph:
        """The graph that has grown, in units of the target, in as few nodes as an order of the columns allows."""
        shape, questions = growth.graph()
        graph = RegressionGraph.of(shape, questions, self.domain)
        steps = summable_steps(self.rows.summed(_Sizes(self.target), add))
        leaves = self.rows.summed(_LeafSums(self.target, steps, self._places(graph), graph), add)
        graph = graph.with_leaf_sums(leaves[:, 0], leaves[:, 1], self.target.low, self.target.unit)
        return graph.reduced_by(lambda wiring: self._edge_sums(wiring, steps))

    def _edge_sums(self, wiring: Wiring, steps: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        edges, sums = self.rows.summed(_EdgeSums(self.target, steps, self._places(wiring), wiring), add)
        return edges, sums

    def _places(self, asking: RegressionGraph | Wiring) -> tuple[int, ...]:
        place = {column: i for i, column in enumerate(self.domain.columns)}
        return tuple(place[column] for column in asking.columns)


@dataclass(frozen=True)
class _Sizes:
    """Sums of the sizes of what is summed up: weights, and weighted targets."""

    target: FarTarget

    def __call__(self, block: EncodedBlock) -> NDArray[np.float64]:
        return np.asarray(np.abs(self.channels(block)).sum(axis=0))

    def channels(self, block: EncodedBlock) -> NDArray[np.float64]:
        """Rows x two."""
        return np.column_stack([block.counts, block.counts * self.target.values(block.targets)])


@dataclass(frozen=True, eq=False)
class _Sums(_Sizes):
    """Sums of multiples of steps."""

    steps: NDArray[np.float64]
    places: tuple[int, ...]  # of the columns that are asked about

    def exact(self, block: EncodedBlock) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
        """Codes of these columns, and what is summed up, rows x two."""
        codes = np.array([block.codes[i] for i in self.places], dtype=np.uint8).reshape(len(self.places), block.n)
        return codes, multiples(self.channels(block), self.steps)


@dataclass(frozen=True, eq=False)
class _LeafSums(_Sums):
    """Of the leaves of a graph: leaves x two."""

    graph: RegressionGraph

    def __call__(self, block: EncodedBlock) -> NDArray[np.float64]:
        codes, exact = self.exact(block)
        leaf, n = self.graph.leaf_of_codes(codes) - self.graph.shape.n_inner, self.graph.n_leaves
        return np.column_stack([np.bincount(leaf, channel, n) for channel in exact.T]).astype(np.float64)


@dataclass(frozen=True, eq=False)
class _EdgeSums(_Sums):
    """Of both sides of the nodes of a wiring: two x nodes x sides."""

    wiring: Wiring

    def __call__(self, block: EncodedBlock) -> NDArray[np.float64]:
        codes, exact = self.exact(block)
        return np.array(self.wiring.edge_sums(codes, *exact.T))
