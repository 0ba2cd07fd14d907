"""Explanations of rows in words: of a number on the scale of logarithms every part is a share or a multiple."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

from paclearn._text import aligned, figures
from paclearn.views.score_words import is_in_percent, short_percent

if TYPE_CHECKING:
    from paclearn.models import Explanation, Model

__all__ = ["explanation_in_words"]

_HOLDS = {True: "true", False: "false", None: ""}
_MOST = 700.0


def explanation_in_words(model: Model, explanation: Explanation) -> str:
    """What a row's score is made of: parts that are added, or that change what comes before them by so many percent."""
    if not is_in_percent(model):
        return str(explanation)
    start, product = (figures(exp(min(float(v), _MOST)), 4) for v in (explanation.start[0], explanation.score[0]))
    parts = [[part.text, _HOLDS[part.holds], short_percent(part.contribution[0])] for part in explanation.parts]
    lines = [["", "", *explanation.outputs], ["(start)", "", start], *parts, ["(product)", "", product]]
    return "\n".join(aligned(lines, right=[2]))
