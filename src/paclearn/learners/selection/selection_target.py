"""The target of a selection or a discovery: classes or numbers, with the weights of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.multiclass import type_of_target

from paclearn._parameters import check_choice
from paclearn.counting import BitTable, CodeTable
from paclearn.encoding import MOST_CLASSES
from paclearn.exceptions import TargetError
from paclearn.tables.table import RowSubset
from paclearn.tables.target import class_target, numeric_target
from paclearn.tables.weights import own_weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paclearn.tables.table import Table

__all__ = ["Target", "read_target"]

_LARGEST = 1e140


@dataclass(frozen=True, eq=False)
class Target:
    """Class numbers with the classes, or numbers less their mean; ``weights`` is None where all rows count once."""

    values: NDArray[Any]
    classes: NDArray[Any] | None
    weights: NDArray[np.float64] | None
    mean: float = 0.0

    @property
    def n_classes(self) -> int:
        """How many classes there are; one for numbers."""
        return 1 if self.classes is None else len(self.classes)

    def take(self, rows: NDArray[np.intp]) -> Target:
        """The target of some rows, in this order."""
        weights = None if self.weights is None else self.weights[rows]
        return Target(self.values[rows], self.classes, weights, self.mean)

    def counted(self, table: Table) -> tuple[Table, Target]:
        """The table and the target without rows of weight zero; classes that leave with them are gone."""
        if self.weights is None or self.weights.all():
            return table, self
        rows = np.flatnonzero(self.weights)
        return RowSubset(table, rows), _recounted(self.take(rows))

    def signs(self) -> NDArray[np.float64]:
        """Rows x targets: -1 and +1 for two classes; for more, each against the rest, less its mean; or the numbers."""
        if self.classes is None:
            return np.asarray(self.values, dtype=np.float64)[:, None]
        if self.n_classes == 2:
            return np.where(self.values == 1, 1.0, -1.0)[:, None]
        signs = np.where(self.values[:, None] == np.arange(self.n_classes), 1.0, -1.0)
        return np.asarray(signs - np.average(signs, axis=0, weights=self.weights))

    def table(self, codes: Iterable[NDArray[Any]], sizes: Sequence[int]) -> BitTable | CodeTable:
        """What to count cells with."""
        if self.classes is not None and self.weights is None:
            return BitTable.pack(codes, sizes, self.values, self.n_classes)
        weights = np.ones(len(self.values)) if self.weights is None else self.weights
        own = own_weights(weights)
        if self.classes is not None:
            return CodeTable.of(codes, sizes, np.column_stack([weights, own]), self.values, self.n_classes)
        y = self.values
        return CodeTable.of(codes, sizes, np.column_stack([weights, weights * y, weights * y * y, own, own * y * y]))


def read_target(y: Any, n_rows: int, weights: NDArray[np.float64] | None, task: str = "auto") -> Target:
    """The target as classes or as numbers; ``auto`` takes fractions, and many different integers, for numbers."""
    check_choice("task", task, ("auto", "classification", "regression"))
    if task == "regression" or (task == "auto" and _looks_numeric(y)):
        return _numbers(numeric_target(y, n_rows), weights)
    return _classes(*class_target(y, n_rows), weights)


def _recounted(target: Target) -> Target:
    if target.classes is None:
        return _numbers(target.values + target.mean, target.weights)
    present, labels = np.unique(target.values, return_inverse=True)
    return _classes(target.classes[present], labels, target.weights)


def _numbers(numbers: NDArray[np.float64], weights: NDArray[np.float64] | None) -> Target:
    if np.abs(numbers).max() > _LARGEST:
        raise TargetError(f"the target goes up to {np.abs(numbers).max():.3g}, too far to square; rescale it")
    mean = float(np.average(numbers, weights=weights))
    if np.ptp(numbers) == 0:
        raise TargetError(f"the target is {numbers[0]:g} in all {len(numbers)} rows; there is nothing to explain")
    return Target(numbers - mean, None, weights, mean)


def _classes(classes: NDArray[Any], labels: NDArray[Any], weights: NDArray[np.float64] | None) -> Target:
    if len(classes) < 2:
        only = classes.tolist()[0]
        raise TargetError(
            f"the target has one class only ({only!r} in all {len(labels)} rows); at least two are needed"
        )
    return Target(labels, classes, weights)


def _looks_numeric(y: Any) -> bool:
    if y is None:
        return False
    values = np.asarray(y)
    if values.dtype.kind not in "iuf" or values.ndim != 1 or not np.isfinite(values).all():
        return False
    return type_of_target(values) == "continuous" or len(np.unique(values)) > MOST_CLASSES
