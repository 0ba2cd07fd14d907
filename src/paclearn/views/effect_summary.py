"""A sum of many terms in short: the largest effects, the most important first, in a sentence each."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from paclearn._text import figures
from paclearn.models.links import exponential
from paclearn.views.effect_displays import what_is_added_to
from paclearn.views.effect_sentences import effect_sentence
from paclearn.views.score_words import ladder_in_words, short_percent

if TYPE_CHECKING:
    from paclearn.models.effects import Effect
    from paclearn.models.linear import LinearModel

__all__ = ["smaller_effects", "summary_of_effects"]

_WIDTH = 100
_MARGIN = 8


def summary_of_effects(model: LinearModel, most: int) -> str:
    """What the model is, and sentences of at most so many effects; it says that it is a summary, and of what."""
    effects = model.effects()
    head = (
        f"{_sum(model)} The largest are below, each with the "
        "root of the mean of its squares over the rows. This is a summary: effects_ and effect(...) have every cell, "
        f"to_text(terms=True) the {len(model.terms):,} terms that the effects are made of."
    )
    told = [line for effect in effects.effects[:most] for line in _told(model, effect)]
    rungs = ladder_in_words(model)
    told += [*smaller_effects(len(effects.effects) - most), *(["", *wrap(rungs, _WIDTH)] if rungs else [])]
    return "\n".join([*wrap(head, _WIDTH), "", *told])


def _sum(model: LinearModel) -> str:
    """What is added up, or multiplied."""
    effects = model.effects()
    n = f"{len(effects.effects):,} effect{'s' if len(effects.effects) != 1 else ''}"
    if model.logarithmic:
        start = figures(exponential(effects.start)[0], 4)
        return f"“{model.output_names[0]}” is {start} times the factors of {n}: percents that are added or taken off."
    start = ", ".join(figures(value, sign=True) for value in effects.start)
    to = "the score of each class" if model.n_scores > 1 else what_is_added_to(model, 0)
    return f"A start ({start}) and {n} add up to {to}."


def smaller_effects(more: int) -> list[str]:
    """How many were left out, where any were."""
    return [f"and {more:,} smaller effect{'s' if more > 1 else ''}"] if more > 0 else []


def _told(model: LinearModel, effect: Effect) -> list[str]:
    """A sentence about the score that the effect matters most for."""
    sentence = effect_sentence(model, effect, int(np.argmax(effect.importances)))
    first, *rest = wrap(sentence or "Nothing that rows of the fit have.", _WIDTH - _MARGIN, break_on_hyphens=False)
    size = short_percent(effect.importance).strip("+") if model.logarithmic else figures(effect.importance)
    return [f"{size:>{_MARGIN - 2}}  {first}", *(" " * _MARGIN + line for line in rest)]
