"""Questions about two columns that share their levels: is ``head_shape`` the same as ``body_shape``, or another?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from paclearn.encoding.domain import Bit, Domain, LevelColumn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Comparison", "Condition", "columns_of", "comparisons", "holds", "shared_levels"]


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
    return condition.answers(sizes[condition.column])[codes[condition.column]]


def shared_levels(domain: Domain) -> list[tuple[int, int]]:
    """Pairs of columns with the same three or more levels; those of the most levels first.

    Of two columns of two levels, to be the same is a parity, and people do not think in parities.
    """
    levels = {i: frozenset(c.levels) for i, c in enumerate(domain.columns) if isinstance(c, LevelColumn)}
    alike = [(i, j) for i, j in combinations(levels, 2) if levels[i] == levels[j] and len(levels[i]) > 2]
    return sorted(alike, key=lambda pair: -len(levels[pair[0]]))


def comparisons(domain: Domain, first: int, second: int) -> tuple[Comparison, Comparison]:
    """``first = second`` and ``first != second`` for two columns that share their levels."""
    a, b = domain.columns[first], domain.columns[second]
    if not isinstance(a, LevelColumn) or not isinstance(b, LevelColumn):
        raise TypeError(f"columns of levels can be compared; found {type(a).__name__} and {type(b).__name__}")
    code_of = {level: code for code, level in enumerate(b.levels)}
    same = tuple((code, code_of[level]) for code, level in enumerate(a.levels) if level in code_of)
    every = ((i, j) for i in range(len(a.levels)) for j in range(len(b.levels)))
    other = tuple(pair for pair in every if pair not in same)
    return (
        Comparison(f"{a.name} = {b.name}", (first, second), same),
        Comparison(f"{a.name} != {b.name}", (first, second), other),
    )
