"""Two ways to go through all subsets of size k, a stretch at a time.

Subsets are numbered in lexicographic order, so "how far" is one number whichever way is taken.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from math import comb
from os import cpu_count
from typing import TYPE_CHECKING

import numpy as np

from paclearn.counting.bits import BitTable
from paclearn.counting.engines import EngineOfTable
from paclearn.counting.remote_engine import RemoteScan
from paclearn.counting.spread_engine import SpreadEngine
from paclearn.search.limits import block_length, check_search
from paclearn.search.result import Ranking
from paclearn.search.subsets import subsets_between
from paclearn.tables.memory import room_for_counting

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from paclearn.counting import Counts, Engine
    from paclearn.counting.engines import FusedScan
    from paclearn.search.scores import Score

__all__ = ["Walk", "cells_of_all", "walk_for"]

_SECONDS_A_STRETCH, _SECONDS_A_STRETCH_ELSEWHERE = 0.25, 4.0
_FIRST_STRETCH = 2000
_FIRST_ROWS, _FIRST_BITS = 1e8, 5e11  # subsets times rows; of a worker's thread, which scans as many bits in a second
_MEMBERS_A_BLOCK = 128  # that the compiled core goes through the others with at once
_REMNANT = 1.25  # a stretch of workers that is longer by so much is better than one more
_FEWEST_CELLS_A_SECOND, _MOST_CELLS_A_SECOND = 1e8, 5e9  # of subsets of four or more, on one core ...
_MANY_CELLS = 10_000  # ... and a tenth of the most where a subset has so many that each holds hardly a row


@dataclass(frozen=True, eq=False)
class Walk(ABC):
    """All subsets of k units of an engine."""

    engine: Engine
    score: Score
    k: int
    n_best: int
    n_rows: float

    @property
    def total(self) -> int:
        return comb(self.engine.n_units, self.k)

    @property
    def least_seconds(self) -> float:
        """What no machine of so many cores is faster than; nought for small subsets, whose speed is soon known."""
        cells = cells_of_all(self.engine.sizes, self.k)
        most = _MOST_CELLS_A_SECOND / (10 if cells > _MANY_CELLS * self.total else 1)
        return cells / most / (cpu_count() or 1) if self.k > 3 else 0.0

    def first_stretch(self, time_limit: float | None) -> int:  # noqa: ARG002 - a short one is within any limit
        """Subsets that are looked at to learn the speed."""
        return max(1, min(_FIRST_STRETCH, int(_FIRST_ROWS / max(self.n_rows, 1))))

    @property
    def seconds_a_stretch(self) -> float:
        """How long to go on before a look at the clock, and at the keyboard."""
        return _SECONDS_A_STRETCH

    @abstractmethod
    def end_of(self, start: int, wanted: int) -> int:
        """The end of a stretch that begins at subset ``start`` and has about so many subsets."""

    @abstractmethod
    def best(self, start: int, stop: int, floor: float) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The best subsets of a stretch and their scores; those below the floor may be missing."""

    def rescore(self, subsets: NDArray[np.int32]) -> NDArray[np.float64]:
        """The scores as the score itself computes them, without padding: the same bits whichever walk found it."""
        shapes, group = np.unique(self.engine.sizes[subsets], axis=0, return_inverse=True)
        scores = np.empty(len(subsets))
        step = block_length(self.engine.sizes, self.k, self.engine.n_channels)
        for shape in range(len(shapes)):  # tables of one shape need no padding, which would change the sums' order
            rows = np.flatnonzero(group.ravel() == shape)
            for block in (rows[i : i + step] for i in range(0, len(rows), step)):
                scores[block] = self.score(self.engine.counts(subsets[block]))
        return scores


class CountingWalk(Walk):
    """Count a block, score it, keep the best: for every engine and every score."""

    def end_of(self, start: int, wanted: int) -> int:
        longest = block_length(self.engine.sizes, self.k, self.engine.n_channels)
        return min(start + max(1, min(wanted, longest)), self.total)

    def best(self, start: int, stop: int, floor: float) -> tuple[NDArray[np.int32], NDArray[np.float64]]:  # noqa: ARG002
        subsets = subsets_between(self.engine.n_units, self.k, start, stop)
        return subsets, self.score(self.engine.counts(subsets))


@dataclass(frozen=True, eq=False)
class SpreadWalk(Walk):
    """Blocks of subsets that every part of a table counts, and that workers add up and score."""

    engine: SpreadEngine

    @property
    def seconds_a_stretch(self) -> float:
        return _SECONDS_A_STRETCH_ELSEWHERE

    def end_of(self, start: int, wanted: int) -> int:
        return min(start + max(1, wanted), self.total)

    def best(self, start: int, stop: int, floor: float) -> tuple[NDArray[np.int32], NDArray[np.float64]]:  # noqa: ARG002
        longest = block_length(self.engine.sizes, self.k, self.engine.n_channels)
        step = max(1, min(longest, -(-(stop - start) // self.engine.n_threads)))
        begins = range(start, stop, step)
        blocks = [subsets_between(self.engine.n_units, self.k, begin, min(begin + step, stop)) for begin in begins]
        found = self.engine.best(blocks, _BestOf(self.score, self.n_best))
        return np.concatenate([subsets for subsets, _ in found]), np.concatenate([scores for _, scores in found])


@dataclass(frozen=True)
class _BestOf:
    """The best subsets of a block, and their scores."""

    score: Score
    most: int

    def __call__(self, counts: Counts) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        ranking = Ranking(self.most)
        ranking.add(counts.subsets, self.score(counts))
        return ranking.best()


@dataclass(frozen=True, eq=False)
class FusedWalk(Walk):
    """Let the compiled core, or the card, count and score at once. A stretch is a range of first members."""

    scan: FusedScan

    def first_stretch(self, time_limit: float | None) -> int:
        """Of workers, whose every answer takes a while to come, about a second's worth."""
        short = super().first_stretch(time_limit)
        if not isinstance(self.scan, RemoteScan):
            return short
        seconds = 1.0 if time_limit is None else min(1.0, time_limit / 10)
        return max(short, int(seconds * self.scan.engine.n_threads * _FIRST_BITS / max(self.n_rows, 1)))

    @property
    def seconds_a_stretch(self) -> float:
        return self.scan.seconds_a_stretch if isinstance(self.scan, RemoteScan) else _SECONDS_A_STRETCH

    def end_of(self, start: int, wanted: int) -> int:
        if isinstance(self.scan, RemoteScan) and self.total - start < _REMNANT * wanted:
            return self.total  # rather than wait for another answer
        at_least = min(self._first_member(start) + self._fewest_members, self._last + 1)
        return self._number(bisect_left(range(self._last + 1), start + wanted, lo=at_least, key=self._number))

    def best(self, start: int, stop: int, floor: float) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        most = min(self.n_best, self.total)
        return self.scan.best(self.k, self._first_member(start), self._first_member(stop), most, floor)

    @property
    def _fewest_members(self) -> int:
        """First members of a stretch: bits on a disk are all read for each, or for a block of them together."""
        table = self.engine.table if isinstance(self.engine, EngineOfTable) else None
        return _MEMBERS_A_BLOCK if isinstance(table, BitTable) and table.nbytes > room_for_counting() else 1

    @property
    def _last(self) -> int:
        """The largest first member there is."""
        return self.engine.n_units - self.k

    def _number(self, first: int) -> int:
        """How many subsets have a smaller first member."""
        return self.total - comb(self.engine.n_units - first, self.k)

    def _first_member(self, number: int) -> int:
        """The first member of subset ``number``; one past the last for the end."""
        return bisect_right(range(self._last + 2), number, key=self._number) - 1


def cells_of_all(sizes: Iterable[int], k: int) -> float:
    """How many cells of all subsets of k units are counted: the k-th elementary symmetric polynomial.

    It is of the sizes less one each: the cells of the first codes are what the others leave.
    """
    sums = np.zeros(k + 1)
    sums[0] = 1.0
    for size in sizes:
        sums[1:] += sums[:-1] * float(size - 1)
    return float(sums[k])


def walk_for(engine: Engine, score: Score, k: int, n_best: int, time_limit: float | None = None) -> Walk:
    """The fastest walk there is; where a limit may be over before its first stretch is, one that goes by subsets."""
    check_search(engine.n_units, k, n_best)
    n_rows = engine.total
    if isinstance(engine, SpreadEngine):
        return SpreadWalk(engine, score, k, n_best, n_rows)
    is_long = k > 3 and time_limit is not None and cells_of_all(engine.sizes, k) > _FEWEST_CELLS_A_SECOND * time_limit
    fused = score.fused(n_rows) if k > 1 and not is_long else None
    scan = engine.scan(fused) if fused is not None else None
    if scan is None:
        return CountingWalk(engine, score, k, n_best, n_rows)
    return FusedWalk(engine, score, k, n_best, n_rows, scan)
