"""Means of a target times basis functions, over rows, and of their squares: what estimated coefficients are made of."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._progress import progress

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.measures import Network

__all__ = ["moments_of", "moments_up_to", "subset_functions"]

_ROWS_AT_ONCE = 8192
_MOST_PATTERNS = 64


def subset_functions(basis: NDArray[np.float64], subsets: Sequence[tuple[int, ...]]) -> NDArray[np.float64]:
    """Products of the functions of single bits: rows x subsets."""
    result = np.empty((len(basis), len(subsets)), order="F")
    for k, subset in enumerate(subsets):
        result[:, k] = basis[:, list(subset)].prod(axis=1)
    return result


def moments_of(
    network: Network, bits: NDArray[Any], targets: NDArray[np.float64], subsets: Sequence[tuple[int, ...]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means of target times function, and of its square, for a list of subsets; both subsets x targets."""
    total, squares = np.zeros((2, len(subsets), targets.shape[1]))
    for basis, y in _blocks(network, bits, targets):
        for i, subset in enumerate(subsets):
            phi = basis[:, list(subset)].prod(axis=1)
            total[i] += phi @ y
            squares[i] += phi**2 @ y**2
    return total / len(bits), squares / len(bits)


def moments_up_to(
    network: Network, bits: NDArray[Any], targets: NDArray[np.float64], degree: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The same for all subsets up to a degree, by size and in order: pairs of bits are one product of matrices.

    Larger subsets are pairs behind a prefix, whose function weighs the rows.
    """
    d = network.d
    parts = [moments_of(network, bits, targets, list(combinations(range(d), k))) for k in range(min(degree, 1) + 1)]
    order, cuts = _rows_by_target(targets)
    bits, targets = bits[order], targets[order]
    for k in range(2, degree + 1):
        prefixes = list(combinations(range(d - 2), k - 2))
        with progress(f"{len(prefixes):,} prefixes of subsets of {k}", len(prefixes)) as advance:
            for prefix in prefixes:
                parts.append(_pairs_behind(network, bits, targets, cuts, prefix))
                advance(1)
    values, squares = (np.concatenate([part[side] for part in parts]) for side in (0, 1))
    return values, squares


def _rows_by_target(targets: NDArray[np.float64]) -> tuple[Any, list[int]]:
    """Rows with the same targets next to each other, and where the targets change; all rows where they are many."""
    patterns, which = np.unique(targets, axis=0, return_inverse=True)
    if len(patterns) > _MOST_PATTERNS:
        return slice(None), []
    counts = np.bincount(which.ravel())
    return np.argsort(which.ravel(), kind="stable"), np.cumsum(counts)[:-1].tolist()


def _pairs_behind(
    network: Network, bits: NDArray[Any], targets: NDArray[np.float64], cuts: list[int], prefix: tuple[int, ...]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Moments of the prefix with all pairs of bits behind it."""
    start = prefix[-1] + 1 if prefix else 0
    m = network.d - start
    same_square = bool((targets**2 == 1).all())  # labels -1 and +1: one sum of squares serves all of them
    total = np.zeros((targets.shape[1], m, m))
    squares = np.zeros((1 if same_square else targets.shape[1], m, m))
    for basis, y in _blocks(network, bits, targets, cuts):
        behind, weight = basis[:, start:], basis[:, list(prefix)].prod(axis=1) if prefix else None
        _add_products(total, behind, y, weight)
        _add_products(squares, behind**2, y[:, : len(squares)] ** 2, None if weight is None else weight**2)
    rows, columns = np.triu_indices(m, 1)
    n = len(bits)
    values, mean_squares = total[:, rows, columns].T / n, squares[:, rows, columns].T / n
    return values, np.broadcast_to(mean_squares, values.shape)


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
    network: Network, bits: NDArray[Any], targets: NDArray[np.float64], cuts: Sequence[int] = ()
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """The basis and the targets, some rows at a time and never across a cut."""
    ends = [0, *cuts, len(bits)]
    for first, last in pairwise(ends):
        for begin in range(first, last, _ROWS_AT_ONCE):
            some = slice(begin, min(begin + _ROWS_AT_ONCE, last))
            yield network.basis(bits[some]), targets[some]
