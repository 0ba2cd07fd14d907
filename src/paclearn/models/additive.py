"""A sum of effects as a model: score = start + one look-up an effect."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from paclearn.encoding.conditions import in_words
from paclearn.models.effects import Effect, Effects
from paclearn.models.explanation import Explanation, Part
from paclearn.models.links import logistic, softmax, two_classes
from paclearn.models.model import Model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.models import checked
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
        What is added, the weightiest first. The last group of each column is that of codes that were never seen.
    shapes : tuple of str
        What each table is in words: ``line``, ``curve``, ``3 steps``, ``4 groups``, ``2 x 3 cells``.
    limits : tuple of float or None
        Predictions of a number are kept between these.
    errors : tuple of ndarray or None
        Standard errors of the cells.
    """

    kind: ClassVar[str] = "additive"

    start: NDArray[np.float64]
    tables: tuple[Effect, ...]
    shapes: tuple[str, ...]
    limits: tuple[float, float] | None = None
    errors: tuple[NDArray[np.float64], ...] | None = None

    # ---- the four questions ----

    def scores(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        return self.effects().scores(codes)

    def explain(self, codes: Sequence[NDArray[Any]]) -> list[Explanation]:
        """One part an effect: the cell that a row is in."""
        values = [table.values(codes).tolist() for table in self.tables]
        texts = [self._texts(table, codes) for table in self.tables]
        return [
            Explanation.of(
                self.output_names,
                self.start,
                [Part(text[i], tuple(value[i])) for text, value in zip(texts, values, strict=True)],
            )
            for i in range(len(codes[0]))
        ]

    def effects(self) -> Effects:
        return Effects(self.start, self.tables)

    def payload(self) -> dict[str, Any]:
        errors = self.errors or [None] * len(self.tables)
        return {
            "link": self.link,
            "start": self.start.tolist(),
            "effects": [
                {
                    "columns": list(table.columns),
                    "shape": shape,
                    "groups": [group.tolist() for group in table.groups],
                    "cells": _flat(table.cells),
                    "errors": None if error is None else _flat(error),
                }
                for table, shape, error in zip(self.tables, self.shapes, errors, strict=True)
            ],
            "limits": None if self.limits is None else list(self.limits),
        }

    @classmethod
    def read(cls, about: About, columns: tuple[Column, ...], part: checked.Part) -> Self:
        outputs = len(about.classes) if about.classes is not None and len(about.classes) > 2 else 1
        start = part["start"].numbers(outputs)
        read = part["effects"].each(lambda p: _table(p, columns, outputs))
        limits = part["limits"]
        ends = None if limits.value is None else tuple(limits.numbers(2).tolist())
        limits.need(ends is None or (about.classes is None and ends[0] <= ends[1]), "two numbers in order, or null")
        errors = tuple(error for _, _, error in read)
        known = None if any(error is None for error in errors) else errors
        model = cls(about, columns, start, tuple(t for t, _, _ in read), tuple(s for _, s, _ in read), ends, known)
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

    def cell_names(self, table: Effect) -> list[str]:
        """Every cell in words, such as ``24 < age <= 41 and sex = Male``; the last of each column was never seen.

        Parameters
        ----------
        table : Effect
            One of ``tables``.
        """
        axes = [self._groups_in_words(c, group) for c, group in zip(table.columns, table.groups, strict=True)]
        return [" and ".join(words) for words in product(*axes)]

    def _groups_in_words(self, place: int, group: NDArray[np.intp]) -> list[str]:
        column, unseen = self.columns[place], int(group[-1])
        members = [np.flatnonzero(group[:-1] == g).tolist() for g in range(int(group.max()) + 1)]
        never = f"{column.name} was never seen"
        return [in_words(column, codes) if codes else never for g, codes in enumerate(members) if codes or g == unseen]

    def _texts(self, table: Effect, codes: Sequence[NDArray[Any]]) -> list[str]:
        names = self.cell_names(table)
        place = np.zeros(len(codes[0]), dtype=np.intp)
        for column, group in zip(table.columns, table.groups, strict=True):
            place = place * (int(group.max()) + 1) + group[codes[column]]
        return [names[i] for i in place.tolist()]


def _flat(cells: NDArray[np.float64]) -> list[list[float]]:
    """Cells x outputs."""
    found: list[list[float]] = cells.reshape(-1, cells.shape[-1]).tolist()
    return found


def _table(
    part: checked.Part, columns: tuple[Column, ...], outputs: int
) -> tuple[Effect, str, NDArray[np.float64] | None]:
    places = part["columns"].each(lambda p: p.whole(0, len(columns)))
    part["columns"].need(bool(places) and len(set(places)) == len(places), "one or more different columns")
    sizes = [columns[place].n_codes + 1 for place in places]
    groups = part["groups"].each(lambda p: np.array(p.each(lambda q: q.whole(0, max(sizes))), dtype=np.intp))
    part["groups"].need([len(g) for g in groups] == sizes, "a group for every code of every column, and for others")
    part["groups"].need(all(set(g) == set(range(int(g.max()) + 1)) for g in groups), "groups numbered from nought on")
    shape = [int(g.max()) + 1 for g in groups]
    cells, errors = part["cells"].numbers(prod(shape), outputs), part["errors"]
    known = None if errors.value is None else errors.numbers(prod(shape), outputs).reshape(*shape, outputs)
    return Effect(places, groups, cells.reshape(*shape, outputs)), part["shape"].text(), known
