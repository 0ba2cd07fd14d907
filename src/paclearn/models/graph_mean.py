"""Ensembles of graphs as models: the mean of bagged graphs, or the sum of boosted ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from paclearn.models import checked
from paclearn.models.explanation import Explanation, Part
from paclearn.models.graph_model import graph_from, graph_to_dict, one_an_output
from paclearn.models.graph_sum import GraphSum, SumModel, columns_asked, stacked
from paclearn.models.links import normalised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.models.model import About

__all__ = ["MeanModel"]


@dataclass(frozen=True, eq=False, repr=False)
class MeanModel(SumModel):
    """One sum of graphs for a number or for the second of two classes, otherwise one a class.

    Scores are the sums; what is predicted are the sums kept within the range of the targets, and for classes
    scaled so that they add up to one.

    Parameters
    ----------
    about, columns : About, tuple of Column
        What is predicted from which table, and the columns that are read.
    sums : tuple of GraphSum
        The sums, all of whose graphs are over the columns of the model.
    """

    kind: ClassVar[str] = "graph mean"

    sums: tuple[GraphSum, ...]

    @classmethod
    def of_sums(cls, about: About, sums: Sequence[GraphSum]) -> Self:
        """From sums of graphs that each ask some columns.

        Parameters
        ----------
        about, sums : About, sequence of GraphSum
            What is predicted from which table, and a sum an output.
        """
        columns = columns_asked(graph for total in sums for graph in total.graphs)
        return cls(about, columns, tuple(total.over(columns) for total in sums))

    # ---- the four questions ----

    def totals(self) -> tuple[GraphSum, ...]:
        return self.sums

    def explain(self, codes: Sequence[NDArray[Any]]) -> list[Explanation]:
        """What the answers about a column change, over all graphs, is its part."""
        known = stacked(codes)
        start = [total.start() for total in self.sums]
        added = np.stack([total.contributions(known) for total in self.sums], axis=-1)
        names = [(*column.code_names, "never seen") for column in self.columns]
        return [
            Explanation.of(
                self.output_names,
                start,
                [
                    Part(f"{column.name} = {words[code]}", tuple(change))
                    for column, words, code, change in zip(self.columns, names, row, changes, strict=False)
                ],
            )
            for row, changes in zip(known.T.tolist(), added.swapaxes(0, 1).tolist(), strict=True)
        ]

    def payload(self) -> dict[str, Any]:
        return {
            "sums": [
                {
                    "base": total.base,
                    "share": total.share,
                    "limits": [total.low, total.high],
                    "graphs": [graph_to_dict(graph) for graph in total.graphs],
                }
                for total in self.sums
            ]
        }

    @classmethod
    def read(cls, about: About, columns: tuple[Column, ...], part: checked.Part) -> Self:
        return cls(about, columns, one_an_output(part["sums"], about, lambda p: _sum_from(p, columns, about)))

    # ---- what follows ----

    def from_scores(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        kept = self.within_range(scores)
        return kept if self.about.classes is None else normalised(kept)

    def choices(self, scores: NDArray[np.float64]) -> NDArray[np.intp]:
        return super().choices(self.within_range(scores))

    def within_range(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Every sum within the range of its targets.

        Parameters
        ----------
        scores : ndarray of shape (n_rows, n_scores)
            Sums.
        """
        return np.clip(scores, [total.low for total in self.sums], [total.high for total in self.sums])


def _sum_from(part: checked.Part, columns: tuple[Column, ...], about: About) -> GraphSum:
    limits = part["limits"]
    low, high = (limits.numbers if about.classes is None else limits.shares)(2).tolist()
    part["limits"].need(low <= high, "two numbers in order")
    graphs = part["graphs"].each(lambda p: graph_from(p, columns))
    base, share = part["base"].number(), part["share"].number()
    most = sum(float(np.abs(graph.shape.value).max()) for graph in graphs)
    part.need(abs(base) + abs(share) * most < checked.MOST_TOGETHER, "numbers that can be added up")
    return GraphSum(graphs, base, share, low, high)
