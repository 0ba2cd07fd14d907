"""Questions about two columns that share their levels: is ``head_shape`` the same as ``body_shape``, or another?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, combinations, combinations_with_replacement, islice, product
from math import comb
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from paclearn.encoding.domain import Bit, Domain, LevelColumn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

__all__ = ["Comparison", "Condition", "columns_of", "comparisons", "holds", "is_shared", "looked_up", "shared_levels"]

_MANY = 1000  # rows from which on bytes are translated
_MOST_KINDS = 300  # sets of levels that are compared with each other; of more, columns of the very same levels are


@dataclass(frozen=True)
class Comparison:
    """A yes-or-no question about two columns: is the pair of their codes one of these?

    A `Bit` is a set of codes of one column; this is a set of pairs of codes of two. A value that is missing, rare
    (pooled in "other") or was never seen is neither the same as another nor different from it: the answer is no.
    """

    name: str
    columns: tuple[int, int]
    pairs: tuple[tuple[int, int], ...]

    def answers(self, n_codes: int, n_codes_second: int) -> NDArray[np.bool_]:
        """The answer for every pair of codes, the unseen ones (the last) included: there it is always no."""
        answers = np.zeros((n_codes + 1, n_codes_second + 1), dtype=bool)
        answers[tuple(np.array(self.pairs, dtype=np.intp).reshape(-1, 2).T)] = True
        return answers


Condition: TypeAlias = Bit | Comparison


def columns_of(condition: Condition) -> tuple[int, ...]:
    """The columns, by their numbers, that a condition looks at."""
    return condition.columns if isinstance(condition, Comparison) else (condition.column,)


def holds(
    condition: Condition, codes: Sequence[NDArray[np.unsignedinteger[Any]]], sizes: Sequence[int]
) -> NDArray[np.bool_]:
    """Whether a condition holds, for every row; ``codes`` and ``sizes`` are those of the whole domain."""
    if isinstance(condition, Comparison):
        first, second = condition.columns
        return condition.answers(sizes[first], sizes[second])[codes[first], codes[second]]
    return looked_up(condition.answers(sizes[condition.column]), codes[condition.column])


def looked_up(answers: NDArray[np.bool_], codes: NDArray[np.unsignedinteger[Any]]) -> NDArray[np.bool_]:
    """``answers[codes]``; bytes are translated, for numpy would make eight bytes of each to look it up."""
    if codes.dtype != np.uint8 or len(codes) < _MANY:
        return answers[codes]
    table = np.zeros(256, dtype=np.uint8)
    table[: len(answers)] = answers[:256]
    return np.frombuffer(codes.tobytes().translate(table.tobytes()), dtype=np.bool_)


def shared_levels(domain: Domain, most: int, among: Iterable[int]) -> tuple[list[tuple[int, int]], int]:
    """Pairs of some columns that share three or more levels, those of the most first; and how many there are in all.

    Columns that share less than nine tenths of all the levels that either has do not speak of the same. Of two columns
    of two levels, to be the same is a parity, and people do not think in parities.
    """
    kinds = _kinds_of_levels(domain, among)
    alike = combinations_with_replacement(kinds, 2) if len(kinds) <= _MOST_KINDS else ((kind, kind) for kind in kinds)
    found = sorted((pair for pair in alike if is_shared(*pair)), key=lambda pair: -len(pair[0] & pair[1]))
    every = chain.from_iterable(_pairs(kinds[a], kinds[b]) for a, b in found)
    n = sum(_n_pairs(len(kinds[a]), len(kinds[b]), same=a == b) for a, b in found)
    return list(islice(every, most)), n


def is_shared(levels: frozenset[str], others: frozenset[str]) -> bool:
    """Whether columns of such levels can be compared."""
    shared = len(levels & others)
    return shared > 2 and 10 * shared >= 9 * len(levels | others)


def _kinds_of_levels(domain: Domain, among: Iterable[int]) -> dict[frozenset[str], list[int]]:
    """Columns by their levels, where these are three or more."""
    kinds: dict[frozenset[str], list[int]] = {}
    for place in among:
        column = domain.columns[place]
        if isinstance(column, LevelColumn) and len(column.levels) > 2:
            kinds.setdefault(frozenset(column.levels), []).append(place)
    return kinds


def _pairs(some: list[int], others: list[int]) -> Iterable[tuple[int, int]]:
    if some is others:
        return combinations(some, 2)
    return ((min(pair), max(pair)) for pair in product(some, others))


def _n_pairs(some: int, others: int, *, same: bool) -> int:
    return comb(some, 2) if same else some * others


def comparisons(domain: Domain, first: int, second: int) -> tuple[Comparison, Comparison]:
    """``first = second`` and ``first != second`` for two columns that share their levels."""
    a, b = domain.columns[first], domain.columns[second]
    if not isinstance(a, LevelColumn) or not isinstance(b, LevelColumn):
        raise TypeError(f"columns of levels can be compared; found {type(a).__name__} and {type(b).__name__}")
    code_of = {level: code for code, level in enumerate(b.levels)}
    same = tuple((code, code_of[level]) for code, level in enumerate(a.levels) if level in code_of)
    every = ((i, j) for i in range(len(a.levels)) for j in range(len(b.levels)))
    other = tuple(pair for pair in every if a.levels[pair[0]] != b.levels[pair[1]])
    return (
        Comparison(f"{a.name} = {b.name}", (first, second), same),
        Comparison(f"{a.name} != {b.name}", (first, second), other),
    )
