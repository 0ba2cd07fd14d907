"""Columns and classes of a table on a cluster: what they are is known here, their rows are not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from paclearn._parameters import check_choice
from paclearn.encoding.summaries import NumberSummary, WordSummary, merged, summary_of
from paclearn.exceptions import TargetError
from paclearn.tables.lazy_columns import LazyColumns
from paclearn.tables.raw import read_raw
from paclearn.tables.remote import RemoteTable, remote_table, summed
from paclearn.tables.remote_numbers import column_of, counted, parts_beside, remote_numbers, remote_weights
from paclearn.tables.table import refuse_no_rows, uncollected
from paclearn.tables.target import MOST_CLASSES, Target, class_target, refuse_one_class

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.domain import Bit, Column, Domain
    from paclearn.encoding.summaries import Summary
    from paclearn.tables.remote_numbers import RemoteWeights
    from paclearn.tables.table import Table

__all__ = ["RemoteBlocks", "RemoteClasses", "RemoteColumns", "are_classes", "remote_classes", "remote_target"]
__all__ += ["targets_of_part"]


class RemoteBlocks:
    """The parts of a table on a cluster, as blocks of rows."""

    def __init__(self, table: RemoteTable) -> None:
        self.table, self.names, self.n_rows, self.named = table, table.names, table.n_rows, not table.plain
        self.weight = None if table.weights is None else table.weights.total
        self.at_once = len(table.names)  # parts are there as a whole

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


# ---- targets ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RemoteClasses:
    """The class numbers of all rows, of which only their counts are here."""

    parts: tuple[Any, ...]
    classes: NDArray[Any]
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return int(self.counts.sum())


def remote_classes(X: Any, y: Any, weights: RemoteWeights | None = None) -> tuple[RemoteTable, RemoteClasses]:
    """A table on a cluster, and the classes of its rows."""
    parts = parts_beside(X, y, "y")
    beside = () if weights is None else (weights.arrays.parts,)
    known = summed(lambda given: (_counted, *given), list(zip(parts, *beside, strict=True)), _together)
    refuse_no_rows(sum(known.values()))
    classes = np.array(sorted(known), dtype=_dtype(known))
    refuse_one_class(classes, sum(known.values()), "y")
    found = RemoteClasses(parts, classes, np.array([known[c] for c in sorted(known)], dtype=np.int64))
    return remote_table(X, len(found), weights), found


def _dtype(known: dict[Any, int]) -> Any:
    return object if any(isinstance(label, str) for label in known) else None


def class_numbers(part: Any, classes: NDArray[Any], weights: NDArray[np.float64] | None = None) -> NDArray[np.int32]:
    """The numbers that the classes of the rows that count have among all classes."""
    mine, numbers = class_target(column_of(part), len(part))
    place = {label: i for i, label in enumerate(classes.tolist())}
    every = np.array([place.get(label, -1) for label in mine.tolist()], dtype=np.int32)[numbers]
    return counted(every, weights)[0]


def targets_of_part(
    classes: NDArray[Any] | None, y: Any, weights: Any
) -> tuple[NDArray[Any], NDArray[np.float64] | None]:
    """Class numbers or numbers of the rows of a part that count, and their weights."""
    if classes is None or len(y) == 0:
        return counted(np.asarray(y), weights)
    return class_numbers(y, classes, weights), None if weights is None else weights[weights > 0]


def _counted(part: Any, weights: NDArray[np.float64] | None = None) -> dict[Any, int]:
    if len(part) == 0:
        return {}
    classes, every = class_target(column_of(part), len(part))
    numbers = counted(every, weights)[0]
    counts = np.bincount(numbers, minlength=len(classes)).tolist()
    return {label: count for label, count in zip(classes.tolist(), counts, strict=True) if count}


def _together(one: dict[Any, int], other: dict[Any, int]) -> dict[Any, int]:
    return {label: one.get(label, 0) + other.get(label, 0) for label in {**one, **other}}


def remote_target(X: Any, y: Any, task: str, sample_weight: Any = None) -> tuple[RemoteTable, Target]:
    """A table on a cluster and its target, classes or numbers by the rule of all targets."""
    check_choice("task", task, ("auto", "classification", "regression"))
    weights = remote_weights(X, sample_weight)
    if task == "classification" or (task == "auto" and are_classes(parts_beside(X, y, "y"))):
        table, known = remote_classes(X, y, weights)
        return table, Target(known, known.classes, weights)  # type: ignore[arg-type]
    numbers = remote_numbers(X, y, weights)
    if numbers.low == numbers.high:
        raise TargetError(f"the target 'y' is {numbers.low:g} in all {len(numbers)} rows; there is nothing to explain")
    return remote_table(X, len(numbers), weights), Target(numbers, None, weights)  # type: ignore[arg-type]


def are_classes(parts: Sequence[Any]) -> bool:
    """Whether the parts of a target hold classes, by the rule of all targets."""
    found = summed(lambda part: (_summary, part), parts, _merged)
    if isinstance(found, WordSummary):
        words = found.counts or {}
        whole = 0 < len(words) <= MOST_CLASSES and all(word.lstrip("-").isdigit() for word in words)
        return not found.exact or whole
    return isinstance(found, NumberSummary) and found.whole and not found.level and len(found.values) <= MOST_CLASSES


def _summary(part: Any) -> Summary | None:
    return summary_of(read_raw(_series(part), "the target 'y'")) if len(part) else None


def _series(part: Any) -> Any:
    return nw.from_native(column_of(part), pass_through=True, allow_series=True)


def _merged(one: Summary | None, other: Summary | None) -> Summary | None:
    return one if other is None else other if one is None else merged(one, other)
