"""Explicit features, so that the cost grows with the rows and not with their square.

Landmarks are rows drawn at random; ``phi(x) = K(x, landmarks) T`` with ``T' K(landmarks, landmarks) T = 1`` are the
coordinates of psi(x) in the span of theirs (Nystroem's method), so a function of phi of norm |v| is a function of psi
of the same norm: the ball of radius sqrt(B) stays the ball, and what is promised for it stays true.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import eigh

from paclearn._progress import progress
from paclearn.kernels.dispatch import walk
from paclearn.learners.halfspaces.batch import Factor, Solution, factor_of_features, solve
from paclearn.learners.halfspaces.online import BLOCK

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.models.kernel_functions import Kernel, Points

__all__ = ["Landmarks", "fit_features"]

_LEAST = 1e-10
_MOST_VALUES = 2 * 10**7  # features kept in memory at once
_ROWS_AT_ONCE = 32 * BLOCK


@dataclass(frozen=True, eq=False)
class Landmarks:
    """The rows that span the features, and T."""

    kernel: Kernel
    anchors: NDArray[np.float64]
    lift: NDArray[np.float64]

    @classmethod
    def draw(cls, kernel: Kernel, points: Points, n_landmarks: int, rng: np.random.RandomState) -> Landmarks:
        """Some of the rows, drawn at random; all of them where there are no more."""
        n = min(n_landmarks, len(points))
        some = points[np.sort(rng.permutation(len(points))[:n])]
        values, vectors = eigh(kernel.matrix(some.rows, some.anchors), driver="evd")
        kept = values > _LEAST * values[-1]
        return cls(kernel, some.anchors, vectors[:, kept] / np.sqrt(values[kept]))

    def features(self, points: Points) -> NDArray[np.float64]:
        """``phi`` of every row."""
        return np.asarray(self.kernel.matrix(points.rows, self.anchors) @ self.lift)

    def factor(self, points: Points) -> Factor:
        """Of the features of rows, in one matrix."""
        blocks = [self.features(points[i : i + _ROWS_AT_ONCE]) for i in range(0, len(points), _ROWS_AT_ONCE)]
        return factor_of_features(np.concatenate(blocks))


def fit_features(
    landmarks: Landmarks,
    points: Points,
    targets: NDArray[np.float64],
    counts: NDArray[np.float64],
    radius: NDArray[np.float64],
    *,
    tolerance: float,
    max_steps: int,
    rng: np.random.RandomState,
) -> tuple[NDArray[np.float64], Solution, bool]:
    """Coefficients of the landmarks, what was solved on the way, and whether that was the problem of all rows.

    Where the features of all rows do not fit in memory, the problem is solved for as many rows as do, and all rows then
    take the paper's steps from there, one pass, averaged.
    """
    most = max(1, _MOST_VALUES // landmarks.lift.shape[1])
    some = np.arange(len(points)) if len(points) <= most else np.sort(rng.permutation(len(points))[:most])
    factor = landmarks.factor(points[some])
    shares = counts[some] / counts[some].sum()
    solution = solve(factor, targets[some], shares, radius, tolerance=tolerance, max_steps=max_steps)
    weights = factor.lift @ solution.weights
    if len(some) == len(points):
        return landmarks.lift @ weights, solution, True
    # the paper's step is the distance to go over sqrt(steps); weights of q features from n rows are off by sqrt(q/n)
    rate = np.sqrt(radius / counts.sum()) * min(1.0, np.sqrt(len(weights) / len(some)))
    return landmarks.lift @ _pass(landmarks, points, targets, counts, radius, rate, weights), solution, False


def _pass(
    landmarks: Landmarks,
    points: Points,
    targets: NDArray[np.float64],
    counts: NDArray[np.float64],
    radius: NDArray[np.float64],
    rate: NDArray[np.float64],
    start: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The mean of all classifiers of one pass over all rows, from a start."""
    weights, sums, norm = start, np.zeros_like(start), (start**2).sum(axis=0)
    with progress("one pass over all rows", len(points)) as advance:
        for begin in range(0, len(points), _ROWS_AT_ONCE):
            block = landmarks.features(points[begin : begin + _ROWS_AT_ONCE])
            for first in range(0, len(block), BLOCK):
                mine = block[first : first + BLOCK]
                here = slice(begin + first, begin + first + len(mine))
                steps = walk(mine @ mine.T, mine @ weights, targets[here], counts[here], radius, rate, norm)
                sums = sums + weights * steps.weight + mine.T @ steps.sums
                weights = weights * steps.shrink + mine.T @ steps.changes
                norm = steps.norm
            advance(len(block))
    return sums / counts.sum()
