"""Effects in words: what a cell is called, and what every effect adds to the score of a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.conditions import in_words
from paclearn.encoding.domain import BinColumn
from paclearn.models.explanation import Explanation, Part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.models.effects import Effect
    from paclearn.models.model import Model

__all__ = ["cell_name", "explain_by_effect", "group_name", "row_cell_name"]


def group_name(column: Column, group: NDArray[np.intp], number: int) -> str:
    """The codes of a group of a column in words, the unseen one only where it is alone."""
    codes = np.flatnonzero(group[: column.n_codes] == number).tolist()
    return in_words(column, codes) if codes else f"{column.name} was never seen"


def cell_name(columns: Sequence[Column], effect: Effect, place: Sequence[int]) -> str:
    """A cell of an effect in words."""
    parts = zip(effect.columns, effect.groups, place, strict=True)
    return " and ".join(group_name(columns[c], group, number) for c, group, number in parts)


def row_cell_name(columns: Sequence[Column], effect: Effect, codes: Sequence[int]) -> str:
    """The cell of a row: of a number the whole group around it, of a level the level itself."""
    parts = zip(effect.columns, effect.groups, strict=True)
    return " and ".join(_own_name(columns[c], group, codes[c]) for c, group in parts)


def _own_name(column: Column, group: NDArray[np.intp], code: int) -> str:
    if code >= column.n_codes:
        return f"{column.name} was never seen"
    if isinstance(column, BinColumn) and not (column.missing and code == column.n_codes - 1):
        return in_words(column, _run_around(group[: len(column.thresholds) + 1], code))
    return in_words(column, [code])


def _run_around(group: NDArray[np.intp], code: int) -> range:
    """Neighbouring bins of the same group."""
    other = np.flatnonzero(group != group[code])
    return range(int(other[other < code].max(initial=-1)) + 1, int(other[other > code].min(initial=len(group))))


def explain_by_effect(model: Model, codes: Sequence[NDArray[Any]]) -> list[Explanation]:
    """For every row what each effect adds to its score, the weightiest first; they add up, exactly."""
    effects = model.effects()
    added = [effect.values(codes).tolist() for effect in effects.effects]
    rows = np.array(codes).T.tolist()
    names: dict[tuple[int, ...], str] = {}

    def part(i: int, row: int) -> Part:
        effect = effects.effects[i]
        key = (i, *(rows[row][c] for c in effect.columns))
        if key not in names:
            names[key] = row_cell_name(model.columns, effect, rows[row])
        return Part(names[key], tuple(added[i][row]))

    return [
        Explanation.of(model.output_names, effects.start, [part(i, row) for i in range(len(effects.effects))])
        for row in range(len(rows))
    ]
