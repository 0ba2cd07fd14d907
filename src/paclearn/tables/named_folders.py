"""Folders whose names say what a column holds in all of their files: ``year=2020/region=north/part-0.parquet``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import narwhals as nw

from paclearn._compat import need
from paclearn.tables.blocks import rows_a_block
from paclearn.tables.table import FrameTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from paclearn.tables.arrow_tables import ArrowTable, ParquetTable
    from paclearn.tables.table import Table

__all__ = ["PlacedTable", "folder_values", "placed"]

_NONE = "__HIVE_DEFAULT_PARTITION__"  # what Hive, Spark, Arrow and Dask call the folder of rows without a value


class PlacedTable:
    """A file, and behind its columns those that the names of its folders speak of.

    Parameters
    ----------
    file : ArrowTable or ParquetTable
        The file.
    values : dict
        What every row of it holds, as Arrow has it, by the names of the columns.
    """

    def __init__(self, file: ArrowTable | ParquetTable, values: dict[str, Any]) -> None:
        self.file, self.values = file, values
        self.names: tuple[str, ...] = (*file.names, *values)
        self.types: dict[str, Any] = file.types | {name: value.type for name, value in values.items()}
        self.n_rows, self.open_bytes = file.n_rows, file.open_bytes

    def column(self, position: int) -> nw.Series[Any]:
        """All rows of a column."""
        if position < len(self.file.names):
            return self.file.column(position)
        return self._repeated(self.names[position], self.n_rows)

    def blocks(self, positions: Sequence[int]) -> Iterator[Table]:
        """Some columns, a block of rows at a time."""
        names = tuple(self.names[i] for i in positions)
        inner = [i for i in positions if i < len(self.file.names)]
        for rows, block in self._inner_blocks(inner):
            found = {self.names[i]: block.column(k) for k, i in enumerate(inner)} if block is not None else {}
            yield FrameTable(tuple(found[n] if n in found else self._repeated(n, rows) for n in names), names)

    def _inner_blocks(self, positions: Sequence[int]) -> Iterator[tuple[int, Table | None]]:
        """Blocks of the file and how many rows they have; only that where nothing of it is asked for."""
        if positions:
            yield from ((block.n_rows, block) for block in self.file.blocks(positions))
            return
        step = rows_a_block(1)
        yield from ((min(step, self.n_rows - start), None) for start in range(0, self.n_rows, step))

    def _repeated(self, name: str, n_rows: int) -> nw.Series[Any]:
        arrow = need("pyarrow", "io", "reading tables")
        return nw.from_native(arrow.chunked_array([arrow.repeat(self.values[name], n_rows)]), series_only=True)


def placed(
    parts: Sequence[ArrowTable | ParquetTable], paths: Sequence[Path]
) -> Sequence[ArrowTable | ParquetTable | PlacedTable]:
    """Files with the columns that the names of their folders speak of, below the folder that all of them lie in.

    Whole numbers are numbers, all else is words. A column that a file has itself is what it says there.
    """
    values = folder_values(paths, parts[0].names)
    return [PlacedTable(part, one) for part, one in zip(parts, values, strict=True)] if any(values) else parts


def folder_values(paths: Sequence[Path], names: Sequence[str] = ()) -> list[dict[str, Any]]:
    """What the folders of every file say of columns that are not among the names of the file, as Arrow has it."""
    top = os.path.commonpath([path.parent.absolute() for path in paths])
    said = [_said_by(path.parent.absolute().relative_to(top)) for path in paths]
    keys = [key for key in dict.fromkeys(key for one in said for key in one) if key not in names]
    kinds = {key: _kind([one.get(key) for one in said]) for key in keys}
    scalar = need("pyarrow", "io", "reading tables").scalar
    return [{key: scalar(kinds[key][0](one[key]), kinds[key][1]) for key in keys if key in one} for one in said]


def _said_by(folders: Path) -> dict[str, str | None]:
    """Of every folder such as ``year=2020``; nothing where it says that there is no value."""
    pairs = (folder.partition("=") for folder in folders.parts if "=" in folder[1:])
    return {unquote(name): None if value == _NONE else unquote(value) for name, _, value in pairs}


def _kind(values: Sequence[str | None]) -> Any:
    """How to read the values of a column, and the type that Arrow has for them."""
    arrow = need("pyarrow", "io", "reading tables")
    try:
        numbers = [int(value) for value in values if value is not None]
    except ValueError:
        numbers = []
    if numbers and max(map(abs, numbers)) < 2**63:
        return (lambda value: None if value is None else int(value)), arrow.int64()
    return (lambda value: value), arrow.string()
