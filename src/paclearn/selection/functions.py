"""Columns as functions of the rows: a number is itself, a word is one yes-or-no function a level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._progress import progress
from paclearn._validation import row_numbers
from paclearn.encoding import EncodingRules, learn_column, read_column
from paclearn.encoding.raw import Labels

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from paclearn._validation import Table

__all__ = ["Functions", "functions_of"]


@dataclass(frozen=True, eq=False)
class Functions:
    """Functions of the rows, each of one column, and the columns that have none because they never vary."""

    values: NDArray[np.float64]  # rows x functions
    owner: NDArray[np.intp]  # the column of every function
    names: tuple[str, ...]
    constants: dict[int, str]  # column -> its only value

    @property
    def standard(self) -> NDArray[np.float64]:
        """Mean zero and variance one (the population's) over the rows."""
        deviations = self.values - self.values.mean(axis=0)
        return deviations / deviations.std(axis=0)

    def of_columns(self, columns: NDArray[np.intp]) -> NDArray[np.intp]:
        """The functions of some columns, in the order of the columns."""
        mine = np.flatnonzero(np.isin(self.owner, columns))
        place = np.empty(int(self.owner.max(initial=0)) + 1, dtype=np.intp)
        place[columns] = np.arange(len(columns))
        return mine[np.argsort(place[self.owner[mine]], kind="stable")]


def functions_of(table: Table, rules: EncodingRules) -> Functions:
    """Read all columns; a missing number stands at the mean of its column, a missing word is a level."""
    values: list[NDArray[np.float64]] = []
    owner: list[int] = []
    names: list[str] = []
    constants: dict[int, str] = {}
    with progress("reading columns", len(table.names)) as advance:
        for position, name in enumerate(table.names):
            before = len(names)
            for function, of in _column_functions(table, position, rules):
                values.append(function)
                names.append(of)
                owner.append(position)
            if len(names) == before:
                constants[position] = name
            advance(1)
    matrix = np.column_stack(values) if values else np.empty((table.n_rows, 0))
    return Functions(matrix, np.array(owner, dtype=np.intp), tuple(names), constants)


def _column_functions(table: Table, position: int, rules: EncodingRules) -> Iterator[tuple[NDArray[Any], str]]:
    name = table.names[position]
    raw = read_column(table.column(position), name, row_numbers(table))
    if not isinstance(raw, Labels):
        numbers = raw.values
        absent = np.isnan(numbers)
        if not absent.all():
            numbers = np.where(absent, numbers[~absent].mean(), numbers)
            if np.ptp(numbers) > 0:
                yield numbers.astype(np.float64), name
        return
    column = learn_column(raw, name, position, rules)
    if isinstance(column, str):
        return
    codes = column.encode(raw)
    answers = [(bit.answers(column.n_codes)[codes].astype(np.float64), bit.name) for bit in column.bits(0)]
    if len(answers) > 1:  # the most frequent level is what the others leave, and the one equations start from
        answers.pop(int(np.argmax([values.mean() for values, _ in answers])))
    yield from answers
