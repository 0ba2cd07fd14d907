r"""Sets of rules and what they cost: errors and literals; made better one rule at a time.

.. math:: \sum_{i\ \text{missed or wrongly covered}} w_i + \lambda \sum_{r} (1 + |r|),

with |r| the literals of a rule, ever so slightly more where they are harder to read.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.learners.rules.rule_pool import Pool
    from paclearn.learners.rules.rule_search import Conjunction

__all__ = ["Budget", "Candidates", "RuleSet", "Weighed", "best_set"]

_MOST_ROUNDS = 40
_MOST_EXCHANGED = 16  # rules of a set that are tried one by one
_SLACK = 1e-9
_A_LOOK, _LOOKS = 5.0, 4  # operations a row and candidate; and looks, beside those for every rule of a set
_STRICT = (3.0, 30.0)  # how much worse a row covered by mistake is, for a set to start from


@dataclass(frozen=True)
class Budget:
    """The most rules, and the most literals in all of them."""

    rules: float = inf
    literals: float = inf

    def left(self, rules: int, literals: float) -> Budget:
        """What is left after some."""
        return Budget(self.rules - rules, self.literals - literals)


@dataclass(frozen=True, eq=False)
class Candidates:
    """Rules to choose from, the rows they apply to (one row a rule), their literals, and what each costs."""

    rules: tuple[Conjunction, ...]
    covers: NDArray[np.float32]
    literals: NDArray[np.float64]
    prices: NDArray[np.float64]

    @classmethod
    def of(cls, pool: Pool, rules: Sequence[Conjunction]) -> Candidates:
        """With their rows worked out."""
        literals, prices = (
            np.array([each[list(rule)].sum() for rule in rules]) for each in (pool.literals, pool.prices)
        )
        return cls(tuple(rules), pool.covers(rules).astype(np.float32), literals, 1 + prices)

    def some(self, places: NDArray[np.intp]) -> Candidates:
        """A few of them."""
        few = tuple(self.rules[i] for i in places)
        return Candidates(few, self.covers[places], self.literals[places], self.prices[places])

    def weigh(self, signed: NDArray[np.float64]) -> Weighed:
        """Beside rows that they should apply to (above nought) or should not."""
        return Weighed(self, signed)


@dataclass(frozen=True, eq=False)
class Weighed:
    """Candidates and the weights of rows: above nought where a rule should apply, below where it should not."""

    candidates: Candidates
    signed: NDArray[np.float64]

    def errors(self, chosen: Sequence[int]) -> float:
        """Weight of the rows missed and of those covered by mistake."""
        covered = self.covered(chosen)
        return float(self.signed[~covered & (self.signed > 0)].sum() - self.signed[covered & (self.signed < 0)].sum())

    def covered(self, chosen: Sequence[int]) -> NDArray[np.bool_]:
        """Rows that any of some rules applies to."""
        return np.asarray(self.candidates.covers[list(chosen)].any(axis=0))

    def cost(self, chosen: Sequence[int], price: float) -> float:
        """Errors and what the rules cost."""
        return self.errors(chosen) + price * float(self.candidates.prices[list(chosen)].sum())

    def gains(self, chosen: Sequence[int], price: float) -> NDArray[np.float64]:
        """What every candidate would save if it were added to some."""
        left = np.where(self.covered(chosen), 0.0, self.signed).astype(np.float32)
        return np.asarray(self.candidates.covers @ left - price * self.candidates.prices)

    def within(self, chosen: Sequence[int], budget: Budget) -> bool:
        """Whether there is room for some."""
        return len(chosen) <= budget.rules and self.candidates.literals[list(chosen)].sum() <= budget.literals

    def affordable(self, chosen: Sequence[int], budget: Budget) -> NDArray[np.bool_]:
        """Candidates for which there is room beside some."""
        spent = self.candidates.literals[list(chosen)].sum()
        room = len(chosen) + 1 <= budget.rules
        return np.asarray(room & (self.candidates.literals + spent <= budget.literals))

    def operations(self, n_chosen: int) -> float:
        """What it takes to choose so many, about: all candidates are looked at again and again."""
        return _A_LOOK * self.candidates.covers.size * (_LOOKS + n_chosen)


@dataclass(frozen=True)
class RuleSet:
    """Some candidates by number, and what they cost."""

    chosen: tuple[int, ...]
    cost: float


def best_set(
    weighed: Weighed,
    price: float,
    budget: Budget,
    starts: Sequence[Sequence[int]] = (),
    *,
    thorough: bool = True,
) -> RuleSet:
    """The best of several descents: from nothing, from what is given, and, to be thorough, from sets of pure rules."""
    strict = [
        Weighed(weighed.candidates, np.where(weighed.signed < 0, c, 1.0) * weighed.signed) for c in _STRICT if thorough
    ]
    pure = [_added(hard, [], price, budget) for hard in strict]
    given = [start for start in starts if len(start) and weighed.within(start, budget)]
    found = [_descend(weighed, price, budget, start) for start in ([], *pure, *given)]
    return min(found, key=lambda rules: (round(rules.cost, 9), rules.chosen))


def _descend(weighed: Weighed, price: float, budget: Budget, start: Sequence[int]) -> RuleSet:
    """Add, drop and exchange one rule at a time, as long as that saves something."""
    chosen = list(start)
    for _ in range(_MOST_ROUNDS):
        better = _exchanged(weighed, _dropped(weighed, _added(weighed, chosen, price, budget), price), price, budget)
        if weighed.cost(better, price) > weighed.cost(chosen, price) - _SLACK:
            break
        chosen = better
    return RuleSet(tuple(sorted(chosen)), weighed.cost(chosen, price))


def _added(weighed: Weighed, chosen: list[int], price: float, budget: Budget) -> list[int]:
    chosen = list(chosen)
    while (best := _best(weighed, chosen, price, budget)) is not None:
        chosen.append(best)
    return chosen


def _best(weighed: Weighed, chosen: Sequence[int], price: float, budget: Budget) -> int | None:
    """The candidate that saves most beside some; None where none saves anything."""
    gains = np.where(weighed.affordable(chosen, budget), weighed.gains(chosen, price), -inf)
    best = int(gains.argmax()) if len(gains) else -1
    return best if best >= 0 and gains[best] > _SLACK else None


def _dropped(weighed: Weighed, chosen: list[int], price: float) -> list[int]:
    """Without the rules that cost more than the rows that no other covers are worth, the dearest first."""
    prices = weighed.candidates.prices
    while chosen:
        covers = weighed.candidates.covers[chosen]
        alone = np.where(covers.sum(axis=0) == 1, weighed.signed, 0.0).astype(np.float32)
        worth = covers @ alone - price * prices[chosen]
        worst = int(worth.argmin())
        if worth[worst] > _SLACK:
            break
        chosen = [r for i, r in enumerate(chosen) if i != worst]
    return chosen


def _exchanged(weighed: Weighed, chosen: list[int], price: float, budget: Budget) -> list[int]:
    """Each rule in turn gives way to the candidate that does best beside the others; of many rules none does."""
    if len(chosen) > _MOST_EXCHANGED:
        return chosen
    for out in list(chosen):
        others = [r for r in chosen if r != out]
        best = _best(weighed, others, price, budget)
        chosen = others if best is None else [*others, best]
    return chosen
