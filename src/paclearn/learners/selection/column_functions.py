"""Columns as functions of the rows: a number is itself, a word is one yes-or-no function a level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paclearn._progress import progress
from paclearn.encoding import EncodingRules, learn_column
from paclearn.encoding.date_columns import SECONDS_A_DAY
from paclearn.exceptions import ColumnError
from paclearn.tables.raw import Dates, Labels, Numbers, read_any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.encoding.domain import Column
    from paclearn.tables.raw import RawColumn
    from paclearn.tables.table import Table

__all__ = ["Functions", "Recipe", "functions_of", "standardise"]

_LARGEST, _SMALLEST = 1e140, 1e-140


@dataclass(frozen=True, eq=False)
class Functions:
    """Functions of the rows, each of one column, and the columns that have none because they never vary."""

    values: NDArray[np.float64]  # rows x functions
    owner: NDArray[np.intp]  # the column of every function
    names: tuple[str, ...]
    constants: dict[int, str]  # column -> its only value
    recipes: tuple[Recipe, ...] = ()  # of every function

    def of_columns(self, columns: NDArray[np.intp]) -> NDArray[np.intp]:
        """The functions of some columns, in the order of the columns."""
        mine = np.flatnonzero(np.isin(self.owner, columns))
        place = np.empty(int(self.owner.max(initial=0)) + 1, dtype=np.intp)
        place[columns] = np.arange(len(columns))
        return mine[np.argsort(place[self.owner[mine]], kind="stable")]


def standardise(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean zero and variance one (the population's) in every column; a column that does not vary becomes zero."""
    deviations = values - values.mean(axis=0)
    scale = deviations.std(axis=0)
    return deviations / np.where(scale > 0, scale, 1.0)


@dataclass(frozen=True, eq=False)
class Recipe:
    """What makes a function of a column as it was read."""

    position: int
    fill: float = 0.0  # for a number that is missing: the mean of those that are there
    column: Column | None = None  # of words: what their codes are
    answers: NDArray[np.float64] | None = None  # of words: 1 for the codes that answer yes
    of_gaps: bool = False  # of numbers that never vary: whether they are missing

    def values(self, raw: RawColumn | Dates) -> NDArray[np.float64]:
        """Of some rows."""
        if isinstance(raw, Dates):
            raw = Numbers(np.where(raw.missing, np.nan, raw.values.astype(np.int64) / SECONDS_A_DAY))
        if self.column is not None and self.answers is not None:
            return np.asarray(self.answers[self.column.encode(raw)])
        if self.of_gaps:
            return raw.missing.astype(np.float64)
        return np.where(raw.missing, self.fill, np.asarray(raw.values, dtype=np.float64))  # type: ignore[union-attr]


def functions_of(table: Table, rules: EncodingRules) -> Functions:
    """Read all columns; a missing number stands at the mean of its column, a missing word is a level."""
    values: list[NDArray[np.float64]] = []
    names: list[str] = []
    recipes: list[Recipe] = []
    constants: dict[int, str] = {}
    with progress("reading columns", len(table.names)) as advance:
        for position, name in enumerate(table.names):
            raw = read_any(table, position)
            found = _recipes(raw, position, name, rules)
            if found is None:
                constants[position] = name
            for recipe, of in found or ():
                values.append(recipe.values(raw))
                names.append(of)
                recipes.append(recipe)
            advance(1)
    matrix = np.column_stack(values) if values else np.empty((table.n_rows, 0))
    owner = np.array([recipe.position for recipe in recipes], dtype=np.intp)
    return Functions(matrix, owner, tuple(names), constants, tuple(recipes))


def _recipes(raw: RawColumn | Dates, position: int, name: str, rules: EncodingRules) -> list[tuple[Recipe, str]] | None:
    """Functions with their names; none where levels are too rare to tell anything, and None for a constant column."""
    if isinstance(raw, Dates):
        raw = Numbers(np.where(raw.missing, np.nan, raw.values.astype(np.int64) / SECONDS_A_DAY))
    absent = raw.missing
    if absent.all():
        return None
    if not isinstance(raw, Labels):
        return _of_numbers(np.asarray(raw.values, dtype=np.float64), absent, position, name)
    column = learn_column(raw, name, position, rules)
    if isinstance(column, str):
        return None if len(set(raw.codes.tolist())) == 1 else []
    bits = column.bits(0)
    found = [Recipe(position, column=column, answers=bit.answers(column.n_codes).astype(np.float64)) for bit in bits]
    both = list(zip(found, (bit.name for bit in bits), strict=True))
    if len(both) > 1:  # the most frequent level is what the others leave, and the one equations start from
        both.pop(int(np.argmax([recipe.values(raw).mean() for recipe in found])))
    return both


def _of_numbers(
    numbers: NDArray[np.float64], absent: NDArray[np.bool_], position: int, name: str
) -> list[tuple[Recipe, str]] | None:
    present = numbers[~absent]
    if np.abs(present).max() > _LARGEST:
        raise ColumnError(f"column {name!r} goes up to {np.abs(present).max():.3g}, too far to square; rescale it")
    spread = float(np.ptp(present))
    if 0 < spread < _SMALLEST:
        raise ColumnError(f"column {name!r} runs over {spread:.3g}, too little to square; rescale it")
    if spread > 0:
        return [(Recipe(position, fill=float(present.mean())), name)]
    return [(Recipe(position, of_gaps=True), f"{name} is missing")] if absent.any() else None
