"""Table files of all kinds, one or several that are one table. And writing, all or nothing."""

from __future__ import annotations

import os
import secrets
import stat
import warnings
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from paclearn._compat import need
from paclearn._parameters import hint
from paclearn.exceptions import InputError, ReadingWarning, TableFileError
from paclearn.tables.arrow_tables import ArrowTable, ParquetTable, mapped_arrow, reading, spooled, table_of_arrow
from paclearn.tables.blocks import Blocked, blocks_of
from paclearn.tables.csv_files import large_text, read_csv, read_large_csv
from paclearn.tables.databases import database_kind, read_database
from paclearn.tables.dialect import MISSING_WORDS, FileOptions, Reading
from paclearn.tables.folders import JoinedTable, files_at
from paclearn.tables.json_files import is_json, read_json
from paclearn.tables.named_folders import placed
from paclearn.tables.table import ColumnSubset, check_unique_names
from paclearn.tables.text_values import mended
from paclearn.tables.workbooks import is_workbook, read_workbook

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import narwhals as nw

    from paclearn.tables.table import Table

    Place = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

__all__ = [
    "check_readable",
    "check_writable",
    "is_arrow",
    "is_parquet",
    "open_table",
    "read_arrow_table",
    "read_file",
    "row_blocks",
    "split_target",
    "write_atomically",
    "writing",
]


def open_table(
    path: Place,
    missing: Sequence[str] = MISSING_WORDS,
    *,
    sheet: str | None = None,
    table: str | None = None,
    query: str | None = None,
    day_first: bool | None = None,
) -> Table:
    """Open a file, or several that are one table, as a table that every estimator takes as ``X``.

    Text files may have commas, semicolons, tabs or bars, decimal commas, currencies and percent signs, and be in UTF-8,
    UTF-16 or Windows' letters, plain or packed; what had to be guessed is said in a `ReadingWarning`.

    Parameters
    ----------
    path : str, path or list of them
        The file; or a folder, a pattern such as ``"sales/*.parquet"``, or a list, of files that are one table, row
        behind row. ``.parquet`` and ``.pq`` are read by columns and blocks of rows, ``.arrow`` and ``.feather`` are
        mapped; ``.xlsx`` and its kin are workbooks, ``.jsonl`` holds an object a line, SQLite and DuckDB files are
        known by how they begin; everything else is read as text with a header line.
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
    found, how = read_file(path, FileOptions(tuple(missing), sheet, table, query, day_first))
    if not how.is_plain:
        warnings.warn(f"{files_at(path)[0].name}: {how.line()}", ReadingWarning, stacklevel=2)
    return found


def read_file(place: Place, wanted: FileOptions) -> tuple[Table, Reading]:
    """A file, or several that are one table, and how they were read."""
    paths = files_at(place)
    table, how = _read_one(paths[0], wanted) if len(paths) == 1 else _joined(paths, wanted)
    check_unique_names(table.names)
    if table.n_rows == 0:
        raise TableFileError(f"{paths[0]} has a header ({len(table.names)} columns) but no rows")
    return table, how


def _joined(paths: Sequence[Path], wanted: FileOptions) -> tuple[JoinedTable, Reading]:
    """Text files are read one after the other, as the first of them was, and put aside as Arrow."""
    table, how = _read_one(paths[0], wanted)
    wanted = replace(wanted, formats=how.dialect.formats)
    others = (_read_one(path, wanted)[0] for path in paths[1:])
    parts = [_put_aside(one, path) for one, path in zip(chain([table], others), paths, strict=True)]
    return JoinedTable(placed(parts, paths), paths), how


def _put_aside(table: Table, path: Path) -> ArrowTable | ParquetTable:
    if isinstance(table, ArrowTable | ParquetTable):
        return table
    arrow = need("pyarrow", "io", "reading tables")
    columns = {name: table.column(i).to_native() for i, name in enumerate(table.names)}
    return spooled([arrow.table(columns)], path)


def _read_one(path: Path, wanted: FileOptions) -> tuple[Table, Reading]:
    check_readable(path)
    if is_parquet(path):
        return ParquetTable(path), Reading("Parquet")
    if is_arrow(path):
        return mapped_arrow(path), Reading("Arrow")
    if _is_plain_text(path) and path.stat().st_size > large_text():
        with reading(path):
            tables, how = read_large_csv(path, wanted)
            return spooled(tables, path), how
    arrow, how = read_arrow_table(path, wanted)
    check_unique_names(arrow.column_names)
    arrow, how = mended(arrow, how, _of_columns(wanted, arrow.column_names))
    return table_of_arrow(arrow), how


def _is_plain_text(path: Path) -> bool:
    return not (is_workbook(path) or is_json(path) or database_kind(path))


def _of_columns(wanted: FileOptions, names: Sequence[str]) -> FileOptions:
    """Words like ``fee=999`` are for one column, if there is one of that name."""
    found: dict[str, tuple[str, ...]] = {}
    for word in wanted.missing:
        name, is_there, value = word.rpartition("=")
        if is_there and name in names:
            found[name] = (*found.get(name, ()), value)
    return replace(wanted, missing_in=tuple(found.items()))


def read_arrow_table(path: Path, wanted: FileOptions) -> tuple[Any, Reading]:
    """All but Parquet and Arrow, as an Arrow table."""
    if is_workbook(path):
        return read_workbook(path, wanted)
    kind = database_kind(path)
    with reading(path):
        if kind is not None:
            return read_database(path, kind, wanted)
        if is_json(path):
            return read_json(path, wanted)
        return read_csv(path, wanted)


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


def row_blocks(table: Table, target: str, drop: Iterable[str] = ()) -> Iterator[tuple[ColumnSubset, nw.Series[Any]]]:
    """A table of files some rows at a time, in their order: the other columns, and the target column.

    For learners that take one block after another (``partial_fit``); a table that is in memory is one block.
    """
    blocks: Iterable[Table] = blocks_of(table) if isinstance(table, Blocked) else [table]
    for block in blocks:
        if block.n_rows:
            yield split_target(block, target, drop)


def check_writable(path: Path) -> Path:
    """Refuse, before any work is done, a file that could not be written after it."""
    path = _real(path)
    if not path.parent.is_dir():
        raise TableFileError(f"there is no folder {path.parent} to write {path.name} into")
    if path.is_dir():
        raise TableFileError(f"{path} is a folder; name a file in it")
    return path


def _real(path: Path) -> Path:
    """Where a file is to be written: a link stays a link."""
    try:
        path = Path(os.path.realpath(path))
    except FileNotFoundError:  # nothing but the folder that relative paths begin at
        raise TableFileError(f"the folder to write {path.name} into is gone; start in one that is there") from None
    if path.is_symlink():
        raise TableFileError(f"{path} is a link that leads back to itself; name another file")
    return path


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file whole or not at all: an interrupt leaves the old one as it was."""
    with writing(Path(path)) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """A file to write to that takes its place once all is written."""
    path = check_writable(path)
    beside = f".{path.name[:40]}."
    regular = not path.exists() or stat.S_ISREG(path.stat().st_mode)
    try:
        with _taking_its_place(path, beside) if regular else path.open("wb") as file:  # a pipe cannot be replaced
            yield file
    except OSError as error:
        if error.filename is None or Path(os.fsdecode(error.filename)).name.startswith(beside):
            error.filename = str(path)  # a full disk does not say whose it is
        raise


@contextmanager
def _taking_its_place(path: Path, beside: str) -> Iterator[BinaryIO]:
    """As open to others as the file was, and a new one as the system says (asking for its mask would change it for all
    threads).
    """
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
    begins_as = 0o666 if mode is None else mode
    scratch = path.with_name(beside + secrets.token_hex(4))
    try:
        with open(scratch, "xb", opener=lambda name, flags: os.open(name, flags, begins_as)) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            scratch.chmod(mode)
        scratch.replace(path)
    except BaseException:
        scratch.unlink(missing_ok=True)
        raise
