"""Counting on a Dask cluster: rows are encoded and packed where they lie, subsets are shared among the workers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.counting.bits import BitTable
from paclearn.counting.engine_choice import local_engine
from paclearn.counting.engines import EngineOfTable
from paclearn.encoding.remote_columns import RemoteClasses, RemoteColumns, class_numbers, codes_of_units
from paclearn.exceptions import InputError
from paclearn.tables.remote import delayed_by_dask, part_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paclearn.counting.engines import Fused, FusedScan
    from paclearn.encoding.remote_columns import Unit

__all__ = ["RemoteBits", "RemoteEngine", "joined", "packed"]

_RANGES_A_THREAD = 4
_SECONDS_A_STRETCH = 4.0


def packed(columns: Any, sizes: Sequence[int], row_class: Any, n_classes: int) -> BitTable | RemoteBits:
    """Columns packed by class, here or where their rows lie."""
    if isinstance(columns, RemoteColumns):
        return RemoteBits(columns, np.asarray(sizes, dtype=np.int64), row_class)
    return BitTable.pack(columns, sizes, row_class, n_classes)


@dataclass(frozen=True, eq=False)
class RemoteBits:
    """Bits of a table on a cluster: a `BitTable` that a worker joins of those of all parts, once it is asked for."""

    columns: RemoteColumns
    sizes: NDArray[np.int64]
    classes: RemoteClasses

    @property
    def n_channels(self) -> int:
        return len(self.classes.classes)

    def engine(self) -> RemoteEngine:
        return RemoteEngine(self)

    @cached_property
    def future(self) -> Any:
        """Made of the user's own graph: what is lost is made again."""
        delayed = delayed_by_dask()
        client, units, sizes = self.columns.table.client, self.columns.units, self.sizes
        known = delayed((units, sizes, self.classes.classes), traverse=False)
        parts = zip(self.columns.table.parts, self.classes.parts, strict=True)
        found = [delayed(_pack, pure=False)(known, x, y) for x, y in parts]
        whole = client.compute(delayed(joined, pure=False)(found))
        client.replicate([whole])
        return whole


def _pack(known: tuple[Sequence[Unit], NDArray[np.int64], NDArray[Any]], x: Any, y: Any) -> BitTable | None:
    """The bits of a part, where it lies; none of an empty one."""
    (units, sizes, classes), table = known, part_table(x)
    if table.n_rows != len(y):
        raise InputError(f"a partition of X has {table.n_rows} rows and that of y {len(y)}; take both from one table")
    if table.n_rows == 0:
        return None
    codes = codes_of_units(units, table)
    return BitTable.pack(codes, sizes.tolist(), class_numbers(y, classes), len(classes))


def joined(shards: Sequence[BitTable | None]) -> BitTable:
    """The rows of several tables in one, class by class, as if they had been packed together."""
    tables = [shard for shard in shards if shard is not None]
    rows = np.sum([table.class_rows for table in tables], axis=0)
    numbers = np.repeat(np.arange(len(rows), dtype=np.int32), rows)
    return BitTable.pack(_planes(tables), [2] * len(tables[0].words), numbers, len(rows)).of_sizes(tables[0].sizes)


def _planes(tables: Sequence[BitTable]) -> Iterable[NDArray[np.uint8]]:
    """Every plane as a byte a row, the rows of all tables sorted by class."""
    for plane in range(len(tables[0].words)):
        yield np.concatenate([_class_bits(table, plane, c) for c in range(tables[0].n_channels) for table in tables])


def _class_bits(table: BitTable, plane: int, number: int) -> NDArray[np.uint8]:
    start, stop = table.class_starts[number : number + 2]
    words = table.words[plane, start:stop].view(np.uint8)
    return np.unpackbits(words, count=int(table.class_rows[number]), bitorder="little")


@dataclass(frozen=True, eq=False)
class RemoteEngine(EngineOfTable):
    """Sends subsets to workers that have the bits; only counts and best lists come back.

    Parameters
    ----------
    table : RemoteBits
        What to count.
    """

    table: RemoteBits

    @property
    def client(self) -> Any:
        return self.table.columns.table.client

    def identity(self) -> Iterable[NDArray[Any]]:
        return self.client.submit(_identity, self.table.future, pure=False).result()

    def scan(self, fused: Fused) -> FusedScan | None:
        return RemoteScan(self, fused)

    def _count(self, subsets: NDArray[np.int32]) -> NDArray[Any]:
        return self.client.submit(_count, self.table.future, subsets, pure=False).result()


@dataclass(frozen=True, eq=False)
class RemoteScan:
    """Ranges of first members, each of which a worker scans."""

    engine: RemoteEngine
    fused: Fused
    seconds_a_stretch: float = _SECONDS_A_STRETCH

    def best(
        self, k: int, begin: int, end: int, n_best: int, floor: float = -np.inf
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The best subsets of size k whose first member is in a range; those below the floor may be missing."""
        client, bits = self.engine.client, self.engine.table.future
        ranges = self._ranges(k, begin, end, _RANGES_A_THREAD * max(1, sum(client.nthreads().values())))
        tasks = [client.submit(_scan, bits, self.fused, k, a, b, n_best, floor, pure=False) for a, b in ranges]
        found = client.gather(tasks)
        return np.concatenate([subsets for subsets, _ in found]), np.concatenate([scores for _, scores in found])

    def _ranges(self, k: int, begin: int, end: int, most: int) -> list[tuple[int, int]]:
        """About so many ranges of as many subsets each."""
        below = np.cumsum([0, *(comb(self.engine.n_units - 1 - i, k - 1) for i in range(begin, end))], dtype=np.float64)
        cuts = np.searchsorted(below, np.linspace(0, below[-1], most + 1)[1:-1]) + begin
        return list(pairwise(np.unique([begin, *cuts.tolist(), end]).tolist()))


def _identity(table: BitTable) -> list[NDArray[Any]]:
    return list(local_engine(table, 1).identity())


def _count(table: BitTable, subsets: NDArray[np.int32]) -> NDArray[Any]:
    return local_engine(table, 1).counts(subsets).values


def _scan(
    table: BitTable, fused: Fused, k: int, begin: int, end: int, n_best: int, floor: float
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    scan = local_engine(table, 1).scan(fused)
    if scan is None:
        raise InputError("workers without paclearn's C++ core scan nothing; install it with a compiler there")
    return scan.best(k, begin, end, n_best, floor)
