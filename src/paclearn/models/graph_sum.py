"""Sums of graphs over the columns of one model, ``base + share * (g_1 + ... + g_m)``; a lone graph is one of them."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.models.effects import Effect, Effects, check_size, group_codes
from paclearn.models.model import Model

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.models.decision_graph import DecisionGraph

__all__ = ["GraphSum", "SumModel", "asking", "columns_asked", "effects_of", "stacked"]

_Groups = tuple["NDArray[np.intp]", "NDArray[np.intp]"]  # the group of every code of a column, and one code of each


@dataclass(frozen=True, eq=False)
class GraphSum:
    """``base + share * (sum of what the graphs say)``, kept within the range of the targets.

    Parameters
    ----------
    graphs : tuple of DecisionGraph
        The graphs.
    base, share : float
        What to start from, and how much each graph counts: 0 and one over their number for a mean.
    low, high : float
        Range of the targets.
    """

    graphs: tuple[DecisionGraph, ...]
    base: float
    share: float
    low: float
    high: float

    @classmethod
    def alone(cls, graph: DecisionGraph) -> GraphSum:
        """One graph is the sum of itself."""
        return cls((graph,), 0.0, 1.0, -np.inf, np.inf)

    @property
    def is_mean(self) -> bool:
        """Whether the graphs all predict the target, and not each what the others leave over."""
        return bool(self.graphs) and self.base == 0 and self.share == 1 / len(self.graphs)

    def over(self, columns: tuple[Column, ...]) -> GraphSum:
        """The same graphs, all over the same columns."""
        return replace(self, graphs=tuple(asking(graph, columns) for graph in self.graphs))

    def values(self, codes: NDArray[np.uint8]) -> NDArray[np.float64]:
        """The sum for every row, before it is kept within its range; the graphs one after the other."""
        said = np.full(codes.shape[1], self.base)
        for graph in self.graphs:
            said += self.share * graph.values_of_codes(codes)
        return said

    def start(self) -> float:
        """What is said before anything is asked."""
        return self.base + self.share * sum(float(graph.shape.value[0]) for graph in self.graphs)

    def contributions(self, codes: NDArray[np.uint8]) -> NDArray[np.float64]:
        """What the answers about every column (a row each) add to the start."""
        added = np.zeros(codes.shape)
        for graph in self.graphs:
            added += self.share * graph.contributions(codes)
        return added


@dataclass(frozen=True, eq=False, repr=False)
class SumModel(Model):
    """A model whose scores are sums of graphs over its columns, one for every output."""

    @abstractmethod
    def totals(self) -> tuple[GraphSum, ...]:
        """The sums."""

    def scores(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        known = stacked(codes)
        return np.column_stack([total.values(known) for total in self.totals()])

    def effects(self) -> Effects:
        """One effect of all columns that a graph asks, where that is small enough to be one."""
        return effects_of(self.totals())


def stacked(codes: Sequence[NDArray[Any]]) -> NDArray[np.uint8]:
    """Codes of the columns as graphs want them, one row a column."""
    return np.stack(codes).astype(np.uint8, copy=False)


def columns_asked(graphs: Iterable[DecisionGraph]) -> tuple[Column, ...]:
    """All columns that some graph asks, in the order of the table."""
    by_position = {c.position: c for graph in graphs for c in graph.columns}
    return tuple(by_position[position] for position in sorted(by_position))


def asking(graph: DecisionGraph, columns: tuple[Column, ...]) -> DecisionGraph:
    """The same graph, its columns numbered among more of them."""
    place = {c.position: i for i, c in enumerate(columns)}
    asks = np.array([place[graph.columns[i].position] for i in graph.asks], dtype=np.int32)
    return replace(graph, columns=columns, asks=asks)


# ---- effects ----


@dataclass(frozen=True, eq=False)
class _Weighted:
    """A graph, how much it counts, and for which output."""

    graph: DecisionGraph
    share: float
    output: int


def effects_of(sums: Sequence[GraphSum]) -> Effects:
    """One effect for every set of columns that some graphs ask, where all of them are small enough to be tables."""
    by_columns: dict[tuple[int, ...], list[_Weighted]] = {}
    for output, total in enumerate(sums):
        for graph in total.graphs:
            asked = tuple(np.unique(graph.asks).tolist())
            by_columns.setdefault(asked, []).append(_Weighted(graph, total.share, output))
    start = np.array([total.base for total in sums])
    for lone in by_columns.pop((), []):  # nothing is asked
        start[lone.output] += lone.share * lone.graph.shape.value[0]
    groups = {columns: _groups(columns, some) for columns, some in by_columns.items()}
    n_cells = sum(prod(len(first) for _, first in found) for found in groups.values())
    check_size([n_cells], f"the effects of all {len(groups)} sets of columns that graphs ask, put together,")
    return Effects(start, tuple(_effect(s, some, groups[s], len(sums)) for s, some in by_columns.items()))


def _groups(columns: tuple[int, ...], some: Sequence[_Weighted]) -> list[_Groups]:
    """The codes of each column that no graph tells apart."""
    found = [group_codes(_sides(some, column)) for column in columns]
    names = ", ".join(some[0].graph.columns[column].name for column in columns)
    check_size([len(first) for _, first in found], f"the graph over {names}")
    return found


def _effect(columns: tuple[int, ...], some: Sequence[_Weighted], groups: list[_Groups], n_outputs: int) -> Effect:
    """Graphs over the same columns as one table."""
    grid = np.meshgrid(*(first for _, first in groups), indexing="ij")
    codes = np.zeros((len(some[0].graph.columns), grid[0].size), dtype=np.uint8)
    for column, axis in zip(columns, grid, strict=True):
        codes[column] = axis.ravel()
    cells = np.zeros((codes.shape[1], n_outputs))
    for one in some:
        cells[:, one.output] += one.share * one.graph.values_of_codes(codes)
    return Effect(columns, tuple(group for group, _ in groups), cells.reshape(*grid[0].shape, n_outputs))


def _sides(some: Sequence[_Weighted], column: int) -> NDArray[np.uint8]:
    """Codes of a column x the nodes that ask it."""
    n_codes = some[0].graph.columns[column].n_codes + 1
    return np.concatenate([one.graph.goes_low[one.graph.asks == column, :n_codes] for one in some]).T
