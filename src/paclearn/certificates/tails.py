"""Logarithms of tail probabilities, down to where the probabilities themselves are zero to a computer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats
from scipy.special import betaln, gammaln

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["log_f_tail", "log_gamma_tail"]


def log_gamma_tail(x: NDArray[np.float64], shape: Any) -> NDArray[np.float64]:
    """Log probability that a Gamma variable exceeds x; twice a Gamma of shape d/2 is a chi-square of d degrees."""
    exact = np.asarray(stats.gamma.logsf(x, shape))
    far = np.maximum(x, 1.0)
    leading = (shape - 1) * np.log(far) - far - gammaln(shape)
    return np.where(np.isneginf(exact), leading, exact)


def log_f_tail(x: NDArray[np.float64], free: Any, known: Any) -> NDArray[np.float64]:
    """Log probability that an F variable exceeds x."""
    exact = np.asarray(stats.f.logsf(x, free, known))
    share = known / (known + free * np.maximum(x, 1.0))
    leading = known / 2 * np.log(share) - np.log(known / 2) - betaln(known / 2, free / 2)
    return np.where(np.isneginf(exact), leading, exact)
