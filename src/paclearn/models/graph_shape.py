"""Nodes and edges: what a graph is, whatever its questions are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from paclearn._parameters import is_whole
from paclearn.exceptions import InputError
from paclearn.models.leaf_merges import plan_merges

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["GraphShape"]


@dataclass(frozen=True, eq=False)
class GraphShape:
    """Inner nodes first, the root before all others and parents before children; then the leaves, by value.

    Parameters
    ----------
    children : ndarray of shape (n_inner, 2)
        Where an inner node's low and high side lead.
    value : ndarray of shape (n_nodes,)
        Mean target of the rows that came through a node.
    weight : ndarray of shape (n_nodes,)
        How many those were.
    edge_weight : ndarray of shape (n_inner, 2)
        How many of them took either side.
    gain : ndarray of shape (n_inner,)
        By how much the question lowered the squared error, summed over the rows.
    """

    children: NDArray[np.int32]
    value: NDArray[np.float64]
    weight: NDArray[np.float64]
    edge_weight: NDArray[np.float64]
    gain: NDArray[np.float64]

    @property
    def n_nodes(self) -> int:
        return len(self.value)

    @property
    def n_inner(self) -> int:
        return len(self.children)

    @property
    def n_leaves(self) -> int:
        return self.n_nodes - self.n_inner

    @property
    def depth(self) -> int:
        """Questions on the longest way."""
        return int(self.levels.max(initial=0))

    @property
    def levels(self) -> NDArray[np.int64]:
        """How many questions lie on the longest way to every node."""
        level = np.zeros(self.n_nodes, dtype=np.int64)
        for node, sides in enumerate(self.children):
            level[sides] = np.maximum(level[sides], level[node] + 1)
        return level

    @property
    def n_parents(self) -> NDArray[np.int64]:
        """How many edges lead to every node: more than one where leaves were merged."""
        return np.bincount(self.children.ravel(), minlength=self.n_nodes)

    def with_leaf_values(self, value: NDArray[np.float64], weight: NDArray[np.float64]) -> GraphShape:
        """The same graph with other values at its leaves."""
        inner = self.n_inner
        return replace(
            self,
            value=np.concatenate([self.value[:inner], value]),
            weight=np.concatenate([self.weight[:inner], weight]),
        )

    def merged(self, n_leaves: int) -> tuple[GraphShape, NDArray[np.intp]]:
        """The cheapest neighbours merged until so few leaves are left, and which inner nodes are still there."""
        if not is_whole(n_leaves) or n_leaves < 1:
            raise InputError(f"max_leaves={n_leaves!r} must be a whole number >= 1")
        weight, value = self.weight[self.n_inner :], self.value[self.n_inner :]
        plan = plan_merges(weight, weight * value, 0.0, np.inf, n_leaves)
        if plan is None:  # cannot be: nothing is too dear
            raise AssertionError
        group = np.repeat(np.arange(len(plan.starts)), np.diff([*plan.starts, len(weight)]))
        pooled = np.bincount(group, weight)
        means = np.bincount(group, weight * value) / pooled
        place = np.concatenate([np.arange(self.n_inner), self.n_inner + group])
        shape = GraphShape(
            place[self.children].astype(np.int32),
            np.concatenate([self.value[: self.n_inner], means]),
            np.concatenate([self.weight[: self.n_inner], pooled]),
            self.edge_weight,
            self.gain,
        )
        return shape.without_idle_nodes()

    def without_idle_nodes(self) -> tuple[GraphShape, NDArray[np.intp]]:
        """Nodes both of whose sides lead to the same place are left out, and so is whatever cannot be reached."""
        stands_for = np.arange(self.n_nodes)
        for node in range(self.n_inner - 1, -1, -1):
            low, high = stands_for[self.children[node]]
            stands_for[node] = low if low == high else node
        kept = self._reached(stands_for)
        place = np.full(self.n_nodes, -1)
        place[kept] = np.arange(len(kept))
        inner = kept[kept < self.n_inner]
        children = place[stands_for[self.children[inner]]].astype(np.int32).reshape(-1, 2)
        shape = GraphShape(children, self.value[kept], self.weight[kept], self.edge_weight[inner], self.gain[inner])
        return shape, inner

    def _reached(self, stands_for: NDArray[np.intp]) -> NDArray[np.intp]:
        found = np.zeros(self.n_nodes, dtype=bool)
        found[stands_for[0]] = True
        for node in range(self.n_inner):
            if found[node]:
                found[stands_for[self.children[node]]] = True
        return np.flatnonzero(found)
