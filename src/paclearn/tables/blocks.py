"""Tables that come in blocks of rows, so that what is larger than memory is read some rows at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from paclearn.tables.table import ColumnSubset, NamedColumns, RowBlock, RowSubset

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paclearn.tables.table import Table

__all__ = ["Blocked", "blocks_of", "bytes_to_open", "comes_in_blocks", "many_cells", "rows_a_block"]

_BLOCK_BYTES = 2**24
_FEWEST_ROWS, _MOST_ROWS = 2**12, 2**17
_BYTES_PER_VALUE = 8
_LONGEST_COLUMN, _MOST_CELLS = 2**21, 2**27


@runtime_checkable
class Blocked(Protocol):
    """A table whose rows lie in blocks, one behind the other."""

    open_bytes: int  # what is known of its files while one of them is read

    @property
    def is_long(self) -> bool:
        """Whether to read it in blocks; a short one is read faster column by column."""
        ...

    def blocks(self, positions: Sequence[int]) -> Iterator[Table]:
        """Some columns, a block of rows at a time; together the blocks are all rows, in their order."""
        ...


def rows_a_block(n_columns: int) -> int:
    """Rows that take about 16 MB as numbers."""
    return int(np.clip(_BLOCK_BYTES // (_BYTES_PER_VALUE * max(n_columns, 1)), _FEWEST_ROWS, _MOST_ROWS))


def comes_in_blocks(table: Table) -> bool:
    """Whether a table, or the one that it is some columns or rows of, is read in blocks."""
    if isinstance(table, ColumnSubset | NamedColumns):
        return comes_in_blocks(table.table)
    if isinstance(table, RowSubset):
        return comes_in_blocks(table.table) and bool((np.diff(table.rows) >= 0).all())
    return isinstance(table, Blocked) and table.is_long


def bytes_to_open(table: Table) -> int:
    """What is known of the files of a table while one of them is read, besides what is read of it."""
    if isinstance(table, ColumnSubset | NamedColumns | RowSubset):
        return bytes_to_open(table.table)
    return table.open_bytes if isinstance(table, Blocked) else 0


def many_cells(n_rows: int, n_columns: int) -> bool:
    """Whether a column is too long to be held a few times over, or the codes of all columns are too many."""
    return n_rows > _LONGEST_COLUMN or n_rows * n_columns > _MOST_CELLS


def blocks_of(table: Table, positions: Sequence[int] | None = None) -> Iterator[RowBlock]:
    """The blocks of a table that comes in them. Of columns that are not asked for, only the names are there."""
    wanted = range(len(table.names)) if positions is None else positions
    names, start = tuple(table.names[i] for i in wanted), 0
    for part in _parts(table, wanted):
        block = part if positions is None else NamedColumns(ColumnNames(part, names), table.names)
        yield RowBlock(block, start)
        start += block.n_rows


class ColumnNames(NamedColumns):
    """A table under names that another one gives its columns, which are where they were."""

    def column(self, position: int) -> Any:
        return self.table.column(position)


def _parts(table: Table, positions: Sequence[int]) -> Iterator[Table]:
    if isinstance(table, Blocked):
        yield from table.blocks(positions)
    elif isinstance(table, ColumnSubset):
        yield from _parts(table.table, [table.positions[i] for i in positions])
    elif isinstance(table, NamedColumns):
        yield from _parts(table.table, [table.table.names.index(table.names[i]) for i in positions])
    elif isinstance(table, RowSubset):
        yield from _rows_of_parts(table, positions)


def _rows_of_parts(table: RowSubset, positions: Sequence[int]) -> Iterator[Table]:
    """Rows in their order are cut where the blocks end."""
    start = first = 0
    for part in _parts(table.table, positions):
        last = int(np.searchsorted(table.rows, start + part.n_rows))
        yield RowSubset(part, table.rows[first:last] - start)
        start, first = start + part.n_rows, last
