"""Scores of subsets, from their counts alone. A new score is one small class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.counting.engines import Fused

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.counting import Counts, Engine

__all__ = [
    "AccuracyScore",
    "CentredScore",
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
        """The same score as the compiled core knows it; None where Python alone does.

        Parameters
        ----------
        n_rows : float
            Rows of the table.
        """
        return None


def class_counts(values: NDArray[Any], n_classes: int) -> NDArray[np.float64]:
    """Rows (or their weights) of every class in every cell."""
    return values.reshape(*values.shape[:-1], n_classes, -1)[..., 0].astype(np.float64)


def own_counts(values: NDArray[Any], n_classes: int) -> NDArray[np.float64]:
    """The weight of the rows in their own votes, see `own_weights`; the rows themselves where they have no weights."""
    channels = values.reshape(*values.shape[:-1], n_classes, -1)
    return channels[..., 1 if channels.shape[-1] > 1 else 0].astype(np.float64)


@dataclass(frozen=True, eq=False)
class ZeroOneScore(Score):
    r"""How well the majority vote of the cells does, corrected for every row's part in its own vote.

    For labels -1 and +1, with ``a_c`` positive and ``b_c`` negative rows in cell c and ``s_c = a_c - b_c``,

    .. math:: \frac{1}{n-1} \sum_c \frac{a_c |s_c - 1| + b_c |s_c + 1|}{e_c}

    where ``e_c`` is the number of rows in the cell (``marginals=None``: the measure M_n of Heidari, Sreedharan,
    Shamir and Szpankowski 2021, equation 7; half of one plus it reads as an accuracy) or the number expected of
    independent columns, ``n P(c)`` (score_1 of Heidari, Shamir and Szpankowski, about 2020, equation 8). With more
    classes, the mean over one class against the rest.

    The numerator is :math:`n_c |s_c| - |s_c|`, and :math:`n_c` where :math:`s_c = 0`; rows of relative weight w take
    w squared off instead of one.

    Parameters
    ----------
    n_classes : int
        How many classes there are.
    marginals : ndarray of shape (n_units, n_codes), default=None
        P(unit = code), for columns that are taken for independent.
    """

    n_classes: int
    marginals: NDArray[np.float64] | None = None

    def __call__(self, counts: Counts) -> NDArray[np.float64]:
        rows, own = class_counts(counts.values, self.n_classes), own_counts(counts.values, self.n_classes)
        in_cell, own_in_cell = rows.sum(axis=-1), own.sum(axis=-1)
        n = in_cell.sum(axis=-1)
        expected = in_cell if self.marginals is None else n[:, None] * _cell_probabilities(counts, self.marginals)
        first = 1 if self.n_classes == 2 else 0  # two classes: one score serves both
        sign = 2 * rows[..., first:] - in_cell[..., None]
        own_sign = 2 * own[..., first:] - own_in_cell[..., None]
        votes = in_cell[..., None] * np.abs(sign) - np.sign(sign) * own_sign
        votes = np.where(sign == 0, own_in_cell[..., None], np.maximum(votes, 0)).mean(axis=-1)
        without_own = n - own_in_cell.sum(axis=-1) / n
        return _ratio(_ratio(votes, expected).sum(axis=-1), without_own)

    def fused(self, n_rows: float) -> Fused | None:
        scale = 1 / max(n_rows - 1, 1) / _one_against_rest(self.n_classes)
        if self.marginals is None:
            return Fused("empirical", scale)
        return Fused("product", scale, _inverse(self.marginals))


@dataclass(frozen=True, eq=False)
class CentredScore(Score):
    r"""How far the frequencies of the classes in the cells are from their frequencies in the table.

    The score above compares votes, and a vote for one of ten classes against the rest seldom changes. Here the labels
    of each class against the rest have their mean taken off first; what is left is the same, corrected in the same way:

    .. math:: \frac{1}{n-1} \sum_c \frac{a_c |s_c - u| + b_c |s_c + v|}{n_c}

    with :math:`u = 2 - 2p` and :math:`v = 2p` for a class of frequency p, and :math:`s_c` the sum of the labels in the
    cell. The score is the mean over the classes.

    Parameters
    ----------
    n_classes : int
        How many classes there are.
    """

    n_classes: int

    def __call__(self, counts: Counts) -> NDArray[np.float64]:
        rows, own = class_counts(counts.values, self.n_classes), own_counts(counts.values, self.n_classes)
        in_cell = rows.sum(axis=-1, keepdims=True)
        n = in_cell.sum(axis=1)
        frequency = (rows.sum(axis=1) / n)[:, None, :]
        others = in_cell - rows
        sign = 2 * (rows - in_cell * frequency)
        part, rest = _ratio(own, rows), _ratio(own.sum(axis=-1, keepdims=True) - own, others)
        votes = rows * np.abs(sign - part * (2 - 2 * frequency)) + others * np.abs(sign + rest * 2 * frequency)
        without_own = n[:, 0] - own.sum(axis=(1, 2)) / n[:, 0]
        return _ratio(_ratio(votes, np.broadcast_to(in_cell, votes.shape)).sum(axis=1).mean(axis=-1), without_own)


@dataclass(frozen=True, eq=False)
class L2Score(Score):
    r"""The squared two-norm of the target's projection, as the code of Heidari, Sreedharan et al. (2021) has it.

    With labels -1 and +1 it is :math:`\sum_c s_c^2 / (n^2 P(c))`, the sum of the squared coefficients of all subsets of
    the units in the basis of independent units. With more classes, the mean over one class against the rest.

    Parameters
    ----------
    n_classes, marginals : int, ndarray
        See `ZeroOneScore`.
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
    """Leave-one-out accuracy of the most frequent class of the cell; a tie is a fair guess.

    Parameters
    ----------
    n_classes : int
        See `ZeroOneScore`.
    """

    n_classes: int

    def __call__(self, counts: Counts) -> NDArray[np.float64]:
        rows, own = class_counts(counts.values, self.n_classes), own_counts(counts.values, self.n_classes)
        correct = np.zeros(rows.shape[:2])
        for label in range(self.n_classes):
            others = np.delete(rows, label, axis=-1)
            mine = rows[..., label] - _ratio(own[..., label], rows[..., label])
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

    Parameters
    ----------
    weighted : bool, default=False
        Whether the table has the rows' own weights, and those times the square of the target, in two more channels:
        they replace ``n_c`` and ``q_c`` in what is taken off.
    """

    weighted: bool = False

    def __call__(self, counts: Counts) -> NDArray[np.float64]:
        weight, total, square = (counts.values[..., i] for i in range(3))
        own, own_square = (counts.values[..., i] for i in ((3, 4) if self.weighted else (0, 2)))
        pairs = weight**2 - own  # the weight of all pairs of different rows
        enough = pairs > 1e-9 * weight**2
        explained = np.where(enough, (total**2 - own_square) * weight, 0.0) / np.where(enough, pairs, 1.0)
        return _ratio(explained.sum(axis=-1), square.sum(axis=-1))  # a target without variance has nothing to explain

    def fused(self, n_rows: float) -> Fused | None:  # noqa: ARG002 - the sums know
        return Fused("weighted squares" if self.weighted else "squares", 1.0)


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
