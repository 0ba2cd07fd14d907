"""How many rules, of how many conditions, for which class: whatever does best on rows that were left out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from paclearn.encoding.folds import splits
from paclearn.learners.rules.rule_growth import grow, path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.folds import Split
    from paclearn.learners.rules.rule_growth import Block, Order, Plan
    from paclearn.learners.rules.rule_rows import RuleRows

__all__ = ["Choice", "by_frequency", "choose", "errors_of", "orders_of", "prices_of"]

_CHEAPEST = 0.25  # rows that a literal must save, at the least
_FOLDS = 5
_ENOUGH = 3  # folds, where no row was told wrong in any
_DEAREST = 0.05  # share of all rows that it must save, at the most


@dataclass(frozen=True)
class Choice:
    """The order of the classes and the price of a literal, in rows; and on how much that rests."""

    order: Order
    price: float
    folds: int  # that were looked at
    of_folds: int


@dataclass
class _Record:
    """What was seen of one order and price on rows left out: errors and what the rules cost, summed over folds."""

    errors: float = 0.0
    cost: float = 0.0

    @property
    def rank(self) -> tuple[float, float]:
        """Errors first; among equals the rules that cost least."""
        return round(self.errors, 9), round(self.cost, 9)


def orders_of(class_weights: NDArray[np.float64]) -> tuple[Order, ...]:
    """Of two classes either may be told by rules, the second first; of more, the most frequent is the rest."""
    if len(class_weights) == 2:
        return (1, 0), (0, 1)
    return (tuple(int(i) for i in np.argsort(class_weights, kind="stable")),)


def prices_of(total: float) -> list[float]:
    """Doubling from a quarter of a row; in large tables from more."""
    prices = [_CHEAPEST * max(1.0, float(total) / 2_000)]
    while 2 * prices[-1] <= _DEAREST * total:
        prices.append(2 * prices[-1])
    return prices


def choose(rows: RuleRows, plan: Plan, rng: np.random.RandomState) -> Choice:
    """The order and the price of the fewest errors on rows left out; of equals the one of the least rules."""
    prices = prices_of(rows.weights.sum())
    # which price is best a few good triples say as well; and the rules of all rows may take as much work again
    plan = replace(plan, every=False, work=plan.work.part(1))
    every = splits(rows.draws, rows.targets, rng)[:_FOLDS]
    if rows.draws.n == 1:  # that is no row to learn from and another to judge by
        return Choice(by_frequency(plan.orders, rows), prices[0], 0, 0)
    records = {order: {price: _Record() for price in prices} for order in plan.orders}
    done = 0
    for split in every:
        if done and (not plan.work.left or (done >= _ENOUGH and _is_perfect(records[plan.orders[0]]))):
            break
        for order in plan.orders:
            _try(records[order], _trial(rows, split, order, prices, plan))
            if _is_perfect(records[order]):  # and then no other order has to be tried
                records = {order: records[order]}
                break
        plan = replace(plan, orders=tuple(records))
        done += 1
    order = _preferred(records)
    return Choice(order, min(prices, key=lambda price: (*records[order][price].rank, -price)), done, len(every))


def _try(records: dict[float, _Record], seen: Sequence[tuple[float, float]]) -> None:
    for record, (errors, cost) in zip(records.values(), seen, strict=True):
        record.errors += errors
        record.cost += cost


def _is_perfect(records: dict[float, _Record]) -> bool:
    return any(record.errors == 0 for record in records.values())


def by_frequency(orders: Sequence[Order], rows: RuleRows) -> Order:
    """That of which the rest is the most frequent class."""
    return max(orders, key=lambda order: rows.class_weights[order[-1]])


def _preferred(records: dict[Order, dict[float, _Record]]) -> Order:
    """The first order, but where another has clearly fewer errors, or as many at half of what the rules cost."""
    first, *others = records
    found = first
    for other in others:
        ours, theirs = (min(record.rank for record in records[order].values()) for order in (found, other))
        clearly = theirs[0] < ours[0] - np.sqrt(ours[0])
        if clearly or (theirs[0] <= ours[0] and 2 * theirs[1] < ours[1]):
            found = other
    return found


def _trial(
    rows: RuleRows, split: Split, order: Order, prices: Sequence[float], plan: Plan
) -> list[tuple[float, float]]:
    """For every price, the errors on rows left out and what the rules cost."""
    known, unknown = rows.take(split.train), rows.take(split.held)
    share = known.weights.sum() / rows.weights.sum()
    pools = {label: rows.pool(label, known) for label in order[:-1]}
    inside = {label: pool.of_rows(split.train.kinds) for label, pool in pools.items()}
    grown = grow(known, inside, order, plan, share * prices[0])
    found = []
    for blocks in path(grown, [share * price for price in prices], plan):
        covers = [pools[block.grown.label].of_rows(split.held.kinds).covers(block.rules) for block in blocks]
        cost = sum(float(block.grown.candidates.prices[list(block.chosen.chosen)].sum()) for block in blocks)
        found.append((errors_of(unknown, blocks, covers, order), cost))
    return found


def errors_of(rows: RuleRows, blocks: Sequence[Block], covers: Sequence[NDArray[np.bool_]], order: Order) -> float:
    """Weight of the rows whose class is not what the first rule that applies says."""
    said = np.full(rows.n, order[-1])
    for block, applies in zip(reversed(blocks), reversed(covers), strict=True):
        said[applies.any(axis=0)] = block.grown.label
    return float(rows.weights[said != rows.targets].sum())
