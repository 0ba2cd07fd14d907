"""Effects as plain data for pictures: what to draw, where every code stands in it, and a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypedDict

import numpy as np

from paclearn._text import shorten
from paclearn.encoding.domain import BinColumn
from paclearn.views.effect_pieces import number_order, per_code, pieces_of
from paclearn.views.effect_sentences import condition_in_words, effect_sentence
from paclearn.views.score_words import is_in_percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.models.effects import Effect
    from paclearn.models.model import Model
    from paclearn.views.effect_pieces import Piece

__all__ = ["BarFacts", "EffectFacts", "effect_facts"]

_TOLERANCE = 1 / 40  # what the eye does not tell apart
_MOST_BARS = 9
_MOST_GROUPS = 12  # of a map
_LONGEST = 60


class BarFacts(TypedDict):
    """Some cells that add about the same."""

    label: str
    cells: list[int]  # their numbers
    values: list[float]  # one an output
    errors: list[float] | None
    rows: float | None
    percent: bool  # whether values are logarithms of factors


class EffectFacts(TypedDict):
    """What some columns add together, and how to draw it."""

    columns: list[str]
    numbers: list[int]  # of the columns, among those of the model
    kind: Literal["steps", "bars", "map"]
    importance: float
    output: int  # the score that it matters most for
    places: list[list[int]]  # for each column the group of every code, the unseen one included
    values: list[list[float]]  # for every cell what it adds, one number an output; the last column's groups go fastest
    n_steps: int  # of a number: as many of the bars, in order; then come those of what is missing
    edges: list[float] | None  # between the steps
    edge_names: list[str]  # the same as a person reads them
    bars: list[BarFacts]  # steps in order, or bars, or the cells of a map
    labels: list[list[str]]  # of the groups of a map, down and across
    hidden: int  # bars that are not drawn
    sentence: str


def effect_facts(model: Model, effect: Effect) -> EffectFacts:
    """An effect as a picture."""
    effect = per_code(effect)
    output = int(np.argmax(effect.importances)) if effect.importances.size else 0
    columns = [model.columns[c] for c in effect.columns]
    kind, bars, labels, hidden = _drawn(model, effect, columns, output)
    steps = kind == "steps" and isinstance(columns[0], BinColumn)
    return {
        "columns": [column.name for column in columns],
        "numbers": list(effect.columns),
        "kind": kind,
        "importance": effect.importance,
        "output": output,
        "places": [group.tolist() for group in effect.groups],
        "values": effect.cells.reshape(-1, effect.cells.shape[-1]).tolist(),
        "n_steps": len(number_order(columns[0]) or []) if kind == "steps" else 0,
        "edges": list(columns[0].thresholds) if steps and isinstance(columns[0], BinColumn) else None,
        "edge_names": list(columns[0].short_cuts) if steps and isinstance(columns[0], BinColumn) else [],
        "bars": [{**bar, "percent": is_in_percent(model)} for bar in bars],
        "labels": labels,
        "hidden": hidden,
        "sentence": effect_sentence(model, effect, output),
    }


def _drawn(
    model: Model, effect: Effect, columns: Sequence[Column], output: int
) -> tuple[Literal["steps", "bars", "map"], list[BarFacts], list[list[str]], int]:
    order = number_order(columns[0])
    if len(columns) == 1 and order is not None:
        return "steps", _steps(columns[0], effect, order), [], 0
    if len(columns) == 2 and max(effect.cells.shape[:-1]) <= _MOST_GROUPS:
        return "map", *_map_of(columns, effect), 0
    pieces = [p for p in pieces_of(model, effect, _TOLERANCE) if p.rows is None or p.rows > 0]
    weights = [abs(p.values[output]) * (1.0 if p.rows is None else np.sqrt(p.rows)) for p in pieces]
    kept = sorted(np.argsort(weights)[::-1][:_MOST_BARS].tolist(), key=lambda i: -pieces[i].values[output])
    return "bars", [_bar(columns, effect, pieces[i]) for i in kept], [], len(pieces) - len(kept)


def _steps(column: Column, effect: Effect, order: list[int]) -> list[BarFacts]:
    """Steps from small numbers to large ones, then what is missing."""
    codes = [*order, *range(len(order), column.n_codes)]
    return [_facts(_said(column, [code]), [code], effect, effect.cells[code], (code,)) for code in codes]


def _map_of(columns: Sequence[Column], effect: Effect) -> tuple[list[BarFacts], list[list[str]]]:
    """The cells of a pair and what its groups are called; groups that no row of the fit has are left out."""
    shape = effect.cells.shape[:-1]
    masses = np.ones(shape) if effect.masses is None else effect.masses
    kept = [np.flatnonzero(masses.sum(axis=1 - axis) > 0).tolist() for axis in (0, 1)]
    cells = [_facts("", [i * shape[1] + j], effect, effect.cells[i, j], (i, j)) for i in kept[0] for j in kept[1]]
    names = [
        [_said(column, np.flatnonzero(group == number).tolist()) for number in some]
        for column, group, some in zip(columns, effect.groups, kept, strict=True)
    ]
    return cells, names


def _bar(columns: Sequence[Column], effect: Effect, piece: Piece) -> BarFacts:
    places = [effect.groups[axis][list(codes)] for axis, codes in enumerate(piece.codes)]
    grid = np.meshgrid(*(np.unique(place) for place in places), indexing="ij")
    cells = np.ravel_multi_index(tuple(axis.ravel() for axis in grid), effect.cells.shape[:-1])
    label = ", ".join(_said(column, codes) for column, codes in zip(columns, piece.codes, strict=True))
    return {
        "label": label,
        "cells": cells.tolist(),
        "values": piece.values.tolist(),
        "errors": None if piece.errors is None else piece.errors.tolist(),
        "rows": piece.rows,
        "percent": False,
    }


def _facts(
    label: str, cells: list[int], effect: Effect, values: NDArray[np.float64], place: tuple[int, ...]
) -> BarFacts:
    errors = None if effect.errors is None else effect.errors[place].tolist()
    rows = None if effect.masses is None else float(effect.masses[place])
    return {"label": label, "cells": cells, "values": values.tolist(), "errors": errors, "rows": rows, "percent": False}


def _said(column: Column, codes: Sequence[int]) -> str:
    """As one says it, without the word that a picture has no room for."""
    return shorten(condition_in_words(column, codes, column.n_codes).removeprefix("being "), _LONGEST)
