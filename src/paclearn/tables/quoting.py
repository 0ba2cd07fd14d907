"""Text files whose cells are parted or quoted in other ways than pyarrow reads, written anew in the usual way.

Cells in single quotes, quotes in cells with a backslash before them (MySQL), blanks between a delimiter and a quote,
blanks that part cells (R), and columns of fixed widths.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from paclearn._compat import need
from paclearn.tables.fixed_widths import cells_at, places_of
from paclearn.tables.letters import head_of

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["in_usual_quotes"]

_HEAD = 2**17  # bytes that are looked at
_DELIMITERS = ",;\t|"
_NEARLY_ALL, _FEWEST_LINES = 0.98, 5


def in_usual_quotes(text: Any) -> tuple[Any, tuple[str, ...]]:
    """A text as pyarrow reads it, and what was found; most texts stay as they are."""
    head = head_of(text, _HEAD)
    lines = [line for line in head.decode("utf-8", "replace").splitlines() if line.strip()]
    if len(head) < text.size:
        lines = lines[:-1]
    found = _single_quotes(lines) or _backslashes(lines) or _blanks_before(lines) or _parted_by_blanks(lines)
    found = found or _in_fixed_widths(lines)
    if found is None:
        return text, ()
    what, how = found
    return _written_anew(text, how), (what,)


def _written_anew(text: Any, how: dict[str, Any]) -> Any:
    """By the standard library's reader and writer."""
    lines = io.StringIO(text.to_pybytes().decode("utf-8", "replace"), newline="")
    new = io.StringIO(newline="")
    delimiter = how.get("delimiter", " ")
    writer = csv.writer(new, delimiter="," if delimiter == " " else delimiter, lineterminator="\n")
    if "places" in how:
        writer.writerows(cells_at(line, how["places"]) for line in lines if line.strip())
    else:
        stripped = (line.strip() + "\n" for line in lines) if delimiter == " " else lines
        writer.writerows(csv.reader(stripped, **how))
    return need("pyarrow", "io", "reading CSV").py_buffer(new.getvalue().encode("utf-8"))


Found = tuple[str, dict[str, Any]]


def _single_quotes(lines: Sequence[str]) -> Found | None:
    """Every line begins and ends with one, and between delimiters there is one on either side."""
    for delimiter in _DELIMITERS:
        between = f"'{delimiter}'"
        if lines and all(line[:1] == "'" == line.rstrip()[-1:] and between in line for line in lines):
            return "cells in single quotes", {"delimiter": delimiter, "quotechar": "'"}
    return None


def _backslashes(lines: Sequence[str]) -> Found | None:
    """Some cell in quotes holds a backslash and a quote, and more of the cell."""
    for delimiter in _DELIMITERS:
        mark = re.escape(delimiter)
        cell = re.compile(rf'(?:^|{mark})"(?:[^"\\]|\\.)*\\"[^{mark}"][^"]*"')
        if any('\\"' in line and cell.search(line) for line in lines):
            how = {"delimiter": delimiter, "escapechar": "\\", "doublequote": True}
            return "backslashes before quotes in cells", how
    return None


def _blanks_before(lines: Sequence[str]) -> Found | None:
    """A blank between a delimiter and the quote of a cell, which ends before the next delimiter."""
    for delimiter in _DELIMITERS.replace("\t", ""):
        mark = re.escape(delimiter)
        cell = re.compile(rf'^(?:[^"]*{mark})? +"[^"]*"(?: *{mark}| *$)')
        if any(f"{delimiter} " in line and cell.match(line) for line in lines if '"' in line):
            return "blanks before quotes taken off", {"delimiter": delimiter, "skipinitialspace": True}
    return None


def _parted_by_blanks(lines: Sequence[str]) -> Found | None:
    """No other delimiter, and nearly all lines have as many words as the others."""
    others = sum(any(delimiter in line for delimiter in _DELIMITERS) for line in lines)
    if len(lines) < _FEWEST_LINES or others > (1 - _NEARLY_ALL) * len(lines):
        return None
    how: dict[str, Any] = {"delimiter": " ", "skipinitialspace": True}
    rows = csv.reader((line.strip() for line in lines), **how)
    widths = Counter(map(len, rows))
    width, most = widths.most_common(1)[0]
    if width < 2 or most + 1 < _NEARLY_ALL * len(lines):
        return None
    return "cells parted by blanks", how


def _in_fixed_widths(lines: Sequence[str]) -> Found | None:
    """Columns below each other, with blanks within cells perhaps."""
    places = places_of(lines)
    return None if places is None else ("columns of fixed widths", {"places": places})
