"""Classes as targets in [0, 1]."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["class_targets"]


def class_targets(numbers: NDArray[np.float64], n_classes: int) -> list[NDArray[np.float64]]:
    """One target a graph: the second of two classes, or each of more."""
    classes = [1] if n_classes == 2 else range(n_classes)
    return [(numbers == number).astype(np.float64) for number in classes]
