r"""Terms of a measure's basis as sums of parities.

A function :math:`\phi_i` of the basis depends on bit i and its parents, so the Walsh transform over those writes it in
products of signs, exactly; and the product of two parities is the parity of the bits that are in one of them only.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from paclearn.exceptions import InputError
from paclearn.spectra.rebase import all_subsets, rebased

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paclearn.measures import Network

__all__ = ["in_parities"]

_MOST_BITS = 16

Parities = dict[int, float]  # weights of parities; a parity is a number whose binary digits are its bits


def in_parities(
    network: Network, terms: Sequence[tuple[int, ...]], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], list[tuple[int, ...]], NDArray[np.float64]]:
    """A constant, parities and their weights that add up to a weighted sum of products of basis functions."""
    if not network.edges:
        return _of_independent(network, terms, weights)
    single = {i: _expanded(network, i) for i in sorted({i for term in terms for i in term})}
    place: dict[int, int] = {0: 0}
    entries = [
        (place.setdefault(parity, len(place)), t, value)
        for t, term in enumerate(terms)
        for parity, value in _product(single[i] for i in _few(network, term)).items()
    ]
    rows, columns, values = zip(*entries, strict=True) if entries else ((), (), ())
    total = sparse.csr_array((values, (rows, columns)), shape=(len(place), len(terms))) @ weights
    subsets = {_bits_of(parity): i for parity, i in place.items()}
    ordered = sorted(subsets, key=lambda s: (len(s), s))
    return _without_noughts(ordered, total[[subsets[s] for s in ordered]])


def _of_independent(
    network: Network, terms: Sequence[tuple[int, ...]], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], list[tuple[int, ...]], NDArray[np.float64]]:
    """Parities are the basis of fair coins."""
    fair = replace(network, tables=tuple(np.full_like(table, 0.5) for table in network.tables))
    return _without_noughts(
        *rebased([(), *terms], np.vstack([np.zeros((1, weights.shape[1])), weights]), network, fair)
    )


def _without_noughts(
    parities: Sequence[tuple[int, ...]], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], list[tuple[int, ...]], NDArray[np.float64]]:
    """The constant, which comes first, and the others that have a weight."""
    some = (weights[1:] != 0).any(axis=1)
    return weights[0], list(compress(parities[1:], some)), weights[1:][some]


def _few(network: Network, term: tuple[int, ...]) -> tuple[int, ...]:
    """The same term, unless it depends on too many bits."""
    bits = {j for i in term for j in (i, *network.parents[i])}
    if len(bits) > _MOST_BITS:
        raise InputError(f"a term of this measure depends on {len(bits)} bits, too many to be written in parities")
    return term


def _product(factors: Iterable[Parities]) -> Parities:
    found: Parities = {0: 1.0}
    for factor in factors:
        grown: Parities = defaultdict(float)
        for one, a in found.items():
            for other, b in factor.items():
                grown[one ^ other] += a * b
        found = grown
    return found


def _expanded(network: Network, i: int) -> Parities:
    """A function of the basis: the Walsh transform over its bit and its parents."""
    bits = (i, *network.parents[i])
    up = network.tables[i]
    values = np.stack([-up, 1 - up]) / np.sqrt(up * (1 - up))  # one axis a bit
    for _ in bits:  # the axes come round to where they were
        low, high = values[0], values[1]
        values = np.moveaxis(np.stack([low + high, high - low]) / 2, 0, -1)
    found = zip(all_subsets(bits), values.ravel().tolist(), strict=True)
    return {sum(1 << j for j in subset): value for subset, value in found if abs(value) > 1e-15}


def _bits_of(parity: int) -> tuple[int, ...]:
    bits = []
    while parity:
        lowest = parity & -parity
        bits.append(lowest.bit_length() - 1)
        parity ^= lowest
    return tuple(bits)
