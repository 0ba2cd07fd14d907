"""Subsets and their coefficients, from one basis to another."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.measures import Network

__all__ = ["all_subsets", "rebased"]


def all_subsets(members: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """All subsets in the order of a transform: the first member slowest, without before with."""
    subsets: list[tuple[int, ...]] = [()]
    for i in reversed(list(members)):
        subsets += [(i, *s) for s in subsets]
    return tuple(subsets)


def rebased(
    subsets: Sequence[tuple[int, ...]], values: NDArray[np.float64], old: Network, new: Network
) -> tuple[tuple[tuple[int, ...], ...], NDArray[np.float64]]:
    """Coefficients under independent bits, for other probabilities of theirs: Zhang (2019), equation 4.6, both ways.

    A standardised bit is a multiple of the other plus a constant, so a subset gives to all its own subsets.
    """
    before, after = (np.array([float(t) for t in network.tables]) for network in (old, new))
    deviation = np.sqrt(before * (1 - before))  # standard deviation of a bit of 0 and 1
    scale, shift = np.sqrt(after * (1 - after)) / deviation, (after - before) / deviation
    total: dict[tuple[int, ...], NDArray[np.float64]] = defaultdict(lambda: np.zeros(values.shape[1]))
    for subset, value in zip(subsets, values, strict=True):
        for size in range(len(subset) + 1):
            for kept in combinations(subset, size):
                gone = [i for i in subset if i not in kept]
                total[kept] += value * scale[list(kept)].prod() * shift[gone].prod()
    ordered = sorted(total, key=lambda s: (len(s), s))
    return tuple(ordered), np.array([total[s] for s in ordered]).reshape(len(ordered), values.shape[1])
