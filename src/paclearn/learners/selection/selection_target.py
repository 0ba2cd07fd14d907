"""The target of a selection or a discovery as it is counted: signs of classes, or numbers less their mean."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.counting import BitTable, CodeTable
from paclearn.counting.remote_engine import RemoteBits, packed
from paclearn.tables.weights import own_weights, summable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paclearn.tables.target import Target

__all__ = ["centred", "sign_columns", "table_to_count"]


def centred(target: Target) -> tuple[Target, float | None]:
    """Numbers less their mean, and the mean; classes stay as they are and have none."""
    if target.classes is not None:
        return target, None
    weights = np.ones(len(target.values)) if target.weights is None else target.weights
    mean = float(summable(weights * target.values).sum() / summable(weights).sum())
    return replace(target, values=target.values - mean), mean


def sign_columns(target: Target) -> NDArray[np.float64]:
    """Rows x targets: -1 and +1 for two classes; for more, each against the rest, less its mean; or the numbers."""
    if target.classes is None:
        return np.asarray(target.values, dtype=np.float64)[:, None]
    if target.n_classes == 2:
        return np.where(target.values == 1, 1.0, -1.0)[:, None]
    signs = np.where(target.values[:, None] == np.arange(target.n_classes), 1.0, -1.0)
    return np.asarray(signs - np.average(signs, axis=0, weights=target.weights))


def table_to_count(
    target: Target, codes: Iterable[NDArray[Any]], sizes: Sequence[int]
) -> BitTable | CodeTable | RemoteBits:
    """What to count cells with: rows of every class, or sums of weights and of (centred) numbers.

    What is summed is rounded so that sums are exact: in what order the rows come is of no account.
    """
    if target.classes is not None and target.weights is None:
        return packed(codes, sizes, target.values, target.n_classes)
    weights = np.ones(len(target.values)) if target.weights is None else target.weights
    own = own_weights(weights)
    if target.classes is not None:
        return CodeTable.of(codes, sizes, summable(np.column_stack([weights, own])), target.values, target.n_classes)
    y = target.values
    values = np.column_stack([weights, weights * y, weights * y * y, own, own * y * y])
    return CodeTable.of(codes, sizes, summable(values))
