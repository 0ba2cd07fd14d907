"""Tables whose columns are read once, for those who look at them again and again: folds, held-out rows, reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paclearn.tables.blocks import comes_in_blocks
from paclearn.tables.raw import Labels, read_any
from paclearn.tables.table import ArrayTable

if TYPE_CHECKING:
    from paclearn.tables.raw import Dates, RawColumn
    from paclearn.tables.table import Table

__all__ = ["ReadOnce", "read_once"]

_MOST_BYTES = 2**30  # of columns that are kept; others are read again
_PLAIN = "iubf"  # kinds of arrays of which a column is there as soon as it is asked for


def read_once(table: Table) -> Table:
    """The same table; what is read of it is kept, as numbers and codes, as long as that is no more than a gigabyte.

    One that comes in blocks is read block by block as often as it takes.
    """
    if comes_in_blocks(table) or isinstance(table, ReadOnce) or (isinstance(table, ArrayTable) and _is_plain(table)):
        return table
    return ReadOnce(table)


class ReadOnce:
    """A table that keeps its columns as they were read. See `read_once`."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.names = table.names
        self.n_rows = table.n_rows
        self._kept: dict[int, RawColumn | Dates] = {}
        self._bytes = 0

    def column(self, position: int) -> RawColumn | Dates:
        """Numbers or labels of a column; some rows of it are had by index."""
        if position in self._kept:
            return self._kept[position]
        raw = _compact(read_any(self.table, position))
        if self._bytes + raw.n_bytes <= _MOST_BYTES:
            self._kept[position] = raw
            self._bytes += raw.n_bytes
        return raw


def _is_plain(table: ArrayTable) -> bool:
    return isinstance(table.values, np.ndarray) and table.values.dtype.kind in _PLAIN


def _compact(raw: RawColumn | Dates) -> RawColumn | Dates:
    """Codes in as few bytes as there are levels."""
    if not isinstance(raw, Labels):
        return raw
    few = len(raw.labels) < np.iinfo(np.int16).max
    return Labels(raw.codes.astype(np.int16 if few else np.int32, copy=False), raw.labels, raw.exact)
