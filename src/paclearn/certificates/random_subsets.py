r"""How probable is it that rows drawn at random, of some that are given, have a sum as large as this?

Where a condition has nothing to do with the target, the rows for which it holds are such a draw, whatever the law of
the columns, however rare the condition and however unequal the classes. So these probabilities are exact, or bounds
that hold for every number of rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, gammaln

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["log_tail_of_count", "log_tail_of_sum"]

_MOST_TERMS = 100_000
_MOST_STEPS = 60
_CLOSE = 1e-9
_SINGULAR = 1e-12
_LONGEST_STEP, _LARGEST_RATE = 2.0, 200.0


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


def log_tail_of_sum(values: NDArray[np.float64], drawn: NDArray[np.bool_], wanted: float = np.inf) -> float:
    r"""A bound on the log probability that as many rows as were drawn, drawn at random, have as large a sum.

    The smaller of two. For few rows, :math:`m \ln \frac1n \sum_i e^{\lambda v_i} - \lambda s`: Chernoff's bound holds
    for draws without replacement, too (Hoeffding 1963, theorem 4). For more of them, rows drawn one by one with
    probability f = m/n, given that there are m: :math:`\sum_i \ln(1 - f + f e^{\lambda v_i + \mu}) - \lambda s - \mu m`
    less the logarithm of the binomial probability of m. Both hold for every :math:`\lambda \ge 0` and :math:`\mu`.

    Neither can be below :math:`-z^2`, the square of the sum in standard deviations: drawing row i with probability
    :math:`f + v_i s / n`, where that is one, has the sum s, and its divergence from drawing at random is at most that.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
        The numbers that are summed.
    drawn : ndarray of bool of shape (n_rows,)
        Which rows were drawn.
    wanted : float, default=inf
        A bound above this is of no use: 0, which always holds, will do where that much can be seen at once.
    """
    deviation = float(values.std())
    if deviation == 0 or drawn.all() or not drawn.any():
        return 0.0
    standard = (values - values.mean()) / deviation
    if standard[drawn].sum() <= 0:
        return 0.0
    if 2 * drawn.sum() > len(drawn):  # the others are fewer, and have as small a sum
        standard, drawn = -standard, ~drawn
    if _is_above(wanted, standard, drawn):
        return 0.0
    return min(_chernoff(standard, standard[drawn]), _one_by_one(standard, drawn))


def _is_above(wanted: float, values: NDArray[np.float64], drawn: NDArray[np.bool_]) -> bool:
    """Whether no bound is as small as that; False where it takes more to know."""
    n, share, total = len(values), float(drawn.mean()), float(values[drawn].sum())
    if total * total >= -wanted * n * share * (1 - share):
        return False
    return bool(share + values.min() * total / n >= 0 and share + values.max() * total / n <= 1)


def _one_by_one(values: NDArray[np.float64], drawn: NDArray[np.bool_]) -> float:
    n, m = len(values), int(drawn.sum())
    total, share = float(values[drawn].sum()), m / n
    log_odds = np.log(share / (1 - share))
    rate = shift = 0.0  # lambda and mu
    for _ in range(_MOST_STEPS):
        chances = expit(rate * values + (log_odds + shift))
        variances = chances * (1 - chances)
        weighed = variances * values
        up, along = _solved(
            (float(weighed @ values), float(weighed.sum()), float(variances.sum())),
            (total - float(chances @ values), m - float(chances.sum())),
        )
        largest = max(abs(up), abs(along), 1e-300)
        length = min(1.0, _LONGEST_STEP / largest)
        rate, shift = rate + length * up, shift + length * along
        if largest < _CLOSE or rate > _LARGEST_RATE:
            break
    rate = max(rate, 0.0)
    log_sum = np.logaddexp(np.log1p(-share), rate * values + (np.log(share) + shift)).sum()
    log_binomial = _log_choose(n, m) + m * np.log(share) + (n - m) * np.log1p(-share)
    return float(min(0.0, log_sum - rate * total - shift * m - log_binomial))


def _solved(hessian: tuple[float, float, float], gap: tuple[float, float]) -> tuple[float, float]:
    """A step of Newton's in two dimensions; where one direction is all there is, along that."""
    (a, b, c), (x, y) = hessian, gap
    determinant = a * c - b * b
    if determinant > _SINGULAR * a * c:
        return (c * x - b * y) / determinant, (a * y - b * x) / determinant
    up, along = np.linalg.lstsq(np.array([[a, b], [b, c]]), np.array(gap), rcond=None)[0].tolist()
    return up, along


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
