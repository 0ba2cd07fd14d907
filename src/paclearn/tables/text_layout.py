"""Where the table lies in a text file: letters, delimiter, lines above the header, lines below the last row."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from paclearn.exceptions import TableFileError
from paclearn.tables.header_rows import (
    is_number,
    is_second_header,
    joined_names,
    looks_like_a_row,
    looks_like_facts,
    named,
    renamed,
)
from paclearn.tables.letters import head_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["Layout", "find_layout", "is_total", "n_lines"]

_HEAD, _TAIL = 2**17, 2**15  # bytes that are looked at
_DELIMITERS = (",", ";", "\t", "|")
_TOTAL = re.compile(
    r"\s*(grand\s+)?(totals?|sum|overall|summe|gesamt\w*|insgesamt|somme|totale|suma|summa|totaal)\b", re.IGNORECASE
)
_SUMMARY = re.compile(
    r"\s*(averages?|avg|mean|median|mittelwert|durchschnitt|moyenne|media|medel\w*|kontostand|(end)?saldo|"
    r"(closing|ending)\s+balance)\b",
    re.IGNORECASE,
)
_OF_EMPTY_ROWS = b'\r\n\t "'
_MOST_FOOTERS, _MOST_FACTS = 20, 30


@dataclass(frozen=True)
class Layout:
    """Bytes of a file that are the table, header first, and what lies around it."""

    delimiter: str
    start: int
    stop: int
    names: tuple[str, ...]
    header_end: int
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    line_breaks: bool = False  # in cells
    notes_of_header: tuple[str, ...] = ()
    notes_of_text: tuple[str, ...] = ()
    is_doubtful: bool = False  # the header looks like a row
    nameless: tuple[str, ...] = ()  # what columns are called that have no name

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out."""
        said = []
        if self.above:
            said.append(f"{n_lines(len(self.above))} above the header left out ({self.above[0][:40]!r})")
        if self.below:
            said.append(f"{n_lines(len(self.below))} below the last row left out ({self.below[0][:40]!r})")
        if self.is_doubtful:
            said.append(
                f"the first line was taken for the header ({', '.join(self.names[:4])}); add one if it is a row"
            )
        return (*self.notes_of_text, *said, *self.notes_of_header)


def n_lines(count: int) -> str:
    """So many of them, in words."""
    return f"{count} line{'s' * (count > 1)}"


def is_total(cell: str) -> bool:
    """Whether a cell says that its row is a sum."""
    return _TOTAL.match(cell) is not None


# ---- rows ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Line:
    """A row of cells, and the bytes that it takes."""

    cells: list[str]
    start: int
    stop: int
    text: str

    @property
    def filled(self) -> int:
        return sum(bool(cell.strip()) for cell in self.cells)


def find_layout(text: Any, path: Path, delimiter: str | None = None) -> Layout:
    """The layout of a text, by its first lines and its last ones."""
    head = head_of(text, _HEAD)
    if b"\0" in head:
        raise TableFileError(f"{path} is not a table: it holds binary data")
    whole = len(head) == text.size
    lines = _lines_of(head)
    lines = lines if whole or len(lines) < 2 else lines[:-1]
    candidates = {d: list(_rows(lines, d)) for d in ([delimiter] if delimiter else _DELIMITERS)}
    chosen = max(candidates, key=lambda d: _fit(candidates[d]))
    layout = _header_at(candidates[chosen], chosen, path)
    return _with_end(layout, text, sum(row.filled > 0 for row in candidates[chosen]))


def _lines_of(part: bytes) -> list[str]:
    """Lines with their ends; letters beyond ASCII end no line."""
    return list(io.StringIO(part.decode("utf-8", "replace"), newline=""))


def _rows(lines: list[str], delimiter: str) -> Iterator[_Line]:
    """Cells by the standard library's reader; a quote that is never closed makes one long last row."""
    reader = csv.reader(lines, delimiter=delimiter)
    ends = [0]
    for line in lines:
        ends.append(ends[-1] + len(line.encode("utf-8")))
    before = 0
    try:
        for cells in reader:
            taken = "".join(lines[before : reader.line_num])
            yield _Line(cells, ends[before], ends[reader.line_num], taken)
            before = reader.line_num
    except csv.Error:  # a cell of more than 128 kB
        return


def _width(rows: Sequence[_Line]) -> int:
    """The most frequent number of cells; of equals the largest."""
    counts = Counter(len(row.cells) for row in rows if row.filled)
    return max(counts, key=lambda width: (counts[width], width), default=0)


def _fit(rows: Sequence[_Line]) -> tuple[float, int, int]:
    """How well a delimiter explains the rows: from the header on many of one width, and few lines above it."""
    width, filled = _width(rows), [row for row in rows if row.filled]
    if width < 2:
        return (0.0, 0, 0)
    place = _place_of_header(filled, width)
    fitting = sum(len(row.cells) == width for row in filled[place:])
    return (round(fitting / (len(filled) - place), 2), -place, width)


def _place_of_header(filled: Sequence[_Line], width: int) -> int:
    """The first row of the usual width that names its columns; the first of all where none does."""
    return next((i for i in range(len(filled)) if _is_header(filled, i, width)), 0)


def _header_at(rows: Sequence[_Line], delimiter: str, path: Path) -> Layout:
    """The first row of the usual width that names its columns."""
    width = _width(rows)
    filled = [row for row in rows if row.filled]
    if not filled:
        raise TableFileError(f"{path} is empty")
    place = _place_of_header(filled, width)
    header, names = filled[place], filled[place].cells
    if place and _lacks_one(filled[place - 1], width):
        place -= 1
        names = [*filled[place].cells, ""] if not header.cells[-1].strip() else ["", *filled[place].cells]
        header = filled[place]
    breaks = any(row.text.rstrip("\r\n").count("\n") for row in rows[:-1])
    above = tuple(row.text.strip() for row in filled[:place])
    found = Layout(delimiter, header.start, rows[-1].stop, (), header.stop, above, (), breaks)
    return _with_names(found, names, filled[place + 1 :])


def _with_names(layout: Layout, names: list[str], below: Sequence[_Line]) -> Layout:
    """With what the header says, and a second row of it, if there is one."""
    second = below[0] if below and len(below[0].cells) == len(names) else None
    notes: tuple[str, ...] = ()
    if second is not None and is_second_header(second.cells, [row.cells for row in below[1:]]):
        joined = joined_names(names, second.cells)
        what = "left out" if joined is None else "taken for a part of it"
        notes = (f"1 line below the header {what} ({second.text.strip()[:40]!r})",)
        names, layout = joined or names, replace(layout, header_end=second.stop)
    doubtful = looks_like_a_row(names, [row.cells for row in below])
    unique, new = renamed(named(names))
    notes += (f"columns of the same name are called {', '.join(map(repr, new[:4]))}",) if new else ()
    nameless = tuple(new for new, old in zip(unique, names, strict=True) if not old.strip())
    return replace(layout, names=unique, notes_of_header=notes, is_doubtful=doubtful, nameless=nameless)


def _lacks_one(row: _Line, width: int) -> bool:
    """A header of one name less than rows have cells: these end with a delimiter, or begin with numbers of rows."""
    return len(row.cells) == row.filled == width - 1 and not any(map(is_number, row.cells))


def _is_header(rows: Sequence[_Line], place: int, width: int) -> bool:
    row = rows[place]
    if len(row.cells) != width or (row.filled < 2 and width > 1):
        return False
    if looks_like_facts(row.cells, [each.cells for each in rows[place + 1 : place + _MOST_FACTS] if each.filled]):
        return False
    is_comment = row.text.lstrip().startswith("#") and place + 1 < len(rows)
    return not (is_comment and not any(is_number(cell) for cell in rows[place + 1].cells))


def _with_end(layout: Layout, text: Any, n_rows: int) -> Layout:
    """Without blank lines, rows of empty cells, totals and remarks below the last row."""
    begin = max(layout.header_end, text.size - _TAIL)
    tail = text.slice(begin).to_pybytes()
    if begin > layout.header_end:  # from the next whole line on
        cut = tail.find(b"\n") + 1
        begin, tail = begin + cut, tail[cut:]
    rows = [row for row in _rows(_lines_of(tail), layout.delimiter) if row.filled]
    footers = _footers(rows, len(layout.names))
    footers = footers if n_rows > 1 + len(footers) else []
    end = footers[0].start if footers else len(tail)
    kept = rows[: len(rows) - len(footers)]
    if kept and not tail[kept[-1].stop : end].strip(_OF_EMPTY_ROWS + layout.delimiter.encode()):
        end = kept[-1].stop
    return replace(layout, stop=begin + end, below=tuple(row.text.strip() for row in footers))


def _footers(rows: Sequence[_Line], width: int) -> list[_Line]:
    found = list(reversed(rows[_gap(rows, width) :]))
    for row in reversed(rows[: len(rows) - len(found)]):
        if len(found) >= _MOST_FOOTERS or not _is_footer(row, width):
            break
        found.append(row)
    above = rows[: len(rows) - len(found)]
    if any(_begins_with_total(row) for row in above):  # it is a level like others
        found = [row for row in found if len(row.cells) < width]
    return found[::-1]


def _gap(rows: Sequence[_Line], width: int) -> int:
    """Where remarks begin that a blank line parts from the table: none of them has as many cells as a row."""
    found = len(rows)
    for i in range(len(rows) - 1, max(0, len(rows) - _MOST_FOOTERS), -1):
        if len(rows[i].cells) >= width:
            break
        found = i if rows[i].start > rows[i - 1].stop else found
    return found


def _begins_with_total(row: _Line) -> bool:
    first = next(cell for cell in row.cells if cell.strip())
    return is_total(first) or (_SUMMARY.match(first) is not None and row.filled < len(row.cells))


def _is_footer(row: _Line, width: int) -> bool:
    """A total, or a remark: fewer cells than there are columns, of which one says something."""
    if _begins_with_total(row):
        return True
    return len(row.cells) < width and row.filled == 1 and not any(map(is_number, row.cells))
