"""Rows as codes with their classes and weights, and the conditions that can be asked of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.comparisons import holds
from paclearn.encoding.distinct import DistinctRows
from paclearn.encoding.folds import Part
from paclearn.learners.rules.column_screen import most_conditions, telling_columns
from paclearn.learners.rules.rule_pool import Pool
from paclearn.search.condition_pool import PoolLimits, condition_pool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Domain
    from paclearn.encoding.comparisons import Condition
    from paclearn.encoding.folds import Draws
    from paclearn.learners.fitting import Rows

__all__ = ["RuleRows"]


@dataclass(frozen=True, eq=False)
class RuleRows:
    """Different rows: codes of all columns, a class number and a weight each, and how many draws each stands for."""

    domain: Domain
    codes: tuple[NDArray[Any], ...]
    targets: NDArray[np.intp]
    weights: NDArray[np.float64]
    draws: Draws

    @classmethod
    def of(cls, domain: Domain, codes: Sequence[NDArray[Any]], rows: Rows) -> RuleRows:
        """Equal rows become one that counts as often; the order of the rows is of no account."""
        found = DistinctRows.in_order(np.column_stack(codes), rows.targets, rows.weights, rows.groups)
        different = tuple(c[found.first] for c in codes)
        return cls(domain, different, rows.targets[found.first], found.weights, found.draws)

    def take(self, part: Part) -> RuleRows:
        """Some of them, with the weights that they have there."""
        rows = part.kinds
        codes, draws = tuple(c[rows] for c in self.codes), self.draws.take(rows)
        return RuleRows(self.domain, codes, self.targets[rows], part.weights, draws)

    def some(self, most: int) -> RuleRows:
        """About so many at the most, evenly out of each class; their order depends on nothing but what they hold."""
        if self.n <= most:
            return self
        kinds = [np.flatnonzero(self.targets == label) for label in np.unique(self.targets)]
        places = [rows[np.linspace(0, len(rows) - 1, -(-len(rows) * most // self.n)).astype(np.intp)] for rows in kinds]
        chosen = np.sort(np.concatenate(places))
        return self.take(Part(chosen, self.weights[chosen], self.draws.counts[chosen].astype(np.float64)))

    def covers(self, conditions: Sequence[Condition]) -> NDArray[np.bool_]:
        """The rows for which all of some conditions hold."""
        return np.logical_and.reduce([holds(c, self.codes, self.domain.sizes) for c in conditions])

    @property
    def n(self) -> int:
        """How many."""
        return len(self.targets)

    @cached_property
    def class_weights(self) -> NDArray[np.float64]:
        """How much the rows of every class weigh."""
        return np.bincount(self.targets, self.weights).astype(np.float64)

    def pool(self, label: int, known: RuleRows | None = None) -> Pool:
        """Conditions that are of use for a class: levels act alike as some known rows say, or all of them."""
        some, n_columns = self if known is None else known, len(self.domain.columns)
        is_class, most = some.targets == label, most_conditions(self.n)
        columns = telling_columns(some.domain, some.codes, is_class, some.weights, most)
        limits = PoolLimits.within(some.domain, most // 2, columns)
        found = condition_pool(some.domain, some.codes, is_class.astype(np.float64), some.weights, limits, columns)
        asked = ((c, holds(c, self.codes, found.sizes)) for c in found.conditions)
        fewer = [f"{n_columns - len(columns):,} columns that say less"] if len(columns) < n_columns else []
        return Pool.of(self.domain, asked, self.n, (*fewer, *found.left_out))

    def signed(self, label: int, later: Sequence[int]) -> NDArray[np.float64]:
        """Weights: above nought for rows of a class, below for those of later ones.

        Rows of classes that come earlier were missed by their own rules: they are lost whatever comes.
        """
        return np.where(self.targets == label, self.weights, np.where(np.isin(self.targets, later), -self.weights, 0.0))
