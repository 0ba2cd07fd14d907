"""A graph for Graphviz."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paclearn._text import figures
from paclearn.views.graph_words import short_question

if TYPE_CHECKING:
    from paclearn.models.decision_graph import DecisionGraph

__all__ = ["to_dot"]


def to_dot(graph: DecisionGraph) -> str:
    """Questions in boxes, leaves below them in colours; lines as wide as the rows they carry."""
    shape = graph.shape
    lines = ["digraph {", '  node [shape=box, style="rounded,filled", fillcolor=white, fontname="Helvetica"];']
    lines += [f"  n{node} [label={_quoted(short_question(graph, node))}];" for node in range(shape.n_inner)]
    for node in range(shape.n_inner, shape.n_nodes):
        label = f"{figures(shape.value[node], 4)}\n{shape.weight[node]:,.0f} rows"
        lines.append(f"  n{node} [label={_quoted(label)}, fillcolor={_quoted(_colour(graph, node))}];")
    leaves = "; ".join(f"n{node}" for node in range(shape.n_inner, shape.n_nodes))
    lines.append(f"  {{ rank=same; {leaves}; }}")
    for node, sides in enumerate(shape.children):
        for side, (answer, style) in enumerate((("yes", "solid"), ("no", "dashed"))):
            width = 0.5 + 6 * shape.edge_weight[node, side] / shape.weight[0]
            lines.append(
                f"  n{node} -> n{sides[side]} [label={answer}, style={style}, penwidth={width:.2f}, fontsize=9];"
            )
    return "\n".join([*lines, "}"])


def _quoted(label: str) -> str:
    escaped = label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\0", " ")
    return f'"{escaped}"'


def _colour(graph: DecisionGraph, node: int) -> str:
    """From blue for the lowest value to red for the highest: hue, saturation and brightness."""
    values = graph.shape.value[graph.shape.n_inner :]
    width = float(np.ptp(values)) or 1.0
    share = (float(graph.shape.value[node]) - float(values.min())) / width
    return f"{0.62 * (1 - share):.3f} 0.35 0.95"
