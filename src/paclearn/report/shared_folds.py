"""Rows in folds: what every model is fitted to, and what it is judged on."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.folds import folds_of_groups
from paclearn.exceptions import InputError
from paclearn.tables.row_roles import NO_ROLES
from paclearn.tables.single_values import labels_and_numbers
from paclearn.tables.table import RowSubset

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from paclearn.report.subject import Subject
    from paclearn.tables.row_roles import RowRoles
    from paclearn.tables.table import Table

__all__ = ["Fold", "Folds"]

_NEVER = -1  # the fold of rows that are only learned from
_ONE_IN = 3  # rows is judged where there is one split


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
    def roles(self) -> RowRoles:
        """Their groups and weights."""
        return self.folds.roles.take(self.train)

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """How much each counts; None where all count once."""
        return self.roles.weights

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
    roles: RowRoles = field(default=NO_ROLES)

    @classmethod
    def draw(cls, subject: Subject) -> Folds:
        """At most so many rows, drawn at random; every fold has its share of every class.

        Of very many rows a third is judged, once, and the others are learned from.
        """
        table, y, most, roles = subject.table, subject.y, subject.limits.folds_rows, subject.roles
        rng = np.random.RandomState(subject.options.seed)
        rows = rng.permutation(len(y))
        if len(rows) > most:
            some = np.sort(rows[:most])
            table, y, roles = RowSubset(table, some), y[some], roles.take(some)
            rows = rng.permutation(most)
        folds = cls(table, y, np.empty(len(y), dtype=np.intp), subject.classify, roles)
        if subject.limits.n_folds > 1:
            return folds.shared_out(subject.limits.n_folds, rows, subject.options.seed)
        return folds.shared_out(_ONE_IN, rows, subject.options.seed).one_split()

    def one_split(self) -> Folds:
        """The same rows, of which the first fold is judged, and the others only learned from."""
        return self._numbered(np.where(self.number == 0, 0, _NEVER))

    def shared_out(self, n_folds: int, rows: NDArray[np.intp], seed: int) -> Folds:
        """The same rows in so many folds, as an order of them says; groups stay whole."""
        strata = labels_and_numbers(self.y)[1] if self.classify else np.zeros(len(self.y), dtype=np.intp)
        if self.roles.groups is not None:
            generator = np.random.default_rng(seed)
            return self._numbered(folds_of_groups(self.roles.groups, strata, n_folds, generator))
        number = np.empty(len(self.y), dtype=np.intp)
        order = rows[np.argsort(strata[rows], kind="stable")]
        number[order] = np.arange(len(self.y)) % min(n_folds, len(self.y))
        return self._numbered(number)

    def by_time(self, share: float) -> Folds:
        """The same rows, of which the last ones are judged, and the others learned from.

        Rows of the same moment are on the same side, and so are those of a group, which stands where its last row does.
        """
        times = self._times()
        since = np.sort(times)[int((1 - share) * len(times))]
        last = times >= since
        if last.all():
            last = times > since
        if not last.any():
            raise InputError("every group has rows of the last moment; no group is past, to learn from")
        return self._numbered(np.where(last, 0, _NEVER))

    def _times(self) -> NDArray[np.float64]:
        times, groups = self.roles.times, self.roles.groups
        assert times is not None  # noqa: S101 - asked for by those who know
        if groups is None:
            return times
        latest = np.full(int(groups.max()) + 1, -np.inf)
        np.maximum.at(latest, groups, times)
        return np.asarray(latest[groups])

    def _numbered(self, number: NDArray[np.intp]) -> Folds:
        return Folds(self.table, self.y, number, self.classify, self.roles)

    @cached_property
    def n_folds(self) -> int:
        """How many."""
        return int(self.number.max()) + 1

    @cached_property
    def asked(self) -> NDArray[np.intp]:
        """The rows that are held out once."""
        return np.flatnonzero(self.number != _NEVER)

    @cached_property
    def truth(self) -> NDArray[Any]:
        """Their targets."""
        return self.y[self.asked]

    @cached_property
    def classes(self) -> NDArray[Any] | None:
        """The classes in order; None for numbers."""
        return labels_and_numbers(self.y)[0] if self.classify else None

    def __iter__(self) -> Iterator[Fold]:
        for k in range(self.n_folds):
            yield Fold(self, np.flatnonzero(self.number != k), np.flatnonzero(self.number == k))
