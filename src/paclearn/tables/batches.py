"""Tables too large for memory: read some rows at a time, written as they come."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from paclearn._compat import need
from paclearn.exceptions import InputError
from paclearn.tables.arrow_tables import CHECKED, reading
from paclearn.tables.csv_files import STANDARD, read_csv_batches
from paclearn.tables.databases import database_kind
from paclearn.tables.dialect import FileOptions
from paclearn.tables.files import check_readable, is_arrow, is_parquet, read_arrow_table, writing
from paclearn.tables.json_files import is_json
from paclearn.tables.table import check_unique_names
from paclearn.tables.text_values import mended
from paclearn.tables.workbooks import is_workbook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from paclearn.tables.dialect import Dialect

__all__ = ["batch_writer", "read_batches"]

_ROWS = 50_000


def read_batches(
    path: Path, kinds: Mapping[str, str], wanted: FileOptions | None = None, known: Dialect | None = None
) -> Iterator[Any]:
    """The rows of a file, some at a time, as Arrow tables.

    ``kinds`` says of columns whether they are to be read as a number, a flag, a date or text; in a text file all others
    are text, so that what the first rows look like does not decide how the last are read. ``known`` is how the file of
    the fit was read, which holds for this one. ``-`` reads text from a pipe.
    """
    wanted = wanted or FileOptions()
    if str(path) != STANDARD:
        check_readable(path)
    with reading(path):
        if is_parquet(path):
            yield from _of_parquet(path)
        elif is_arrow(path):
            yield from _of_arrow(path)
        elif _is_text(path):
            yield from read_csv_batches(path, kinds, wanted.missing, known)
        else:
            yield from _of_whole(path, wanted, known)


def _of_parquet(path: Path) -> Iterator[Any]:
    arrow = need("pyarrow", "io", "reading Parquet")
    file = need("pyarrow.parquet", "io", "reading Parquet").ParquetFile(path, **CHECKED)
    check_unique_names(file.schema_arrow.names)
    for batch in file.iter_batches(_ROWS):
        yield arrow.Table.from_batches([batch])


def _of_arrow(path: Path) -> Iterator[Any]:
    arrow, ipc = need("pyarrow", "io", "reading Arrow"), need("pyarrow.ipc", "io", "reading Arrow")
    with arrow.memory_map(str(path)) as source:
        reader = ipc.open_file(source)
        check_unique_names(reader.schema.names)
        for i in range(reader.num_record_batches):
            yield arrow.Table.from_batches([reader.get_batch(i)])


def _is_text(path: Path) -> bool:
    if str(path) == STANDARD:
        return True
    return not (is_workbook(path) or is_json(path) or database_kind(path))


def _of_whole(path: Path, wanted: FileOptions, known: Dialect | None) -> Iterator[Any]:
    """Of files that are not read in parts: the sheet or table of the fit, unless another one is asked for."""
    if known is not None:
        wanted = replace(wanted, formats=known.formats)
        if known.place and not (wanted.sheet or wanted.table or wanted.query):
            wanted = replace(wanted, sheet=known.place, table=known.place)
    table, how = read_arrow_table(path, wanted)
    check_unique_names(table.column_names)
    if known is not None:
        words = tuple((fmt.name, fmt.odd) for fmt in known.formats if fmt.odd and fmt.name in table.column_names)
        table, _ = mended(table, how, replace(wanted, missing_in=words, tidy=known.tidy))
    yield table


@contextmanager
def batch_writer(path: Path | None) -> Iterator[Callable[[Any], None]]:
    """A function to call with Arrow tables; the file is there once all are written. None is standard output, as CSV."""
    if path is None:
        writer = _Writer(None, None)
        yield writer.write
        writer.close()
        return
    if path.suffix.lower() not in {".csv", ".parquet", ".pq", ".arrow", ".feather"}:
        raise InputError(f"{path.name}: a table to write must end in .csv, .parquet or .arrow")
    with writing(path) as file:
        writer = _Writer(file, path)
        yield writer.write
        writer.close()


class _Writer:
    """Opened with the first table, whose columns all others have."""

    def __init__(self, file: Any, path: Path | None) -> None:
        self._file, self._path = file, path
        self._open: Any = None

    def write(self, table: Any) -> None:
        if self._open is None:
            self._open = self._start(table.schema)
        self._open.write_table(table)

    def _start(self, schema: Any) -> Any:
        if self._path is not None and is_parquet(self._path):
            return need("pyarrow.parquet", "io", "writing Parquet").ParquetWriter(self._file, schema)
        if self._path is not None and is_arrow(self._path):
            return need("pyarrow.ipc", "io", "writing Arrow").new_file(self._file, schema)
        file = sys.stdout.buffer if self._file is None else self._file
        return need("pyarrow.csv", "io", "writing CSV").CSVWriter(file, schema)

    def close(self) -> None:
        if self._open is not None:
            self._open.close()
