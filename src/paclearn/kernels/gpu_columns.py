"""Pairs and triples of columns with any number of levels on the graphics card.

The card adds up what rows have where two planes of bits are set, and the same behind every plane of a first column,
works all cells out from that, and scores them in double precision. Bits that do not fit its memory come one block of
rows after another: sums of blocks add up.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from paclearn.kernels.gpu_card import capability, card, compiled_for
from paclearn.kernels.gpu_layouts import WORDS_A_STAGE, ints
from paclearn.kernels.gpu_lists import ROOM, unpacked
from paclearn.kernels.gpu_rows import SIDE, CardRows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.kernels.gpu_rows import Digit

__all__ = ["Batch", "CardColumns", "numbers_of"]

_THREADS = 256
_SHARED = 3 * (2 * SIDE + 8) * WORDS_A_STAGE * 4
_BYTES_AT_ONCE = 2**31  # of sums behind first columns


@dataclass(frozen=True, eq=False)
class CardColumns(ABC):
    """Packed planes on the card, and the score that subsets get.

    Parameters
    ----------
    words : ndarray of uint64 of shape (n_planes, n_words)
        The planes, rows sorted by class.
    sizes : ndarray of int
        Codes of every column.
    class_starts, class_rows : ndarray of int
        The first word of every class and the end, and their rows.
    memory : int
        Bytes of the card that all of this may take.
    """

    text: ClassVar[str]  # the CUDA text with the kernels, one that adds and one that scores
    adds: ClassVar[str]
    scores: ClassVar[str]
    dtype: ClassVar[type[np.signedinteger[Any]]]

    words: NDArray[np.uint64]
    sizes: NDArray[np.int64]
    class_starts: NDArray[np.int64]
    class_rows: NDArray[np.int64]
    memory: int

    @property
    @abstractmethod
    def digits(self) -> Sequence[Digit]:
        """What is summed of every class."""

    @property
    @abstractmethod
    def layer_totals(self) -> NDArray[Any]:
        """Of all rows: a sum for every class and channel."""

    @property
    @abstractmethod
    def how(self) -> tuple[Any, ...]:
        """What the kernel that scores is to know of the score, in its order."""

    @property
    def n_columns(self) -> int:
        return len(self.sizes)

    @property
    def starts(self) -> NDArray[np.int64]:
        """The first plane of every column, and the end."""
        return np.concatenate([[0], np.cumsum(self.sizes - 1)])

    # ---- memory ----

    @property
    def fits(self) -> bool:
        """Whether there is memory for the sums behind the planes of any one column, and for a few rows."""
        largest = int(self.sizes.max()) - 1
        return (2 + max(1, largest)) * self._bytes_a_result + 4 * self._bytes_of(1) <= self.memory

    @property
    def _bytes_a_result(self) -> int:
        side = len(self.words) + SIDE
        return int(np.dtype(self.dtype).itemsize) * len(self.layer_totals) * side**2

    def _bytes_of(self, n_stages: int) -> int:
        places = sum(1 if digit.slices is None else len(digit.slices) for digit in self.digits)
        return n_stages * 4 * WORDS_A_STAGE * (len(self.words) + SIDE + places)

    @cached_property
    def _room(self) -> int:
        """Bytes for sums behind first columns: the less bits are streamed, the better."""
        n_stages = int((-(-2 * np.diff(self.class_starts) // WORDS_A_STAGE) + 1).sum())
        left = self.memory - self._bytes_a_result
        stays = left >= 2 * self._bytes_of(n_stages) + _BYTES_AT_ONCE
        return _BYTES_AT_ONCE if stays else max(left // 2, (int(self.sizes.max()) - 1) * self._bytes_a_result)

    # ---- what lies on the card ----

    @cached_property
    def rows(self) -> CardRows:
        """The planes, in blocks that fit."""
        n_layers = len(self.layer_totals) // len(self.class_rows)
        memory = (self.memory - self._bytes_a_result - self._room) // 2
        return CardRows(self.words, self.class_starts, self.digits, n_layers, memory)

    @cached_property
    def _known(self) -> tuple[Any, ...]:
        """What the kernel that scores reads beside the sums, in its order."""
        cp = card()
        return cp.asarray(self.layer_totals, dtype=self.dtype), cp.asarray(self.starts, dtype=np.int32)

    @cached_property
    def _pairs(self) -> Any:
        """Sums of every layer where two planes are set."""
        return self._added([(-1, 0, 0)], 1)

    def _added(self, planes: list[tuple[int, int, int]], n_results: int) -> Any:
        """Sums of pairs behind first planes (-1 for none), each from another plane on, to a result of its own."""
        cp, side, n_layers = card(), self.rows.n_padded, len(self.layer_totals)
        sums = cp.zeros((n_results, n_layers, side, side), dtype=self.dtype)
        if not planes:  # first columns of one code
            return sums
        tiles = cp.asarray(np.concatenate([self._tiles(*plane) for plane in planes]))
        kernel = compiled_for(self.text, f"sm_{capability()}").get_function(self.adds)
        kernel.max_dynamic_shared_size_bytes = _SHARED
        for block in self.rows.blocks():
            what = (block.bits, *ints(block.bits.shape[1], side), block.plan, *ints(len(block.plan), n_layers))
            kernel((len(tiles),), (_THREADS,), (*what, tiles, sums), shared_mem=_SHARED)
        return sums

    def _tiles(self, first: int, begin: int, result: int) -> NDArray[np.int32]:
        """Where pairs of planes from some plane on lie, behind a first plane."""
        at = np.arange(begin // SIDE * SIDE, self.rows.n_padded, SIDE, dtype=np.int32)
        rows, columns = at[np.stack(np.triu_indices(len(at)))]
        same = np.ones_like(rows)
        return np.ascontiguousarray(np.column_stack([first * same, rows, columns, result * same]).astype(np.int32))

    # ---- scores ----

    def batches(self, k: int, begin: int, end: int) -> Iterator[Batch]:
        """All pairs or triples whose first member is in a range: pairs at once, triples some of them at a time."""
        if k == 2:
            yield Batch(self, np.array([[-1, 0]], dtype=np.int32), self._pairs, begin, end - begin)
            return
        room = max(1, self._room // int(self._pairs.nbytes))
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
        behind, begin = self._added(planes, max(1, len(planes))), columns.start + 1
        return Batch(self, firsts, behind, begin, self.n_columns - begin)

    def score(self, batch: Batch, floor: float, *, probe: bool) -> tuple[Any, Any, int]:
        """Scores and members of all that pass, as far as there is room, and how many do; or every block's best."""
        cp = card()
        grid = (-(-(self.n_columns - batch.begin) // _THREADS), batch.n_rows, len(batch.firsts))
        room = int(np.prod(grid)) if probe else ROOM
        scores, members = cp.empty(room, dtype=np.float64), cp.empty(room, dtype=np.uint64)
        listed, (totals, starts) = cp.zeros(1, dtype=np.uint64), self._known
        sums = (self._pairs, batch.behind, np.int32(self.rows.n_padded), totals, np.int32(len(self.layer_totals)))
        where = (cp.asarray(batch.firsts), starts, *ints(self.n_columns, batch.begin))
        to = (np.float64(floor), np.int32(probe), listed, np.uint64(room), scores, members)
        kernel = compiled_for(self.text, f"sm_{capability()}").get_function(self.scores)
        kernel(grid, (_THREADS,), (*sums, *where, *self.how, *to))
        n = room if probe else int(listed[0])
        return cp.asnumpy(scores[:n]), cp.asnumpy(members[:n]), n


@dataclass(frozen=True, eq=False)
class Batch:
    """Pairs of columns behind some first ones, to be scored at once."""

    columns: CardColumns
    firsts: NDArray[np.int32]  # columns, and the results of their first planes; -1 for none
    behind: Any
    begin: int  # the first column of a pair
    n_rows: int  # how many columns may be the first of a pair

    def score(self, floor: float, *, probe: bool) -> tuple[Any, Any, int]:
        """See `CardColumns.score`."""
        return self.columns.score(self, floor, probe=probe)


def numbers_of(members: NDArray[np.uint64], k: int) -> NDArray[np.int32]:
    """Columns of subsets, from the one number that the card has for each: the first counts from one, nought is none."""
    return np.ascontiguousarray((unpacked(members, 21, 3) - np.array([1, 0, 0], dtype=np.int32))[:, 3 - k :])
