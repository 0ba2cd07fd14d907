"""Which of two classes a person asks about, and a model whose scores are of that one.

Scores are of the second of ``classes_``, which are in the order of the alphabet: of "ja" and "nein" that is "nein".
A person asks who will buy, who is ill, which order is a fraud: for the class that is called yes or, where names do not
say, for the rarer one. What is written for people speaks of that class; what is computed stays as it is.
"""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from math import sqrt
from typing import TYPE_CHECKING, Any, TypeVar

from paclearn.models.additive_model import AdditiveModel
from paclearn.models.linear import LinearModel
from paclearn.tables.single_values import label_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paclearn.models.model import Model

__all__ = ["asked_class", "of_asked_class"]

_YES_AND_NO = (
    ("yes", "no"),
    ("y", "n"),
    ("true", "false"),
    ("t", "f"),
    ("on", "off"),
    ("1", "0"),
    ("1", "-1"),
    ("+", "-"),
    ("positive", "negative"),
    ("pos", "neg"),
    ("ja", "nein"),
    ("ja", "nee"),
    ("ja", "nej"),
    ("ja", "nei"),
    ("j", "n"),
    ("wahr", "falsch"),
    ("oui", "non"),
    ("o", "n"),
    ("vrai", "faux"),
    ("si", "no"),
    ("sí", "no"),
    ("sì", "no"),
    ("s", "n"),
    ("sim", "não"),
    ("sim", "nao"),
    ("tak", "nie"),
    ("ano", "ne"),
    ("da", "ne"),
    ("да", "нет"),
    ("igen", "nem"),
    ("kyllä", "ei"),
    ("evet", "hayır"),
    ("是", "否"),
    ("はい", "いいえ"),
)
_DENIED = ("not ", "no ", "non-", "non ", "kein ", "keine ", "nicht ", "pas de ", "sin ")
_ERRORS = 2.0  # standard errors by which a class must be the rarer one: a few rows more must not turn all signs

AnyModel = TypeVar("AnyModel", bound="Model")


def asked_class(classes: Sequence[Any], rows: Sequence[float]) -> int:
    """Which of two classes is asked about, from their labels and how many rows have each; otherwise the last.

    Parameters
    ----------
    classes : sequence
        The labels, in the order of ``classes_``.
    rows : sequence of float
        Rows of each.
    """
    if len(classes) != 2:
        return len(classes) - 1
    words = [label_text(label).strip().casefold() for label in classes]
    for yes, no in ((0, 1), (1, 0)):
        if (words[yes], words[no]) in _YES_AND_NO or words[no] in [denial + words[yes] for denial in _DENIED]:
            return yes
    return 0 if rows[1] - rows[0] > _ERRORS * sqrt(sum(rows)) else 1


def of_asked_class(model: AnyModel) -> AnyModel:
    """The same model with scores of the class that is asked about, its classes in that order.

    Parameters
    ----------
    model : Model
        Of any kind; it is turned round if it has one score for two classes, and these are not in that order.
    """
    classes = model.about.classes
    if classes is None or len(classes) != 2 or model.about.asked == 1:
        return model
    turned: AnyModel = _turned(model)
    return turned if turned is model else replace(turned, about=replace(model.about, classes=classes[::-1], asked=1))


@singledispatch
def _turned(model: Any) -> Any:
    """The same with all signs turned, where it is a sum."""
    return model


@_turned.register
def _(model: LinearModel) -> LinearModel:
    return replace(model, weights=-model.weights, intercept=-model.intercept)


@_turned.register
def _(model: AdditiveModel) -> AdditiveModel:
    tables = tuple(replace(table, cells=-table.cells) for table in model.tables)
    return replace(model, start=-model.start, tables=tables)
