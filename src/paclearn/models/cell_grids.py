"""The grids of cells that effects and all that they say of fewer columns are tables over."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from paclearn.models.effects import check_size, first_of_groups

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

__all__ = ["CellGrid", "CodeGroups", "Grouped", "grids_of"]

_LARGEST_KEY = 2**62


class Grouped(Protocol):
    """Columns, and for each of them the group of every code: an effect, or what one will be."""

    @property
    def columns(self) -> tuple[int, ...]:
        """Places of the columns."""
        ...

    @property
    def groups(self) -> tuple[NDArray[np.intp], ...]:
        """The group of every code, the unseen one included."""
        ...


@dataclass(frozen=True, eq=False)
class CodeGroups:
    """Groups of codes, and nothing that is added there."""

    columns: tuple[int, ...]
    groups: tuple[NDArray[np.intp], ...]


@dataclass(frozen=True, eq=False)
class CellGrid:
    """Cells of some columns: the group of every code, the unseen one included, and the first code of every group."""

    columns: tuple[int, ...]
    groups: tuple[NDArray[np.intp], ...]
    firsts: tuple[NDArray[np.intp], ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """How many groups every column has."""
        return tuple(map(len, self.firsts))

    def cells_in(self, groups: Sequence[NDArray[np.intp]]) -> tuple[NDArray[np.intp], ...]:
        """Where its cells lie in a table over groups of the same columns that are no finer."""
        return np.ix_(*(group[first] for group, first in zip(groups, self.firsts, strict=True)))

    def masses(self, codes: Sequence[NDArray[Any]], counts: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """How many rows, given by the codes of all columns, each cell has."""
        place = self.groups[0][codes[self.columns[0]]]
        for column, group, size in zip(self.columns[1:], self.groups[1:], self.shape[1:], strict=True):
            place *= size
            place += group[codes[column]]
        found = np.bincount(place, counts, minlength=int(np.prod(self.shape)))
        return found.astype(np.float64).reshape(self.shape)


def grids_of(effects: Iterable[Grouped]) -> tuple[CellGrid, ...]:
    """Of the columns of every effect and of all their subsets, the largest sets first.

    Codes are together where no effect of these columns, alone or with others, tells them apart; those of a single
    column are all by themselves, so that its rows can be drawn beside its effect.
    """
    told: dict[tuple[int, ...], list[tuple[NDArray[np.intp], ...]]] = {}
    for effect in effects:
        order = np.argsort(effect.columns).tolist()
        for size in range(1, len(order) + 1):
            for some in combinations(order, size):
                key = tuple(effect.columns[i] for i in some)
                told.setdefault(key, []).append(tuple(effect.groups[i] for i in some))
    return tuple(_grid(key, told[key]) for key in sorted(told, key=lambda key: (-len(key), key)))


def _grid(columns: tuple[int, ...], told: list[tuple[NDArray[np.intp], ...]]) -> CellGrid:
    if len(columns) == 1:
        every = np.arange(len(told[0][0]))
        return CellGrid(columns, (every,), (every,))
    groups, firsts = zip(*map(_common, zip(*told, strict=True)), strict=True)
    check_size([len(first) for first in firsts], f"what {len(columns)} columns do together")
    return CellGrid(columns, groups, firsts)


def _common(groupings: Sequence[NDArray[np.intp]]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The coarsest groups that none of several groupings cuts through."""
    keys, size = groupings[0].astype(np.int64), int(groupings[0].max()) + 1
    for grouping in groupings[1:]:
        n_groups = int(grouping.max()) + 1
        if size * n_groups > _LARGEST_KEY:
            keys = first_of_groups(keys)[0].astype(np.int64)
            size = int(keys.max()) + 1
        keys, size = keys * n_groups + grouping, size * n_groups
    return first_of_groups(keys)
