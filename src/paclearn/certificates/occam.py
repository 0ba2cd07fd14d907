"""Bounds for a model picked, by whatever means, from a finite class that was fixed beforehand.

With a weight ``exp(-log_size)`` for the model (weights sum to at most one over the class), the chance that any model's
training error is misleading by more than these bounds say is at most delta: Hoeffding's or Chernoff's inequality for
each model, and the union bound.
"""

from __future__ import annotations

from math import comb, log, sqrt

import numpy as np
from scipy.optimize import brentq
from scipy.special import rel_entr

from paclearn._parameters import Whole, check
from paclearn.certificates.certificate import INDEPENDENT_ROWS, KNOWN_RANGE, SQUARED, Certificate
from paclearn.certificates.given import check_given, check_wrong

__all__ = ["junta_log_size", "kl_inverse", "occam", "occam_kl", "occam_squared"]

FIXED_CODES = "levels and cut points count as fixed in advance (they were chosen without looking at the target)"


def junta_log_size(n_units: int, k: int, n_cells: int, n_classes: int) -> float:
    """Logarithm of the number of ways to pick k of the units and a class for every cell.

    Parameters
    ----------
    n_units, k, n_cells, n_classes : int
        Units to choose from, how many are chosen, cells of their table, and classes to fill it with.
    """
    check("n_units", n_units, Whole(1))
    check("k", k, Whole(0, int(n_units)))
    return log(comb(n_units, k)) + n_cells * log(n_classes)


def occam(errors: float, n: int, log_size: float, delta: float, trivial: float = 0.5) -> Certificate:
    """``error <= errors/n + sqrt((log_size + ln(1/delta)) / (2n))``.

    Parameters
    ----------
    errors, n : float, int
        Rows that the model gets wrong, and rows.
    log_size : float
        Logarithm of the number of models there were to choose from, see `junta_log_size`.
    delta : float
        The probability with which the bound may fail.
    trivial : float, default=0.5
        What a model that learned nothing can promise.
    """
    check_wrong(errors, n, delta, log_size=log_size)
    bound = errors / n + sqrt((log_size + log(1 / delta)) / (2 * n))
    return _certificate(min(1.0, bound), delta, "Occam bound", errors, n, trivial)


def occam_kl(errors: float, n: int, log_size: float, delta: float, trivial: float = 0.5) -> Certificate:
    """The largest p with ``n kl(errors/n, p) <= log_size + ln(1/delta)``: never worse than `occam`.

    Parameters
    ----------
    errors, n, log_size, delta, trivial : float
        See `occam`.
    """
    check_wrong(errors, n, delta, log_size=log_size)
    bound = kl_inverse(errors / n, (log_size + log(1 / delta)) / n)
    return _certificate(bound, delta, "Occam bound (kl form)", errors, n, trivial)


def _certificate(bound: float, delta: float, kind: str, errors: float, n: int, trivial: float) -> Certificate:
    return Certificate(bound, delta, kind, errors / n, n, (INDEPENDENT_ROWS, FIXED_CODES), trivial)


def kl_inverse(q: float, budget: float) -> float:
    """The largest p >= q with kl(q, p) <= budget, kl between coins."""

    def excess(p: float) -> float:
        return float(rel_entr(q, p) + rel_entr(1 - q, 1 - p)) - budget

    top = float(np.nextafter(1.0, 0.0))
    if q >= top or excess(top) <= 0:
        return 1.0
    return float(brentq(excess, q, top, xtol=1e-15))


def occam_squared(
    error: float, n: int, n_units: int, k: int, n_cells: int, target_range: float, delta: float, trivial: float
) -> Certificate:
    """The squared error of cell means, for targets within a range of this width.

    A mean is no member of a finite class, but one of about ``m = sqrt(n)`` equally spaced values is, and rounding to
    the nearest of those changes no squared error by more than ``target_range**2 / (m - 1)``; that is paid twice.

    Parameters
    ----------
    error, n : float, int
        Mean squared error on the rows, and how many there are.
    n_units, k, n_cells : int
        See `junta_log_size`.
    target_range : float
        Largest less smallest target there can be.
    delta, trivial : float
        See `occam`.
    """
    check_given(n, delta, error=error, target_range=target_range)
    m = 2 + int(sqrt(n))
    rounding = target_range**2 / (m - 1)
    log_size = junta_log_size(n_units, k, n_cells, m)
    bound = error + 2 * rounding + target_range**2 * sqrt((log_size + log(1 / delta)) / (2 * n))
    assumptions = (INDEPENDENT_ROWS, FIXED_CODES, KNOWN_RANGE)
    return Certificate(bound, delta, "Occam bound", error, n, assumptions, trivial, SQUARED)
