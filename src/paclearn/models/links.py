"""From scores to predictions: what stands between a sum and a probability."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["exponential", "logistic", "normalised", "simplex", "softmax", "two_classes"]

_MOST_LOG = 700.0


def logistic(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probability of the second class from its log-odds."""
    return np.asarray(expit(scores))


def exponential(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean from its logarithm, kept where it is neither nought nor infinite."""
    return np.asarray(np.exp(np.clip(scores, -_MOST_LOG, _MOST_LOG)))


def softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities of several classes from one score each."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    powers /= powers.sum(axis=1, keepdims=True)
    return powers


def two_classes(up: NDArray[np.float64]) -> NDArray[np.float64]:
    """Both probabilities from that of the second class."""
    return np.column_stack([1 - up, up])


def normalised(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares of the classes, or of the second of two, as probabilities; where all are nought, all are as likely."""
    if shares.shape[1] == 1:
        return two_classes(shares[:, 0])
    total = shares.sum(axis=1, keepdims=True)
    return np.where(total > 0, shares / np.where(total > 0, total, 1.0), 1.0 / shares.shape[1])


def simplex(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The probabilities nearest to every row of values: the same number is taken off all, and nought is the least."""
    below = np.maximum(values - values.max(axis=1, keepdims=True), -1.0)  # one less than the largest is nought
    falling = -np.sort(-below, axis=1)
    excess = (falling.cumsum(axis=1) - 1) / np.arange(1, values.shape[1] + 1)
    last = (falling > excess).sum(axis=1) - 1
    return np.maximum(below - excess[np.arange(len(values)), last][:, None], 0)
