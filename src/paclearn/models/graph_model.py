"""Decision graphs as models: one graph an output."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from paclearn.encoding import BinColumn
from paclearn.encoding.bins import n_present
from paclearn.models.decision_graph import DecisionGraph
from paclearn.models.explanation import Explanation, Part
from paclearn.models.graph_shape import GraphShape
from paclearn.models.graph_sum import GraphSum, SumModel, asking, columns_asked, stacked
from paclearn.models.links import normalised
from paclearn.models.questions import answer_in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.models import checked
    from paclearn.models.model import About

__all__ = ["GraphModel", "graph_from", "graph_to_dict", "one_an_output", "steps"]

_BINS = 256


@dataclass(frozen=True, eq=False, repr=False)
class GraphModel(SumModel):
    """One graph for a number or for the second of two classes, otherwise one a class; all ask the same columns.

    Parameters
    ----------
    about, columns : About, tuple of Column
        What is predicted from which table, and the columns that are read.
    graphs : tuple of DecisionGraph
        The graphs, whose ``columns`` are those of the model.
    """

    kind: ClassVar[str] = "graph"

    graphs: tuple[DecisionGraph, ...]

    @classmethod
    def of_graphs(cls, about: About, graphs: Sequence[DecisionGraph]) -> Self:
        """From graphs that each ask some columns.

        Parameters
        ----------
        about : About
            What is predicted from which table.
        graphs : sequence of DecisionGraph
            One an output.
        """
        columns = columns_asked(graphs)
        return cls(about, columns, tuple(asking(graph, columns) for graph in graphs))

    # ---- the four questions ----

    def totals(self) -> tuple[GraphSum, ...]:
        return tuple(GraphSum.alone(graph) for graph in self.graphs)

    def explain(self, codes: Sequence[NDArray[Any]]) -> list[Explanation]:
        """Every answer on a row's way changes the mean of the rows that took it: that is its part."""
        start = [graph.shape.value[0] for graph in self.graphs]
        return [Explanation.of(self.output_names, start, self._parts(row)) for row in stacked(codes).T]

    def _parts(self, codes: NDArray[np.uint8]) -> Iterator[Part]:
        for output, graph in enumerate(self.graphs):
            for text, change in steps(graph, codes):
                yield Part(text, tuple(change if k == output else 0.0 for k in range(len(self.graphs))))

    def payload(self) -> dict[str, Any]:
        return {"graphs": [graph_to_dict(graph) for graph in self.graphs]}

    @classmethod
    def read(cls, about: About, columns: tuple[Column, ...], part: checked.Part) -> Self:
        return cls(about, columns, one_an_output(part["graphs"], about, lambda p: _graph_of(p, columns, about)))

    # ---- what follows ----

    def from_scores(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        return scores if self.about.classes is None else normalised(scores)


def steps(graph: DecisionGraph, codes: NDArray[np.uint8]) -> Iterator[tuple[str, float]]:
    """The answers on a row's way, and by how much each changes the value."""
    value = graph.shape.value
    for node, then in pairwise(graph.path_of_codes(codes)):
        is_low = bool(graph.shape.children[node, 0] == then)
        text = answer_in_words(graph.columns[graph.asks[node]], graph.goes_low[node], goes_low=is_low)
        yield text, float(value[then] - value[node])


# ---- plain data ----


def one_an_output(part: checked.Part, about: About, read: Callable[[checked.Part], Any]) -> tuple[Any, ...]:
    """A list with an entry for a number or for the second of two classes, otherwise one a class."""
    wanted = 1 if about.classes is None or len(about.classes) == 2 else len(about.classes)
    found = part.each(read)
    part.need(len(found) == wanted, f"a list of {wanted}, one an output")
    return found


def graph_to_dict(graph: DecisionGraph) -> dict[str, Any]:
    """A graph as plain data."""
    shape = graph.shape
    sizes = [graph.columns[i].n_codes + 1 for i in graph.asks]
    return {
        "asks": graph.asks.tolist(),
        "low": [np.flatnonzero(low[:size]).tolist() for low, size in zip(graph.goes_low, sizes, strict=True)],
        "children": shape.children.tolist(),
        "values": shape.value.tolist(),
        "rows": shape.weight.tolist(),
        "edge_rows": shape.edge_weight.tolist(),
        "gain": shape.gain.tolist(),
    }


def _is_cut(column: Column, low: NDArray[np.uint8]) -> bool:
    """Whether a question about numbers is where they are cut: views have no other words for it."""
    return not isinstance(column, BinColumn) or bool((np.diff(low[: n_present(column)].astype(int)) <= 0).all())


def _graph_of(part: checked.Part, columns: tuple[Column, ...], about: About) -> DecisionGraph:
    """A graph whose values are what is predicted: of classes, shares."""
    graph = graph_from(part, columns)
    if about.classes is not None:
        part["values"].shares(graph.shape.n_nodes)
    return graph


def graph_from(part: checked.Part, columns: tuple[Column, ...]) -> DecisionGraph:
    """A graph from a file. Parents come before their children, so every walk ends."""
    asks = part["asks"].each(lambda p: p.whole(0, len(columns)))
    inner, values = len(asks), part["values"]
    values.need(isinstance(values.value, list) and len(values.value) > inner, "a number for every node")
    nodes = len(values.value)
    children = part["children"].numbers(inner, 2)
    later = children > np.arange(inner)[:, None]
    part["children"].need(bool((later & (children < nodes) & (children % 1 == 0)).all()), "nodes that come later")
    low = part["low"].each(lambda p: p.each(lambda q: q.whole(0, _BINS)))
    part["low"].need(len(low) == inner, f"a list of {inner} lists of codes")
    goes_low = np.zeros((inner, _BINS), dtype=np.uint8)
    for node, codes in enumerate(low):
        goes_low[node, list(codes)] = 1
        part["low"].need(_is_cut(columns[asks[node]], goes_low[node]), "of a column of numbers, codes up to some")
    shape = GraphShape(
        children.astype(np.int32).reshape(-1, 2),
        values.addends(nodes),
        part["rows"].counts(nodes),
        part["edge_rows"].counts(inner, 2),
        part["gain"].numbers(inner),
    )
    return DecisionGraph(shape, columns, np.array(asks, dtype=np.int32), goes_low)
