"""Columns and classes of a table on a cluster: what they are is known here, their rows are not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from paclearn.exceptions import InputTypeError, TargetError
from paclearn.tables.lazy_columns import LazyColumns
from paclearn.tables.remote import RemoteTable, is_remote, remote_parts, remote_table, summed
from paclearn.tables.table import uncollected
from paclearn.tables.target import MOST_CLASSES, Target, class_target, refuse_one_class

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.domain import Bit, Column, Domain
    from paclearn.tables.table import Table

__all__ = ["RemoteBlocks", "RemoteClasses", "RemoteColumns", "remote_classes", "remote_target"]


class RemoteBlocks:
    """The parts of a table on a cluster, as blocks of rows."""

    def __init__(self, table: RemoteTable) -> None:
        self.table, self.names, self.n_rows, self.named = table, table.names, table.n_rows, not table.plain

    def summed(self, work: Callable[[Table], Any], positions: Sequence[int], add: Callable[[Any, Any], Any]) -> Any:  # noqa: ARG002
        return self.table.summed(work, add)


@dataclass(frozen=True)
class Unit:
    """A column, or a bit of it: the answer for each of its codes."""

    column: Column
    answers: tuple[bool, ...] | None = None


class RemoteColumns(LazyColumns):
    """Codes of columns or bits, which workers make of their rows.

    Parameters
    ----------
    table : RemoteTable
        The table.
    units : sequence of Unit
        The columns, or bits of them.
    """

    def __init__(self, table: RemoteTable, units: Sequence[Unit]) -> None:
        super().__init__(len(units), self._refuse)
        self.table, self.units = table, tuple(units)

    @classmethod
    def of(cls, table: RemoteTable, domain: Domain) -> RemoteColumns:
        """All columns of a domain."""
        return cls(table, [Unit(column) for column in domain.columns])

    def _refuse(self, number: int) -> NDArray[Any]:
        raise uncollected(f"column {self.units[number].column.name!r}", "dask")

    def picked(self, places: Sequence[int]) -> RemoteColumns:
        return RemoteColumns(self.table, [self.units[i] for i in places])

    def of_bits(self, bits: Sequence[Bit], sizes: Sequence[int]) -> RemoteColumns:
        """Bits of these columns."""
        found = [(self.units[bit.column].column, bit.answers(sizes[bit.column]).tolist()) for bit in bits]
        return RemoteColumns(self.table, [Unit(column, tuple(answers)) for column, answers in found])


def codes_of_units(units: Sequence[Unit], table: Table) -> list[NDArray[np.unsignedinteger[Any]]]:
    """The codes of units in the rows of a table, each column read once."""
    read: dict[Column, NDArray[Any]] = {}
    found = []
    for unit in units:
        if unit.column not in read:
            read[unit.column] = unit.column.encode(unit.column.read(table))
        codes = read[unit.column]
        found.append(codes if unit.answers is None else np.array(unit.answers, dtype=np.uint8)[codes])
    return found


# ---- classes ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RemoteClasses:
    """The class numbers of all rows, of which only their counts are here."""

    parts: tuple[Any, ...]
    classes: NDArray[Any]
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return int(self.counts.sum())

    def numbers(self, part: Any) -> NDArray[np.int32]:
        """Those of the rows of a part, where it lies."""
        return class_numbers(part, self.classes)


def remote_classes(X: Any, y: Any) -> tuple[RemoteTable, RemoteClasses]:
    """A table on a cluster, and the classes of its rows."""
    if not is_remote(y):
        raise InputTypeError(
            f"X lies on a Dask cluster and y does not ({type(y).__name__}); pass a column of the same table, table['y']"
        )
    parts = remote_parts(y)
    if len(parts) != len(remote_parts(X)):
        raise TargetError(
            f"y has {len(parts)} partitions and X {len(remote_parts(X))}; take both from one table, or repartition one"
        )
    known = summed(lambda part: (_counted, part), parts, _together)
    classes = np.array(sorted(known), dtype=_dtype(known))
    refuse_one_class(classes, sum(known.values()), "y")
    found = RemoteClasses(parts, classes, np.array([known[c] for c in sorted(known)], dtype=np.int64))
    return remote_table(X, len(found)), found


def _dtype(known: dict[Any, int]) -> Any:
    return object if any(isinstance(label, str) for label in known) else None


def class_numbers(part: Any, classes: NDArray[Any]) -> NDArray[np.int32]:
    """The numbers that the classes of some rows have among all classes."""
    mine, numbers = class_target(_column(part), len(part))
    place = {label: i for i, label in enumerate(classes.tolist())}
    return np.array([place[label] for label in mine.tolist()], dtype=np.int32)[numbers]


def _counted(part: Any) -> dict[Any, int]:
    if len(part) == 0:
        return {}
    classes, numbers = class_target(_column(part), len(part))
    return dict(zip(classes.tolist(), np.bincount(numbers, minlength=len(classes)).tolist(), strict=True))


def _column(part: Any) -> Any:
    return (
        part if isinstance(nw.from_native(part, pass_through=True, allow_series=True), nw.Series) else np.asarray(part)
    )


def _together(one: dict[Any, int], other: dict[Any, int]) -> dict[Any, int]:
    return {label: one.get(label, 0) + other.get(label, 0) for label in {**one, **other}}


def remote_target(X: Any, y: Any, task: str) -> tuple[RemoteTable, Target]:
    """A table on a cluster and its target, which is to be of classes: numbers are not summed there."""
    table, known = remote_classes(X, y)
    if task == "regression" or (task == "auto" and _are_numbers(known)):
        raise TargetError(
            f"the target 'y' is a number ({len(known.classes)} different ones), and numbers are not explained on a "
            "cluster; make classes of them, or write the table to Parquet files and pass open_table(folder)"
        )
    return table, Target(known, known.classes)  # type: ignore[arg-type]


def _are_numbers(known: RemoteClasses) -> bool:
    return known.classes.dtype.kind in "iuf" and len(known.classes) > MOST_CLASSES
