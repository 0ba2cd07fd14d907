"""Effects in SQL: one CASE says the group of a column, and another, nested, what the cell of an effect adds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paclearn.views import sql_words as words
from paclearn.views.sql_columns import condition

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.domain import Column
    from paclearn.models.additive_model import AdditiveModel

__all__ = ["effect_selects"]

Named = list[tuple[str, str]]  # expressions and what they are called


def effect_selects(model: AdditiveModel, fresh: Callable[[str, int], list[str]]) -> tuple[Named, list[Named]]:
    """The groups of all columns of all effects, and for every output what the effects add to it."""
    members = [(c, g) for table in model.tables for c, g in zip(table.columns, table.groups, strict=True)]
    names = fresh("group", len(members))
    groups = [(_group_of(model.columns[c], g), name) for (c, g), name in zip(members, names, strict=True)]
    left = iter(names)
    mine = [[next(left) for _ in table.columns] for table in model.tables]
    parts = iter(fresh("part", len(model.tables) * model.n_scores))
    return groups, [
        [(_added(table.cells[..., k], own), next(parts)) for table, own in zip(model.tables, mine, strict=True)]
        for k in range(model.n_scores)
    ]


def _group_of(column: Column, group: NDArray[np.intp]) -> str:
    """The number of the group; that of what was never seen where no question is answered with yes."""
    unseen = int(group[-1])
    wanted = [(g, np.flatnonzero(group[:-1] == g).tolist()) for g in range(int(group.max()) + 1) if g != unseen]
    cases = [f"WHEN {condition(column, codes)} THEN {g}" for g, codes in wanted]
    return f"CASE {' '.join(cases)} ELSE {unseen} END" if cases else str(unseen)


def _added(cells: NDArray[np.float64], groups: Sequence[str]) -> str:
    """One CASE a column, inside each other."""
    if cells.ndim == 0:
        return words.number(float(cells))
    answers = [_added(part, groups[1:]) for part in cells]
    rest = max(dict.fromkeys(answers), key=answers.count)
    cases = [f"WHEN {i} THEN {answer}" for i, answer in enumerate(answers) if answer != rest]
    return f"CASE {words.identifier(groups[0])} {' '.join(cases)} ELSE {rest} END" if cases else rest
