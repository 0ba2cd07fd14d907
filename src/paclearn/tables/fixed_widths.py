"""Tables whose columns stand below each other, with nothing between them but blanks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["cells_at", "places_of"]

_DELIMITERS = frozenset(",;\t|")
_FEWEST_LINES, _FILLED = 5, 0.1  # of the lines that have something in a column

Places = list[tuple[int, int]]


def places_of(lines: Sequence[str]) -> Places | None:
    """Where the columns begin and end: at blanks that all lines share; None where the first line does not name them."""
    if len(lines) < _FEWEST_LINES or _DELIMITERS & set(lines[0]):
        return None
    width = max(map(len, lines))
    taken = [False] * width
    for line in lines:
        for i, sign in enumerate(line):
            taken[i] |= not sign.isspace()
    found = _named(lines[0], [i for i in range(width) if taken[i] and not (i and taken[i - 1])], width)
    below = [cells_at(line, found) for line in lines[1:]]
    filled = [sum(bool(row[i]) for row in below) for i in range(len(found))]
    return found if len(found) > 1 and min(filled) >= _FILLED * len(below) else None


def _named(header: str, begins: Sequence[int], width: int) -> Places:
    """A column without a name is the end of the one before it."""
    ends = [*begins[1:], width]
    starts = [a for a, b in zip(begins, ends, strict=True) if header[a:b].strip()]
    return list(zip(starts, [*starts[1:], width], strict=True))


def cells_at(line: str, places: Places) -> list[str]:
    """What a line has at some places."""
    *others, (last, _) = places
    return [*(line[a:b].strip() for a, b in others), line[last:].strip()]
