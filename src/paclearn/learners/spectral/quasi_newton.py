"""The minimum of a smooth convex function whose coordinates are about round: L-BFGS, with few words about it.

A fit of few rows takes a fraction of a millisecond a step, of which a general solver spends most on itself. Steps go
along :math:`-H g` from length one, with H in the compact form of Byrd, Nocedal and Schnabel (1994, equation 3.1), and
are shortened until the function falls as it promised (Armijo 1966); of a convex function no more is needed for H to
stay positive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg.lapack import dtrtrs

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Value = Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]]]
    Place = tuple[NDArray[np.float64], float, NDArray[np.float64]]  # a point, the value there, and its gradient

__all__ = ["minimum"]

_REMEMBERED = 10  # steps
_PROMISE = 1e-4  # share of what the gradient promises that a step must keep
_PROMISING = 20.0  # of the square of the slopes, twice what the way down would gain were the function round
_NOISE = 1e-7  # of the value: sums are of single precision
_SHORTENINGS = 20
_SHORTEST, _LONGEST = 0.1, 0.5  # of a step that went too far, the next one


def minimum(
    value: Value, first: NDArray[np.float64], steps: int, steepness: float, gain: float, remembered: int = _REMEMBERED
) -> tuple[NDArray[np.float64], int]:
    """A point where no slope exceeds the steepness or steps gain no more than so much, and the steps it took.

    A step across a valley gains little and ends on a slope: what the slopes promise has to be little as well.
    """
    memory = _Memory.of(len(first), remembered)
    here: Place = (first, *value(first))
    for taken in range(steps):
        point, cost, slope = here
        if np.abs(slope).max() <= steepness:
            return point, taken
        there = _step(value, here, memory.direction(slope))
        if there is None:
            return point, taken
        moved, turned = there[0] - point, there[2] - slope
        if moved @ turned > 0:
            memory.add(moved, turned)
        here = there
        little = gain * max(abs(cost), abs(there[1]), 1.0)
        if cost - there[1] <= little and there[2] @ there[2] <= _PROMISING * little:
            return there[0], taken
    return here[0], steps


@dataclass(eq=False)
class _Memory:
    """The last steps and by how much the gradient turned on each, with their inner products."""

    steps: NDArray[np.float64]
    turns: NDArray[np.float64]
    across: NDArray[np.float64]  # step i times turn j, where i is no later than j
    among: NDArray[np.float64]  # turn i times turn j
    kept: int = 0

    @classmethod
    def of(cls, size: int, most: int = _REMEMBERED) -> _Memory:
        """None yet, and room for so many."""
        vectors, products = (most, size), (most, most)
        return cls(np.empty(vectors), np.empty(vectors), np.zeros(products), np.zeros(products))

    def add(self, step: NDArray[np.float64], turn: NDArray[np.float64]) -> None:
        """One more, in place of the oldest where there is no room."""
        if self.kept == len(self.steps):
            for rows in (self.steps, self.turns):
                rows[:-1] = rows[1:]
            for products in (self.across, self.among):
                products[:-1, :-1] = products[1:, 1:].copy()
            self.kept -= 1
        last, self.kept = self.kept, self.kept + 1
        self.steps[last], self.turns[last] = step, turn
        self.across[: self.kept, last] = self.steps[: self.kept] @ turn
        self.among[last, : self.kept] = self.among[: self.kept, last] = self.turns[: self.kept] @ turn

    def direction(self, slope: NDArray[np.float64]) -> NDArray[np.float64]:
        """Minus the inverse of the second derivatives, as far as the steps tell, times the slope."""
        if not self.kept:
            return -slope
        steps, turns = self.steps[: self.kept], self.turns[: self.kept]
        across, among = self.across[: self.kept, : self.kept], self.among[: self.kept, : self.kept]
        size = across[-1, -1] / among[-1, -1]
        along = dtrtrs(across, steps @ slope)[0]
        inside = across.diagonal() * along + size * (among @ along - turns @ slope)
        back = dtrtrs(across, inside, trans=1)[0]
        return np.asarray(size * (along @ turns - slope) - back @ steps)


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
