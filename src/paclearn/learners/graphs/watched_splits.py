r"""Graphs that grow on some rows and are judged by others, of which sums over leaves say it all.

A leaf that says v is off by :math:`\sum w (t - v)^2 = S_2 - 2 v S_1 + v^2 S_0` for the rows in it that the graph does
not see, with :math:`S_k = \sum w t^k`. These sums are exact, and so the same wherever the rows lie.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.kernels import dispatch as native
from paclearn.learners.graphs.axis_splits import AxisBranching, AxisLeaf, ExactTarget
from paclearn.tables.weights import step_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.encoding.bins import BinnedTable
    from paclearn.learners.graphs.graph_growth import Growth

__all__ = ["WatchedBranching", "WatchedGrowth", "held_sums"]


def held_sums(scaled: NDArray[np.float64], weights: NDArray[np.float64], total: float) -> NDArray[np.float64]:
    """For every row its weight, times its target, and times its square, so that sums of them are exact.

    Parameters
    ----------
    scaled : ndarray
        Targets in [0, 1].
    weights : ndarray
        Of the rows.
    total : float
        What all rows of the table weigh.
    """
    step = step_of(total)
    powers = np.column_stack([np.ones(len(scaled)), scaled, scaled**2])
    return np.asarray(np.round(powers * weights[:, None] / step) * step)


@dataclass(eq=False)
class WatchedLeaf(AxisLeaf):
    """A leaf, with the rows left out that come to it, and the sums over them."""

    held_rows: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    held: NDArray[np.float64] = field(default_factory=lambda: np.zeros(3))


class WatchedBranching(AxisBranching):
    """Splits leaves by some rows of a table, and takes those that are left out along.

    Parameters
    ----------
    table : BinnedTable
        All rows.
    scaled, weights : ndarray
        Their targets, and how often each counts.
    out : ndarray of bool
        Which are left out.
    least_weight : float
        That each side of a split must have.
    unit : float
        Weight of what is drawn independently.
    """

    def __init__(
        self,
        table: BinnedTable,
        scaled: NDArray[np.float64],
        weights: NDArray[np.float64],
        out: NDArray[np.bool_],
        least_weight: float,
        unit: float,
    ) -> None:
        super().__init__(table, ExactTarget.of(scaled, np.where(out, 0.0, weights)), least_weight, unit)
        self._out, self._held = out, held_sums(scaled, weights, float(weights.sum()))

    def root(self) -> AxisLeaf:
        some, others = (np.flatnonzero(rows).astype(np.int32) for rows in (~self._out, self._out))
        return self._with(self._leaf(some), others)

    def children(self, leaf: Any) -> tuple[AxisLeaf, AxisLeaf]:
        low, high = super().children(leaf)
        sides = native.partition_rows(self.table.codes[leaf.question.column], leaf.question.low, leaf.held_rows)
        return self._with(low, sides[0]), self._with(high, sides[1])

    def joined(self, leaves: list[Any]) -> AxisLeaf:
        return self._with(super().joined(leaves), np.concatenate([leaf.held_rows for leaf in leaves]))

    def _with(self, leaf: AxisLeaf, rows: NDArray[np.int32]) -> WatchedLeaf:
        own = leaf.rows, leaf.weight, leaf.total, leaf.squares, leaf.histogram
        return WatchedLeaf(*own, held_rows=rows, held=self._sum(rows))

    def _sum(self, rows: NDArray[np.int32]) -> NDArray[np.float64]:
        return np.asarray(self._held[rows].sum(axis=0))


class WatchedGrowth:
    """A graph as it grows, and how it predicts the rows that were left out."""

    def __init__(self, growth: Growth) -> None:
        self._growth = growth

    def advance(self) -> bool:
        """Let it grow by a round; says whether it did."""
        return self._growth.round()

    @property
    def _leaves(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Of every leaf what it says, and its sums."""
        leaves: list[Any] = list(self._growth.leaves.values())
        return np.array([leaf.total / leaf.weight for leaf in leaves]), np.array([leaf.held for leaf in leaves])

    @property
    def error(self) -> float:
        """The sum of squared errors."""
        value, held = self._leaves
        return float((held[:, 2] - 2 * value * held[:, 1] + value**2 * held[:, 0]).sum())

    @property
    def gains(self) -> tuple[float, float]:
        """By how much rows are predicted better than by a constant: the sum, and the sum of squares."""
        value, held = self._leaves
        root = self._growth.nodes[0]
        constant = root.total / root.weight
        # of a row with target t: (t - constant)^2 - (t - value)^2 = first - twice * t
        first, twice = constant**2 - value**2, 2 * (constant - value)
        squares = first**2 * held[:, 0] - 2 * first * twice * held[:, 1] + twice**2 * held[:, 2]
        return float((first * held[:, 0] - twice * held[:, 1]).sum()), float(squares.sum())
