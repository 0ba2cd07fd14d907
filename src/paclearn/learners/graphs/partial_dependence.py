"""The effect of a column: the mean prediction with the column set to each of its values in turn."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._parameters import is_whole
from paclearn.encoding import BinColumn
from paclearn.encoding.bins import encode_columns, n_present
from paclearn.exceptions import InputError
from paclearn.tables.raw import format_number
from paclearn.tables.table import RowSubset

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column, Domain
    from paclearn.models.decision_graph import DecisionGraph
    from paclearn.models.graph_mean import GraphSum
    from paclearn.tables.table import Table

__all__ = ["Effect", "effect_columns", "effect_of"]


@dataclass(frozen=True, eq=False)
class Effect:
    """Names of the values, mean prediction of each, its spread over the graphs, and the thresholds between them."""

    names: list[str]
    means: list[float]
    spreads: list[float] | None
    edges: list[float] | None


def effect_columns(effect: Effect) -> dict[str, Sequence[Any]]:
    """The columns of a data frame."""
    columns: dict[str, Sequence[Any]] = {"value": effect.names, "effect": effect.means}
    return columns if effect.spreads is None else {**columns, "spread": effect.spreads}


def effect_of(total: GraphSum, domain: Domain, name: str, table: Table, most_rows: int) -> Effect:
    """Averaged over rows of a table; the spread is that over the graphs of a mean."""
    if not is_whole(most_rows) or most_rows < 1:
        raise InputError(f"most_rows={most_rows!r} must be a whole number >= 1")
    some = np.unique(np.linspace(0, table.n_rows - 1, min(most_rows, table.n_rows)).astype(np.intp))
    rows = RowSubset(table, some)
    column = next((c for c in domain.columns if c.name == name), None)
    if column is None or not total.graphs:  # it never varied, so nothing asks for it
        return Effect(["any"], [float(total.predict(rows, domain).mean())], None, None)
    codes = _telling_codes(total.graphs, column)
    said = np.array([_means(graph, column, codes, rows) for graph in total.graphs])
    spreads = said.std(axis=0, ddof=1).tolist() if total.is_mean and len(said) > 1 else None
    names, edges = _names(column, codes)
    return Effect(names, (total.base + total.share * said.sum(axis=0)).tolist(), spreads, edges)


def _telling_codes(graphs: Sequence[DecisionGraph], column: Column) -> list[int]:
    """One code of every run of a numeric column's bins that no graph tells apart; all codes of other columns."""
    if not isinstance(column, BinColumn):
        return list(range(column.n_codes))
    new = np.zeros(column.n_codes, dtype=bool)
    new[[0, *range(n_present(column), column.n_codes)]] = True
    for graph in graphs:
        for asked, low in zip(graph.asks, graph.goes_low, strict=True):
            if graph.columns[asked].name == column.name:
                new[1:] |= low[1 : column.n_codes] != low[: column.n_codes - 1]
    return np.flatnonzero(new).tolist()


def _means(graph: DecisionGraph, column: Column, codes: list[int], rows: Table) -> NDArray[np.float64]:
    encoded = encode_columns(graph.columns, rows)
    place = [c.name for c in graph.columns].index(column.name) if column in graph.columns else None
    means = []
    for code in codes:
        if place is not None:
            encoded[place] = code
        means.append(graph.shape.value[graph.leaf_of_codes(encoded)].mean())
    return np.array(means)


def _names(column: Column, codes: list[int]) -> tuple[list[str], list[float] | None]:
    if not isinstance(column, BinColumn):
        return [column.code_names[code] for code in codes], None
    present = [code for code in codes if code < n_present(column)]
    cuts = [column.thresholds[code - 1] for code in present[1:]]
    texts = [format_number(cut) for cut in cuts]
    if not cuts:
        names = ["present"] if len(codes) > 1 else ["any"]
    else:
        inner = [f"({low}, {high}]" for low, high in pairwise(texts)]
        names = [f"<={texts[0]}", *inner, f">{texts[-1]}"]
    return names + ["missing"] * (len(codes) - len(present)), cuts
