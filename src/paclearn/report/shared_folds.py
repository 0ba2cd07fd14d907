"""Rows in folds: what every model is fitted to, and what it is judged on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.tables.table import RowSubset

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from paclearn.report.subject import Subject
    from paclearn.tables.table import Table

__all__ = ["Fold", "Folds"]


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows to learn from and rows to be judged on."""

    folds: Folds
    train: NDArray[np.intp]
    test: NDArray[np.intp]

    @cached_property
    def known(self) -> Table:
        """The rows to learn from."""
        return RowSubset(self.folds.table, self.train)

    @cached_property
    def y(self) -> NDArray[Any]:
        """Their targets."""
        return self.folds.y[self.train]

    @cached_property
    def unknown(self) -> Table:
        """The rows to be judged on."""
        return RowSubset(self.folds.table, self.test)


@dataclass(frozen=True, eq=False)
class Folds:
    """Some rows of a table, their targets, and the fold that each is held out in."""

    table: Table
    y: NDArray[Any]
    number: NDArray[np.intp]
    classify: bool

    @classmethod
    def draw(cls, subject: Subject) -> Folds:
        """At most so many rows, drawn at random; every fold has its share of every class."""
        table, y, most = subject.table, subject.y, subject.limits.folds_rows
        rng = np.random.RandomState(subject.options.seed)
        rows = rng.permutation(len(y))
        if len(rows) > most:
            some = np.sort(rows[:most])
            table, y = RowSubset(table, some), y[some]
            rows = rng.permutation(most)
        groups = np.unique(y, return_inverse=True)[1] if subject.classify else np.zeros(len(y), dtype=np.intp)
        number = np.empty(len(y), dtype=np.intp)
        order = rows[np.argsort(groups[rows], kind="stable")]
        number[order] = np.arange(len(y)) % min(subject.limits.n_folds, len(y))
        return cls(table, y, number, subject.classify)

    @cached_property
    def n_folds(self) -> int:
        """How many."""
        return int(self.number.max()) + 1

    @cached_property
    def classes(self) -> NDArray[Any] | None:
        """The classes in order; None for numbers."""
        return np.unique(self.y) if self.classify else None

    def __iter__(self) -> Iterator[Fold]:
        for k in range(self.n_folds):
            yield Fold(self, np.flatnonzero(self.number != k), np.flatnonzero(self.number == k))
