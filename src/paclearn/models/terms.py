"""The bits of a model: levels of categories, thresholds of numbers, and both for columns of few numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.domain import Bit, LevelColumn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.domain import Column, Domain
    from paclearn.learners.spectral.term_matrix import Term

__all__ = ["model_bits", "name_of", "signs_of"]


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
        Bit(f"{column.name}>{column.levels[order[t]]}", i, tuple(sorted(order[t + 1 :].tolist())))
        for t in range(1, len(order) - 2)
    )


def signs_of(domain: Domain, bits: Sequence[Bit], codes: Any) -> NDArray[np.int8]:
    """The answers of every row, -1 or +1, from the codes of the columns."""
    signs = np.empty((len(codes[0]), len(bits)), dtype=np.int8)
    for place, bit in enumerate(bits):
        answers = bit.answers(domain.columns[bit.column].n_codes)
        signs[:, place] = np.where(answers, 1, -1).astype(np.int8)[codes[bit.column]]
    return signs


def name_of(term: Term, bits: Sequence[Bit]) -> str:
    """For example ``colour=red XOR age>41``."""
    return " XOR ".join(bits[i].name for i in term)
