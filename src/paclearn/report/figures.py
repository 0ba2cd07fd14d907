"""Pictures as SVG text: no scripts, colours from the page, names escaped and cut to a length that fits."""

from __future__ import annotations

from itertools import combinations
from math import cos, pi, sin
from typing import TYPE_CHECKING, Any

from paclearn._text import figures
from paclearn.inspection.graph_layout import graph_places
from paclearn.report.sentences import shorten
from paclearn.views.svg_parts import circle as _circle
from paclearn.views.svg_parts import line as _line
from paclearn.views.svg_parts import rect as _rect
from paclearn.views.svg_parts import svg as _svg
from paclearn.views.svg_parts import text as _text
from paclearn.views.svg_parts import title as _title

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["bar", "graph", "heat_map", "heights", "interval", "network", "reliability", "weight"]

_LONGEST_NAME = 22
_MOST_COLUMNS = 16  # of a heat map


# ---- in the cells of tables ----


def bar(share: float | None) -> str:
    """A share as a bar."""
    share = min(max(share or 0.0, 0.0), 1.0)
    return _svg(
        100, 12, f"{100 * share:.0f} %", _rect(0, 0, 100, 12, "track"), _rect(0, 0, 100 * share, 12, "bar"), css="cell"
    )


def heights(shares: Sequence[float], name: str) -> str:
    """Shares of the largest as bars that stand side by side."""
    width = 100 / max(10, len(shares))
    bars = (_rect(i * width, 20 * (1 - h), width - 1, 20 * h, "bar") for i, h in enumerate(shares) if h)
    return _svg(100, 20, f"how the values of {shorten(name)} are spread", *bars, css="cell")


def interval(value: float, low: float, high: float) -> str:
    """A share as a bar, its interval as a line."""
    value, low, high = (min(max(v or 0.0, 0.0), 1.0) for v in (value, low, high))
    label = f"{100 * value:.1f} %, from {100 * low:.1f} to {100 * high:.1f}"
    parts = (
        _rect(0, 0, 100, 12, "track"),
        _rect(0, 0, 100 * value, 12, "bar"),
        _rect(100 * low, 5, 100 * (high - low) or 0.5, 2, "mark"),
    )
    return _svg(100, 12, label, *parts, css="cell")


def weight(value: float, error: float | None, largest: float) -> str:
    """A weight as a bar from the middle, two standard errors each way as a line."""
    scale = 48 / (largest or 1.0)
    end, around = 50 + scale * value, scale * 2 * (error or 0.0)
    parts = [_rect(0, 0, 100, 12, "track"), _rect(min(50, end), 1, abs(end - 50), 10, "more" if value > 0 else "less")]
    if error:
        parts.append(_rect(max(end - around, 0), 5.5, min(2 * around, 100 - max(end - around, 0)), 1, "node"))
    return _svg(100, 12, f"{figures(value, sign=True)} ± {figures(2 * (error or 0), 2)}", *parts, css="cell")


# ---- how probabilities come true ----


def reliability(calibration: dict[str, Any], *, classify: bool) -> str:
    """What was said against what came, one dot a bin, with 95 % intervals."""
    bins = calibration["bins"]
    low, high = (0.0, 1.0) if classify else _limits([v for b in bins for v in (b["said"], b["low"], b["high"])])
    left, top, side = 52.0, 10.0, 250.0

    def at(value: float) -> float:
        return side * (min(max(value, low), high) - low) / (high - low)

    ticks = [low + (high - low) * k / 4 for k in range(5)]

    def show(value: float) -> str:
        return f"{100 * value:.0f} %" if classify else figures(value)

    parts = [_rect(left, top, side, side, "empty")]
    for t in ticks:
        parts += [
            _line(left + at(t), top, left + at(t), top + side, "guide"),
            _line(left, top + side - at(t), left + side, top + side - at(t), "guide"),
            _text(left + at(t), top + side + 16, show(t), anchor="middle", css="soft"),
            _text(left - 6, top + side - at(t) + 4, show(t), anchor="end", css="soft"),
        ]
    parts.append(_line(left, top + side, left + side, top, "axis"))
    most = max(b["rows"] for b in bins)
    for b in bins:
        x = left + at(b["said"])
        label = f"said {show(b['said'])}, came {show(b['seen'])}, {b['rows']:,} rows"
        parts.append(_line(x, top + side - at(b["low"]), x, top + side - at(b["high"]), "line"))
        radius = 3 + 5 * (b["rows"] / most) ** 0.5
        parts.append(_circle(x, top + side - at(b["seen"]), radius, "mark", _title(label)))
    parts.append(_text(left + side / 2, top + side + 36, "said by the model", anchor="middle", css="soft"))
    return _svg(left + side + 34, top + side + 44, "What the model said against what came", *parts)


def _limits(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


# ---- which combinations matter ----


def _columns_of(links: Sequence[dict[str, Any]]) -> list[str]:
    """Columns that take part, the busiest first."""
    busy: dict[str, float] = {}
    for link in links:
        for name in link["members"]:
            busy[name] = busy.get(name, 0.0) + abs(link["strength"])
    return sorted(busy, key=lambda name: (-busy[name], name))


def network(links: Sequence[dict[str, Any]], strengths: dict[str, float]) -> str:
    """Columns on a circle, joined where they do more (or less) together; larger dots are clearer alone."""
    names = _columns_of(links)
    radius = 120.0
    middle = radius + 24 + 7 * min(max(map(len, names)), _LONGEST_NAME)  # room for the longest name
    angle = {name: pi / 2 - 2 * pi * i / len(names) for i, name in enumerate(names)}
    place = {name: (middle + radius * cos(a), middle - radius * sin(a)) for name, a in angle.items()}
    largest = max(abs(link["strength"]) for link in links) or 1.0
    parts = []
    for link in reversed(links):
        css = "more-line" if link["strength"] > 0 else "less-line"
        title = _title(f"{' × '.join(shorten(m) for m in link['members'])}: {link['strength']:+.1f} standard errors")
        for a, b in combinations(link["members"], 2):
            parts.append(_line(*place[a], *place[b], css, 0.8 + 5 * abs(link["strength"]) / largest, title))
    clearest = max(map(abs, strengths.values()), default=1.0) or 1.0
    for name, (x, y) in place.items():
        size = 3 + 6 * (abs(strengths.get(name, 0.0)) / clearest) ** 0.5
        parts.append(_circle(x, y, size, "node"))
        parts.append(_beside(name, x, y, angle[name]))
    return _svg(2 * middle, 2 * middle, f"Network of {len(names)} columns and {len(links)} combinations", *parts)


def _beside(name: str, x: float, y: float, angle: float) -> str:
    """Names point outwards, so that none is in another's way."""
    across, up = cos(angle), sin(angle)
    turn = -angle * 180 / pi
    right = across >= -1e-9
    x, y = x + 13 * across, y - 13 * up
    return _text(
        x, y, shorten(name, _LONGEST_NAME), anchor="start" if right else "end", turn=turn if right else turn + 180
    )


def heat_map(links: Sequence[dict[str, Any]]) -> str:
    """Pairs of columns as a matrix, stronger colours the clearer they are."""
    names = _columns_of(links)[:_MOST_COLUMNS]
    side = 22.0
    left, top = 150.0, 110.0
    largest = max(abs(link["strength"]) for link in links) or 1.0
    clearest: dict[frozenset[str], float] = {}
    for link in links:
        for pair in combinations(link["members"], 2):
            clearest.setdefault(frozenset(pair), link["strength"])
    parts = []
    for i, a in enumerate(names):
        parts.append(_text(left - 6, top + side * i + 15, shorten(a, _LONGEST_NAME), anchor="end"))
        parts.append(_text(left + side * i + 14, top - 6, shorten(a, 16), turn=-50))
        for j, b in enumerate(names):
            parts.append(_heat_cell(left + side * j, top + side * i, clearest.get(frozenset((a, b))), largest, (a, b)))
    return _svg(left + side * len(names) + 70, top + side * len(names) + 6, "Heat map of pairs of columns", *parts)


def _heat_cell(x: float, y: float, strength: float | None, largest: float, pair: tuple[str, str]) -> str:
    if strength is None or pair[0] == pair[1]:
        return _rect(x, y, 20, 20, "empty")
    title = _title(f"{shorten(pair[0])} × {shorten(pair[1])}: {strength:+.1f} standard errors")
    css = "more" if strength > 0 else "less"
    opacity = 0.2 + 0.8 * abs(strength) / largest
    place = f'x="{x:.1f}" y="{y:.1f}" width="20" height="20"'
    return f'<rect {place} class="{css}" fill-opacity="{opacity:.2f}">{title}</rect>'


# ---- a regression graph ----

_ACROSS, _DOWN, _BOX = 156.0, 74.0, 144.0


def graph(facts: dict[str, Any], *, classify: bool) -> str:
    """Questions in layers, a yes to the left in blue and a no in red; leaves below, from low to high."""
    places = graph_places(facts["children"], facts["edge_rows"], len(facts["values"]))
    left = places[:, 0].min()
    at = [((x - left) * _ACROSS + _BOX / 2 + 6, -y * _DOWN + 26) for x, y in places]
    parts = _graph_edges(facts, at)
    for node, question in enumerate(facts["questions"]):
        x, y = at[node]
        parts.append(_rect(x - _BOX / 2, y - 15, _BOX, 30, "box", _title(shorten(question, 200))))
        parts.append(_text(x, y + 4, f"{node + 1}. {shorten(question, 20)}", anchor="middle"))
    for leaf in range(len(facts["questions"]), len(at)):
        parts += _leaf(facts["values"][leaf], facts["rows"][leaf], *at[leaf], classify=classify)
    width, height = max(x for x, _ in at) + _BOX / 2 + 6, max(y for _, y in at) + 34
    label = f"Graph of {len(facts['questions'])} questions and {facts['n_leaves']} leaves"
    return _svg(width, height, label, *parts)


def _graph_edges(facts: dict[str, Any], at: Sequence[tuple[float, float]]) -> list[str]:
    parts = []
    for node, (sides, rows) in enumerate(zip(facts["children"], facts["edge_rows"], strict=True)):
        for answer, (side, n) in enumerate(zip(sides, rows, strict=True)):
            said = "no" if answer else "yes"
            css = "less-line" if answer else "more-line"
            width = 1 + 9 * n / (facts["rows"][0] or 1)
            title = _title(f"{shorten(facts['questions'][node], 120)}: {said}, {n:,.0f} rows")
            (x1, y1), (x2, y2) = at[node], at[side]
            parts.append(_line(x1, y1, x2, y2, css, width, title))
            x, y = 0.72 * x1 + 0.28 * x2, 0.72 * y1 + 0.28 * y2
            parts.append(_text(x + (5 if answer else -5), y + 4, said, anchor="start" if answer else "end", css="soft"))
    return parts


def _leaf(value: float, rows: float, x: float, y: float, *, classify: bool) -> list[str]:
    shown = f"{100 * value:.0f} %" if classify else figures(value, 4)
    return [
        _rect(x - 40, y - 16, 80, 40, "box"),
        _text(x, y, shown, anchor="middle"),
        _text(x, y + 16, f"{rows:,.0f} rows", anchor="middle", css="soft"),
    ]
