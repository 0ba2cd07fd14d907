"""Which rows of a table are its header: lines of an export above it, names in two rows, a row of units below."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from paclearn._text import without_repeats

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "is_number",
    "is_second_header",
    "joined_names",
    "looks_like_a_row",
    "looks_like_facts",
    "named",
    "renamed",
]

_NUMBER = re.compile(r"\s*[-+(]?[$€£]?\s?\d[\d.,' ]*[%)]?\s*")
_VALUE = re.compile(r"\s*[-+(<>]?[$€£]?\s?\d")
_BREAK = re.compile(r"\s*[\r\n]+\s*")
_MOST_FACTS = 3  # cells of a line above the header: a name, a value, perhaps a remark
_FEWEST_BELOW, _MOST_BELOW = 3, 200

Row = list[str]


def is_number(cell: str) -> bool:
    """Whether a cell reads as a number, however it is decorated."""
    return _NUMBER.fullmatch(cell) is not None


def _is_value(cell: str) -> bool:
    """Whether a cell begins as numbers and dates do."""
    return _VALUE.match(cell) is not None


def _filled(row: Sequence[str]) -> list[str]:
    return [cell for cell in row if cell.strip()]


def named(cells: Sequence[str]) -> list[str]:
    """Names in one line, without blanks around them; a column without a name is called by its place."""
    return [_BREAK.sub(" ", cell.strip()) or f"column {i}" for i, cell in enumerate(cells, 1)]


def renamed(names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of which none occurs twice, and the new ones."""
    found = tuple(without_repeats(names))
    return found, tuple(new for new, old in zip(found, names, strict=True) if new != old)


def looks_like_facts(row: Row, below: Sequence[Row]) -> bool:
    """Whether a row of few cells says something of the export, because a row of names for all columns comes later."""
    if len(_filled(row)) > min(_MOST_FACTS, len(row) // 2):
        return False
    return any(_names_all(names, values) for names, values in pairwise(below))


def _names_all(row: Row, below: Row) -> bool:
    """Every cell is another word, and what follows has values."""
    words = {cell.strip() for cell in row}
    return "" not in words and len(words) == len(row) and not any(map(_is_value, row)) and any(map(_is_value, below))


def looks_like_a_row(names: Row, below: Sequence[Row]) -> bool:
    """Whether what was taken for the header is a row like others, and there is none.

    Names that are numbers are 0, 1, 2, ... or years; a row has fractions or signs, and words that come again.
    """
    if all(name.strip().isdigit() for name in names):
        return False
    if 2 * sum(map(is_number, names)) > len(names):
        return True
    rest = [row for row in below[:_MOST_BELOW] if len(row) == len(names)]
    columns = [{row[i].strip() for row in rest} - {""} for i in range(len(names))]
    told = [(name.strip(), values) for name, values in zip(names, columns, strict=True) if values]
    as_number = any(is_number(name) and not name.isdigit() and all(map(is_number, values)) for name, values in told)
    again = sum(name in values for name, values in told)
    return again > 0 and (as_number or 2 * again > len(told))


def is_second_header(row: Row, below: Sequence[Row]) -> bool:
    """Whether the first row below the header says units or more names: all others have values where it has a word.

    It has no value itself, and none of its words occurs again in its column.
    """
    rest = [each for each in below[:_MOST_BELOW] if len(each) == len(row)]
    if len(rest) < _FEWEST_BELOW or len(_filled(row)) < 2 or any(map(_is_value, row)):
        return False
    columns = [[each[i].strip() for each in rest] for i in range(len(row))]
    said = [(cell.strip(), column) for cell, column in zip(row, columns, strict=True) if cell.strip()]
    if any(cell in column for cell, column in said):
        return False
    return any(all(map(_is_value, _filled(column))) and _filled(column) for _, column in said)


def joined_names(header: Row, second: Row) -> Row | None:
    """Names of two rows, of which the first spans several columns; None where it names each of them."""
    if not any(not above.strip() and below.strip() for above, below in zip(header, second, strict=True)):
        return None
    found, last = [], ""
    for above, below in zip(header, second, strict=True):
        last = above.strip() or last
        is_new = below.strip() not in ("", above.strip())
        found.append(f"{last} {below.strip()}".strip() if is_new else above.strip())
    return found
