"""A small regression graph: a few questions that lead to a few answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.graphs import RegressionGraphClassifier, RegressionGraphRegressor
from paclearn.graphs.words import short_question

if TYPE_CHECKING:
    from paclearn.report.options import ReportOptions

__all__ = ["describe_graph", "small_graph"]

_LEAVES, _SPLITS = 8, 12


def small_graph(options: ReportOptions, *, classify: bool) -> Any:
    """An unfitted one, small enough to draw."""
    kind = RegressionGraphClassifier if classify else RegressionGraphRegressor
    return kind(max_leaves=_LEAVES, max_splits=_SPLITS, delta=options.delta, random_state=options.seed)


def describe_graph(model: Any) -> dict[str, Any] | None:
    """The graph of the number, of the second of two classes, or of the most frequent of more; None if it asks nothing."""
    classes = getattr(model, "classes_", None)
    about, graph = None, None
    if classes is None:
        graph = model.graph_
    elif len(classes) == 2:
        about, graph = str(classes[1]), model.graph_
    else:
        shares = {label: float(found.shape.value[0]) for label, found in model.graphs_.items()}
        label = max(shares, key=lambda k: shares[k])
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
