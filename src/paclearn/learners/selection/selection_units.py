"""The units a selection chooses from: columns or bits, as codes, and the numbers that are not cut into bins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.counting.bits import bit_columns
from paclearn.encoding import BinColumn, Domain, EncodingRules, learn_and_encode
from paclearn.learners.selection.column_functions import standardise
from paclearn.tables.lazy_columns import columns_of, picked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.tables.raw import RawColumn
    from paclearn.tables.table import Table
    from paclearn.tables.target import Target

__all__ = ["UnitRows"]


@dataclass(frozen=True, eq=False)
class UnitRows:
    """The units to choose from: their codes, and the numbers behind those that are not cut into bins."""

    domain: Domain
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    position: NDArray[np.intp]  # the column of the table that a unit belongs to
    codes: Sequence[NDArray[np.unsignedinteger[Any]]]
    numbers: dict[int, NDArray[np.float64]]
    target: Target

    @classmethod
    def read(cls, table: Table, target: Target, rules: EncodingRules, unit: str, numeric: str) -> UnitRows:
        """Learn the codes of a table, and keep its numbers where they are wanted."""
        domain, columns = learn_and_encode(table, rules, target.weights)
        return cls._of(domain, columns_of(columns), table, target, unit, numeric)

    @classmethod
    def _of(
        cls,
        domain: Domain,
        codes: Sequence[NDArray[np.unsignedinteger[Any]]],
        table: Table,
        target: Target,
        unit: str,
        numeric: str,
    ) -> UnitRows:
        place = np.array([c.features[0] for c in domain.columns], dtype=np.intp)
        if unit == "bit":
            owner = place[[bit.column for bit in domain.bits]]
            bits = bit_columns(codes, domain.bits, domain.sizes)
            return cls(domain, domain.bit_names, (2,) * len(bits), owner, bits, {}, target)
        numbers = {}
        if numeric == "polynomial":
            numbers = {i: _numbers(c.read(table)) for i, c in enumerate(domain.columns) if isinstance(c, BinColumn)}
        return cls(domain, domain.column_names, domain.sizes, place, codes, numbers, target)

    def in_rows(self, table: Table, target: Target, unit: str, numeric: str) -> UnitRows:
        """All units of the domain in other rows."""
        codes = [column.encode(column.read(table)) for column in self.domain.columns]
        return self._of(self.domain, codes, table, target, unit, numeric)

    def of_units(self, units: Sequence[int]) -> UnitRows:
        """Some units, in this order."""
        return UnitRows(
            self.domain,
            tuple(self.names[u] for u in units),
            tuple(self.sizes[u] for u in units),
            self.position[list(units)],
            picked(self.codes, units),
            {i: self.numbers[u] for i, u in enumerate(units) if u in self.numbers},
            self.target,
        )

    def columns_by_score(self, own: NDArray[np.float64]) -> NDArray[np.intp]:
        """Columns of the table that vary, the one with the best unit first."""
        best: dict[int, float] = {}
        for position, score in zip(self.position.tolist(), np.round(own, 12).tolist(), strict=True):
            best[position] = max(score, best.get(position, -np.inf))
        return np.array(sorted(best, key=lambda p: (-best[p], p)), dtype=np.intp)

    def take(self, rows: NDArray[np.intp]) -> UnitRows:
        codes = [c[rows] for c in self.codes]
        numbers = {i: values[rows] for i, values in self.numbers.items()}
        return UnitRows(self.domain, self.names, self.sizes, self.position, codes, numbers, self.target.take(rows))

    def blocks(self) -> list[NDArray[np.float64]]:
        """Standardised functions of every unit, functions x rows."""
        numbers = list(self.numbers.values())  # all at once: there may be thousands
        together = standardise(np.column_stack(numbers)).T if numbers else np.empty((0, 0))
        own = {unit: together[k : k + 1] for k, unit in enumerate(self.numbers)}
        return [
            own[unit] if unit in own else standardise((codes[:, None] == np.arange(1, size)).astype(np.float64)).T
            for unit, (codes, size) in enumerate(zip(self.codes, self.sizes, strict=True))
        ]


def _numbers(raw: RawColumn) -> NDArray[np.float64]:
    values = np.asarray(raw.values, dtype=np.float64)  # type: ignore[union-attr]
    absent = np.isnan(values)
    return np.where(absent, values[~absent].mean(), values)
