"""All pairs and triples of columns with any number of levels and classes on the graphics card.

The card counts rows of every class where two planes of bits are set, and the same behind every plane of a first column,
works all cells out from that, and scores them in double precision. What scores within rounding of the best is listed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.kernels.gpu_card import capability, card, compiled_for
from paclearn.kernels.gpu_layouts import WORDS_A_STAGE, ints, padded
from paclearn.kernels.gpu_lists import ROOM, unpacked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["KINDS", "GpuPlanes", "PlaneSubsets", "bytes_of_planes"]

KINDS = {"empirical": 0, "product": 1, "l2": 2}
_SIDE, _THREADS = 128, 256
_SHARED = 3 * (2 * _SIDE + 8) * WORDS_A_STAGE * 4
_BYTES_AT_ONCE = 2**31
_SLACK = 1e-9


def bytes_of_planes(n_planes: int, n_bytes: int, n_classes: int, largest: int) -> int:
    """Memory for counts of all pairs, alone and behind the planes of a column with so many, and for packed bits."""
    side = n_planes + _SIDE
    a_result = 4 * n_classes * side**2
    return 3 * n_bytes + a_result + max(_BYTES_AT_ONCE, largest * a_result)


@dataclass(frozen=True, eq=False)
class GpuPlanes:
    """Packed planes on the card, and the score that subsets get.

    Parameters
    ----------
    words : ndarray of uint64 of shape (n_planes, n_words)
        The planes, rows sorted by class.
    sizes : ndarray of int
        Codes of every column.
    class_starts, class_rows : ndarray of int
        The first word of every class and the end, and their rows.
    kind : str
        Which score.
    scale : float
        What it is multiplied with.
    inverse : ndarray of shape (n_columns, n_codes) or None
        One over the share of every code, where the score asks for it.
    """

    words: NDArray[np.uint64]
    sizes: NDArray[np.int64]
    class_starts: NDArray[np.int64]
    class_rows: NDArray[np.int64]
    kind: str
    scale: float
    inverse: NDArray[np.float64] | None = None

    @property
    def n_columns(self) -> int:
        return len(self.sizes)

    @property
    def n_classes(self) -> int:
        return len(self.class_rows)

    @property
    def starts(self) -> NDArray[np.int64]:
        """The first plane of every column, and the end."""
        return np.concatenate([[0], np.cumsum(self.sizes - 1)])

    # ---- what lies on the card ----

    @cached_property
    def _stages(self) -> NDArray[np.int64]:
        """Stages that every class takes."""
        return -(-2 * np.diff(self.class_starts) // WORDS_A_STAGE)

    @cached_property
    def _bits(self) -> Any:
        """Words of 32 rows, classes padded to whole stages and planes to whole tiles."""
        cp, narrow = card(), card().asarray(np.ascontiguousarray(self.words).view(np.uint32))
        places = WORDS_A_STAGE * np.concatenate([[0], np.cumsum(self._stages)])
        bits = cp.zeros((padded(len(self.words), _SIDE), int(places[-1])), dtype=cp.uint32)
        for at, start, stop in zip(places, 2 * self.class_starts, 2 * self.class_starts[1:], strict=False):
            bits[: len(self.words), at : at + stop - start] = narrow[:, start:stop]
        return bits

    @cached_property
    def _known(self) -> tuple[Any, ...]:
        """What the kernel of scores reads beside the counts behind first columns, in its order."""
        cp = card()
        return cp.asarray(self.class_rows, dtype=np.int32), cp.asarray(self.starts, dtype=np.int32)

    @cached_property
    def _pairs(self) -> Any:
        """Rows of every class where two planes are set."""
        return self._counted([(-1, 0, 0)], 1)

    def _counted(self, planes: list[tuple[int, int, int]], n_results: int) -> Any:
        """Counts of pairs behind first planes (-1 for none), each from another plane on, to a result of its own."""
        cp, side = card(), self._bits.shape[0]
        counts = cp.zeros((n_results, self.n_classes, side, side), dtype=np.int32)
        if not planes:  # first columns of one code
            return counts
        tiles = np.concatenate([self._tiles(*plane) for plane in planes])
        kernel = compiled_for("planes.cu", f"sm_{capability()}").get_function("plane_pairs")
        kernel.max_dynamic_shared_size_bytes = _SHARED
        ends = cp.asarray(np.cumsum(self._stages), dtype=np.int32)
        what = (self._bits, *ints(self._bits.shape[1], side), ends, np.int32(self.n_classes))
        kernel((len(tiles),), (_THREADS,), (*what, cp.asarray(tiles), counts), shared_mem=_SHARED)
        return counts

    def _tiles(self, first: int, begin: int, result: int) -> NDArray[np.int32]:
        """Where pairs of planes from some plane on lie, behind a first plane."""
        at = np.arange(begin // _SIDE * _SIDE, self._bits.shape[0], _SIDE, dtype=np.int32)
        rows, columns = at[np.stack(np.triu_indices(len(at)))]
        same = np.ones_like(rows)
        return np.ascontiguousarray(np.column_stack([first * same, rows, columns, result * same]).astype(np.int32))

    # ---- scores ----

    def pairs(self, begin: int, end: int) -> Iterator[Batch]:
        """All pairs whose first member is in a range, at once."""
        firsts = np.array([[-1, 0]], dtype=np.int32)
        yield Batch(self, firsts, self._pairs, begin, end - begin)

    def triples(self, begin: int, end: int) -> Iterator[Batch]:
        """All triples whose first member is in a range, some first members at a time."""
        room = max(1, _BYTES_AT_ONCE // int(self._pairs.nbytes))
        while begin < end:
            ahead = np.cumsum(self.sizes[begin:end] - 1)
            stop = begin + max(1, int(np.searchsorted(ahead, room, side="right")))
            yield self._behind(range(begin, stop))
            begin = stop

    def _behind(self, columns: range) -> Batch:
        starts = self.starts
        origin = int(starts[columns.start])
        planes = [
            (plane, int(starts[column + 1]), plane - origin)
            for column in columns
            for plane in range(int(starts[column]), int(starts[column + 1]))
        ]
        firsts = np.array([[column, starts[column] - origin] for column in columns], dtype=np.int32)
        behind, begin = self._counted(planes, max(1, len(planes))), columns.start + 1
        return Batch(self, firsts, behind, begin, self.n_columns - begin)

    def score(self, batch: Batch, floor: float, *, probe: bool) -> tuple[Any, Any, int]:
        """Scores and members of all that pass, as far as there is room, and how many do; or every block's best."""
        cp = card()
        grid = (-(-(self.n_columns - batch.begin) // _THREADS), batch.n_rows, len(batch.firsts))
        room = int(np.prod(grid)) if probe else ROOM
        scores, members = cp.empty(room, dtype=np.float64), cp.empty(room, dtype=np.uint64)
        listed, inverse = cp.zeros(1, dtype=np.uint64), self.inverse
        class_rows, starts = self._known
        counts = (self._pairs, batch.behind, np.int32(self._bits.shape[0]), class_rows, np.int32(self.n_classes))
        where = (cp.asarray(batch.firsts), starts, *ints(self.n_columns, batch.begin))
        weights = (np.intp(0), np.int32(0)) if inverse is None else (cp.asarray(inverse), np.int32(inverse.shape[1]))
        how = (np.int32(KINDS[self.kind]), np.float64(self.scale), np.float64(floor), np.int32(probe))
        to = (listed, np.uint64(room), scores, members)
        kernel = compiled_for("planes.cu", f"sm_{capability()}").get_function("columns")
        kernel(grid, (_THREADS,), (*counts, *where, *weights, *how, *to))
        n = room if probe else int(listed[0])
        return cp.asnumpy(scores[:n]), cp.asnumpy(members[:n]), n


@dataclass(frozen=True, eq=False)
class Batch:
    """Pairs of columns behind some first ones, to be scored at once."""

    planes: GpuPlanes
    firsts: NDArray[np.int32]  # columns, and the results of their first planes; -1 for none
    behind: Any
    begin: int  # the first column of a pair
    n_rows: int  # how many columns may be the first of a pair

    def score(self, floor: float, *, probe: bool) -> tuple[Any, Any, int]:
        """See `GpuPlanes.score`."""
        return self.planes.score(self, floor, probe=probe)


@dataclass(frozen=True, eq=False)
class PlaneSubsets:
    """Pairs or triples of the columns of some planes.

    Parameters
    ----------
    planes : GpuPlanes
        What is counted.
    k : int
        Two or three.
    """

    planes: GpuPlanes
    k: int

    def best(self, begin: int, end: int, n_best: int, floor: float) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The best subsets whose first member is in a range, with their scores; a few more than asked for.

        Parameters
        ----------
        begin, end : int
            The range of first members.
        n_best : int
            How many are wanted.
        floor : float
            Those that score less may be missing.
        """
        scores, members = np.empty(0), np.empty(0, dtype=np.uint64)
        for batch in self.planes.pairs(begin, end) if self.k == 2 else self.planes.triples(begin, end):
            floor = floor if isfinite(floor) else _probed(batch, n_best)
            more, who = _listed(batch, n_best, floor)
            scores, members = np.concatenate([scores, more]), np.concatenate([members, who])
            floor = max(floor, _nth(scores, n_best))
            scores, members = scores[scores >= floor], members[scores >= floor]
        order = np.argsort(members)  # among equals the first one stays
        first_counts_from_one = np.array([1, 0, 0], dtype=np.int32)  # nought is none
        return (unpacked(members[order], 21, 3) - first_counts_from_one)[:, 3 - self.k :], scores[order]


def _nth(scores: NDArray[np.float64], n_best: int) -> float:
    """The least of the best, less what rounding may take."""
    if len(scores) < n_best:
        return -np.inf
    nth = float(np.partition(scores, -n_best)[-n_best])
    return nth - _SLACK * max(1.0, abs(nth))


def _probed(batch: Batch, n_best: int) -> float:
    """Blocks have different subsets, so as many of them as are wanted have one that is no worse than their least."""
    return _nth(batch.score(-np.inf, probe=True)[0], n_best)


def _listed(batch: Batch, n_best: int, floor: float) -> tuple[NDArray[np.float64], NDArray[np.uint64]]:
    while True:
        scores, members, n_listed = batch.score(floor, probe=False)
        if n_listed <= len(scores):
            return scores, members
        higher = _nth(scores, n_best)
        if not higher > floor:
            raise MemoryError("more subsets tie than the card has room to list")
        floor = higher
