"""Means of a target times basis functions, over rows, and of their squares: what estimated coefficients are made of."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._progress import progress
from paclearn.measures.network import as_states

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
    if network.edges:
        blocks = ((with_ones(basis), y, None, w) for basis, y, w in _blocks(network, sample, cuts))
        total, squares = _sums(blocks, targets, network.d + 1)
    else:
        total, squares = _sums_of_independent(network, sample, cuts)
    rows, columns = np.triu_indices(network.d + 1, 1)
    place = np.concatenate([[0], rows * (network.d + 1) + columns])  # the empty set, then singles, then pairs
    values, mean_squares = (sums.reshape(len(sums), -1)[:, place].T / sample.total for sums in (total, squares))
    return values, np.broadcast_to(mean_squares, (len(place), targets.shape[1]))


def _sums_of_independent(
    network: Network, sample: Sample, cuts: list[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The same for independent bits: a bit's function and its square are affine in the bit, so sums over bits do."""
    m, targets = network.d + 1, sample.targets
    total = np.zeros((targets.shape[1], m, m))
    squares = np.zeros((1 if (targets**2 == 1).all() else targets.shape[1], m, m))
    for first, last in pairwise([0, *cuts, len(targets)]):
        run = sample.some(slice(first, last))
        if cuts:  # rows of a run share their targets
            (sums,) = _pair_sums(run.bits, [run.weights])
            total += run.targets[0][:, None, None] * sums
            squares += run.targets[0][: len(squares), None, None] ** 2 * sums
        else:
            for t, y in enumerate(run.targets.T):
                sums, sums_of_squares = _pair_sums(run.bits, [_times(run.weights, y), _times(run.weights, y**2)])
                total[t] += sums
                squares[t : t + 1] += sums_of_squares
    (plain, squared), ends = (np.eye(m), np.eye(m)), network.basis(np.array([[0], [1]]).repeat(network.d, axis=1))
    for functions, (false, true) in ((plain, ends), (squared, ends**2)):
        functions[0, 1:] = false
        functions[1:, 1:] *= true - false
    return plain.T @ total @ plain, squared.T @ squares @ squared


def _pair_sums(bits: NDArray[Any], weights: Sequence[NDArray[np.float64] | None]) -> NDArray[np.float64]:
    """Rows, by each of several weights, in which two bits are true; the first one is true in all.

    Rows of a block are fewer than single precision counts exactly.
    """
    sums = np.zeros((len(weights), bits.shape[1] + 1, bits.shape[1] + 1))
    for begin in range(0, len(bits), _ROWS_AT_ONCE):
        some = slice(begin, begin + _ROWS_AT_ONCE)
        states = as_states(bits[some])
        answers = np.ones((len(states), sums.shape[1]), dtype=np.float32 if weights[0] is None else np.float64)
        answers[:, 1:] = states
        for i, each in enumerate(weights):
            sums[i] += answers.T @ (answers if each is None else answers * each[some, None])
    return sums


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
