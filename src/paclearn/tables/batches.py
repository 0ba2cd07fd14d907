"""Tables too large for memory: read some rows at a time, written as they come."""

from __future__ import annotations

import csv
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from paclearn._compat import need
from paclearn.exceptions import InputError, TableFileError
from paclearn.tables.files import (
    MISSING_WORDS,
    check_readable,
    csv_options,
    delimiter_of,
    is_arrow,
    is_parquet,
    reading,
    writing,
)
from paclearn.tables.table import check_unique_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

__all__ = ["batch_writer", "read_batches"]

_ROWS = 50_000
STANDARD = "-"


def read_batches(path: Path, kinds: Mapping[str, str], missing: Sequence[str] = MISSING_WORDS) -> Iterator[Any]:
    """The rows of a file, some at a time, as Arrow tables.

    ``kinds`` says of columns whether they are to be read as a number, a flag or text; in a CSV file all others are
    text, so that what the first rows look like does not decide how the last are read. ``-`` reads CSV from a pipe.
    """
    if str(path) != STANDARD:
        check_readable(path)
    with reading(path):
        if is_parquet(path):
            yield from _of_parquet(path)
        elif is_arrow(path):
            yield from _of_arrow(path)
        else:
            yield from _of_csv(path, kinds, missing)


def _of_parquet(path: Path) -> Iterator[Any]:
    arrow = need("pyarrow", "io", "reading Parquet")
    file = need("pyarrow.parquet", "io", "reading Parquet").ParquetFile(path)
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


def _of_csv(path: Path, kinds: Mapping[str, str], missing: Sequence[str]) -> Iterator[Any]:
    arrow, arrow_csv = need("pyarrow", "io", "reading CSV"), need("pyarrow.csv", "io", "reading CSV")
    known = {"number": arrow.float64(), "flag": arrow.bool_()}
    source = sys.stdin.buffer if str(path) == STANDARD else path.open("rb")
    with source:
        names = _names(source.readline(), path)
        check_unique_names(names)
        types = {name: known.get(kinds.get(name, "text"), arrow.string()) for name in names}
        read = arrow_csv.ReadOptions(column_names=names, block_size=2**24)
        try:
            reader = arrow_csv.open_csv(
                source, read_options=read, **csv_options(path, missing, types, line_breaks=True)
            )
        except arrow.ArrowInvalid as error:
            if "Empty CSV" in str(error):
                return
            raise
        for batch in reader:
            yield arrow.Table.from_batches([batch])


def _names(head: bytes, path: Path) -> list[str]:
    text = head.decode("utf-8-sig")
    if not text.strip():
        raise TableFileError(f"{path} is empty")
    return next(csv.reader([text], delimiter=delimiter_of(path)))


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
