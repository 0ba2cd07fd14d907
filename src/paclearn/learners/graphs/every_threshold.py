"""Graphs without bins: every threshold between two values of a column is tried, as Kalai (2005), Figure 3, says.

Codes are bytes, so a column of many values becomes several columns of at most 253 thresholds each: all of them
together have all thresholds, and the histograms of leaves stay what they are. A graph asks few of them, so in the end
every column is cut where some graph asks, and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from paclearn.encoding import BinColumn, Domain
from paclearn.encoding.bins import MOST_BINS, BinnedTable, learn_bin_columns
from paclearn.exceptions import InputError
from paclearn.learners.graphs.graph_tuning import TUNING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.learners.graphs.regression_graph import RegressionGraph
    from paclearn.tables.table import Table

__all__ = ["EveryThreshold"]

_PIECE = MOST_BINS - 1  # thresholds


@dataclass(frozen=True, eq=False)
class EveryThreshold:
    """Columns with all of their thresholds, the codes of the rows in them, and the same cut into pieces."""

    domain: Domain
    codes: list[NDArray[np.int64]]
    pieces: BinnedTable

    @classmethod
    def of(cls, table: Table, weights: NDArray[np.float64] | None) -> EveryThreshold:
        """Of the columns of a table."""
        domain, found = learn_bin_columns(table, table.n_rows + 1, weights)
        codes = [np.asarray(each, dtype=np.int64) for each in found]
        _refuse_too_many(domain, table.n_rows)
        cut = [piece for column, each in zip(domain.columns, codes, strict=True) for piece in _pieces(column, each)]
        stacked = np.array([each for _, each in cut], dtype=np.uint8).reshape(len(cut), table.n_rows)
        return cls(domain, codes, BinnedTable(Domain(tuple(column for column, _ in cut), domain.dropped), stacked))

    def narrowed(self, graphs: Sequence[RegressionGraph]) -> tuple[BinnedTable, list[RegressionGraph]]:
        """The table cut where some graph asks, and the graphs that ask it."""
        asked: dict[int, set[float]] = {column.position: set() for column in self.domain.columns}
        for graph in graphs:
            for column, low in _questions(graph):
                asked[column.position].update(_threshold(column, low))
        columns = tuple(_cut_at(column, asked[column.position]) for column in self.domain.columns)
        codes = [_fewer(*each) for each in zip(self.domain.columns, columns, self.codes, strict=True)]
        stacked = np.array(codes, dtype=np.uint8).reshape(len(columns), -1)
        table = BinnedTable(Domain(columns, self.domain.dropped), stacked)
        return table, [_asking(graph, {column.position: column for column in columns}) for graph in graphs]


def _refuse_too_many(domain: Domain, n_rows: int) -> None:
    pieces = sum(-(-column.n_codes // _PIECE) for column in domain.columns)
    if pieces * n_rows > TUNING.most_exact_bytes:
        raise InputError(
            f"n_bins=None tries every threshold, which takes {pieces * n_rows / 2**30:,.1f} GiB for this table; "
            f"n_bins={MOST_BINS} takes {len(domain.columns) * n_rows / 2**30:,.1f}"
        )


def _pieces(column: Column, codes: NDArray[np.int64]) -> Iterator[tuple[Column, NDArray[np.int64]]]:
    """A column as several, each with some of its thresholds; levels as they are."""
    if not isinstance(column, BinColumn):
        yield column, codes
        return
    absent = codes > len(column.thresholds)
    for first in range(0, len(column.thresholds), _PIECE):
        some = column.thresholds[first : first + _PIECE]
        yield replace(column, thresholds=some), np.where(absent, len(some) + 1, np.clip(codes - first, 0, len(some)))


def _questions(graph: RegressionGraph) -> Iterator[tuple[Column, NDArray[np.uint8]]]:
    for place, low in zip(graph.asks, graph.goes_low, strict=True):
        yield graph.columns[place], low


def _threshold(column: Column, low: NDArray[np.uint8]) -> tuple[float, ...]:
    """The one that a question is about, if it is not only whether the value is there."""
    if not isinstance(column, BinColumn):
        return ()
    n_low = int(low[: len(column.thresholds) + 1].sum())
    return column.thresholds[n_low - 1 : n_low]


def _cut_at(column: Column, thresholds: set[float]) -> Column:
    """A column with the thresholds that are asked, or with its first ones where none is."""
    if not isinstance(column, BinColumn):
        return column
    if len(thresholds) > _PIECE:
        raise InputError(
            f"the graph asks {column.name!r} at {len(thresholds)} thresholds, and {_PIECE} is the most; "
            f"fewer splits, or n_bins={MOST_BINS}, will do"
        )
    return replace(column, thresholds=tuple(sorted(thresholds)) or column.thresholds[:_PIECE])


def _fewer(before: Column, after: Column, codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Codes of the same values in a column with fewer thresholds."""
    if not isinstance(before, BinColumn) or not isinstance(after, BinColumn):
        return codes
    kept = np.searchsorted(before.thresholds, after.thresholds)  # threshold k lies below all codes above k
    absent = codes > len(before.thresholds)
    return np.where(absent, len(after.thresholds) + 1, np.searchsorted(kept, codes, side="left"))


def _asking(graph: RegressionGraph, columns: dict[int, Column]) -> RegressionGraph:
    """The same graph, of columns that are cut where some graph asks."""
    used = sorted({column.position for column in graph.columns})
    place = {position: i for i, position in enumerate(used)}
    asks = np.array([place[column.position] for column, _ in _questions(graph)], dtype=np.int32)
    low = [_low_codes(column, columns[column.position], low) for column, low in _questions(graph)]
    goes_low = np.array(low, dtype=np.uint8).reshape(-1, 256)
    return replace(graph, columns=tuple(columns[position] for position in used), asks=asks, goes_low=goes_low)


def _low_codes(before: Column, after: Column, low: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Which codes go low, where the column has other thresholds."""
    if not isinstance(before, BinColumn) or not isinstance(after, BinColumn):
        return low
    present = len(before.thresholds) + 1
    at = _threshold(before, low)
    found = np.full(256, low[-1], dtype=np.uint8)
    found[: len(after.thresholds) + 1] = 1 if not at else np.asarray((-np.inf, *after.thresholds)) < at[0]
    found[len(after.thresholds) + 1] = low[present]
    return found
