"""The families of measures: what differs is the graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree
from scipy.stats import chi2

from paclearn._parameters import is_whole
from paclearn.exceptions import InputError
from paclearn.measures.measure import Counts, Measure, whole_if_exact
from paclearn.measures.network import Network, as_states, topological_order

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "ChainMeasure",
    "GraphMeasure",
    "GridMeasure",
    "GroupMeasure",
    "ProductMeasure",
    "TreeMeasure",
    "UniformMeasure",
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


class ChainMeasure(Measure):
    """Every bit depends on the one before it.

    Parameters
    ----------
    smoothing : float, default=1.0
        See `Measure`.
    """

    def _parents(self, d: int) -> list[tuple[int, ...]]:
        return [(i - 1,) if i else () for i in range(d)]


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
        return _away_from_roots(forest + forest.T, d)


def _family(both: NDArray[Any], n: float, i: int, parents: tuple[int, ...]) -> NDArray[Any]:
    """Rows by the states of a bit's parent and its own."""
    if not parents:
        return np.array([n - both[i, i], both[i, i]])
    p = parents[0]
    neither = n - both[p, p] - both[i, i] + both[p, i]
    return np.array([[neither, both[i, i] - both[p, i]], [both[p, p] - both[p, i], both[p, i]]])


def _away_from_roots(forest: Any, d: int) -> list[tuple[int, ...]]:
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


class GraphMeasure(Measure):
    """A graph of the user's own.

    Parameters
    ----------
    edges : iterable of (parent, child), networkx.DiGraph or pgmpy model
        Numbers of bits, or names of the columns of the data frame.
    smoothing : float, default=1.0
        See `Measure`.
    """

    def __init__(self, edges: Any = (), smoothing: float = 1.0) -> None:
        super().__init__(smoothing)
        self.edges = edges

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the probabilities.

        Parameters
        ----------
        X, y, sample_weight : array-like
            See `Measure.fit`.
        """
        self._listed = _list_edges(self.edges)
        return super().fit(X, y, sample_weight)

    def _parents(self, d: int) -> list[tuple[int, ...]]:
        parents: list[tuple[int, ...]] = [()] * d
        for parent, child in dict.fromkeys((self._number(p), self._number(c)) for p, c in self._listed):
            parents[child] = (*parents[child], parent)
        return parents

    def _number(self, bit: Any) -> int:
        """Of a bit by its name, or by its place where the bits have no names of their own."""
        if isinstance(bit, str) and bit in self.names_:
            return self.names_.index(bit)
        if self.named_ and str(bit) in self.names_:
            return self.names_.index(str(bit))
        if is_whole(bit) and 0 <= bit < len(self.names_):
            return int(bit)
        known = f"0 to {len(self.names_) - 1}, or {', '.join(self.names_[:5])}" + ", ..." * (len(self.names_) > 5)
        raise InputError(f"an edge names {bit!r}, which is no bit; the bits are {known}")


def _list_edges(edges: Any) -> list[tuple[Any, Any]]:
    """Parents and children of a list, a networkx graph or a pgmpy model."""
    if not hasattr(edges, "edges"):
        return [(p, c) for p, c in edges]
    if hasattr(edges, "is_directed") and not edges.is_directed():
        raise InputError("the graph has no directions; give one whose edges go from parent to child")
    return [(edge[0], edge[1]) for edge in edges.edges]


class GridMeasure(Measure):
    """Pixels in rows: each depends on the one above it and the one to its left.

    Parameters
    ----------
    width : int, default=1
        Pixels a row.
    smoothing : float, default=1.0
        See `Measure`.
    """

    def __init__(self, width: int = 1, smoothing: float = 1.0) -> None:
        super().__init__(smoothing)
        self.width = width

    def _parents(self, d: int) -> list[tuple[int, ...]]:
        if not is_whole(self.width) or self.width < 1 or d % self.width:
            raise InputError(f"width={self.width!r} must divide the number of bits, which is {d}")
        return [
            (*((i - self.width,) if i >= self.width else ()), *((i - 1,) if i % self.width else ())) for i in range(d)
        ]


class GroupMeasure(Measure):
    """Groups of bits that have nothing to do with each other, such as the bits of one column: each is a chain.

    Parameters
    ----------
    groups : sequence of int, default=()
        The group of every bit.
    smoothing : float, default=1.0
        See `Measure`.
    """

    def __init__(self, groups: Any = (), smoothing: float = 1.0) -> None:
        super().__init__(smoothing)
        self.groups = groups

    def _parents(self, d: int) -> list[tuple[int, ...]]:
        groups = list(self.groups)
        if len(groups) != d:
            raise InputError(f"groups has {len(groups)} entries for {d} bits; give the group of every bit")
        last: dict[Any, int] = {}
        parents: list[tuple[int, ...]] = []
        for i, group in enumerate(groups):
            parents.append((last[group],) if group in last else ())
            last[group] = i
        return parents
