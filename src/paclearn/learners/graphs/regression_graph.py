"""RegressionGraph: a decision graph with all that can be read off it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paclearn.models.decision_graph import DecisionGraph
from paclearn.views import graph_words as words
from paclearn.views.dot import to_dot
from paclearn.views.graph_sql import to_expression, to_query
from paclearn.views.sql_words import lone_or_many

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["RegressionGraph"]


@dataclass(frozen=True, eq=False)
class RegressionGraph(DecisionGraph):
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
        """Draw it, as a `GraphDisplay`: merged leaves have several ways in, lines are as wide as the rows they carry.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw.
        **options : dict
            Handed on to `paclearn.inspection.GraphDisplay`.
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
