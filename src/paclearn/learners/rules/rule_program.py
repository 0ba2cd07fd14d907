r"""The best set of rules as an integer program, solved by HiGHS.

Over choices :math:`z_r \in \{0, 1\}` and errors :math:`e_i`: rows to be covered ask
:math:`e_i + \sum_{r \ni i} z_r \ge 1`, others :math:`e_i \ge z_r` for every r that covers them (the master problem of
Dash, Günlük and Wei 2018, but with errors counted once). What is least is the weight of the errors and the price of the
rules; or, where it is asked whether as few errors could be had for less, the price alone, with the errors held down.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array, csr_array, vstack

from paclearn.learners.rules.rule_set import RuleSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.rules.rule_set import Budget, Weighed
    from paclearn.learners.rules.rule_work import Work

__all__ = ["Solved", "cheapest_of_few_errors", "solve"]

_SLACK = 1e-6


@dataclass(frozen=True)
class Solved:
    """The best set that was found, and a bound that no set of these candidates is below."""

    rules: RuleSet
    bound: float

    @property
    def gap(self) -> float:
        """How much less, as a share, the best set could cost at most."""
        return max(0.0, 1 - self.bound / self.rules.cost) if self.rules.cost > 0 else 0.0

    @property
    def optimal(self) -> bool:
        """Whether none costs less."""
        return self.rules.cost <= self.bound + _SLACK * max(1.0, abs(self.rules.cost))


@dataclass(frozen=True, eq=False)
class _Program:
    """Kinds of rows: which candidates cover each, and what missing it, or covering it by mistake, costs."""

    covers: csr_array  # kinds x candidates
    up: NDArray[np.float64]
    down: NDArray[np.float64]
    never: float  # weight of the rows that should be covered, and that no candidate does
    prices: NDArray[np.float64]
    literals: NDArray[np.float64]

    @classmethod
    def of(cls, weighed: Weighed) -> _Program:
        """Rows that the same candidates cover are one."""
        covers = weighed.candidates.covers.T > 0
        kinds, kind = np.unique(np.packbits(covers, axis=1), axis=0, return_inverse=True)
        up, down = (
            np.bincount(kind.ravel(), np.maximum(sign * weighed.signed, 0), len(kinds)).astype(np.float64)
            for sign in (1, -1)
        )
        wide = np.unpackbits(kinds, axis=1, count=covers.shape[1])
        some = wide.any(axis=1)
        candidates = weighed.candidates
        return cls(
            csr_array(wide[some]), up[some], down[some], float(up[~some].sum()), candidates.prices, candidates.literals
        )

    @property
    def size(self) -> int:
        """Entries of the constraints."""
        return int(self.covers[self.up > 0].nnz + 2 * self.covers[self.down > 0].nnz)

    def constraints(self, budget: Budget, most_errors: float | None) -> list[LinearConstraint]:
        """Choices come first, then errors of rows missed, then errors of rows covered by mistake."""
        missed, wrong = self.covers[self.up > 0], self.covers[self.down > 0].tocoo()
        n_missed, (n_wrong, n_rules) = missed.shape[0], wrong.shape
        every = n_rules + n_missed + n_wrong
        places = np.arange(n_missed)
        reached = coo_array((np.ones(n_missed), (places, n_rules + places)), shape=(n_missed, every)).tocsr()
        reached = reached + _widened(missed, every)
        lines = np.arange(wrong.nnz)
        held = coo_array(
            (
                np.concatenate([np.ones(wrong.nnz), -np.ones(wrong.nnz)]),
                (np.concatenate([lines, lines]), np.concatenate([n_rules + n_missed + wrong.row, wrong.col])),
            ),
            shape=(wrong.nnz, every),
        )
        found = [LinearConstraint(vstack([reached, held]).tocsr(), lb=np.repeat([1.0, 0.0], [n_missed, wrong.nnz]))]
        return [*found, *self._limits(budget, most_errors, every)]

    def _limits(self, budget: Budget, most_errors: float | None, every: int) -> list[LinearConstraint]:
        n_rules = len(self.prices)
        wanted = [(np.ones(n_rules), budget.rules), (self.literals, budget.literals)]
        found = [
            LinearConstraint(np.concatenate([row, np.zeros(every - n_rules)])[None], ub=most)
            for row, most in wanted
            if isfinite(most)
        ]
        if most_errors is not None:
            weights = np.concatenate([np.zeros(n_rules), self.errors])
            found.append(LinearConstraint(weights[None], ub=most_errors - self.never + _SLACK))
        return found

    @property
    def errors(self) -> NDArray[np.float64]:
        """What an error of every kind of row costs."""
        return np.concatenate([self.up[self.up > 0], self.down[self.down > 0]])


def _widened(matrix: csr_array, n_columns: int) -> csr_array:
    return csr_array(
        (matrix.data.astype(np.float64), matrix.indices, matrix.indptr), shape=(matrix.shape[0], n_columns)
    )


def solve(weighed: Weighed, price: float, budget: Budget, known: RuleSet, work: Work) -> Solved:
    """The set of least cost, or the one that is known, where nothing better is found by so much work."""
    program = _Program.of(weighed)
    if not len(program.up) or program.size > work.entries(errors=True):
        return Solved(known, 0.0 if len(program.up) else known.cost)
    chosen, bound = _least(program, np.concatenate([price * program.prices, program.errors]), budget, None, work)
    found = known if chosen is None else RuleSet(chosen, weighed.cost(chosen, price))
    better = found if found.cost < known.cost - _SLACK else known
    return Solved(better, min(bound + program.never, better.cost))


def cheapest_of_few_errors(weighed: Weighed, budget: Budget, known: RuleSet, work: Work) -> Solved:
    """As few errors at the least price of the rules, whose sum is what the result calls cost."""
    program, prices = _Program.of(weighed), weighed.candidates.prices
    spent = float(prices[list(known.chosen)].sum())
    most_errors = weighed.errors(known.chosen)
    if not len(program.up) or program.size > work.entries(errors=most_errors > 0):
        return Solved(RuleSet(known.chosen, spent), 0.0)
    aim = np.concatenate([program.prices, np.zeros(len(program.errors))])
    chosen, bound = _least(program, aim, budget, most_errors, work)
    best = known.chosen if chosen is None or prices[list(chosen)].sum() > spent - _SLACK else chosen
    return Solved(RuleSet(best, float(prices[list(best)].sum())), min(bound, spent))


def _least(
    program: _Program, aim: NDArray[np.float64], budget: Budget, most_errors: float | None, work: Work
) -> tuple[tuple[int, ...] | None, float]:
    """Candidates of the best choice found, and a bound on what any choice costs."""
    n_rules = len(program.prices)
    whole = np.zeros(len(aim))
    whole[:n_rules] = 1
    constraints = program.constraints(budget, most_errors)
    options: dict[str, float] = {"node_limit": work.nodes(program.size), "mip_rel_gap": 0.0}
    if work.seconds_left is not None:
        options["time_limit"] = work.seconds_left
    found = milp(aim, integrality=whole, bounds=Bounds(0, 1), constraints=constraints, options=options)
    bound = found.mip_dual_bound if found.mip_dual_bound is not None and isfinite(found.mip_dual_bound) else 0.0
    if found.x is None:
        return None, float(bound)
    return tuple(np.flatnonzero(found.x[:n_rules] > 0.5).tolist()), float(bound)
