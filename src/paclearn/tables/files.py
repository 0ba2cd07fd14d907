"""Table files: Parquet, read one column at a time, Arrow and CSV. And writing, all or nothing."""

from __future__ import annotations

import os
import re
import stat
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import narwhals as nw

from paclearn._compat import need
from paclearn._parameters import hint
from paclearn.exceptions import InputError, TableFileError
from paclearn.tables.table import ColumnSubset, FrameTable, check_unique_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from paclearn.tables.table import Table

__all__ = [
    "MISSING_WORDS",
    "ParquetTable",
    "check_readable",
    "check_writable",
    "csv_options",
    "delimiter_of",
    "is_arrow",
    "is_parquet",
    "missing_words",
    "open_table",
    "reading",
    "split_target",
    "write_atomically",
    "writing",
]

_INDEX_NAME = re.compile(r"__index_level_\d+__")
_BLOCK_BYTES = 2**24
_BYTES_PER_VALUE = 8

MISSING_WORDS = ("", "?", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None")


def missing_words(more: Iterable[str] | None) -> tuple[str, ...]:
    """The usual words, and what else means missing."""
    return (*MISSING_WORDS, *(more or ()))


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


def open_table(path: str | os.PathLike[str], missing: Sequence[str] = MISSING_WORDS) -> Table:
    """Open a Parquet, Arrow or CSV file as a table that every estimator takes as ``X``.

    Parameters
    ----------
    path : str or path
        The file. ``.parquet`` and ``.pq`` are read one column at a time, ``.arrow`` and ``.feather`` whole;
        everything else is read as CSV with a header line (``.tsv`` with tabs).
    missing : sequence of str
        What counts as missing in a CSV file.

    Returns
    -------
    Table
        Names, number of rows, and columns on demand.
    """
    path = Path(path)
    check_readable(path)
    if is_parquet(path):
        table: Table = _open_parquet(path)
    else:
        table = _read_arrow(path) if is_arrow(path) else _read_csv(path, missing)
    check_unique_names(table.names)
    if table.n_rows == 0:
        raise TableFileError(f"{path} has a header ({len(table.names)} columns) but no rows")
    return table


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


def _read_csv(path: Path, missing: Sequence[str]) -> FrameTable:
    csv, arrow = need("pyarrow.csv", "io", "reading CSV"), need("pyarrow", "io", "reading CSV")
    with reading(path):
        table = csv.read_csv(path, **csv_options(path, missing))
        names = table.column_names
    broken = [field.name for field in table.schema if arrow.types.is_binary(field.type)]
    if broken:
        raise TableFileError(f"{path} is not UTF-8 text (see column {broken[0]!r}); save it as UTF-8")
    check_unique_names(names)
    if len(names) < 2:
        raise TableFileError(
            f"{path} has one column only ({names[0][:60]!r}); is it a comma-separated table with a header?"
        )
    return _as_table(table)


def delimiter_of(path: Path) -> str:
    """A tab by the ending ``.tsv``, else a comma."""
    return "\t" if path.suffix.lower() == ".tsv" else ","


def csv_options(path: Path, missing: Sequence[str], types: Any = None, *, line_breaks: bool = False) -> dict[str, Any]:
    """How pyarrow is to read a CSV file."""
    csv = need("pyarrow.csv", "io", "reading CSV")
    convert = csv.ConvertOptions(null_values=list(missing), strings_can_be_null=True, column_types=types)
    parse = csv.ParseOptions(delimiter=delimiter_of(path), newlines_in_values=line_breaks)
    return {"convert_options": convert, "parse_options": parse}


def _read_arrow(path: Path) -> FrameTable:
    arrow, ipc = need("pyarrow", "io", "reading Arrow"), need("pyarrow.ipc", "io", "reading Arrow")
    with reading(path, "is not an Arrow file"), arrow.memory_map(str(path)) as source:
        table = ipc.open_file(source).read_all()
    check_unique_names(table.column_names)
    return _as_table(table)


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
