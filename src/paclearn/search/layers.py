"""Rows in layers, so that weights and numbers can be counted: a number is a sum of powers of two, and so are sums.

A row of weight 5 lies in the layer that counts once and in the one that counts four times; a row whose target is 3/8
lies in the layers of a quarter and of an eighth. Counts of a conjunction in all layers then add up to its rows and to
the sum of its target, exactly and in any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.kernels.numpy_conjunctions import Totals

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BITS", "Layers", "layers_of"]

BITS = 20  # numbers and fractional weights are rounded to a millionth of the largest


@dataclass(frozen=True, eq=False)
class Layers:
    """Rows, each as often as it lies in a layer.

    Parameters
    ----------
    rows : ndarray of int or None
        The row of every entry; None where every row has one.
    layer : ndarray of int32
        Its layer.
    row_weights, target_weights : ndarray of float
        What an entry of each layer adds to rows and to the sum of the target, which goes from 0 to 1 here.
    squares : float
        Sum of squares of what the target differs from its mean.
    origin, unit : float
        The target itself is ``origin + unit * target``.
    """

    rows: NDArray[np.intp] | None
    layer: NDArray[np.int32]
    row_weights: NDArray[np.float64]
    target_weights: NDArray[np.float64]
    squares: float
    origin: float = 0.0
    unit: float = 1.0

    @property
    def n_layers(self) -> int:
        """How many layers there are."""
        return len(self.row_weights)

    @property
    def totals(self) -> Totals:
        """Rows of the table, and the sum of their target."""
        entries = np.bincount(self.layer, minlength=self.n_layers)
        return Totals(float(entries @ self.row_weights), float(entries @ self.target_weights), self.squares)

    def take(self, column: NDArray[Any]) -> NDArray[Any]:
        """The entries of a column."""
        return column if self.rows is None else column[self.rows]


def layers_of(target: NDArray[Any], weights: NDArray[np.float64] | None, *, numbers: bool) -> Layers:
    """The layers of a target: 0 and 1 for classes, or numbers; and of weights.

    Parameters
    ----------
    target : ndarray of shape (n_rows,)
        The target.
    weights : ndarray of shape (n_rows,) or None
        How many times each row counts.
    numbers : bool
        Whether the target is a number.
    """
    if not numbers:
        return _of_classes(np.asarray(target).astype(np.int64), weights)
    values = np.asarray(target, dtype=np.float64)
    origin, unit = float(values.min()), float(np.ptp(values)) or 1.0
    fixed = np.rint((values - origin) / unit * 2**BITS).astype(np.int64)
    whole, step = (np.ones(len(fixed), dtype=np.int64), 1.0) if weights is None else _fixed_point(weights)
    mass = whole * step
    share = fixed * 0.5**BITS
    mean = float(mass @ share / mass.sum())
    squares = float(mass @ (share - mean) ** 2)
    parts = [(*part, step, 0.0) for part in _binary(whole)]
    parts += [(*part, 0.0, step * 0.5**BITS) for part in _binary(whole * fixed)]
    return _stacked(parts, squares, origin, unit)


def _of_classes(target: NDArray[np.int64], weights: NDArray[np.float64] | None) -> Layers:
    if weights is None:
        share = float(target.mean())
        ends = np.array([1.0, 1.0]), np.array([0.0, 1.0])
        return Layers(None, target.astype(np.int32), *ends, len(target) * share * (1 - share))
    whole, step = _fixed_point(weights)
    share = float(whole @ target / whole.sum())
    negative = [(*part, step, 0.0) for part in _binary(whole * (1 - target))]
    positive = [(*part, step, step) for part in _binary(whole * target)]
    return _stacked([*negative, *positive], float(whole.sum()) * step * share * (1 - share), 0.0, 1.0)


def _fixed_point(weights: NDArray[np.float64]) -> tuple[NDArray[np.int64], float]:
    """Whole numbers and a step, a power of two; whole weights stay what they are."""
    largest = float(weights.max())
    step = 1.0 if np.array_equal(weights, np.rint(weights)) else 2.0 ** (np.ceil(np.log2(largest)) - BITS)
    return np.rint(weights / step).astype(np.int64), float(step)


def _binary(numbers: NDArray[np.int64]) -> list[tuple[NDArray[np.intp], float]]:
    """The rows that have a binary digit, and what it is worth, for every digit that occurs."""
    digits = ((np.flatnonzero(numbers >> b & 1), 2.0**b) for b in range(int(numbers.max(initial=0)).bit_length()))
    return [(rows, worth) for rows, worth in digits if len(rows)]


def _stacked(
    parts: list[tuple[NDArray[np.intp], float, float, float]], squares: float, origin: float, unit: float
) -> Layers:
    rows = np.concatenate([part[0] for part in parts])
    layer = np.repeat(np.arange(len(parts), dtype=np.int32), [len(part[0]) for part in parts])
    row_weights = np.array([worth * each for _, worth, each, _ in parts])
    target_weights = np.array([worth * each for _, worth, _, each in parts])
    return Layers(rows, layer, row_weights, target_weights, squares, origin, unit)
