"""The target of a selection or a discovery as it is counted: signs of classes, or numbers less their mean."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.counting.remote_engine import RemoteRows, packed, summed_codes
from paclearn.counting.summed_values import SquareValues, VoteValues, whole_weights
from paclearn.tables.remote_numbers import RemoteNumbers
from paclearn.tables.weights import summable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paclearn.counting import BitTable, CodeTable
    from paclearn.counting.summed_values import SummedValues
    from paclearn.tables.target import Target

__all__ = ["centred", "sign_columns", "table_to_count"]


def centred(target: Target) -> tuple[Target, float | None]:
    """Numbers less their mean, and the mean; classes stay as they are and have none."""
    if target.classes is not None:
        return target, None
    values: Any = target.values
    if isinstance(values, RemoteNumbers):
        return replace(target, values=replace(values, centre=values.mean)), values.mean  # type: ignore[arg-type]
    weights = np.ones(len(target.values)) if target.weights is None else target.weights
    mean = float(summable(weights * target.values).sum() / summable(weights).sum())
    return replace(target, values=target.values - mean), mean


def sign_columns(target: Target, *, centred: bool = False) -> NDArray[np.float64]:
    """Rows x targets: -1 and +1 for two classes; for more, each against the rest, less its mean; or the numbers."""
    if target.classes is None:
        return np.asarray(target.values, dtype=np.float64)[:, None]
    if target.n_classes == 2:
        votes = np.where(target.values == 1, 1.0, -1.0)
        return (votes - np.average(votes, weights=target.weights) if centred else votes)[:, None]
    signs = np.where(target.values[:, None] == np.arange(target.n_classes), 1.0, -1.0)
    return np.asarray(signs - np.average(signs, axis=0, weights=target.weights))


def table_to_count(
    target: Target, codes: Iterable[NDArray[Any]], sizes: Sequence[int]
) -> BitTable | CodeTable | RemoteRows:
    """What to count cells with: rows of every class, or sums of weights and of (centred) numbers."""
    if target.classes is not None and target.weights is None:
        return packed(codes, sizes, target.values, target.n_classes)
    whole = whole_weights(target.weights)
    values: SummedValues = VoteValues(whole, once=False)
    numbers: Any = target.values
    if target.classes is None:
        centre = numbers.centre if isinstance(numbers, RemoteNumbers) else 0.0
        values = SquareValues(centre, whole, once=False, weighted=True)
    return summed_codes(codes, sizes, values, numbers, target.weights, target.n_classes)
