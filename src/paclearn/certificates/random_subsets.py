r"""How probable is it that rows drawn at random, of some that are given, have a sum as large as this?

Where a condition has nothing to do with the target, the rows for which it holds are such a draw, whatever the law of
the columns, however rare the condition and however unequal the classes. So these probabilities are exact, or bounds
that hold for every number of rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["log_tail_of_count", "log_tail_of_sum"]

_MOST_TERMS = 100_000
_MOST_STEPS = 60
_CLOSE = 1e-9


def log_tail_of_count(found: float, drawn: float, positive: float, rows: float) -> float:
    """Log probability that of so many rows drawn, so many or more are positive: the hypergeometric law (Fisher 1935).

    Parameters
    ----------
    found : float
        Positive rows among those drawn.
    drawn, positive, rows : float
        How many rows were drawn, how many are positive, and how many there are.
    """
    if found <= max(0.0, drawn + positive - rows):
        return 0.0
    most = min(drawn, positive)
    first = _log_choose(positive, found) + _log_choose(rows - positive, drawn - found) - _log_choose(rows, drawn)
    a = found + np.arange(min(most - found, _MOST_TERMS))
    ratios = (positive - a) * (drawn - a) / ((a + 1) * (rows - positive - drawn + a + 1))
    with np.errstate(under="ignore"):
        return float(min(0.0, first + np.log1p(np.cumprod(ratios).sum())))


def log_tail_of_sum(values: NDArray[np.float64], drawn: NDArray[np.bool_]) -> float:
    r"""A bound on the log probability that as many rows as were drawn, drawn at random, have as large a sum.

    :math:`\min_{\lambda \ge 0} m \ln \frac1n \sum_i e^{\lambda v_i} - \lambda s`: Chernoff's bound holds for draws
    without replacement, too (Hoeffding 1963, theorem 4). The rows that were not drawn have a sum as small, which gives
    another bound; the smaller of the two is taken.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        The numbers that are summed.
    drawn : ndarray of bool of shape (n_rows,)
        Which rows were drawn.
    """
    spread = float(values.std())
    if spread == 0 or drawn.all() or not drawn.any():
        return 0.0
    standard = (values - values.mean()) / spread
    inside, outside = standard[drawn], standard[~drawn]
    return min(_chernoff(standard, inside), _chernoff(-standard, -outside))


def _chernoff(values: NDArray[np.float64], drawn: NDArray[np.float64]) -> float:
    mean, n = float(drawn.mean()), len(drawn)
    if mean <= 0:
        return 0.0
    largest = float(values.max())
    if mean >= largest - _CLOSE:  # all of them are the largest there is
        return float(n * np.log((values >= largest - _CLOSE).mean()))
    rate, low, high = 0.0, 0.0, np.inf
    for _ in range(_MOST_STEPS):  # Newton's steps to the mean of the tilted law, kept between what is known
        tilted = np.exp(rate * (values - largest))
        weight = tilted.sum()
        tilted_mean = float(tilted @ values / weight)
        variance = float(tilted @ (values - tilted_mean) ** 2 / weight)
        low, high = (rate, high) if tilted_mean < mean else (low, rate)
        if abs(tilted_mean - mean) < _CLOSE:
            break
        step = rate + (mean - tilted_mean) / max(variance, 1e-300)
        rate = step if low < step < high else (2 * rate + 1 if high == np.inf else (low + high) / 2)
    log_mean = np.log(np.exp(rate * (values - largest)).mean()) + rate * largest
    return float(min(0.0, n * (log_mean - rate * mean)))  # a bound for every rate, so for this one, too


def _log_choose(n: float, k: float) -> float:
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
