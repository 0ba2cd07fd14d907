"""Measures that are learned from rows: what differs is the graph."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree
from scipy.stats import chi2
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from paclearn._validation import is_whole
from paclearn.exceptions import InputError
from paclearn.measures.network import Network, topological_order

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = [
    "ChainMeasure",
    "GraphMeasure",
    "GridMeasure",
    "GroupMeasure",
    "Measure",
    "ProductMeasure",
    "TreeMeasure",
    "UniformMeasure",
]


class Measure(BaseEstimator):
    """A law of bits. Bits are -1 and +1; whatever is positive counts as +1.

    Parameters
    ----------
    smoothing : float, default=1.0
        Rows that are added to both values of every conditional. Without any, a state that no row has is an error.

    Attributes
    ----------
    network_ : Network
        The graph and its conditional probabilities.
    """

    def __init__(self, smoothing: float = 1.0) -> None:
        self.smoothing = smoothing

    @abstractmethod
    def _parents(self, states: NDArray[np.intp]) -> list[tuple[int, ...]]:
        """The graph."""

    def fit(self, X: Any, y: Any = None) -> Measure:  # noqa: ARG002
        """Learn the graph and its probabilities.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_bits)
            Bits.
        y : None
            Ignored.

        Returns
        -------
        Measure
            The fitted measure.
        """
        _check_smoothing(self.smoothing)
        states = _as_states(X)
        parents = [tuple(p) for p in self._parents(states)]
        order = topological_order(parents)
        tables = tuple(self._table(states, i, parents[i]) for i in range(states.shape[1]))
        self.network_ = Network(tuple(parents), tables, order)
        return self

    def _table(self, states: NDArray[np.intp], i: int, parents: tuple[int, ...]) -> NDArray[np.float64]:
        shape = (2,) * (len(parents) + 1)
        place = np.zeros(len(states), dtype=np.intp)
        for bit in (*parents, i):
            place = 2 * place + states[:, bit]
        counts = np.bincount(place, minlength=2 ** (len(parents) + 1)).reshape(shape) + float(self.smoothing)
        total = counts.sum(axis=-1)
        if (total == 0).any() or (counts == 0).any():
            raise InputError(
                f"bit {i} takes one value only for some state of its parents {list(parents)}; "
                "smoothing above 0 gives the other one a probability"
            )
        return np.asarray(counts[..., 1] / total)

    def conditional(self, X: Any) -> NDArray[np.float64]:
        """P(x_i = +1 | parents) for every row and bit.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_bits)
            Bits.

        Returns
        -------
        ndarray of shape (n_rows, n_bits)
            Probabilities.
        """
        return self._fitted().conditional(np.asarray(X))

    def log_prob(self, X: Any) -> NDArray[np.float64]:
        """Log probability of every row.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_bits)
            Bits.

        Returns
        -------
        ndarray of shape (n_rows,)
            Logarithms.
        """
        return self._fitted().log_prob(np.asarray(X))

    def basis(self, X: Any) -> NDArray[np.float64]:
        """The orthonormal functions of single bits; those of subsets are their products.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_bits)
            Bits.

        Returns
        -------
        ndarray of shape (n_rows, n_bits)
            Values.
        """
        return self._fitted().basis(np.asarray(X))

    def sample(self, n: int, random_state: Any = None) -> NDArray[np.int8]:
        """Draw rows.

        Parameters
        ----------
        n : int
            How many.
        random_state : int, RandomState instance or None, default=None
            Seed.

        Returns
        -------
        ndarray of int8, shape (n, n_bits)
            Bits -1 and +1.
        """
        return self._fitted().sample(n, random_state)

    def _fitted(self) -> Network:
        check_is_fitted(self)
        return self.network_


def _check_smoothing(value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not value >= 0:
        raise InputError(f"smoothing={value!r} must be a number of rows >= 0")


def _as_states(X: Any) -> NDArray[np.intp]:
    bits = np.asarray(X)
    if bits.ndim != 2 or bits.size == 0:
        raise InputError(f"bits must be a table with rows and columns; found shape {bits.shape}")
    return (bits > 0).astype(np.intp)


class UniformMeasure(Measure):
    """All points alike: the basis is that of parities."""

    def __init__(self) -> None:
        super().__init__(1.0)

    def _parents(self, states: NDArray[np.intp]) -> list[tuple[int, ...]]:
        return [()] * states.shape[1]

    def _table(self, states: NDArray[np.intp], i: int, parents: tuple[int, ...]) -> NDArray[np.float64]:  # noqa: ARG002
        return np.array(0.5)


class ProductMeasure(Measure):
    """Independent bits: the basis is that of standardised bits."""

    def _parents(self, states: NDArray[np.intp]) -> list[tuple[int, ...]]:
        return [()] * states.shape[1]


class ChainMeasure(Measure):
    """Every bit depends on the one before it."""

    def _parents(self, states: NDArray[np.intp]) -> list[tuple[int, ...]]:
        return [(i - 1,) if i else () for i in range(states.shape[1])]


class TreeMeasure(Measure):
    """The forest that fits best (Chow and Liu), with the edges that a test supports.

    Parameters
    ----------
    smoothing : float, default=1.0
        See `Measure`.
    level : float, default=0.05
        Chance of a single edge among independent bits; 1 keeps the whole tree.

    Attributes
    ----------
    network_ : Network
        The forest and its conditional probabilities.
    """

    def __init__(self, smoothing: float = 1.0, level: float = 0.05) -> None:
        super().__init__(smoothing)
        self.level = level

    def _parents(self, states: NDArray[np.intp]) -> list[tuple[int, ...]]:
        n, d = states.shape
        information = mutual_information(states)
        pairs = max(d * (d - 1) // 2, 1)
        least = chi2.isf(min(self.level / pairs, 1.0), 1) / (2 * n) if self.level < 1 else -1.0
        # the spanning tree of least weight; weights must be positive, and those of edges left out zero
        weights = np.where(information > least, information.max(initial=0) + 1 - information, 0.0)
        np.fill_diagonal(weights, 0.0)
        forest = minimum_spanning_tree(np.triu(weights, 1))
        return _away_from_roots(forest + forest.T, d)


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


def mutual_information(states: NDArray[np.intp]) -> NDArray[np.float64]:
    """Mutual information of all pairs of bits, in nats, from one matrix product."""
    n = len(states)
    # whole numbers up to 2^24 are exact in single precision, and twice as fast
    ones: NDArray[Any] = states.astype(np.float32) if n < 2**24 else states.astype(np.float64)
    both = np.asarray(ones.T @ ones, dtype=np.float64)
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
    edges : iterable of (int, int) or networkx.DiGraph
        Parent and child, as numbers of bits.
    smoothing : float, default=1.0
        See `Measure`.

    Attributes
    ----------
    network_ : Network
        The graph and its conditional probabilities.
    """

    def __init__(self, edges: Any = (), smoothing: float = 1.0) -> None:
        super().__init__(smoothing)
        self.edges = edges

    def _parents(self, states: NDArray[np.intp]) -> list[tuple[int, ...]]:
        given = self.edges.edges if hasattr(self.edges, "edges") else self.edges
        pairs: Iterable[tuple[int, int]] = [(int(p), int(c)) for p, c in given]
        parents: list[tuple[int, ...]] = [()] * states.shape[1]
        for parent, child in pairs:
            if not (0 <= parent < len(parents) and 0 <= child < len(parents)):
                raise InputError(f"the edge ({parent}, {child}) names a bit that is not among 0 to {len(parents) - 1}")
            parents[child] = (*parents[child], parent)
        return parents


class GridMeasure(Measure):
    """Pixels in rows: each depends on the one above it and the one to its left.

    Parameters
    ----------
    width : int, default=1
        Pixels a row.
    smoothing : float, default=1.0
        See `Measure`.

    Attributes
    ----------
    network_ : Network
        The grid and its conditional probabilities.
    """

    def __init__(self, width: int = 1, smoothing: float = 1.0) -> None:
        super().__init__(smoothing)
        self.width = width

    def _parents(self, states: NDArray[np.intp]) -> list[tuple[int, ...]]:
        d = states.shape[1]
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

    Attributes
    ----------
    network_ : Network
        The chains and their conditional probabilities.
    """

    def __init__(self, groups: Any = (), smoothing: float = 1.0) -> None:
        super().__init__(smoothing)
        self.groups = groups

    def _parents(self, states: NDArray[np.intp]) -> list[tuple[int, ...]]:
        groups = list(self.groups)
        if len(groups) != states.shape[1]:
            raise InputError(
                f"groups has {len(groups)} entries for {states.shape[1]} bits; give the group of every bit"
            )
        last: dict[Any, int] = {}
        parents: list[tuple[int, ...]] = []
        for i, group in enumerate(groups):
            parents.append((last[group],) if group in last else ())
            last[group] = i
        return parents
