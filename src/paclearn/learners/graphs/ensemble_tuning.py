"""One output of an ensemble: bagged graphs or boosted ones, how many and how large; and then the graphs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from paclearn.encoding.distinct import DistinctRows
from paclearn.learners.graphs.axis_splits import BinnedRows
from paclearn.learners.graphs.ensemble_growth import Sample, bag, bagging_errors, boost, boosting_errors
from paclearn.learners.graphs.graph_tuning import TUNING
from paclearn.models.graph_sum import GraphSum

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.bins import BinnedTable
    from paclearn.encoding.folds import Draws, Split
    from paclearn.learners.graphs.scaled_target import ScaledTarget

__all__ = ["EnsemblePlan", "Output", "fit_output"]


@dataclass(frozen=True)
class EnsemblePlan:
    """What the parameters of an ensemble say."""

    method: str
    n_estimators: int | None
    max_splits: int | None
    max_features: int | None
    merge: float
    least_weight: float
    learning_rate: float
    validation_fraction: float
    n_jobs: int | None

    @property
    def boosted_splits(self) -> int:
        """Splits of every boosted graph."""
        return self.max_splits or TUNING.boosted_splits


@dataclass(frozen=True, eq=False)
class Output:
    """The graphs; bagged or boosted; error on rows left out by method; out-of-bag predictions of all rows."""

    sum: GraphSum
    method: str
    errors: dict[str, float]
    out_of_bag: NDArray[np.float64] | None


def fit_output(table: BinnedTable, target: ScaledTarget, plan: EnsemblePlan, rng: np.random.RandomState) -> Output:
    """Draw rows by what they hold, tune on some of them, and fit to all."""
    kinds = DistinctRows.in_order(table.codes.T, target.values, target.weights, target.groups)
    n_columns = max(1, len(table.domain.columns))
    some = plan.max_features or max(2, int(np.ceil(np.sqrt(n_columns))))
    draws = kinds.draws.uncopied()  # a side of ten copies of two rows is a side of two rows
    distinct = BinnedRows(table.take(kinds.first), target.scaled[kinds.first], draws.weights, kinds.groups)
    bagging = Sample(distinct, plan.merge, plan.least_weight, some, float(draws.weights.sum()) / draws.n)
    half = plan.max_features or max(2, n_columns // 2)
    least = max(plan.least_weight, TUNING.boosted_side_weight)
    boosting = replace(bagging, max_features=half, least_weight=least)
    tuned = _tune(bagging, boosting, draws, plan, rng)
    if tuned.method == "bagging":
        return _bagged(bagging, target, plan, tuned, rng, kinds.kind)
    return _boosted(boosting, target, plan, tuned, rng)


# ---- choosing ----


@dataclass(frozen=True)
class _Tuned:
    method: str
    n_splits: int
    n_graphs: int
    errors: dict[str, float]


def _tune(bagging: Sample, boosting: Sample, draws: Draws, plan: EnsemblePlan, rng: np.random.RandomState) -> _Tuned:
    """Sizes and the method that predict rows left out best; where rows are few, left out three times over."""
    n, n_bagged = min(bagging.rows.n, draws.n_independent), plan.n_estimators or TUNING.n_bagged
    n_splits, n_boosted = plan.max_splits or 1, plan.n_estimators or TUNING.most_boosted
    if n < 2:  # one kind of row: nothing to learn
        return _Tuned("bagging", 1, n_bagged, {})
    splits = [_split(draws, plan, rng) for _ in range(TUNING.repeats if n < TUNING.few_rows else 1)]
    errors: dict[str, float] = {}
    if plan.method != "boosting" and (plan.max_splits is None or plan.method == "auto"):
        sizes = _errors_by_size(bagging, splits, n_bagged, rng)
        best = min(sizes, key=sizes.__getitem__)
        n_splits, errors["bagging"] = plan.max_splits or best, sizes[best]
    if plan.method != "bagging":
        found = _errors_by_graphs(boosting, splits, plan, n_boosted, rng)
        n_boosted, errors["boosting"] = int(np.argmin(found)), float(found.min())
    method = min(errors, key=errors.__getitem__) if plan.method == "auto" else plan.method
    if method == "bagging":
        return _Tuned(method, n_splits, n_bagged, errors)
    return _Tuned(method, plan.boosted_splits, n_boosted, errors)


def _split(draws: Draws, plan: EnsemblePlan, rng: np.random.RandomState) -> Split:
    n_out = min(max(1, round(plan.validation_fraction * draws.n)), draws.n - 1)
    return draws.split(draws.drawn(n_out, rng))


def _errors_by_size(
    sample: Sample, splits: Sequence[Split], n_graphs: int, rng: np.random.RandomState
) -> dict[int, float]:
    """Mean error of bagged graphs by size; where one of them stopped early its last error stands in."""
    found = [bagging_errors(sample.part(split.train), sample.rows.part(split.held), n_graphs, rng) for split in splits]
    sizes = sorted(set().union(*found))
    return {size: float(np.mean([one.get(size, one[max(one)]) for one in found])) for size in sizes}


def _errors_by_graphs(
    sample: Sample, splits: Sequence[Split], plan: EnsemblePlan, most: int, rng: np.random.RandomState
) -> NDArray[np.float64]:
    """Mean error after 0, 1, 2, ... boosted graphs; where one of them stopped early its last error stands in."""
    each, rate = plan.boosted_splits, plan.learning_rate
    parts = [(sample.part(split.train), sample.rows.part(split.held)) for split in splits]
    found = [boosting_errors(some, out, most, each, rate, rng) for some, out in parts]
    longest = max(map(len, found))
    return np.mean([one + one[-1:] * (longest - len(one)) for one in found], axis=0)


# ---- fitting to all rows ----


def _bagged(
    sample: Sample,
    target: ScaledTarget,
    plan: EnsemblePlan,
    tuned: _Tuned,
    rng: np.random.RandomState,
    kind: NDArray[np.intp],
) -> Output:
    found = bag(sample, tuned.n_graphs, tuned.n_splits, rng, plan.n_jobs)
    graphs = tuple(graph.rescaled(target.low, target.unit) for graph in found.graphs)
    mean = GraphSum(graphs, 0.0, 1 / len(graphs), target.low, target.low + target.unit)
    return Output(mean, "bagging", _in_units(tuned, target), (target.low + target.unit * found.out_of_bag)[kind])


def _boosted(
    sample: Sample, target: ScaledTarget, plan: EnsemblePlan, tuned: _Tuned, rng: np.random.RandomState
) -> Output:
    found = boost(sample, tuned.n_graphs, tuned.n_splits, plan.learning_rate, rng)
    graphs = tuple(graph.rescaled(0.0, target.unit) for graph in found.graphs)
    base = target.low + target.unit * found.base
    total = GraphSum(graphs, base, plan.learning_rate, target.low, target.low + target.unit)
    return Output(total, "boosting", _in_units(tuned, target), None)


def _in_units(tuned: _Tuned, target: ScaledTarget) -> dict[str, float]:
    return {method: error * target.unit**2 for method, error in tuned.errors.items()}
