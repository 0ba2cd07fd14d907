"""What a linear model is fitted to minimise: squared error, a deviance, or the log loss of two or several classes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from paclearn.models.links import logistic, softmax

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["GammaLoss", "LogLoss", "Loss", "PoissonLoss", "SoftmaxLoss", "SquaredLoss"]

_LEAST_SHARE = 1e-3
_LEAST_HESSIAN = 1e-3
_LEAST_MEAN = 1e-9
_MOST_LOG = 30.0  # a score beyond is as good as infinite, and its exponential still a number


class Loss(ABC):
    """A convex function of scores (rows x outputs) and targets of the same shape."""

    saturates: ClassVar[bool] = True  # whether all scores beyond some size mean "surely"

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

    def dispersion(
        self,
        targets: NDArray[np.float64],  # noqa: ARG002 - others need them
        predictions: NDArray[np.float64],
        shares: NDArray[np.float64],  # noqa: ARG002
    ) -> NDArray[np.float64]:
        """How many times the variance that the loss takes for granted the targets have, in every output."""
        return np.ones(predictions.shape[1])

    def residuals(self, scores: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.float64]:
        """Target minus prediction, which is minus the gradient: what a further term should explain."""
        return targets - self.predictions(scores)

    def mean(self, scores: NDArray[np.float64], targets: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
        """The weighted mean loss; weights add up to one."""
        return float(weights @ self.of_rows(scores, targets))


class SquaredLoss(Loss):
    """Half the squared difference."""

    saturates = False

    def predictions(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return scores

    def of_rows(self, scores: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.float64]:
        return 0.5 * ((scores - targets) ** 2).sum(axis=1)

    def intercept(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        return shares

    def hessian(self, predictions: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.ones_like(predictions)

    def dispersion(
        self, targets: NDArray[np.float64], predictions: NDArray[np.float64], shares: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        return shares @ (targets - predictions) ** 2


class PoissonLoss(Loss):
    """Half the Poisson deviance, up to what the targets alone decide; the score is the log of the mean."""

    saturates = False

    def predictions(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.exp(np.clip(scores, -_MOST_LOG, _MOST_LOG))

    def of_rows(self, scores: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.float64]:
        return (self.predictions(scores) - targets * scores).sum(axis=1)

    def intercept(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.log(np.maximum(shares, _LEAST_MEAN))

    def hessian(self, predictions: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.maximum(predictions, _LEAST_HESSIAN)

    def dispersion(
        self, targets: NDArray[np.float64], predictions: NDArray[np.float64], shares: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        return shares @ ((targets - predictions) ** 2 / np.maximum(predictions, _LEAST_MEAN))


class GammaLoss(PoissonLoss):
    """Half the gamma deviance, up to what the targets alone decide; the score is the log of the mean."""

    def of_rows(self, scores: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.float64]:
        return (targets / self.predictions(scores) + scores).sum(axis=1)

    def hessian(self, predictions: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.ones_like(predictions)  # its mean over the targets

    def residuals(self, scores: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.float64]:
        return targets / self.predictions(scores) - 1

    def dispersion(
        self, targets: NDArray[np.float64], predictions: NDArray[np.float64], shares: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        return shares @ (targets / np.maximum(predictions, _LEAST_MEAN) - 1) ** 2


class LogLoss(Loss):
    """Two classes, one score: minus the log of the probability of what happened."""

    def predictions(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return logistic(scores)

    def of_rows(self, scores: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.float64]:
        softplus = np.maximum(scores, 0) + np.log(1 + np.exp(-np.abs(scores)))  # in half the time of logaddexp
        return np.asarray(softplus - targets * scores)[:, 0]

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
