"""Pictures of the effects of a model, for matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paclearn._text import shorten
from paclearn.encoding.domain import BinColumn
from paclearn.inspection.effect_plots import EffectBarsDisplay, EffectMapDisplay, EffectsDisplay, EffectStepsDisplay
from paclearn.models.effect_words import codes_in_words, group_name
from paclearn.models.linear import LinearModel
from paclearn.views.effect_pieces import number_order, per_code, pieces_of

if TYPE_CHECKING:
    from paclearn.encoding import Column
    from paclearn.inspection.display import Display
    from paclearn.models.effects import Effect
    from paclearn.models.model import Model

__all__ = ["are_log_odds", "display_of", "displays_of", "what_is_added_to"]

_MOST_BARS = 24


def displays_of(model: Model, most: int, output: int) -> EffectsDisplay:
    """The most important effects on one score."""
    ranked = sorted(model.effects().effects, key=lambda effect: -effect.importances[output])
    return EffectsDisplay([display_of(model, effect, output) for effect in ranked[:most]])


def display_of(model: Model, effect: Effect, output: int) -> Display:
    """An effect on one score: steps, bars, or a map."""
    what = f"adds to {what_is_added_to(model, output)}"
    if len(effect.columns) == 2:
        return _map(model, effect, output, what)
    column = model.columns[effect.columns[0]]
    order = number_order(column)
    if len(effect.columns) == 1 and order is not None:
        return _steps(column, per_code(effect), order, output, what)
    return _bars(model, effect, output, what)


def what_is_added_to(model: Model, output: int) -> str:
    """What the scores of a model are, in words."""
    if model.about.classes is None:
        logarithmic = isinstance(model, LinearModel) and model.logarithmic
        return f"{'the logarithm of ' if logarithmic else ''}“{shorten(model.output_names[0])}”"
    if isinstance(model, LinearModel) and model.ladder is not None:
        return f"the log-odds of a {shorten(model.output_names[0])}"
    if model.n_scores == 1:
        return f"the log-odds of “{shorten(model.output_names[0])}”" if are_log_odds(model) else "the score"
    return f"the score of “{shorten(model.output_names[output])}”"


def are_log_odds(model: Model) -> bool:
    """Whether a model has one score, the logarithm of the odds of a class against the one before it."""
    if model.about.classes is None or model.n_scores > 1:
        return False
    ends = model.from_scores(np.array([[0.5]]))
    return bool(0 < ends[0, 0] < 1)


def _steps(column: Column, effect: Effect, order: list[int], output: int, what: str) -> EffectStepsDisplay:
    rest = range(len(order), column.n_codes)  # what is missing; where it never was, there are no rows to speak of
    others = [(codes_in_words(column, [code]), float(effect.cells[code, output])) for code in rest]
    return EffectStepsDisplay(
        column.name,
        effect.cells[order, output],
        None if effect.errors is None else effect.errors[order, output],
        None if effect.masses is None else effect.masses[order],
        column.thresholds if isinstance(column, BinColumn) else None,
        [column.code_names[code] for code in order],
        others,
        what,
        column.short_cuts if isinstance(column, BinColumn) and column.holds_dates else (),
    )


def _bars(model: Model, effect: Effect, output: int, what: str) -> EffectBarsDisplay:
    pieces = pieces_of(model, effect)
    weights = [abs(piece.values[output]) * (1.0 if piece.rows is None else np.sqrt(piece.rows)) for piece in pieces]
    kept = sorted(np.argsort(weights)[::-1][:_MOST_BARS], key=lambda i: -pieces[i].values[output])
    shown = [pieces[i] for i in kept]
    return EffectBarsDisplay(
        [_short_of_name(model, effect, piece.name) for piece in shown],
        [float(piece.values[output]) for piece in shown],
        None if effect.errors is None else [0.0 if p.errors is None else float(p.errors[output]) for p in shown],
        None if effect.masses is None else [p.rows or 0.0 for p in shown],
        " × ".join(model.columns[c].name for c in effect.columns),
        what,
    )


def _short_of_name(model: Model, effect: Effect, name: str) -> str:
    """Of a single column, which stands above the picture, only what it is."""
    own = f"{model.columns[effect.columns[0]].name} "
    return name.removeprefix(own).removeprefix("= ") if len(effect.columns) == 1 else name


def _map(model: Model, effect: Effect, output: int, what: str) -> EffectMapDisplay:
    columns = [model.columns[c] for c in effect.columns]
    down, across = (
        [group_name(column, group, number) for number in range(size)]
        for column, group, size in zip(columns, effect.groups, effect.cells.shape[:-1], strict=True)
    )
    names = columns[0].name, columns[1].name
    return EffectMapDisplay(names, (down, across), effect.cells[..., output], effect.masses, what)
