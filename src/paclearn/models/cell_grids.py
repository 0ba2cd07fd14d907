"""The grids of cells that effects and all that they say of fewer columns are tables over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from paclearn.counting.bits import BitTable
from paclearn.counting.engine_choice import engine_for
from paclearn.models.effects import check_size, first_of_groups

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["CellGrid", "CodeGroups", "Grouped", "grids_of", "masses_of"]

Common = Callable[..., tuple[NDArray[np.intp], NDArray[np.intp]]]

_LARGEST_KEY = 2**62
# planes are counted in less time than rows are added up, for as many grids of so few cells and rows of such weight
_MANY, _FEW_CELLS, _FEW_TIMES = 8, 200, 4


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


def masses_of(
    grids: Sequence[CellGrid], codes: Sequence[NDArray[Any]], counts: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], ...]:
    """How many rows, given by the codes of all columns, each cell of every grid has."""
    small = [grid for grid in grids if len(grid.columns) > 1 and prod(grid.shape) <= _FEW_CELLS]
    if len(small) < _MANY or not _are_few(counts):
        return tuple(_added_up(grid, codes, counts) for grid in grids)
    found = dict(zip((grid.columns for grid in small), _counted(small, codes, counts), strict=True))
    return tuple(found[g.columns] if g.columns in found else _added_up(g, codes, counts) for g in grids)


def _are_few(counts: NDArray[np.float64] | None) -> bool:
    """Whether rows count so few times that each can as well stand there as often."""
    return counts is None or (bool((counts == np.rint(counts)).all()) and counts.sum() <= _FEW_TIMES * len(counts))


def _added_up(grid: CellGrid, codes: Sequence[NDArray[Any]], counts: NDArray[np.float64] | None) -> NDArray[np.float64]:
    place = grid.groups[0][codes[grid.columns[0]]]
    for column, group, size in zip(grid.columns[1:], grid.groups[1:], grid.shape[1:], strict=True):
        place *= size
        place += group[codes[column]]
    found = np.bincount(place, counts, minlength=prod(grid.shape))
    return found.astype(np.float64).reshape(grid.shape)


def _counted(
    grids: Sequence[CellGrid], codes: Sequence[NDArray[Any]], counts: NDArray[np.float64] | None
) -> Iterator[NDArray[np.float64]]:
    """The same by the core: grids that share the groups of a column share its planes."""
    units: dict[tuple[int, bytes], tuple[int, NDArray[np.intp], int]] = {}
    sets = [[_unit(units, *each) for each in zip(g.columns, g.groups, g.shape, strict=True)] for g in grids]
    times = None if counts is None else counts.astype(np.intp)
    n_rows = len(codes[0]) if times is None else int(times.sum())
    columns = (_each(group.astype(np.uint8)[codes[column]], times) for (column, _), (_, group, _) in units.items())
    sizes = [size for _, _, size in units.values()]
    engine = engine_for(BitTable.pack(columns, sizes, np.zeros(n_rows, dtype=np.int8), 1))
    tables: list[NDArray[Any]] = [np.empty(0)] * len(grids)
    for alike in _places_by_shape(grids):
        counted = engine.counts([sets[i] for i in alike]).values[..., 0]
        for i, cells in zip(alike, counted.astype(np.float64), strict=True):
            tables[i] = cells.reshape(grids[i].shape)
    return iter(tables)


def _each(column: NDArray[Any], times: NDArray[np.intp] | None) -> NDArray[Any]:
    return column if times is None else np.repeat(column, times)


def _unit(units: dict[Any, Any], column: int, group: NDArray[np.intp], size: int) -> int:
    """The number of a column in these groups of its codes."""
    return int(units.setdefault((column, group.tobytes()), (len(units), group, size))[0])


def _places_by_shape(grids: Sequence[CellGrid]) -> list[list[int]]:
    found: dict[tuple[int, ...], list[int]] = {}
    for i, grid in enumerate(grids):
        found.setdefault(grid.shape, []).append(i)
    return list(found.values())


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
    known: dict[tuple[int, ...], tuple[NDArray[np.intp], NDArray[np.intp]]] = {}

    def common(*groupings: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        different = {id(grouping): grouping for grouping in groupings}  # the same array is the same grouping
        key = tuple(different)
        if key not in known:
            known[key] = _common(list(different.values()))
        return known[key]

    return tuple(_grid(key, told[key], common) for key in sorted(told, key=lambda key: (-len(key), key)))


def _grid(columns: tuple[int, ...], told: list[tuple[NDArray[np.intp], ...]], common: Common) -> CellGrid:
    if len(columns) == 1:
        every = np.arange(len(told[0][0]))
        return CellGrid(columns, (every,), (every,))
    groups, firsts = zip(*map(common, *told), strict=True)
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
