"""The bits of a model: levels of categories, thresholds of numbers, and both for columns of few numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.domain import Bit, LevelColumn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.domain import Column, Domain
__all__ = [
    "Term",
    "answers_of",
    "joined",
    "members_of",
    "model_bits",
    "name_of",
    "product_columns",
    "products_of",
    "scores_of",
    "signs_of",
    "used_members",
]

Term = tuple[int, ...]
_CELLS_IN_CACHE, _ROWS_IN_CACHE = 2**16, 256  # products of terms at once, and rows that share the columns beside them


def model_bits(domain: Domain) -> tuple[Bit, ...]:
    """All questions that a spectral model may ask, column by column."""
    return tuple(bit for i, column in enumerate(domain.columns) for bit in (*column.bits(i), *_between(column, i)))


def _between(column: Column, i: int) -> tuple[Bit, ...]:
    """Thresholds of a column that keeps its few numbers as levels.

    The first and the last one would say again that the number is the smallest or the largest.
    """
    if not isinstance(column, LevelColumn) or not column.numeric or column.other:
        return ()
    order = np.argsort([float(level) for level in column.levels], kind="stable")
    return tuple(
        Bit(f"{column.name}>{column.levels_in_words[order[t]]}", i, tuple(sorted(order[t + 1 :].tolist())))
        for t in range(1, len(order) - 2)
    )


def answers_of(domain: Domain, bits: Sequence[Bit], codes: Any) -> NDArray[np.bool_]:
    """The answers of every row to every bit, from the codes of the columns."""
    answers = np.empty((len(codes[0]), len(bits)), dtype=bool)
    for place, bit in enumerate(bits):
        answers[:, place] = bit.answers(domain.columns[bit.column].n_codes)[codes[bit.column]]
    return answers


def signs_of(domain: Domain, bits: Sequence[Bit], codes: Any) -> NDArray[np.int8]:
    """The answers of every row, -1 or +1, from the codes of the columns."""
    signs = np.empty((len(bits), len(codes[0])), dtype=np.int8)
    for place, bit in enumerate(bits):
        answers = bit.answers(domain.columns[bit.column].n_codes)
        signs[place] = np.where(answers, 1, -1).astype(np.int8)[codes[bit.column]]
    return np.ascontiguousarray(signs.T)


def name_of(term: Term, bits: Sequence[Bit]) -> str:
    """For example ``colour=red XOR age>41``."""
    return " XOR ".join(bits[i].name for i in term)


def joined(names: Sequence[str], join: str) -> str:
    """For example ``age > 41 and town = Ulm``, or where a parity is what was found, ``exactly one of ...``."""
    if join == "and" or len(names) == 1:
        return " and ".join(names)
    listed = ", ".join(names)
    return f"exactly one of {listed}" if len(names) == 2 else f"an odd number of {listed}"


def products_of(values: NDArray[np.float32], terms: Sequence[Term]) -> NDArray[np.float32]:
    """Rows x terms: the product of the members' columns."""
    if max(map(len, terms), default=1) == 1:
        return values[:, [t[0] for t in terms]]
    used, members = used_members(terms)
    return product_columns(np.ascontiguousarray(values[:, used].T), members).T


def scores_of(
    values: NDArray[np.float32], terms: Sequence[Term], weights: NDArray[np.float64], intercept: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Weighted sums of terms and the intercept, so few rows and terms at a time that they stay in the cache."""
    used, members = used_members(terms)
    found = np.tile(intercept, (len(values), 1))
    rows = max(_ROWS_IN_CACHE, _CELLS_IN_CACHE // max(len(terms), 1))
    for begin in range(0, len(values), rows):
        columns = np.ascontiguousarray(values[begin : begin + rows, used].T)
        step = max(1, _CELLS_IN_CACHE // columns.shape[1])
        for first in range(0, len(terms), step):
            few = product_columns(columns, members[first : first + step]).astype(np.float64)
            found[begin : begin + rows] += few.T @ weights[first : first + step]
    return found


def members_of(terms: Sequence[Term]) -> NDArray[np.intp]:
    """Terms x the longest degree, filled up with -1."""
    longest = max(map(len, terms), default=1)
    filled = [(*t, *(-1,) * (longest - len(t))) for t in terms]
    return np.array(filled, dtype=np.intp).reshape(len(terms), longest)


def used_members(terms: Sequence[Term]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The columns that terms need, of which there may be few, and their members by the places among those."""
    members = members_of(terms)
    used = np.unique(members[members >= 0])
    members[members >= 0] = np.searchsorted(used, members[members >= 0])
    return used, members


def product_columns(columns: NDArray[np.float32], members: NDArray[np.intp]) -> NDArray[np.float32]:
    """Terms x rows, from columns x rows: whole columns are multiplied, which is what processors like."""
    result = columns[members[:, 0]]
    for place in range(1, members.shape[1]):
        late = np.flatnonzero(members[:, place] >= 0)
        if len(late) == len(members):
            result *= columns[members[:, place]]
        else:
            result[late] *= columns[members[late, place]]
    return result
