"""JSON as people have it: an object a line, a list of objects, or one object that holds the columns or the rows."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from paclearn._compat import need
from paclearn.exceptions import TableFileError
from paclearn.tables.dialect import Dialect, Reading
from paclearn.tables.letters import head_of, letters_of
from paclearn.tables.text_values import Hints, decide_all
from paclearn.tables.workbooks import as_arrow

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from paclearn.tables.dialect import FileOptions

__all__ = ["is_json", "plain_columns", "read_json"]


def is_json(path: Path) -> bool:
    """By its ending, packed or not."""
    endings = [ending.lower() for ending in path.suffixes[-2:]]
    return any(ending in {".json", ".jsonl", ".ndjson"} for ending in endings)


def read_json(path: Path, wanted: FileOptions) -> tuple[Any, Reading]:
    """A table, whose nested columns are named ``address.city``, and how it was read."""
    text = letters_of(path).text
    table, notes = plain_columns(_of_lines(text) if _has_lines(text) else _of_values(_parsed(text, path), path))
    table, dialect = decide_all(table, Dialect(formats=wanted.formats), Hints(day_first=wanted.day_first))
    return table, Reading("JSON", dialect, notes)


def plain_columns(table: Any) -> tuple[Any, tuple[str, ...]]:
    """An Arrow table without columns in columns, and what was left out, which is no single value a row."""
    arrow = need("pyarrow", "io", "reading tables")
    while any(arrow.types.is_struct(field.type) for field in table.schema):
        table = table.flatten()
    odd = [field for field in table.schema if _holds_no_value(field.type, arrow.types)]
    left_out = tuple(f"{field.name!r} left out: it holds {field.type}" for field in odd)
    return table.drop_columns([field.name for field in odd]), left_out


def _holds_no_value(kind: Any, types: Any) -> bool:
    is_binary = types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind)
    return bool(is_binary or types.is_nested(kind) or types.is_interval(kind))


# ---- an object a line ------------------------------------------------------------------------------------------------


def _has_lines(text: Any) -> bool:
    """Whether the first line that is not blank is a whole object, and there are others."""
    lines = [line for line in head_of(text, 2**20).splitlines() if line.strip()]
    if not lines or not lines[0].lstrip().startswith(b"{"):
        return False
    return len(lines) > 1 and lines[1].lstrip().startswith(b"{") and lines[0].rstrip().endswith(b"}")


def _of_lines(text: Any) -> Any:
    """By pyarrow; a column whose values are of several kinds by the standard library."""
    arrow, reader = need("pyarrow", "io", "reading JSON"), need("pyarrow.json", "io", "reading JSON")
    try:
        return reader.read_json(arrow.BufferReader(text))
    except arrow.ArrowInvalid as error:
        try:
            return _of_objects([json.loads(line) for line in text.to_pybytes().splitlines() if line.strip()])
        except ValueError:
            raise error from None


# ---- one value -------------------------------------------------------------------------------------------------------


def _parsed(text: Any, path: Path) -> Any:
    try:
        return json.loads(text.to_pybytes())
    except ValueError as error:
        raise TableFileError(f"{path} is not JSON: {str(error).splitlines()[0]}") from error


def _of_values(found: Any, path: Path) -> Any:
    """Rows or columns, whatever they are wrapped in."""
    if _are_objects(found):
        return _of_objects(found)
    if isinstance(found, dict):
        columns = _columns_in(found)
        if columns is not None:
            return _of_columns(columns)
        lists = [value for value in found.values() if _are_objects(value)]
        if len(lists) == 1:
            return _of_objects(lists[0])
        if not any(isinstance(value, list) for value in found.values()):
            return _of_objects([found])
    raise TableFileError(
        f"{path} is not a list of objects, nor an object that holds one, or columns of the same length; "
        "write an object a line (.jsonl)"
    )


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 0 and all(isinstance(each, dict) for each in value)


def _columns_in(found: dict[str, Any]) -> dict[str, list[Any]] | None:
    """Columns as lists, or by the names of rows; or names and rows: the ways in which data frames are written."""
    names, rows = found.get("columns"), found.get("data")
    if isinstance(names, list) and isinstance(rows, list) and all(len(row) == len(names) for row in rows):
        return {str(name): [row[i] for row in rows] for i, name in enumerate(names)}
    values = list(found.values())
    if len(values) < 2:
        return None
    if all(isinstance(value, list) and len(value) == len(values[0]) for value in values):
        return None if any(map(_are_objects, values)) else found
    if all(isinstance(value, dict) and value.keys() == values[0].keys() and len(value) > 1 for value in values):
        return {name: list(value.values()) for name, value in found.items()}
    return None


def _of_objects(rows: Sequence[dict[str, Any]]) -> Any:
    names = dict.fromkeys(name for row in rows for name in row)
    return _of_columns({name: [row.get(name) for row in rows] for name in names})


def _of_columns(columns: dict[str, list[Any]]) -> Any:
    return need("pyarrow", "io", "reading JSON").table({name: as_arrow(column) for name, column in columns.items()})
