"""From rows of a table to what the solvers take: different points of a unit ball, and the targets of each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.coordinates import NumberColumn, learn_coordinates, read_numbers, vectors_of, with_means
from paclearn.encoding.distinct import DistinctRows
from paclearn.encoding.folds import Draws
from paclearn.learners.halfspaces.halfspace_loss import ABSOLUTE
from paclearn.tables.table import ArrayTable, RowSubset

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.encoding import Column, EncodingRules
    from paclearn.encoding.folds import Part
    from paclearn.learners.fitting import Rows
    from paclearn.learners.halfspaces.halfspace_loss import Loss
    from paclearn.tables.table import Table

__all__ = ["Drawn", "Points", "Sample", "first_points", "indicators", "more_points", "precomputed_points"]


@dataclass(frozen=True, eq=False)
class Points:
    """Training rows in both of their parts: as rows, and as anchors of the functions that are learned."""

    rows: NDArray[Any]
    anchors: NDArray[Any]

    def __len__(self) -> int:
        return len(self.anchors)

    def __getitem__(self, some: Any) -> Points:
        rows = self.rows[some]
        return Points(rows, rows if self.rows is self.anchors else self.anchors[some])


@dataclass(frozen=True, eq=False)
class Sample:
    """A problem: points, their targets (0 or 1, one column an output), how often each counts, B of each output, and the
    loss.
    """

    points: Points
    targets: NDArray[np.float64]
    counts: NDArray[np.float64]
    radius: NDArray[np.float64]
    loss: Loss = ABSOLUTE

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, some: Any) -> Sample:
        return replace(self, points=self.points[some], targets=self.targets[some], counts=self.counts[some])

    def part(self, part: Part) -> Sample:
        """Some of them, with the weights that they have there."""
        return replace(self[part.kinds], counts=part.weights)

    @property
    def shares(self) -> NDArray[np.float64]:
        """Of every point in all that count."""
        return np.asarray(self.counts / self.counts.sum())


@dataclass(frozen=True, eq=False)
class Drawn:
    """Different training points with their classes, how often each counts, and which of them every row is.

    ``codes`` has one number a point and column: the number itself, or the code of a level.
    """

    columns: tuple[Column, ...]
    codes: NDArray[np.float64]
    points: Points
    classes: NDArray[np.intp]
    counts: NDArray[np.float64]
    kind: NDArray[np.intp]
    groups: NDArray[np.intp] | None = None

    def __len__(self) -> int:
        return len(self.points)

    def sample(self, n_classes: int, radius: float, loss: Loss) -> Sample:
        """The problem of telling the classes apart within one ball."""
        targets = indicators(self.classes, n_classes)
        return Sample(self.points, targets, self.counts, np.full(targets.shape[1], float(radius)), loss)

    @property
    def draws(self) -> Draws:
        """Every point as so many draws, to be shared out over folds."""
        return Draws.of(self.counts, np.bincount(self.kind, minlength=len(self)), self.groups)

    @property
    def centre(self) -> NDArray[np.float64]:
        """The average row."""
        return np.asarray(self.counts / self.counts.sum() @ self.points.rows)


def first_points(rows: Rows, rules: EncodingRules, *, standardize: bool) -> Drawn:
    """Columns are learned, and with them what becomes of numbers."""
    columns, numbers = learn_coordinates(rows.table, rules, rows.weights)
    kinds = DistinctRows.mixed(numbers, rows.targets, rows.counts, rows.groups)
    different = numbers[kinds.first]
    return _drawn(with_means(columns, different, kinds.weights, standardize=standardize), different, rows, kinds)


def more_points(rows: Rows, columns: tuple[Column, ...]) -> Drawn:
    """Of more rows, with the columns of the first ones."""
    numbers = read_numbers(columns, rows.table)
    kinds = DistinctRows.mixed(numbers, rows.targets, rows.counts, rows.groups)
    return _drawn(columns, numbers[kinds.first], rows, kinds)


def _drawn(columns: tuple[Column, ...], codes: NDArray[np.float64], rows: Rows, kinds: DistinctRows) -> Drawn:
    vectors = vectors_of(columns, list(codes.T))
    classes = rows.targets[kinds.first]
    return Drawn(columns, codes, Points(vectors, vectors), classes, kinds.weights, kinds.kind, kinds.groups)


def precomputed_points(rows: Rows) -> Drawn:
    """Rows are kernel values with all rows of the table, and anchors are numbers of rows."""
    values, numbers = _matrix_of(rows.table)
    columns = tuple(NumberColumn(name, i, missing=False) for i, name in enumerate(rows.table.names))
    points, every = Points(values, numbers), np.arange(rows.n)
    return Drawn(columns, values, points, rows.targets, rows.counts, every, rows.groups)


def _matrix_of(table: Table) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Precomputed kernel values and the numbers of their rows."""
    if isinstance(table, RowSubset):
        values, numbers = _matrix_of(table.table)
        return values[table.rows], numbers[table.rows]
    assert isinstance(table, ArrayTable)  # noqa: S101 - what a precomputed kernel is read as
    return table.values, np.arange(table.n_rows)


def indicators(classes: NDArray[np.intp], n_classes: int) -> NDArray[np.float64]:
    """Targets 0 and 1: one column for two classes, otherwise one each."""
    ones = np.eye(n_classes)[classes]
    return np.ascontiguousarray(ones[:, 1:]) if n_classes == 2 else ones
