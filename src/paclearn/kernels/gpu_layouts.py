"""How bits lie on a card, and the kernel that scans them: one for tensor cores of any kind, one for Hopper's."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from paclearn.kernels.gpu_card import capability, card, compiled_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CardBits", "HopperLayout", "Layout", "any_kernel", "ints", "is_for_hopper", "layout_for", "padded"]

WORDS_A_STAGE = 32
_MOST_COLUMNS_A_TILE = 128
_HOPPER = 90
_MOST_ROWS_IN_SINGLE = 2**21  # six times as many are whole numbers in single precision


@dataclass(frozen=True, eq=False)
class CardBits:
    """Words of 32 rows on the card, class one first, classes and columns padded.

    Padding comes before the columns: tiles of third members that are not full then have few pairs before them.

    Parameters
    ----------
    words : cupy.ndarray of uint32 of shape (n_padded_columns, n_words)
        The bits.
    n_words_of_one : int
        How many of the words are of class one.
    n_columns : int
        How many of the columns are not padding.
    """

    words: Any
    n_words_of_one: int
    n_columns: int

    @classmethod
    def of(cls, words: NDArray[np.uint64], class_starts: NDArray[np.int64]) -> CardBits:
        """From packed bits of two classes, the second of which is class one."""
        cp, starts = card(), (2 * class_starts).tolist()
        narrow, n_columns = cp.asarray(np.ascontiguousarray(words).view(np.uint32)), len(words)
        lengths = [padded(starts[c + 1] - starts[c], WORDS_A_STAGE) for c in (1, 0)]
        bits = cp.zeros((padded(n_columns, _MOST_COLUMNS_A_TILE), sum(lengths)), dtype=cp.uint32)
        for c, at in ((1, 0), (0, lengths[0])):
            bits[-n_columns:, at : at + starts[c + 1] - starts[c]] = narrow[:, starts[c] : starts[c + 1]]
        return cls(bits, lengths[0], n_columns)

    @property
    def n_padded(self) -> int:
        return int(self.words.shape[0])

    @property
    def n_before(self) -> int:
        """Columns of padding, by which the numbers of all others are larger on the card."""
        return self.n_padded - self.n_columns

    @property
    def n_words(self) -> int:
        return int(self.words.shape[1])

    def signed_pairs(self) -> Any:
        """Rows of class one less those of class zero where both of two columns are set; one column on the diagonal."""
        sums = card().empty((self.n_padded,) * 2, dtype=np.int32)
        arguments = (self.words, *ints(self.n_words, self.n_words_of_one, self.n_padded), sums)
        any_kernel("pairs")((self.n_padded, -(-self.n_padded // 8)), (32, 8), arguments)
        return sums


def ints(*numbers: int) -> tuple[np.int32, ...]:
    """As kernels take them."""
    return tuple(np.int32(number) for number in numbers)


def any_kernel(name: str) -> Any:
    """A kernel that every card can run."""
    return compiled_for("triples.cu", f"sm_{capability()}").get_function(name)


def layout_for(bits: CardBits) -> Layout:
    """The one that this card is fastest with."""
    return (HopperLayout if is_for_hopper(bits.n_words) else TensorLayout)(bits)


def is_for_hopper(n_words: int) -> bool:
    """Whether this card is of that kind, and rows (32 a word) are few enough to be added up there."""
    return capability() == _HOPPER and 32 * n_words < _MOST_ROWS_IN_SINGLE


class Layout(ABC):
    """The bits of a table as one kernel wants them.

    Parameters
    ----------
    bits : CardBits
        The table.
    """

    shape: ClassVar[tuple[int, int, int]]  # first, second and third members of a tile
    n_threads: ClassVar[int]  # that leave their best
    n_shared: ClassVar[int]  # bytes

    def __init__(self, bits: CardBits) -> None:
        self.bits, self.sums = bits, bits.signed_pairs()
        self.n_blocks = int(card().cuda.Device().attributes["MultiProcessorCount"])

    def tiles(self, begin: int, end: int) -> Any:
        """Where triples with these first members lie; neighbours share columns, which the cache then has."""
        cp, d, (firsts, seconds, thirds) = card(), self.bits.n_padded, self.shape
        begin, end = begin + self.bits.n_before, end + self.bits.n_before
        starts = cp.arange(begin // firsts * firsts, end, firsts)
        i, k, j = cp.meshgrid(starts, cp.arange(0, d, thirds), cp.arange(0, d, seconds), indexing="ij")
        some = (i < j + seconds - 1) & (j < k + thirds - 1)
        return cp.stack([i[some], k[some], j[some]], axis=1).astype(np.int32)

    @abstractmethod
    def scan(self, tiles: Any, total: int, what: tuple[np.int32, ...], listed: Any, room: Any) -> None:
        """Start the kernel: the range of first members, the least sum and whether to probe, then where to write."""


class TensorLayout(Layout):
    """Columns one after another."""

    shape = (32, 16, 64)
    n_threads = 256
    n_shared = 8 * 64 * 72 * 4

    def scan(self, tiles: Any, total: int, what: tuple[np.int32, ...], listed: Any, room: Any) -> None:
        bits, kernel = self.bits, any_kernel("triples")
        kernel.max_dynamic_shared_size_bytes = self.n_shared
        table = (bits.words, *ints(bits.n_words, bits.n_words_of_one, bits.n_padded), self.sums)
        following = card().zeros(1, dtype=np.int32)
        arguments = (*table, np.int32(total), tiles, np.int32(len(tiles)), *what, following, listed, *room)
        kernel((self.n_blocks,), (self.n_threads,), arguments, shared_mem=self.n_shared)


class HopperLayout(Layout):
    """Pieces that are fetched at once; see the CUDA text."""

    shape = (16, 16, 128)
    n_threads = 256
    n_fetching = 128  # that leave nothing
    n_stage_bytes = 6 * (2 * 16 + 128) * WORDS_A_STAGE * 4
    n_sums_bytes = (16 + 16 + 1) * (128 + 8) * 4
    n_shared = n_stage_bytes + n_sums_bytes

    def __init__(self, bits: CardBits) -> None:
        super().__init__(bits)
        cp = card()
        self.n_stages, self.turn = bits.n_words // WORDS_A_STAGE, bits.n_words_of_one // WORDS_A_STAGE
        thirds = bits.words.reshape(-1, 128, self.n_stages, 2, 4, 2, 2)  # half, word of a thread, step, part of a step
        self.pairs, self.thirds = self.pieces(bits.words), cp.ascontiguousarray(thirds.transpose(0, 2, 3, 5, 6, 1, 4))
        self.twice = (2 * self.sums).astype(np.float32)
        self.twice_singles = cp.ascontiguousarray(cp.diagonal(self.twice))

    def pieces(self, words: Any) -> Any:
        """Words as members of pairs lie, sixteen columns a piece."""
        made = words.reshape(-1, 16, self.n_stages, 8, 4).transpose(0, 2, 1, 3, 4).copy()
        made[:, :, 1::2] = card().roll(made[:, :, 1::2], 4, axis=3)  # chunks of odd columns change halves
        return made

    def scan(self, tiles: Any, total: int, what: tuple[np.int32, ...], listed: Any, room: Any) -> None:
        self._start(tiles, total, what, (listed, *room, np.intp(0)))

    def signed_triples(self, total: int) -> Any:
        """Signed counts of all triples in a table of three dimensions, members in order; elsewhere it says nothing."""
        cp, d = card(), self.bits.n_padded
        table, nowhere = cp.zeros((d, d, d), dtype=np.float32), cp.zeros(1, dtype=np.uint64)
        tiles = self.tiles(0, self.bits.n_columns)
        none = ints(0, 0, np.iinfo(np.int32).max, 0)
        self._start(tiles, total, none, (nowhere, np.uint64(0), nowhere, nowhere, table))
        return table

    def _start(self, tiles: Any, total: int, what: tuple[np.int32, ...], to: tuple[Any, ...]) -> None:
        kernel = compiled_for("triples_hopper.cu", "sm_90a").get_function("triples")
        kernel.max_dynamic_shared_size_bytes = self.n_shared
        table = (self.pairs, self.thirds, *ints(self.n_stages, self.turn, self.bits.n_padded))
        known = (self.twice, self.twice_singles, np.int32(total), tiles, np.int32(len(tiles)))
        threads = (self.n_threads + self.n_fetching,)
        kernel((self.n_blocks,), threads, (*table, *known, *what, *to), shared_mem=self.n_shared)


def padded(n: int, step: int) -> int:
    """The next multiple of a step."""
    return -(-n // step) * step
