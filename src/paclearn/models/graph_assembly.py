"""Graphs that are put together, not grown: rows are sent through them to say what every node stands for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from paclearn.models.graph_shape import GraphShape
from paclearn.tables.weights import summable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.models.decision_graph import DecisionGraph

__all__ = ["Wiring", "inlined"]


@dataclass(frozen=True, eq=False)
class Wiring:
    """Questions and where their answers lead; inner nodes first, parents before children."""

    columns: tuple[Column, ...]  # one that several graphs have cut differently is there several times
    asks: NDArray[np.int32]  # a column for every inner node
    goes_low: NDArray[np.uint8]  # 256 for every inner node: the codes that go to the low side
    children: NDArray[np.int32]  # of every inner node: where the low and the high side lead

    def measured(
        self, codes: NDArray[np.uint8], targets: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> GraphShape:
        """Means, rows and gains of all nodes; a node that no row comes to has the mean of one that leads to it."""
        weights, weighted = summable(weights), summable(weights * targets)
        return self.shape_of(*self.edge_sums(codes, weights, weighted), (weights.sum(), weighted.sum()))

    def edge_sums(
        self, codes: NDArray[np.uint8], weights: NDArray[np.float64], weighted: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """For the rows that take either side of every node, the sums of their weights and of their weighted targets."""
        inner, n_nodes = len(self.children), self._n_nodes
        rows: list[list[NDArray[np.intp]]] = [[np.arange(len(weights))], *([] for _ in range(1, n_nodes))]
        edges, sums = np.zeros((inner, 2)), np.zeros((inner, 2))
        for node in range(inner):
            mine = np.concatenate(rows[node]) if rows[node] else np.arange(0)
            low = self.goes_low[node, codes[self.asks[node], mine]] > 0
            for side, taken in enumerate((mine[low], mine[~low])):
                rows[self.children[node, side]].append(taken)
                edges[node, side], sums[node, side] = weights[taken].sum(), weighted[taken].sum()
        return edges, sums

    def shape_of(
        self, edges: NDArray[np.float64], sums: NDArray[np.float64], whole: tuple[float, float] | None = None
    ) -> GraphShape:
        """The graph whose rows these sums are of; ``whole`` are those of all rows, which any question knows."""
        n_nodes = self._n_nodes
        weight, total = (self._arriving(each, n_nodes) for each in (edges, sums))
        weight[0], total[0] = (edges[0].sum(), sums[0].sum()) if whole is None else whole
        value = self._without_gaps(np.divide(total, weight, out=np.full(n_nodes, np.nan), where=weight > 0))
        return GraphShape(self.children, value, weight, edges, _gains(edges, sums))

    @property
    def _n_nodes(self) -> int:
        return int(self.children.max(initial=0)) + 1

    def with_unseen_codes(self, goes_low: NDArray[np.bool_]) -> Wiring:
        """Codes that no column had where the graph was made go to this side of every node."""
        n_codes = np.array([column.n_codes for column in self.columns])[self.asks]
        unseen = np.arange(256) >= n_codes[:, None]
        return replace(self, goes_low=np.where(unseen, goes_low[:, None], self.goes_low).astype(np.uint8))

    def _arriving(self, by_edge: NDArray[np.float64], n_nodes: int) -> NDArray[np.float64]:
        return np.bincount(self.children.ravel(), by_edge.ravel(), n_nodes).astype(np.float64)

    def _without_gaps(self, value: NDArray[np.float64]) -> NDArray[np.float64]:
        for node, sides in enumerate(self.children):
            value[sides] = np.where(np.isnan(value[sides]), value[node], value[sides])
        return value


def _gains(weights: NDArray[np.float64], sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """``w_i w_j / (w_i + w_j) (p_i - p_j)^2`` of the two sides of every node: what the question takes off the error."""
    (w, v), (s, t) = weights.T, sums.T
    both = (w > 0) & (v > 0)
    return np.divide((s * v - t * w) ** 2, w * v * (w + v), out=np.zeros(len(weights)), where=both)


def inlined(children: NDArray[np.int32], weak: Sequence[DecisionGraph], thresholds: Sequence[float]) -> Wiring:
    """A graph that asks whether other graphs say at most so much, with those graphs in the places of its questions.

    The leaves of a graph that is asked lead on to the one side or the other.
    """
    columns = tuple(dict.fromkeys(column for graph in weak for column in graph.columns))
    place = {column: i for i, column in enumerate(columns)}
    firsts = np.cumsum([0, *(graph.shape.n_inner for graph in weak)])
    n_leaves = int(children.max(initial=0)) + 1 - len(weak)
    entries = np.concatenate([firsts[:-1], firsts[-1] + np.arange(n_leaves)])
    wired = [
        _leading_on(graph, first, np.where(_leaf_values(graph) <= threshold, *entries[sides]))
        for graph, first, sides, threshold in zip(weak, firsts, children, thresholds, strict=False)
    ]
    return Wiring(
        columns,
        np.array([place[graph.columns[i]] for graph in weak for i in graph.asks], dtype=np.int32),
        np.concatenate([np.empty((0, 256), dtype=np.uint8), *(graph.goes_low for graph in weak)]),
        np.concatenate([np.empty((0, 2), dtype=np.int32), *wired]).astype(np.int32),
    )


def _leaf_values(graph: DecisionGraph) -> NDArray[np.float64]:
    return graph.shape.value[graph.shape.n_inner :]


def _leading_on(graph: DecisionGraph, first: int, exits: NDArray[np.intp]) -> NDArray[np.intp]:
    """The edges of a graph whose first node has this number and whose leaves are other nodes."""
    return np.concatenate([first + np.arange(graph.shape.n_inner), exits])[graph.shape.children]
