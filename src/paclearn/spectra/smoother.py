r"""The direct estimator as a linear smoother: predictions are averages of labels, weighted by a kernel.

:math:`\sum_S \hat f(S)\,\phi_S(z) = \frac1n \sum_i y_i\, w(x_i, z)` with :math:`w(x, z) = \sum_S \phi_S(x)\,\phi_S(z)`:
Zhang (2019), equations 3.21 and 3.22.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._parameters import Between, check, is_whole
from paclearn.exceptions import InputError
from paclearn.measures.measure import network_of
from paclearn.measures.network import as_subset
from paclearn.spectra.moments import subset_functions
from paclearn.spectra.spectrum import Spectrum

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from paclearn.measures import Measure, Network

__all__ = ["degrees_of_freedom", "direct_score", "kernel_moments", "prediction_std", "smoothing_kernel"]


def smoothing_kernel(
    X: Any, Z: Any, measure: Measure | Network, subsets: Sequence[tuple[int, ...]]
) -> NDArray[np.float64]:
    """How much the label of every row of X counts in the prediction for every row of Z; it may be a negative weight.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_bits)
        Rows with labels.
    Z : array-like of shape (m_rows, n_bits)
        Rows to predict.
    measure : Measure or Network
        A fitted measure.
    subsets : sequence of tuple of int
        The terms of the estimator.
    """
    network = network_of(measure)
    chosen = [as_subset(s, network.d) for s in subsets]
    left, right = (subset_functions(network.basis(rows), chosen) for rows in (X, Z))
    return left @ right.T


def degrees_of_freedom(X: Any, measure: Measure | Network, subsets: Sequence[tuple[int, ...]]) -> float:
    """How many parameters the direct estimator on these rows amounts to; the number of subsets on average.

    The trace of the smoother: Zhang (2019), Proposition 16, equation 3.24.

    Parameters
    ----------
    X, measure, subsets : array-like, Measure or Network, sequence of tuple of int
        See `smoothing_kernel`.
    """
    return float(_own_weights(X, measure, subsets).mean())


def _own_weights(X: Any, measure: Measure | Network, subsets: Sequence[tuple[int, ...]]) -> NDArray[np.float64]:
    r""":math:`w(z, z) = \sum_S \phi_S(z)^2` for every row."""
    squares = network_of(measure).basis(X) ** 2
    if not len(squares):
        raise InputError("there are no rows")
    total = np.zeros(len(squares))
    for subset in subsets:
        total += squares[:, as_subset(subset, squares.shape[1])].prod(axis=1)
    return total


def prediction_std(
    X: Any, measure: Measure | Network, subsets: Sequence[tuple[int, ...]], n_rows: float, largest: float = 1.0
) -> NDArray[np.float64]:
    r"""How far predictions of the direct estimator may be off by chance: a bound on their standard deviation.

    :math:`\sigma(z) \le B\,\sqrt{\frac1n \sum_S \phi_S(z)^2}` for targets of size at most B: Zhang (2019), Theorem 2,
    equation 5.11, with the measure taken for known and the subsets for chosen beforehand.

    Parameters
    ----------
    X, measure, subsets : array-like, Measure or Network, sequence of tuple of int
        Rows to predict, the law and the terms, see `smoothing_kernel`.
    n_rows : float
        Rows that the coefficients were estimated from.
    largest : float, default=1.0
        The size B of the largest target; 1 for labels -1 and +1.
    """
    check("n_rows", n_rows, Between(0, np.inf))
    check("largest", largest, Between(0, np.inf, closed=True))
    return np.asarray(largest * np.sqrt(_own_weights(X, measure, subsets) / n_rows))


def kernel_moments(
    Z: Any, measure: Measure | Network, subsets: Sequence[tuple[int, ...]], shared: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    r"""Mean and variance of the weight that a random row has, if it agrees in so many bits with the row to predict.

    The other row shares the first k bits in the order of the measure and is drawn from it otherwise; with
    :math:`K` those bits, the mean is :math:`\sum_{S \subseteq K} \phi_S(z)^2` and the variance
    :math:`\sum_{R \ne \emptyset} \phi_R(z)^2 (\sum_{S \subseteq K} \phi_S(z)^2)^2`, where R has no bit of K and the
    union of S and R is one of the subsets: Zhang (2019), Proposition 17, equations 3.26 and 3.27.

    Parameters
    ----------
    Z : array-like of shape (m_rows, n_bits)
        Rows to predict.
    measure, subsets : Measure or Network, sequence of tuple of int
        See `smoothing_kernel`.
    shared : int
        The number k.

    Returns
    -------
    mean, variance : ndarray of shape (m_rows,)
        Of the weight, for every row of Z. The mean grows with k.
    """
    network = network_of(measure)
    if not is_whole(shared) or not 0 <= shared <= network.d:
        raise InputError(f"shared={shared!r} must be a whole number from 0 to the number of bits, {network.d}")
    squares, first = network.basis(Z) ** 2, set(network.order[:shared])
    inside: dict[tuple[int, ...], NDArray[np.float64]] = {}  # what is outside of K -> sum over what is inside
    for subset in subsets:
        members = as_subset(subset, network.d)
        rest = tuple(sorted(set(members) - first))
        inside[rest] = inside.get(rest, 0.0) + squares[:, [i for i in members if i in first]].prod(axis=1)
    mean = inside.pop((), np.zeros(len(squares)))
    parts = (squares[:, rest].prod(axis=1) * total**2 for rest, total in inside.items())
    return mean, sum(parts, start=np.zeros(len(squares)))


def direct_score(X: Any, y: Any, degree: int = 1) -> Callable[[Measure, NDArray[np.intp], NDArray[np.intp]], float]:
    """A score for `paclearn.measures.best_measure`: how well the direct estimator predicts, instead of likelihood.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_bits)
        Bits.
    y : array-like of shape (n_rows,)
        Labels -1 and +1, or numbers.
    degree : int, default=1
        Of the estimator.

    Returns
    -------
    callable
        Minus the mean squared error on the rows held out.
    """
    bits, target = np.asarray(X), np.asarray(y, dtype=np.float64)

    def score(measure: Measure, train: NDArray[np.intp], held: NDArray[np.intp]) -> float:
        found = Spectrum.estimate(bits[train], target[train], measure, degree)
        return -float(np.mean((found.predict(bits[held]) - target[held]) ** 2))

    return score
