r"""The conjunctions that gain most: :math:`\sum_{i \in r, +} w_i - c \sum_{i \in r, -} w_i - \lambda |r|`.

With c = 1 that is what a rule alone gains; larger ones ask for purer rules, which go together better.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paclearn.learners.rules.triple_scan import best_triples

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from paclearn.learners.rules.rule_pool import Pool
    from paclearn.learners.rules.rule_work import Work

__all__ = ["Conjunction", "Scan", "best_conjunctions_of"]

Conjunction = tuple[int, ...]

_NONE = np.empty(0, dtype=np.int64)
_TRADES = (1.0, 3.0, 30.0)
_FEW_TRIPLES = 1e9  # multiplications: more are left to the scan that counts bits
_CELLS_AT_ONCE, _FEWEST_AT_ONCE = 1_000_000, 16  # of rules, beside rows or conditions; and rules at the least
_BEAM = 1500  # conjunctions of three or more that are extended, about


@dataclass(frozen=True, eq=False)
class Scan:
    """The rows that matter and the answers of all conditions on them."""

    answers: NDArray[np.float32]
    up: NDArray[np.float32]
    down: NDArray[np.float32]
    cost: NDArray[np.float32]
    apart: NDArray[np.bool_]

    @classmethod
    def of(cls, pool: Pool, signed: NDArray[np.float64], price: float) -> Scan:
        rows = np.flatnonzero(signed)
        some = signed[rows].astype(np.float32)
        cost = (price * pool.prices).astype(np.float32)
        answers = pool.answers[:, rows].astype(np.float32)
        return cls(answers, np.maximum(some, 0), np.maximum(-some, 0), cost, pool.apart)

    @property
    def triples(self) -> float:
        """Multiplications that all triples take."""
        return 2 * float(len(self.answers)) ** 3 / 6 * self.answers.shape[1]

    def pairs_with(self, n: int) -> float:
        """Multiplications that so many conjunctions take, with one condition more."""
        return 2 * float(n) * self.answers.size

    def parts(self, rules: NDArray[np.intp]) -> Iterator[tuple[NDArray[np.intp], int]]:
        """Conjunctions, a few at a time, to be extended by any condition: what they take stays in the cache."""
        few = max(_FEWEST_AT_ONCE, _CELLS_AT_ONCE // max(self.answers.shape))
        return ((rules[begin : begin + few], 0) for begin in range(0, len(rules), few))

    def pairs(self) -> Iterator[tuple[NDArray[np.intp], int]]:
        """All pairs, by their first condition, to be extended from the next one on."""
        for c in range(len(self.answers)):
            others = np.flatnonzero(self.apart[c, c + 1 :]) + c + 1
            if len(others):
                yield np.column_stack([np.full(len(others), c), others]), c + 1

    def covers(self, rules: NDArray[np.intp]) -> NDArray[np.float32]:
        """Which conjunctions apply to which rows."""
        found = self.answers[rules[:, 0]]
        for j in range(1, rules.shape[1]):
            found = found * self.answers[rules[:, j]]
        return found

    def extended(self, rules: NDArray[np.intp], start: int = 0) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Weights of either kind of conjunctions with one condition more, from some place on.

        The cost is taken off the first; where the condition may not be added, the second is infinite.
        """
        covers, more = self.covers(rules), self.answers[start:]
        up = np.asarray((covers * self.up) @ more.T, dtype=np.float32)
        down = np.asarray((covers * self.down) @ more.T, dtype=np.float32)
        up -= self.cost[start:] + self.cost[rules].sum(axis=1, keepdims=True)
        for j in range(rules.shape[1]):
            down[~self.apart[rules[:, j], start:]] = np.inf
        return up, down


@dataclass(eq=False)
class _Best:
    """The best few so far, by what they gain; conditions stand in order, and no conjunction comes twice."""

    n_best: int
    base: int  # conditions there are: a conjunction is a number with these for digits
    gains: NDArray[np.float32]
    numbers: NDArray[np.int64]

    @classmethod
    def none_yet(cls, n_best: int, base: int) -> _Best:
        return cls(n_best, base, np.empty(0, np.float32), np.empty(0, np.int64))

    def take(self, gains: NDArray[np.float32], rules: NDArray[np.intp], start: int) -> None:
        """Conjunctions with one condition more each, which the place on the second axis says."""
        flat = gains.ravel()
        some = np.flatnonzero(flat > (self.gains[-1] if len(self.gains) == self.n_best else -np.inf))
        wanted = self.n_best * (rules.shape[1] + 1)  # a conjunction may come in as many ways
        if len(some) > wanted:
            some = some[np.argpartition(-flat[some], wanted)[:wanted]]
        if not len(some):
            return
        rows, more = np.divmod(some, gains.shape[1])
        found = _numbers(np.sort(np.column_stack([rules[rows], more + start]), axis=1), self.base)
        every, first = np.unique(np.concatenate([self.numbers, found]), return_index=True)
        worth = np.concatenate([self.gains, flat[some]])[first]
        order = np.argsort(-worth, kind="stable")[: self.n_best]
        self.gains, self.numbers = worth[order], every[order]


def _numbers(rules: NDArray[np.intp], base: int) -> NDArray[np.int64]:
    return np.asarray(rules @ (base ** np.arange(rules.shape[1])[::-1]).astype(np.int64))


def _digits(numbers: NDArray[np.int64], base: int, length: int) -> NDArray[np.intp]:
    return np.asarray(numbers[:, None] // base ** np.arange(length)[::-1] % base)


def best_conjunctions_of(
    pool: Pool, signed: NDArray[np.float64], most: int, n_best: int, price: float, work: Work, *, every: bool = True
) -> list[Conjunction]:
    """Of every length and every trade, the best few.

    ``signed`` is the weight of a row, above nought where a rule should apply; ``price`` is that of a literal. All pairs
    and triples are looked at, but of many triples only those of the conditions that say most, where ``every`` one is
    wanted; longer ones, and triples too, extend the most promising.
    """
    scan, base = Scan.of(pool, signed, price), len(pool.conditions)
    up, down = scan.answers @ scan.up - scan.cost, scan.answers @ scan.down
    orders = [np.argsort(trade * down - up, kind="stable")[:n_best].tolist() for trade in _TRADES]
    found: set[Conjunction] = {(place,) for order in orders for place in order}
    frontier = np.arange(base)[:, None]
    for length in range(2, min(most, _longest(base)) + 1):
        triples = length == 3 and scan.triples <= _FEW_TRIPLES
        kept = [_Best.none_yet(n_best, base) for _ in _TRADES]
        beam = [_Best.none_yet(_BEAM // len(_TRADES), base) for _ in _TRADES if length < most]
        for rules, start in scan.pairs() if triples else scan.parts(frontier):
            few = max(2, _BEAM // (len(_TRADES) * len(rules if triples else frontier)))
            _longer(scan, kept, beam, rules, start, few)
        found |= {tuple(rule) for best in kept for rule in _digits(best.numbers, base, length).tolist()}
        work.spend(scan.triples if triples else scan.pairs_with(len(frontier)))
        if length == 3 and every and not triples:
            found |= best_triples(pool, signed, _TRADES, n_best, work)
        frontier = _digits(np.unique(np.concatenate([_NONE, *(best.numbers for best in beam)])), base, length)
        if not len(frontier):
            break
    return sorted(found, key=lambda rule: (len(rule), rule))


def _longest(base: int) -> int:
    """Conditions of a conjunction that is still a number."""
    return int(62 / np.log2(max(base, 2)))


def _longer(scan: Scan, kept: list[_Best], beam: list[_Best], rules: NDArray[np.intp], start: int, few: int) -> None:
    """Take the best of some conjunctions with a condition more; and a few of each to be extended again."""
    up, down = scan.extended(rules, start)
    for i, trade in enumerate(_TRADES):
        gains = up - trade * down
        kept[i].take(gains, rules, start)
        if beam:
            beam[i].take(_promising(gains, few), rules, start)


def _promising(gains: NDArray[np.float32], few: int) -> NDArray[np.float32]:
    """The gains of the best few of every conjunction, so that none that it begins with is forgotten; of others none."""
    if few >= gains.shape[1]:
        return gains
    least = np.partition(gains, -few, axis=1)[:, -few]
    return np.where(gains >= least[:, None], gains, np.float32(-np.inf))
