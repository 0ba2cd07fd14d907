"""Bagged and boosted graphs on binned rows, and their errors on rows left out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from paclearn._progress import progress
from paclearn.learners.graphs.axis_splits import AxisBranching, ExactTarget
from paclearn.learners.graphs.graph_growth import Growth, GrowthRules, HeldOutRows
from paclearn.learners.graphs.graph_rows import grown_graph
from paclearn.learners.graphs.graph_tuning import TUNING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.encoding.folds import Part
    from paclearn.learners.graphs.axis_splits import BinnedRows
    from paclearn.learners.graphs.regression_graph import RegressionGraph

__all__ = ["Bagged", "Boosted", "Sample", "bag", "bagging_errors", "boost", "boosting_errors"]

_MOST_SEED = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Sample:
    """Different rows to draw from, and how graphs are grown on what is drawn.

    Parameters
    ----------
    rows : BinnedRows
        The rows; a weight says how often one occurs.
    merge : float
        Share of a split's gain that merging may cost.
    least_weight : float
        Weight that either side of a split must have.
    max_features : int
        Columns that a leaf looks at.
    unit : float
        Weight of a row.
    """

    rows: BinnedRows
    merge: float
    least_weight: float
    max_features: int
    unit: float

    def part(self, part: Part) -> Sample:
        """Some of the rows, with the weights that they have there."""
        return replace(self, rows=self.rows.part(part))

    def growth(
        self, targets: NDArray[np.float64], drawn: NDArray[np.float64], n_splits: int, rng: np.random.RandomState
    ) -> Growth:
        """A graph of some targets, on rows that count as often as they were drawn."""
        exact = ExactTarget.of(targets, drawn)
        branching = AxisBranching(self.rows.table, exact, self.least_weight, self.unit, self.max_features, rng)
        return Growth(branching, GrowthRules(n_splits, None, self.merge))

    def bootstrap(self, rng: np.random.RandomState) -> NDArray[np.float64]:
        """As many rows as there are, or groups, drawn with replacement: how often each counts."""
        weights = self.rows.weights
        if self.rows.groups is not None:  # a row that was not drawn is then of a group that was not
            present, group = np.unique(self.rows.groups, return_inverse=True)
            drawn: NDArray[Any] = rng.multinomial(len(present), np.full(len(present), 1 / len(present)))
            return np.asarray(drawn[group] * weights)
        return rng.multinomial(max(1, round(weights.sum())), weights / weights.sum()).astype(np.float64)


# ---- bagging (Breiman, 1996) ----


@dataclass(frozen=True, eq=False)
class Bagged:
    """Graphs in units of the scaled target, and for every row the mean of those that did not see it (NaN: none)."""

    graphs: list[RegressionGraph]
    out_of_bag: NDArray[np.float64]


def bag(sample: Sample, n_graphs: int, n_splits: int, rng: np.random.RandomState, n_jobs: int | None) -> Bagged:
    """Graphs on rows drawn with replacement."""
    seeds = rng.randint(_MOST_SEED, size=n_graphs)
    grown = Parallel(n_jobs=n_jobs)(delayed(_bagged)(sample, n_splits, seed) for seed in seeds)
    said, counted = np.zeros(sample.rows.n), np.zeros(sample.rows.n)
    for _, out, values in grown:
        said[out] += values
        counted[out] += 1
    means = np.divide(said, counted, out=np.full(len(said), np.nan), where=counted > 0)
    return Bagged([graph for graph, _, _ in grown], means)


def _bagged(sample: Sample, n_splits: int, seed: int) -> tuple[RegressionGraph, NDArray[np.intp], NDArray[np.float64]]:
    rng = np.random.RandomState(seed)
    drawn = sample.bootstrap(rng)
    graph, leaf = grown_graph(sample.growth(sample.rows.scaled, drawn, n_splits, rng).run(), sample.rows.table)
    out = np.flatnonzero(drawn == 0)
    return graph, out, graph.shape.value[leaf[out]]


def bagging_errors(sample: Sample, out: BinnedRows, n_graphs: int, rng: np.random.RandomState) -> dict[int, float]:
    """Error of bagged graphs on rows left out, against the splits of each: until that no longer helps.

    A few graphs are tried. Their variance says how much better ``n_graphs`` would do.
    """
    n, scaled = sample.rows.n, sample.rows.scaled
    growths = [sample.growth(scaled, sample.bootstrap(rng), n, rng) for _ in range(TUNING.pilots)]
    held = [HeldOutRows(growth, out.goes_low, out.scaled, out.weights) for growth in growths]
    errors: dict[int, float] = {}
    size, worse = float(TUNING.first_size), 0
    while worse < TUNING.worse_in_a_row and size <= TUNING.most_splits:
        for rows in held:
            rows.advance_to(int(size))
        error = _error_of_mean(np.array([rows.predictions for rows in held]), out, n_graphs)
        worse = worse + 1 if errors and error >= TUNING.clearly_better * min(errors.values()) else 0
        errors[int(size)] = error
        if max(growth.n_rounds for growth in growths) < int(size):
            break
        size *= TUNING.size_factor
    return errors


def _error_of_mean(said: NDArray[np.float64], out: BinnedRows, n_graphs: int) -> float:
    """Squared error of the mean of so many graphs, from what a few of them say."""
    fewer = 1 / len(said) - 1 / n_graphs
    off = (said.mean(axis=0) - out.scaled) ** 2 - fewer * said.var(axis=0, ddof=1)
    return float(out.weights @ off / out.weights.sum())


# ---- boosting (Friedman, 2001 and 2002) ----


@dataclass(frozen=True, eq=False)
class Boosted:
    """Graphs that each fit the residuals of the ones before, in units of the scaled target, and their start."""

    graphs: list[RegressionGraph]
    base: float


def boost(sample: Sample, n_graphs: int, n_splits: int, rate: float, rng: np.random.RandomState) -> Boosted:
    """One graph after the other."""
    base = _mean(sample.rows)
    said, graphs = np.full(sample.rows.n, base), []
    with progress("boosting graphs", n_graphs) as advance:
        for _ in range(n_graphs):
            graph, values = _next_graph(sample, said, n_splits, rng)
            graphs.append(graph)
            said += rate * values
            advance(1)
    return Boosted(graphs, base)


def _mean(rows: BinnedRows) -> float:
    return float(np.average(rows.scaled, weights=rows.weights))


def _next_graph(
    sample: Sample, said: NDArray[np.float64], n_splits: int, rng: np.random.RandomState
) -> tuple[RegressionGraph, NDArray[np.float64]]:
    """A graph of the residuals, on some of the rows."""
    residuals = sample.rows.scaled - said
    low, unit = float(residuals.min()), float(np.ptp(residuals)) or 1.0
    drawn = np.where(rng.random_sample(len(residuals)) < TUNING.subsample, sample.rows.weights, 0.0)
    if not drawn.any():
        drawn = sample.rows.weights
    growth = sample.growth((residuals - low) / unit, drawn, n_splits, rng).run()
    graph, leaf = grown_graph(growth, sample.rows.table)
    return graph.rescaled(low, unit), low + unit * graph.shape.value[leaf]


def boosting_errors(
    sample: Sample, out: BinnedRows, most: int, n_splits: int, rate: float, rng: np.random.RandomState
) -> list[float]:
    """Error on rows left out after 0, 1, 2, ... graphs: until it has not got better for a while."""
    base = _mean(sample.rows)
    said, told = np.full(sample.rows.n, base), np.full(out.n, base)
    shares = out.weights / out.weights.sum()
    place = {column.position: i for i, column in enumerate(out.table.domain.columns)}
    errors = [float(shares @ (told - out.scaled) ** 2)]
    while len(errors) <= most and len(errors) - int(np.argmin(errors)) <= TUNING.boosted_patience:
        graph, values = _next_graph(sample, said, n_splits, rng)
        said += rate * values
        mine = [place[column.position] for column in graph.columns]
        told += rate * graph.values_of_codes(np.ascontiguousarray(out.table.codes[mine]))
        errors.append(float(shares @ (np.clip(told, 0, 1) - out.scaled) ** 2))
    return errors
