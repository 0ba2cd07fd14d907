"""Sheets of workbooks (Excel, OpenDocument), by python-calamine."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from paclearn._compat import need
from paclearn._parameters import hint
from paclearn.exceptions import InputError, TableFileError
from paclearn.tables.dialect import Dialect, Reading
from paclearn.tables.header_rows import is_second_header, joined_names, named, renamed
from paclearn.tables.raw import label_text
from paclearn.tables.text_layout import is_total, n_lines
from paclearn.tables.text_values import Hints, decide_all

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from paclearn.tables.dialect import FileOptions

__all__ = ["as_arrow", "is_workbook", "read_workbook"]

_ENDINGS = {".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"}
_MOST_FOOTERS, _LOOKED_AT = 20, 200


def is_workbook(path: Path) -> bool:
    """By its ending."""
    return path.suffix.lower() in _ENDINGS


def read_workbook(path: Path, wanted: FileOptions) -> tuple[Any, Reading]:
    """One sheet as an Arrow table: the one that is named, or the first that is not empty."""
    name, cells, others = _sheet(path, wanted.sheet)
    header, rows, notes = _laid_out(cells, path)
    none = {word.strip() for word in wanted.missing}
    columns = {n: as_arrow([_known(row[i], none) for row in rows]) for i, n in enumerate(header)}
    table = need("pyarrow", "io", "reading workbooks").table(columns)
    table, dialect = decide_all(table, Dialect(place=name, formats=wanted.formats), Hints(day_first=wanted.day_first))
    said = (f"other sheets: {', '.join(map(repr, others))} (--sheet reads one)",) if others else ()
    return table, Reading(f"sheet {name!r}", dialect, (*notes, *said))


def _complaint(path: Path, error: Exception) -> str:
    """What is wrong with a file that is no workbook; many a site calls a page of HTML a workbook."""
    with path.open("rb") as file:
        page = file.read(512).lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<")
    if page:
        return "is a page of HTML or XML, whatever its name says; open it and save it as .xlsx or .csv"
    return f"is not a workbook that can be read: {str(error).splitlines()[0]}"


def _sheet(path: Path, sheet: str | None) -> tuple[str, list[list[Any]], list[str]]:
    calamine = need("python_calamine", "io", "reading workbooks")
    try:
        book = calamine.CalamineWorkbook.from_path(str(path))
        names = list(book.sheet_names)
        if sheet is not None and sheet not in names:
            raise InputError(f"there is no sheet {sheet!r} in {path.name}{hint(sheet, names)}")
        found = {n: _cells(book.get_sheet_by_name(n)) for n in ([sheet] if sheet else names)}
    except (calamine.CalamineError, OSError) as error:
        raise TableFileError(f"{path} {_complaint(path, error)}") from error
    filled = [n for n, cells in found.items() if any(any(cell != "" for cell in row) for row in cells)]
    if not filled:
        raise TableFileError(f"{path} is empty")
    return filled[0], found[filled[0]], filled[1:]


def _cells(sheet: Any) -> list[list[Any]]:
    """Rows of a sheet; what cells that were merged downwards say is said in each of their rows."""
    rows: list[list[Any]] = sheet.to_python()
    above, before = sheet.start or (0, 0)
    for (top, left), (bottom, right) in sheet.merged_cell_ranges or ():
        merged = rows[max(0, top - above) : bottom - above + 1]
        for row in merged[1:] if left == right and top >= above and left >= before else ():
            row[left - before] = merged[0][left - before]
    return rows


def _laid_out(cells: list[list[Any]], path: Path) -> tuple[list[str], list[list[Any]], list[str]]:
    """Names, rows, and what was left out above and below."""
    rows = [row for row in cells if _filled(row)]
    most = max(map(_filled, rows))
    place = next(i for i, row in enumerate(rows) if 2 * _filled(row) > most)
    width = max(i + 1 for row in rows[place:] for i, cell in enumerate(row) if cell != "")
    if width < 2:
        raise TableFileError(f"{path} has one column only ({rows[place][0]!r}); a table has a header and columns")
    body, below = rows[place + 1 :], 0
    while below < min(_MOST_FOOTERS, len(body) - 1) and _is_footer(body[-1 - below]):
        below += 1
    notes = [f"{n_lines(place)} above the header left out ({_text(rows[0])!r})"] if place else []
    notes += [f"{n_lines(below)} below the last row left out ({_text(body[-below])!r})"] if below else []
    body = body[: len(body) - below]
    header = _words(rows[place], width)
    if body and is_second_header(_words(body[0], width), [_words(row, width) for row in body[1:_LOOKED_AT]]):
        joined = joined_names(header, _words(body[0], width))
        what = "left out" if joined is None else "taken for a part of it"
        notes.append(f"1 line below the header {what} ({_text(body[0])!r})")
        header, body = joined or header, body[1:]
    unique, new = renamed(named(header))
    notes += [f"columns of the same name are called {', '.join(map(repr, new[:4]))}"] if new else []
    return list(unique), body, notes


def _words(row: Sequence[Any], width: int) -> list[str]:
    return [label_text(cell) for cell in row[:width]] + [""] * (width - len(row))


def _filled(row: Sequence[Any]) -> int:
    return sum(cell != "" for cell in row)


def _text(row: Sequence[Any]) -> str:
    return " ".join(label_text(cell) for cell in row if cell != "")[:40]


def _is_footer(row: Sequence[Any]) -> bool:
    cells = [cell for cell in row if cell != ""]
    return is_total(label_text(cells[0])) or (len(cells) == 1 and len(row) > 2 and isinstance(cells[0], str))


def _known(cell: Any, missing: set[str]) -> Any:
    return None if cell == "" or (isinstance(cell, str) and cell.strip() in missing) else cell


def as_arrow(values: list[Any]) -> Any:
    """Python values as an Arrow column: one kind if all are of it, otherwise text."""
    arrow = need("pyarrow", "io", "reading tables")
    present = [value for value in values if value is not None]
    if any(isinstance(value, dt.datetime) for value in present) and all(isinstance(v, dt.date) for v in present):
        values = [_moment(value) for value in values]
    try:
        return arrow.chunked_array([arrow.array(values)])
    except (arrow.ArrowInvalid, arrow.ArrowTypeError):
        return arrow.chunked_array([arrow.array([None if v is None else label_text(v) for v in values])])


def _moment(value: Any) -> Any:
    is_day = isinstance(value, dt.date) and not isinstance(value, dt.datetime)
    return dt.datetime(value.year, value.month, value.day) if is_day else value  # noqa: DTZ001 - of no zone
