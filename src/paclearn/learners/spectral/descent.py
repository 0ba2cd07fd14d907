"""Weights that make a loss and a ridge penalty small together, whatever the rows are: here, on disk, or on workers.

L-BFGS in coordinates in which the problem is about round; they are looked for again where it is slow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from paclearn.learners.spectral.quasi_newton import minimum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.spectral.curvature import Axes, Factors, Scales

    Coordinates = Factors | Axes | Scales

__all__ = ["GAIN_ON_THE_WAY", "ROUNDS", "TOLERANCE", "Descending", "LinearFit", "minimise"]

TOLERANCE, GAIN = 3e-4, 3e-6  # of the slopes, and of the loss, at which a fit is done,
GAIN_ON_THE_WAY = 3e-5  # and at which a model is good enough to go on from to others
ROUNDS = 3


@dataclass(frozen=True, eq=False)
class LinearFit:
    """Weights (terms x outputs) and intercepts."""

    weights: NDArray[np.float64]
    intercept: NDArray[np.float64]

    def scores(self, matrix: Any) -> NDArray[np.float64]:
        """What it says of the rows of a matrix of terms."""
        found: NDArray[np.float64] = matrix.times(self.weights) + self.intercept
        return found


class Descending(Protocol):
    """A loss over rows, as a function of weights and intercepts."""

    @property
    def mean(self) -> NDArray[np.float64]:
        """Of every term."""
        ...

    @property
    def nearness(self) -> float:
        """How near to the minimum it is to be fitted; 1 as usual."""
        ...

    def at(self, fit: LinearFit) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        """The mean loss, and its gradient by the weights and by the intercepts."""
        ...

    def coordinates(self, penalty: float, start: LinearFit) -> tuple[Coordinates, int, NDArray[np.float64]]:
        """Coordinates, how many steps to take in them, and roots of second derivatives by the intercepts."""
        ...

    def forget(self) -> None:
        """What was known of second derivatives is of no use any more."""
        ...


def minimise(loss: Descending, penalty: float, start: LinearFit, gain: float = GAIN) -> LinearFit:
    """The minimum of a loss and half the penalty times the squared weights."""
    fit = start
    for _ in range(ROUNDS):
        fit, done = _descend(loss, penalty, fit, gain)
        if done:
            break
        loss.forget()
    return fit


def _descend(loss: Descending, penalty: float, start: LinearFit, gain: float) -> tuple[LinearFit, bool]:
    p, k = start.weights.shape
    mean = loss.mean
    factors, steps, root_hessian = loss.coordinates(penalty, start)

    def value(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights = factors.out_of(point[:-k].reshape(p, k))
        lost, slopes, total = loss.at(LinearFit(weights, point[-k:] / root_hessian - mean @ weights))
        gradient = slopes - np.outer(mean, total) + penalty * weights
        whole = np.concatenate([factors.gradient(gradient).ravel(), total / root_hessian])
        return lost + penalty / 2 * float((weights**2).sum()), whole

    centred = start.intercept + mean @ start.weights
    first = np.concatenate([factors.into(start.weights).ravel(), centred * root_hessian])
    found, taken = minimum(value, first, steps, loss.nearness * TOLERANCE, loss.nearness * gain)
    weights = factors.out_of(found[:-k].reshape(p, k))
    return LinearFit(weights, found[-k:] / root_hessian - mean @ weights), taken < steps
