"""What a report is about: a table, the target to be explained, and what is asked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from paclearn.models.asked_class import asked_class
from paclearn.report.report_options import Limits, ReportOptions
from paclearn.tables.read_once import read_once
from paclearn.tables.row_roles import NO_NAMES, NO_ROLES
from paclearn.tables.single_values import labels_and_numbers
from paclearn.tables.table import RowSubset

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.predicting import ModelEstimator
    from paclearn.tables.row_roles import RoleNames, RowRoles
    from paclearn.tables.table import Table
    from paclearn.tables.target import Target

__all__ = ["Subject"]

Estimator = TypeVar("Estimator", bound="ModelEstimator")


@dataclass(frozen=True, eq=False)
class Subject:
    """Rows that have a target (classes as text, or numbers), what is asked, and how much work it may be."""

    table: Table
    y: NDArray[Any]
    name: str
    classify: bool
    options: ReportOptions
    limits: Limits
    roles: RowRoles = NO_ROLES
    names: RoleNames = NO_NAMES  # of the columns that say so

    @classmethod
    def to_watch(cls, table: Table, column: Target, name: str, roles: RowRoles, seed: int) -> Subject:
        """Of a table that no page is made of, but whose columns are to be watched all the same."""
        options = ReportOptions(seed=seed, quick=True)
        limits = Limits.of(table.n_rows, len(table.names), 2, quick=True)
        return cls(read_once(table), column.y, name, column.classify, options, limits, roles)

    @cached_property
    def asked(self) -> str | None:
        """Of two classes the one that words and pictures speak of: the one that was named, or a person asks about."""
        if not self.classify:
            return None
        classes, numbers = labels_and_numbers(self.y)
        if len(classes) != 2:
            return None
        if self.options.positive is not None or self.options.ordered is not None:
            return self.options.positive or (self.options.ordered or ())[-1]
        return str(classes[asked_class(classes.tolist(), np.bincount(numbers).tolist())])

    def some(self, most: int) -> tuple[Table, NDArray[Any], RowRoles]:
        """At most so many rows, drawn at random, in the order of the table."""
        n = self.table.n_rows
        if n <= most:
            return self.table, self.y, self.roles
        rows = np.sort(np.random.RandomState(self.options.seed).permutation(n)[:most])
        return RowSubset(self.table, rows), self.y[rows], self.roles.take(rows)

    def fit(self, estimator: Estimator, most: int) -> Estimator:
        """An estimator fitted to at most so many rows."""
        table, y, roles = self.some(most)
        return estimator.fit(table, y, **roles.fit_arguments())
