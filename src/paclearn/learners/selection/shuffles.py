"""Targets shuffled among the rows, here or on the workers of a cluster, which take a shuffle each.

A seed says what a shuffle is, so they may come in any order and wherever the rows lie.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._progress import progress
from paclearn.counting import BitTable
from paclearn.counting.remote_engine import RemoteBits, RemoteRows, RemoteUnsorted, room_on_workers
from paclearn.exceptions import TooLargeError
from paclearn.learners.selection.selection_target import table_to_count
from paclearn.tables.memory import in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from paclearn.counting import CodeTable
    from paclearn.tables.target import Target

__all__ = ["of_shuffles"]

_AT_ONCE = 4  # shuffles that wait for a thread of the workers


@dataclass(frozen=True)
class _Shuffle:
    """What some work makes of a table whose targets are shuffled."""

    work: Callable[[BitTable | CodeTable], float]
    n_classes: int

    def __call__(self, table: BitTable | CodeTable, numbers: NDArray[Any] | None, seed: int) -> float:
        rng = np.random.RandomState(seed)
        if isinstance(table, BitTable):
            classes: Any = numbers
            return self.work(table.sorted_by(classes[rng.permutation(len(classes))], self.n_classes))
        rows = rng.permutation(len(table.row_class))
        return self.work(replace(table, row_class=table.row_class[rows], values=table.values[rows]))


def of_shuffles(
    work: Callable[[BitTable | CodeTable], float],
    target: Target,
    codes: Sequence[NDArray[np.unsignedinteger[Any]]],
    sizes: Sequence[int],
    seeds: Sequence[int],
) -> NDArray[np.float64]:
    """What some work makes of every shuffle.

    Parameters
    ----------
    work : callable
        A number for a table to count.
    target, codes, sizes : Target, sequence of ndarray, sequence of int
        Of the table as it is.
    seeds : sequence of int
        One for each shuffle.
    """
    table, shuffle = table_to_count(target, codes, sizes), _Shuffle(work, target.n_classes)
    with progress(f"{len(seeds):,} shuffles", len(seeds)) as advance:
        if isinstance(table, RemoteRows):
            return _there(shuffle, table, seeds, advance)
        numbers: Any = None
        if isinstance(table, BitTable):
            numbers = target.values
            table = BitTable.pack(codes, sizes, np.zeros_like(numbers), 1)
        found = [_told(shuffle(table, numbers, seed), advance) for seed in seeds]
    return np.array(found)


def _told(found: float, advance: Callable[[int], None]) -> float:
    advance(1)
    return found


def _there(
    shuffle: _Shuffle, table: RemoteRows, seeds: Sequence[int], advance: Callable[[int], None]
) -> NDArray[np.float64]:
    if table.n_bytes > (room := room_on_workers(table.client)):
        raise TooLargeError(
            f"shuffled targets are counted by workers that have all rows, which take about {in_words(table.n_bytes)}, "
            f"and the smallest has room for {in_words(room)}; take larger workers, or method='fdr'"
        )
    numbers = None
    if isinstance(table, RemoteBits):
        numbers = table.class_numbers()
        table = RemoteUnsorted(table.columns, table.sizes, table.classes)
    client, rows, found = table.client, table.future, list[float]()
    step = _AT_ONCE * max(1, sum(client.nthreads().values()))
    for begin in range(0, len(seeds), step):
        tasks = [client.submit(shuffle, rows, numbers, seed, pure=False) for seed in seeds[begin : begin + step]]
        found += client.gather(tasks)
        advance(len(tasks))
    return np.array(found)
