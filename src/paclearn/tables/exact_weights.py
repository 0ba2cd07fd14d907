"""Weights of rows whose sums are exact."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paclearn.tables.table import relative_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["countable", "step_of"]

_FINEST = 2.0**-40
_MOST_ROWS = 2.0**31  # of a table


def step_of(total: float) -> float:
    """A power of two so large that sums of its multiples, up to the total, are exact."""
    return float(max(2.0 ** (np.ceil(np.log2(max(total, 1.0))) - 52), _FINEST))


def countable(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights rounded to multiples of such a step; nought where a row is too light to count beside the others.

    Whole numbers that no table has rows for say how much rows count in proportion, like weights that are not whole.
    """
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    if total > _MOST_ROWS:
        return countable(relative_weights(weights))
    step = step_of(total)
    rounded = np.round(weights / step) * step
    if np.count_nonzero(rounded) == np.count_nonzero(weights):
        return rounded
    return countable(relative_weights(rounded))  # one a row on average, of the rows that are left
