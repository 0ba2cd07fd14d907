"""Bounds from rows the model never saw: no class to count, nothing assumed about how the model came to be."""

from __future__ import annotations

from math import log

from scipy.special import betaincinv

from paclearn.certificates.certificate import INDEPENDENT_ROWS, KNOWN_RANGE, SQUARED, Certificate
from paclearn.certificates.given import check_given, check_wrong
from paclearn.certificates.occam import kl_inverse

__all__ = ["chernoff", "clopper_pearson", "clopper_pearson_interval", "heldout_squared"]


def clopper_pearson(errors: float, n: int, delta: float, trivial: float = 0.5) -> Certificate:
    """The exact bound of Clopper and Pearson (1934): the largest p that gives so few errors a chance delta.

    Parameters
    ----------
    errors, n, delta, trivial : float, int, float, float
        As in `occam`, of rows held out.
    """
    check_wrong(errors, n, delta)
    return Certificate(
        _upper(errors, n, delta), delta, "Clopper-Pearson bound on held-out rows", errors / n, n, trivial=trivial
    )


def chernoff(errors: float, n: int, delta: float, trivial: float = 0.5) -> Certificate:
    """The largest p with ``n kl(errors/n, p) <= ln(1/delta)``, for means of errors in groups that were held out.

    The share of errors in a group lies anywhere in [0, 1], where Clopper and Pearson's bound does not hold; this one
    does (Hoeffding 1963, Theorem 1, equation 2.1).

    Parameters
    ----------
    errors, n, delta, trivial : float, int, float, float
        Shares of errors of all groups, added up, and how many groups; otherwise as in `occam`.
    """
    check_wrong(errors, n, delta)
    bound = kl_inverse(errors / n, log(1 / delta) / n)
    return Certificate(bound, delta, "Chernoff bound on held-out rows", errors / n, n, trivial=trivial)


def clopper_pearson_interval(errors: int, n: int, delta: float = 0.05) -> tuple[float, float]:
    """The two-sided exact interval for a proportion, delta/2 on either side.

    Parameters
    ----------
    errors, n, delta : int, int, float
        How often it happened, of how many, and the chance that the interval misses.
    """
    check_wrong(errors, n, delta)
    return 1.0 - _upper(n - errors, n, delta / 2), _upper(errors, n, delta / 2)


def _upper(errors: float, n: int, delta: float) -> float:
    return 1.0 if errors >= n else float(betaincinv(errors + 1, n - errors, 1 - delta))


def heldout_squared(error: float, n: int, target_range: float, delta: float, trivial: float) -> Certificate:
    """Chernoff's bound on the mean squared error, for targets and predictions in a range of this width.

    Squared errors over the squared width lie in [0, 1], and their mean m with ``n kl(m, p) <= ln(1/delta)`` (Hoeffding
    1963, Theorem 1, equation 2.1): near nought far tighter than the form with a square root that follows from it.

    Parameters
    ----------
    error, n, target_range, delta, trivial : float
        As in `occam_squared`, of rows held out.
    """
    check_given(n, delta, error=error, target_range=target_range)
    largest = target_range**2
    share = min(error / largest, 1.0) if largest > 0 else 0.0
    bound, kind = largest * kl_inverse(share, log(1 / delta) / n), "Chernoff bound on held-out rows"
    return Certificate(max(bound, error), delta, kind, error, n, (INDEPENDENT_ROWS, KNOWN_RANGE), trivial, SQUARED)
