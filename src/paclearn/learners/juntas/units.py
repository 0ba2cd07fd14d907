"""What a junta chooses from: the columns of a domain, or its bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paclearn.counting.bits import bit_codes, bit_columns
from paclearn.encoding.column_pass import encode_each
from paclearn.tables.lazy_columns import LazyColumns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from paclearn.encoding import Column, Domain
    from paclearn.models.table_model import Member
    from paclearn.tables.table import Table

__all__ = ["Units"]


@dataclass(frozen=True)
class Units:
    """The units of a domain: their names, and the names of their codes."""

    domain: Domain
    kind: str

    @property
    def names(self) -> tuple[str, ...]:
        return self.domain.column_names if self.kind == "column" else self.domain.bit_names

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.domain.sizes if self.kind == "column" else (2,) * len(self.domain.bits)

    def code_names(self, unit: int) -> tuple[str, ...]:
        return self.domain.columns[unit].code_names if self.kind == "column" else ("no", "yes")

    def codes(self, columns: Iterable[NDArray[np.unsignedinteger[Any]]]) -> Iterable[NDArray[np.unsignedinteger[Any]]]:
        """Codes of the units from codes of the columns."""
        if self.kind == "column":
            return columns
        if isinstance(columns, LazyColumns):
            return bit_columns(columns, self.domain.bits, self.domain.sizes)
        return bit_codes(columns, self.domain.bits, self.domain.sizes)

    def members(self, chosen: Sequence[int]) -> tuple[tuple[Column, ...], tuple[Member, ...]]:
        """The columns of some units, and each unit as one of those or as some codes of it."""
        bits = None if self.kind == "column" else [self.domain.bits[i] for i in chosen]
        wanted = list(chosen) if bits is None else [bit.column for bit in bits]
        kept = sorted(set(wanted))
        place = {old: new for new, old in enumerate(kept)}
        codes = [None] * len(wanted) if bits is None else [bit.codes for bit in bits]
        members = tuple((place[column], yes) for column, yes in zip(wanted, codes, strict=True))
        return tuple(self.domain.columns[i] for i in kept), members

    def encode(self, table: Table, members: Iterable[int]) -> list[NDArray[np.unsignedinteger[Any]]]:
        """Codes of a few units of a table; no other column is read."""
        members = list(members)
        if self.kind == "column":
            return list(encode_each([self.domain.columns[i] for i in members], table))
        bits = [self.domain.bits[i] for i in members]
        read = sorted({bit.column for bit in bits})
        codes = dict(zip(read, encode_each([self.domain.columns[i] for i in read], table), strict=True))
        return [bit.answers(self.domain.sizes[bit.column])[codes[bit.column]].astype("uint8") for bit in bits]
