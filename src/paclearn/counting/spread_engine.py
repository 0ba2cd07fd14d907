"""Counting tables that no worker has the room for: every part counts its own rows, and workers add the counts up.

A stretch of subsets is cut into blocks. A block is counted by every part where that lies; one worker adds the tables of
all parts up, scores them, and keeps the best, so that no more than best lists comes back. Nobody needs more than its
parts and a block of tables; what is moved is a table of every subset for every part, which is why bits are joined
instead wherever they fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.counting.counts import Counts
from paclearn.counting.engines import EngineOfTable
from paclearn.counting.worker_tables import count_cells
from paclearn.tables.remote import summed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from paclearn.counting.bits import BitTable, CodeTable
    from paclearn.counting.remote_engine import RemoteRows

    Best = tuple[NDArray[np.int32], NDArray[np.float64]]
    Scoring = Callable[[Counts], Best]

__all__ = ["SpreadEngine"]


@dataclass(frozen=True, eq=False)
class SpreadEngine(EngineOfTable):
    """Sends subsets to all parts of a table, which stay where they are."""

    table: RemoteRows

    @cached_property
    def _shards(self) -> list[Any]:
        """The table of every part, which workers keep; what is lost is made again from the user's own graph."""
        return list(self.table.client.compute(self.table.shards()))

    @property
    def n_threads(self) -> int:
        """Of all workers together."""
        return max(1, sum(self.table.client.nthreads().values()))

    def identity(self) -> Iterable[NDArray[Any]]:
        """Cells of single units and of neighbours: there is no table whose bytes could be looked at."""
        units = np.arange(self.n_units, dtype=np.int32)
        yield np.asarray(self.sizes)
        yield self._count(units[:, None])
        if self.n_units > 1:
            yield self._count(np.column_stack([units[:-1], units[1:]]))

    def _count(self, subsets: NDArray[np.int32]) -> NDArray[Any]:
        found: NDArray[Any] = summed(lambda part: (_cells, part, subsets), self._shards, _added, self.table.client)
        return found

    def best(self, blocks: list[NDArray[np.int32]], scoring: Scoring) -> list[Best]:
        """The best of some blocks of subsets, each added up and scored by a worker.

        Parameters
        ----------
        blocks : list of ndarray
            Subsets.
        scoring : callable
            Makes of counts the best subsets and their scores.
        """
        client = self.table.client
        tasks = []
        for subsets in blocks:
            parts = [client.submit(_cells, shard, subsets, pure=False) for shard in self._shards]
            tasks.append(client.submit(_scored, scoring, subsets, np.asarray(self.sizes), parts, pure=False))
        return list(client.gather(tasks))


def _cells(table: BitTable | CodeTable | None, subsets: NDArray[np.int32]) -> NDArray[Any] | None:
    return None if table is None else count_cells(table, subsets)


def _added(one: NDArray[Any] | None, other: NDArray[Any] | None) -> NDArray[Any] | None:
    return other if one is None else one if other is None else one + other


def _scored(
    scoring: Scoring, subsets: NDArray[np.int32], sizes: NDArray[np.int64], parts: list[NDArray[Any] | None]
) -> Best:
    total = reduce(_added, parts)
    assert total is not None  # noqa: S101 - some part has rows
    return scoring(Counts(subsets, sizes[subsets], total))
