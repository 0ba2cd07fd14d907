r"""A function seen through a few bits: all its values there, its norms, and the least error that the bits allow.

The projection :math:`f^{\subseteq J} = \sum_{S \subseteq J} \hat f(S)\,\phi_S` is the mean of the function given the
bits of J (Heidari, Shamir and Szpankowski, about 2020, Definitions 1 and 6). Where a bit of J depends on one that is
not in J, the functions :math:`\phi_S` depend on that bit, too, and the basis of J has to be orthonormalised anew
(Heidari and others 2021, Lemma 1): the projection is the mean given J all the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb, inf
from typing import TYPE_CHECKING

import numpy as np

from paclearn._parameters import is_whole
from paclearn.exceptions import InputError
from paclearn.measures.network import check_cube
from paclearn.spectra.transforms import inverse_transform

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.measures import Network
    from paclearn.spectra.coefficients import Coefficients

__all__ = ["Listed", "best_of_size", "closure", "listed", "norms"]

_MOST_SUBSETS = 100_000
NORMS = (1, 2, inf)


@dataclass(frozen=True, eq=False)
class Listed:
    """A function by all its values, and how probable each point is; one axis a bit."""

    bits: tuple[int, ...]
    law: NDArray[np.float64]
    values: NDArray[np.float64]  # targets first

    def given(self, members: Sequence[int]) -> NDArray[np.float64]:
        """Its mean given some of the bits: one row a target, the first bit slowest."""
        others = tuple(axis for axis, bit in enumerate(self.bits) if bit not in members)
        mass = self.law.sum(axis=others)
        sums = (self.values * self.law).sum(axis=tuple(axis + 1 for axis in others))
        return np.asarray((sums / mass).reshape(len(self.values), -1))


def closure(network: Network, members: Sequence[int]) -> tuple[int, ...]:
    """Some bits and all that they depend on, ascending."""
    return tuple(sorted(frozenset().union(*(network.closures[i] for i in members))))


def listed(found: Coefficients, bits: Sequence[int]) -> Listed:
    """The function of the coefficients at all points of some bits, which hold their parents and all its subsets."""
    check_cube(len(bits))
    part = found.network.restricted(bits)
    place = {bit: 1 << (len(bits) - 1 - k) for k, bit in enumerate(bits)}
    codes = [sum(place[i] for i in subset) for subset in found.subsets]
    whole = np.zeros((found.values.shape[1], 2 ** len(bits)))
    whole[:, codes] = found.values.T
    return Listed(tuple(bits), part.probabilities(), np.stack([inverse_transform(row, part) for row in whole]))


def norms(found: Coefficients, order: float) -> NDArray[np.float64]:
    """Of the function, under its measure, one a target."""
    if order not in NORMS:
        raise InputError(f"order={order!r} must be 1, 2 or infinity (math.inf)")
    if order == 2:
        return np.asarray(np.sqrt((found.values**2).sum(axis=0)))
    function = listed(found, closure(found.network, sorted({i for subset in found.subsets for i in subset})))
    sizes = np.abs(function.values).reshape(len(function.values), -1)
    return np.asarray(sizes @ function.law.ravel() if order == 1 else sizes.max(axis=1))


def best_of_size(d: int, k: int, quality: Callable[[tuple[int, ...]], float]) -> tuple[int, ...]:
    """The subset of so many bits with the largest quality; the first one of equals."""
    return max(_subsets_of_size(d, k), key=lambda subset: round(quality(subset), 12))


def _subsets_of_size(d: int, k: int) -> Iterator[tuple[int, ...]]:
    if not is_whole(k) or not 0 <= k <= d:
        raise InputError(f"k={k!r} must be a whole number from 0 to the number of bits, {d}")
    if comb(d, k) > _MOST_SUBSETS:
        raise InputError(
            f"{d} bits have {comb(d, k):,} subsets of {k}; {_MOST_SUBSETS:,} is the most (JuntaClassifier tries more)"
        )
    return combinations(range(d), k)
