"""Effects in words: what a cell is called, and what every effect adds to the score of a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.conditions import in_words
from paclearn.encoding.domain import BinColumn, LevelColumn
from paclearn.models.explanation import Explanation, Part

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.models.effects import Effect
    from paclearn.models.model import Model

__all__ = ["codes_in_words", "explain_by_effect", "group_name", "has_unseen"]


def codes_in_words(column: Column, codes: Iterable[int]) -> str:
    """Codes of a column in words; the unseen one is only named where it is alone."""
    known = [code for code in codes if code < column.n_codes]
    return in_words(column, known) if known else f"{column.name} {_unseen(column)}"


def has_unseen(column: Column) -> bool:
    """Whether any value is without a code: one that is missing, or a level that the fit never saw."""
    return not column.missing or (isinstance(column, LevelColumn) and not column.other)


def _unseen(column: Column) -> str:
    if isinstance(column, LevelColumn) and not column.other:
        return "was never seen" if column.missing else "is missing or was never seen"
    return "is missing"


def group_name(column: Column, group: NDArray[np.intp], number: int) -> str:
    """The codes of a group of a column in words."""
    return codes_in_words(column, np.flatnonzero(group == number).tolist())


def explain_by_effect(model: Model, codes: Sequence[NDArray[Any]]) -> list[Explanation]:
    """For every row what each effect adds to its score, the weightiest first; they add up, exactly."""
    effects = model.effects()
    added = [effect.values(codes).tolist() for effect in effects.effects]
    names = [_Names(model.columns, effect) for effect in effects.effects]
    rows = np.array(codes).T.tolist()
    return [
        Explanation.of(
            model.output_names,
            effects.start,
            [Part(name.of(row), tuple(values[i])) for name, values in zip(names, added, strict=True)],
        )
        for i, row in enumerate(rows)
    ]


class _Names:
    """What an effect's cells are called in rows: a level by its name, a number by the interval around it."""

    def __init__(self, columns: Sequence[Column], effect: Effect) -> None:
        self._columns = columns
        self._effect = effect
        self._known: dict[tuple[int, ...], str] = {}

    def of(self, row: Sequence[int]) -> str:
        """The cell of a row, given by its codes."""
        codes = tuple(row[c] for c in self._effect.columns)
        if codes not in self._known:
            axes = range(len(codes))
            parts = [codes_in_words(self._columns[self._effect.columns[a]], self._around(a, codes[a])) for a in axes]
            self._known[codes] = " and ".join(parts)
        return self._known[codes]

    def _around(self, axis: int, code: int) -> range:
        """Neighbouring bins for which the effect is the same; of anything else, the code itself."""
        column = self._columns[self._effect.columns[axis]]
        if not isinstance(column, BinColumn) or code > len(column.thresholds):
            return range(code, code + 1)
        group = self._effect.groups[axis][: len(column.thresholds) + 1]
        by_code = np.moveaxis(self._effect.cells, axis, 0)[group].reshape(len(group), -1)
        other = np.flatnonzero((by_code != by_code[code]).any(axis=1))
        return range(int(other[other < code].max(initial=-1)) + 1, int(other[other > code].min(initial=len(group))))
