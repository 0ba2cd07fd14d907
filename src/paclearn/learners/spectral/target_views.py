"""What losses take, of targets as they are: rows x outputs. It is made a block of rows at a time, on workers, too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from paclearn.learners.spectral.target_scales import TargetScale

__all__ = ["OnScaleOf", "OneEach", "RanksOf", "TargetView", "as_column"]

TargetView = Callable[[NDArray[Any]], NDArray[np.float64]]


def as_column(targets: NDArray[Any]) -> NDArray[np.float64]:
    """The second of two classes as one."""
    return targets.astype(np.float64)[:, None]


@dataclass(frozen=True)
class OneEach:
    """Every class as one in an output of its own."""

    n_classes: int

    def __call__(self, targets: NDArray[Any]) -> NDArray[np.float64]:
        return np.eye(self.n_classes)[targets.astype(np.intp)]


@dataclass(frozen=True, eq=False)
class RanksOf:
    """The place of every class in their order."""

    ranks: NDArray[np.intp]

    def __call__(self, targets: NDArray[Any]) -> NDArray[np.float64]:
        return self.ranks[targets.astype(np.intp)].astype(np.float64)[:, None]


@dataclass(frozen=True)
class OnScaleOf:
    """Numbers on the scale that a model is linear on."""

    scale: TargetScale

    def __call__(self, targets: NDArray[Any]) -> NDArray[np.float64]:
        return self.scale.targets(targets.astype(np.float64, copy=False))[:, None]
