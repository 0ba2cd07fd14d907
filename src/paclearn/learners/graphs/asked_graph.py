"""A graph whose questions are put to regressors: it can be drawn and told, and it predicts by asking them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from paclearn.learners.graphs.regression_graph import RegressionGraph
from paclearn.models.weak_graph import answers_of, native_rows, refuse_to_leave

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from paclearn.models.weak_graph import WeakQuestion
    from paclearn.tables.table import Table

__all__ = ["AskedGraph"]


@dataclass(frozen=True, eq=False)
class AskedGraph(RegressionGraph):
    """A graph over the answers of regressors; its columns are what they predict, each cut at a threshold.

    Parameters
    ----------
    shape, columns, asks, goes_low : GraphShape, tuple of Column, ndarray, ndarray
        As of `RegressionGraph`.
    questions : tuple of WeakQuestion
        The regressors and their thresholds, one an inner node.
    """

    questions: tuple[WeakQuestion, ...]

    def codes_of(self, table: Table) -> NDArray[np.uint8]:
        """What the regressors answer."""
        return answers_of(self.shape, self.questions, native_rows(table))

    def to_sql(self, table: str | None = None, *, keys: str | Sequence[str] = (), name: str = "prediction") -> str:  # noqa: ARG002
        """SQL cannot ask regressors."""
        refuse_to_leave(self.questions, "SQL cannot say")
