"""Tables and queries of SQLite and DuckDB files, opened for reading only."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from paclearn._compat import need
from paclearn._parameters import hint
from paclearn.exceptions import InputError, TableFileError
from paclearn.tables.dialect import Dialect, Reading
from paclearn.tables.json_files import plain_columns
from paclearn.tables.text_values import Hints, decide_all
from paclearn.tables.workbooks import as_arrow

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from paclearn.tables.dialect import FileOptions

__all__ = ["database_kind", "read_database"]

_SQLITE, _DUCKDB = b"SQLite format 3\0", b"DUCK"


def database_kind(path: Path) -> str | None:
    """``sqlite``, ``duckdb`` or None, by how the file begins."""
    with path.open("rb") as file:
        head = file.read(16)
    if head == _SQLITE:
        return "sqlite"
    return "duckdb" if head[8:12] == _DUCKDB else None


def read_database(path: Path, kind: str, wanted: FileOptions) -> tuple[Any, Reading]:
    """A query, a table by its name, or the only table there is."""
    if wanted.table is not None and wanted.query is not None:
        raise InputError("--table and --query: say which rows by one of them, not by both")
    read = _sqlite if kind == "sqlite" else _duckdb
    found, name = read(path, lambda names: _statement(path, names, wanted.table, wanted.query))
    found, notes = plain_columns(found)
    found, dialect = decide_all(found, Dialect(place=name, formats=wanted.formats), Hints(day_first=wanted.day_first))
    return found, Reading(f"table {name!r}" if name else "a query", dialect, notes)


def _statement(path: Path, names: Sequence[str], table: str | None, query: str | None) -> tuple[str, str]:
    """What to run, and the name of the table where it is one."""
    if query is not None:
        return query, ""
    if table is not None and table not in names:
        raise InputError(f"there is no table {table!r} in {path.name}{hint(table, names)}")
    if table is None and len(names) != 1:
        there = f"tables {', '.join(map(repr, names))}" if names else "no table"
        raise InputError(f"{path.name} has {there}; say which with --table or --query")
    name = table if table is not None else names[0]
    quoted = name.replace('"', '""')
    return f'SELECT * FROM "{quoted}"', name  # noqa: S608 - quoted


def _sqlite(path: Path, statement: Callable[[Sequence[str]], tuple[str, str]]) -> tuple[Any, str]:
    import sqlite3  # not everybody waits for it

    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as base:
            listed = base.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name")
            query, name = statement([row[0] for row in listed if not row[0].startswith("sqlite_")])
            cursor = base.execute(query)
            names = [column[0] for column in cursor.description or ()]
            rows = cursor.fetchall()
    except sqlite3.Error as error:
        raise TableFileError(f"{path}: {error}") from error
    columns = zip(*rows, strict=True) if rows else ([] for _ in names)
    arrow = need("pyarrow", "io", "reading tables")
    return arrow.Table.from_arrays([as_arrow(list(column)) for column in columns], names=names), name


def _duckdb(path: Path, statement: Callable[[Sequence[str]], tuple[str, str]]) -> tuple[Any, str]:
    duckdb = need("duckdb", "duckdb", "reading DuckDB files")
    try:
        with closing(duckdb.connect(str(path), read_only=True)) as base:
            listed = base.execute("SELECT table_name FROM information_schema.tables ORDER BY table_name").fetchall()
            query, name = statement([row[0] for row in listed])
            return base.sql(query).to_arrow_table(), name
    except duckdb.Error as error:
        raise TableFileError(f"{path}: {str(error).splitlines()[0]}") from error
