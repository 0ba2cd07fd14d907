"""The graph itself: questions about columns inside, one value a leaf."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.bins import encode_columns
from paclearn.kernels import dispatch as native
from paclearn.views import graph_words as words
from paclearn.views.dot import to_dot
from paclearn.views.graph_sql import to_expression, to_query
from paclearn.views.sql_words import lone_or_many

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column, Domain
    from paclearn.learners.graphs.axis import Question
    from paclearn.models.graph_shape import GraphShape
    from paclearn.tables.table import Table

__all__ = ["RegressionGraph"]


@dataclass(frozen=True, eq=False)
class RegressionGraph:
    """A regression tree whose leaves may be merged: a directed acyclic graph, frozen.

    Parameters
    ----------
    shape : GraphShape
        Nodes, edges, values and rows.
    columns : tuple of Column
        The columns that are asked about.
    asks : ndarray of shape (n_inner,)
        Which of them an inner node asks about.
    goes_low : ndarray of shape (n_inner, 256)
        The codes of that column that go to the low side.
    """

    shape: GraphShape
    columns: tuple[Column, ...]
    asks: NDArray[np.int32]
    goes_low: NDArray[np.uint8]

    @classmethod
    def of(cls, shape: GraphShape, questions: Sequence[Question], domain: Domain) -> RegressionGraph:
        """From the columns of a whole table."""
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
        """The node that every row of a table ends at."""
        return self.leaf_of_codes(encode_columns(self.columns, table))

    def leaf_of_codes(self, codes: NDArray[np.uint8]) -> NDArray[np.int32]:
        """The same from the codes of ``columns``, one row a column."""
        leaf = np.full(self.n_leaves, -1, dtype=np.int32)
        low, high = (np.concatenate([side, leaf]) for side in self.shape.children.T)
        tables = np.concatenate([self.goes_low, np.zeros((self.n_leaves, 256), dtype=np.uint8)])
        return native.route_rows(codes, np.concatenate([self.asks, leaf]), low, high, tables)

    def predict(self, table: Table) -> NDArray[np.float64]:
        """The value of every row's leaf."""
        return self.shape.value[self.leaf_of(table)]

    def paths(self, table: Table) -> list[list[int]]:
        """The nodes on every row's way, the root first and the leaf last."""
        codes = encode_columns(self.columns, table)
        return [self.path_of_codes(codes[:, row]) for row in range(table.n_rows)]

    def path_of_codes(self, codes: NDArray[np.uint8]) -> list[int]:
        """The nodes on one row's way, from its codes of ``columns``."""
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
    ) -> RegressionGraph:
        """Values in units of the target: of leaves the exact means of their rows, of inner nodes scaled back."""
        inner = self.shape.n_inner
        weight = np.bincount(leaf - inner, weights, self.n_leaves).astype(np.float64)
        value = np.bincount(leaf - inner, weights * targets, self.n_leaves) / weight
        return replace(self, shape=self.rescaled(low, unit).shape.with_leaf_values(value, weight))

    def rescaled(self, low: float, unit: float) -> RegressionGraph:
        """The same graph for another unit of the target."""
        shape = replace(self.shape, value=low + unit * self.shape.value, gain=unit**2 * self.shape.gain)
        return replace(self, shape=shape)

    # ---- smaller ones ----

    def pruned(self, max_leaves: int) -> RegressionGraph:
        """The cheapest neighbours merged until so many leaves are left.

        Merging needs no rows: what it costs follows from the leaves' weights and values. Questions that no longer
        decide anything are dropped.

        Parameters
        ----------
        max_leaves : int
            How many leaves to keep at most.

        Returns
        -------
        RegressionGraph
            Another graph.
        """
        shape, kept = self.shape.merged(max_leaves)
        used = np.unique(self.asks[kept])
        return replace(
            self,
            shape=shape,
            columns=tuple(self.columns[column] for column in used),
            asks=np.searchsorted(used, self.asks[kept]).astype(np.int32),
            goes_low=self.goes_low[kept],
        )

    # ---- reading it ----

    def to_text(self) -> str:
        """One line a node: its question and where the answers lead; then the leaves.

        Returns
        -------
        str
            Text for a terminal.
        """
        return words.graph_to_text(self)

    def path_in_words(self, path: Sequence[int]) -> str:
        """A row's way through the graph as a sentence.

        Parameters
        ----------
        path : sequence of int
            Nodes, as `paths` gives them.

        Returns
        -------
        str
            What was asked, what the answers were, and where that led.
        """
        return words.path_to_text(self, path)

    def rules(self, most: int = 1000) -> list[words.Rule]:
        """Every way through the graph as a list of conditions.

        Parameters
        ----------
        most : int, default=1000
            Refuse where there are more ways than this: a graph can have very many.

        Returns
        -------
        list of Rule
            Sorted by the value they lead to.
        """
        return words.rules_of(self, most)

    def to_dot(self) -> str:
        """The graph for Graphviz.

        Returns
        -------
        str
            A ``digraph``.
        """
        return to_dot(self)

    def to_sql(self, table: str | None = None, *, keys: str | Sequence[str] = (), name: str = "prediction") -> str:
        """The graph as SQL.

        Parameters
        ----------
        table : str, default=None
            A query over this table, one ``CASE`` a node. Without it, a single expression of nested ``CASE``, which
            only small graphs allow.
        keys : str or sequence of str, default=()
            Columns to return beside the prediction.
        name : str, default="prediction"
            What to call it.

        Returns
        -------
        str
            SQL that gives what ``predict`` gives; NULL is a missing value.
        """
        return to_expression(self) if table is None else to_query(self, table, lone_or_many(keys), name)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the graph: merged leaves have several ways in, lines are as wide as the rows they carry.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw.
        **options : dict
            Handed on to `paclearn.inspection.GraphDisplay`.

        Returns
        -------
        GraphDisplay
            With ``ax_`` and ``figure_``.
        """
        from paclearn.inspection import GraphDisplay

        display = GraphDisplay(
            [words.short_question(self, node) for node in range(self.shape.n_inner)],
            self.shape.children.tolist(),
            self.shape.edge_weight.tolist(),
            self.shape.value.tolist(),
            self.shape.weight.tolist(),
            **options,
        )
        return display.plot(ax)
