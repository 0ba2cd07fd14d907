"""Few rows along the principal axes of their terms, where second derivatives are about diagonal in every output.

A short model of many classes is fitted thousands of times to few rows, so that a step is dearer by what numpy spends on
every call than by its sums. Outputs come first here, and the intercept is one axis more on which all rows are one: one
product says the scores, another the slopes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from paclearn.learners.spectral.curvature import Scales
from paclearn.learners.spectral.descent import ROUNDS, TOLERANCE, LinearFit
from paclearn.learners.spectral.quasi_newton import minimum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.spectral.ridge import RidgeProblem

__all__ = ["AlongAxes", "minimised_along"]

_STEPS = 60  # before curvatures are looked at again
_REMEMBERED = 5  # steps: twice as many save none here, and are as dear as the rows


@dataclass(frozen=True, eq=False)
class AlongAxes:
    """Rows along the axes of their terms, less their mean, and a one; and the squares of these."""

    rows: NDArray[np.float32]
    squares: NDArray[np.float32]

    @classmethod
    def of(cls, centred: NDArray[np.float32]) -> Self:
        """From the rows along the axes."""
        rows = np.hstack([centred, np.ones((len(centred), 1), dtype=np.float32)])
        return cls(rows, rows**2)

    def scores(self, weights: NDArray[np.float64]) -> NDArray[Any]:
        """Of weights, outputs x axes: rows x outputs, one output after the other, in single precision."""
        found: NDArray[Any] = (weights.astype(np.float32) @ self.rows.T).T
        return found


def minimised_along(
    along: AlongAxes, problem: RidgeProblem, penalty: float, start: LinearFit, gain: float
) -> LinearFit:
    """The minimum of the loss and half the penalty times the squared weights, but for those of the ones."""
    weights = np.column_stack([start.weights.T, start.intercept])
    for _ in range(ROUNDS):
        weights, done = _descended(along, problem, penalty, weights, gain)
        if done:
            break
    return LinearFit(weights[:, :-1].T, weights[:, -1])


def _descended(
    along: AlongAxes, problem: RidgeProblem, penalty: float, start: NDArray[np.float64], gain: float
) -> tuple[NDArray[np.float64], bool]:
    hessian = problem.loss.hessian(along.scores(start).astype(np.float64)) * problem.row_weights[:, None]
    steepness = (hessian.T.astype(np.float32) @ along.squares).astype(np.float64)
    roots = Scales.of(steepness, penalty).roots.ravel()
    roots.reshape(start.shape)[:, -1] = np.sqrt(steepness[:, -1])
    ridge = np.append(np.full(start.shape[1] - 1, penalty), 0.0)
    targets, shares, descent = problem.targets_by_output, problem.row_weights, problem.loss.descent

    def value(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights = (point / roots).reshape(start.shape)
        lost, slopes = descent(along.scores(weights), targets, shares)
        held_back = weights * ridge
        gradient = slopes.T @ along.rows + held_back
        return lost + 0.5 * float(np.vdot(weights, held_back)), gradient.ravel() / roots

    found, taken = minimum(value, start.ravel() * roots, _STEPS, TOLERANCE, gain, _REMEMBERED)
    return (found / roots).reshape(start.shape), taken < _STEPS
