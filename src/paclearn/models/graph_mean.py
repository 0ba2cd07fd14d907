"""Several graphs that predict together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paclearn.encoding.bins import encode_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.encoding import Domain
    from paclearn.models.decision_graph import DecisionGraph
    from paclearn.tables.table import Table

__all__ = ["GraphSum"]


@dataclass(frozen=True, eq=False)
class GraphSum:
    """``base + share * (sum of what the graphs say)``, kept within the range of the targets.

    Parameters
    ----------
    graphs : tuple of DecisionGraph
        The graphs.
    base, share : float
        What to start from, and how much each graph counts: 0 and one over their number for a mean.
    low, high : float
        Range of the targets.
    """

    graphs: tuple[DecisionGraph, ...]
    base: float
    share: float
    low: float
    high: float

    @classmethod
    def alone(cls, graph: DecisionGraph) -> GraphSum:
        """One graph is the sum of itself."""
        return cls((graph,), 0.0, 1.0, -np.inf, np.inf)

    @property
    def is_mean(self) -> bool:
        """Whether the graphs all predict the target, and not each what the others leave over."""
        return bool(self.graphs) and self.base == 0 and self.share == 1 / len(self.graphs)

    def predict(self, table: Table, domain: Domain) -> NDArray[np.float64]:
        """The sum for every row; columns are looked up once for all graphs."""
        if not self.graphs:
            return np.full(table.n_rows, self.base)
        asked = sorted({column.position for graph in self.graphs for column in graph.columns})
        place = {position: i for i, position in enumerate(asked)}
        codes = encode_columns([column for column in domain.columns if column.position in place], table)
        said = np.full(table.n_rows, self.base)
        for graph in self.graphs:
            mine = [place[column.position] for column in graph.columns]
            said += self.share * graph.shape.value[graph.leaf_of_codes(np.ascontiguousarray(codes[mine]))]
        return np.clip(said, self.low, self.high)
