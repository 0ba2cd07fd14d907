r"""Terms of a measure's basis as sums of parities.

A function :math:`\phi_i` of the basis depends on bit i and its parents, so a product of a few of them depends on few
bits, and the Walsh transform over those writes it in products of signs, exactly.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from paclearn.exceptions import InputError
from paclearn.spectra.rebase import all_subsets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.measures import Network

__all__ = ["in_parities"]

_MOST_BITS = 16


def in_parities(
    network: Network, terms: Sequence[tuple[int, ...]], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], list[tuple[int, ...]], NDArray[np.float64]]:
    """A constant, parities and their weights that add up to a weighted sum of products of basis functions."""
    total: dict[tuple[int, ...], NDArray[np.float64]] = defaultdict(lambda: np.zeros(weights.shape[1]))
    for term, weight in zip(terms, weights, strict=True):
        for parity, value in _expanded(network, term):
            total[parity] += value * weight
    constant = total.pop((), np.zeros(weights.shape[1]))
    kept = sorted((s for s in total if total[s].any()), key=lambda s: (len(s), s))
    return constant, kept, np.array([total[s] for s in kept]).reshape(len(kept), weights.shape[1])


def _expanded(network: Network, term: tuple[int, ...]) -> list[tuple[tuple[int, ...], float]]:
    bits = sorted({j for i in term for j in (i, *network.parents[i])})
    if len(bits) > _MOST_BITS:
        raise InputError(f"a term of this measure depends on {len(bits)} bits, too many to be written in parities")
    values = _values(network, term, bits)
    for _ in bits:  # the Walsh transform, one bit at a time; the axes come round to where they were
        low, high = values[0], values[1]
        values = np.moveaxis(np.stack([low + high, high - low]) / 2, 0, -1)
    return [(s, float(v)) for s, v in zip(all_subsets(bits), values.ravel(), strict=True) if abs(v) > 1e-15]


def _values(network: Network, term: tuple[int, ...], bits: list[int]) -> NDArray[np.float64]:
    """At all points of some bits, one axis a bit: the product over the term's members of their basis functions."""
    signs = dict(zip(bits, np.meshgrid(*([-1, 1] for _ in bits), indexing="ij"), strict=True))
    product = np.ones((2,) * len(bits))
    for i in term:
        up = network.tables[i][tuple((signs[j] + 1) // 2 for j in network.parents[i])]
        product = product * (signs[i] - (2 * up - 1)) / (2 * np.sqrt(up * (1 - up)))
    return product
