"""Subsets and their coefficients, from one basis to another."""

from __future__ import annotations

from collections import defaultdict
from functools import reduce
from itertools import chain, compress
from operator import mul
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

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
    given: dict[int, list[tuple[NDArray[np.intp], NDArray[np.float64]]]] = defaultdict(list)
    for size, members, some in _by_size(subsets, values):
        factors = [(scale[bit], shift[bit]) for bit in members.T]
        for kept in all_subsets(range(size)):
            share = reduce(mul, (each[i not in kept] for i, each in enumerate(factors)), np.ones(len(members)))
            given[len(kept)].append((members[:, kept], some * share[:, None]))
    totals = [_added_up(given[size], old.d) for size in sorted(given)]
    ordered = tuple(chain.from_iterable(map(_as_tuples, (members for members, _ in totals))))
    return ordered, np.concatenate([np.empty((0, values.shape[1])), *(total for _, total in totals)])


def _as_tuples(members: NDArray[np.intp]) -> Iterable[tuple[int, ...]]:
    return zip(*members.T.tolist(), strict=True) if members.shape[1] else [()] * len(members)


def _by_size(
    subsets: Sequence[tuple[int, ...]], values: NDArray[np.float64]
) -> Iterator[tuple[int, NDArray[np.intp], NDArray[np.float64]]]:
    """Subsets of one size at a time as a matrix, with their coefficients."""
    sizes = np.fromiter(map(len, subsets), dtype=np.intp, count=len(subsets))
    for size in np.unique(sizes).tolist():
        alike = sizes == size
        members = np.fromiter(chain.from_iterable(compress(subsets, alike)), dtype=np.intp)
        yield size, members.reshape(-1, size) if size else np.empty((alike.sum(), 0), dtype=np.intp), values[alike]


def _added_up(
    parts: Sequence[tuple[NDArray[np.intp], NDArray[np.float64]]], d: int
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Different subsets of one size, in order, and the sum of what each was given."""
    members, values = (np.concatenate(each) for each in zip(*parts, strict=True))
    size = members.shape[1]
    whole = np.dtype(np.int64 if d**size < 2**62 else object)
    codes = (members.astype(whole) * d ** np.arange(size)[::-1].astype(whole)).sum(axis=1).astype(whole)
    _, first, which = np.unique(codes, return_index=True, return_inverse=True)
    total = np.column_stack([np.bincount(which, column, len(first)) for column in values.T])
    return members[first], total.astype(np.float64)
