"""A sum of many terms in short: the largest effects, the most important first, in a sentence each."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from paclearn.views.effect_displays import what_is_added_to
from paclearn.views.effect_sentences import effect_sentence

if TYPE_CHECKING:
    from paclearn.models.effects import Effect
    from paclearn.models.linear import LinearModel

__all__ = ["smaller_effects", "summary_of_effects"]

_WIDTH = 100
_MARGIN = 8


def summary_of_effects(model: LinearModel, most: int) -> str:
    """What the model is, and sentences of at most so many effects; it says that it is a summary, and of what."""
    effects = model.effects()
    start = ", ".join(f"{value:+.3g}" for value in effects.start)
    to = "the score of each class" if model.n_scores > 1 else what_is_added_to(model, 0)
    head = (
        f"A start ({start}) and {len(effects.effects):,} effects add up to {to}. The largest are below, each with the "
        "root of the mean of its squares over the rows. This is a summary: effects_ and effect(...) have every cell, "
        f"to_text(terms=True) the {len(model.terms):,} terms that the effects are made of."
    )
    told = [line for effect in effects.effects[:most] for line in _told(model, effect)]
    return "\n".join([*wrap(head, _WIDTH), "", *told, *smaller_effects(len(effects.effects) - most)])


def smaller_effects(more: int) -> list[str]:
    """How many were left out, where any were."""
    return [f"and {more:,} smaller effect{'s' if more > 1 else ''}"] if more > 0 else []


def _told(model: LinearModel, effect: Effect) -> list[str]:
    """A sentence about the score that the effect matters most for."""
    sentence = effect_sentence(model, effect, int(np.argmax(effect.importances)))
    first, *rest = wrap(sentence or "Nothing that rows of the fit have.", _WIDTH - _MARGIN, break_on_hyphens=False)
    return [f"{effect.importance:{_MARGIN - 2}.3g}  {first}", *(" " * _MARGIN + line for line in rest)]
