"""What a report is about: a table, the target to be explained, and what is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from paclearn.tables.table import RowSubset

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.predicting import ModelEstimator
    from paclearn.report.report_options import Limits, ReportOptions
    from paclearn.tables.table import Table

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

    def some(self, most: int) -> tuple[Table, NDArray[Any]]:
        """At most so many rows, drawn at random, in the order of the table."""
        n = self.table.n_rows
        if n <= most:
            return self.table, self.y
        rows = np.sort(np.random.RandomState(self.options.seed).permutation(n)[:most])
        return RowSubset(self.table, rows), self.y[rows]

    def fit(self, estimator: Estimator, most: int) -> Estimator:
        """An estimator fitted to at most so many rows."""
        return estimator.fit(*self.some(most))
