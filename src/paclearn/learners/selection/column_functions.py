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

    from paclearn.tables.table import Table

__all__ = ["Functions", "functions_of", "standardise"]

_LARGEST = 1e140


@dataclass(frozen=True, eq=False)
class Functions:
    """Functions of the rows, each of one column, and the columns that have none because they never vary."""

    values: NDArray[np.float64]  # rows x functions
    owner: NDArray[np.intp]  # the column of every function
    names: tuple[str, ...]
    constants: dict[int, str]  # column -> its only value

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


def functions_of(table: Table, rules: EncodingRules) -> Functions:
    """Read all columns; a missing number stands at the mean of its column, a missing word is a level."""
    values: list[NDArray[np.float64]] = []
    owner: list[int] = []
    names: list[str] = []
    constants: dict[int, str] = {}
    with progress("reading columns", len(table.names)) as advance:
        for position, name in enumerate(table.names):
            found = _column_functions(table, position, rules)
            if found is None:
                constants[position] = name
            for function, of in found or ():
                values.append(function)
                names.append(of)
                owner.append(position)
            advance(1)
    matrix = np.column_stack(values) if values else np.empty((table.n_rows, 0))
    return Functions(matrix, np.array(owner, dtype=np.intp), tuple(names), constants)


def _column_functions(
    table: Table, position: int, rules: EncodingRules
) -> list[tuple[NDArray[np.float64], str]] | None:
    """Functions with their names; none where levels are too rare to tell anything, and None for a constant column."""
    name = table.names[position]
    raw = read_any(table, position)
    if isinstance(raw, Dates):
        raw = Numbers(np.where(raw.missing, np.nan, raw.values.astype(np.int64) / SECONDS_A_DAY))
    absent = raw.missing
    if absent.all():
        return None
    if not isinstance(raw, Labels):
        return _numbers(np.asarray(raw.values, dtype=np.float64), absent, name)
    column = learn_column(raw, name, position, rules)
    if isinstance(column, str):
        return None if len(set(raw.codes.tolist())) == 1 else []
    codes = column.encode(raw)
    answers = [(bit.answers(column.n_codes)[codes].astype(np.float64), bit.name) for bit in column.bits(0)]
    if len(answers) > 1:  # the most frequent level is what the others leave, and the one equations start from
        answers.pop(int(np.argmax([values.mean() for values, _ in answers])))
    return answers


def _numbers(
    numbers: NDArray[np.float64], absent: NDArray[np.bool_], name: str
) -> list[tuple[NDArray[np.float64], str]] | None:
    present = numbers[~absent]
    if np.abs(present).max() > _LARGEST:
        raise ColumnError(f"column {name!r} goes up to {np.abs(present).max():.3g}, too far to square; rescale it")
    if np.ptp(present) > 0:
        return [(np.where(absent, present.mean(), numbers), name)]
    return [(absent.astype(np.float64), f"{name} is missing")] if absent.any() else None
