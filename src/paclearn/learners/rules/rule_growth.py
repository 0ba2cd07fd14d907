"""From rows to sets of rules, one class after another: candidates are looked for, and then chosen from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paclearn.learners.rules.rule_search import best_conjunctions_of
from paclearn.learners.rules.rule_set import Budget, Candidates, RuleSet, best_set

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from paclearn.learners.rules.rule_pool import Pool
    from paclearn.learners.rules.rule_rows import RuleRows
    from paclearn.learners.rules.rule_search import Conjunction
    from paclearn.learners.rules.rule_work import Work

__all__ = ["Block", "Grown", "Order", "Plan", "grow", "path"]

Order = tuple[int, ...]  # classes in the order in which they are asked for; the last is what is said otherwise

_FIRST, _LATER = 100, 30  # conjunctions to keep of every length and trade: of all rows, and of those not yet covered
_ROUNDS, _FEW_ROUNDS = 6, 2  # and where rules are looked for only to choose a price


@dataclass(frozen=True)
class Plan:
    """How rules may be learned.

    ``most`` conditions a rule, within a budget; ``orders`` of the classes to be tried; by so much work. Whether
    ``every`` conjunction of three is looked at where they are many, of all rows, or those alone that extend the best
    pairs, as it is of the rows that are left.
    """

    most: int
    budget: Budget
    orders: tuple[Order, ...]
    work: Work
    every: bool = True


@dataclass(frozen=True, eq=False)
class Grown:
    """Candidates for the rules of one class, over all its rows and those of the classes after it."""

    label: int
    pool: Pool
    candidates: Candidates
    signed: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Block:
    """The rules that were chosen for a class."""

    grown: Grown
    chosen: RuleSet

    @property
    def rules(self) -> list[Conjunction]:
        """As conditions of the pool."""
        return [self.grown.candidates.rules[i] for i in self.chosen.chosen]

    @property
    def literals(self) -> float:
        """Of all of them."""
        return float(self.grown.candidates.literals[list(self.chosen.chosen)].sum())


def grow(
    rows: RuleRows,
    pools: Mapping[int, Pool],
    order: Order,
    plan: Plan,
    price: float,
) -> list[Grown]:
    """Candidates for every class but the last."""
    return [
        _grown(pools[label], rows.signed(label, order[i + 1 :]), label, plan, price)
        for i, label in enumerate(order[:-1])
    ]


def _grown(pool: Pool, signed: NDArray[np.float64], label: int, plan: Plan, price: float) -> Grown:
    """The best conjunctions of all rows; then of those that the best set of them leaves; and so on."""
    rules = set(best_conjunctions_of(pool, signed, plan.most, _FIRST, price, plan.work, every=plan.every))
    candidates = Candidates.of(pool, sorted(rules))
    for _ in range(_ROUNDS if plan.every else _FEW_ROUNDS):
        if not plan.work.left:
            break
        weighed = candidates.weigh(signed)
        chosen = best_set(weighed, price, plan.budget).chosen
        plan.work.spend(weighed.operations(len(chosen)))
        covered = weighed.covered(chosen)
        left = np.where(covered, 0.0, signed)
        if left.max(initial=0.0) <= 0:
            break
        more = set(best_conjunctions_of(pool, left, plan.most, _LATER, price, plan.work, every=False)) - rules
        if not more:
            break
        rules |= more
        candidates = Candidates.of(pool, sorted(rules))
    return Grown(label, pool, candidates, signed)


def path(grown: Sequence[Grown], prices: Sequence[float], plan: Plan) -> Iterator[list[Block]]:
    """The best set found at every price, from low prices to high ones, each starting from the one before."""
    before: list[Sequence[int]] = [()] * len(grown)
    for number, price in enumerate(prices):
        blocks = list(_in_turn(grown, price, plan.budget, before, thorough=number == 0))
        plan.work.spend(sum(b.grown.candidates.weigh(b.grown.signed).operations(len(b.rules)) for b in blocks))
        before = [block.chosen.chosen for block in blocks]
        yield blocks


def _in_turn(
    grown: Sequence[Grown], price: float, budget: Budget, before: Sequence[Sequence[int]], *, thorough: bool
) -> Iterator[Block]:
    """Rules of one class after another, each of the rows that those before it leave."""
    covered = np.zeros(len(grown[0].signed) if grown else 0, dtype=bool)
    for one, start in zip(grown, before, strict=True):
        weighed = one.candidates.weigh(np.where(covered, 0.0, one.signed))
        block = Block(one, best_set(weighed, price, budget, [start], thorough=thorough))
        covered |= weighed.covered(block.chosen.chosen)
        budget = budget.left(len(block.rules), block.literals)
        yield block
