"""Counting on a Dask cluster: rows are encoded and packed where they lie, subsets are shared among the workers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import comb, inf
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.counting.bits import BitTable, CodeTable
from paclearn.counting.engines import EngineOfTable
from paclearn.counting.spread_engine import SpreadEngine
from paclearn.counting.worker_tables import count_cells, fingerprint_of, identity_of, scan_range, scans_by
from paclearn.encoding.remote_columns import (
    RemoteClasses,
    RemoteColumns,
    class_numbers,
    codes_of_units,
    targets_of_part,
)
from paclearn.tables.remote import delayed_by_dask, part_rows, part_table, summed, unlike
from paclearn.tables.weights import multiples, summable, summable_steps

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paclearn.counting.engines import Engine, Fused, FusedScan
    from paclearn.counting.summed_values import SummedValues
    from paclearn.encoding.remote_columns import Unit
    from paclearn.tables.remote_numbers import RemoteNumbers

__all__ = ["RemoteBits", "RemoteEngine", "RemoteRows", "RemoteSums", "RemoteUnsorted"]
__all__ += ["joined", "packed", "room_on_workers", "summed_codes"]

_RANGES_A_THREAD, _RANGES_A_CARD = 4, 2
_SECONDS_A_STRETCH = 4.0
_FEWEST_SUBSETS = 256  # that are worth a task
_SHARE_OF_A_WORKER = 0.3  # that a table may take, which is there twice while it is joined


def room_on_workers(client: Any) -> float:
    """Bytes that a table may take on the smallest worker."""
    known = client.scheduler_info(n_workers=-1)["workers"].values()
    return min((_SHARE_OF_A_WORKER * worker["memory_limit"] for worker in known if worker["memory_limit"]), default=inf)


def packed(columns: Any, sizes: Sequence[int], row_class: Any, n_classes: int) -> BitTable | RemoteBits:
    """Columns packed by class, here or where their rows lie."""
    if isinstance(columns, RemoteColumns):
        return RemoteBits(columns, np.asarray(sizes, dtype=np.int64), row_class)
    return BitTable.pack(columns, sizes, row_class, n_classes)


def summed_codes(
    columns: Any, sizes: Sequence[int], values: SummedValues, targets: Any, weights: Any, n_classes: int = 1
) -> CodeTable | RemoteSums:
    """Columns with values to be summed over cells, here or where their rows lie.

    What is summed is rounded so that sums are exact: in what order the rows come is of no account.
    """
    if isinstance(columns, RemoteColumns):
        return RemoteSums(columns, np.asarray(sizes, dtype=np.int64), values, targets)
    numbers = targets if n_classes > 1 else None
    return CodeTable.of(columns, sizes, summable(values(targets, weights)), numbers, n_classes)


@dataclass(frozen=True, eq=False)
class RemoteRows(ABC):
    """A table on a cluster, which a worker joins of those of all parts once it is asked for."""

    columns: RemoteColumns
    sizes: NDArray[np.int64]

    @property
    def client(self) -> Any:
        return self.columns.table.client

    def engine(self) -> Engine:
        """What counts it there: every worker has all of it, or, where one of them has not the room, its parts."""
        return RemoteEngine(self) if self.n_bytes <= room_on_workers(self.client) else SpreadEngine(self)

    @cached_property
    def future(self) -> Any:
        """Made of the user's own graph: what is lost is made again."""
        whole = self.client.compute(delayed_by_dask()(joined, pure=False)(self.shards()))
        self.client.replicate([whole])
        return whole

    @property
    @abstractmethod
    def n_channels(self) -> int:
        """Counts or sums a cell."""

    @property
    @abstractmethod
    def n_bytes(self) -> float:
        """Of all rows together, on a worker."""

    @abstractmethod
    def shards(self) -> list[Any]:
        """The table of every part."""


@dataclass(frozen=True, eq=False)
class RemoteBits(RemoteRows):
    """Bits of a table on a cluster: a `BitTable`."""

    classes: RemoteClasses

    @property
    def n_channels(self) -> int:
        """A count for every class."""
        return len(self.classes.classes)

    @property
    def n_bytes(self) -> float:
        return len(self.classes) * float(np.sum(self.sizes - 1)) / 8

    def shards(self) -> list[Any]:
        delayed = delayed_by_dask()
        known = delayed((self.columns.units, self.sizes, self._known_classes), traverse=False)
        parts = zip(self.columns.table.parts, self.classes.parts, strict=True)
        return [delayed(_pack, pure=False)(known, x, y) for x, y in parts]

    @property
    def _known_classes(self) -> NDArray[Any] | None:
        return self.classes.classes

    def class_numbers(self) -> Any:
        """Those of all rows, in the order of the parts, on every worker."""
        known = self.classes
        found = self.client.compute(delayed_by_dask()(_numbers_of, pure=False)(list(known.parts), known.classes))
        self.client.replicate([found])
        return found


@dataclass(frozen=True, eq=False)
class RemoteUnsorted(RemoteBits):
    """The same rows as those of one class, in their own order."""

    @property
    def n_channels(self) -> int:
        """One count."""
        return 1

    @property
    def _known_classes(self) -> None:
        return None


@dataclass(frozen=True, eq=False)
class RemoteSums(RemoteRows):
    """Codes of a table on a cluster, with values to be summed: a `CodeTable`.

    One pass says how large the values are, and so what step they are to be multiples of; then sums of all parts add up
    exactly.
    """

    values: SummedValues
    targets: RemoteClasses | RemoteNumbers

    @property
    def n_channels(self) -> int:
        """Sums a cell: values times classes."""
        return self.values.n_values * (len(self.targets.classes) if isinstance(self.targets, RemoteClasses) else 1)

    @property
    def n_bytes(self) -> float:
        return len(self.targets) * float(len(self.sizes) + 8 * self.values.n_values)

    def shards(self) -> list[Any]:
        delayed, table = delayed_by_dask(), self.columns.table
        classes = self.targets.classes if isinstance(self.targets, RemoteClasses) else None
        targets = self.targets.parts if isinstance(self.targets, RemoteClasses) else self.targets.arrays.parts
        weights = [None] * len(table.parts) if table.weights is None else table.weights.arrays.parts
        given = list(zip(targets, weights, strict=True))
        steps = summable_steps(summed(lambda each: (_sizes_of, self.values, classes, *each), given, np.add))
        known = delayed((self.columns.units, self.sizes, self.values, classes, steps), traverse=False)
        return [delayed(_sum, pure=False)(known, x, *each) for x, each in zip(table.parts, given, strict=True)]


def _numbers_of(parts: Sequence[Any], classes: NDArray[Any]) -> NDArray[np.int32]:
    return np.concatenate([class_numbers(part, classes) for part in parts if len(part)])


def _pack(known: tuple[Sequence[Unit], NDArray[np.int64], NDArray[Any] | None], x: Any, y: Any) -> BitTable | None:
    """The bits of a part, where it lies; none of an empty one. Without classes, its rows are of one."""
    (units, sizes, classes), table = known, part_table(x)
    if table.n_rows != len(y):
        raise unlike(table.n_rows, "y", len(y))
    if table.n_rows == 0:
        return None
    codes = codes_of_units(units, table)
    if classes is None:
        return BitTable.pack(codes, sizes.tolist(), np.zeros(table.n_rows, dtype=np.int32), 1)
    return BitTable.pack(codes, sizes.tolist(), class_numbers(y, classes), len(classes))


def _sum(known: tuple[Any, ...], x: Any, y: Any, weights: NDArray[np.float64] | None) -> CodeTable | None:
    """The codes and values of a part, where it lies; none of an empty one."""
    units, sizes, values, classes, steps = known
    table = part_rows(x, weights)
    if (n_rows := part_table(x).n_rows) != len(y):
        raise unlike(n_rows, "y", len(y))
    if table.n_rows == 0:
        return None
    targets, theirs = targets_of_part(classes, y, weights)
    numbers = None if classes is None else targets
    found = multiples(values(targets, theirs), steps)
    return CodeTable.of(codes_of_units(units, table), sizes, found, numbers, 1 if classes is None else len(classes))


def _sizes_of(values: SummedValues, classes: NDArray[Any] | None, y: Any, weights: Any) -> NDArray[np.float64]:
    """Sums of the sizes of all values of a part."""
    return np.asarray(np.abs(values(*targets_of_part(classes, y, weights))).sum(axis=0))


def joined(shards: Sequence[BitTable | CodeTable | None]) -> BitTable | CodeTable:
    """The rows of several tables in one, as if they had been read together."""
    tables: list[Any] = [shard for shard in shards if shard is not None]
    return BitTable.joined(tables) if isinstance(tables[0], BitTable) else _joined_codes(tables)


def _joined_codes(tables: Sequence[CodeTable]) -> CodeTable:
    codes, numbers = np.hstack([table.codes for table in tables]), np.concatenate([t.row_class for t in tables])
    return CodeTable(codes, tables[0].sizes, numbers, tables[0].n_classes, np.vstack([t.values for t in tables]))


@dataclass(frozen=True, eq=False)
class RemoteEngine(EngineOfTable):
    """Sends subsets to workers that have the table; only counts, sums and best lists come back."""

    table: RemoteRows

    @property
    def client(self) -> Any:
        return self.table.client

    @property
    def n_threads(self) -> int:
        """Of all workers together."""
        return max(1, sum(self.client.nthreads().values()))

    def identity(self) -> Iterable[NDArray[Any]]:
        return self.client.submit(identity_of, self.table.future, pure=False).result()

    def fingerprint(self) -> str:
        return str(self.client.submit(fingerprint_of, self.table.future, pure=False).result())

    @cached_property
    def total(self) -> float:
        return super().total

    def scan(self, fused: Fused) -> FusedScan | None:
        key = fused.kind, fused.scale, b"" if fused.inverse is None else fused.inverse.tobytes()
        if key not in self._scans:
            self._scans[key] = self._new_scan(fused)
        return self._scans[key]

    @cached_property
    def _scans(self) -> dict[Any, FusedScan | None]:
        return {}

    def _new_scan(self, fused: Fused) -> FusedScan | None:
        workers = list(self.client.nthreads())
        asked = {"pure": False, "allow_other_workers": True}  # one of them may be gone by now
        tasks = [self.client.submit(scans_by, self.table.future, fused, workers=[one], **asked) for one in workers]
        found = self.client.gather(tasks)
        if not all(found):
            return None
        have_cards = all(by == "card" for by in found)
        return RemoteScan(self, fused, _RANGES_A_CARD * len(workers) if have_cards else None)

    def _count(self, subsets: NDArray[np.int32]) -> NDArray[Any]:
        n_tasks = min(self.n_threads, max(1, len(subsets) // _FEWEST_SUBSETS))
        shared_out = np.array_split(subsets, n_tasks)
        tasks = [self.client.submit(count_cells, self.table.future, some, pure=False) for some in shared_out]
        found = self.client.gather(tasks)
        return found[0] if n_tasks == 1 else _of_one_length(found)


def _of_one_length(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Tables of all subsets, with noughts behind those of fewer cells."""
    cells = max(part.shape[1] for part in parts)
    return np.concatenate([np.pad(part, ((0, 0), (0, cells - part.shape[1]), (0, 0))) for part in parts])


@dataclass(frozen=True, eq=False)
class RemoteScan:
    """Ranges of first members, each of which a worker scans."""

    engine: RemoteEngine
    fused: Fused
    n_ranges: int | None = None  # a few for every thread, if nothing is said
    seconds_a_stretch: float = _SECONDS_A_STRETCH

    def best(
        self, k: int, begin: int, end: int, n_best: int, floor: float = -np.inf
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The best subsets of size k whose first member is in a range; those below the floor may be missing."""
        client, table = self.engine.client, self.engine.table.future
        ranges = self._ranges(k, begin, end, self.n_ranges or _RANGES_A_THREAD * self.engine.n_threads)
        tasks = [client.submit(scan_range, table, self.fused, k, a, b, n_best, floor, pure=False) for a, b in ranges]
        found = client.gather(tasks)
        return np.concatenate([subsets for subsets, _ in found]), np.concatenate([scores for _, scores in found])

    def _ranges(self, k: int, begin: int, end: int, most: int) -> list[tuple[int, int]]:
        """About so many ranges of as many subsets each."""
        below = np.cumsum([0, *(comb(self.engine.n_units - 1 - i, k - 1) for i in range(begin, end))], dtype=np.float64)
        cuts = np.searchsorted(below, np.linspace(0, below[-1], most + 1)[1:-1]) + begin
        return list(pairwise(np.unique([begin, *cuts.tolist(), end]).tolist()))
