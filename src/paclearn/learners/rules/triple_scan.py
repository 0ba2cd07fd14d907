r"""All conjunctions of three conditions, by the scan that counts bits.

The scan ranks by weighted relative accuracy, :math:`(a_c - n_c p)/n`, which is a multiple of :math:`a_c - c\, b_c` with
:math:`c = p / (1 - p)`, b the rows not of the class. One row more that no condition holds for, of a weight of its own,
gives p whatever value is wanted, and leaves all counts as they are.
"""

from __future__ import annotations

from itertools import combinations, islice
from typing import TYPE_CHECKING

import numpy as np

from paclearn.encoding.comparisons import columns_of
from paclearn.search.conjunctions import best_conjunctions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.learners.rules.rule_pool import Pool
    from paclearn.learners.rules.rule_work import Work

__all__ = ["best_triples"]

_A_WORD, _WORDS = 5.0, 12  # operations that 64 rows of a triple take; and as many rows more for its score
_SPARE = 10  # times as many are asked for, since some will not do


def best_triples(
    pool: Pool, signed: NDArray[np.float64], trades: Sequence[float], n_best: int, work: Work
) -> set[tuple[int, ...]]:
    """The best few triples of every trade, each better than the pairs in it."""
    rows = np.flatnonzero(signed)
    up, down = float(np.maximum(signed, 0).sum()), float(np.maximum(-signed, 0).sum())
    if not up or not down:
        return set()
    some = _telling(pool, signed, work.left / (2 * len(trades)))  # half is for what is done with them
    if len(some) < 3:
        return set()
    nobody = np.zeros((1, len(some)), dtype=bool)
    answers, groups = np.concatenate([pool.answers[np.ix_(some, rows)].T, nobody]), _groups(pool)[some]
    found: set[tuple[int, ...]] = set()
    for trade in trades:
        more_up = max(0.0, trade * down - up)
        extra = more_up or up / trade - down
        target = np.append(signed[rows] > 0, more_up > 0).astype(np.int64)
        weights = np.append(np.abs(signed[rows]), np.ceil(extra))
        best = best_conjunctions(
            answers, groups, target, weights,
            k=3, n_best=_SPARE * n_best, minimal=True, time_limit=work.seconds_left,
        )  # fmt: skip
        apart = (tuple(rule) for rule in some[best.members].tolist() if _are_apart(rule, pool))
        found |= set(islice(apart, n_best))
        work.spend(_operations(len(some), len(rows)))
    return found


def _operations(n_conditions: float, n_rows: int) -> float:
    return n_conditions**3 / 6 * (n_rows / 64 + _WORDS) * _A_WORD


def _telling(pool: Pool, signed: NDArray[np.float64], most: float) -> NDArray[np.intp]:
    """Conditions, in their order: all, or as many as so much work allows, of those that tell most of either kind."""
    n, n_rows = len(pool.conditions), int(np.count_nonzero(signed))
    room = int(n * min(1.0, most / _operations(n, n_rows)) ** (1 / 3) + 1e-9)
    if room >= n:
        return np.arange(n)
    up, down = (np.maximum(sign * signed, 0) for sign in (1, -1))
    worth = np.abs(pool.answers @ (up / up.sum() - down / down.sum()))
    return np.sort(np.argsort(-worth, kind="stable")[:room])


def _are_apart(rule: Sequence[int], pool: Pool) -> bool:
    """The scan lets two columns that are compared stand beside a condition of one of them."""
    return all(pool.apart[a, b] for a, b in combinations(rule, 2))


def _groups(pool: Pool) -> NDArray[np.int64]:
    """A number for every column, and one for every two that are compared."""
    number: dict[tuple[int, ...], int] = {}
    return np.array([number.setdefault(columns_of(c), len(number)) for c in pool.conditions], dtype=np.int64)
