"""Regression graphs: rows walk from question to question, one graph an output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from paclearn.models.graph_shape import GraphShape
from paclearn.models.model import About, PortableModel
from paclearn.models.probabilities import normalised
from paclearn.models.regression_graph import RegressionGraph
from paclearn.views import sql

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.models.checked import Part

__all__ = ["GraphModel"]

_BINS = 256


class GraphModel(PortableModel):
    """One graph for a number or for the second of two classes, otherwise one a class; all ask the same columns."""

    kind: ClassVar[str] = "graph"

    def __init__(self, about: About, columns: tuple[Column, ...], graphs: tuple[RegressionGraph, ...]) -> None:
        super().__init__(about, columns)
        self.graphs = graphs

    @classmethod
    def of(cls, model: Any, target: str | None) -> GraphModel:
        """From a regression graph."""
        found = tuple(model.graphs_.values()) if hasattr(model, "graphs_") else (model.graph_,)
        by_position = {c.position: c for graph in found for c in graph.columns}
        columns = tuple(by_position[position] for position in sorted(by_position))
        return cls(About.of(model, target), columns, tuple(_asking(graph, columns) for graph in found))

    def values(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        stacked = np.stack(codes).astype(np.uint8)
        shares = np.column_stack([graph.shape.value[graph.leaf_of_codes(stacked)] for graph in self.graphs])
        return shares if self.about.classes is None else normalised(shares)

    # ---- plain data ----

    def payload(self) -> dict[str, Any]:
        return {"graphs": [_to_dict(graph) for graph in self.graphs]}

    @classmethod
    def read(cls, about: About, columns: tuple[Column, ...], part: Part) -> GraphModel:
        graphs = part["graphs"]
        found = graphs.each(lambda p: _graph(p, columns))
        wanted = 1 if about.classes is None or len(about.classes) == 2 else len(about.classes)
        graphs.need(len(found) == wanted, f"a list of {wanted} graphs")
        return cls(about, columns, found)

    # ---- to be read ----

    @property
    def _titles(self) -> list[str]:
        if self.about.classes is None:
            return [self.about.target or "value"]
        labels = [f"share of {label}" for label in self.about.classes]
        return labels[-1:] if len(self.graphs) == 1 else labels

    def markdown(self) -> str:
        parts = []
        for title, graph in zip(self._titles, self.graphs, strict=True):
            lines = [f"    {line}" for line in graph.to_text().splitlines()]  # as code: as it stands
            parts.append("\n".join([f"### {title}", "", *lines]))
        return "\n\n".join(parts)

    def because(self, X: Any, most: int = 10) -> list[dict[str, Any]]:  # noqa: ARG002 - a path is told whole
        codes = np.stack([c[:1] for c in self.codes(X)]).astype(np.uint8)
        return [
            {"output": title, "path": graph.path_in_words(graph.path_of_codes(codes[:, 0]))}
            for title, graph in zip(self._titles, self.graphs, strict=True)
        ]

    def query(self, table: str, keys: Sequence[str], name: str) -> str:
        return sql.graph_query(self, table, keys, name)


def _asking(graph: RegressionGraph, columns: tuple[Column, ...]) -> RegressionGraph:
    """The same graph, its columns numbered among more of them."""
    place = {c.position: i for i, c in enumerate(columns)}
    asks = np.array([place[graph.columns[i].position] for i in graph.asks], dtype=np.int32)
    return RegressionGraph(graph.shape, columns, asks, graph.goes_low)


def _to_dict(graph: RegressionGraph) -> dict[str, Any]:
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


def _graph(part: Part, columns: tuple[Column, ...]) -> RegressionGraph:
    """Parents come before their children, so every walk ends."""
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
    shape = GraphShape(
        children.astype(np.int32).reshape(-1, 2),
        values.numbers(nodes),
        part["rows"].numbers(nodes),
        part["edge_rows"].numbers(inner, 2),
        part["gain"].numbers(inner),
    )
    return RegressionGraph(shape, columns, np.array(asks, dtype=np.int32), goes_low)
