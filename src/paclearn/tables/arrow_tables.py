"""Files that pyarrow reads in parts: Parquet by columns and by blocks of rows, Arrow mapped and sliced."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw

from paclearn._compat import need
from paclearn.exceptions import ScratchError, TableFileError
from paclearn.tables.blocks import many_cells, rows_a_block
from paclearn.tables.table import FrameTable, check_unique_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from paclearn.tables.table import Table

__all__ = ["CHECKED", "ArrowTable", "ParquetTable", "mapped_arrow", "reading", "spooled", "table_of_arrow"]

CHECKED = {"page_checksum_verification": True}  # of pages that come with a checksum
_INDEX_NAME = re.compile(r"__index_level_\d+__")
_BLOCK_BYTES = 2**24
_BYTES_PER_VALUE = 8
_FEWEST_READ, _MOST_READ = 2**12, 2**18  # bytes of a column at once
_KNOWN_OF_A_CHUNK = 1200  # bytes that a reader keeps of a column in a group of rows, as long as the file is open


class ParquetTable:
    """A Parquet file of which a few columns at a time are in memory, or a block of rows."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with reading(path, "is not a Parquet file", OSError):
            file = self._open()
        schema, about = file.schema_arrow, file.metadata  # each of which is made anew when it is asked for
        check_unique_names(schema.names)
        # pandas writes the index as a column of such a name; it is no column to its user
        self.names: tuple[str, ...] = tuple(n for n in schema.names if not _INDEX_NAME.fullmatch(n))
        self.types: dict[str, Any] = {name: schema.field(name).type for name in self.names}
        self.n_rows: int = about.num_rows
        self.open_bytes: int = _KNOWN_OF_A_CHUNK * about.num_columns * about.num_row_groups
        self._block: tuple[int, tuple[nw.Series[Any], ...]] = (0, ())

    def _open(self, n_columns: int = 1) -> Any:
        """Read as it is needed: columns that are fetched ahead would all be in memory at once, as their buffers are."""
        parquet = need("pyarrow.parquet", "io", "reading Parquet")
        at_once = min(max(_BLOCK_BYTES // max(n_columns, 1), _FEWEST_READ), _MOST_READ)
        return parquet.ParquetFile(self.path, pre_buffer=False, buffer_size=at_once, **CHECKED)

    def column(self, position: int) -> nw.Series[Any]:
        first, columns = self._block
        if not first <= position < first + len(columns):
            first, columns = position, self._read(position)
            self._block = (first, columns)
        return columns[position - first]

    def _read(self, position: int) -> tuple[nw.Series[Any], ...]:
        """The column and the ones behind it, as many as are small enough: to open the file for each takes its time."""
        at_once = max(1, _BLOCK_BYTES // (_BYTES_PER_VALUE * max(1, self.n_rows)))
        names = list(self.names[position : position + at_once])
        with reading(self.path, "is damaged", OSError), self._open() as file:
            return table_of_arrow(file.read(columns=names)).columns

    @property
    def is_long(self) -> bool:
        """Whether to read it in blocks."""
        return many_cells(self.n_rows, len(self.names))

    def blocks(self, positions: Sequence[int]) -> Iterator[Table]:
        """Some columns, a block of rows at a time."""
        arrow = need("pyarrow", "io", "reading Parquet")
        names = [self.names[i] for i in positions]
        with reading(self.path, "is damaged", OSError), self._open(len(names)) as file:
            for batch in file.iter_batches(rows_a_block(len(names)), columns=names):
                yield table_of_arrow(arrow.Table.from_batches([batch]).select(names))


class ArrowTable(FrameTable):
    """A table of Arrow, in memory or mapped from a file; a block is a slice of it, which takes no copy."""

    open_bytes = 0

    @cached_property
    def types(self) -> dict[str, Any]:
        """What Arrow calls the type of every column."""
        return {name: column.to_native().type for name, column in zip(self.names, self.columns, strict=True)}

    @property
    def is_long(self) -> bool:
        """Whether to read it in blocks."""
        return many_cells(self.n_rows, len(self.names))

    def blocks(self, positions: Sequence[int]) -> Iterator[Table]:
        """Some columns, a block of rows at a time."""
        names, length = tuple(self.names[i] for i in positions), rows_a_block(len(positions))
        for start in range(0, self.n_rows, length):
            native = (self.columns[i].to_native().slice(start, length) for i in positions)
            yield FrameTable(tuple(nw.from_native(column, series_only=True) for column in native), names)


def table_of_arrow(table: Any) -> FrameTable:
    """A table of Arrow in memory, which is not read in blocks."""
    return FrameTable.of(nw.from_native(table, eager_only=True))


def mapped_arrow(path: Path) -> ArrowTable:
    """An Arrow file; what of it is looked at is read then."""
    arrow, ipc = need("pyarrow", "io", "reading Arrow"), need("pyarrow.ipc", "io", "reading Arrow")
    with reading(path, "is not an Arrow file"), arrow.memory_map(str(path)) as source:
        whole = ipc.open_file(source).read_all()
    check_unique_names(whole.column_names)
    frame = FrameTable.of(nw.from_native(whole, eager_only=True))
    return ArrowTable(frame.columns, frame.names)


def spooled(tables: Iterable[Any], source: Path) -> ArrowTable:
    """Tables of Arrow, one behind the other, in a scratch file that is gone once nobody holds it."""
    arrow, ipc = need("pyarrow", "io", "reading tables"), need("pyarrow.ipc", "io", "reading tables")
    handle, name = tempfile.mkstemp(prefix="paclearn-", suffix=".arrow")
    os.close(handle)
    writer = None
    try:
        for table in tables:
            writer = writer or ipc.new_file(name, table.schema)
            writer.write_table(table)
        if writer is None:
            raise TableFileError(f"{source} has no rows")
        writer.close()
        return mapped_arrow(Path(name))
    except OSError as error:
        if isinstance(error, arrow.ArrowException) or error.errno is None:
            raise
        raise ScratchError(f"no scratch file for {source} in {tempfile.gettempdir()}: {error.strerror}") from error
    finally:
        with contextlib.suppress(OSError):  # where a mapped file cannot be removed, the system does
            Path(name).unlink()


@contextmanager
def reading(path: Path, complaint: str = "is not a table", *more: type[Exception]) -> Iterator[None]:
    """What goes wrong while a file is read becomes one line about the file."""
    arrow = need("pyarrow", "io", "reading tables")
    try:
        yield
    except UnicodeError as error:
        raise TableFileError(f"{path} is not UTF-8 text; save it as UTF-8") from error
    except MemoryError:  # that of pyarrow is an ArrowException as well, and says nothing about the file
        raise
    except (arrow.ArrowException, *more) as error:
        said = str(error).splitlines() or [type(error).__name__]
        if "launch worker thread" in said[0]:
            raise TableFileError(
                f"{path} cannot be read: {said[0]}; raise the limits of the process (ulimit -v, ulimit -u), or set "
                "OMP_NUM_THREADS=1"
            ) from error
        raise TableFileError(f"{path} {complaint}: {_in_words(said[0])}") from error


def _in_words(said: str) -> str:
    """A complaint of pyarrow's about the cells of a line, with what would do."""
    found = re.search(r"Expected (\d+) columns, got (\d+): (.*)", said)
    if found is None:
        return said
    wanted, there, line = found.groups()
    return (
        f"the line {line[:60]!r} has {there} cells, and the header {wanted}; mend it, or put cells that hold the "
        "delimiter in quotes"
    )
