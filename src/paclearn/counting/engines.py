"""Engines: something with units that can count the cells of a block of subsets."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import effective_n_jobs

from paclearn._parameters import check_jobs
from paclearn.counting.bits import BitTable, CodeTable
from paclearn.counting.counts import Counts, cells_of
from paclearn.exceptions import InputError
from paclearn.kernels import dispatch as native

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

__all__ = ["Engine", "Fused", "NativeEngine", "NumpyEngine", "ShardedEngine", "engine_for"]


@dataclass(frozen=True, eq=False)
class Fused:
    """A score that the compiled core knows: its kind, one over P(unit = code) where it needs that, and a factor."""

    kind: str
    scale: float
    inverse: NDArray[np.float64] | None = None


class Engine(ABC):
    """Counts the cells of subsets of units. One method matters, `counts`."""

    sizes: NDArray[np.int64]
    n_channels: int

    @property
    def n_units(self) -> int:
        return len(self.sizes)

    def counts(self, subsets: Any) -> Counts:
        """The tables of a block of subsets, all of one size (an array with a row for each)."""
        subsets = np.ascontiguousarray(subsets, dtype=np.int32)
        if subsets.ndim != 2 or (subsets.size and not (subsets.min() >= 0 and subsets.max() < self.n_units)):
            raise InputError(f"subsets must be rows of unit numbers from 0 to {self.n_units - 1}")
        return Counts(subsets, self.sizes[subsets], self._count(subsets, cells_of(subsets, self.sizes)))

    def scan(self, fused: Fused) -> native.Scan | None:  # noqa: ARG002 - most engines have none
        """A scan with this score fused in, where the engine has one: the same answers as `counts`, much faster."""
        return None

    def fingerprint(self) -> str:
        """The same for the same counts of everything, and different for others."""
        digest = hashlib.sha256()
        for part in self._identity():
            digest.update(np.ascontiguousarray(part).data)
        return digest.hexdigest()

    @abstractmethod
    def _identity(self) -> Iterable[NDArray[Any]]:
        """Everything the counts depend on."""

    @abstractmethod
    def _count(self, subsets: NDArray[np.int32], cells: int) -> NDArray[Any]: ...


@dataclass(frozen=True, eq=False)
class _TableEngine(Engine):
    table: BitTable | CodeTable
    n_threads: int = 1

    @property
    def sizes(self) -> NDArray[np.int64]:  # type: ignore[override]
        return self.table.sizes

    @property
    def n_channels(self) -> int:  # type: ignore[override]
        return self.table.n_channels

    def _identity(self) -> Iterable[NDArray[Any]]:
        table = self.table
        if isinstance(table, BitTable):
            return (table.words, table.sizes, table.class_rows)
        return (table.codes, table.sizes, table.row_class, table.values)

    @cached_property
    def _valid(self) -> NDArray[np.uint64]:
        return self.table.valid if isinstance(self.table, BitTable) else np.empty(0, dtype=np.uint64)


class NativeEngine(_TableEngine):
    """The compiled core."""

    def scan(self, fused: Fused) -> native.Scan | None:
        if not isinstance(self.table, BitTable):
            return None
        return native.Scan(self.table, self._valid, fused.kind, fused.inverse, fused.scale, self.n_threads)

    def _count(self, subsets: NDArray[np.int32], cells: int) -> NDArray[Any]:
        if isinstance(self.table, BitTable):
            return native.count_cells(self.table, self._valid, subsets, cells, self.n_threads)
        return native.sum_cells(self.table, subsets, cells, self.n_threads)


class NumpyEngine(_TableEngine):
    """Readable and slow: what the compiled core is checked against, and what stands in for it."""

    def _count(self, subsets: NDArray[np.int32], cells: int) -> NDArray[Any]:
        tables = [self._cells_of_one(subset) for subset in subsets]
        values = np.zeros((len(subsets), cells, self.n_channels), dtype=tables[0].dtype if tables else np.int64)
        for i, table in enumerate(tables):
            values[i, : len(table)] = table
        return values

    def _cells_of_one(self, subset: NDArray[np.int32]) -> NDArray[Any]:
        if isinstance(self.table, BitTable):
            return self._count_bits(self.table, subset)
        return self._sum_values(self.table, subset)

    def _count_bits(self, table: BitTable, subset: NDArray[np.int32]) -> NDArray[np.int64]:
        masks = self._valid[np.newaxis]
        for unit in subset:
            masks = np.stack([masks & plane for plane in _planes_of(table, unit)], axis=1).reshape(-1, masks.shape[1])
        per_word = np.bitwise_count(masks).astype(np.int64)
        starts = table.class_starts
        return np.stack([per_word[:, a:b].sum(axis=1) for a, b in pairwise(starts)], axis=1)

    def _sum_values(self, table: CodeTable, subset: NDArray[np.int32]) -> NDArray[Any]:
        cell = np.zeros(table.codes.shape[1], dtype=np.int64)
        for unit in subset:
            cell = cell * table.sizes[unit] + table.codes[unit]
        group = cell * table.n_classes + table.row_class
        n_groups = int(table.sizes[subset].prod()) * table.n_classes
        sums = [np.bincount(group, weights=values, minlength=n_groups) for values in table.values.T]
        return np.stack(sums, axis=1).reshape(-1, self.n_channels)


def _planes_of(table: BitTable, unit: int) -> list[NDArray[np.uint64]]:
    """The planes of all codes of a unit, code 0 included."""
    first = table.first_plane[unit]
    planes = list(table.words[first : first + table.sizes[unit] - 1])
    return [~np.bitwise_or.reduce(planes), *planes]


@dataclass(frozen=True, eq=False)
class ShardedEngine(Engine):
    """The sum of engines over disjoint rows: blocks of a file, workers of a cluster."""

    shards: Sequence[Engine]

    @property
    def sizes(self) -> NDArray[np.int64]:  # type: ignore[override]
        return self.shards[0].sizes

    @property
    def n_channels(self) -> int:  # type: ignore[override]
        return self.shards[0].n_channels

    def _identity(self) -> Iterable[NDArray[Any]]:
        return (part for shard in self.shards for part in shard._identity())  # noqa: SLF001

    def _count(self, subsets: NDArray[np.int32], cells: int) -> NDArray[Any]:
        return sum((shard._count(subsets, cells) for shard in self.shards[1:]), self.shards[0]._count(subsets, cells))  # noqa: SLF001


def engine_for(table: BitTable | CodeTable, n_jobs: int | None = None) -> Engine:
    """The fastest engine there is for a table; ``n_jobs`` as in scikit-learn (None is one thread, -1 all cores)."""
    check_jobs(n_jobs)
    kind = NativeEngine if native.available() else NumpyEngine
    return kind(table, effective_n_jobs(n_jobs))
