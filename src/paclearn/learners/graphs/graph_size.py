"""What can be promised about a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paclearn.certificates import graph_deviation
from paclearn.encoding import BinColumn

if TYPE_CHECKING:
    from paclearn.encoding import Domain
    from paclearn.models.decision_graph import DecisionGraph

__all__ = ["deviation_of", "log_splits"]


def log_splits(domain: Domain, n: int) -> float:
    """Logarithm of the number of questions a node can ask: thresholds, or sets of levels, and a side for missing."""
    choices = [
        np.log(n) + column.missing * np.log(2) if isinstance(column, BinColumn) else column.n_codes * np.log(2)
        for column in domain.columns
    ]
    return float(np.logaddexp.reduce(choices or [np.log(n)]))


def deviation_of(graph: DecisionGraph, domain: Domain, n: int, delta: float) -> float:
    """How far the error of a graph can be from that on its rows, in units of the scaled target."""
    return graph_deviation(graph.n_nodes, log_splits(domain, n), n, delta)
