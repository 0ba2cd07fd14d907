"""How coarse the weights of a model may be: a power of two, as large as costs next to nothing.

What rounding costs is the mean divergence of what the model says before from what it says after, which is the loss
that it would add were the model true, or the most that this may be. It is never negative, so no lucky row hides what
another pays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import gammaln

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["coarsest_step", "log_binomial", "price_of_integers", "to_multiples"]

_MOST_COST = 1e-6  # the mean over 200 rows left out then moves by about a ten thousandth, up or down
_SMALLEST_WEIGHT = 1e-6
_MOST_HALVINGS = 20


def coarsest_step(largest: float, steps: int, cost: Callable[[float], float]) -> float:
    """The first of the powers of two, from a share of the largest weight downwards, that costs next to nothing."""
    step = 2.0 ** np.ceil(np.log2(max(largest, _SMALLEST_WEIGHT) / steps))
    for _ in range(_MOST_HALVINGS):
        if cost(step) <= _MOST_COST:
            break
        step /= 2
    return float(step)


def to_multiples(numbers: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    """The nearest multiples of a step."""
    return np.round(numbers / step) * step


def price_of_integers(whole: Any) -> float:
    """Nats to write down integers, small ones cheaply: k has the share 1 / (c (|k| + 1)^2) of all codes."""
    return float((2 * np.log(np.abs(whole) + 1) + np.log(np.pi**2 / 3 - 1)).sum())


def log_binomial(n: float, k: float) -> float:
    """Nats to say which k of n things are meant."""
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(max(n - k, 0) + 1)) if 0 < k <= n else 0.0
