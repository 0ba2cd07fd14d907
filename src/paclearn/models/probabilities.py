"""Classes as targets in [0, 1], and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["class_targets", "normalised"]


def class_targets(numbers: NDArray[np.float64], n_classes: int) -> list[NDArray[np.float64]]:
    """One target a graph: the second of two classes, or each of more."""
    classes = [1] if n_classes == 2 else range(n_classes)
    return [(numbers == number).astype(np.float64) for number in classes]


def normalised(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probabilities that add up to one; where all graphs say never, all classes are as likely."""
    if shares.shape[1] == 1:
        return np.column_stack([1 - shares, shares])
    total = shares.sum(axis=1, keepdims=True)
    return np.where(total > 0, shares / np.where(total > 0, total, 1.0), 1.0 / shares.shape[1])
