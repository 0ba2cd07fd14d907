"""A small regression graph: a few questions that lead to a few answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.learners.graphs import RegressionGraphClassifier, RegressionGraphRegressor
from paclearn.views.graph_words import short_question

if TYPE_CHECKING:
    from paclearn.report.report_options import ReportOptions

__all__ = ["LEAVES", "describe_graph", "small_graph"]

LEAVES = 6
_SPLITS = 9


def small_graph(options: ReportOptions, *, classify: bool) -> Any:
    """An unfitted one, small enough to draw."""
    kind = RegressionGraphClassifier if classify else RegressionGraphRegressor
    return kind(max_leaves=LEAVES, max_splits=_SPLITS, delta=options.delta, random_state=options.seed)


def describe_graph(model: Any) -> dict[str, Any] | None:
    """The graph of the number, of the second of two classes, or of the most frequent of more, if it asks anything."""
    classes = getattr(model, "classes_", None)
    if classes is None:
        about, graph = None, model.graph_
    elif len(classes) == 2:
        about, graph = str(classes[1]), model.graph_
    else:
        label = max(model.graphs_, key=lambda name: float(model.graphs_[name].shape.value[0]))
        about, graph = str(label), model.graphs_[label]
    shape = graph.shape
    if not shape.n_inner:
        return None
    return {
        "about": about,
        "n_leaves": int(shape.n_leaves),
        "merged": int((shape.n_parents[shape.n_inner :] > 1).sum()),
        "questions": [short_question(graph, node) for node in range(shape.n_inner)],
        "children": shape.children.tolist(),
        "edge_rows": np.asarray(shape.edge_weight).tolist(),
        "values": shape.value.tolist(),
        "rows": shape.weight.tolist(),
    }
