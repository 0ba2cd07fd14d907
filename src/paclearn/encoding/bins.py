"""Tables on 256 bins: a byte a cell, with a bin for what is missing and one for what was never seen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.block_passes import FileBlocks, encode_bytes, learn_blocks
from paclearn.encoding.column_pass import encode_each, learn_each
from paclearn.encoding.domain import BinColumn, Domain
from paclearn.encoding.learning import EncodingRules, cuts_between, learn_column, thresholds
from paclearn.encoding.remote_columns import RemoteBlocks, RemoteColumns
from paclearn.tables.blocks import comes_in_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.domain import Column
    from paclearn.encoding.learning import Distinct
    from paclearn.tables.remote import RemoteTable
    from paclearn.tables.table import Table

__all__ = ["MOST_BINS", "BinnedTable", "encode_columns", "learn_bin_columns", "learn_bins", "learn_far_bins"]

MOST_BINS = 254  # and one for missing, one for unseen: a byte


@dataclass(frozen=True, eq=False)
class BinnedTable:
    """Codes of a table, one row a column, and where the bins of every column lie in a histogram."""

    domain: Domain
    codes: NDArray[np.uint8]

    @property
    def n_rows(self) -> int:
        return int(self.codes.shape[1])

    @property
    def layout(self) -> NDArray[np.int64]:
        """A row a column: its first bin, number of bins, number of bins that hold numbers, whether it has levels."""
        sizes = [column.n_codes + 1 for column in self.domain.columns]
        starts = np.cumsum([0, *sizes])[:-1]
        present = [n_present(column) for column in self.domain.columns]
        levels = [not isinstance(column, BinColumn) for column in self.domain.columns]
        return np.column_stack([starts, sizes, present, levels]).astype(np.int64).reshape(len(sizes), 4)

    def take(self, rows: NDArray[np.intp]) -> BinnedTable:
        """Some of the rows."""
        return BinnedTable(self.domain, np.ascontiguousarray(self.codes[:, rows]))

    def codes_of(self, columns: Sequence[Column]) -> NDArray[np.uint8]:
        """Codes of some of the columns."""
        place = {column: i for i, column in enumerate(self.domain.columns)}
        return np.ascontiguousarray(self.codes[[place[column] for column in columns]])


def n_present(column: Column) -> int:
    """Codes that stand for a value."""
    return column.n_codes - column.missing


@dataclass(frozen=True)
class BinRules:
    """Numbers are cut between their values, at quantiles where there are many; the most frequent levels have names."""

    n_bins: int

    def column(self, found: Distinct, name: str, position: int) -> Column | str:
        """The column, or why no question can be asked of it."""
        if found.words:
            n_levels = min(self.n_bins, MOST_BINS)
            return EncodingRules(n_levels, 0, n_levels).column(found, name, position)
        if len(found.values) > self.n_bins:
            return BinColumn(name, position, found.missing, thresholds(found.values, found.counts, self.n_bins))
        if len(found.values) > 1:
            values = np.asarray(found.values)
            return BinColumn(name, position, found.missing, cuts_between(values[:-1], values[1:]))
        if len(found.values) == 0:
            return "every value is missing"
        return BinColumn(name, position, True, (float(found.values[0]),)) if found.missing else "constant"


def learn_bins(table: Table, n_bins: int, weights: NDArray[np.float64] | None = None) -> BinnedTable:
    """Cut numbers between their values, at quantiles where there are many; name the most frequent levels."""
    if (weights is None or weights.all()) and comes_in_blocks(table):
        domain = learn_blocks(FileBlocks(table, weights), BinRules(n_bins))
        return BinnedTable(domain, encode_bytes(domain.columns, table))
    domain, codes = learn_bin_columns(table, n_bins, weights)
    return BinnedTable(domain, _stacked(codes, len(domain.columns), table.n_rows))


def learn_far_bins(table: RemoteTable, n_bins: int) -> tuple[Domain, RemoteColumns]:
    """The same of a table on a cluster, whose rows stay there."""
    domain = learn_blocks(RemoteBlocks(table), BinRules(n_bins))
    return domain, RemoteColumns.of(table, domain)


def learn_bin_columns(
    table: Table, n_bins: int, weights: NDArray[np.float64] | None
) -> tuple[Domain, list[NDArray[Any]]]:
    """The columns, and the codes of each, which are bytes only where there are no more bins than that."""
    found = learn_each(table, partial(learn_column, rules=BinRules(n_bins), weights=weights))
    return Domain(tuple(found.columns), tuple(found.dropped)), found.codes


def encode_columns(columns: Sequence[Column], table: Table) -> NDArray[np.uint8]:
    """Codes of some columns, one row a column."""
    return _stacked(encode_each(columns, table), len(columns), table.n_rows)


def _stacked(codes: Iterable[NDArray[Any]], n_columns: int, n_rows: int) -> NDArray[np.uint8]:
    stacked = np.empty((n_columns, n_rows), dtype=np.uint8)
    for place, column in enumerate(codes):
        stacked[place] = column
    return stacked
