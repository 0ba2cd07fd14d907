"""Tens of thousands of terms: weights by stochastic steps, from terms that are made a few rows at a time.

With 45 000 terms no second derivative can be kept, and 60 000 rows of them would fill 11 GB. scikit-learn's solvers
(saga, lbfgs), skglm and celer all want that matrix whole; its ``SGDClassifier`` takes rows in parts, but one class
against the rest and row by row. So this is ours: Adam over small batches, with a step that shrinks to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from paclearn._progress import progress
from paclearn.learners.spectral.ridge import LinearFit
from paclearn.learners.spectral.tuning import TUNING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from paclearn.learners.spectral.ridge import RidgeProblem

__all__ = ["fit_by_steps"]


def fit_by_steps(problem: RidgeProblem, penalty: float, rng: np.random.RandomState) -> LinearFit:
    """About the minimum that `RidgeProblem.solve` finds, in six passes over the rows; more where they are few."""
    matrix = problem.whole_matrix
    mean = problem.mean.astype(np.float32)[:, None]
    start = problem.constant()
    weights = np.zeros(start.weights.shape, dtype=np.float32)
    shift = start.intercept.astype(np.float32)
    movers = _Adam.like(weights), _Adam.like(shift)
    counts = (problem.row_weights * len(problem.row_weights)).astype(np.float32)
    batches = list(_batches(len(counts), rng))
    with progress("Fitting weights", len(batches)) as done:
        for place, rows in enumerate(batches):
            terms = matrix.columns(rows)
            terms -= mean
            scores = (terms.T @ weights + shift).astype(np.float64)
            gradient = -problem.loss.residuals(scores, problem.targets[rows]) * counts[rows, None] / len(rows)
            single = gradient.astype(np.float32)
            step = TUNING.learning_rate * (1 - place / len(batches))
            weights -= step * movers[0].direction(terms @ single + np.float32(penalty) * weights)
            shift -= step * movers[1].direction(single.sum(axis=0))
            done(1)
    final = weights.astype(np.float64)
    return LinearFit(final, shift - problem.mean @ final)


def _batches(n: int, rng: np.random.RandomState) -> Iterator[NDArray[np.intp]]:
    parts = max(1, round(n / TUNING.batch))
    for _ in range(max(TUNING.passes, -(-TUNING.least_steps // parts))):
        yield from np.array_split(rng.permutation(n), parts)


@dataclass(eq=False)
class _Adam:
    """Running means of gradients and of their squares."""

    mean: NDArray[np.float32]
    square: NDArray[np.float32]
    steps: int = field(default=0)

    @classmethod
    def like(cls, values: NDArray[np.float32]) -> _Adam:
        return cls(np.zeros_like(values), np.zeros_like(values))

    def direction(self, gradient: NDArray[np.float32]) -> NDArray[np.float32]:
        self.steps += 1
        self.mean += np.float32(0.1) * (gradient - self.mean)
        self.square += np.float32(0.001) * (gradient**2 - self.square)
        deviation = np.sqrt(self.square / np.float32(1 - 0.999**self.steps)) + np.float32(1e-8)
        return self.mean / np.float32(1 - 0.9**self.steps) / deviation
