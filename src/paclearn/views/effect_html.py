"""The effects of a model as pictures for a notebook; everything that came from the data is escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from paclearn._text import figures, shorten
from paclearn.views.effect_displays import what_is_added_to
from paclearn.views.effect_pictures import effect_facts
from paclearn.views.effect_svg import effect_picture
from paclearn.views.score_words import ladder_in_words

if TYPE_CHECKING:
    from paclearn.models.model import Model

__all__ = ["effects_html"]

_SHOWN = 9
_STYLE = """
.paclearn-effects { --more: #2f7cc0; --less: #c0504d; --soft: #7a8694; --line: #8885;
  display: grid; grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr)); gap: .7rem; max-width: 62rem; }
.paclearn-effects figure { margin: 0; border: 1px solid var(--line); border-radius: 6px; padding: .4rem .6rem; }
.paclearn-effects b { overflow-wrap: anywhere; } .paclearn-effects figcaption { font-size: .85em; opacity: .8; }
.paclearn-effects svg { width: 100%; } .paclearn-effects text { fill: currentColor; font: 12px system-ui, sans-serif; }
.paclearn-effects text.soft { opacity: .7; font-size: 11px; } .paclearn-effects .rows { fill: var(--line); }
.paclearn-effects .more { fill: var(--more); } .paclearn-effects .less { fill: var(--less); }
.paclearn-effects .band { fill: var(--more); fill-opacity: .2; } .paclearn-effects .touch { fill: transparent; }
.paclearn-effects .step { stroke: var(--more); stroke-width: 2; fill: none; }
.paclearn-effects .other-step { stroke: var(--soft); fill: none; opacity: .6; }
.paclearn-effects .axis, .paclearn-effects .whisker { stroke: currentColor; opacity: .6; }
.paclearn-effects .dash { stroke: var(--soft); stroke-dasharray: 4 3; } .paclearn-effects .spot { visibility: hidden; }
.paclearn-effects .hatch { stroke: var(--soft); stroke-width: 1.5; }
"""
_HATCH = (
    '<svg style="position:absolute" width="0" height="0"><defs><pattern id="no-rows" width="6" height="6" '
    'patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line x1="0" y1="0" x2="0" y2="6" class="hatch"/>'
    "</pattern></defs></svg>"
)


def effects_html(model: Model) -> str:
    """A start, the pictures of the most important effects, and how many more there are."""
    effects = model.effects()
    start = ", ".join(figures(value, sign=True) for value in effects.start)
    added = " and so on" if model.n_scores > 1 else f" to {what_is_added_to(model, 0)}"
    head = f"<p>Start at {start}; {len(effects.effects):,} effects add{escape(added)}.</p>"
    pictures = "".join(_figure(model, i) for i in range(min(_SHOWN, len(effects.effects))))
    more = len(effects.effects) - _SHOWN
    rungs = f"<p>{escape(ladder_in_words(model))}</p>" if ladder_in_words(model) else ""
    note = f"<p>And {more:,} smaller effect{'s' if more > 1 else ''}; see effects_.</p>" if more > 0 else ""
    return f"<style>{_STYLE}</style>{head}<div class='paclearn-effects'>{_HATCH}{pictures}</div>{note}{rungs}"


def _figure(model: Model, number: int) -> str:
    facts = effect_facts(model, model.effects().effects[number])
    names = " × ".join(shorten(name, 40) for name in facts["columns"])
    several = model.n_scores > 1 and facts["kind"] != "bars"
    about = f" for “{shorten(model.output_names[facts['output']], 30)}”" if several else ""
    picture = effect_picture(facts, model.output_names)
    words = escape(shorten(facts["sentence"], 300))
    return f"<figure><b>{escape(names + about)}</b>{picture}<figcaption>{words}</figcaption></figure>"
