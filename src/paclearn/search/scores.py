"""Scores of subsets, from their counts alone. A new score is one small class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.counting import Fused

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.counting import Counts, Engine

__all__ = [
    "AccuracyScore",
    "L2Score",
    "Score",
    "SquaredErrorScore",
    "ZeroOneScore",
    "class_counts",
    "product_marginals",
]


class Score(ABC):
    """Higher is better."""

    @abstractmethod
    def __call__(self, counts: Counts) -> NDArray[np.float64]:
        """The score of every subset of a block."""

    def fused(self, n_rows: float) -> Fused | None:  # noqa: ARG002 - most scores are known to Python only
        """The same score as the compiled core knows it, for a table of so many rows."""
        return None


def class_counts(values: NDArray[Any], n_classes: int) -> NDArray[np.float64]:
    """Rows (or their weights) of every class in every cell."""
    return values.reshape(*values.shape[:-1], n_classes, -1)[..., 0].astype(np.float64)


@dataclass(frozen=True, eq=False)
class ZeroOneScore(Score):
    r"""How well the majority vote of the cells does, corrected for every row's part in its own vote.

    For labels -1 and +1, with ``a_c`` positive and ``b_c`` negative rows in cell c and ``s_c = a_c - b_c``,

    .. math:: \frac{1}{n-1} \sum_c \frac{a_c |s_c - 1| + b_c |s_c + 1|}{e_c}

    where ``e_c`` is the number of rows in the cell (``marginals=None``: the measure M_n of the feature selection paper;
    half of one plus it is an accuracy) or the number expected of independent columns, ``n P(c)`` (score_1 of the
    universal learning paper, its equation 8). With more classes, the mean over one class against the rest.
    """

    n_classes: int
    marginals: NDArray[np.float64] | None = None

    def __call__(self, counts: Counts) -> NDArray[np.float64]:
        rows = class_counts(counts.values, self.n_classes)
        in_cell = rows.sum(axis=-1)
        n = in_cell.sum(axis=-1)
        expected = in_cell if self.marginals is None else n[:, None] * _cell_probabilities(counts, self.marginals)
        positive = rows[..., 1:] if self.n_classes == 2 else rows  # two classes: one score serves both
        negative = in_cell[..., None] - positive
        sign = positive - negative
        votes = (positive * np.abs(sign - 1) + negative * np.abs(sign + 1)).mean(axis=-1)
        return _ratio(votes, expected).sum(axis=-1) / np.maximum(n - 1, 1)

    def fused(self, n_rows: float) -> Fused | None:
        scale = 1 / max(n_rows - 1, 1) / _one_against_rest(self.n_classes)
        if self.marginals is None:
            return Fused("empirical", scale)
        return Fused("product", scale, _inverse(self.marginals))


@dataclass(frozen=True, eq=False)
class L2Score(Score):
    r"""The squared two-norm of the target's projection, as the published code of the selection paper has it.

    With labels -1 and +1 it is :math:`\sum_c s_c^2 / (n^2 P(c))`, the sum of the squared coefficients of all subsets of
    the units in the basis of independent units. With more classes, the mean over one class against the rest.
    """

    n_classes: int
    marginals: NDArray[np.float64]

    def __call__(self, counts: Counts) -> NDArray[np.float64]:
        rows = class_counts(counts.values, self.n_classes)
        in_cell = rows.sum(axis=-1)
        n = in_cell.sum(axis=-1)
        positive = rows[..., 1:] if self.n_classes == 2 else rows
        squares = ((2 * positive - in_cell[..., None]) ** 2).mean(axis=-1)
        return _ratio(squares, n[:, None] * _cell_probabilities(counts, self.marginals)).sum(axis=-1) / n

    def fused(self, n_rows: float) -> Fused | None:
        return Fused("l2", 1 / n_rows / _one_against_rest(self.n_classes), _inverse(self.marginals))


@dataclass(frozen=True, eq=False)
class AccuracyScore(Score):
    """Leave-one-out accuracy of the most frequent class of the cell; a tie is a fair guess."""

    n_classes: int

    def __call__(self, counts: Counts) -> NDArray[np.float64]:
        rows = class_counts(counts.values, self.n_classes)
        correct = np.zeros(rows.shape[:2])
        for label in range(self.n_classes):
            others = np.delete(rows, label, axis=-1)
            mine = rows[..., label] - 1
            best = others.max(axis=-1)
            tied = 1 + (others == mine[..., None]).sum(axis=-1)
            correct += rows[..., label] * np.where(mine > best, 1.0, np.where(mine == best, 1 / tied, 0.0))
        return correct.sum(axis=-1) / rows.sum(axis=(1, 2))


@dataclass(frozen=True, eq=False)
class SquaredErrorScore(Score):
    r"""The share of the target's variance that the means of the cells explain, corrected as above.

    From the sums ``n_c``, ``s_c`` and ``q_c`` of weights, weighted targets and weighted squares (of targets with mean
    zero) the U-statistic :math:`\sum_c \frac{n_c}{n} \frac{s_c^2 - q_c}{n_c (n_c - 1)}` estimates the variance of the
    cell means; a cell with a single row contributes nothing.
    """

    def __call__(self, counts: Counts) -> NDArray[np.float64]:
        weight, total, square = (counts.values[..., i] for i in range(3))
        n = weight.sum(axis=-1)
        enough = weight > 2 - 1e-9
        explained = np.where(enough, total**2 - square, 0.0) / np.where(enough, weight - 1, 1.0)
        # a target without variance has nothing to explain
        return _ratio(explained.sum(axis=-1), square.sum(axis=-1)) * np.ones_like(n)


def _one_against_rest(n_classes: int) -> int:
    """Over how many scores of one class against the rest the mean is taken; two classes have one between them."""
    return 1 if n_classes == 2 else n_classes


def _inverse(marginals: NDArray[np.float64]) -> NDArray[np.float64]:
    return _ratio(np.ones_like(marginals), marginals)


def product_marginals(engine: Engine, n_classes: int) -> NDArray[np.float64]:
    """P(unit = code) for every unit and code, zero beyond a unit's codes."""
    singles = engine.counts(np.arange(engine.n_units)[:, None])
    rows = class_counts(singles.values, n_classes).sum(axis=-1)
    return rows / rows.sum(axis=1, keepdims=True)


def _cell_probabilities(counts: Counts, marginals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probability of every cell if the units were independent."""
    m, cells = counts.values.shape[:2]
    cell = np.arange(cells)[None, :]
    stride = np.ones((m, 1), dtype=np.int64)
    probability = np.ones((m, cells))
    for t in reversed(range(counts.subsets.shape[1])):
        size = counts.sizes[:, t : t + 1]
        probability *= marginals[counts.subsets[:, t : t + 1], cell // stride % size]
        stride = stride * size
    return np.where(cell < stride, probability, 0.0)


def _ratio(top: NDArray[np.float64], bottom: NDArray[np.float64]) -> NDArray[np.float64]:
    """top / bottom, and 0 where the bottom is 0."""
    return np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0)
