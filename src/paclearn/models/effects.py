r"""A model as a sum of effects, :math:`f(x) = b + \sum_S f_S(x_S)`: tables over groups of codes of few columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.exceptions import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Effect", "Effects", "first_of_groups", "group_codes"]

_MOST_CELLS = 1_000_000
_BITS_A_KEY = 62
_FEW = 64


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
    masses : ndarray, one axis a column, default=None
        How many rows of the fit are in each cell (the sum of their weights); None where nobody counted.
    errors : ndarray, shaped as ``cells``, default=None
        Standard errors of the cells; None where they are unknown.
    """

    columns: tuple[int, ...]
    groups: tuple[NDArray[np.intp], ...]
    cells: NDArray[np.float64]
    masses: NDArray[np.float64] | None = None
    errors: NDArray[np.float64] | None = None

    def values(self, codes: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
        """What it adds to the scores of rows, from the codes of all columns of the model."""
        place = tuple(group[codes[column]] for group, column in zip(self.groups, self.columns, strict=True))
        return np.asarray(self.cells[place])

    @cached_property
    def importances(self) -> NDArray[np.float64]:
        r""":math:`\sqrt{E f_S^2}` under the law of the rows, a number an output; without one all cells count alike."""
        shares = np.ones(self.cells.shape[:-1]) if self.masses is None else self.masses
        squares = (self.cells**2 * shares[..., None]).reshape(-1, self.cells.shape[-1]).sum(axis=0)
        return np.asarray(np.sqrt(squares / max(shares.sum(), 1e-300)))

    @property
    def importance(self) -> float:
        """The same of all outputs together: the root of the mean of their squares."""
        return float(np.sqrt((self.importances**2).mean())) if self.importances.size else 0.0


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

    def of(self, columns: Sequence[int]) -> Effect | None:
        """The effect of some columns, in any order; None where they have none together."""
        wanted = tuple(sorted(columns))
        return next((effect for effect in self.effects if tuple(sorted(effect.columns)) == wanted), None)


def group_codes(answers: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Codes (rows of ``answers``) that answer all questions alike: the group of each, and one code of each group."""
    if answers.dtype == bool and answers.shape[1] <= _BITS_A_KEY:
        return first_of_groups(answers @ 2 ** np.arange(answers.shape[1]))
    _, first, group = np.unique(answers, axis=0, return_index=True, return_inverse=True)
    return _in_order(first, group.ravel())


def first_of_groups(keys: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The same of codes that are alike where their keys are."""
    if len(keys) <= _FEW:  # a look-up in Python is over before numpy has begun
        place: dict[int, int] = {}
        numbers = [place.setdefault(key, len(place)) for key in keys.tolist()]
        return np.array(numbers), np.array([numbers.index(number) for number in range(len(place))])
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    return _in_order(first, group)


def _in_order(first: NDArray[np.intp], group: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Groups in the order of their first code."""
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[group], first[order]


def check_size(sizes: Sequence[int], what: str) -> None:
    """Refuse an effect of more cells than anybody could look at."""
    if prod(sizes) > _MOST_CELLS:
        raise InputError(f"{what} would be one effect of {prod(sizes):,} cells (at most {_MOST_CELLS:,})")
