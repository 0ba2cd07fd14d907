"""A decision graph: questions about columns inside, one value a leaf."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, Self

import numpy as np

from paclearn.encoding.bins import encode_columns
from paclearn.kernels import dispatch as kernels
from paclearn.models.decision_diagram import smaller_wiring
from paclearn.tables.weights import summable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column, Domain
    from paclearn.models.graph_assembly import Wiring
    from paclearn.models.graph_shape import GraphShape
    from paclearn.tables.table import Table

__all__ = ["DecisionGraph", "Question"]


class Question(Protocol):
    """A question about one column of a table: which of its 256 codes go to the low side."""

    @property
    def column(self) -> int:
        """The number of the column."""
        ...

    @property
    def low(self) -> NDArray[np.uint8]:
        """1 for codes that go low."""
        ...


@dataclass(frozen=True, eq=False)
class DecisionGraph:
    """A regression tree whose leaves may be merged: a directed acyclic graph, frozen."""

    shape: GraphShape  # nodes, edges, values and rows
    columns: tuple[Column, ...]  # that are asked about
    asks: NDArray[np.int32]  # which of them, for every inner node
    goes_low: NDArray[np.uint8]  # n_inner x 256: the codes of that column that go to the low side

    @classmethod
    def of(cls, shape: GraphShape, questions: Sequence[Question], domain: Domain) -> Self:
        """From the columns of a whole table.

        Parameters
        ----------
        shape : GraphShape
            Nodes, edges, values and rows.
        questions : sequence of Question
            One for every inner node.
        domain : Domain
            The columns of the table.
        """
        used = sorted({question.column for question in questions})
        place = {column: i for i, column in enumerate(used)}
        asks = np.array([place[question.column] for question in questions], dtype=np.int32)
        goes_low = np.array([question.low for question in questions], dtype=np.uint8).reshape(-1, 256)
        return cls(shape, tuple(domain.columns[column] for column in used), asks, goes_low)

    @property
    def n_nodes(self) -> int:
        """Nodes, leaves included."""
        return self.shape.n_nodes

    @property
    def n_leaves(self) -> int:
        """Leaves."""
        return self.shape.n_leaves

    @property
    def depth(self) -> int:
        """Questions on the longest way."""
        return self.shape.depth

    # ---- where rows go ----

    def leaf_of(self, table: Table) -> NDArray[np.int32]:
        """The node that every row of a table ends at.

        Parameters
        ----------
        table : Table
            Rows with the columns of ``fit``.
        """
        return self.leaf_of_codes(self.codes_of(table))

    def codes_of(self, table: Table) -> NDArray[np.uint8]:
        """Codes of ``columns``, one row a column.

        Parameters
        ----------
        table : Table
            Rows with the columns of ``fit``.
        """
        return encode_columns(self.columns, table)

    def leaf_of_codes(self, codes: NDArray[np.uint8]) -> NDArray[np.int32]:
        """The same from the codes of ``columns``, one row a column.

        Parameters
        ----------
        codes : ndarray of uint8, one row a column
            Codes of ``columns``.
        """
        leaf = np.full(self.n_leaves, -1, dtype=np.int32)
        low, high = (np.concatenate([side, leaf]) for side in self.shape.children.T)
        tables = np.concatenate([self.goes_low, np.zeros((self.n_leaves, 256), dtype=np.uint8)])
        return kernels.route_rows(codes, np.concatenate([self.asks, leaf]), low, high, tables)

    def predict(self, table: Table) -> NDArray[np.float64]:
        """The value of every row's leaf.

        Parameters
        ----------
        table : Table
            Rows with the columns of ``fit``.
        """
        return self.shape.value[self.leaf_of(table)]

    def values_of_codes(self, codes: NDArray[np.uint8]) -> NDArray[np.float64]:
        """The same from the codes of ``columns``.

        Parameters
        ----------
        codes : ndarray of uint8, one row a column
            Codes of ``columns``.
        """
        return self.shape.value[self.leaf_of_codes(codes)]

    def contributions(self, codes: NDArray[np.uint8]) -> NDArray[np.float64]:
        """By how much the answers about every column (a row each) change a row's value on its way from the root.

        Parameters
        ----------
        codes : ndarray of uint8
            As for `values_of_codes`.
        """
        changes, node = np.zeros(codes.shape), np.zeros(codes.shape[1], dtype=np.intp)
        rows = np.flatnonzero(node < self.shape.n_inner)
        while len(rows):
            asked = self.asks[node[rows]]
            is_high = 1 - self.goes_low[node[rows], codes[asked, rows]]
            then = self.shape.children[node[rows], is_high]
            changes[asked, rows] += self.shape.value[then] - self.shape.value[node[rows]]
            node[rows] = then
            rows = rows[then < self.shape.n_inner]
        return changes

    def paths(self, table: Table) -> list[list[int]]:
        """The nodes on every row's way, the root first and the leaf last.

        Parameters
        ----------
        table : Table
            Rows with the columns of ``fit``.
        """
        codes = self.codes_of(table)
        return [self.path_of_codes(codes[:, row]) for row in range(table.n_rows)]

    def path_of_codes(self, codes: NDArray[np.uint8]) -> list[int]:
        """The nodes on one row's way, from its codes of ``columns``.

        Parameters
        ----------
        codes : ndarray of uint8
            One code for each of ``columns``.
        """
        path = [0]
        while path[-1] < self.shape.n_inner:
            node = path[-1]
            is_high = 1 - int(self.goes_low[node, codes[self.asks[node]]])
            path.append(int(self.shape.children[node, is_high]))
        return path

    def with_targets(
        self,
        leaf: NDArray[np.int32],
        targets: NDArray[np.float64],
        weights: NDArray[np.float64],
        low: float,
        unit: float,
    ) -> Self:
        """Values in units of the target: of leaves the exact means of their rows, of inner nodes scaled back.

        Parameters
        ----------
        leaf : ndarray of int
            The leaf of every row.
        targets, weights : ndarray of float
            Its target, and how often it counts.
        low, unit : float
            What 0 becomes, and how long 1 becomes.
        """
        inner = self.shape.n_inner
        weight, total = (
            np.bincount(leaf - inner, summable(each), self.n_leaves).astype(np.float64)
            for each in (weights, weights * targets)
        )
        return self.with_leaf_sums(weight, total, low, unit)

    def with_leaf_sums(self, weight: NDArray[np.float64], total: NDArray[np.float64], low: float, unit: float) -> Self:
        """The same, where somebody has added up the rows of every leaf.

        Parameters
        ----------
        weight, total : ndarray of shape (n_leaves,)
            How often its rows count, and their weighted targets.
        low, unit : float
            What 0 becomes, and how long 1 becomes.
        """
        return replace(self, shape=self.rescaled(low, unit).shape.with_leaf_values(total / weight, weight))

    def rescaled(self, low: float, unit: float) -> Self:
        """The same graph for another unit of the target.

        Parameters
        ----------
        low, unit : float
            What 0 becomes, and how long 1 becomes.
        """
        shape = replace(self.shape, value=low + unit * self.shape.value, gain=unit**2 * self.shape.gain)
        return replace(self, shape=shape)

    # ---- smaller ones ----

    def pruned(self, max_leaves: int) -> Self:
        """The cheapest neighbours merged until so many leaves are left.

        Merging needs no rows: what it costs follows from the leaves' weights and values. Questions that no longer
        decide anything are dropped.

        Parameters
        ----------
        max_leaves : int
            How many leaves to keep at most.

        Returns
        -------
        DecisionGraph
            Another graph.
        """
        return self._with_shape(*self.shape.merged(max_leaves))

    def reduced(self, codes: NDArray[np.uint8], targets: NDArray[np.float64], weights: NDArray[np.float64]) -> Self:
        """The same function in fewer nodes, if a few orders of the columns show how; otherwise the graph itself.

        Its leaves stay what they are. Codes that no row had go where most rows of a node go.

        Parameters
        ----------
        codes : ndarray of uint8, one row a column
            Codes of ``columns`` of the rows that the graph was grown from.
        targets, weights : ndarray of float
            Their targets, and how often each counts.

        Returns
        -------
        DecisionGraph
            Another graph, or this one.
        """
        return self.reduced_by(lambda wiring: wiring.edge_sums(codes, summable(weights), summable(weights * targets)))

    def reduced_by(self, edge_sums: Callable[[Wiring], tuple[NDArray[np.float64], NDArray[np.float64]]]) -> Self:
        """The same, where somebody adds up the rows on every edge of a wiring.

        Parameters
        ----------
        edge_sums : callable
            See `Wiring.edge_sums`.
        """
        wiring = smaller_wiring(self)
        if wiring is None:
            return self
        shape, inner = wiring.shape_of(*edge_sums(wiring)), self.shape.n_inner
        shape = shape.with_leaf_values(self.shape.value[inner:], self.shape.weight[inner:])
        wiring = wiring.with_unseen_codes(shape.edge_weight[:, 0] >= shape.edge_weight[:, 1])
        same = replace(self, shape=shape, columns=wiring.columns, asks=wiring.asks, goes_low=wiring.goes_low)
        return same.without_idle_questions()

    def without_idle_questions(self) -> Self:
        """The same without questions whose answers all lead to the same place."""
        return self._with_shape(*self.shape.without_idle_nodes())

    def _with_shape(self, shape: GraphShape, kept: NDArray[np.intp]) -> Self:
        """Another shape, with some of the questions."""
        used = np.unique(self.asks[kept])
        return replace(
            self,
            shape=shape,
            columns=tuple(self.columns[column] for column in used),
            asks=np.searchsorted(used, self.asks[kept]).astype(np.int32),
            goes_low=self.goes_low[kept],
        )
