"""All rules that a set of few errors can be made of: none of them covers more by mistake than the set may."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paclearn.learners.rules.rule_search import Scan
from paclearn.learners.rules.rule_set import Candidates

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.rules.rule_pool import Pool
    from paclearn.learners.rules.rule_search import Conjunction

__all__ = ["n_conjunctions", "rules_of_few_errors", "undominated"]

_AFFORDABLE = 2e10  # multiplications
_MOST_FOUND = 30_000
_MOST_COMPARED = 4_000
_SLACK = 1e-6


def rules_of_few_errors(pool: Pool, signed: NDArray[np.float64], most: int, errors: float) -> Candidates | None:
    """All conjunctions that cover at most so much by mistake, and no more than a shorter form of theirs.

    None where there are too many to look at.
    """
    n_rows = np.count_nonzero(signed)
    if float(len(pool.conditions)) ** most * n_rows > _AFFORDABLE or most > 3:
        return None
    scan = Scan.of(pool, signed, 0.0)
    found = _singles(scan, errors)
    if most > 1:
        found += _pairs_and_triples(scan, errors, most)
    if not 0 < len(found) <= _MOST_FOUND:
        return None
    return undominated(Candidates.of(pool, found), signed)


def n_conjunctions(pool: Pool, most: int) -> int:
    """How many conjunctions of up to so many conditions there are."""
    apart = np.triu(pool.apart, 1).astype(np.float64)
    total = len(pool.conditions) + (apart.sum() if most > 1 else 0)
    if most > 2:
        total += ((apart @ apart) * apart).sum()
    return int(total)


def _singles(scan: Scan, errors: float) -> list[Conjunction]:
    up, down = scan.answers @ scan.up, scan.answers @ scan.down
    return [(int(c),) for c in np.flatnonzero((up > 0) & (down <= errors + _SLACK))]


def _pairs_and_triples(scan: Scan, errors: float, most: int) -> list[Conjunction]:
    """Longer ones must cover less by mistake than every shorter form, or the shorter form does."""
    places = np.arange(len(scan.answers))[:, None]
    one = scan.answers @ scan.down
    up, down = scan.extended(places)
    fine = np.triu((up > 0) & (down < one - _SLACK) & (down < one[:, None] - _SLACK), 1)
    found: list[Conjunction] = [tuple(pair) for pair in np.argwhere(fine & (down <= errors + _SLACK)).tolist()]
    if most < 3:
        return found
    for a in places[:, 0]:
        others = np.flatnonzero(fine[a])
        if len(others):
            found += _triples(scan, int(a), others, down, errors)
        if len(found) > _MOST_FOUND:
            break
    return found


def _triples(
    scan: Scan, a: int, others: NDArray[np.intp], of_pairs: NDArray[np.float32], errors: float
) -> list[Conjunction]:
    rules = np.column_stack([np.full(len(others), a), others])
    up, down = scan.extended(rules)
    shorter = np.minimum(np.minimum(of_pairs[a][None], of_pairs[others]), of_pairs[a, others][:, None])
    later = np.arange(len(of_pairs))[None] > others[:, None]
    rows, last = np.nonzero(later & (up > 0) & (down <= errors + _SLACK) & (down < shorter - _SLACK))
    return [(a, int(others[row]), int(c)) for row, c in zip(rows, last, strict=True)]


def undominated(candidates: Candidates, signed: NDArray[np.float64]) -> Candidates:
    """Without those beside which another covers all that they should cover, no more by mistake, and costs no more."""
    if len(candidates.rules) > _MOST_COMPARED:
        candidates = _different(candidates)
    if len(candidates.rules) > _MOST_COMPARED:
        return candidates
    order = np.argsort(candidates.prices, kind="stable")
    candidates = candidates.some(order)
    good, bad = candidates.covers[:, signed > 0], candidates.covers[:, signed < 0]
    both_good, both_bad = good @ good.T, bad @ bad.T
    all_good = both_good >= both_good.diagonal()[:, None] - _SLACK  # row's good ones are among the column's
    no_more_bad = both_bad >= both_bad.diagonal()[None] - _SLACK  # column's bad ones are among the row's
    cheaper = candidates.prices[None] <= candidates.prices[:, None] + 1e-12
    beats = all_good & no_more_bad & cheaper
    equal = beats & beats.T
    first = np.tril(equal, -1).any(axis=1)  # of several that are alike the first stays
    beaten = (beats & ~equal).any(axis=1) | first
    return candidates.some(np.flatnonzero(~beaten))


def _different(candidates: Candidates) -> Candidates:
    """Of those that apply to the same rows the cheapest."""
    order = np.argsort(candidates.prices, kind="stable")
    _, first = np.unique(np.packbits(candidates.covers[order] > 0, axis=1), axis=0, return_index=True)
    return candidates.some(np.sort(order[first]))
