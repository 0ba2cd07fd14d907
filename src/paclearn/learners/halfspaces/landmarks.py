"""Explicit features, so that the cost grows with the rows and not with their square.

Landmarks are rows drawn at random; ``phi(x) = K(x, landmarks) T`` with ``T' K(landmarks, landmarks) T = 1`` are the
coordinates of psi(x) in the span of theirs (Nystroem's method, Williams and Seeger 2001), so a function of phi of norm
|v| is a function of psi of the same norm: the ball of radius sqrt(B) stays the ball, and what is promised for it stays
true.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import eigh

from paclearn._progress import progress
from paclearn.kernels.dispatch import walk
from paclearn.learners.halfspaces.admm import Factor, Solution, factor_of_features, solve
from paclearn.learners.halfspaces.halfspace_tuning import TUNING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.halfspaces.training_points import Points, Sample
    from paclearn.models.kernel_functions import Kernel

__all__ = ["Landmarks", "fit_features"]


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
        kept = values > TUNING.least_landmark * values[-1]
        return cls(kernel, some.anchors, vectors[:, kept] / np.sqrt(values[kept]))

    def features(self, points: Points) -> NDArray[np.float64]:
        """``phi`` of every row."""
        return np.asarray(self.kernel.matrix(points.rows, self.anchors) @ self.lift)

    def factor(self, points: Points) -> Factor:
        """Of the features of rows, in one matrix."""
        step = TUNING.rows_at_once
        blocks = [self.features(points[i : i + step]) for i in range(0, len(points), step)]
        return factor_of_features(np.concatenate(blocks))


def fit_features(
    landmarks: Landmarks, sample: Sample, *, tolerance: float, max_steps: int, rng: np.random.RandomState
) -> tuple[NDArray[np.float64], Solution, bool]:
    """Coefficients of the landmarks, what was solved on the way, and whether that was the problem of all rows.

    Where the features of all rows do not fit in memory, the problem is solved for as many rows as do, and all rows then
    take the steps of Algorithm 1 from there, one pass, averaged.
    """
    n, most = len(sample), max(1, TUNING.most_features // landmarks.lift.shape[1])
    few = sample[np.arange(n) if n <= most else np.sort(rng.permutation(n)[:most])]
    factor = landmarks.factor(few.points)
    solution = solve(
        factor, few.targets, few.shares, few.radius, loss=few.loss, tolerance=tolerance, max_steps=max_steps
    )
    weights = factor.lift @ solution.weights
    if len(few) == n:
        return landmarks.lift @ weights, solution, True
    # Algorithm 1 steps the distance to go over sqrt(steps); weights of q features from n rows are off by sqrt(q/n)
    rate = np.sqrt(sample.radius / sample.counts.sum()) * min(1.0, np.sqrt(len(weights) / len(few)))
    return landmarks.lift @ _pass(landmarks, sample, rate, weights), solution, False


def _pass(
    landmarks: Landmarks, sample: Sample, rate: NDArray[np.float64], start: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The mean of all classifiers of one pass over all rows, from a start."""
    weights, sums, norm = start, np.zeros_like(start), (start**2).sum(axis=0)
    with progress("one pass over all rows", len(sample)) as advance:
        for begin in range(0, len(sample), TUNING.rows_at_once):
            some = sample[begin : begin + TUNING.rows_at_once]
            features = landmarks.features(some.points)
            for first in range(0, len(some), TUNING.block):
                here = slice(first, first + TUNING.block)
                mine, block = features[here], some[here]
                ahead, gram = mine @ weights, mine @ mine.T
                steps = walk(gram, ahead, block.targets, block.counts, sample.radius, rate, norm, sample.loss.one_sided)
                sums = sums + weights * steps.weight + mine.T @ steps.sums
                weights = weights * steps.shrink + mine.T @ steps.changes
                norm = steps.norm
            advance(len(some))
    return np.asarray(sums / sample.counts.sum())
