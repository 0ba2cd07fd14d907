"""A truth table as text for a terminal and as HTML for a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from paclearn.juntas.table import TruthTable

__all__ = ["cells_to_show", "to_html", "to_text"]

MOST_CELLS = 32
_BAR = 12


def cells_to_show(table: TruthTable, most: int = MOST_CELLS) -> list[int]:
    """Numbers of the cells with rows, in order; the fullest ones where there are too many."""
    rows = table.cell_rows.ravel()
    fullest = np.argsort(-rows, kind="stable")[:most]
    shown = fullest[rows[fullest] > 0] if table.n_cells > most else np.arange(table.n_cells)
    return sorted(int(i) for i in shown)


def _header(table: TruthTable) -> list[str]:
    if table.classes is None:
        return [*table.members, "rows", "mean", ""]
    return [*table.members, "rows", "predict", "share", ""]


def _lines(table: TruthTable, most: int) -> list[list[str]]:
    columns = table.rows()
    span = _span(columns["prediction"]) if table.classes is None else (0.0, 1.0)
    return [_line(table, columns, i, span) for i in cells_to_show(table, most)]


def _span(values: list[float]) -> tuple[float, float]:
    return min(values), max(values)


def _line(table: TruthTable, columns: dict[str, list[Any]], i: int, span: tuple[float, float]) -> list[str]:
    codes = [columns[name][i] for name in table.members]
    fallback = " *" if columns["members used"][i] < len(table.members) else ""
    rows = columns["rows"][i]
    count = f"{rows:,}" if isinstance(rows, int) else f"{rows:,.1f}"
    if table.classes is None:
        mean = columns["prediction"][i]
        return [*codes, count, f"{mean:.4g}{fallback}", _bar((mean - span[0]) / ((span[1] - span[0]) or 1))]
    label = columns["prediction"][i]
    share = columns[f"rows of {label}"][i] / rows if rows else 0.0
    return [*codes, count, f"{label}{fallback}", f"{100 * share:.0f} %" if rows else "-", _bar(share)]


def _bar(share: float) -> str:
    return "█" * round(_BAR * share)


def _footnotes(table: TruthTable, shown: int) -> list[str]:
    notes = []
    if shown < table.n_cells:
        notes.append(f"{shown} of {table.n_cells:,} cells shown, those with the most rows.")
    if (table.depth[tuple(slice(q) for q in table.sizes)] < len(table.members)).any():
        first = table.members[table.order[0]]
        notes.append(f"* no rows, or a tie: decided by the table without {first}, and so on.")
    return notes


def to_text(table: TruthTable, most: int = MOST_CELLS) -> str:
    """Aligned columns, one line a cell."""
    lines = [_header(table), *_lines(table, most)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    right = len(table.members)  # the count is aligned to the right
    text = [
        "  ".join(
            c.rjust(w) if i == right else c.ljust(w) for i, (c, w) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    rule = "─" * max(map(len, text))
    return "\n".join([text[0], rule, *text[1:], *_footnotes(table, len(lines) - 1)])


def to_html(table: TruthTable, heading: str = "", most: int = MOST_CELLS) -> str:
    """The same as an HTML table; everything that came from the data is escaped."""
    lines = _lines(table, most)
    head = "".join(f"<th style='text-align:left'>{escape(c)}</th>" for c in _header(table))
    body = "".join(
        "<tr>" + "".join(f"<td style='text-align:left'>{escape(c)}</td>" for c in line) + "</tr>" for line in lines
    )
    notes = "".join(f"<p>{escape(note)}</p>" for note in _footnotes(table, len(lines)))
    title = f"<p><b>{escape(heading)}</b></p>" if heading else ""
    grid = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div class='paclearn-table'>{title}{grid}{notes}</div>"
