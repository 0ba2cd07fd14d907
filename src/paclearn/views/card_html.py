"""A card of points for a notebook: its lines, what to do with them, what a total means. Everything is escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paclearn.views.scorecard import Scorecard

__all__ = ["card_html"]

_STYLE = """
.paclearn-card { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; align-items: flex-start; border: 1px solid #8885;
  border-radius: 6px; padding: .7rem 1rem; max-width: 62rem; box-sizing: border-box; }
.paclearn-card table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.paclearn-card th, .paclearn-card td { text-align: left; padding: .15rem .8rem .15rem 0; border-bottom: 1px solid #8883;
  overflow-wrap: anywhere; }
.paclearn-card .num { text-align: right; white-space: nowrap; padding-right: 0; }
.paclearn-card p { margin: .5rem 0 0; max-width: 34rem; }
"""


def card_html(card: Scorecard) -> str:
    """The card as a box of two tables: the lines, and what their total means."""
    lines = _table(["if true", "points"], [(name, f"{points:+d}") for name, points in card.lines()])
    said = f"<p><b>{escape(card.verdict())}</b></p><p>{escape(card.cost())}</p>"
    chances = card.chances_in_words()
    about = f"chance of {card.model.output_names[0]}"
    means = f"<div>{_table(['points', about], chances)}</div>" if chances else ""
    return f"<style>{_STYLE}</style><div class='paclearn-card'><div>{lines}{said}</div>{means}</div>"


def _table(head: Sequence[str], rows: Sequence[tuple[str, str]]) -> str:
    """Two columns, of which the second is flush right."""
    top = f"<tr><th>{escape(head[0])}</th><th class='num'>{escape(head[1])}</th></tr>"
    body = "".join(f"<tr><td>{escape(a)}</td><td class='num'>{escape(b)}</td></tr>" for a, b in rows)
    return f"<table><thead>{top}</thead><tbody>{body}</tbody></table>"
