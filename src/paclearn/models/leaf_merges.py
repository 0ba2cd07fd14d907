"""Which leaves to merge after a split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MergePlan", "merge_costs", "plan_merges"]

_NEARLY = 1 - 1e-9


def _without(values: NDArray[Any], place: int) -> NDArray[Any]:
    """``np.delete``, which takes longer than a round of growth should."""
    return np.concatenate([values[:place], values[place + 1 :]])


@dataclass(frozen=True, eq=False)
class MergePlan:
    """Runs of neighbours that become one leaf each: their first members, weights and sums. What that costs in all."""

    starts: NDArray[np.intp]
    weights: NDArray[np.float64]
    sums: NDArray[np.float64]
    cost: float


def merge_costs(weights: NDArray[np.float64], sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """``w_i w_j / (w_i + w_j) (p_i - p_j)^2`` of all neighbours, Kalai (2005), equation (4)."""
    w, v, s, t = weights[:-1], weights[1:], sums[:-1], sums[1:]
    apart = s * v - t * w
    return apart * apart / (w * v * (w + v))


def plan_merges(
    weights: NDArray[np.float64], sums: NDArray[np.float64], allowance: float, gain: float, most: int | None
) -> MergePlan | None:
    """Merge the cheapest neighbours while all costs together stay within the allowance.

    Leaves come sorted by value, and stay so: a merged leaf lies between the two. Where more than ``most`` would be
    left, merging goes on as long as the round still gains; None where that does not do.
    """
    starts, weights, sums = np.arange(len(weights)), weights.copy(), sums.copy()
    costs, spent = merge_costs(weights, sums), 0.0
    while len(costs):
        place = int(costs.argmin())
        too_many = most is not None and len(weights) > most
        if spent + costs[place] > (gain * _NEARLY if too_many else allowance):
            break
        spent += float(costs[place])
        weights[place] += weights[place + 1]
        sums[place] += sums[place + 1]
        starts, weights, sums = (_without(values, place + 1) for values in (starts, weights, sums))
        costs = merge_costs(weights, sums)
    return None if most is not None and len(weights) > most else MergePlan(starts, weights, sums, spent)
