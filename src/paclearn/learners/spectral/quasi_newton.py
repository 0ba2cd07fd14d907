"""The minimum of a smooth convex function whose coordinates are about round: L-BFGS, with few words about it.

A fit of few rows takes a fraction of a millisecond a step, of which a general solver spends most on itself. Steps go
along :math:`-H g` with the two loops of Nocedal (1980) for H, from length one, and are shortened until the function
falls as it promised (Armijo 1966); of a convex function no more is needed for H to stay positive.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    Value = Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]]]
    Pair = tuple[NDArray[np.float64], NDArray[np.float64], float]
    Place = tuple[NDArray[np.float64], float, NDArray[np.float64]]  # a point, the value there, and its gradient

__all__ = ["minimum"]

_REMEMBERED = 10  # steps
_PROMISE = 1e-4  # share of what the gradient promises that a step must keep
_NOISE = 1e-7  # of the value: sums are of single precision
_SHORTENINGS = 20
_SHORTEST, _LONGEST = 0.1, 0.5  # of a step that went too far, the next one


def minimum(
    value: Value, first: NDArray[np.float64], steps: int, steepness: float, gain: float
) -> tuple[NDArray[np.float64], int]:
    """A point where no slope exceeds the steepness or a step gains no more than so much, and the steps it took."""
    pairs: deque[Pair] = deque(maxlen=_REMEMBERED)
    here: Place = (first, *value(first))
    for taken in range(steps):
        point, cost, slope = here
        if np.abs(slope).max() <= steepness:
            return point, taken
        there = _step(value, here, _direction(pairs, slope))
        if there is None:
            return point, taken
        moved, turned = there[0] - point, there[2] - slope
        if (bend := float(moved @ turned)) > 0:
            pairs.append((moved, turned, 1 / bend))
        here = there
        if cost - there[1] <= gain * max(abs(cost), abs(there[1]), 1.0):
            return there[0], taken
    return here[0], steps


def _direction(pairs: Iterable[Pair], slope: NDArray[np.float64]) -> NDArray[np.float64]:
    """Minus the inverse of the second derivatives, as far as the last steps tell, times the slope."""
    found, along = -slope, []
    for moved, turned, inverse in reversed(pairs := list(pairs)):
        along.append(inverse * (moved @ found))
        found -= along[-1] * turned
    if pairs:
        _, turned, inverse = pairs[-1]
        found /= inverse * (turned @ turned)
    for (moved, turned, inverse), size in zip(pairs, reversed(along), strict=True):
        found += (size - inverse * (turned @ found)) * moved
    return found


def _step(value: Value, here: Place, direction: NDArray[np.float64]) -> Place | None:
    """Where the value is less by what the slope promised, a step away or a part of it."""
    point, cost, slope = here
    promised, length = float(slope @ direction), 1.0
    for _ in range(_SHORTENINGS):
        there = point + length * direction
        found, its_slope = value(there)
        if found <= cost + _PROMISE * length * promised + _NOISE * abs(cost):
            return there, found, its_slope
        bent = 2 * (found - cost - length * promised)  # where the parabola through both values is lowest
        length *= min(max(-promised * length / bent, _SHORTEST), _LONGEST) if np.isfinite(bent) else _SHORTEST
    return None
