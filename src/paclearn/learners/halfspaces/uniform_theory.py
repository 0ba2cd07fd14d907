"""What Shalev-Shwartz, Shamir and Sridharan (2011) promise where rows are uniform on a sphere: no margin is needed.

The step from 0 to 1 itself is nearly a polynomial there, in the mean and not everywhere: the Hermite series of the
sign, which Kalai, Klivans, Mansour and Servedio (2005) took for L1 polynomial regression. Lemmas, corollaries and
equations without an author are of the former.
"""

from __future__ import annotations

from functools import lru_cache
from math import log, pi, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import gammaln, logsumexp, roots_legendre

from paclearn._parameters import Whole, check, check_between
from paclearn.exceptions import InputError
from paclearn.learners.halfspaces.margin_theory import exp_or_inf, sample_size

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "hermite_coefficients",
    "hermite_error",
    "hermite_polynomial",
    "sphere_error",
    "sphere_polynomial",
    "uniform_B",
    "uniform_sample_size",
]

_MOST_DEGREE = 4095
_NODES = 2000  # of a quadrature over the sphere


def hermite_coefficients(degree: int) -> NDArray[np.float64]:
    r"""Coefficients of the sign in normalised Hermite polynomials :math:`H_i / \sqrt{2^i i!}` (proof of Lemma 6).

    :math:`c_i = 2 H_{i-1}(0) / \sqrt{\pi\, 2^i i!}` for odd i, since :math:`H_i e^{-x^2}` is the derivative of
    :math:`-H_{i-1} e^{-x^2}`; even ones vanish.

    Parameters
    ----------
    degree : int
        Of the last polynomial.

    Returns
    -------
    ndarray
        One more than the degree; their squares add up to one less `hermite_error`.
    """
    check("degree", degree, Whole(0, _MOST_DEGREE))
    i = np.arange(1, degree + 1, 2)
    half = (i - 1) // 2
    # |H_{2k}(0)| = (2k)! / k!
    logs = log(2) + gammaln(i) - gammaln(half + 1) - (log(pi) + i * log(2) + gammaln(i + 1)) / 2
    found = np.zeros(degree + 1)
    found[1::2] = (-1.0) ** half * np.exp(logs)
    return found


def hermite_error(degree: int) -> float:
    """How far that polynomial is from the sign, squared, under the normal law of variance 1/2 (equation 10).

    Parameters
    ----------
    degree : int
        Where the series is cut off.

    Returns
    -------
    float
        At most ``0.51 / sqrt(degree)``: Lemma 6, with its constant.
    """
    return float(1 - (hermite_coefficients(degree) ** 2).sum())


def hermite_polynomial(degree: int) -> NDArray[np.float64]:
    """The same polynomial in powers of x: ``beta_0`` to ``beta_degree``, at most ``O(2^((j + degree) / 2))`` (Lemma 6).

    Parameters
    ----------
    degree : int
        Of the polynomial.

    Returns
    -------
    ndarray of shape (degree + 1,)
        Coefficients; infinite where no float is as large.
    """
    with np.errstate(over="ignore"):
        sizes = np.exp(_log_sizes(degree))
    found = np.zeros(degree + 1)
    odd = np.arange(1, degree + 1, 2)
    found[odd] = (-1.0) ** ((odd - 1) // 2) * sizes
    return found


def _log_sizes(degree: int) -> NDArray[np.float64]:
    """Logarithms of the odd coefficients' sizes: all that add up to one have the same sign, so nothing cancels."""
    c = np.log(np.abs(hermite_coefficients(degree)[1::2]))
    n = np.arange(1, degree + 1, 2)
    j = n[:, None]
    with np.errstate(invalid="ignore"):
        # |h_{n,j}| = 2^j n! / (j! ((n - j)/2)!)
        terms = c + j * log(2) + gammaln(n + 1) - gammaln(j + 1) - gammaln((n - j) / 2 + 1)
        terms = terms - (n * log(2) + gammaln(n + 1)) / 2
    return np.asarray(logsumexp(np.where(n >= j, terms, -np.inf), axis=1)) if degree else np.zeros(0)


def sphere_polynomial(degree: int, n_columns: int) -> NDArray[np.float64]:
    """A polynomial near the step from 0 to 1 for rows uniform on the unit sphere: ``Q_d`` of Lemma 7, in powers.

    It is ``1/2 + p(sqrt((n - 3) / 2) x) / 2`` with p of `hermite_polynomial`.

    Parameters
    ----------
    degree, n_columns : int
        Of the polynomial, and n, at least 4.
    """
    stretch = _stretch(n_columns)
    found = hermite_polynomial(degree) * stretch ** np.arange(degree + 1) / 2
    found[0] += 0.5
    return found


def sphere_error(degree: int, n_columns: int) -> float:
    """``E (Q_d(<w, x>) - 1(<w, x> > 0))^2`` for rows uniform on the unit sphere, ``O(1 / sqrt(degree))`` by Lemma 7.

    Parameters
    ----------
    degree, n_columns : int
        As of `sphere_polynomial`.

    Returns
    -------
    float
        By quadrature.
    """
    stretch = _stretch(n_columns)
    nodes, weights = _quadrature()
    angle = (nodes + 1) * pi / 4  # one coordinate of the sphere is the sine of an angle
    density = weights * np.cos(angle) ** (n_columns - 2)
    off = _sign_series(degree, stretch * np.sin(angle)) - 1
    return float((density @ off**2) / density.sum() / 4)


@lru_cache(maxsize=1)
def _quadrature() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of Gauss and Legendre."""
    return roots_legendre(_NODES)


def _sign_series(degree: int, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """The Hermite series of the sign, by the recurrence of normalised polynomials."""
    before, now, total = np.zeros_like(x), np.ones_like(x), np.zeros_like(x)
    for i, c in enumerate(hermite_coefficients(degree)):
        total = total + c * now
        before, now = now, sqrt(2 / (i + 1)) * x * now - sqrt(i / (i + 1)) * before
    return total


def _stretch(n_columns: int) -> float:
    check("n_columns", n_columns, Whole(4, 1000))
    return sqrt((n_columns - 3) / 2)


def uniform_B(n_columns: int, eps: float, *, nu: float = 0.5, log_scale: bool = False) -> float:  # noqa: N802
    """The B of Lemma 1: where rows are uniform on the sphere, some polynomial in its ball errs as the best halfspace.

    That of the least degree whose root mean square distance from the step is at most eps (the last lines of the proof),
    with the coefficients that it has instead of bounds on them (equation 13).

    Parameters
    ----------
    n_columns : int
        n, at least 4.
    eps : float
        How much worse one may be.
    nu : float, default=0.5
        Of the kernel.
    log_scale : bool, default=False
        Return the natural logarithm.

    Returns
    -------
    float
        B, which grows as n to the power of the degree; infinite beyond the largest float.
    """
    check_between("eps", eps, 0, 1)
    check_between("nu", nu, 0, 1)
    degree = _least_degree(n_columns, eps)
    powers = np.arange(1, degree + 1, 2)
    sizes = _log_sizes(degree) + powers * log(_stretch(n_columns)) - log(2)
    found = float(np.logaddexp(log(0.25), logsumexp(2 * sizes - powers * log(nu))))
    return found if log_scale else exp_or_inf(found)


def _least_degree(n_columns: int, eps: float) -> int:
    """The first odd one that suffices, by doubling and halving: the error falls with the degree."""
    low, high = 0, 1  # of 2k - 1
    while sphere_error(2 * high - 1, n_columns) > eps**2:
        low, high = high, 2 * high
        if 2 * high - 1 > _MOST_DEGREE:
            raise InputError(
                f"eps={eps:g} takes a polynomial of a degree above {_MOST_DEGREE}; a larger eps takes less"
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if sphere_error(2 * middle - 1, n_columns) <= eps**2 else (middle, high)
    return 2 * high - 1


def uniform_sample_size(n_columns: int, eps: float, delta: float, **settings: Any) -> float:
    """Rows after which the error is at most that of the best halfspace plus eps, for rows uniform on the sphere.

    Corollary 1: half of eps for the polynomial (`uniform_B`), half for learning (`sample_size`).

    Parameters
    ----------
    n_columns : int
        n, at least 4.
    eps, delta : float
        How much worse, and with which probability at most that may fail.
    **settings : dict
        ``nu`` of the kernel.
    """
    radius = uniform_B(n_columns, eps / 2, **settings)
    return float("inf") if radius == float("inf") else sample_size(radius, eps / 2, delta, **settings)
