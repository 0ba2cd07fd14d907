"""The last choice, made exactly where it can be, and how far from the best it may be where it cannot."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from paclearn.learners.rules.rule_enumeration import n_conjunctions, rules_of_few_errors, undominated
from paclearn.learners.rules.rule_growth import Block
from paclearn.learners.rules.rule_program import cheapest_of_few_errors, solve
from paclearn.learners.rules.rule_set import Candidates, RuleSet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.learners.rules.rule_growth import Plan
    from paclearn.learners.rules.rule_program import Solved
    from paclearn.learners.rules.rule_set import Budget
    from paclearn.learners.rules.rule_work import Work

__all__ = ["Optimality", "settle"]

_MOST_CANDIDATES = 3000  # of an integer program


@dataclass(frozen=True)
class Optimality:
    """How good the set of rules is among all others.

    Parameters
    ----------
    proved : bool
        Whether no smaller set of rules has as few errors: of all conjunctions that there are.
    gap : float
        Otherwise, by what share the best set of the candidates could cost less at most; costs are errors and literals.
    n_candidates : int
        Conjunctions that the set was chosen from: all, where that is proved.
    left_out : tuple of str
        Conditions that were not looked at, in words.
    """

    proved: bool
    gap: float
    n_candidates: int
    left_out: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self._among_candidates() + (f" Not looked at: {', '.join(self.left_out)}." if self.left_out else "")

    def _among_candidates(self) -> str:
        if self.proved:
            return f"No smaller set of rules has as few errors: proved, over all {self.n_candidates:,} conjunctions."
        among = f"of the {self.n_candidates:,} candidates"
        if self.gap <= 1e-6:
            return f"No set {among} does better for its size; other conjunctions were left out."
        if self.gap < 1:
            return f"The best set {among} costs at most {100 * self.gap:.1f} % less."
        return f"The best set {among} may be better: to bound it would have been too much work."


def settle(blocks: Sequence[Block], price: float, plan: Plan) -> tuple[list[Block], Optimality]:
    """Blocks of one class after another, each as good as can be had of the rows that those before it leave."""
    found, optimality = _settle_one(blocks[0], price, plan) if len(blocks) == 1 else _settle_each(blocks, price, plan)
    left_out = dict.fromkeys(words for block in blocks for words in block.grown.pool.left_out)
    return found, replace(optimality, left_out=tuple(left_out))


def _settle_each(blocks: Sequence[Block], price: float, plan: Plan) -> tuple[list[Block], Optimality]:
    covered = np.zeros(len(blocks[0].grown.signed) if blocks else 0, dtype=bool)
    budget, work, found, gaps = plan.budget, plan.work.part(max(len(blocks), 1)), [], [0.0]
    for block in blocks:
        signed = np.where(covered, 0.0, block.grown.signed)
        better, solved = _solved(block, signed, price, budget, work)
        covered |= better.grown.candidates.weigh(signed).covered(better.chosen.chosen)
        budget = budget.left(len(better.rules), better.literals)
        found.append(better)
        gaps.append(solved.gap)
    n = sum(len(block.grown.candidates.rules) for block in found)
    return found, Optimality(proved=False, gap=max(gaps), n_candidates=n)


def _settle_one(block: Block, price: float, plan: Plan) -> tuple[list[Block], Optimality]:
    """The best trade of errors and literals first, where there are errors; then as few errors for the least."""
    signed, gap, n = block.grown.signed, 1.0, len(block.grown.candidates.rules)
    perfect = _errors(block, signed) == 0
    if not perfect:
        block, solved = _solved(block, signed, price, plan.budget, plan.work)
        gap = solved.gap
    every = _all_of_use(block, signed, plan)
    if every is not None or perfect:
        block, cheapest = _cheapest(block, signed, every, plan)
        if cheapest.optimal and every is not None:
            return [block], Optimality(proved=True, gap=0.0, n_candidates=n_conjunctions(block.grown.pool, plan.most))
        gap = min(gap, cheapest.gap)
    return [block], Optimality(proved=False, gap=gap, n_candidates=n)


def _errors(block: Block, signed: NDArray[np.float64]) -> float:
    return block.grown.candidates.weigh(signed).errors(block.chosen.chosen)


def _solved(
    block: Block, signed: NDArray[np.float64], price: float, budget: Budget, work: Work
) -> tuple[Block, Solved]:
    """The best set of the candidates, where that is little enough work."""
    candidates, known = _with_known(block, undominated(block.grown.candidates, signed))
    weighed = candidates.weigh(signed)
    solved = solve(weighed, price, budget, RuleSet(known, weighed.cost(known, price)), work)
    return _rebuilt(block, candidates, solved.rules), solved


def _all_of_use(block: Block, signed: NDArray[np.float64], plan: Plan) -> Candidates | None:
    """All rules that a set of as few errors can be made of, where that is little enough work."""
    if not plan.work.left:
        return None
    found = rules_of_few_errors(block.grown.pool, signed, plan.most, _errors(block, signed))
    return None if found is None or len(found.rules) > _MOST_CANDIDATES else found


def _cheapest(block: Block, signed: NDArray[np.float64], every: Candidates | None, plan: Plan) -> tuple[Block, Solved]:
    """As few errors for the least, of all rules or of the candidates."""
    if every is None:
        pure = block.grown.candidates.covers @ np.minimum(signed, 0.0) >= -_errors(block, signed) - 1e-6
        every = undominated(block.grown.candidates.some(np.flatnonzero(pure)), signed)
    candidates, known = _with_known(block, every)
    solved = cheapest_of_few_errors(candidates.weigh(signed), plan.budget, RuleSet(known, 0.0), plan.work)
    return _rebuilt(block, candidates, solved.rules), solved


def _with_known(block: Block, candidates: Candidates) -> tuple[Candidates, tuple[int, ...]]:
    """Candidates among which those that are chosen are, and where these stand."""
    rules = [*candidates.rules, *(rule for rule in block.rules if rule not in set(candidates.rules))]
    every = candidates if len(rules) == len(candidates.rules) else Candidates.of(block.grown.pool, rules)
    place = {rule: i for i, rule in enumerate(rules)}
    return every, tuple(sorted(place[rule] for rule in block.rules))


def _rebuilt(block: Block, candidates: Candidates, chosen: RuleSet) -> Block:
    return Block(replace(block.grown, candidates=candidates), chosen)
