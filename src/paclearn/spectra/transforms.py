r"""Coefficients of all subsets at once, for any measure, and back.

Bit after bit, children before parents, the two values of a function along an axis give way to their conditional mean
and to :math:`\sqrt{p q}` times their difference, which is the inner product with :math:`\phi_{\{i\}}`: a butterfly of
the Walsh-Hadamard transform with weights that may depend on the bits still to come.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.exceptions import InputError
from paclearn.measures.measure import network_of
from paclearn.measures.network import check_cube

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.measures import Measure, Network

__all__ = ["change_of_measure", "inverse_transform", "points_of_cube", "transform", "values_on_cube"]


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
        mean, slope = _halves(spectrum, i)
        slope -= mean
        mean += up * slope
        slope *= np.sqrt(up * (1 - up))
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
        low, high = _halves(values, i)
        low -= high / odds
        high *= odds + 1 / odds
        high += low
    return values


def _halves(cube: NDArray[np.float64], i: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Views of the two sides of an axis."""
    before = (slice(None),) * i
    return cube[(*before, slice(0, 1))], cube[(*before, slice(1, 2))]


def change_of_measure(
    measure: Measure | Network, degree: int
) -> tuple[tuple[tuple[int, ...], ...], NDArray[np.float64]]:
    r"""What becomes of parities under a measure: :math:`M_{S,T} = E[\phi_S\,\chi_T]`, Zhang (2019), equation 4.5.

    Parameters
    ----------
    measure : Measure or Network
        A fitted measure.
    degree : int
        Of the parities.

    Returns
    -------
    subsets : tuple of tuple of int
        The parities T of up to this degree, by size.
    ndarray of shape (2^d, n_subsets)
        The coefficient of every subset S (first bit slowest, without before with) in every parity T, so that a function
        with coefficients c under the uniform measure has the coefficients M c under this one.
    """
    network = network_of(measure)
    subsets = tuple(s for k in range(degree + 1) for s in combinations(range(network.d), k))
    signs = [values_on_cube(lambda bits, s=s: bits[:, s].prod(axis=1), range(network.d), network.d) for s in subsets]
    return subsets, np.column_stack([transform(chi, network).ravel() for chi in signs])


def points_of_cube(d: int) -> NDArray[np.float64]:
    """All points of d bits of -1 and +1, the first bit slowest."""
    check_cube(d)
    return np.asarray(2 * ((np.arange(2**d)[:, None] >> np.arange(d)[::-1]) & 1) - 1, dtype=np.float64)


def values_on_cube(function: Any, members: Sequence[int], d: int) -> NDArray[np.float64]:
    """Values at all points of d bits of a function of some of them, given as a callable or by its own values."""
    check_cube(d)
    codes = np.arange(2**d)
    columns = [(codes >> (d - 1 - i)) & 1 for i in members]
    if callable(function):
        return _finite(function(2 * np.column_stack(columns).astype(np.int8) - 1))
    values = _finite(function).reshape(-1)
    if values.size != 2 ** len(members):
        raise InputError(f"a function of {len(members)} bits has {2 ** len(members):,} values; found {values.size:,}")
    return values[sum((c << (len(columns) - 1 - k) for k, c in enumerate(columns)), start=np.zeros_like(codes))]


def _finite(values: Any) -> NDArray[np.float64]:
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"a function is a callable or its values, which are numbers; found {values!r:.60}") from None
    if not np.isfinite(found).all():
        raise InputError(f"the values of a function must be finite; found {found[~np.isfinite(found)][0]:g}")
    return found


def _as_cube(values: NDArray[np.float64], network: Network) -> NDArray[np.float64]:
    cube = np.array(values, dtype=np.float64)
    if cube.size != 2**network.d:
        raise InputError(f"a function of {network.d} bits has {2**network.d:,} values; found {cube.size:,}")
    return cube.reshape((2,) * network.d)
