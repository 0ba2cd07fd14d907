r"""A model as a sum of effects, :math:`f(x) = b + \sum_S f_S(x_S)`: tables over groups of codes of few columns."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.exceptions import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Effect", "Effects", "group_codes"]

_MOST_CELLS = 1_000_000


@dataclass(frozen=True, eq=False)
class Effect:
    """What some columns add together.

    Parameters
    ----------
    columns : tuple of int
        Places of the columns among those of the model.
    groups : tuple of ndarray
        For each column the group of every code, the unseen one (the last) included.
    cells : ndarray, one axis a column, then outputs
        What is added in each cell of groups.
    """

    columns: tuple[int, ...]
    groups: tuple[NDArray[np.intp], ...]
    cells: NDArray[np.float64]

    def values(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """What it adds to the scores of rows, from the codes of all columns of the model."""
        place = tuple(group[codes[column]] for group, column in zip(self.groups, self.columns, strict=True))
        return np.asarray(self.cells[place])


@dataclass(frozen=True, eq=False)
class Effects:
    """A start and the effects, which add up to the scores of the model, exactly."""

    start: NDArray[np.float64]
    effects: tuple[Effect, ...]

    def scores(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """The sum, for rows given by the codes of the columns of the model."""
        total = np.tile(self.start, (len(codes[0]), 1))
        for effect in self.effects:
            total += effect.values(codes)
        return total


def group_codes(answers: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Codes (rows of ``answers``) that answer all questions alike: the group of each, and one code of each group."""
    _, first, group = np.unique(answers, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)  # groups in the order of their first code
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[group.ravel()], first[order]


def check_size(sizes: Sequence[int], what: str) -> None:
    """Refuse an effect of more cells than anybody could look at."""
    if prod(sizes) > _MOST_CELLS:
        raise InputError(f"{what} would be one effect of {prod(sizes):,} cells (at most {_MOST_CELLS:,})")
