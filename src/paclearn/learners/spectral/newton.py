r"""Newton's method for logistic regression on few terms, with a ridge penalty.

A short model is fitted hundreds of times while it is looked for, mostly from a start that is nearly right: two or three
steps :math:`H^{-1} g`, each halved until the loss falls, cost less there than a general solver takes to set out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg.lapack import dposv

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.spectral.losses import Loss

__all__ = ["FewTerms"]

_STEPS = 30
_HALVINGS = 20
_PROMISE = 1e-7  # of a step, beside the loss, below which it is not worth going
_JITTER = 1e-9


@dataclass(frozen=True, eq=False)
class FewTerms:
    """Rows x terms, the last of them 1 throughout; targets and shares of the rows; a loss of one score or several."""

    matrix: NDArray[np.float64]
    targets: NDArray[np.float64]
    shares: NDArray[np.float64]
    loss: Loss
    penalty: float

    def minimum(self, start: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights, terms x scores, from others."""
        weights, here = start, self._value(start)
        for _ in range(_STEPS):
            step, promise = self._step(weights)
            if promise < _PROMISE * (1e-3 + abs(here)):
                break
            there = self._value(weights - step)
            for _ in range(_HALVINGS):
                if there <= here:
                    break
                step /= 2
                there = self._value(weights - step)
            if there > here:
                break
            weights, here = weights - step, there
        return weights

    def _value(self, weights: NDArray[np.float64]) -> float:
        loss = self.loss.mean(self.matrix @ weights, self.targets, self.shares)
        return loss + self.penalty / 2 * float((weights[:-1] ** 2).sum())

    def _step(self, weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
        """Newton's step, and by about how much it promises to lower the loss."""
        predicted = self.loss.predictions(self.matrix @ weights)
        gradient = self.matrix.T @ ((predicted - self.targets) * self.shares[:, None])
        gradient[:-1] += self.penalty * weights[:-1]
        flat = gradient.T.ravel()
        _, found, failed = dposv(self._hessian(predicted), flat)
        if failed:
            return np.zeros_like(weights), 0.0
        return found.reshape(gradient.T.shape).T, float(flat @ found)

    def _hessian(self, predicted: NDArray[np.float64]) -> NDArray[np.float64]:
        """Second derivatives by all weights, one score after the other."""
        p, k = self.matrix.shape[1], predicted.shape[1]
        whole = np.empty((k, p, k, p))
        for one in range(k):
            for other in range(one, k):
                curve = predicted[:, one] * ((one == other) - predicted[:, other]) * self.shares
                whole[one, :, other] = (self.matrix * curve[:, None]).T @ self.matrix
                whole[other, :, one] = whole[one, :, other].T
        held = np.full(p, self.penalty)
        held[-1] = 0
        found = whole.reshape(k * p, k * p)
        found[np.diag_indices(k * p)] += np.tile(held, k) + _JITTER
        return found
