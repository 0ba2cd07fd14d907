"""A sum of effects as a model: score = start + one look-up an effect."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from paclearn.models.effect_words import explain_by_effect
from paclearn.models.effects import Effect, Effects
from paclearn.models.links import logistic, softmax, two_classes
from paclearn.models.model import Model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.models import checked
    from paclearn.models.explanation import Explanation
    from paclearn.models.model import About

__all__ = ["AdditiveModel"]


@dataclass(frozen=True, eq=False, repr=False)
class AdditiveModel(Model):
    """A start, and for each effect a table over groups of the codes of one column, or of a few.

    A straight line is a table as well: a value for every bin, which grows as the mean of the bin does. So codes say all
    there is to know of a row, and every view of the model says the same.

    Parameters
    ----------
    about, columns : About, tuple of Column
        What is predicted from which table, and the columns that are read.
    start : ndarray of shape (n_scores,)
        What scores start from.
    tables : tuple of Effect
        What is added, the most important first. Each averages to nought over each of its columns, under the law of the
        rows of the fit; the last group of a column is that of codes that were never seen.
    shapes : tuple of str
        What each table is in words: ``line``, ``curve``, ``3 steps``, ``4 groups``, ``2 x 3 cells``.
    limits : tuple of float or None
        Predictions of a number are kept between these.
    """

    kind: ClassVar[str] = "additive"

    start: NDArray[np.float64]
    tables: tuple[Effect, ...]
    shapes: tuple[str, ...]
    limits: tuple[float, float] | None = None

    # ---- the four questions ----

    def scores(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        return self.effects().scores(codes)

    def explain(self, codes: Sequence[NDArray[Any]]) -> list[Explanation]:
        return explain_by_effect(self, codes)

    def effects(self) -> Effects:
        return Effects(self.start, self.tables)

    def payload(self) -> dict[str, Any]:
        return {
            "link": self.link,
            "start": self.start.tolist(),
            "effects": [
                {
                    "columns": list(table.columns),
                    "shape": shape,
                    "groups": [group.tolist() for group in table.groups],
                    "cells": _flat(table.cells),
                    "masses": None if table.masses is None else table.masses.ravel().tolist(),
                    "errors": None if table.errors is None else _flat(table.errors),
                }
                for table, shape in zip(self.tables, self.shapes, strict=True)
            ],
            "limits": None if self.limits is None else list(self.limits),
        }

    @classmethod
    def read(cls, about: About, columns: tuple[Column, ...], part: checked.Part) -> Self:
        outputs = len(about.classes) if about.classes is not None and len(about.classes) > 2 else 1
        start = part["start"].addends(outputs)
        read = part["effects"].each(lambda p: _table(p, columns, outputs))
        limits = part["limits"]
        ends = None if limits.value is None else tuple(limits.numbers(2).tolist())
        limits.need(ends is None or (about.classes is None and ends[0] <= ends[1]), "two numbers in order, or null")
        model = cls(about, columns, start, tuple(table for table, _ in read), tuple(shape for _, shape in read), ends)
        part["link"].need(part["link"].value == model.link, f"{model.link!r}, as the classes say")
        return model

    # ---- what follows ----

    @property
    def link(self) -> str:
        """From scores to what is predicted."""
        if self.about.classes is None:
            return "identity"
        return "logit" if len(self.about.classes) == 2 else "softmax"

    def from_scores(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.link == "identity":
            return scores if self.limits is None else np.clip(scores, *self.limits)
        return softmax(scores) if self.link == "softmax" else two_classes(logistic(scores)[:, 0])

    def choices(self, scores: NDArray[np.float64]) -> NDArray[np.intp]:
        return (scores[:, 0] > 0).astype(np.intp) if scores.shape[1] == 1 else scores.argmax(axis=1)

    def title(self, table: Effect) -> str:
        """The columns of an effect.

        Parameters
        ----------
        table : Effect
            One of ``tables``.
        """
        return " × ".join(self.columns[c].name for c in table.columns)


def _flat(cells: NDArray[np.float64]) -> list[list[float]]:
    """Cells x outputs."""
    found: list[list[float]] = cells.reshape(-1, cells.shape[-1]).tolist()
    return found


def _table(part: checked.Part, columns: tuple[Column, ...], outputs: int) -> tuple[Effect, str]:
    places = part["columns"].each(lambda p: p.whole(0, len(columns)))
    part["columns"].need(bool(places) and len(set(places)) == len(places), "one or more different columns")
    sizes = [columns[place].n_codes + 1 for place in places]
    groups = part["groups"].each(lambda p: np.array(p.each(lambda q: q.whole(0, max(sizes))), dtype=np.intp))
    part["groups"].need([len(g) for g in groups] == sizes, "a group for every code of every column, and for others")
    part["groups"].need(all(set(g) == set(range(int(g.max()) + 1)) for g in groups), "groups numbered from nought on")
    shape = [int(g.max()) + 1 for g in groups]
    cells, masses, errors = part["cells"].addends(prod(shape), outputs), part["masses"], part["errors"]
    rows = None if masses.value is None else masses.counts(prod(shape)).reshape(shape)
    known = None if errors.value is None else errors.addends(prod(shape), outputs).reshape(*shape, outputs)
    return Effect(places, groups, cells.reshape(*shape, outputs), rows, known), part["shape"].text()
