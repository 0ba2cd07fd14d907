"""Means of a target times basis functions, over rows, and of their squares: what estimated coefficients are made of."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._progress import progress

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.measures import Network

__all__ = ["Sample", "moments_of", "moments_up_to", "subset_functions"]

_ROWS_AT_ONCE = 8192
_MOST_PATTERNS = 64
_A_LOOK = 1000


def subset_functions(basis: NDArray[np.float64], subsets: Sequence[tuple[int, ...]]) -> NDArray[np.float64]:
    """Products of the functions of single bits: rows x subsets."""
    result = np.empty((len(basis), len(subsets)), order="F")
    for k, subset in enumerate(subsets):
        result[:, k] = basis[:, list(subset)].prod(axis=1)
    return result


@dataclass(frozen=True, eq=False)
class Sample:
    """Bits with their targets, and how much every row counts; never written to."""

    bits: NDArray[Any]
    targets: NDArray[np.float64]
    weights: NDArray[np.float64] | None = None

    @property
    def total(self) -> float:
        """How many rows there are, by weight."""
        return float(len(self.bits) if self.weights is None else self.weights.sum())

    def some(self, rows: Any) -> Sample:
        """Some of the rows, in their order."""
        return Sample(self.bits[rows], self.targets[rows], None if self.weights is None else self.weights[rows])


def moments_of(
    network: Network, sample: Sample, subsets: Sequence[tuple[int, ...]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means of target times function, and of its square, for a list of subsets; both subsets x targets."""
    total, squares = np.zeros((2, len(subsets), sample.targets.shape[1]))
    for basis, y, weights in _blocks(network, sample):
        counted = 1.0 if weights is None else weights
        for i, subset in enumerate(subsets):
            phi = basis[:, list(subset)].prod(axis=1)
            total[i] += (phi * counted) @ y
            squares[i] += (phi**2 * counted) @ y**2
    return total / sample.total, squares / sample.total


def moments_up_to(network: Network, sample: Sample, degree: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The same for all subsets up to a degree, by size and in order: pairs of bits are one product of matrices.

    Larger subsets are pairs behind a prefix, whose function weighs the rows.
    """
    d = network.d
    if degree < 2:
        return moments_of(network, sample, [s for k in range(degree + 1) for s in combinations(range(d), k)])
    order, cuts = _rows_by_target(sample.targets)
    sample = sample.some(order)
    parts = [_up_to_pairs(network, sample, cuts)]
    for k in range(3, degree + 1):
        prefixes = list(combinations(range(d - 2), k - 2))
        with progress(f"{len(prefixes):,} prefixes of subsets of {k}", len(prefixes)) as advance:
            for prefix in prefixes:
                parts.append(_pairs_behind(network, sample, cuts, prefix))
                advance(1)
    values, squares = (np.concatenate([part[side] for part in parts]) for side in (0, 1))
    return values, squares


def _rows_by_target(targets: NDArray[np.float64]) -> tuple[Any, list[int]]:
    """Rows with the same targets next to each other, and where the targets change; all rows where they are many."""
    patterns = np.zeros(len(targets), dtype=np.intp)
    for column in targets.T:
        distinct = np.unique(column[:_A_LOOK])
        if len(distinct) > _MOST_PATTERNS or not np.isin(column, distinct).all():
            return slice(None), []
        joined = patterns * len(distinct) + np.searchsorted(distinct, column)
        kept, patterns = np.unique(joined, return_inverse=True)
        if len(kept) > _MOST_PATTERNS:
            return slice(None), []
    return np.argsort(patterns.astype(np.int16), kind="stable"), np.cumsum(np.bincount(patterns))[:-1].tolist()


def _up_to_pairs(network: Network, sample: Sample, cuts: list[int]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Moments of all subsets of at most two bits in one pass: with a column of ones, a single bit is a pair as well."""

    def with_ones(basis: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.concatenate([np.ones((len(basis), 1)), basis], axis=1)

    targets = sample.targets
    if sample.weights is None and cuts and not network.edges and (targets**2 == 1).all():
        total, squares = _sums_of_labels(network, sample, cuts)
    else:
        blocks = ((with_ones(basis), y, None, w) for basis, y, w in _blocks(network, sample, cuts))
        total, squares = _sums(blocks, targets, network.d + 1)
    rows, columns = np.triu_indices(network.d + 1, 1)
    place = np.concatenate([[0], rows * (network.d + 1) + columns])  # the empty set, then singles, then pairs
    values, mean_squares = (sums.reshape(len(sums), -1)[:, place].T / sample.total for sums in (total, squares))
    return values, np.broadcast_to(mean_squares, (len(place), targets.shape[1]))


def _sums_of_labels(
    network: Network, sample: Sample, cuts: list[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The same for labels -1 and +1 and independent bits, one run of rows with equal labels after the other.

    The square of a bit's function is a multiple of the function plus one, so sums of squares are sums of functions.
    """
    m, targets = network.d + 1, sample.targets
    total, plain = np.zeros((targets.shape[1], m, m)), np.zeros((m, m))
    for first, last in pairwise([0, *cuts, len(targets)]):
        gram = np.zeros((m, m))
        for basis, _, _ in _blocks(network, sample.some(slice(first, last))):
            gram[0, 0] += len(basis)
            gram[0, 1:] += basis.sum(axis=0)
            gram[1:, 1:] += basis.T @ basis
        plain += gram
        for t, sign in enumerate(targets[first]):
            total[t] += gram if sign > 0 else -gram
    up = np.array([float(table) for table in network.tables])
    slope = np.concatenate([[0.0], (1 - 2 * up) / np.sqrt(up * (1 - up))])
    single = slope * plain[0]
    return total, (plain[0, 0] + single[:, None] + single + np.outer(slope, slope) * plain)[None]


def _pairs_behind(
    network: Network, sample: Sample, cuts: list[int], prefix: tuple[int, ...]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Moments of the prefix with all pairs of bits behind it."""
    start = prefix[-1] + 1
    blocks = (
        (basis[:, start:], y, basis[:, list(prefix)].prod(axis=1), w) for basis, y, w in _blocks(network, sample, cuts)
    )
    total, squares = _sums(blocks, sample.targets, network.d - start)
    rows, columns = np.triu_indices(network.d - start, 1)
    values, mean_squares = (sums[:, rows, columns].T / sample.total for sums in (total, squares))
    return values, np.broadcast_to(mean_squares, values.shape)


def _sums(blocks: Any, targets: NDArray[np.float64], m: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sums over rows, by weight, of target times prefix times two functions, and of the squares of that."""
    same_square = bool((targets**2 == 1).all())  # labels -1 and +1: one sum of squares serves all of them
    total = np.zeros((targets.shape[1], m, m))
    squares = np.zeros((1 if same_square else targets.shape[1], m, m))
    for functions, y, prefix, weights in blocks:
        _add_products(total, functions, y, _times(prefix, weights))
        _add_products(
            squares, functions**2, y[:, : len(squares)] ** 2, _times(None if prefix is None else prefix**2, weights)
        )
    return total, squares


def _times(a: NDArray[Any] | None, b: NDArray[Any] | None) -> NDArray[Any] | None:
    """The product, where None is one."""
    return b if a is None else a if b is None else a * b


def _add_products(
    total: NDArray[np.float64], functions: NDArray[np.float64], y: NDArray[np.float64], weight: NDArray[Any] | None
) -> None:
    """Add the sums of target times weight times two functions, for all targets and pairs.

    Rows that share their targets need one product for all of them, and numpy does half the work for A'A.
    """
    if (y == y[0]).all():
        right = functions if weight is None else functions * weight[:, None]
        total += y[0][:, None, None] * (functions.T @ right)
        return
    for t in range(len(total)):
        scale = y[:, t] if weight is None else y[:, t] * weight
        total[t] += functions.T @ (functions * scale[:, None])


def _blocks(
    network: Network, sample: Sample, cuts: Sequence[int] = ()
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None]]:
    """The basis, the targets and the weights, some rows at a time and never across a cut."""
    for first, last in pairwise([0, *cuts, len(sample.bits)]):
        for begin in range(first, last, _ROWS_AT_ONCE):
            some = sample.some(slice(begin, min(begin + _ROWS_AT_ONCE, last)))
            yield network.basis(some.bits), some.targets, some.weights
