"""Some of very many rows, the same in whatever blocks and order these come: the first by a hash of what they hold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from paclearn.tables.dates import Dates
from paclearn.tables.raw import Labels, Numbers, label_text, read_any
from paclearn.tables.repeats import mixed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.tables.raw import SmallIntegers
    from paclearn.tables.table import Table

__all__ = ["FirstByHash", "SampledRows"]

_NOTHING = np.uint64(0x5851F42D4C957F2D)  # what is missing
Kept: TypeAlias = "Numbers | Labels | Dates"


@dataclass(frozen=True, eq=False)
class SampledRows:
    """Some rows, a table whose columns are there as they were read; numbers beside it are columns without a name.

    ``marks`` are the hashes of the rows, and ``times`` says how many rows there are like each.
    """

    names: tuple[str, ...]
    columns: tuple[Kept, ...]
    marks: NDArray[np.uint64]
    times: NDArray[np.int64]

    @classmethod
    def of(cls, block: Table, beside: Sequence[NDArray[Any]] = ()) -> SampledRows:
        """All rows of a table, and some numbers of each; they are not hashed."""
        marks, times = np.zeros(block.n_rows, dtype=np.uint64), np.ones(block.n_rows, dtype=np.int64)
        return cls(tuple(block.names), tuple(_columns(block, beside)), marks, times)

    @classmethod
    def first_of(cls, block: Table, beside: Sequence[NDArray[Any]], most: int) -> SampledRows:
        """The first so many different ones; columns of more rows are let go, and read again in these."""
        whole = list(_columns(block, beside)) if block.n_rows <= most else None
        marks = np.zeros(block.n_rows, dtype=np.uint64)
        for column in whole or _columns(block, beside):
            marks = mixed(marks) ^ _marks(column)
        marks = mixed(marks)
        rows, times = _first_kinds(marks, np.ones(block.n_rows, dtype=np.int64), most)
        columns = tuple(_needed(column[rows]) for column in whole or _columns(block, beside))
        return cls(tuple(block.names), columns, marks[rows], times)

    @property
    def n_rows(self) -> int:
        """How many."""
        return len(self.marks)

    def column(self, position: int) -> Kept:
        """Numbers, labels or dates."""
        return self.columns[position]

    def beside(self) -> list[NDArray[np.float64]]:
        """The numbers beside the table."""
        return [np.asarray(column.values) for column in self.columns[len(self.names) :]]  # type: ignore[union-attr]

    def followed_by(self, other: SampledRows) -> SampledRows:
        """The rows of both."""
        columns = tuple(_together(a, b) for a, b in zip(self.columns, other.columns, strict=True))
        marks, times = (np.concatenate([getattr(s, name) for s in (self, other)]) for name in ("marks", "times"))
        return SampledRows(self.names, columns, marks, times)

    def first_kinds(self, most: int) -> SampledRows:
        """The first so many different ones in the order of their hashes."""
        rows, times = _first_kinds(self.marks, self.times, most)
        return replace(self._at(rows), times=times)

    def drawn(self, most: int) -> SampledRows:
        """Every row as often as there are rows like it; of more than so many, evenly spread ones."""
        ends = np.cumsum(self.times)
        total = int(ends[-1]) if len(ends) else 0
        n = min(most, total)
        at = (2 * np.arange(n) + 1) * total // (2 * max(n, 1))
        rows = np.searchsorted(ends, at, side="right")
        return replace(self._at(rows), times=np.ones(n, dtype=np.int64))

    def _at(self, rows: NDArray[np.intp]) -> SampledRows:
        columns = tuple(_needed(column[rows]) for column in self.columns)
        return SampledRows(self.names, columns, self.marks[rows], self.times[rows])


@dataclass(frozen=True)
class FirstByHash:
    """The first so many different rows of a block, and of two blocks together."""

    most: int

    def __call__(self, block: Table, beside: Sequence[NDArray[Any]] = ()) -> SampledRows:
        return SampledRows.first_of(block, beside, self.most)

    def add(self, one: SampledRows, other: SampledRows) -> SampledRows:
        """Of both."""
        return one.followed_by(other).first_kinds(self.most)


def _columns(block: Table, beside: Sequence[NDArray[Any]]) -> Iterator[Kept]:
    yield from (_plain(read_any(block, i)) for i in range(len(block.names)))
    yield from (Numbers(np.asarray(numbers, dtype=np.float64)) for numbers in beside)


def _first_kinds(
    marks: NDArray[np.uint64], times: NDArray[np.int64], most: int
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """A row of each of the first kinds, and how many rows there are of it."""
    _, first, kind = np.unique(marks, return_index=True, return_inverse=True)
    found = np.zeros(len(first), dtype=np.int64)
    np.add.at(found, kind, times)
    return first[:most], found[:most]


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
