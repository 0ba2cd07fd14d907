"""Effects as a person reads them: intervals of a number in order, levels that act alike together, cells of several."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.domain import BinColumn, LevelColumn
from paclearn.models.effect_words import codes_in_words, group_name, has_unseen
from paclearn.models.effects import Effect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.models.model import Model

__all__ = ["Piece", "number_order", "per_code", "pieces_of"]

_SAME = 1e-9  # in units of the largest cell


@dataclass(frozen=True, eq=False)
class Piece:
    """A part of an effect where it is the same: its name, the codes of each column, and what it adds there.

    Parameters
    ----------
    name : str
        For example ``24 < age <= 41`` or ``education in {Bachelors, Masters}``.
    codes : tuple of tuple of int
        For every column of the effect the codes that belong to it.
    values : ndarray of shape (n_outputs,)
        What is added.
    errors : ndarray of shape (n_outputs,) or None
        Standard errors, the largest where several codes share a piece.
    rows : float or None
        How many rows of the fit are in it.
    """

    name: str
    codes: tuple[tuple[int, ...], ...]
    values: NDArray[np.float64]
    errors: NDArray[np.float64] | None
    rows: float | None


def pieces_of(model: Model, effect: Effect, tolerance: float = _SAME) -> list[Piece]:
    """The pieces of an effect: of numbers in their order, of levels the largest contribution first, then what is left.

    Values that differ by no more than a tolerance, in units of the largest, share a piece.
    """
    if len(effect.columns) > 1:
        return _cells(model, effect)
    effect, column = per_code(effect), model.columns[effect.columns[0]]
    largest = float(np.abs(effect.cells).max(initial=0.0))
    order = number_order(column)
    near = tolerance * largest
    parts = _levels_alike(effect, column, near) if order is None else _steps_alike(effect, column, order, near)
    return [_piece(column, effect, codes) for codes in parts]


def per_code(effect: Effect) -> Effect:
    """An effect of one column with every code by itself; rows of a group are shared out evenly among its codes."""
    group = effect.groups[0]
    if len(effect.columns) > 1 or len(effect.cells) == len(group):
        return effect
    known = np.ones(len(group))
    known[-1] = 0.0 if (group == group[-1]).sum() > 1 else 1.0  # rows have the codes that were seen
    share = known / np.bincount(group, known)[group]
    masses = None if effect.masses is None else effect.masses[group] * share
    errors = None if effect.errors is None else effect.errors[group]
    return Effect(effect.columns, (np.arange(len(group)),), effect.cells[group], masses, errors)


def number_order(column: Column) -> list[int] | None:
    """Codes from small numbers to large ones; None for a column of levels."""
    if isinstance(column, BinColumn):
        return list(range(len(column.thresholds) + 1))
    if isinstance(column, LevelColumn) and column.numeric and not column.other:
        return np.argsort([float(level) for level in column.levels], kind="stable").tolist()
    return None


def _steps_alike(effect: Effect, column: Column, order: list[int], near: float) -> list[list[int]]:
    """Runs of neighbours that add the same; then what is missing, and what was never seen."""
    parts: list[list[int]] = []
    for code in order:
        if parts and _alike(effect, [*parts[-1], code], near):
            parts[-1].append(code)
        else:
            parts.append([code])
    return [*parts, *([code] for code in range(len(order), column.n_codes + has_unseen(column)))]


def _levels_alike(effect: Effect, column: Column, near: float) -> list[list[int]]:
    """Levels that add the same, the largest contribution first; levels that were never seen come last."""
    by_value = np.argsort(-effect.cells[: column.n_codes, 0], kind="stable").tolist()
    parts: list[list[int]] = []
    for code in by_value:
        home = next((part for part in parts if _alike(effect, [*part, code], near)), None)
        if home is None:
            parts.append([code])
        else:
            home.append(code)
    return [*map(sorted, parts), *([[column.n_codes]] if has_unseen(column) else [])]


def _alike(effect: Effect, codes: list[int], near: float) -> bool:
    values = effect.cells[codes]
    return bool((values.max(axis=0) - values.min(axis=0) <= near).all())


def _piece(column: Column, effect: Effect, codes: list[int]) -> Piece:
    """Codes of one column together; contributions that differ a little are averaged over rows."""
    masses = None if effect.masses is None else effect.masses[codes]
    weights = masses if masses is not None and masses.sum() > 0 else np.ones(len(codes))
    values = weights @ effect.cells[codes] / weights.sum()
    exact = effect.cells[codes[0]] if _alike(effect, codes, 0.0) else values
    errors = None if effect.errors is None else effect.errors[codes].max(axis=0)
    rows = None if masses is None else float(masses.sum())
    return Piece(codes_in_words(column, codes), (tuple(codes),), exact, errors, rows)


def _cells(model: Model, effect: Effect) -> list[Piece]:
    """Every cell of several columns."""
    columns = [model.columns[c] for c in effect.columns]
    names = [
        [group_name(column, group, number) for number in range(size)]
        for column, group, size in zip(columns, effect.groups, effect.cells.shape[:-1], strict=True)
    ]
    return [_cell(effect, names, place) for place in product(*map(range, effect.cells.shape[:-1]))]


def _cell(effect: Effect, names: Sequence[Sequence[str]], place: tuple[int, ...]) -> Piece:
    told = " and ".join(some[number] for some, number in zip(names, place, strict=True))
    codes = tuple(tuple(np.flatnonzero(g == n).tolist()) for g, n in zip(effect.groups, place, strict=True))
    errors: Any = None if effect.errors is None else effect.errors[place]
    rows = None if effect.masses is None else float(effect.masses[place])
    return Piece(told, codes, effect.cells[place], errors, rows)
