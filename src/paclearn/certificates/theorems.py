"""What Heidari, Shamir and Szpankowski (about 2020), "Fourier-Based Universal Learning", prove; slips corrected."""

from __future__ import annotations

from math import ceil, comb, inf, log, sqrt

from scipy.optimize import brentq

from paclearn._parameters import Between, Whole, check, check_between
from paclearn.exceptions import InputError

__all__ = ["bias_sample_size", "junta_sample_size", "largest_parity"]


def largest_parity(means: list[float], k: int) -> float:
    """``c_k = max_j ((1 + |mu_j|) / sigma_j)^(2k)``, the constant of Theorem 4; 1 for uniform bits.

    Parameters
    ----------
    means : list of float
        Of bits of -1 and +1.
    k : int
        Size of the parities.
    """
    if not all(abs(mu) < 1 for mu in means):
        raise InputError("a bit that never varies has no parity; leave it out")
    if not len(means):
        raise InputError("no means were given")
    return float(max(((1 + abs(mu)) / sqrt(1 - mu * mu)) ** (2 * k) for mu in means))


def _check(epsilon: float, delta: float, n_bits: int) -> None:
    for name, value in (("epsilon", epsilon), ("delta", delta)):
        check_between(name, value, 0, 1)
    check("n_bits", n_bits, Whole(1))


def bias_sample_size(epsilon: float, delta: float, n_bits: int) -> int:
    """Rows that make the means of all bits accurate to epsilon: Lemma 8, ``n_0 = 8 / epsilon**2 * ln(2 d / delta)``.

    Deviations are then accurate, too: ``|sigma_j / estimate - 1| <= 2 epsilon / sigma_j**2`` wherever
    ``epsilon <= sigma_j**2 / 6``. With estimated means Theorem 4 asks for this number besides, at an epsilon that is
    ``k 2**k c_k`` times smaller, up to constants that the paper does not give (Lemmas 12 and 13).

    Parameters
    ----------
    epsilon, delta : float
        How far off a mean may be, and with which probability at most any is further.
    n_bits : int
        How many bits of -1 and +1 there are.

    Returns
    -------
    int
        A number of rows.
    """
    _check(epsilon, delta, n_bits)
    return ceil(8 / epsilon**2 * log(2 * n_bits / delta))


def junta_sample_size(epsilon: float, delta: float, n_bits: int, k: int, c_k: float = 1.0) -> int:
    """Rows that make the best k-junta by score_1 at most epsilon worse than the best there is.

    Theorem 4 with the constants of Lemmas 4 and 7, for independent bits whose means are known:
    ``P_err <= P_opt + eps_1 + U(eps_2)`` with probability ``1 - delta`` once

    - ``n >= 72 * 4**k * c_k**2 / (eps_1 - 2**(k/2)/sqrt(n-1))**2 * ln(2 C(d,k)/delta_1)``, which finds the subset, and
    - ``n >= 8 * 2**k * c_k / eps_2**2 * ln(2 k d**k/delta_2)``, which fills in its table,

    where ``U(x) = x**3 + 1.5 x**2 + 1.25 x``. Delta is halved between the two and epsilon is split so that the larger
    of the two numbers is as small as it can be.

    Parameters
    ----------
    epsilon, delta : float
        How much worse, and with which probability at most that may fail.
    n_bits, k : int
        Size of the search.
    c_k : float, default=1.0
        How biased the bits are, see `largest_parity`.

    Returns
    -------
    int
        A number of rows; large, as such theorems are.
    """
    _check(epsilon, delta, n_bits)
    check("k", k, Whole(1, n_bits))
    check("c_k", c_k, Between(1, inf, closed=True))

    def to_find(eps: float) -> float:
        """Smallest n with sqrt(n) * (eps - 2^(k/2)/sqrt(n-1)) >= need; n/(n-1) <= 2 never matters at such sizes."""
        need = sqrt(72 * 4**k * c_k**2 * log(2 * comb(n_bits, k) / (delta / 2)))
        least = 2.0 + 2**k / eps**2
        most = 4 * (need / eps + 2 ** (k / 2) / eps + 2) ** 2
        return float(brentq(lambda n: sqrt(n) * (eps - 2 ** (k / 2) / sqrt(n - 1)) - need, least, most, rtol=1e-12))

    def to_fill(eps: float) -> float:
        rest = brentq(lambda x: x**3 + 1.5 * x**2 + 1.25 * x - eps, 0, 1, xtol=1e-300)
        return 8 * 2**k * c_k / rest**2 * log(2 * k * n_bits**k / (delta / 2))

    def balance(eps: float) -> float:
        return log(to_find(eps)) - log(to_fill(epsilon - eps))

    low, high = epsilon * 1e-6, epsilon * (1 - 1e-9)
    split = high if balance(high) > 0 else brentq(balance, low, high)
    return ceil(max(to_find(split), to_fill(epsilon - split)))
