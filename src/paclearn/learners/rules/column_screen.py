r"""Of very many columns, those that say most of a class: alone, or two together.

All pairs of conditions are looked at more than once while rules are looked for, so conditions must not be too many.
Alone, a column is worth the likelihood ratio of its codes and the class,
:math:`\sum_c a_c \ln\frac{a_c}{n_c p} + b_c \ln\frac{b_c}{n_c (1 - p)}`; two together what the scan of pairs says.
"""

from __future__ import annotations

from itertools import chain, zip_longest
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import xlogy

from paclearn.encoding.domain import BinColumn
from paclearn.search.conjunctions import best_conjunctions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray

    from paclearn.encoding import Column, Domain

__all__ = ["most_conditions", "telling_columns"]

_MULTIPLICATIONS = 1e10  # a look at all pairs may take so many
_FEWEST, _MOST = 1000, 6000  # conditions, whatever the rows
_PAIRS = 3e8  # that are looked at, at the most, to see which columns tell something two together
_BEST_PAIRS = 2000


def most_conditions(n_rows: int) -> int:
    """So many that all pairs of them can be looked at in a fraction of a second."""
    return int(np.clip(np.sqrt(_MULTIPLICATIONS / max(n_rows, 1)), _FEWEST, _MOST))


def telling_columns(
    domain: Domain, codes: Sequence[NDArray[Any]], is_class: NDArray[np.bool_], weights: NDArray[np.float64], most: int
) -> list[int]:
    """Columns of about so many conditions; all of them where there are no more."""
    sizes = np.array([_n_conditions(column) for column in domain.columns])
    if sizes.sum() <= most:
        return list(range(len(sizes)))
    alone = np.argsort([-_worth(c, is_class, weights) for c in codes], kind="stable")
    together = _of_best_pairs(domain, codes, is_class, weights)
    in_turn = chain.from_iterable(zip_longest(alone.tolist(), together))
    order = np.array(list(dict.fromkeys(place for place in in_turn if place is not None)))
    return sorted(order[np.cumsum(sizes[order]) <= most].tolist()) or [int(order[0])]


def _n_conditions(column: Column) -> int:
    """Without intervals and groups of levels, which can be left out."""
    return 2 * (column.n_codes - (isinstance(column, BinColumn) or column.n_codes == 2))


def _worth(codes: NDArray[Any], is_class: NDArray[np.bool_], weights: NDArray[np.float64]) -> float:
    rows, yes = np.bincount(codes, weights), np.bincount(codes, weights * is_class)
    no, share = rows - yes, float(yes.sum() / rows.sum())
    gain = xlogy(yes, yes) + xlogy(no, no) - xlogy(rows, rows)
    return float(gain.sum() - xlogy(yes, share).sum() - xlogy(no, 1 - share).sum())


def _of_best_pairs(
    domain: Domain, codes: Sequence[NDArray[Any]], is_class: NDArray[np.bool_], weights: NDArray[np.float64]
) -> list[int]:
    """Columns of the pairs that say more than each of the two, the best first; none where they are too many."""
    asked = [bit for place, column in enumerate(domain.columns) for bit in column.bits(place)]
    if len(asked) ** 2 > 2 * _PAIRS or len(np.unique(is_class[weights > 0])) < 2:
        return []
    sizes = domain.sizes
    answers = (bit.answers(sizes[bit.column])[codes[bit.column]] == side for bit in asked for side in (True, False))
    groups = np.repeat([bit.column for bit in asked], 2)
    found = best_conjunctions(
        answers, groups, is_class.astype(np.int64), None if (weights == 1).all() else weights,
        k=2, n_best=_BEST_PAIRS, two_sided=True, minimal=True,
    )  # fmt: skip
    return list(dict.fromkeys(groups[found.members.ravel()].tolist()))
