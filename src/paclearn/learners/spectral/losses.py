"""What a linear model is fitted to minimise: squared error, or the log loss of two or of several classes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from paclearn.models.links import logistic, softmax

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LogLoss", "Loss", "SoftmaxLoss", "SquaredLoss"]

_LEAST_SHARE = 1e-3
_LEAST_HESSIAN = 1e-3


class Loss(ABC):
    """A convex function of scores (rows x outputs) and targets of the same shape."""

    @abstractmethod
    def predictions(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Expected targets."""

    @abstractmethod
    def of_rows(self, scores: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.float64]:
        """The loss of every row."""

    @abstractmethod
    def intercept(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """The best constant scores for these mean targets."""

    def hessian(self, predictions: NDArray[np.float64]) -> NDArray[np.float64]:
        """The second derivative at every row, in every output by itself."""
        return np.maximum(predictions * (1 - predictions), _LEAST_HESSIAN)

    def residuals(self, scores: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.float64]:
        """Target minus prediction, which is minus the gradient: what a further term should explain."""
        return targets - self.predictions(scores)

    def mean(self, scores: NDArray[np.float64], targets: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
        """The weighted mean loss; weights add up to one."""
        return float(weights @ self.of_rows(scores, targets))


class SquaredLoss(Loss):
    """Half the squared difference."""

    def predictions(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return scores

    def of_rows(self, scores: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.float64]:
        return 0.5 * ((scores - targets) ** 2).sum(axis=1)

    def intercept(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        return shares

    def hessian(self, predictions: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.ones_like(predictions)


class LogLoss(Loss):
    """Two classes, one score: minus the log of the probability of what happened."""

    def predictions(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return logistic(scores)

    def of_rows(self, scores: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.float64]:
        return (np.logaddexp(0, scores) - targets * scores)[:, 0]

    def intercept(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        safe = np.clip(shares, _LEAST_SHARE, 1 - _LEAST_SHARE)
        return np.log(safe / (1 - safe))


class SoftmaxLoss(Loss):
    """Several classes, one score each."""

    def predictions(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return softmax(scores)

    def of_rows(self, scores: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.float64]:
        top = scores.max(axis=1)
        logs = top + np.log(np.exp(scores - top[:, None]).sum(axis=1))
        return logs - (scores * targets).sum(axis=1)

    def intercept(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.log(np.maximum(shares, _LEAST_SHARE))
