"""Bagged and boosted graphs on binned rows, each tuned on rows left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from paclearn._progress import progress
from paclearn.learners.graphs.axis import AxisBranching, ExactTarget
from paclearn.learners.graphs.growth import Growth, GrowthRules
from paclearn.learners.graphs.held_out_growth import Onlookers
from paclearn.learners.graphs.regression_graph import RegressionGraph
from paclearn.learners.graphs.stopping import follow_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.encoding.bins import BinnedTable

__all__ = ["Bag", "Boosted", "Lot", "bag", "bag_sizes", "boost", "boost_errors"]

_PILOTS = 10
_FIRST_SIZE, _FACTOR = 4, 1.5
_WORSE_IN_A_ROW, _CLEARLY_BETTER = 3, 0.995
_MOST_SPLITS = 2000
_SUBSAMPLE = 0.7
_MOST_SEED = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Lot:
    """Rows to draw from, targets scaled to [0, 1], and how graphs are grown on what is drawn."""

    table: BinnedTable
    scaled: NDArray[np.float64]
    weights: NDArray[np.float64]
    merge: float
    least_weight: float
    max_features: int

    def take(self, rows: NDArray[np.intp]) -> Lot:
        """Some of the rows."""
        some = self.table.take(rows), self.scaled[rows], self.weights[rows]
        return Lot(*some, self.merge, self.least_weight, self.max_features)

    def growth(self, drawn: NDArray[np.float64], n_splits: int, rng: np.random.RandomState) -> Growth:
        """A graph on rows that count as often as they were drawn."""
        return self.growth_to(self.scaled, drawn, n_splits, rng)

    def growth_to(
        self, targets: NDArray[np.float64], drawn: NDArray[np.float64], n_splits: int, rng: np.random.RandomState
    ) -> Growth:
        """The same for other targets."""
        exact = ExactTarget.of(targets, drawn)
        branching = AxisBranching(self.table, exact, self.least_weight, self.max_features, rng)
        return Growth(branching, GrowthRules(n_splits, None, self.merge))

    def draw(self, rng: np.random.RandomState) -> NDArray[np.float64]:
        """As many rows as there are, drawn with replacement."""
        shares = self.weights / self.weights.sum()
        return rng.multinomial(max(1, round(self.weights.sum())), shares).astype(np.float64)


def _graph(growth: Growth, table: BinnedTable) -> tuple[RegressionGraph, NDArray[np.float64]]:
    """The graph and what it says of the rows of the table."""
    shape, questions = growth.graph()
    graph = RegressionGraph.of(shape, questions, table.domain)
    used = sorted({question.column for question in questions})
    return graph, shape.value[graph.leaf_of_codes(np.ascontiguousarray(table.codes[used]))]


# ---- bagging ----


@dataclass(frozen=True, eq=False)
class Bag:
    """Graphs in units of the scaled target, and for every row the mean of those that did not see it (NaN: none)."""

    graphs: list[RegressionGraph]
    out_of_bag: NDArray[np.float64]


def bag(lot: Lot, n_graphs: int, n_splits: int, rng: np.random.RandomState, n_jobs: int | None) -> Bag:
    """Graphs on rows drawn with replacement."""
    seeds = rng.randint(_MOST_SEED, size=n_graphs)
    grown = Parallel(n_jobs=n_jobs)(delayed(_bagged)(lot, n_splits, seed) for seed in seeds)
    said, counted = np.zeros(len(lot.scaled)), np.zeros(len(lot.scaled))
    for _, out, values in grown:
        said[out] += values
        counted[out] += 1
    means = np.divide(said, counted, out=np.full(len(said), np.nan), where=counted > 0)
    return Bag([graph for graph, _, _ in grown], means)


def _bagged(lot: Lot, n_splits: int, seed: int) -> tuple[RegressionGraph, NDArray[np.intp], NDArray[np.float64]]:
    rng = np.random.RandomState(seed)
    drawn = lot.draw(rng)
    graph, values = _graph(lot.growth(drawn, n_splits, rng).run(), lot.table)
    out = np.flatnonzero(drawn == 0)
    return graph, out, values[out]


def bag_sizes(lot: Lot, out: Lot, n_graphs: int, rng: np.random.RandomState) -> dict[int, float]:
    """Error of bagged graphs on rows left out, against the splits of each: until that no longer helps.

    A few graphs are tried. What they differ among themselves says how much better ``n_graphs`` would do.
    """
    growths = [lot.growth(lot.draw(rng), len(lot.scaled), rng) for _ in range(_PILOTS)]
    watchers = [Onlookers(growth, follow_codes(out.table.codes), out.scaled, out.weights) for growth in growths]
    errors: dict[int, float] = {}
    size, worse = float(_FIRST_SIZE), 0
    while worse < _WORSE_IN_A_ROW and size <= _MOST_SPLITS:
        for growth, watcher in zip(growths, watchers, strict=True):
            _grow_to(growth, watcher, int(size))
        said = np.array([watcher.predictions for watcher in watchers])
        off = (said.mean(axis=0) - out.scaled) ** 2 - (1 / _PILOTS - 1 / n_graphs) * said.var(axis=0, ddof=1)
        error = float(out.weights @ off / out.weights.sum())
        worse = worse + 1 if errors and error >= _CLEARLY_BETTER * min(errors.values()) else 0
        errors[int(size)] = error
        if max(growth.n_rounds for growth in growths) < int(size):
            break
        size *= _FACTOR
    return errors


def _grow_to(growth: Growth, watcher: Onlookers, size: int) -> None:
    while growth.n_rounds < size and growth.round():
        watcher.follow()


# ---- boosting ----


@dataclass(frozen=True, eq=False)
class Boosted:
    """Graphs that each fit what the ones before leave over, in units of the scaled target, and what they start from."""

    graphs: list[RegressionGraph]
    base: float


def boost(lot: Lot, n_graphs: int, n_splits: int, rate: float, rng: np.random.RandomState) -> Boosted:
    """One graph after the other."""
    base = float(np.average(lot.scaled, weights=lot.weights))
    said, graphs = np.full(len(lot.scaled), base), []
    with progress("boosting graphs", n_graphs) as advance:
        for _ in range(n_graphs):
            graph, values = _next_graph(lot, said, n_splits, rng)
            graphs.append(graph)
            said += rate * values
            advance(1)
    return Boosted(graphs, base)


def _next_graph(
    lot: Lot, said: NDArray[np.float64], n_splits: int, rng: np.random.RandomState
) -> tuple[RegressionGraph, NDArray[np.float64]]:
    """A graph of what is left over, on some of the rows."""
    left = lot.scaled - said
    low, unit = float(left.min()), float(np.ptp(left)) or 1.0
    drawn = np.where(rng.random_sample(len(left)) < _SUBSAMPLE, lot.weights, 0.0)
    if not drawn.any():
        drawn = lot.weights
    graph, values = _graph(lot.growth_to((left - low) / unit, drawn, n_splits, rng).run(), lot.table)
    return graph.rescaled(low, unit), low + unit * values


def boost_errors(
    lot: Lot, out: Lot, most: int, n_splits: int, rate: float, patience: int, rng: np.random.RandomState
) -> list[float]:
    """Error on rows left out after 0, 1, 2, ... graphs: until it has not got better for a while."""
    base = float(np.average(lot.scaled, weights=lot.weights))
    said, told = np.full(len(lot.scaled), base), np.full(len(out.scaled), base)
    shares = out.weights / out.weights.sum()
    place = {column.position: i for i, column in enumerate(lot.table.domain.columns)}
    errors = [float(shares @ (told - out.scaled) ** 2)]
    while len(errors) <= most and len(errors) - int(np.argmin(errors)) <= patience:
        graph, values = _next_graph(lot, said, n_splits, rng)
        said += rate * values
        mine = [place[column.position] for column in graph.columns]
        told += rate * graph.shape.value[graph.leaf_of_codes(np.ascontiguousarray(out.table.codes[mine]))]
        errors.append(float(shares @ (np.clip(told, 0, 1) - out.scaled) ** 2))
    return errors
