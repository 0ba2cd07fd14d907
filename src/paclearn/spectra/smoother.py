r"""The direct estimator as a linear smoother: predictions are averages of labels, weighted by a kernel.

:math:`\sum_S \hat f(S)\,\phi_S(z) = \frac1n \sum_i y_i\, w(x_i, z)` with :math:`w(x, z) = \sum_S \phi_S(x)\,\phi_S(z)`:
Zhang (2019), equations 3.21 and 3.22.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.measures.measure import network_of
from paclearn.measures.network import as_subset
from paclearn.spectra.moments import subset_functions
from paclearn.spectra.spectrum import Spectrum

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from paclearn.measures import Measure, Network

__all__ = ["degrees_of_freedom", "direct_score", "smoothing_kernel"]


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
    basis = network_of(measure).basis(X)
    chosen = [as_subset(s, basis.shape[1]) for s in subsets]
    return float(sum((basis[:, list(s)] ** 2).prod(axis=1).mean() for s in chosen))


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
