"""All sets of four bits on a card of Hopper's kind: a first member, and triples behind it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.kernels.gpu_card import card, compiled_for
from paclearn.kernels.gpu_layouts import CardBits, HopperLayout, ints
from paclearn.kernels.gpu_lists import PROBED, ROOM, CardLists, unpacked

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["MOST_COLUMNS_OF_FOURS", "GpuFours", "bytes_of_fours"]

MOST_COLUMNS_OF_FOURS = 2**16
_BYTES_AT_ONCE = 2**31  # of what first members have of their own
_MOST_FIRSTS = 64


def bytes_of_fours(n_columns: int, n_bytes: int) -> int:
    """Memory for the signed counts of all triples and the rest, from packed bits of so many bytes."""
    padded = n_columns + 128
    return 4 * padded**3 + 3 * _BYTES_AT_ONCE + 4 * n_bytes


@dataclass(frozen=True, eq=False)
class Firsts:
    """Some first members, and the tiles of triples behind each: its number among these, and where they begin."""

    begin: int
    end: int
    tiles: Any


@dataclass(frozen=True, eq=False)
class GpuFours(CardLists):
    """Sets of four; the few that pass are counted by the processor.

    Parameters
    ----------
    words, class_starts, class_rows, scale : ndarray, ndarray, ndarray, float
        As of `CardLists`.
    rows_of : callable
        Rows of both classes in the sixteen cells of some subsets.
    """

    n_cells = 16

    rows_of: Callable[[NDArray[np.int32]], NDArray[np.int64]]

    @cached_property
    def _layout(self) -> HopperLayout:
        return HopperLayout(CardBits.of(self.words, self.class_starts))

    @cached_property
    def _triples(self) -> Any:
        return self._layout.signed_triples(self._total)

    def tiles_of(self, begin: int, end: int) -> list[Firsts]:
        step = self._firsts_at_once
        return [self._firsts(at, min(at + step, end)) for at in range(begin, end, step)]

    @property
    def _firsts_at_once(self) -> int:
        bits = self._layout.bits
        each = 3 * bits.words.nbytes + 8 * bits.n_padded**2
        return max(1, min(_MOST_FIRSTS, _BYTES_AT_ONCE // each))

    def _firsts(self, begin: int, end: int) -> Firsts:
        """Tiles of every first member: those with any column behind it."""
        cp, layout = card(), self._layout
        tiles, skip = layout.tiles(begin, layout.bits.n_columns), layout.bits.n_before
        behind = tiles[:, 0] + layout.shape[0] - 1 > skip + cp.arange(begin, end)[:, None]
        which, where = cp.nonzero(behind)
        made = cp.column_stack([which.astype(np.int32), tiles[where]])
        return Firsts(begin, end, cp.ascontiguousarray(made))

    def some_of(self, tiles: list[Firsts]) -> list[Firsts]:
        return [Firsts(t.begin, t.end, card().ascontiguousarray(t.tiles[::PROBED])) for t in tiles]

    def launch(self, tiles: list[Firsts], begin: int, end: int, least: int, *, probe: bool) -> tuple[Any, Any, int]:  # noqa: ARG002
        cp, layout = card(), self._layout
        bests = layout.n_blocks * layout.n_threads
        room = bests * len(tiles) if probe else ROOM
        sums, members = cp.full(room, -1, dtype=np.int32), cp.empty(room, dtype=np.uint64)
        listed = cp.zeros(1, dtype=np.uint64)
        for place, firsts in enumerate(tiles):
            at = place * bests if probe else 0
            self._start(firsts, ints(least, int(probe)), (listed, np.uint64(room), sums[at:], members[at:]))
        n = room if probe else min(int(listed[0]), room)
        return cp.asnumpy(sums[:n]), cp.asnumpy(members[:n]), room if probe else int(listed[0])

    def _start(self, firsts: Firsts, what: tuple[np.int32, ...], to: tuple[Any, ...]) -> None:
        layout, bits = self._layout, self._layout.bits
        kernel = compiled_for("fours_hopper.cu", "sm_90a").get_function("fours")
        shared = layout.n_stage_bytes + 2 * layout.n_sums_bytes
        kernel.max_dynamic_shared_size_bytes = shared
        mine = slice(firsts.begin + bits.n_before, firsts.end + bits.n_before)
        narrowed = layout.pieces(bits.words[mine, None] & bits.words)
        numbers = ints(layout.n_stages, layout.turn, bits.n_padded)
        table = (narrowed, layout.pairs, layout.thirds, *numbers, *self._parts(mine), self._triples)
        tiles = (firsts.tiles, *ints(len(firsts.tiles), mine.start))
        threads = (layout.n_threads + layout.n_fetching,)
        kernel((layout.n_blocks,), threads, (*table, *tiles, *what, *to), shared_mem=shared)

    def _parts(self, firsts: slice) -> tuple[Any, Any, Any]:
        """Signed counts where a first member is set and where it is not: of pairs and single columns twice, of all."""
        cp, sums = card(), self._layout.sums
        singles = cp.diagonal(sums)
        pairs = self._both(2 * self._triples[firsts], 2 * sums)
        alone = self._both(2 * sums[firsts], 2 * singles)
        return pairs, alone, self._both(singles[firsts], cp.asarray(self._total))

    @staticmethod
    def _both(where_set: Any, of_all: Any) -> Any:
        cp = card()
        return cp.ascontiguousarray(cp.stack([where_set, of_all - where_set], axis=1).astype(np.float32))

    def _cells(self, members: NDArray[np.uint64]) -> NDArray[np.int64]:
        return self.rows_of(self.numbers_of(members))

    def numbers_of(self, members: NDArray[np.uint64]) -> NDArray[np.int32]:
        return unpacked(members, 16, 4) - np.int32(self._layout.bits.n_before)
