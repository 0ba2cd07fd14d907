"""All triples of bits on the graphics card."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.kernels.gpu_card import card
from paclearn.kernels.gpu_layouts import CardBits, any_kernel, ints, layout_for
from paclearn.kernels.gpu_lists import PROBED, ROOM, CardLists, unpacked

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.kernels.gpu_layouts import Layout

__all__ = ["GpuTriples"]


@dataclass(frozen=True, eq=False)
class GpuTriples(CardLists):
    """Triples, of which the card counts the cells as well."""

    n_cells = 8

    @cached_property
    def _layout(self) -> Layout:
        return layout_for(CardBits.of(self.words, self.class_starts))

    def tiles_of(self, begin: int, end: int) -> Any:
        return self._layout.tiles(begin, end)

    def some_of(self, tiles: Any) -> Any:
        return card().ascontiguousarray(tiles[::PROBED])

    def launch(self, tiles: Any, begin: int, end: int, least: int, *, probe: bool) -> tuple[Any, Any, int]:
        cp, layout = card(), self._layout
        room = layout.n_blocks * layout.n_threads if probe else ROOM
        sums, members = cp.empty(room, dtype=np.int32), cp.empty(room, dtype=np.uint64)
        listed, skip = cp.zeros(1, dtype=np.uint64), layout.bits.n_before
        what = ints(begin + skip, end + skip, least, int(probe))
        layout.scan(tiles, self._total, what, listed, (np.uint64(room), sums, members))
        n = room if probe else int(listed[0])
        return cp.asnumpy(sums[:n]), cp.asnumpy(members[:n]), n

    def _cells(self, members: NDArray[np.uint64]) -> NDArray[np.int64]:
        cp, bits, n = card(), self._layout.bits, len(members)
        counts = cp.empty((n, 2, 7), dtype=np.int32)
        if n:
            where = (bits.words, *ints(bits.n_words, bits.n_words_of_one), cp.asarray(members), np.int32(n), counts)
            any_kernel("cells")((-(-n // 8),), (256,), where)
        return _cells_of(cp.asnumpy(counts).astype(np.int64), self.class_rows)

    def numbers_of(self, members: NDArray[np.uint64]) -> NDArray[np.int32]:
        return unpacked(members, 21, 3) - np.int32(self._layout.bits.n_before)


def _cells_of(both: NDArray[np.int64], class_rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Cells x classes of every triple, from rows where x, y, z, xy, xz, yz, xyz are set."""
    x, y, z, xy, xz, yz, xyz = np.moveaxis(both, 2, 0)
    none = class_rows - x - y - z + xy + xz + yz - xyz
    only = [x - xy - xz + xyz, y - xy - yz + xyz, z - xz - yz + xyz]
    return np.stack([none, *only, xy - xyz, xz - xyz, yz - xyz, xyz], axis=1)
