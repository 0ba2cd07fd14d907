"""A truth table as text for a terminal and as HTML for a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._text import aligned, figures, html_table

if TYPE_CHECKING:
    from paclearn.models.truth_table import Cell, TruthTable

__all__ = ["cells_to_show", "to_html", "to_text"]

MOST_CELLS = 32
_BAR = 12
_LONGEST = 40


def cells_to_show(table: TruthTable, most: int = MOST_CELLS) -> list[int]:
    """Numbers of the cells with rows, in order; the fullest ones where there are too many."""
    rows = table.cell_rows.ravel()
    fullest = np.argsort(-rows, kind="stable")[:most]
    shown = fullest[rows[fullest] > 0] if table.n_cells > most else np.arange(table.n_cells)
    return sorted(int(i) for i in shown)


def _header(table: TruthTable) -> list[str]:
    members = map(_plain, table.members)
    if table.classes is None:
        return [*members, "rows", "mean", ""]
    return [*members, "rows", "predict", "share", ""]


def _lines(table: TruthTable, most: int) -> list[list[str]]:
    cells = [table.cell(i) for i in cells_to_show(table, most)]
    if table.classes is not None:
        return [_class_line(table, cell) for cell in cells]
    low, high = table.seen_predictions.min(), table.seen_predictions.max()
    return [_mean_line(table, cell, (cell.prediction - low) / ((high - low) or 1)) for cell in cells]


def _class_line(table: TruthTable, cell: Cell) -> list[str]:
    share = "-" if cell.share is None else f"{100 * cell.share:.0f} %"
    return [*_start(cell), f"{_plain(cell.prediction)}{_star(table, cell)}", share, _bar(cell.share or 0)]


def _mean_line(table: TruthTable, cell: Cell, height: float) -> list[str]:
    return [*_start(cell), f"{figures(cell.prediction, 4)}{_star(table, cell)}", _bar(height)]


def _start(cell: Cell) -> list[str]:
    count = f"{cell.rows:,}" if isinstance(cell.rows, int) else f"{cell.rows:,.1f}"
    return [*map(_plain, cell.codes), count]


def _star(table: TruthTable, cell: Cell) -> str:
    return " *" if cell.depth < len(table.members) else ""


def _plain(text: Any) -> str:
    """A level on one line, whatever it holds, and not too long."""
    line = "".join(c if c.isprintable() else " " for c in str(text))
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


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
    text = aligned(lines, right={len(table.members)})  # the count
    rule = "─" * max(map(len, text))
    return "\n".join([text[0], rule, *text[1:], *_footnotes(table, len(lines) - 1)])


def to_html(table: TruthTable, heading: str = "", most: int = MOST_CELLS) -> str:
    """The same as an HTML table; everything that came from the data is escaped."""
    lines = _lines(table, most)
    notes = "".join(f"<p>{escape(note)}</p>" for note in _footnotes(table, len(lines)))
    title = f"<p><b>{escape(heading)}</b></p>" if heading else ""
    grid = html_table(_header(table), lines)
    return f"<div class='paclearn-table'>{title}{grid}{notes}</div>"
