"""How much every bit matters to a function, from its coefficients."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from paclearn.spectra.transforms import inverse_transform

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.measures import Network

__all__ = ["conditional_influences", "spectral_influences"]


def spectral_influences(
    d: int, subsets: tuple[tuple[int, ...], ...], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    r""":math:`\sum_{S \ni i} \hat f(S)^2` for every bit i, summed over the targets."""
    weights = np.repeat((values**2).sum(axis=1), list(map(len, subsets)))
    members = np.fromiter(chain.from_iterable(subsets), dtype=np.intp, count=len(weights))
    return np.bincount(members, weights, minlength=d).astype(np.float64)


def conditional_influences(
    network: Network, codes: NDArray[np.int64], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    r""":math:`E[\mathrm{Var}(f \mid x_j, j \ne i)]` for every bit i, from all values of the function.

    ``codes`` are the places of the coefficients in a transform.
    """
    p = network.probabilities()
    total = np.zeros(network.d)
    for column in values.T:
        whole = np.zeros(p.size)
        whole[codes] = column
        f = inverse_transform(whole, network)
        for i in range(network.d):
            low, high = np.take(p, 0, axis=i), np.take(p, 1, axis=i)
            total[i] += (low * high / (low + high) * np.diff(f, axis=i).squeeze(i) ** 2).sum()
    return total
