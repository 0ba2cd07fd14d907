"""What scores mean in words: percents of a number on the scale of logarithms, and rungs of ordered classes."""

from __future__ import annotations

from math import exp, expm1
from typing import TYPE_CHECKING

from paclearn._text import shorten
from paclearn.models.linear import LinearModel

if TYPE_CHECKING:
    from paclearn.models.model import Model

__all__ = ["is_in_percent", "ladder_in_words", "percent_change", "short_percent"]

_SEVERAL = 3.0  # times as much, from which one does not say it in percent
_MOST = 700.0


def is_in_percent(model: Model) -> bool:
    """Whether scores are logarithms of a number, so that what is added to them is a share of it."""
    return isinstance(model, LinearModel) and model.logarithmic


def percent_change(value: float, what: str) -> str:
    """What adding to the logarithm of a number does to it: adds 16 % to it, takes 14 % off it, multiplies it by 4."""
    of = f" {what}" if what else ""
    factor = exp(min(value, _MOST))
    if factor >= _SEVERAL:
        return f"multiplies{of or ' it'} by {factor:.2g}"
    size = _figures(100 * abs(expm1(value)))
    return f"adds {size} %{f' to{of}' if what else ''}" if value > 0 else f"takes {size} % off{of}"


def short_percent(value: float) -> str:
    """The same where there is little room: +16 %, -14 %, x4."""
    if value >= 0 and exp(min(value, _MOST)) >= _SEVERAL:
        return f"×{exp(min(value, _MOST)):.2g}"
    return f"{'+' if value >= 0 else '-'}{_figures(100 * abs(expm1(value)))} %"


def _figures(percent: float) -> str:
    return f"{percent:.0f}" if percent >= 9.5 else f"{percent:.2g}"


def ladder_in_words(model: Model) -> str:
    """From which score on ordered classes are the likeliest; of other models nothing."""
    if not isinstance(model, LinearModel) or model.ladder is None:
        return ""
    classes, spans = model.about.classes or (), model.ladder.spans()
    names = [f"“{shorten(str(classes[label]))}”" for label, _ in spans]
    cuts = [f"{since:.3g}" for _, since in spans[1:]]
    if not cuts:
        return f"Whatever the score, it is {names[0]}."
    parts = [
        f"up to {cuts[0]} it is {names[0]}",
        *(f"up to {c} {n}" for c, n in zip(cuts[1:], names[1:-1], strict=True)),
    ]
    lowest, highest = model.ladder.rising[0], model.ladder.rising[-1]
    order = f"from “{shorten(str(classes[lowest]))}” to “{shorten(str(classes[highest]))}”"
    text = ", ".join([*parts, f"above {cuts[-1]} {names[-1]}"])
    return f"The score says how high a row stands, {order}: {text}."
