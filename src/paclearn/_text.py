"""Plain text in columns, names, and numbers as people write them."""

from __future__ import annotations

from html import escape
from math import floor, isfinite, log10
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

__all__ = ["aligned", "figures", "html_table", "markdown_table", "percent", "shorten", "without_repeats"]

_LONGEST = 60
_SMALL, _LARGE = 1e-4, 1e15  # beyond which numbers are written with a power of ten


def aligned(lines: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """Cells padded to the width of their columns, some of which are flush right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A plain table; everything is escaped."""
    top = "".join(f"<th style='text-align:left'>{escape(cell)}</th>" for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td style='text-align:left'>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Cells that hold bars, line breaks or tags stay in their cells."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(_in_cell, line)) + " |" for line in lines)


def _in_cell(text: str) -> str:
    plain = " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|")
    return plain.replace("<", "&lt;").replace(">", "&gt;") if "<" in plain else plain


def without_repeats(names: Iterable[str], taken: Iterable[str] = ()) -> tuple[str, ...]:
    """The names, each followed by a number where it, or something else, has been called that before."""
    seen, result = set(taken), []
    for name in names:
        fresh, number = name, 1
        while fresh in seen:
            number += 1
            fresh = f"{name} ({number})"
        seen.add(fresh)
        result.append(fresh)
    return tuple(result)


def figures(value: float, most: int = 3, *, sign: bool = False) -> str:
    """A number to so many figures, as people write it: ``435,000`` and not ``4.35e+05``."""
    plus = "+" if sign else ""
    rounded = float(f"{value:.{most}g}")
    if not isfinite(value) or not _SMALL <= abs(rounded) < _LARGE:
        return f"{value:{plus}.{most}g}"
    places = max(0, most - 1 - floor(log10(abs(rounded))))
    text = f"{rounded:{plus},.{places}f}"
    return text.rstrip("0").rstrip(".") if places else text


def percent(share: float, digits: int = 1) -> str:
    """A share of all, in the one way that is used everywhere: ``93.3 %``."""
    return f"{100 * share:.{digits}f} %"


def shorten(text: Any, most: int = _LONGEST) -> str:
    """A name that may be of any length, in a line of text."""
    text = str(text)
    return text if len(text) <= most else f"{text[: most - 1]}…"
