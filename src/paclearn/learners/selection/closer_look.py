"""The rows that a selection looks at closely: all of them, or of very many the first by a hash of what they hold.

Cells are counted in all rows, wherever these lie. Numbers that are not cut into bins, redundancy and bootstrap samples
look at single rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from paclearn.encoding import BinColumn
from paclearn.encoding.remote_columns import RemoteClasses, targets_of_part
from paclearn.learners.selection.selection_target import centred
from paclearn.learners.selection.selection_units import UnitRows
from paclearn.tables.blocks import blocks_of, comes_in_blocks
from paclearn.tables.read_once import read_once
from paclearn.tables.remote import RemoteTable, part_rows, summed, unlike
from paclearn.tables.sampled_rows import FirstByHash, SampledRows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import EncodingRules
    from paclearn.tables.table import Table
    from paclearn.tables.target import Target

__all__ = ["LookedAt", "look_at"]

_FEWEST_ROWS, _MOST_ROWS = 2000, 50_000
_MOST_CELLS = 5 * 10**7


@dataclass(frozen=True, eq=False)
class LookedAt:
    """The units to choose from in the rows they are judged by, and in those that are looked at closely.

    ``table`` holds the latter as they were read; they are the former where there are not too many rows.
    """

    judged: UnitRows
    closely: UnitRows
    table: Table

    def of_columns(self, positions: NDArray[np.intp]) -> LookedAt:
        """The units of some columns of the table."""
        return self.of_units(np.flatnonzero(np.isin(self.judged.position, positions)).tolist())

    def of_units(self, units: Sequence[int]) -> LookedAt:
        """Some units, in this order."""
        judged = self.judged.of_units(units)
        return replace(self, judged=judged, closely=judged if self._are_one else self.closely.of_units(units))

    @property
    def _are_one(self) -> bool:
        return self.closely is self.judged


def look_at(
    table: Table, target: Target, rules: EncodingRules, unit: str, numeric: str, *, single_rows: bool
) -> LookedAt:
    """Learn the codes of a table, and take the rows to look at closely.

    Parameters
    ----------
    table, target : Table, Target
        Here, in blocks or on a cluster.
    rules : EncodingRules
        How columns are encoded.
    unit, numeric : str
        See `FourierSelector`.
    single_rows : bool
        Whether anything but numbers asks for single rows.
    """
    enough = int(np.clip(_MOST_CELLS // max(len(table.names), 1), _FEWEST_ROWS, _MOST_ROWS))
    far = isinstance(table, RemoteTable)
    if not far and table.n_rows <= enough:
        table = read_once(table)
        rows = UnitRows.read(table, centred(target)[0], rules, unit, numeric)
        return LookedAt(rows, rows, table)
    rows = UnitRows.read(table, centred(target)[0], rules, unit, "bins")
    as_numbers = unit == "column" and numeric == "polynomial"
    as_numbers = as_numbers and any(isinstance(column, BinColumn) for column in rows.domain.columns)
    if not (as_numbers or single_rows):
        return LookedAt(rows, rows, table)
    some = _some_rows(table, target, enough)
    closely = rows.in_rows(some, centred(_target_of(some, target))[0], unit, numeric)
    return LookedAt(closely if as_numbers else rows, closely, some)


# ---- some rows, and what is to be explained of them ------------------------------------------------------------------


class _Look(Protocol):
    """Rows of a block, and what they are together with those of the next."""

    def __call__(self, block: Table, beside: Sequence[NDArray[Any]]) -> SampledRows: ...

    def add(self, one: SampledRows, other: SampledRows) -> SampledRows: ...


@dataclass(frozen=True)
class _EveryRow:
    """All rows, in their order."""

    def __call__(self, block: Table, beside: Sequence[NDArray[Any]]) -> SampledRows:
        return SampledRows.of(block, beside)

    def add(self, one: SampledRows, other: SampledRows) -> SampledRows:
        return one.followed_by(other)


def _some_rows(table: Table, target: Target, enough: int) -> SampledRows:
    """As many as are enough, beside them their targets and weights."""
    if table.n_rows <= enough:
        return _looked(table, target, _EveryRow())
    return _looked(table, target, FirstByHash(enough)).drawn(enough)


def _looked(table: Table, target: Target, look: _Look) -> SampledRows:
    if isinstance(table, RemoteTable):
        return _looked_there(table, target, look)
    values = [target.values] if target.weights is None else [target.values, target.weights]
    if not comes_in_blocks(table):
        return look(table, values)
    found = (look(b, [each[b.start : b.start + b.n_rows] for each in values]) for b in blocks_of(table))
    return reduce(look.add, found)


def _looked_there(table: RemoteTable, target: Target, look: _Look) -> SampledRows:
    known: Any = target.values
    parts = known.parts if isinstance(known, RemoteClasses) else known.arrays.parts
    beside = () if table.weights is None else (table.weights.arrays.parts,)
    each = list(zip(table.parts, parts, *beside, strict=True))
    work = partial(_of_part, look, target.classes)
    found: SampledRows = summed(lambda given: (work, *given), each, look.add, table.client)
    return found


def _of_part(
    look: _Look, classes: NDArray[Any] | None, x: Any, y: Any, weights: NDArray[np.float64] | None = None
) -> SampledRows:
    values, theirs = targets_of_part(classes, y, weights)
    block = part_rows(x, weights)
    if block.n_rows != len(values):
        raise unlike(block.n_rows, "y", len(values))
    return look(block, [values] if theirs is None else [values, theirs])


def _target_of(some: SampledRows, target: Target) -> Target:
    """The target of these rows."""
    values, *weights = some.beside()
    mine = values if target.classes is None else values.astype(np.int32)
    return replace(target, values=mine, weights=weights[0] if weights else None, rows=None)
