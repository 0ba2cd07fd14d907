r"""All triples of bits on the graphics card, none lost.

For two classes the score of a triple, times n - 1, is :math:`\sum_c |s_c| (n_c - 1) / n_c` over cells that do not tie,
plus one for each that does. So it lies within eight of :math:`S = \sum_c |s_c|`, which the card computes for all
triples: whoever is among the best by the score has an S of no less than that of the best by S, less sixteen. Those are
listed, counted exactly, and scored.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.kernels.gpu_card import card
from paclearn.kernels.gpu_layouts import CardBits, any_kernel, ints, layout_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.kernels.gpu_layouts import Layout

__all__ = ["GpuTriples"]

_CELLS = 8
_ROOM = 2**22  # triples on the list
_SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class GpuTriples:
    """Two classes of packed bits, on the card.

    Parameters
    ----------
    words : ndarray of uint64 of shape (n_columns, n_words)
        The bits, rows of class zero first.
    class_starts, class_rows : ndarray of int
        The first word of either class and the end, and their rows.
    scale : float
        What the sum over cells is multiplied with.
    """

    words: NDArray[np.uint64]
    class_starts: NDArray[np.int64]
    class_rows: NDArray[np.int64]
    scale: float

    def best(self, begin: int, end: int, n_best: int, floor: float) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The best triples whose first member is in a range, with their scores; a few more than asked for.

        Parameters
        ----------
        begin, end : int
            The range of first members.
        n_best : int
            How many are wanted.
        floor : float
            Those that score less may be missing.
        """
        tiles = self.tiles_of(begin, end)
        least = (
            ceil(floor / self.scale - _SLACK) - _CELLS if isfinite(floor) else self._probe(tiles, begin, end, n_best)
        )
        members = self._listed(tiles, begin, end, n_best, max(least, 0))
        scores = self._scored(members)
        kept = _at_least_the_best(scores, n_best, floor)
        return _triples(members[kept]), scores[kept]

    def _probe(self, tiles: Any, begin: int, end: int, n_best: int) -> int:
        """What every thread finds best makes a list of triples: the least of the best of those is a floor."""
        found = self.launch(tiles, begin, end, 0, probe=True)[0]
        known = np.sort(found[found >= 0])[::-1]
        return int(known[n_best - 1]) - 2 * _CELLS if len(known) >= n_best else 0

    def _listed(self, tiles: Any, begin: int, end: int, n_best: int, least: int) -> NDArray[np.uint64]:
        """Triples that may be among the best; a list that runs over is made again with a higher floor."""
        while True:
            sums, members, n_listed = self.launch(tiles, begin, end, least, probe=False)
            nth = int(np.partition(sums, -n_best)[-n_best]) if len(sums) >= n_best else 0
            higher = max(nth - 2 * _CELLS, least)
            if n_listed <= len(sums):
                return members[sums >= higher]
            if higher == least:  # more ties than there is room for
                return self._in_parts(begin, end, n_best, least)
            least = higher

    def _in_parts(self, begin: int, end: int, n_best: int, least: int) -> NDArray[np.uint64]:
        if end - begin == 1:
            raise MemoryError("more triples tie than the card has room to list")
        middle = (begin + end) // 2
        parts = [(begin, middle), (middle, end)]
        return np.concatenate([self._listed(self.tiles_of(*part), *part, n_best, least) for part in parts])

    def _scored(self, members: NDArray[np.uint64]) -> NDArray[np.float64]:
        rows = self._cells(members)
        n, s = rows.sum(axis=2), rows[..., 1] - rows[..., 0]
        votes = np.where(s == 0, n > 0, np.abs(s) * (n - 1) / np.maximum(n, 1))
        return np.asarray(votes.sum(axis=1) * self.scale)

    # ---- what the card does ----

    @cached_property
    def _layout(self) -> Layout:
        return layout_for(CardBits.of(self.words, self.class_starts))

    def tiles_of(self, begin: int, end: int) -> Any:
        return self._layout.tiles(begin, end)

    def launch(self, tiles: Any, begin: int, end: int, least: int, *, probe: bool) -> tuple[Any, Any, int]:
        """Sums and members of all that pass, as far as there is room, and how many do; or every thread's best."""
        cp, layout = card(), self._layout
        room = layout.n_blocks * layout.n_threads if probe else _ROOM
        sums, members = cp.empty(room, dtype=np.int32), cp.empty(room, dtype=np.uint64)
        listed, total = cp.zeros(1, dtype=np.uint64), int(self.class_rows[1] - self.class_rows[0])
        layout.scan(tiles, total, ints(begin, end, least, int(probe)), listed, (np.uint64(room), sums, members))
        n = room if probe else int(listed[0])
        return cp.asnumpy(sums[:n]), cp.asnumpy(members[:n]), n

    def _cells(self, members: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Rows of both classes in the eight cells of every triple."""
        cp, bits, n = card(), self._layout.bits, len(members)
        counts = cp.empty((n, 2, 7), dtype=np.int32)
        if n:
            where = (bits.words, *ints(bits.n_words, bits.n_words_of_one), cp.asarray(members), np.int32(n), counts)
            any_kernel("cells")((-(-n // 8),), (256,), where)
        return _cells_of(cp.asnumpy(counts).astype(np.int64), self.class_rows)


def _triples(members: NDArray[np.uint64]) -> NDArray[np.int32]:
    shifts = np.array([42, 21, 0], dtype=np.uint64)
    return (members[:, None] >> shifts & np.uint64(2**21 - 1)).astype(np.int32)


def _cells_of(both: NDArray[np.int64], class_rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Cells x classes of every triple, from rows where x, y, z, xy, xz, yz, xyz are set."""
    x, y, z, xy, xz, yz, xyz = np.moveaxis(both, 2, 0)
    none = class_rows - x - y - z + xy + xz + yz - xyz
    only = [x - xy - xz + xyz, y - xy - yz + xyz, z - xz - yz + xyz]
    return np.stack([none, *only, xy - xyz, xz - xyz, yz - xyz, xyz], axis=1)


def _at_least_the_best(scores: NDArray[np.float64], n_best: int, floor: float) -> NDArray[np.bool_]:
    nth = np.partition(scores, -n_best)[-n_best] if len(scores) >= n_best else -np.inf
    return np.asarray(scores >= max(nth, floor) - _SLACK)
