"""Tens of thousands of terms: weights by stochastic steps, from terms that are made a few rows at a time.

With 45 000 terms no second derivative can be kept, and 60 000 rows of them would fill 11 GB. scikit-learn's solvers
(saga, lbfgs), skglm and celer all want that matrix whole; its ``SGDClassifier`` takes rows in parts, but one class
against the rest and row by row. So this is ours: Adam over small batches, with a step that shrinks to nothing. The
terms of a batch are made a few hundred at a time, twice: the processor's cache holds those, and memory is slower than
making them anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paclearn._progress import progress
from paclearn.learners.spectral.descent import LinearFit
from paclearn.learners.spectral.tuning import TUNING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from paclearn.learners.spectral.ridge import RidgeProblem

__all__ = ["fit_by_steps"]


def fit_by_steps(problem: RidgeProblem, penalty: float, rng: np.random.RandomState) -> LinearFit:
    """About the minimum that `RidgeProblem.solve` finds, in six passes over the rows; more where they are few."""
    matrix, mean = problem.matrix, problem.mean
    start = problem.constant()
    weights, shift = _Moved(start.weights.copy()), _Moved(start.intercept.copy())
    counts = problem.row_weights * len(problem.row_weights)
    batches = list(_batches(len(counts), rng))
    with progress("Fitting weights", len(batches)) as done:
        for place, rows in enumerate(batches):
            scores = matrix.times_of(rows, weights.values) + (shift.values - mean @ weights.values)
            by_score = -problem.loss.residuals(scores, problem.targets[rows]) * counts[rows, None] / len(rows)
            total, step = by_score.sum(axis=0), TUNING.learning_rate * (1 - place / len(batches))
            by_weight = matrix.transposed_times_of(rows, by_score.astype(np.float32)) - np.outer(mean, total)
            weights.move(by_weight + penalty * weights.values, step)
            shift.move(total, step)
            done(1)
    return LinearFit(weights.values, shift.values - mean @ weights.values)


def _batches(n: int, rng: np.random.RandomState) -> Iterator[NDArray[np.intp]]:
    parts = max(1, round(n / TUNING.batch))
    for _ in range(max(TUNING.passes, -(-TUNING.least_steps // parts))):
        yield from np.array_split(rng.permutation(n), parts)


@dataclass(eq=False)
class _Moved:
    """Values, with running means of their gradients and of the squares of these (Adam, Kingma and Ba 2015)."""

    values: NDArray[np.float64]
    steps: int = 0

    def __post_init__(self) -> None:
        self.mean, self.square = np.zeros_like(self.values), np.zeros_like(self.values)

    def move(self, gradient: NDArray[np.float64], rate: float) -> None:
        """A step against the mean gradient."""
        self.steps += 1
        self.mean += 0.1 * (gradient - self.mean)
        self.square += 0.001 * (gradient**2 - self.square)
        deviation = np.sqrt(self.square / (1 - 0.999**self.steps)) + 1e-8
        self.values -= rate * (self.mean / (1 - 0.9**self.steps) / deviation)
