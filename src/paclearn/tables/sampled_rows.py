"""Some of very many rows, the same in whatever blocks and order these come: the first by a hash of what they hold."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from paclearn.tables.dates import Dates
from paclearn.tables.raw import Labels, Numbers, label_text, read_any
from paclearn.tables.repeats import mixed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.tables.raw import SmallIntegers
    from paclearn.tables.table import Table

__all__ = ["FirstByHash", "SampledRows"]

_NOTHING = np.uint64(0x5851F42D4C957F2D)  # what is missing
Kept: TypeAlias = "Numbers | Labels | Dates"


@dataclass(frozen=True, eq=False)
class SampledRows:
    """Rows in the order of their hashes: a table whose columns are there as they were read."""

    names: tuple[str, ...]
    columns: tuple[Kept, ...]
    marks: NDArray[np.uint64]

    @property
    def n_rows(self) -> int:
        """How many."""
        return len(self.marks)

    def column(self, position: int) -> Kept:
        """Numbers, labels or dates."""
        return self.columns[position]

    def first(self, most: int) -> SampledRows:
        """The first so many by their hashes; equal rows are all there."""
        order = np.argsort(self.marks, kind="stable")[:most]
        return SampledRows(self.names, tuple(_needed(column[order]) for column in self.columns), self.marks[order])


@dataclass(frozen=True)
class FirstByHash:
    """The first so many rows of a block, and of two blocks together."""

    most: int

    def __call__(self, block: Table) -> SampledRows:
        columns = tuple(_plain(read_any(block, i)) for i in range(len(block.names)))
        marks = np.zeros(block.n_rows, dtype=np.uint64)
        for column in columns:
            marks = mixed(marks) ^ _marks(column)
        return SampledRows(tuple(block.names), columns, mixed(marks)).first(self.most)

    def add(self, one: SampledRows, other: SampledRows) -> SampledRows:
        """Of both."""
        columns = tuple(_together(a, b) for a, b in zip(one.columns, other.columns, strict=True))
        return SampledRows(one.names, columns, np.concatenate([one.marks, other.marks])).first(self.most)


def _plain(raw: Numbers | SmallIntegers | Labels | Dates) -> Kept:
    return raw if isinstance(raw, Numbers | Labels | Dates) else Numbers(raw.values)


def _needed(column: Kept) -> Kept:
    """Words that no row has are let go."""
    if not isinstance(column, Labels):
        return column
    found, place = np.unique(column.codes, return_inverse=True)
    n_missing = int((found < 0).sum())
    labels = tuple(column.labels[code] for code in found[n_missing:].tolist())
    return Labels((place - n_missing).astype(np.int32), labels, column.exact)


def _marks(column: Kept) -> NDArray[np.uint64]:
    """64 bits for every value, which follow from it alone."""
    if isinstance(column, Labels):
        known = [_bits_of(float(text)) if column.exact else _digest(text) for text in column.labels]
        return np.array([*known, _NOTHING], dtype=np.uint64)[column.codes]  # missing is -1
    if isinstance(column, Dates):
        return np.where(
            column.missing, _NOTHING, column.values.astype("datetime64[s]").astype(np.int64).view(np.uint64)
        )
    return np.where(column.missing, _NOTHING, (column.values + 0.0).view(np.uint64))


def _bits_of(number: float) -> int:
    return int(np.array(number + 0.0).view(np.uint64))


def _digest(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def _together(one: Kept, other: Kept) -> Kept:
    """The values of both; numbers too long for floats are words in all blocks, if they are in one."""
    if isinstance(one, Labels) or isinstance(other, Labels):
        a, b = _as_labels(one), _as_labels(other)
        place = {label: i for i, label in enumerate(dict.fromkeys([*a.labels, *b.labels]))}
        codes = [
            np.array([*(place[label] for label in part.labels), -1], dtype=np.int32)[part.codes] for part in (a, b)
        ]
        return Labels(np.concatenate(codes), tuple(place), a.exact or b.exact)
    values = np.concatenate([one.values, other.values])
    return Dates(values) if isinstance(one, Dates) else Numbers(values, bool(getattr(one, "few", False)))


def _as_labels(column: Kept) -> Labels:
    if isinstance(column, Labels):
        return column
    values, place = np.unique(column.values, return_inverse=True)
    present = ~column.missing
    return Labels(
        np.where(present, place, -1).astype(np.int32), tuple(label_text(v) for v in values.tolist()), exact=True
    )
