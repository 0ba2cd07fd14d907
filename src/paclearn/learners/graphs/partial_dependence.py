"""The effect of a column: the mean prediction with the column set to each of its values in turn."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._parameters import is_whole
from paclearn.encoding import BinColumn
from paclearn.encoding.bins import n_present
from paclearn.exceptions import InputError
from paclearn.models.graph_sum import stacked
from paclearn.tables.table import RowSubset

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.models.decision_graph import DecisionGraph
    from paclearn.models.graph_sum import SumModel
    from paclearn.tables.table import Table

__all__ = ["ColumnEffect", "effect_columns", "effect_on"]


@dataclass(frozen=True, eq=False)
class ColumnEffect:
    """Names of the values, mean prediction of each, its standard deviation over the graphs, and the thresholds.

    Thresholds have names where they are dates.
    """

    names: list[str]
    means: list[float]
    deviations: list[float] | None
    edges: list[float] | None
    edge_names: tuple[str, ...] = ()


def effect_columns(effect: ColumnEffect) -> dict[str, Sequence[Any]]:
    """The columns of a data frame."""
    columns: dict[str, Sequence[Any]] = {"value": effect.names, "effect": effect.means}
    return columns if effect.deviations is None else {**columns, "deviation": effect.deviations}


def effect_on(model: SumModel, output: int, column: Column | None, table: Table, most_rows: int) -> ColumnEffect:
    """Averaged over rows of a table; None stands for a column that never varied, so that nothing asks for it."""
    if not is_whole(most_rows) or most_rows < 1:
        raise InputError(f"most_rows={most_rows!r} must be a whole number >= 1")
    some = np.unique(np.linspace(0, table.n_rows - 1, min(most_rows, table.n_rows)).astype(np.intp))
    known, total = stacked(model.encode(RowSubset(table, some))), model.totals()[output]
    if column is None or not total.graphs:
        said = np.clip(total.values(known), total.low, total.high)
        return ColumnEffect(["any"], [float(said.mean())], None, None)
    codes = _telling_codes(total.graphs, column)
    place = next((i for i, asked in enumerate(model.columns) if asked.position == column.position), None)
    said = np.array([_means(graph, place, codes, known) for graph in total.graphs])
    deviations = said.std(axis=0, ddof=1).tolist() if total.is_mean and len(said) > 1 else None
    means = (total.base + total.share * said.sum(axis=0)).tolist()
    if not isinstance(column, BinColumn):
        return ColumnEffect([column.code_names[code] for code in codes], means, deviations, None)
    names, edges = _intervals(column, codes)
    return ColumnEffect(names, means, deviations, edges, column.in_words(edges) if column.holds_dates else ())


def _telling_codes(graphs: Sequence[DecisionGraph], column: Column) -> list[int]:
    """One code of every run of a numeric column's bins that no graph tells apart; all codes of other columns."""
    if not isinstance(column, BinColumn):
        return list(range(column.n_codes))
    new = np.zeros(column.n_codes, dtype=bool)
    new[[0, *range(n_present(column), column.n_codes)]] = True
    for graph in graphs:
        for asked, low in zip(graph.asks, graph.goes_low, strict=True):
            if graph.columns[asked].position == column.position:
                new[1:] |= low[1 : column.n_codes] != low[: column.n_codes - 1]
    return np.flatnonzero(new).tolist()


def _means(graph: DecisionGraph, place: int | None, codes: list[int], known: NDArray[np.uint8]) -> NDArray[np.float64]:
    """The mean of what a graph says, with a column (None: it is asked nowhere) set to each of some codes."""
    if place is None or place not in graph.asks:
        return np.full(len(codes), graph.values_of_codes(known).mean())
    changed, means = known.copy(), []
    for code in codes:
        changed[place] = code
        means.append(graph.values_of_codes(changed).mean())
    return np.array(means)


def _intervals(column: BinColumn, codes: list[int]) -> tuple[list[str], list[float]]:
    """Their names, and the thresholds between them."""
    present = [code for code in codes if code < n_present(column)]
    cuts = [column.thresholds[code - 1] for code in present[1:]]
    texts = column.in_words(cuts)
    if not cuts:
        names = ["present"] if len(codes) > 1 else ["any"]
    else:
        inner = [f"({low}, {high}]" for low, high in pairwise(texts)]
        names = [f"<={texts[0]}", *inner, f">{texts[-1]}"]
    return names + ["missing"] * (len(codes) - len(present)), cuts
