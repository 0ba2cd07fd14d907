"""Table files of all kinds: Parquet is read one column at a time, others whole. And writing, all or nothing."""

from __future__ import annotations

import json
import os
import re
import stat
import tempfile
import warnings
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import narwhals as nw

from paclearn._compat import need
from paclearn._parameters import hint
from paclearn.exceptions import InputError, ReadingWarning, TableFileError
from paclearn.tables.csv_files import read_csv
from paclearn.tables.databases import database_kind, read_database
from paclearn.tables.dialect import MISSING_WORDS, Dialect, FileOptions, Reading
from paclearn.tables.table import ColumnSubset, FrameTable, check_unique_names
from paclearn.tables.text_layout import text_buffer
from paclearn.tables.text_values import Hints, decide_all, mended
from paclearn.tables.workbooks import is_workbook, read_workbook

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from paclearn.tables.table import Table

__all__ = [
    "ParquetTable",
    "check_readable",
    "check_writable",
    "is_arrow",
    "is_json",
    "is_parquet",
    "open_table",
    "read_arrow_table",
    "read_file",
    "reading",
    "split_target",
    "write_atomically",
    "writing",
]

_INDEX_NAME = re.compile(r"__index_level_\d+__")
_BLOCK_BYTES = 2**24
_BYTES_PER_VALUE = 8


class ParquetTable:
    """A Parquet file of which a few columns at a time are in memory."""

    def __init__(self, path: Path, file: Any) -> None:
        self.path = path
        # pandas writes the index as a column of such a name; it is no column to its user
        self.names: tuple[str, ...] = tuple(n for n in file.schema_arrow.names if not _INDEX_NAME.fullmatch(n))
        self.n_rows: int = file.metadata.num_rows
        self._file = file
        self._block: tuple[int, tuple[nw.Series[Any], ...]] = (0, ())

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
        with reading(self.path, "is damaged", OSError):
            return _as_table(self._file.read(columns=names)).columns


def open_table(
    path: str | os.PathLike[str],
    missing: Sequence[str] = MISSING_WORDS,
    *,
    sheet: str | None = None,
    table: str | None = None,
    query: str | None = None,
    day_first: bool | None = None,
) -> Table:
    """Open a file as a table that every estimator takes as ``X``.

    Text files may have commas, semicolons, tabs or bars, decimal commas, currencies and percent signs, and be in UTF-8,
    UTF-16 or Windows' letters, plain or packed; what had to be guessed is said in a `ReadingWarning`.

    Parameters
    ----------
    path : str or path
        The file. ``.parquet`` and ``.pq`` are read one column at a time, ``.arrow`` and ``.feather`` whole; ``.xlsx``
        and its kin are workbooks, ``.jsonl`` holds an object a line, SQLite and DuckDB files are known by how they
        begin; everything else is read as text with a header line.
    missing : sequence of str
        What counts as missing in a text file.
    sheet : str, default=None
        The sheet of a workbook; the first if not given.
    table, query : str, default=None
        The table of a database file, or a query in its language.
    day_first : bool, default=None
        Whether 03/04/2025 is the third of April, where the whole column leaves it open.

    Returns
    -------
    Table
        Names, number of rows, and columns on demand.
    """
    found, reading = read_file(Path(path), FileOptions(tuple(missing), sheet, table, query, day_first))
    if not reading.is_plain:
        warnings.warn(f"{Path(path).name}: {reading.line()}", ReadingWarning, stacklevel=2)
    return found


def read_file(path: Path, wanted: FileOptions) -> tuple[Table, Reading]:
    """A file as a table, and how it was read."""
    check_readable(path)
    if is_parquet(path):
        table: Table = _open_parquet(path)
        how = Reading("Parquet")
    else:
        arrow, how = read_arrow_table(path, wanted)
        check_unique_names(arrow.column_names)
        arrow, how = mended(arrow, how, _of_columns(wanted, arrow.column_names))
        table = _as_table(arrow)
    check_unique_names(table.names)
    if table.n_rows == 0:
        raise TableFileError(f"{path} has a header ({len(table.names)} columns) but no rows")
    return table, how


def _of_columns(wanted: FileOptions, names: Sequence[str]) -> FileOptions:
    """Words like ``fee=999`` are for one column, if there is one of that name."""
    found: dict[str, tuple[str, ...]] = {}
    for word in wanted.missing:
        name, is_there, value = word.rpartition("=")
        if is_there and name in names:
            found[name] = (*found.get(name, ()), value)
    return replace(wanted, missing_in=tuple(found.items()))


def read_arrow_table(path: Path, wanted: FileOptions) -> tuple[Any, Reading]:
    """All but Parquet, as an Arrow table."""
    if is_arrow(path):
        return _read_arrow(path), Reading("Arrow")
    if is_workbook(path):
        return read_workbook(path, wanted)
    kind = database_kind(path)
    with reading(path):
        if kind is not None:
            return read_database(path, kind, wanted)
        if is_json(path):
            return _read_json(path, wanted)
        return read_csv(path, wanted)


def _read_json(path: Path, wanted: FileOptions) -> tuple[Any, Reading]:
    """An object a line, packed or not; or one list of objects."""
    arrow, text = need("pyarrow", "io", "reading JSON"), text_buffer(path)[0]
    if text.slice(0, min(text.size, 100)).to_pybytes().lstrip().startswith(b"["):
        try:
            table = arrow.Table.from_pylist(json.loads(text.to_pybytes()))
        except (ValueError, AttributeError) as error:
            raise TableFileError(f"{path} is not a list of objects: {str(error).splitlines()[0]}") from error
    else:
        table = need("pyarrow.json", "io", "reading JSON").read_json(arrow.BufferReader(text))
    table, dialect = decide_all(table, Dialect(formats=wanted.formats), Hints(day_first=wanted.day_first))
    return table, Reading("JSON", dialect)


def is_json(path: Path) -> bool:
    """By its ending, packed or not."""
    endings = [ending.lower() for ending in path.suffixes[-2:]]
    return any(ending in {".json", ".jsonl", ".ndjson"} for ending in endings)


def is_parquet(path: Path) -> bool:
    """By its ending."""
    return path.suffix.lower() in {".parquet", ".pq"}


def is_arrow(path: Path) -> bool:
    """By its ending."""
    return path.suffix.lower() in {".arrow", ".feather", ".ipc"}


def check_readable(path: Path) -> None:
    """Say what is wrong with a path before anything else trips over it."""
    if not path.exists():
        folder = path.parent
        near = hint(path.name, (p.name for p in folder.iterdir() if p.is_file())) if folder.is_dir() else ""
        raise TableFileError(f"there is no file {path}{near if 'did you mean' in near else ''}")
    if not path.is_file():
        raise TableFileError(f"{path} is not a file")
    if path.stat().st_size == 0:
        raise TableFileError(f"{path} is empty")


@contextmanager
def reading(path: Path, complaint: str = "is not a table", *more: type[Exception]) -> Iterator[None]:
    """What goes wrong while a file is read becomes one line about the file."""
    arrow = need("pyarrow", "io", "reading tables")
    try:
        yield
    except UnicodeError as error:
        raise TableFileError(f"{path} is not UTF-8 text; save it as UTF-8") from error
    except (arrow.ArrowException, *more) as error:
        said = str(error).splitlines() or [type(error).__name__]
        raise TableFileError(f"{path} {complaint}: {said[0]}") from error


def _open_parquet(path: Path) -> ParquetTable:
    parquet = need("pyarrow.parquet", "io", "reading Parquet")
    with reading(path, "is not a Parquet file", OSError):
        file = parquet.ParquetFile(path)
    check_unique_names(file.schema_arrow.names)
    return ParquetTable(path, file)


def _read_arrow(path: Path) -> Any:
    arrow, ipc = need("pyarrow", "io", "reading Arrow"), need("pyarrow.ipc", "io", "reading Arrow")
    with reading(path, "is not an Arrow file"), arrow.memory_map(str(path)) as source:
        return ipc.open_file(source).read_all()


def _as_table(table: Any) -> FrameTable:
    return FrameTable.of(nw.from_native(table, eager_only=True))


def split_target(table: Table, target: str, drop: Iterable[str] = ()) -> tuple[ColumnSubset, nw.Series[Any]]:
    """The other columns of a table, and the target column."""
    drop = set(drop)
    for name in (target, *sorted(drop)):
        if name not in table.names:
            raise InputError(f"there is no column {name!r}{hint(name, table.names)}")
    if target in drop:
        raise InputError(f"the target {target!r} cannot be dropped")
    kept = tuple(i for i, name in enumerate(table.names) if name != target and name not in drop)
    if not kept:
        raise InputError(f"no column is left beside the target {target!r}")
    return ColumnSubset(table, kept), table.column(table.names.index(target))


def check_writable(path: Path) -> Path:
    """Refuse, before any work is done, a file that could not be written after it."""
    path = path.resolve()  # a link stays a link
    if not path.parent.is_dir():
        raise TableFileError(f"there is no folder {path.parent} to write {path.name} into")
    if path.is_dir():
        raise TableFileError(f"{path} is a folder; name a file in it")
    return path


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file whole or not at all: an interrupt leaves the old one as it was."""
    with writing(Path(path)) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """A file to write to that takes its place once all is written."""
    path = check_writable(path)
    if path.exists() and not stat.S_ISREG(path.stat().st_mode):
        with path.open("wb") as file:  # a device or a pipe cannot be replaced
            yield file
        return
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(scratch).chmod(0o666 & ~_umask())
        Path(scratch).replace(path)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
