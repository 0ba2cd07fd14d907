r"""Whole points for true terms, chosen together: never by rounding one weight at a time.

Minimises the loss on some rows over the worth of a point u, the total at which scores begin b and whole numbers
:math:`p_t` near :math:`w_t / u`, where the score of a row is :math:`b + u \sum_t p_t [t \text{ is true}]`: one point of
one term is added or taken away as long as that helps, and u and b are fitted anew each time (coordinate descent). Rows
of which the same terms are true are one, and so are those of the same total: only a handful of numbers is left to fit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from scipy.special import expit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ClassRows", "NumberRows", "Points", "Rows", "in_whole_points"]

_SWEEPS = 50
_NEWTON_STEPS = 12
_HELD = 1e-5  # how strongly u and b are held to those of the model: they are finite where classes are apart
_NO_BETTER = 1e-9


@dataclass(frozen=True, eq=False)
class Points:
    """Points of all terms, what a point is worth, the score without any, and the mean loss of it all."""

    points: NDArray[np.int64]
    unit: float
    base: float
    loss: float


class Totals(NamedTuple):
    """Different totals of points, how many rows have each, and the sums of their targets."""

    totals: NDArray[np.float64]
    rows: NDArray[np.float64]
    sums: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Rows(ABC):
    """Rows to fit points to: which terms are true of each, what happened, how much each counts.

    Rows that were merged have the mean of their targets; what these differ by is the sum of squares ``within``.
    """

    truth: NDArray[np.bool_]
    targets: NDArray[np.float64]
    weights: NDArray[np.float64] | None = None
    within: float = 0.0

    @classmethod
    def of(cls, truth: NDArray[np.bool_], targets: NDArray[np.float64], weights: NDArray[np.float64] | None) -> Self:
        """The same, with rows of which the same terms are true as one."""
        own = np.ones(len(targets)) if weights is None else weights
        truth, targets, own = truth[own > 0], targets[own > 0], own[own > 0]
        keys = np.packbits(truth, axis=1)
        _, first, group = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        masses = np.bincount(group.ravel(), own).astype(np.float64)
        means = np.bincount(group.ravel(), own * targets) / masses
        return cls(truth[first], means, masses, float(own @ (targets - means[group.ravel()]) ** 2))

    @cached_property
    def columns(self) -> NDArray[np.int64]:
        """Terms x rows."""
        return np.ascontiguousarray(self.truth.T).astype(np.int64)

    @cached_property
    def _sums(self) -> NDArray[np.float64]:
        return self.targets if self.weights is None else self.targets * self.weights

    def fitted(self, totals: NDArray[np.int64], unit: float, base: float) -> tuple[float, float, float]:
        """The worth of a point, the score without any and the mean loss, from a guess of the first two."""
        low = int(totals.min(initial=0))
        place = totals - low
        rows = np.bincount(place, self.weights).astype(np.float64)
        sums = np.bincount(place, self._sums).astype(np.float64)
        seen = np.flatnonzero(rows)
        return self._fit(Totals((seen + low).astype(np.float64), rows[seen], sums[seen]), unit, base)

    @abstractmethod
    def _fit(self, seen: Totals, unit: float, base: float) -> tuple[float, float, float]:
        """The same, from the different totals of points."""


class ClassRows(Rows):
    """Targets are 1 for the second class and 0 for the first: log loss, by Newton's method."""

    def _fit(self, seen: Totals, unit: float, base: float) -> tuple[float, float, float]:
        totals, rows, sums = seen
        n = rows.sum()
        known = np.stack([totals, np.ones_like(totals)])
        guess = np.array([unit, base])
        point = guess.copy()
        for _ in range(_NEWTON_STEPS):
            share = expit(point @ known)
            gradient = known @ (rows * share - sums) / n + _HELD * (point - guess)
            hessian = (known * (rows * share * (1 - share))) @ known.T / n + _HELD * np.eye(2)
            step = np.linalg.solve(hessian, gradient)
            point = point - np.clip(step, -2, 2)
            if np.abs(step).max() < 1e-6:
                break
        scores = point @ known
        loss = float((rows * np.logaddexp(0, scores) - sums * scores).sum() / n)
        return float(point[0]), float(point[1]), loss


class NumberRows(Rows):
    """Targets are numbers: squared error, by least squares."""

    def _fit(self, seen: Totals, unit: float, base: float) -> tuple[float, float, float]:
        totals, rows, sums = seen
        n = rows.sum()
        centre, mean = float(rows @ totals / n), float(sums.sum() / n)
        squares = float(rows @ (totals - centre) ** 2)
        slope = float((totals - centre) @ sums) / squares if squares else unit
        start = mean - slope * centre if squares else base
        rest = self._squares - 2 * float((start + slope * totals) @ sums) + float(rows @ (start + slope * totals) ** 2)
        return slope, start, rest / n

    @cached_property
    def _squares(self) -> float:
        return float(self._sums @ self.targets) + self.within


def in_whole_points(rows: Rows, weights: NDArray[np.float64], base: float, most: int) -> Points:
    """Points of which the largest is about ``most``, from weights of true terms and the score without any."""
    unit = float(np.abs(weights).max()) / most or 1.0
    points = np.rint(weights / unit).astype(np.int64)
    totals = points @ rows.columns
    best = Points(points, *rows.fitted(totals, unit, base))
    for _ in range(_SWEEPS):
        better = _one_step(rows, best, points @ rows.columns, most)
        if better is None:
            break
        best, points = better, better.points
    return best


def _one_step(rows: Rows, best: Points, totals: NDArray[np.int64], most: int) -> Points | None:
    """The best that one point more or less of one term gives; None where nothing helps."""
    found = None
    for term in range(len(best.points)):
        for step in (-1, 1):
            points = best.points.copy()
            points[term] += step
            if abs(points[term]) > most:
                continue
            new = Points(points, *rows.fitted(totals + step * rows.columns[term], best.unit, best.base))
            if new.unit > 0 and new.loss < (found or best).loss - _NO_BETTER:
                found = new
    return found
