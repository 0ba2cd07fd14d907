"""The one module that reaches the compiled core for regression graphs; without it numpy gets the same bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.kernels import dispatch as counting
from paclearn.kernels import numpy_graphs as plain

_core: Any
try:
    from paclearn.kernels import _core
except ImportError:  # installed where no compiler was found
    _core = None

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.kernels.numpy_graphs import Found

__all__ = ["best_split", "fill_histogram", "partition_rows", "route_rows"]


def fill_histogram(
    codes: NDArray[np.uint8],
    layout: NDArray[np.int64],
    rows: NDArray[np.int32],
    weights: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Weight and weighted target of some rows, summed up by bin."""
    if not counting.available():
        return plain.fill_histogram(codes, layout, rows, weights, sums)
    histogram = np.zeros((int(layout[:, 1].sum()), 2))
    _core.fill_histogram(codes, np.ascontiguousarray(layout[:, 0]), rows, weights, sums, histogram)
    return histogram


def best_split(
    histogram: NDArray[np.float64],
    layout: NDArray[np.int64],
    tried: NDArray[np.int32],
    weight: float,
    total: float,
    least_weight: float,
) -> Found:
    """The first of the splits that gain most: gain, column, cut, and whether missing values go low."""
    if not counting.available():
        return plain.best_split(histogram, layout, tried, weight, total, least_weight)
    return _core.best_split(histogram, layout, tried, weight, total, least_weight)


def partition_rows(
    codes: NDArray[np.uint8], low: NDArray[np.uint8], rows: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Rows that go low and rows that go high."""
    if not counting.available():
        return plain.partition_rows(codes, low, rows)
    both = np.empty_like(rows)
    n_low = _core.partition_rows(codes, low, rows, both)
    return both[:n_low], both[n_low:]


def route_rows(
    codes: NDArray[np.uint8],
    column: NDArray[np.int32],
    low: NDArray[np.int32],
    high: NDArray[np.int32],
    tables: NDArray[np.uint8],
) -> NDArray[np.int32]:
    """The leaf that every row comes to."""
    if not counting.available():
        return plain.route_rows(codes, column, low, high, tables)
    leaf = np.empty(codes.shape[1], dtype=np.int32)
    _core.route_rows(codes, column, low, high, tables, leaf)
    return leaf
