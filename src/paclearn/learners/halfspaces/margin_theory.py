"""What Shalev-Shwartz, Shamir and Sridharan (2011) promise, with numbers: B and rows from a margin, and the polynomials
that the proofs rest on. Equations, lemmas and theorems without an author are theirs.
"""

from __future__ import annotations

from math import ceil, exp, inf, log, log1p, pi, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.polynomial import chebyshev
from scipy.fft import dct
from scipy.special import erf, expit, gammaln

from paclearn._parameters import check_between, check_choice
from paclearn.exceptions import InputError
from paclearn.learners.halfspaces.margin_curve import read_halfspace
from paclearn.learners.halfspaces.own_coordinates import OwnCoordinates

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.halfspaces.halfspace_classifier import HalfspaceClassifier

__all__ = [
    "chebyshev_bound",
    "chebyshev_coefficients",
    "erf_B",
    "erf_transfer",
    "sample_size",
    "series_B",
    "sigmoid_B",
    "sigmoid_transfer",
    "suggest_B",
]

_LARGEST_LOG = 709.0
_MOST_TERMS = 1000  # of a Chebyshev series
_NARROWEST = 1e-5  # sigmoid that is sampled; what its series has beyond a thousand terms is above 1/2
_LONG = 1e6  # Taylor series
_TRANSFERS = ("sigmoid", "erf", "chebyshev", "taylor")


def sigmoid_transfer(a: Any, sigma: float) -> NDArray[np.float64]:
    """``1 / (1 + exp(-a / sigma))`` (equation 6): a step that rises over a width of sigma.

    Parameters
    ----------
    a, sigma : array-like, float
        Inner products, and steepness.
    """
    return np.asarray(expit(np.asarray(a, dtype=np.float64) / sigma))


def erf_transfer(a: Any, sigma: float) -> NDArray[np.float64]:
    """``(1 + erf(a / sigma)) / 2`` (equation 5).

    Parameters
    ----------
    a : array-like
        Inner products.
    sigma : float
        Steepness.
    """
    return np.asarray((1 + erf(np.asarray(a, dtype=np.float64) / sigma)) / 2)


def chebyshev_coefficients(degree: int, sigma: float) -> NDArray[np.float64]:
    """Coefficients of the sigmoid in Chebyshev polynomials, ``T_0`` to ``T_degree`` (equation 15).

    Only the constant is one half; all other even ones vanish. The odd ones are sums over the poles of the sigmoid,
    ``a_n = (-1)^((n-1)/2) 4 sigma sum_k 1 / (r (c + r)^n)`` with ``c = (2k + 1) pi sigma`` and ``r = sqrt(c^2 + 1)``.

    Parameters
    ----------
    degree : int
        The last one.
    sigma : float
        The width of the sigmoid, at least 1e-5.

    Returns
    -------
    ndarray of shape (degree + 1,)
        Correct to about 15 digits of the largest.
    """
    check_between("sigma", sigma, 0, inf)
    if sigma < _NARROWEST:
        raise InputError(f"sigma={sigma!r} must be at least {_NARROWEST:g}: narrower steps take too many points")
    points = max(2 * degree + 2, ceil(80 / min(sigma, 1.0)))  # the error falls as (1 + pi sigma)^(-2 points)
    angles = (np.arange(points) + 0.5) * pi / points
    found = dct(sigmoid_transfer(np.cos(angles), sigma) - 0.5)[: degree + 1] / points
    found[0::2] = 0.0
    found[0] = 0.5
    return np.asarray(found)


def chebyshev_bound(degree: Any, sigma: float) -> NDArray[np.float64]:
    """``(2 sigma + 1/pi) / (1 + pi sigma)^n``, which ``|a_n|`` never exceeds for n > 1 (Lemma 8).

    Parameters
    ----------
    degree : int
        Of the polynomial.
    sigma : float
        Steepness.
    """
    return np.asarray((2 * sigma + 1 / pi) * (1 + pi * sigma) ** -np.asarray(degree, dtype=np.float64))


def series_B(coefficients: Any, nu: float = 0.5) -> float:  # noqa: N802
    """``sum_j beta_j^2 nu^-j``: the B from which on a power series is among those competed with (Theorem 1).

    Parameters
    ----------
    coefficients : array-like
        ``beta_0``, ``beta_1``, ...
    nu : float, default=0.5
        Of the kernel.

    Returns
    -------
    float
        B; infinite if it is too large for a float.
    """
    check_between("nu", nu, 0, 1)
    beta = np.asarray(coefficients, dtype=np.float64)
    with np.errstate(divide="ignore", over="ignore"):
        return float(np.exp(2 * np.log(np.abs(beta)) - np.arange(len(beta)) * log(nu)).sum())


def sigmoid_B(sigma: float, eps: float, *, log_scale: bool = False) -> float:  # noqa: N802
    """The B of Lemma 2: some polynomial in its ball is within eps of the sigmoid on [-1, 1] (sigma at most 1/4).

    Parameters
    ----------
    sigma, eps : float
        The width of the sigmoid and how near the polynomial should be.
    log_scale : bool, default=False
        Return the natural logarithm.

    Returns
    -------
    float
        B, or its logarithm; infinite if it is too large for a float.
    """
    check_between("sigma", sigma, 0, 0.25 + 1e-12)
    check_between("eps", eps, 0, 1)
    degree = (log(2 * sigma + 1 / pi) - log(pi * sigma) - log(eps)) / log1p(pi * sigma)
    least = np.logaddexp(log(10), -log(12) - 4 * log(sigma))
    found = np.logaddexp(least, log(1.5) + 4 * degree)
    return float(found) if log_scale else exp_or_inf(found)


def erf_B(sigma: float, *, log_scale: bool = False) -> float:  # noqa: N802
    """The B of Lemma 4: the erf transfer function is a power series in its ball.

    Parameters
    ----------
    sigma : float
        The width of the function.
    log_scale : bool, default=False
        Return the natural logarithm.

    Returns
    -------
    float
        Of the lemma, infinite where no float is as large.
    """
    check_between("sigma", sigma, 0, inf)
    series = np.logaddexp(0, 0.5 * log(2) + 1 - 2 * log(sigma) + 4 / sigma / sigma)
    found = np.logaddexp(log(0.25), log(4 / pi) - 2 * log(sigma) + series)
    return float(found) if log_scale else exp_or_inf(found)


def suggest_B(  # noqa: N802
    margin: float,
    eps: float,
    *,
    transfer: str = "auto",
    nu: float = 0.5,
    log_scale: bool = False,
    model: HalfspaceClassifier | None = None,
    halfspace: Any = None,
    intercept: float = 0.0,
) -> float:
    """The B with which the theory promises ``error <= margin error of the best halfspace + eps``.

    It is honest, and astronomical: at a margin of 0.1 and eps = 0.1 it is 1e46 for the sigmoid and 1e284 for erf, and
    still 8e8 for the polynomial that the sigmoid really needs. Validation finds a B of 1 to 10 000 on most data. As in
    Theorems 2 and 4, eps is spent on the transfer function, on its polynomial and on learning, each time in full.

    Parameters
    ----------
    margin : float
        Rows this near to the halfspace count as errors of it, ``mu`` in Theorem 2. Rows lie in the unit ball; in that
        of the model, if one is given, as in `margin_error_curve`. With a halfspace it is a distance in the units of the
        table.
    eps : float
        How much worse one may be.
    transfer : {"auto", "sigmoid", "erf", "chebyshev", "taylor"}, default="auto"
        ``"auto"`` is ``"sigmoid"`` where nu is 1/2 and ``"chebyshev"`` elsewhere. ``"sigmoid"`` is
        Lemma 2 with the width of Theorem 2 (whose B is a coarser bound on it), ``"erf"`` is Theorem 4, both for
        ``nu = 1/2``. ``"chebyshev"`` and ``"taylor"`` take the same two functions, but the coefficients that their
        polynomials really have instead of bounds on them, for any nu.
    nu : float, default=0.5
        Of the kernel.
    log_scale : bool, default=False
        Return the natural logarithm.
    model : HalfspaceClassifier, default=None
        Fitted, with a linear kernel: its nu and its unit ball are meant. Rows are standardised there, and with a bias
        they are ``[x, 1] / sqrt(2)``, so margins are smaller than in the table.
    halfspace : array-like or fitted linear classifier, default=None
        The halfspace to compete with, as in `margin_error_curve`; needs a model.
    intercept : float, default=0.0
        Of the halfspace.

    Returns
    -------
    float
        What to pass as B, or its logarithm; infinite beyond the largest float.
    """
    if model is not None:
        own = OwnCoordinates.of(model)
        nu, margin = own.nu, margin if halfspace is None else _own_margin(own, halfspace, intercept, margin)
    elif halfspace is not None:
        raise InputError("a halfspace has a margin in the coordinates of a model; pass model=, too")
    check_between("margin", margin, 0, 1)
    check_between("eps", eps, 0, 0.5)
    check_between("nu", nu, 0, 1)
    check_choice("transfer", transfer, ("auto", *_TRANSFERS))
    if transfer == "auto":
        transfer = "sigmoid" if nu == 0.5 else "chebyshev"
    if transfer in {"sigmoid", "erf"} and nu != 0.5:
        raise InputError(f"the lemmas for transfer={transfer!r} are for nu=0.5; 'chebyshev' and 'taylor' take nu={nu}")
    found = _log_B(margin, eps, transfer, nu)
    return found if log_scale else exp_or_inf(found)


def _own_margin(own: OwnCoordinates, halfspace: Any, intercept: float, distance: float) -> float:
    check_between("margin", distance, 0, inf)
    return own.margin(*read_halfspace(halfspace, intercept), distance)


def _log_B(margin: float, eps: float, transfer: str, nu: float) -> float:  # noqa: N802
    sigmoid, gauss = margin / log(1 / eps), margin / sqrt(log(1 / (2 * eps)))
    if transfer == "sigmoid":
        return sigmoid_B(min(sigmoid, 0.25), eps, log_scale=True)
    if transfer == "erf":
        return erf_B(gauss, log_scale=True)
    return _log_chebyshev(sigmoid, eps, nu) if transfer == "chebyshev" else _log_taylor(gauss, nu)


def _log_chebyshev(sigma: float, eps: float, nu: float) -> float:
    """Of the shortest piece of the Chebyshev series whose rest is below eps."""
    if sigma < _NARROWEST or _beyond(_MOST_TERMS, sigma) > eps:
        return inf
    found = chebyshev_coefficients(_MOST_TERMS, sigma)
    rest = np.append(np.abs(found[::-1]).cumsum()[::-1], 0)[1:] + _beyond(_MOST_TERMS, sigma)
    short = found[: int(np.argmax(rest <= eps)) + 1]
    with np.errstate(all="ignore"):
        value = series_B(chebyshev.cheb2poly(short), nu)
    return log(value) if np.isfinite(value) else inf


def _beyond(degree: int, sigma: float) -> float:
    """What the coefficients after some even degree add up to: geometric series, one for every pole of the sigmoid."""
    poles = (2 * np.arange(ceil(40 / (2 * pi * sigma * degree)) + 1) + 1) * pi * sigma
    return float(2 * sigma * (np.exp(-degree * np.arcsinh(poles)) / (poles * np.sqrt(poles**2 + 1))).sum())


def _log_taylor(sigma: float, nu: float) -> float:
    """Of the whole Taylor series of the erf transfer function, ``sum_n a^(2n + 1) / (pi (n! (2n + 1))^2)`` and 1/4."""
    log_a = -2 * log(sigma) - log(nu)
    a = exp_or_inf(log_a)  # where the terms are largest
    if a > _LONG:  # a Bessel function, I_0(2a), and its asymptotic form
        return 2 * a - 1.5 * log_a - 0.5 * log(4 * pi) - 2 * log(2) - log(pi)
    n = np.arange(ceil(a + 10 * sqrt(a)) + 30)
    terms = (2 * n + 1) * log_a - log(pi) - 2 * gammaln(n + 1) - 2 * np.log(2 * n + 1)
    return float(np.logaddexp(log(0.25), np.logaddexp.reduce(terms)))


def sample_size(B: float, eps: float, delta: float, *, nu: float = 0.5) -> float:
    """Rows after which one pass is within eps of the best function of the ball, with probability ``1 - delta``.

    Theorem 1 with its constants: the regret of the steps is ``sqrt(B/m) (1 + kappa) / 2`` with
    ``kappa = 1 / (1 - nu)``, and Azuma's inequality, once for the classifiers on the way and once for the best, adds
    ``2 (1 + sqrt(B kappa)) sqrt(ln(2/delta) / (2m))``.

    Parameters
    ----------
    B : float
        The largest squared norm.
    eps, delta : float
        How much worse, and with which probability at most that may fail.
    nu : float, default=0.5
        Of the kernel.

    Returns
    -------
    float
        A number of rows, rounded up; as large as such theorems are.
    """
    check_between("B", B, 0, inf)
    for name, value in (("eps", eps), ("delta", delta), ("nu", nu)):
        check_between(name, value, 0, 1)
    largest = 1 / (1 - nu)
    root = sqrt(B) * (1 + largest) / 2 + 2 * (1 + sqrt(B * largest)) * sqrt(log(2 / delta) / 2)
    return float(np.ceil((root / eps) ** 2))


def exp_or_inf(value: float) -> float:
    return exp(value) if value < _LARGEST_LOG else inf
