"""Measures that need no word about the graph: there is none, or the rows decide it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree
from scipy.stats import chi2

from paclearn.exceptions import InputError
from paclearn.measures.factored_law import topological_order
from paclearn.measures.measure import Counts, Measure, whole_if_exact
from paclearn.measures.network import Network, as_states

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "ProductMeasure",
    "TreeMeasure",
    "UniformMeasure",
    "away_from_roots",
    "mutual_information",
]


_ROWS_AT_ONCE = 8192


class UniformMeasure(Measure):
    """All points alike: the basis is that of parities."""

    def __init__(self) -> None:
        super().__init__(1.0)

    def _parents(self, d: int) -> list[tuple[int, ...]]:
        return [()] * d

    def _table(self, i: int, parents: tuple[int, ...], counts: NDArray[Any]) -> NDArray[np.float64]:  # noqa: ARG002
        return np.array(0.5)


class ProductMeasure(Measure):
    """Independent bits: the basis is that of standardised bits.

    Parameters
    ----------
    smoothing : float, default=1.0
        See `Measure`.
    """

    def _parents(self, d: int) -> list[tuple[int, ...]]:
        return [()] * d


class TreeMeasure(Measure):
    """The forest that fits best (Chow and Liu 1968), with the edges that a test supports.

    Parameters
    ----------
    smoothing : float, default=1.0
        See `Measure`.
    level : float, default=0.05
        Chance of a single edge among independent bits; 1 keeps the whole tree.
    """

    def __init__(self, smoothing: float = 1.0, level: float = 0.05) -> None:
        super().__init__(smoothing)
        self.level = level

    def _signature(self) -> tuple[Any, ...]:
        return type(self), float(self.smoothing), self.level, self.names_

    def _parents(self, d: int) -> list[tuple[int, ...]]:  # noqa: ARG002
        return list(self.network_.parents)

    def _count(self, states: NDArray[np.uint8], weights: NDArray[np.float64] | None = None) -> Counts:
        """How many rows there are, and in how many of them two bits are both +1: all that a forest needs."""
        n = np.array(len(states) if weights is None else weights.sum())
        return whole_if_exact(n), _both(states, weights)

    def _network(self, counts: Counts) -> Network:
        n, both = counts
        parents = self._forest(both, float(n))
        tables = tuple(self._table(i, p, _family(both, float(n), i, p)) for i, p in enumerate(parents))
        return Network(tuple(parents), tables, topological_order(parents))

    def _forest(self, both: NDArray[Any], n: float) -> list[tuple[int, ...]]:
        d = len(both)
        if not 0 < float(self.level) <= 1:
            raise InputError(f"level={self.level!r} must be a number above 0 and at most 1")
        information = _information(both, n)
        pairs = max(d * (d - 1) // 2, 1)
        least = chi2.isf(min(self.level / pairs, 1.0), 1) / (2 * n) if self.level < 1 else -1.0
        # the spanning tree of least weight; weights must be positive, and those of edges left out zero
        weights = np.where(information > least, information.max(initial=0) + 1 - information, 0.0)
        np.fill_diagonal(weights, 0.0)
        forest = minimum_spanning_tree(np.triu(weights, 1))
        return away_from_roots(forest + forest.T, d)


def _family(both: NDArray[Any], n: float, i: int, parents: tuple[int, ...]) -> NDArray[Any]:
    """Rows by the states of a bit's parent and its own."""
    if not parents:
        return np.array([n - both[i, i], both[i, i]])
    p = parents[0]
    neither = n - both[p, p] - both[i, i] + both[p, i]
    return np.array([[neither, both[i, i] - both[p, i]], [both[p, p] - both[p, i], both[p, i]]])


def away_from_roots(forest: Any, d: int) -> list[tuple[int, ...]]:
    """Parents in a forest; the roots are the bits of the smallest number in each tree."""
    parents: list[tuple[int, ...]] = [()] * d
    seen: set[int] = set()
    for root in range(d):
        if root in seen:
            continue
        order, before = breadth_first_order(forest, root, directed=False)
        seen.update(order.tolist())
        for i in order[1:].tolist():
            parents[i] = (int(before[i]),)
    return parents


def mutual_information(X: Any) -> NDArray[np.float64]:
    """Mutual information of all pairs of bits in nats, from one matrix product; their entropies on the diagonal.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_bits)
        Bits.
    """
    states = as_states(X)
    return _information(_both(states), len(states))


def _both(states: NDArray[np.uint8], weights: NDArray[np.float64] | None = None) -> NDArray[Any]:
    """Rows in which two bits are both +1."""
    if weights is not None and (weights != 1).any():
        return _both_by_weight(states, weights)
    # whole numbers up to 2^24 are exact in single precision, and twice as fast
    ones: NDArray[Any] = states.astype(np.float32) if len(states) < 2**24 else states.astype(np.float64)
    return np.rint(ones.T @ ones).astype(np.int64)


def _both_by_weight(states: NDArray[np.uint8], weights: NDArray[np.float64]) -> NDArray[Any]:
    """The same, some rows at a time."""
    total = np.zeros((states.shape[1], states.shape[1]))
    for begin in range(0, len(states), _ROWS_AT_ONCE):
        some = states[begin : begin + _ROWS_AT_ONCE].astype(np.float64)
        total += some.T @ (some * weights[begin : begin + _ROWS_AT_ONCE, None])
    return whole_if_exact(total)


def _information(both: NDArray[Any], n: float) -> NDArray[np.float64]:
    single = both.diagonal()
    joint = np.stack([both, single[:, None] - both, single[None, :] - both, n - single[:, None] - single + both])
    up, down = single / n, 1 - single / n
    expected = np.stack([np.outer(up, up), np.outer(up, down), np.outer(down, up), np.outer(down, down)])
    share = joint / n
    ratio = np.divide(share, expected, out=np.ones_like(share), where=(expected > 0) & (share > 0))
    return np.asarray((share * np.log(ratio)).sum(axis=0))
