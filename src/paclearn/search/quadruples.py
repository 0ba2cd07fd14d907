r"""Conjunctions of four, exactly: one condition after another, and behind it the triples of the rows it holds for.

With every other condition narrowed to the rows of the first, a scan of triples counts quadruples. What cannot reach the
best so far is left out before: a longer conjunction has some of the :math:`a` rows of the class and some of the
:math:`b` others, and every quality of classes is largest at a corner of what that leaves, :math:`(a, 0)`,
:math:`(0, b)`, :math:`(a, b)` or nothing (Morishita and Sese 2000; for precision :math:`\min(1, a / m)`, with m the
least rows).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from paclearn.kernels.numpy_conjunctions import TIE_DIGITS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from paclearn.kernels.numpy_conjunctions import Totals
    from paclearn.search.qualities import Quality

__all__ = ["Behind", "Quadruples"]

_SLACK = 1e-9  # weights are rounded where they are counted, and here they are not


@dataclass(frozen=True, eq=False)
class Behind:
    """What may follow a first condition: other conditions by number, and their answers where the first holds too."""

    first: int
    conditions: NDArray[np.intp]
    answers: NDArray[np.bool_]

    def members(self, triples: NDArray[np.int32]) -> NDArray[np.int32]:
        """Conjunctions of four, conditions in order, from triples by place."""
        whole = np.column_stack([np.full(len(triples), self.first), self.conditions[triples]])
        return np.sort(whole, axis=1).astype(np.int32)


@dataclass(frozen=True, eq=False)
class Quadruples:
    """Conditions (rows x conditions), their groups, and what conjunctions of them are worth."""

    answers: NDArray[np.bool_]
    groups: NDArray[np.int64]
    target: NDArray[np.float64] | None  # 0 and 1; None for numbers, of which no bound is known here
    weights: NDArray[np.float64]
    quality: Quality
    totals: Totals
    min_rows: float

    @cached_property
    def order(self) -> list[int]:
        """Conditions that can be the first, in the order of their groups."""
        by_group = np.argsort(self.groups, kind="stable")
        return [int(c) for c in by_group if len(np.unique(self.groups[self.groups > self.groups[c]])) >= 3]

    def n_behind(self, first: int) -> int:
        """How many conjunctions begin with a condition: Newton's identity for triples of later groups."""
        later = np.bincount(self.groups[self.groups > self.groups[first]])
        sums, squares, cubes = (int((later.astype(np.int64) ** power).sum()) for power in (1, 2, 3))
        return (sums**3 - 3 * sums * squares + 2 * cubes) // 6

    def behind(self, first: int, floor: float) -> Behind | None:
        """The conditions of later groups with which, as far as is known, a conjunction may reach the floor."""
        rows, later = self.answers[:, first], np.flatnonzero(self.groups > self.groups[first])
        narrowed = self.answers[:, later] & rows[:, None]
        hopeful = self._bound(np.flatnonzero(rows), narrowed) >= floor - _SLACK
        if len(np.unique(self.groups[later[hopeful]])) < 3:
            return None
        return Behind(first, later[hopeful], narrowed[:, hopeful])

    def _bound(self, rows: NDArray[np.intp], answers: NDArray[np.bool_]) -> NDArray[np.float64]:
        """The most that any conjunction within each of some, none of which holds elsewhere, can be worth."""
        if self.target is None:
            return np.full(answers.shape[1], np.inf)
        mass = self.weights[rows] * np.array([self.target[rows], 1 - self.target[rows]])
        ups, downs = mass @ answers[rows]
        if self.quality.kind == "precision":
            return np.asarray(ups / np.maximum(np.maximum(ups, self.min_rows), 1e-9))
        corners = [(ups, ups), (downs, np.zeros_like(ups)), (ups + downs, ups)]
        return np.max([self._measure(rows, sums) for rows, sums in corners], axis=0)

    def _measure(self, rows: NDArray[np.float64], sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Nothing for what has no rows, and no less: the fewer rows of others alone, the nearer it is to nought."""
        found = self.quality.measure(np.maximum(rows, 1e-9), np.minimum(sums, rows), self.totals)
        return np.where(rows > 0, np.maximum(found, 0.0), 0.0)


def minimal_ones(
    members: NDArray[np.int32],
    measures: NDArray[np.float64],
    measure_of: Callable[[NDArray[np.int32]], NDArray[np.float64]],
) -> NDArray[np.bool_]:
    """Whether each conjunction is better than all of its shorter forms."""
    better = np.ones(len(members), dtype=bool)
    for size in range(1, members.shape[1]):
        for part in combinations(range(members.shape[1]), size):
            shorter = measure_of(np.ascontiguousarray(members[:, part]))
            better &= np.rint(measures * TIE_DIGITS) > np.rint(shorter * TIE_DIGITS)
    return better


def asked_again(n_best: int, most: int = 2**20) -> Iterator[int]:
    """How many to ask for: more and more, where some will be left out."""
    while n_best <= most:
        yield n_best
        n_best *= 4
