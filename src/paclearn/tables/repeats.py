"""Rows that are equal: a number for each row, the same for equal ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.tables.dates import Dates
from paclearn.tables.raw import Labels, RawColumn, read_any
from paclearn.tables.table import RowSubset

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from paclearn.tables.table import Table

__all__ = ["mixed", "row_hashes", "without_repeats_of"]

_ODD = np.uint64(0x9E3779B97F4A7C15)  # the golden ratio, as Knuth (1998, section 6.4) multiplies by it


def row_hashes(columns: Iterable[RawColumn | Dates | NDArray[Any]]) -> NDArray[np.uint64]:
    """64 bits a row; different rows have the same ones with probability n squared over 2 to the 65."""
    total: NDArray[np.uint64] | None = None
    for column in columns:
        codes = _codes(column)
        total = codes if total is None else mixed(total) ^ codes
    return np.zeros(0, dtype=np.uint64) if total is None else mixed(total)


def _codes(column: RawColumn | Dates | NDArray[Any]) -> NDArray[np.uint64]:
    if isinstance(column, Labels):
        return (column.codes.astype(np.int64) + 1).astype(np.uint64)
    values = column.values if isinstance(column, RawColumn | Dates) else column
    return np.unique(values, return_inverse=True)[1].astype(np.uint64)


def mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """64 bits of which every one depends on all that came in."""
    bits = (bits + _ODD) * _ODD
    bits ^= bits >> np.uint64(29)
    bits *= np.uint64(0xBF58476D1CE4E5B9)
    return bits ^ (bits >> np.uint64(32))


def without_repeats_of(table: Table) -> Table:
    """The rows of a table, of equal ones the first."""
    hashes = row_hashes(read_any(table, i) for i in range(len(table.names)))
    rows = np.sort(np.unique(hashes, return_index=True)[1])
    return table if len(rows) == table.n_rows else RowSubset(table, rows)
