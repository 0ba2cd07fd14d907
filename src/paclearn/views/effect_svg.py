"""Pictures of effects as SVG: steps over a histogram of the rows, bars, maps; a mark for where a row stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paclearn._text import figures, shorten
from paclearn.inspection.effect_plots import are_uneven
from paclearn.views.score_words import short_percent
from paclearn.views.svg_parts import circle, line, rect, svg, text, title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.views.effect_pictures import BarFacts, EffectFacts

__all__ = ["effect_picture"]

_WIDTH = 300.0
_LEFT, _RIGHT = 40.0, 292.0  # of steps
_TOP, _FLOOR, _BASE = 8.0, 112.0, 140.0  # of steps; below the floor is the histogram
_ROW = 21.0
_THINNEST = 0.01  # steps between numbers next to each other
_NAMES = 122.0  # room for the names of bars
_MOST_CLASSES = 6
_LONGEST_ABOVE, _ROOM = 12, 27  # letters of a name above a map, and of all of them side by side
_LONGEST_BELOW = 10  # of a number or a date below steps
_LONGEST_BESIDE = 15  # of a name beside a bar or a map
_MOST_NUMBERS = 36  # cells of a map that still have their numbers written in them


def effect_picture(effect: EffectFacts, outputs: Sequence[str]) -> str:
    """The picture of an effect on one score, or on several: the classes side by side, or a curve each."""
    label = " × ".join(shorten(name, 40) for name in effect["columns"])
    if effect["kind"] == "steps":
        return _steps(effect, outputs, f"Steps of {label}")
    if effect["kind"] == "map":
        return _map(effect, f"Map of {label}")
    if len(outputs) > 1:
        return _classes(effect, outputs, f"Levels of {label} by class")
    return _bars(effect, f"Bars of {label}")


def _spot(cells: Sequence[int], inner: str) -> str:
    """What shows where the row of the panel stands."""
    return f'<g class="spot" data-cells="{" ".join(map(str, cells))}">{inner}</g>'


def _told(bar: BarFacts, output: int) -> str:
    value, rows = bar["values"][output], "" if bar["rows"] is None else f", {bar['rows']:,.0f} rows"
    if bar["percent"]:
        ends = "" if bar["errors"] is None else _between(value, 2 * bar["errors"][output])
        return f"{short_percent(value)}{ends}{rows}"
    error = "" if bar["errors"] is None else f" ± {figures(2 * bar['errors'][output], 2)}"
    return f"{figures(value, sign=True)}{error}{rows}"


def _between(value: float, error: float) -> str:
    return f" ({short_percent(value - error)} to {short_percent(value + error)})"


# ---- steps ----


def _steps(effect: EffectFacts, outputs: Sequence[str], label: str) -> str:
    n_steps = effect["n_steps"]
    steps, others = effect["bars"][:n_steps], effect["bars"][n_steps:]
    ends, best = _ends(effect["edges"], n_steps), effect["output"]
    values = np.array([bar["values"] for bar in effect["bars"]])
    errors = np.array([[0.0] * values.shape[1] if bar["errors"] is None else bar["errors"] for bar in effect["bars"]])
    low, high = _limits(values, values[:, best] - 2 * errors[:, best], values[:, best] + 2 * errors[:, best])

    def up(value: float) -> float:
        return _FLOOR - (_FLOOR - _TOP) * (min(max(value, low), high) - low) / (high - low)

    parts = [*_histogram(steps, ends), line(_LEFT, up(0.0), _RIGHT, up(0.0), "axis")]
    parts += [text(_LEFT - 4, up(v) + 4, _short_number(v, steps[0]), anchor="end", css="soft") for v in (low, high)]
    parts += (
        []
        if abs(up(0.0) - _FLOOR) < 12 or abs(up(0.0) - _TOP) < 12
        else [text(_LEFT - 4, up(0.0) + 4, "0", anchor="end", css="soft")]
    )
    curve, around = values[:n_steps, best], 2 * errors[:n_steps, best]
    parts.append(_area([up(v) for v in curve - around], [up(v) for v in curve + around], ends))
    for k in range(values.shape[1]):
        if k != best:
            parts.append(_curve([up(v) for v in values[:n_steps, k]], ends, "other-step", outputs[k]))
    parts.append(_curve([up(v) for v in curve], ends, "step", outputs[best]))
    for i, bar in enumerate(steps):
        middle = (ends[i] + ends[i + 1]) / 2
        words = title(f"{bar['label']}: {_told(bar, best)}")
        parts.append(rect(ends[i], _TOP, ends[i + 1] - ends[i], _BASE - _TOP, "touch", words))
        parts.append(_spot(bar["cells"], circle(middle, up(bar["values"][best]), 5, "here-mark")))
    for bar in others:
        parts += [
            line(_LEFT, up(bar["values"][best]), _RIGHT, up(bar["values"][best]), "dash"),
            text(_RIGHT, up(bar["values"][best]) - 3, shorten(bar["label"], 20), anchor="end", css="soft"),
            _spot(bar["cells"], circle(_RIGHT, up(bar["values"][best]), 5, "here-mark")),
        ]
    parts += _ticks(effect, ends, n_steps)
    return svg(_WIDTH, _BASE + 20, label, *parts, css="effect")


def _limits(values: NDArray[np.float64], lows: NDArray[np.float64], highs: NDArray[np.float64]) -> tuple[float, float]:
    """Room for all values and for the bands of most; a band that goes far out is cut off."""
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    reach = (high - low) or 1.0
    bottom, top = max(float(lows.min()), low - 0.35 * reach), min(float(highs.max()), high + 0.35 * reach)
    return (bottom, top) if bottom < top else (bottom - 0.5, top + 0.5)  # nothing but nought


def _ends(edges: Sequence[float] | None, n_steps: int) -> NDArray[np.float64]:
    """Where steps begin and end: at their numbers, or even where most of these are crowded in a corner."""
    if edges is None or are_uneven(edges) or len(edges) == 1:
        places = np.arange(n_steps + 1, dtype=float)
    else:
        margin = 0.08 * (edges[-1] - edges[0])
        places = np.array([edges[0] - margin, *edges, edges[-1] + margin])
    return _LEFT + (_RIGHT - _LEFT) * ((places - places[0]) / (places[-1] - places[0]))


def _histogram(steps: Sequence[BarFacts], ends: NDArray[np.float64]) -> list[str]:
    density = np.array([bar["rows"] or 0.0 for bar in steps]) / np.maximum(np.diff(ends), _THINNEST)
    heights = (_BASE - _FLOOR - 4) * density / max(float(density.max()), 1e-300)
    return [
        rect(ends[i], _BASE - height, ends[i + 1] - ends[i], height, "rows")
        for i, height in enumerate(heights.tolist())
        if height > 0
    ]


def _curve(heights: Sequence[float], ends: NDArray[np.float64], css: str, about: str) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for i, y in enumerate(heights) for x in (ends[i], ends[i + 1]))
    return f'<polyline points="{path}" class="{css}">{title(shorten(about))}</polyline>'


def _area(lows: Sequence[float], highs: Sequence[float], ends: NDArray[np.float64]) -> str:
    there = [f"{x:.1f},{y:.1f}" for i, y in enumerate(highs) for x in (ends[i], ends[i + 1])]
    back = [f"{x:.1f},{y:.1f}" for i, y in enumerate(lows) for x in (ends[i], ends[i + 1])][::-1]
    return f'<polygon points="{" ".join([*there, *back])}" class="band"/>'


def _ticks(effect: EffectFacts, ends: NDArray[np.float64], n_steps: int) -> list[str]:
    """A few numbers below, as far apart as they need."""
    edges = effect["edges"]
    places = ends[1:-1] if edges is not None else (ends[:-1] + ends[1:]) / 2
    names = effect["edge_names"] if edges is not None else [b["label"] for b in effect["bars"][:n_steps]]
    parts, last = [], -1e9
    for x, name in zip(places.tolist(), names, strict=True):
        half = 3.2 * min(len(name), _LONGEST_BELOW)
        if x - half > last and x + half < _WIDTH:
            parts.append(text(x, _BASE + 14, shorten(name, _LONGEST_BELOW), anchor="middle", css="soft"))
            last = x + half + 6
    return parts


# ---- bars ----


def _bars(effect: EffectFacts, label: str) -> str:
    bars, k = effect["bars"], effect["output"]
    values = np.array([bar["values"][k] for bar in bars])
    errors = np.array([0.0 if bar["errors"] is None else bar["errors"][k] for bar in bars])
    low, high = _limits(values, values - 2 * errors, values + 2 * errors) if bars else (0.0, 1.0)
    low, high = min(low, 0.0), max(high, 0.0)
    scale = (_RIGHT - _NAMES - 32) / ((high - low) or 1.0)
    nought = _NAMES - low * scale
    parts = [line(nought, 2, nought, _ROW * len(bars) + 2, "axis")]
    for i, bar in enumerate(bars):
        parts += _one_bar(bar, k, 2 + _ROW * i, nought, scale)
    return svg(_WIDTH, _ROW * len(bars) + 6, label, *parts, css="effect")


def _one_bar(bar: BarFacts, k: int, top: float, nought: float, scale: float) -> list[str]:
    value, css = bar["values"][k], "more" if bar["values"][k] > 0 else "less"
    start, width = nought + min(value, 0.0) * scale, abs(value) * scale
    words = title(f"{bar['label']}: {_told(bar, k)}")
    parts = [
        text(_NAMES - 6, top + 14, shorten(bar["label"], _LONGEST_BESIDE), anchor="end"),
        rect(start, top + 3, width, _ROW - 7, css, words),
        text(_WIDTH - 2, top + 14, _short_number(value, bar), anchor="end", css="soft"),
    ]
    if bar["errors"] is not None:
        left = max(nought + (value - 2 * bar["errors"][k]) * scale, _NAMES)
        right = min(nought + (value + 2 * bar["errors"][k]) * scale, _RIGHT - 32)
        parts.append(line(left, top + _ROW / 2 - 0.5, max(right, left), top + _ROW / 2 - 0.5, "whisker"))
    return [*parts, _spot(bar["cells"], rect(1, top, _WIDTH - 2, _ROW - 1, "here-box"))]


def _short_number(value: float, bar: BarFacts) -> str:
    """Two places after the point, or as many figures as a large number has; factors in percent."""
    if bar["percent"]:
        return short_percent(value)
    return f"{round(value, 2) + 0.0:+.2f}" if abs(value) < 100 else figures(value, sign=True)


# ---- maps ----


def _map(effect: EffectFacts, label: str) -> str:
    down, across = effect["labels"]
    k = effect["output"]
    table = [[effect["bars"][i * len(across) + j] for j in range(len(across))] for i in range(len(down))]
    largest = max(abs(bar["values"][k]) for bar in effect["bars"]) or 1.0
    cells = [
        [_cell(bar, k, largest, f"{down[i]}, {across[j]}") for j, bar in enumerate(row)] for i, row in enumerate(table)
    ]
    spots = [[bar["cells"] for bar in row] for row in table]
    return _grid(down, across, cells, spots, label)


def _classes(effect: EffectFacts, outputs: Sequence[str], label: str) -> str:
    """Levels down, the classes that the effect matters most for across."""
    values = np.array([bar["values"] for bar in effect["bars"]])
    weights = np.sqrt([max(bar["rows"] or 0.0, 1e-9) for bar in effect["bars"]])
    shown = np.sort(
        np.argsort(-(np.abs(values) * weights[:, None]).max(axis=0), kind="stable")[:_MOST_CLASSES]
    ).tolist()
    largest = float(np.abs(values).max()) or 1.0
    cells = [[_cell(bar, k, largest, f"{bar['label']}, {outputs[k]}") for k in shown] for bar in effect["bars"]]
    spots = [[bar["cells"] for _ in shown] for bar in effect["bars"]]
    return _grid([bar["label"] for bar in effect["bars"]], [outputs[k] for k in shown], cells, spots, label)


Cell = tuple[float, str, float, bool, str]  # value, it in short, strength, whether no rows are there, words


def _cell(bar: BarFacts, k: int, largest: float, words: str) -> Cell:
    value = bar["values"][k]
    short = f"{value:+.1f}" if abs(value) < 100 else figures(value, 2, sign=True)
    short = short_percent(value) if bar["percent"] else short
    return value, short, abs(value) / largest, bar["rows"] == 0, f"{words}: {_told(bar, k)}"


def _grid(
    down: Sequence[str],
    across: Sequence[str],
    cells: Sequence[Sequence[Cell]],
    spots: Sequence[Sequence[Sequence[int]]],
    label: str,
) -> str:
    short = [shorten(name, _LONGEST_ABOVE) for name in across]
    turned = len(across) > 2 and any(len(name) > _ROOM / len(across) for name in short)
    wide = (_WIDTH - _NAMES - (30 if turned else 4)) / max(len(across), 1)
    head = 20.0 if not turned else 16.0 + 4.4 * max(map(len, short))
    parts = []
    for j, name in enumerate(across):
        middle = _NAMES + wide * (j + 0.5)
        if turned:
            parts.append(text(middle, head - 5, short[j], turn=-40))
        else:
            parts.append(text(middle, 14, shorten(name, max(int(wide / 6.5), 4)), anchor="middle"))
    numbers = len(down) * len(across) <= _MOST_NUMBERS and wide >= 26
    for i, name in enumerate(down):
        top = head + _ROW * i
        parts.append(text(_NAMES - 6, top + 14, shorten(name, _LONGEST_BESIDE), anchor="end"))
        for j, cell in enumerate(cells[i]):
            parts += _square(_NAMES + wide * j, top, wide, cell, spots[i][j], numbers=numbers)
    return svg(_WIDTH, head + _ROW * len(down) + 4, label, *parts, css="effect")


def _square(x: float, y: float, wide: float, cell: Cell, spot: Sequence[int], *, numbers: bool) -> list[str]:
    value, short, strength, empty, words = cell
    css = "more" if value > 0 else "less"
    place = f'x="{x:.1f}" y="{y:.1f}" width="{wide - 1.5:.1f}" height="{_ROW - 1.5:.1f}"'
    parts = [f'<rect {place} class="{css}" fill-opacity="{0.03 + 0.5 * strength:.2f}">{title(words)}</rect>']
    if empty:
        parts.append(f'<rect {place} class="no-rows" fill="url(#no-rows)">{title(f"{words}; no row is here")}</rect>')
    if numbers and not empty:
        parts.append(text(x + wide / 2, y + 14, short, anchor="middle", css="soft"))
    return [*parts, _spot(spot, rect(x + 0.5, y + 0.5, wide - 2.5, _ROW - 2.5, "here-box"))]
