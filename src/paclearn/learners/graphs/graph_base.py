"""What the graph learners share: bins once a fit, targets of classes, and Theorem 3 for the graphs."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass, field
from math import isclose
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from paclearn._parameters import Between, Nothing, OneOf, Rule, Whole
from paclearn.certificates import gam_excess, graph_deviation
from paclearn.encoding import BinColumn
from paclearn.encoding.bins import MOST_BINS, learn_bins, learn_far_bins
from paclearn.encoding.encoded_rows import RowsElsewhere
from paclearn.exceptions import InputError
from paclearn.learners.fitting import HELD_OUT, ModelLearner
from paclearn.learners.graphs.every_threshold import EveryThreshold
from paclearn.learners.graphs.graph_reading import ReadsGraphs
from paclearn.learners.graphs.graph_rows import RowsHereToGrow, RowsThereToGrow
from paclearn.learners.graphs.graph_stopping import Recipe, fit_graph
from paclearn.learners.learned import Learned, LearnedInPasses
from paclearn.tables.remote import RemoteTable, refuse_elsewhere
from paclearn.tables.weights import countable, row_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.encoding import Column, Domain
    from paclearn.encoding.bins import BinnedTable
    from paclearn.learners.fitting import Rows
    from paclearn.learners.graphs.regression_graph import RegressionGraph
    from paclearn.learners.graphs.scaled_target import FarTarget, ScaledTarget
    from paclearn.models.decision_graph import DecisionGraph
    from paclearn.models.graph_model import GraphModel
    from paclearn.models.graph_sum import SumModel
    from paclearn.tables.table import Table

__all__ = ["GROWN", "GraphBase", "GraphLearner", "class_targets", "countable_weights", "deviation_of"]

GROWN: dict[str, Rule] = {"max_splits": Whole(1) | Nothing(), "merge": Between(0, 1, closed=True), **HELD_OUT}


class GraphLearner(ReadsGraphs, ModelLearner):
    """Cuts the columns of a table into bins, grows graphs on them, and judges those on the codes of the fit."""

    n_bins: Any

    @abstractmethod
    def _grow(self, train: Rows, table: BinnedTable, rng: np.random.RandomState) -> SumModel:
        """The graphs of some rows."""

    def _learn(self, train: Rows, rng: np.random.RandomState) -> Learned:
        table = learn_bins(train.table, self.n_bins, train.weights)
        self.domain_ = table.domain
        return Learned.of(self._grow(train, table, rng), table.domain, table.codes, train.n)

    def _weights(self, sample_weight: Any, table: Table) -> NDArray[np.float64] | None:
        return countable_weights(sample_weight, table)


@dataclass(eq=False, repr=False)
class GraphBase(GraphLearner):
    """One graph an output; see `RegressionGraphRegressor` for the parameters."""

    _parameters: ClassVar[dict[str, Rule]] = {
        "stop": OneOf("auto", "theorem", "validation"),
        "max_leaves": Whole(1) | Nothing(),
        "min_samples_leaf": Between(0, np.inf) | Nothing(),
        "n_bins": Whole(2, MOST_BINS) | Nothing(),
        "n_folds": Whole(2),
        "patience": Whole(1),
        "variation": Between(0, np.inf) | Nothing(),
        **GROWN,
    }

    model_: GraphModel = field(init=False)

    stop: str = "auto"
    _: KW_ONLY
    max_splits: int | None = None
    max_leaves: int | None = None
    merge: float = 1 / 3
    min_samples_leaf: float | None = None
    n_bins: int | None = MOST_BINS
    n_folds: int = 5
    patience: int = 30
    holdout: float | str | None = None
    delta: float = 0.05
    variation: float | None = None
    random_state: Any = None

    @abstractmethod
    def _targets(self, train: Rows) -> list[ScaledTarget]:
        """What each graph learns."""

    @abstractmethod
    def _far_targets(self, train: Rows, weight: float) -> list[FarTarget]:
        """The same of rows on the workers of a cluster, which weigh so much together."""

    @abstractmethod
    def _keep(self, graphs: list[RegressionGraph]) -> GraphModel:
        """The model of one graph a target."""

    def _learn(self, train: Rows, rng: np.random.RandomState) -> Learned:
        if isinstance(train.table, RemoteTable):
            return self._learn_far(train, train.table, rng)
        if self.n_bins is not None:
            return super()._learn(train, rng)
        every = EveryThreshold.of(train.table, train.weights)
        table, graphs = every.narrowed(self._graphs(train, every.pieces, rng))
        self.domain_ = table.domain
        return Learned.of(self._keep(graphs), table.domain, table.codes, train.n)

    def _learn_far(self, train: Rows, table: RemoteTable, rng: np.random.RandomState) -> Learned:
        """By histograms that workers count."""
        self.domain_, columns = learn_far_bins(table, int(self.n_bins or MOST_BINS))
        targets: Any = train.targets
        rows = RowsElsewhere(columns, targets, stacked=True)
        weight = float(train.n) if table.weights is None else table.weights.total
        grown = [RowsThereToGrow(rows, self.domain_, target) for target in self._far_targets(train, weight)]
        drawn = self._drawn(rng)
        model = self._keep([fit_graph(one, self._recipe(), drawn) for one in grown])
        return LearnedInPasses.of_rows(model, self.domain_, rows)

    def _for_workers(self, rows: Rows) -> Rows:
        """Rows on a cluster, unless something is asked that cannot be done with them."""
        refuse_elsewhere("holdout", self.holdout is not None)
        refuse_elsewhere("n_bins=None", self.n_bins is None)
        weights: Any = rows.weights
        if weights is not None and not weights.whole:
            raise InputError(
                "sample_weight holds numbers that are not whole; on a Dask cluster graphs learn from rows that count "
                "whole times; multiply the weights by some number and round them"
            )
        return rows

    def _grow(self, train: Rows, table: BinnedTable, rng: np.random.RandomState) -> GraphModel:
        return self._keep(self._graphs(train, table, rng))

    def _graphs(self, train: Rows, table: BinnedTable, rng: np.random.RandomState) -> list[RegressionGraph]:
        drawn = self._drawn(rng)
        return [fit_graph(RowsHereToGrow(table, target), self._recipe(), drawn) for target in self._targets(train)]

    def _drawn(self, rng: np.random.RandomState) -> np.random.RandomState:
        """Folds are drawn from rows in the order of what they hold: without a seed, the same rows get the same ones."""
        return np.random.RandomState(0) if self.random_state is None else rng

    def _fit_rows(self, train: Rows, held: Rows | None, rng: np.random.RandomState) -> None:
        """Theorem 2 bounds another quantity, so it is listed and never chosen."""
        super()._fit_rows(train, held, rng)
        if self.variation is None or not self._follows_the_theorem(train):
            return
        target, *others = self._targets(train)
        if not others:
            trivial, n_columns = float(np.var(target.values)), len(train.table.names)
            self.certificates_.append(gam_excess(train.n, n_columns, self.variation, target.unit, self.delta, trivial))

    def _follows_the_theorem(self, train: Rows) -> bool:
        """Whether the graph was grown as Kalai (2005), Figure 3, says, for as many rounds as Theorem 2 says.

        That is: on all thresholds, of numbers that are all there (two levels are as good as numbers), of all columns
        that vary, of rows that count once, with merges for a third of the gain and no other limit.
        """
        rule = self.stop == "theorem" and self.max_splits is None and self.max_leaves is None
        merged = isclose(self.merge, 1 / 3, rel_tol=1e-9)
        light = self.min_samples_leaf is None or self.min_samples_leaf <= 1
        once = train.groups is None and (train.weights is None or bool((train.weights == 1).all()))
        return rule and merged and light and once and self.n_bins is None and _all_numbers(self.domain_)

    def _recipe(self) -> Recipe:
        return Recipe(
            self.stop,
            self.max_splits,
            self.max_leaves,
            self.merge,
            self.min_samples_leaf,
            self.n_folds,
            self.patience,
        )


def countable_weights(sample_weight: Any, table: Table) -> NDArray[np.float64] | None:
    """Weights whose sums are exact, or None where all rows count once."""
    weights = row_weights(sample_weight, table)
    return None if weights is None else countable(weights)


def class_targets(numbers: NDArray[np.intp], n_classes: int) -> list[NDArray[np.float64]]:
    """One target in [0, 1] a graph: the second of two classes, or each of more."""
    classes = [1] if n_classes == 2 else range(n_classes)
    return [(numbers == number).astype(np.float64) for number in classes]


# ---- what can be promised of a graph ----


def _all_numbers(domain: Domain) -> bool:
    """Whether questions are thresholds of numbers that are always there, and no column that varies was left out."""
    varies = [name for name, why in domain.dropped if not why.startswith("constant")]
    return not varies and all(map(_is_number, domain.columns))


def _is_number(column: Column) -> bool:
    whole = column.source is None and not column.missing
    return whole and (isinstance(column, BinColumn) or column.n_codes == 2)


def deviation_of(graph: DecisionGraph, domain: Domain, rows: Rows, delta: float) -> float:
    """How far the error of a graph can be from that on its rows, in units of the scaled target (Kalai, 2005, Thm 3).

    Every row may be a threshold; what is independent are groups, where there are any.
    """
    return graph_deviation(graph.n_nodes, _log_splits(domain, rows.n), rows.n_independent, delta)


def _log_splits(domain: Domain, n: int) -> float:
    """Logarithm of the number of questions a node can ask: thresholds, or sets of levels, and a side for missing."""
    choices = [
        np.log(n) + column.missing * np.log(2) if isinstance(column, BinColumn) else column.n_codes * np.log(2)
        for column in domain.columns
    ]
    return float(np.logaddexp.reduce(choices or [np.log(n)]))
