"""A small regression graph: a few questions that lead to a few answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from paclearn.learners.graphs import RegressionGraphClassifier, RegressionGraphRegressor
from paclearn.views.graph_words import short_question

if TYPE_CHECKING:
    from paclearn.models import GraphModel
    from paclearn.models.decision_graph import DecisionGraph
    from paclearn.report.facts_of_models import GraphFacts
    from paclearn.report.subject import Subject

__all__ = ["LEAVES", "describe_graph", "small_graph"]

LEAVES = 6
_SPLITS = 9

Graph: TypeAlias = RegressionGraphClassifier | RegressionGraphRegressor


def small_graph(subject: Subject) -> Graph:
    """An unfitted one, small enough to draw."""
    kind = RegressionGraphClassifier if subject.classify else RegressionGraphRegressor
    options = subject.options
    return kind(max_leaves=LEAVES, max_splits=_SPLITS, delta=options.delta, random_state=options.seed)


def describe_graph(model: GraphModel, asked: str | None) -> GraphFacts | None:
    """The graph of the number, of the class that is asked about, or of the most frequent of more, if it asks at all."""
    about, graph = _graph_to_show(model)
    turned = asked not in (None, about)  # the first of two classes
    shape = graph.shape
    if not shape.n_inner:
        return None
    return {
        "about": asked if turned else about,
        "n_leaves": int(shape.n_leaves),
        "merged": int((shape.n_parents[shape.n_inner :] > 1).sum()),
        "questions": [short_question(graph, node) for node in range(shape.n_inner)],
        "children": shape.children.tolist(),
        "edge_rows": shape.edge_weight.tolist(),
        "values": (1 - shape.value if turned else shape.value).tolist(),
        "rows": shape.weight.tolist(),
    }


def _graph_to_show(model: GraphModel) -> tuple[str | None, DecisionGraph]:
    if model.about.classes is None:
        return None, model.graphs[0]
    return max(zip(model.output_names, model.graphs, strict=True), key=lambda pair: float(pair[1].shape.value[0]))
