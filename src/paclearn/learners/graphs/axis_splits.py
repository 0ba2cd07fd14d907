"""Axis-parallel splits found on histograms."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING

import numpy as np

from paclearn.kernels import dispatch as native
from paclearn.kernels.numpy_graphs import level_order
from paclearn.learners.graphs.graph_tuning import TUNING
from paclearn.tables.weights import are_counts, own_weights, step_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.encoding.bins import BinnedTable
    from paclearn.encoding.folds import Part

__all__ = ["AxisBranching", "AxisLeaf", "BinnedRows", "ExactTarget", "HistogramBranching", "Question", "unit_of"]


@dataclass(frozen=True, eq=False)
class BinnedRows:
    """Codes of some rows, their targets scaled to [0, 1], how much each counts, and their groups if there are any."""

    table: BinnedTable
    scaled: NDArray[np.float64]
    weights: NDArray[np.float64]
    groups: NDArray[np.intp] | None = None

    def part(self, part: Part) -> BinnedRows:
        """Some of them, with the weights that they have there."""
        return BinnedRows(self.table.take(part.kinds), self.scaled[part.kinds], part.weights, part.groups)

    def goes_low(self, question: Question, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which of some rows go low."""
        return question.low[self.table.codes[question.column, rows]] > 0

    @property
    def n(self) -> int:
        """How many."""
        return len(self.scaled)


@dataclass(frozen=True, eq=False)
class ExactTarget:
    """Weights, weighted targets and weighted squares of the rows, rounded to multiples of one power of two so that all
    sums are exact.

    Then histograms add and subtract without error, the order of the rows is of no account, and a row of weight three
    is three rows.
    """

    weights: NDArray[np.float64]
    sums: NDArray[np.float64]
    squares: NDArray[np.float64]

    @classmethod
    def of(cls, targets: NDArray[np.float64], weights: NDArray[np.float64], total: float | None = None) -> ExactTarget:
        """Targets lie in [0, 1]; where these are some of the rows, ``total`` is what all of them weigh."""
        step = step_of(float(weights.sum()) if total is None else total)
        rounded, near = (np.round(values / step) * step for values in (weights, targets))
        sums = np.round(rounded * near / step) * step
        return cls(rounded, sums, np.round(sums * near / step) * step)


def unit_of(weights: NDArray[np.float64]) -> float:
    """The weight of what is drawn independently: of a row, where weights do not say how often each occurs."""
    return 1.0 if are_counts(weights) else fsum(own_weights(weights)) / fsum(weights)


@dataclass(frozen=True, eq=False)
class Question:
    """Which codes of a column go low."""

    column: int
    low: NDArray[np.uint8]


@dataclass(eq=False)
class AxisLeaf:
    """The rows of a leaf, their weight and the sums of their weighted targets and squares; and the best split, once
    looked for.
    """

    rows: NDArray[np.int32]
    weight: float
    total: float
    squares: float
    histogram: NDArray[np.float64] | None
    gain: float = 0.0
    question: Question | None = None
    found: tuple[int, int, bool] | None = None  # column, cut, where missing values go: a question once one is asked for

    def without(self, side: AxisLeaf, rows: NDArray[np.int32]) -> AxisLeaf:
        """What is left when one side is taken out, given its rows: all sums are exact."""
        left = None if self.histogram is None or side.histogram is None else self.histogram - side.histogram
        squares = self.squares - side.squares
        return AxisLeaf(rows, self.weight - side.weight, self.total - side.total, squares, left)

    def chance(self, unit: float) -> float:
        """By how much a level more raises the squares between levels that say nothing.

        Over all ways to deal out the targets to the rows, k levels have (k - 1) s^2 between them on the average,
        where s^2 is the variance of the targets (Kelley, 1935).
        """
        around = self.squares - self.total * self.total / self.weight
        return unit * max(around, 0.0) / (self.weight - unit) if self.weight > unit else 0.0


class HistogramBranching:
    """Splits leaves where some column's histogram says.

    Parameters
    ----------
    layout : ndarray
        Where the bins of every column lie, see `BinnedTable`.
    least_weight : float
        That each side of a split must have.
    unit : float
        Weight of what is drawn independently.
    max_features : int, default=None
        How many columns, drawn anew, are looked at; all of them if None.
    rng : RandomState, default=None
        Draws them.
    """

    def __init__(
        self,
        layout: NDArray[np.int64],
        least_weight: float,
        unit: float = 1.0,
        max_features: int | None = None,
        rng: np.random.RandomState | None = None,
    ) -> None:
        self.layout, self.least_weight, self.unit = layout, least_weight, unit
        self._every = np.arange(len(self.layout), dtype=np.int32)
        self._some, self._rng = max_features, rng
        self._keep = self.layout[:, 1].sum() * 16 * TUNING.many_leaves <= TUNING.most_histogram_bytes

    def _count(self, leaf: AxisLeaf) -> NDArray[np.float64]:
        """The histogram of a leaf that has none any more."""
        raise NotImplementedError

    def look(self, leaf: AxisLeaf) -> None:
        """Look for the best split of a leaf."""
        histogram = self._count(leaf) if leaf.histogram is None else leaf.histogram
        found = native.best_split(
            histogram, self.layout, self._tried(), leaf.weight, leaf.total, self.least_weight, leaf.chance(self.unit)
        )
        leaf.gain, leaf.found = found[0], None if found[1] < 0 else found[1:]
        leaf.histogram = histogram
        if not self._keep:
            leaf.question = None if leaf.found is None else self.question(leaf)
            leaf.histogram = None

    def question(self, leaf: AxisLeaf) -> Question:
        """That of the best split of a leaf; most leaves are never asked for it."""
        if leaf.question is None:
            assert leaf.histogram is not None and leaf.found is not None  # noqa: S101, PT018 - only leaves with a split are split
            column, cut, missing_low = leaf.found
            leaf.question = self._question(leaf.histogram, column, cut, missing_low=missing_low)
        return leaf.question

    def _tried(self) -> NDArray[np.int32]:
        if self._some is None or self._rng is None or self._some >= len(self._every):
            return self._every
        return np.sort(self._rng.permutation(self._every)[: self._some])

    def _question(self, histogram: NDArray[np.float64], column: int, cut: int, *, missing_low: bool) -> Question:
        """Codes that the leaf has no rows of go where most of its rows go."""
        start, size, present, levels = self.layout[column].tolist()
        bins = histogram[start : start + size]
        absent = bins[:, 0] == 0
        low = np.zeros(256, dtype=np.uint8)
        if levels:
            low[level_order(bins)[: cut + 1]] = 1
        else:
            above = bins[cut + 1 : present, 0].any()
            low[: cut + 1 if above or missing_low else present] = 1  # nothing above: what counts is to be present
            low[present:] = missing_low
            absent[:present] = False  # numbers have a side, seen or not
            absent[present:] = absent[present:].all()
        most = 2 * bins[low[:size] > 0, 0].sum() >= bins[:, 0].sum()
        low[:size][absent] = most
        low[size:] = most
        return Question(column, low)


class AxisBranching(HistogramBranching):
    """The same for rows that are here; leaves are merged by adding histograms."""

    def __init__(
        self,
        table: BinnedTable,
        target: ExactTarget,
        least_weight: float,
        unit: float = 1.0,
        max_features: int | None = None,
        rng: np.random.RandomState | None = None,
    ) -> None:
        super().__init__(table.layout, least_weight, unit, max_features, rng)
        self.table, self.target = table, target

    def root(self) -> AxisLeaf:
        """All rows."""
        return self._leaf(np.arange(self.table.n_rows, dtype=np.int32))

    def _leaf(self, rows: NDArray[np.int32], histogram: NDArray[np.float64] | None = None) -> AxisLeaf:
        target = self.target
        weight, total, squares = (float(each[rows].sum()) for each in (target.weights, target.sums, target.squares))
        return AxisLeaf(rows, weight, total, squares, histogram)

    def _count(self, leaf: AxisLeaf) -> NDArray[np.float64]:
        return self._histogram(leaf.rows)

    def _histogram(self, rows: NDArray[np.int32]) -> NDArray[np.float64]:
        return native.fill_histogram(self.table.codes, self.layout, rows, self.target.weights, self.target.sums)

    def children(self, leaf: AxisLeaf) -> tuple[AxisLeaf, AxisLeaf]:
        """The two sides of the best split. The smaller one is counted, the larger one is what is left."""
        question = self.question(leaf)
        low, high = native.partition_rows(self.table.codes[question.column], question.low, leaf.rows)
        few, many = (low, high) if len(low) <= len(high) else (high, low)
        smaller = self._leaf(few, None if leaf.histogram is None else self._histogram(few))
        larger = leaf.without(smaller, many)
        return (smaller, larger) if few is low else (larger, smaller)

    def joined(self, leaves: list[AxisLeaf]) -> AxisLeaf:
        """One leaf with the rows of all."""
        kept = [leaf.histogram for leaf in leaves if leaf.histogram is not None]
        histogram = np.sum(kept, axis=0) if len(kept) == len(leaves) else None
        weight, total = sum(leaf.weight for leaf in leaves), sum(leaf.total for leaf in leaves)
        squares = sum(leaf.squares for leaf in leaves)
        return AxisLeaf(np.concatenate([leaf.rows for leaf in leaves]), weight, total, squares, histogram)
