"""What a linear model is fitted to minimise: squared error, a deviance, or the log loss of two or several classes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import xlogy

from paclearn.models.links import logistic, softmax

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["GammaLoss", "LadderLoss", "LogLoss", "Loss", "PoissonLoss", "SoftmaxLoss", "SquaredLoss"]

_LEAST_SHARE = 1e-3
_LEAST_HESSIAN = 1e-3
_LEAST_MEAN = 1e-9
_MOST_LOG = 30.0  # a score beyond is as good as infinite, and its exponential still a number
_FARTHEST = 40.0  # a score beyond which every rank but the last is gone


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

    def least_of_rows(self, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        """What every row loses however well it is told: what lies above is the deviance, or half of it."""
        return np.zeros(len(targets))

    def hessian(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """The second derivative at every row, in every output by itself."""
        predictions = self.predictions(scores)
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

    def divergences(self, before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.float64]:
        """What scores add to the loss of others in every row, were those true."""
        said = self.predictions(before)
        return self.of_rows(after, said) - self.of_rows(before, said)

    def with_slopes(
        self, scores: NDArray[np.float64], targets: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """The loss of every row, and its gradient by the scores."""
        return self.of_rows(scores, targets), -self.residuals(scores, targets)

    def descent(
        self, scores: NDArray[np.float64], targets: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> tuple[float, NDArray[Any]]:
        """The weighted mean loss and its gradient by the scores."""
        lost, slopes = self.with_slopes(scores, targets)
        return float(weights @ lost), slopes * weights.astype(slopes.dtype, copy=False)[:, None]


class SquaredLoss(Loss):
    """Half the squared difference."""

    saturates = False

    def predictions(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return scores

    def of_rows(self, scores: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.float64]:
        return 0.5 * ((scores - targets) ** 2).sum(axis=1)

    def intercept(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        return shares

    def hessian(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.ones_like(scores)

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

    def least_of_rows(self, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        return (targets - xlogy(targets, targets)).sum(axis=1)

    def intercept(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.log(np.maximum(shares, _LEAST_MEAN))

    def hessian(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.maximum(self.predictions(scores), _LEAST_HESSIAN)

    def dispersion(
        self, targets: NDArray[np.float64], predictions: NDArray[np.float64], shares: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        return shares @ ((targets - predictions) ** 2 / np.maximum(predictions, _LEAST_MEAN))


class GammaLoss(PoissonLoss):
    """Half the gamma deviance, up to what the targets alone decide; the score is the log of the mean."""

    def of_rows(self, scores: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.float64]:
        return (targets / self.predictions(scores) + scores).sum(axis=1)

    def least_of_rows(self, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        return (1 + np.log(targets)).sum(axis=1)

    def hessian(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.ones_like(scores)  # its mean over the targets

    def residuals(self, scores: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.float64]:
        return targets / self.predictions(scores) - 1

    def dispersion(
        self, targets: NDArray[np.float64], predictions: NDArray[np.float64], shares: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        return shares @ (targets / np.maximum(predictions, _LEAST_MEAN) - 1) ** 2


class ClassLoss(Loss):
    r"""Minus the log of the probability of what happened."""

    def divergences(self, before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.float64]:
        r"""At most, whatever is true of a row: new ones are less sure than those of a fit.

        Where log-odds of any two classes change by r at most, it is
        :math:`\ln \mathbb{E} e^{\delta} - \mathbb{E}\,\delta \le r^2 / 8` (Hoeffding 1963, equation 4.16).
        """
        return self._parted(after - before) ** 2 / 8

    def _parted(self, changes: NDArray[np.float64]) -> NDArray[np.float64]:
        """By how much changes of scores change the log-odds of any two classes, at most."""
        return np.asarray(np.abs(changes[:, 0]) if changes.shape[1] == 1 else np.ptp(changes, axis=1))


class LogLoss(ClassLoss):
    """Two classes, one score: minus the log of the probability of what happened."""

    def predictions(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return logistic(scores)

    def of_rows(self, scores: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.float64]:
        softplus = np.maximum(scores, 0) + np.log(1 + np.exp(-np.abs(scores)))  # in half the time of logaddexp
        return np.asarray(softplus - targets * scores)[:, 0]

    def with_slopes(
        self, scores: NDArray[np.float64], targets: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """Both from the same exponentials."""
        powers = np.exp(-np.abs(scores))
        lost = np.maximum(scores, 0) + np.log(1 + powers) - targets * scores
        predictions = np.where(scores > 0, 1.0, powers) / (1 + powers)
        return lost[:, 0], predictions - targets

    def intercept(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        safe = np.clip(shares, _LEAST_SHARE, 1 - _LEAST_SHARE)
        return np.log(safe / (1 - safe))


class SoftmaxLoss(ClassLoss):
    """Several classes, one score each."""

    def predictions(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return softmax(scores)

    def of_rows(self, scores: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.float64]:
        return _log_sums(scores) - (scores * targets).sum(axis=1)

    def with_slopes(
        self, scores: NDArray[np.float64], targets: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """Both from the same exponentials, in single precision, as the terms are; outputs first, one row of each."""
        logits, wanted = scores.T.astype(np.float32), targets.T.astype(np.float32, copy=False)
        own = np.einsum("kn,kn->n", logits, wanted)
        top = logits.max(axis=0)
        powers = np.exp(np.subtract(logits, top, out=logits), out=logits)
        total = powers.sum(axis=0)
        lost = (top + np.log(total) - own).astype(np.float64)
        powers /= total
        powers -= wanted
        return lost, powers.T

    def intercept(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.log(np.maximum(shares, _LEAST_SHARE))


@dataclass(frozen=True, eq=False)
class LadderLoss(ClassLoss):
    r"""Ordered classes on one score, by adjacent-categories logits (Agresti 2010, section 4.1); targets are ranks.

    With ranks k = 0, ..., K - 1 and a score s, :math:`P(k) \propto \exp(a_k + k s)`: an exponential family in s. The
    expected rank is what is predicted, its variance is the second derivative, and with two classes it is `LogLoss`.
    The loss is minus the log of the probability of what happened, up to what targets alone decide.

    Parameters
    ----------
    starts : ndarray
        Of every rank: its logarithm, up to a constant, where the score is nought. That of the lowest and that of the
        highest are nought: scores say the rest.
    """

    starts: NDArray[np.float64]

    @classmethod
    def of(cls, ranks: NDArray[np.float64], shares: NDArray[np.float64], n_ranks: int) -> LadderLoss:
        """As often as they are, where nothing is known of the rows."""
        often = np.bincount(ranks.astype(np.intp), shares, minlength=n_ranks)
        return cls(_levelled(np.log(np.maximum(often, _LEAST_SHARE)))[0])

    @property
    def _ranks(self) -> NDArray[np.float64]:
        return np.arange(len(self.starts), dtype=np.float64)

    def _logits(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self.starts + self._ranks * scores)

    def predictions(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return softmax(self._logits(scores)) @ self._ranks[:, None]

    def of_rows(self, scores: NDArray[np.float64], targets: NDArray[np.float64]) -> NDArray[np.float64]:
        return _log_sums(self._logits(scores)) - (targets * scores)[:, 0]

    def least_of_rows(self, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self.starts[targets[:, 0].astype(np.intp)])

    def intercept(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        ends = self.predictions(np.array([[-_FARTHEST], [_FARTHEST]]))[:, 0]
        wanted = float(np.clip(shares[0], *ends))

        def excess(score: float) -> float:
            return float(self.predictions(np.array([[score]]))[0, 0]) - wanted

        return np.array([brentq(excess, -_FARTHEST, _FARTHEST)])

    def hessian(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        shares = softmax(self._logits(scores))
        mean = shares @ self._ranks
        return np.maximum(shares @ self._ranks**2 - mean**2, _LEAST_HESSIAN)[:, None]

    def _parted(self, changes: NDArray[np.float64]) -> NDArray[np.float64]:
        return (len(self.starts) - 1) * super()._parted(changes)

    def settled(self, mean_of: Callable[[Callable[[Any, Any], Any]], Any]) -> tuple[LadderLoss, float]:
        """The best starts beside some scores, and what scores are to be raised by with them.

        ``mean_of`` is the mean over all rows of what is made of their scores and targets.
        """
        often = mean_of(Ranks(len(self.starts)))

        def value(starts: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            lost, *shares = mean_of(Rungs(starts)).tolist()
            return lost - float(often @ starts), np.array(shares) - often

        found = minimize(value, self.starts, jac=True, method="L-BFGS-B", options={"gtol": 1e-8}).x
        starts, slope = _levelled(found)
        return LadderLoss(starts), slope


@dataclass(frozen=True)
class Ranks:
    """Rows x ranks: 1 in the rank of a row."""

    n_ranks: int

    def __call__(self, _: Any, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.eye(self.n_ranks)[targets[:, 0].astype(np.intp)]


@dataclass(frozen=True, eq=False)
class Rungs:
    """Rows x one and ranks: what a row loses, but for its target, and the shares of its ranks, with some starts."""

    starts: NDArray[np.float64]

    def __call__(self, scores: NDArray[np.float64], _: Any) -> NDArray[np.float64]:
        logits = self.starts + np.arange(len(self.starts)) * scores
        return np.column_stack([_log_sums(logits), softmax(logits)])


def _levelled(starts: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Less a straight line, so that both ends are nought, and its slope, which scores can have as well."""
    slope = float(starts[-1] - starts[0]) / (len(starts) - 1)
    return starts - starts[0] - slope * np.arange(len(starts)), slope


def _log_sums(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The logarithm of the sum of the exponentials of every row."""
    top = scores.max(axis=1)
    return np.asarray(top + np.log(np.exp(scores - top[:, None]).sum(axis=1)))
