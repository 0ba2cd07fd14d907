"""The kernel that was asked for, settled by the rows of the fit: they all lie in its unit ball."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.exceptions import InputError
from paclearn.models.kernel_functions import BaseKernel, Custom, Kernel, Linear, Polynomial, Precomputed, Rbf

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.halfspaces.training_points import Drawn

__all__ = ["KernelChoice", "pulled_back"]


@dataclass(frozen=True, eq=False)
class KernelChoice:
    """What is asked of a kernel; see `HalfspaceClassifier`."""

    kernel: Any
    nu: float
    bias: bool
    gamma: float | str
    degree: int
    coef0: float

    def settled(self, drawn: Drawn) -> Kernel:
        """With the largest of the rows at the edge of the ball."""
        base = self._base(drawn)
        largest = float(_squares(base, drawn).max())
        if isinstance(base, Precomputed) and not largest > 0:
            raise InputError("a precomputed kernel must have positive values on its diagonal; all were 0 or less")
        if not np.isfinite(largest):
            raise InputError(
                "rows are so large that their kernel is infinite; standardize=True or smaller units would do"
            )
        return Kernel(base, float(self.nu), bool(self.bias), largest if largest > 0 else 1.0)

    def _base(self, drawn: Drawn) -> BaseKernel:
        if callable(self.kernel):
            return Custom(self.kernel)
        if self.kernel in {"linear", "precomputed"}:
            return Linear() if self.kernel == "linear" else Precomputed()
        gamma = _gamma(drawn) if isinstance(self.gamma, str) else float(self.gamma)
        return Rbf(gamma) if self.kernel == "rbf" else Polynomial(int(self.degree), gamma, float(self.coef0))


def _squares(base: BaseKernel, drawn: Drawn) -> NDArray[np.float64]:
    """k of every row with itself."""
    if isinstance(base, Precomputed):
        return base.squares(drawn.points.rows[:, drawn.points.anchors])
    with np.errstate(over="ignore"):
        return base.squares(drawn.points.rows)


def _gamma(drawn: Drawn) -> float:
    """One over the mean squared distance from the average row."""
    rows, shares = drawn.points.rows, drawn.counts / drawn.counts.sum()
    variance = float(shares @ ((rows - shares @ rows) ** 2).sum(axis=1))
    return 1 / variance if variance > 0 else 1.0


def pulled_back(kernel: Kernel, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows that are to be anchors, inside the unit ball."""
    projection = kernel.projection(rows)
    if projection is None:
        return rows
    if not isinstance(kernel.base, Linear):
        raise InputError(
            "some rows lie outside the unit ball of the first call, and this kernel has no way to pull them back; "
            "let the first call hold the largest rows, or use kernel='linear' or 'rbf'"
        )
    return rows * projection[:, None]
