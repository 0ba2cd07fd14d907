"""One output of an ensemble: which way to put graphs together, how many and how large, and then the graphs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.distinct import DistinctRows
from paclearn.learners.graphs.bagging import Lot, bag, bag_sizes, boost, boost_errors
from paclearn.models.graph_mean import GraphSum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.encoding.bins import BinnedTable
    from paclearn.learners.graphs.stopping import ScaledTarget

__all__ = ["Output", "Plan", "fit_output"]

_BAGGED, _MOST_BOOSTED = 50, 500
_BOOST_SPLITS = 60
_PATIENCE = 25
_FEW_ROWS, _REPEATS = 3000, 3
_BOOST_LEAST_WEIGHT = 5


@dataclass(frozen=True)
class Plan:
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


@dataclass(frozen=True, eq=False)
class Output:
    """The graphs; how they were put together; error on rows left out by method; out-of-bag predictions of all rows."""

    sum: GraphSum
    method: str
    errors: dict[str, float]
    out_of_bag: NDArray[np.float64] | None


def fit_output(table: BinnedTable, target: ScaledTarget, plan: Plan, rng: np.random.RandomState) -> Output:
    """Draw rows by what they hold, tune on some of them, and fit to all."""
    kinds = DistinctRows.in_order(table.codes.T, target.values, target.weights)
    n_columns = max(1, len(table.domain.columns))
    some = plan.max_features or max(2, int(np.ceil(np.sqrt(n_columns))))
    distinct = table.take(kinds.first)
    lot = Lot(distinct, target.scaled[kinds.first], kinds.weights, plan.merge, plan.least_weight, some)
    half = plan.max_features or max(2, n_columns // 2)
    boosting = replace(lot, max_features=half, least_weight=max(plan.least_weight, _BOOST_LEAST_WEIGHT))
    tuned = _tune(lot, boosting, plan, rng)
    if tuned.method == "bagging":
        return _bagged(lot, target, plan, tuned, rng, kinds.kind)
    return _boosted(boosting, target, plan, tuned, rng)


@dataclass(frozen=True)
class _Tuned:
    method: str
    n_splits: int
    n_graphs: int
    errors: dict[str, float]


def _tune(lot: Lot, boosting: Lot, plan: Plan, rng: np.random.RandomState) -> _Tuned:
    """Sizes and the method that predict rows left out best; where rows are few, left out three times over."""
    n_bagged, most = plan.n_estimators or _BAGGED, plan.n_estimators or _MOST_BOOSTED
    n_splits, n_boosted = plan.max_splits or 1, most
    if len(lot.scaled) < 2:  # one kind of row: nothing to learn
        return _Tuned("bagging", 1, n_bagged, {})
    parts = [_parts(len(lot.scaled), plan, rng) for _ in range(_REPEATS if len(lot.scaled) < _FEW_ROWS else 1)]
    errors: dict[str, float] = {}
    if plan.method != "boosting" and (plan.max_splits is None or plan.method == "auto"):
        sizes = _bag_sizes(lot, parts, n_bagged, rng)
        best = min(sizes, key=sizes.__getitem__)
        n_splits, errors["bagging"] = plan.max_splits or best, sizes[best]
    if plan.method != "bagging":
        found = _boost_errors(boosting, parts, plan, most, rng)
        n_boosted, errors["boosting"] = int(np.argmin(found)), float(found.min())
    method = min(errors, key=errors.__getitem__) if plan.method == "auto" else plan.method
    if method == "bagging":
        return _Tuned(method, n_splits, n_bagged, errors)
    return _Tuned(method, plan.max_splits or _BOOST_SPLITS, n_boosted, errors)


def _parts(n: int, plan: Plan, rng: np.random.RandomState) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows to learn from and rows left out."""
    n_out = min(max(1, round(plan.validation_fraction * n)), n - 1)
    order = rng.permutation(n)
    return np.sort(order[n_out:]), np.sort(order[:n_out])


def _bag_sizes(lot: Lot, parts: list[Any], n_graphs: int, rng: np.random.RandomState) -> dict[int, float]:
    """Mean error by size; where one of them stopped early its last error stands in."""
    found = [bag_sizes(lot.take(kept), lot.take(out), n_graphs, rng) for kept, out in parts]
    sizes = sorted(set().union(*found))
    return {size: float(np.mean([one.get(size, one[max(one)]) for one in found])) for size in sizes}


def _boost_errors(lot: Lot, parts: list[Any], plan: Plan, most: int, rng: np.random.RandomState) -> NDArray[np.float64]:
    """Mean error after 0, 1, 2, ... graphs; where one of them stopped early its last error stands in."""
    each, rate = plan.max_splits or _BOOST_SPLITS, plan.learning_rate
    found = [boost_errors(lot.take(kept), lot.take(out), most, each, rate, _PATIENCE, rng) for kept, out in parts]
    longest = max(map(len, found))
    return np.mean([one + one[-1:] * (longest - len(one)) for one in found], axis=0)


def _bagged(
    lot: Lot, target: ScaledTarget, plan: Plan, tuned: _Tuned, rng: np.random.RandomState, kind: NDArray[np.intp]
) -> Output:
    found = bag(lot, tuned.n_graphs, tuned.n_splits, rng, plan.n_jobs)
    graphs = tuple(graph.rescaled(target.low, target.unit) for graph in found.graphs)
    mean = GraphSum(graphs, 0.0, 1 / len(graphs), target.low, target.low + target.unit)
    return Output(mean, "bagging", _in_units(tuned, target), (target.low + target.unit * found.out_of_bag)[kind])


def _boosted(lot: Lot, target: ScaledTarget, plan: Plan, tuned: _Tuned, rng: np.random.RandomState) -> Output:
    found = boost(lot, tuned.n_graphs, tuned.n_splits, plan.learning_rate, rng)
    graphs = tuple(graph.rescaled(0.0, target.unit) for graph in found.graphs)
    base = target.low + target.unit * found.base
    total = GraphSum(graphs, base, plan.learning_rate, target.low, target.low + target.unit)
    return Output(total, "boosting", _in_units(tuned, target), None)


def _in_units(tuned: _Tuned, target: ScaledTarget) -> dict[str, float]:
    return {method: error * target.unit**2 for method, error in tuned.errors.items()}
