r"""Newton's method for logistic regression on few terms, with a ridge penalty.

A short model is fitted hundreds of times while it is looked for, mostly from a start that is nearly right: two or three
steps :math:`H^{-1} g`, each halved until the loss falls, cost less there than a general solver takes to set out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg.lapack import dposv

from paclearn.learners.spectral.losses import LadderLoss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.spectral.losses import Loss

__all__ = ["FewTerms"]

_STEPS = 30
_HALVINGS = 20
_PROMISE = 1e-7  # of a step, beside the loss, below which it is not worth going
_NEARLY_THERE = 1e-4  # and below which what is left after it is: Newton's method squares the distance
_JITTERS = (1e-7, 1e-5, 1e-3, 1e-1)  # on the diagonal, until sums in single precision have a Cholesky factor


@dataclass(frozen=True, eq=False)
class FewTerms:
    """Rows x terms, the last of them 1 throughout; targets and shares of the rows; a loss of one score or several.

    Second derivatives are summed in single precision: they say where to go, and how far it is the gradient says.
    """

    matrix: NDArray[np.float32]
    targets: NDArray[np.float64]
    shares: NDArray[np.float64]
    loss: Loss
    penalty: float

    def minimum(self, start: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights, terms x scores, from others."""
        here = self._at(start)
        for _ in range(_STEPS):
            step, promise = self._step(here)
            least = 1e-3 + abs(here.value)
            if promise < _PROMISE * least:
                break
            there = self._down(here, step)
            if there is None:
                break
            here = there
            if promise < _NEARLY_THERE * least:
                break
        return here.weights

    def _down(self, here: _Place, step: NDArray[np.float64]) -> _Place | None:
        """Where the loss is no higher, a step away or a part of it."""
        for halvings in range(_HALVINGS + 1):
            there = self._at(here.weights - step / 2**halvings)
            if there.value <= here.value:
                return there
        return None

    def _at(self, weights: NDArray[np.float64]) -> _Place:
        scores = (self.matrix @ weights.astype(np.float32)).astype(np.float64)
        loss = self.loss.mean(scores, self.targets, self.shares)
        return _Place(weights, scores, loss + self.penalty / 2 * float((weights[:-1] ** 2).sum()))

    def _step(self, here: _Place) -> tuple[NDArray[np.float64], float]:
        """Newton's step, and by about how much it promises to lower the loss."""
        predicted = self.loss.predictions(here.scores)
        slope = ((predicted - self.targets) * self.shares[:, None]).astype(np.float32)
        gradient = (self.matrix.T @ slope).astype(np.float64)
        gradient[:-1] += self.penalty * here.weights[:-1]
        flat = gradient.T.ravel()
        hessian = self._hessian(here.scores, predicted)
        for jitter in _JITTERS:
            raised = hessian.copy()  # symmetric: turned round it is the same, as LAPACK stores it
            raised.reshape(-1)[:: len(raised) + 1] += jitter
            _, found, failed = dposv(raised.T, flat, lower=True, overwrite_a=True)
            if not failed:
                return found.reshape(gradient.T.shape).T, float(flat @ found)
        return np.zeros_like(here.weights), 0.0

    def _hessian(self, scores: NDArray[np.float64], predicted: NDArray[np.float64]) -> NDArray[np.float64]:
        """Second derivatives by all weights, one score after the other."""
        p, k = self.matrix.shape[1], predicted.shape[1]
        found = self._of_one(scores, predicted) if k == 1 else self._of_several(predicted)
        found.reshape(-1)[:: k * p + 1].reshape(k, p)[:, :-1] += self.penalty
        return found

    def _of_one(self, scores: NDArray[np.float64], predicted: NDArray[np.float64]) -> NDArray[np.float64]:
        ordered = isinstance(self.loss, LadderLoss)
        curve = (self.loss.hessian(scores) if ordered else predicted * (1 - predicted))[:, 0] * self.shares
        half = self.matrix * np.sqrt(curve).astype(np.float32)[:, None]
        return (half.T @ half).astype(np.float64)

    def _of_several(self, predicted: NDArray[np.float64]) -> NDArray[np.float64]:
        """All blocks by two products: those on the diagonal have a part more."""
        n, p, k = *self.matrix.shape, predicted.shape[1]
        own = self.matrix[:, None, :] * (predicted * self.shares[:, None]).astype(np.float32)[:, :, None]
        both = self.matrix[:, None, :] * (predicted * np.sqrt(self.shares)[:, None]).astype(np.float32)[:, :, None]
        flat = both.reshape(n, k * p)
        found = -(flat.T @ flat).astype(np.float64).reshape(k, p, k, p)
        found[range(k), :, range(k)] += (self.matrix.T @ own.reshape(n, k * p)).reshape(p, k, p).transpose(1, 0, 2)
        return found.reshape(k * p, k * p)


@dataclass(frozen=True, eq=False)
class _Place:
    """Weights, what they say of every row, and what that costs."""

    weights: NDArray[np.float64]
    scores: NDArray[np.float64]
    value: float
