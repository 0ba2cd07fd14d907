r"""Coefficients of all subsets at once, for any measure, and back.

Bit after bit, children before parents, the two values of a function along an axis give way to their conditional mean
and to :math:`\sqrt{p q}` times their difference, which is the inner product with :math:`\phi_{\{i\}}`: a butterfly of
the Walsh-Hadamard transform with weights that may depend on the bits still to come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paclearn.exceptions import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.measures import Network

__all__ = ["inverse_transform", "transform"]


def transform(values: NDArray[np.float64], network: Network) -> NDArray[np.float64]:
    """The spectrum of a function on the cube.

    Parameters
    ----------
    values : ndarray of shape (2, ..., 2)
        The function, one axis a bit, -1 before +1.
    network : Network
        The measure.

    Returns
    -------
    ndarray of the same shape
        The coefficient of every subset: index 1 along the axes of its members, 0 along the others.
    """
    spectrum = _as_cube(values, network)
    for i in reversed(network.order):
        up = network.table_on_cube(i)
        low, high = (np.take(spectrum, [side], axis=i) for side in (0, 1))
        spectrum = np.concatenate([low + up * (high - low), np.sqrt(up * (1 - up)) * (high - low)], axis=i)
    return spectrum


def inverse_transform(spectrum: NDArray[np.float64], network: Network) -> NDArray[np.float64]:
    """The function with a given spectrum; the inverse of `transform`.

    Parameters
    ----------
    spectrum : ndarray of shape (2, ..., 2)
        Coefficients.
    network : Network
        The measure.

    Returns
    -------
    ndarray of the same shape
        The function, one axis a bit, -1 before +1.
    """
    values = _as_cube(spectrum, network)
    for i in network.order:
        odds = np.sqrt((1 - network.table_on_cube(i)) / network.table_on_cube(i))
        without, with_i = (np.take(values, [side], axis=i) for side in (0, 1))
        values = np.concatenate([without - with_i / odds, without + with_i * odds], axis=i)
    return values


def _as_cube(values: NDArray[np.float64], network: Network) -> NDArray[np.float64]:
    cube = np.asarray(values, dtype=np.float64)
    if cube.size != 2**network.d:
        raise InputError(f"a function of {network.d} bits has {2**network.d:,} values; found {cube.size:,}")
    return cube.reshape((2,) * network.d)
