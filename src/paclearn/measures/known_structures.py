"""Measures whose graph the user knows: chains, grids, groups of columns, and any graph without cycles."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection
from itertools import pairwise
from math import isqrt
from typing import TYPE_CHECKING, Any, Self

from paclearn._parameters import Listed, check, is_whole
from paclearn.exceptions import InputError
from paclearn.measures.bit_layout import parents_by_column, parents_by_edges
from paclearn.measures.measure import Measure

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paclearn.measures.bit_layout import BitLayout

__all__ = ["ChainMeasure", "GraphMeasure", "GridMeasure", "GroupMeasure", "KnownStructure"]


class KnownStructure(Measure):
    """A measure whose graph follows from how the columns of a table are arranged."""

    @abstractmethod
    def parents_in(self, layout: BitLayout) -> list[tuple[int, ...]]:
        """The graph.

        Parameters
        ----------
        layout : BitLayout
            The bits and their columns; of a law of columns with levels, the columns are its bits.
        """

    def _parents(self, d: int) -> list[tuple[int, ...]]:  # noqa: ARG002
        return self.parents_in(self.layout_)


class ChainMeasure(KnownStructure):
    """Every bit depends on the one before it, or every column on the one before it in an order of your own.

    Parameters
    ----------
    smoothing : float, default=1.0
        See `Measure`.
    order : sequence, default=None
        Columns by name or place, such as ``["monday", "tuesday"]``; columns not named depend on none. An entry may be a
        tuple, such as ``("state", "sign")``: the first is on the chain, the others depend on it (a hidden Markov model
        whose states are known). The bits in their order if not given.
    """

    def __init__(self, smoothing: float = 1.0, order: Any = None) -> None:
        super().__init__(smoothing)
        self.order = order

    def parents_in(self, layout: BitLayout) -> list[tuple[int, ...]]:
        """The graph.

        Parameters
        ----------
        layout : BitLayout
            See `KnownStructure.parents_in`.
        """
        if self.order is None:
            return [(i - 1,) if i else () for i in range(len(layout.names))]
        check("order", self.order, Listed("columns"))
        steps = [entry if isinstance(entry, tuple) else (entry,) for entry in self.order]
        if not all(steps):
            raise InputError(
                "order has an empty entry; each is a column, or a tuple of a column and what depends on it"
            )
        named = [column for step in steps for column in step]
        if len(set(map(str, named))) < len(named):
            raise InputError(f"order names a column twice: {named}")
        along = [(a[0], b[0]) for a, b in pairwise(steps)]
        hanging = [(first, other) for first, *others in steps for other in others]
        return parents_by_edges(layout, along + hanging, "order")


class GraphMeasure(KnownStructure):
    """A graph of the user's own.

    Parameters
    ----------
    edges : iterable of (parent, child), networkx.DiGraph or pgmpy model
        Columns by name or place, or bits by name. In learners, a column may have several bits: each of the child's
        depends on all of the parent's (or, of more than five, on the one of the same rank) and on the one before it.
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

    def parents_in(self, layout: BitLayout) -> list[tuple[int, ...]]:
        """The graph.

        Parameters
        ----------
        layout : BitLayout
            See `KnownStructure.parents_in`.
        """
        edges = _list_edges(self.edges) if "_listed" not in vars(self) else self._listed
        return parents_by_edges(layout, edges, "an edge")


def _list_edges(edges: Any) -> list[tuple[Any, Any]]:
    """Parents and children of a list, a networkx graph or a pgmpy model."""
    if not hasattr(edges, "edges"):
        check("edges", edges, Listed("pairs (parent, child)"))
        return [_pair(edge) for edge in edges]
    if hasattr(edges, "is_directed") and not edges.is_directed():
        raise InputError("the graph has no directions; give one whose edges go from parent to child")
    return [(edge[0], edge[1]) for edge in edges.edges]


def _pair(edge: Any) -> tuple[Any, Any]:
    if isinstance(edge, str) or not isinstance(edge, Collection) or len(edge) != 2:
        raise InputError(f"an edge is a pair (parent, child); found {edge!r}")
    parent, child = edge
    return parent, child


class GridMeasure(KnownStructure):
    """Pixels in rows: each depends on the one above it and the one to its left.

    In learners, columns that never vary are holes in the grid, and a pixel may have several bits (see `GraphMeasure`).

    Parameters
    ----------
    width : int, default=None
        Pixels a row; as many as there are rows if not given.
    smoothing : float, default=1.0
        See `Measure`.
    """

    def __init__(self, width: int | None = None, smoothing: float = 1.0) -> None:
        super().__init__(smoothing)
        self.width = width

    def parents_in(self, layout: BitLayout) -> list[tuple[int, ...]]:
        """The graph.

        Parameters
        ----------
        layout : BitLayout
            See `KnownStructure.parents_in`.
        """
        return parents_by_column(layout, _pixels_before(len(layout.table), self.width))


def _pixels_before(n: int, width: int | None = None) -> dict[int, tuple[int, ...]]:
    """For each of so many pixels in rows the one above it and the one to its left."""
    wide = isqrt(n) if width is None else width
    if width is None and wide**2 != n:
        fits = next(w for w in range(max(wide, 1), n + 1) if n % w == 0)
        raise InputError(f"{n} columns are no square grid; give its width, as in GridMeasure(width={fits})")
    if not is_whole(wide) or wide < 1 or n % wide:
        raise InputError(f"width={width!r} must divide the number of columns, which is {n}")
    return {i: (*((i - wide,) * (i >= wide)), *((i - 1,) * (i % wide > 0))) for i in range(n)}


class GroupMeasure(KnownStructure):
    """Groups of bits that have nothing to do with each other, such as the bits of one column: each is a chain.

    Parameters
    ----------
    groups : sequence, default=None
        The group of every column; or lists of columns by name or place, those not named being groups of their own. In
        learners, every column is a group of its bits if not given.
    smoothing : float, default=1.0
        See `Measure`.
    """

    def __init__(self, groups: Any = None, smoothing: float = 1.0) -> None:
        super().__init__(smoothing)
        self.groups = groups

    def parents_in(self, layout: BitLayout) -> list[tuple[int, ...]]:
        """The graph.

        Parameters
        ----------
        layout : BitLayout
            See `KnownStructure.parents_in`.
        """
        last: dict[Any, int] = {}
        parents: list[tuple[int, ...]] = []
        for bit, group in enumerate(self._group_of_bits(layout)):
            parents.append((last[group],) if group in last else ())
            last[group] = bit
        return parents

    def _group_of_bits(self, layout: BitLayout) -> list[Any]:
        if self.groups is None:
            return list(layout.places)
        check("groups", self.groups, Listed("groups"))
        groups = list(self.groups)
        if groups and all(isinstance(g, list | tuple | set) for g in groups):
            return _listed_groups(layout, groups)
        if len(groups) != len(layout.table):
            raise InputError(
                f"groups has {len(groups)} entries for {len(layout.table)} columns; give the group of every column"
            )
        return [groups[place] if place < len(groups) else ("column", place) for place in layout.places]


def _listed_groups(layout: BitLayout, groups: list[Iterable[Any]]) -> list[Any]:
    found: dict[int, int] = {}
    for number, members in enumerate(groups):
        for bit in (bit for called in members for bit in layout.bits_of(called, "groups")):
            if found.setdefault(bit, number) != number:
                raise InputError(f"groups has {layout.columns[bit]!r} in two groups")
    return [found.get(bit, ("column", place)) for bit, place in enumerate(layout.places)]
