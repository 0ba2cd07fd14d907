"""Rows of packed planes on the card, in as many blocks as its memory asks for, and what is done with each of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.kernels.gpu_card import card
from paclearn.kernels.gpu_layouts import WORDS_A_STAGE, padded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

__all__ = ["SIDE", "CardRows", "Digit", "RowBlock", "digits_of", "every_row"]

SIDE = 128  # planes a tile
_STAGES_A_STRETCH = 32  # 2^15 rows: sums of digits of 16 bits over them have 31
_DIGIT_BITS = 15


@dataclass(frozen=True, eq=False)
class Digit:
    """A digit of the numbers of one channel in binary: a bit for every place and row, the highest place first."""

    channel: int
    worth: int  # of a one
    is_signed: bool  # the highest place is to be taken off
    slices: NDArray[np.uint64] | None  # places x words; None where every row has a one


def every_row(channel: int) -> Digit:
    """Every row counts once."""
    return Digit(channel, 1, is_signed=False, slices=None)


def digits_of(channel: int, numbers: NDArray[np.int32]) -> list[Digit]:
    """Whole numbers of less than 2^30 in size, one for every bit of a plane, as one digit or two."""
    if int(np.abs(numbers).max(initial=0)) < 2**_DIGIT_BITS:
        parts = [(numbers, 1)]
    else:
        parts = [(numbers & 2**_DIGIT_BITS - 1, 1), (numbers >> _DIGIT_BITS, 2**_DIGIT_BITS)]
    return [Digit(channel, worth, bool(part.min(initial=0) < 0), _sliced(part)) for part, worth in parts]


def _sliced(numbers: NDArray[np.int32]) -> NDArray[np.uint64]:
    lowest, highest = int(numbers.min(initial=0)), int(numbers.max(initial=0))
    n_places = max(highest, ~lowest).bit_length() + (lowest < 0)
    places = [np.packbits((numbers >> place & 1).astype(np.uint8), bitorder="little") for place in range(n_places)]
    return np.array(places[::-1], dtype=np.uint8).reshape(n_places, len(numbers) // 8).view(np.uint64)


@dataclass(frozen=True)
class Stretch:
    """Words of 32 rows of one class."""

    of_class: int
    begin: int
    end: int

    @property
    def n_stages(self) -> int:
        return -(-(self.end - self.begin) // WORDS_A_STAGE)


@dataclass(frozen=True, eq=False)
class RowBlock:
    """Some rows on the card: planes and slices, and what to do stage by stage, see the CUDA text."""

    bits: Any
    plan: Any


@dataclass(frozen=True, eq=False)
class CardRows:
    """Packed planes whose rows go to the card, all at once or one block after another.

    Parameters
    ----------
    words : ndarray of uint64 of shape (n_planes, n_words)
        The planes, rows sorted by class.
    class_starts : ndarray of int
        The first word of every class, and the end.
    digits : sequence of Digit
        What is summed of every class.
    n_layers : int
        Sums of a class.
    memory : int
        Bytes of the card that blocks may take, and as much again while they are laid out.
    """

    words: NDArray[np.uint64]
    class_starts: NDArray[np.int64]
    digits: Sequence[Digit]
    n_layers: int
    memory: int

    @property
    def n_padded(self) -> int:
        """Planes, those that fill up the tiles included."""
        return padded(len(self.words), SIDE)

    @property
    def bytes_a_stage(self) -> int:
        return 4 * WORDS_A_STAGE * (self.n_padded + sum(1 if d.slices is None else len(d.slices) for d in self.digits))

    @cached_property
    def stretches(self) -> list[list[Stretch]]:
        """Those of every block."""
        blocks: list[list[Stretch]] = [[]]
        room = self.memory
        for stretch in self._all:
            room -= stretch.n_stages * self.bytes_a_stage
            if room < 0 and blocks[-1]:
                blocks.append([])
                room = self.memory - stretch.n_stages * self.bytes_a_stage
            blocks[-1].append(stretch)
        return blocks

    @property
    def _all(self) -> list[Stretch]:
        step, ends = WORDS_A_STAGE * _STAGES_A_STRETCH, (2 * self.class_starts).tolist()
        return [
            Stretch(c, at, min(at + step, ends[c + 1]))
            for c in range(len(ends) - 1)
            for at in range(ends[c], ends[c + 1], step)
        ]

    def blocks(self) -> Iterator[RowBlock]:
        """All rows; where they fit at once they stay on the card."""
        if len(self.stretches) == 1:
            yield self._whole
        else:
            yield from map(self._block, self.stretches)

    @cached_property
    def _whole(self) -> RowBlock:
        return self._block(self.stretches[0])

    def _block(self, stretches: list[Stretch]) -> RowBlock:
        cp, sliced = card(), [d.slices for d in self.digits if d.slices is not None]
        slices = np.concatenate([self.words[:0], *sliced])
        n_stages = sum(stretch.n_stages for stretch in stretches)
        bits = cp.zeros((self.n_padded + len(slices), WORDS_A_STAGE * n_stages), dtype=np.uint32)
        _lay(self.words, stretches, bits)
        _lay(slices, stretches, bits[self.n_padded :])
        return RowBlock(bits, cp.asarray(self._plan(stretches)))

    # ---- what is done with a block ----

    def _plan(self, stretches: list[Stretch]) -> NDArray[np.int32]:
        """Steps of the kernel; rows are counted class by class, digits are summed stretch by stretch."""
        steps, stage, place = [np.empty((0, 4), dtype=np.int32)], 0, self.n_padded
        numbers = self._numbered(place)
        for of_class, group in groupby(stretches, key=lambda stretch: stretch.of_class):
            first, own = stage, of_class * self.n_layers
            for stretch in group:
                stages = np.arange(stage, stage + stretch.n_stages)
                steps += [piece for digit, at in numbers for piece in _of_digit(digit, at, stages, own)]
                stage += stretch.n_stages
            counted = [digit for digit in self.digits if digit.slices is None]
            steps += [_steps(np.arange(first, stage), -1, 1, own + digit.channel) for digit in counted]
        return np.ascontiguousarray(np.concatenate(steps))

    def _numbered(self, place: int) -> list[tuple[Digit, int]]:
        """Digits that have slices, and where the first of them lies."""
        found = []
        for digit in self.digits:
            if digit.slices is not None:
                found.append((digit, place))
                place += len(digit.slices)
        return found


def _lay(planes: NDArray[np.uint64], stretches: list[Stretch], bits: Any) -> None:
    """Words of 32 rows, every stretch padded to whole stages."""
    low, high, at = stretches[0].begin if stretches else 0, stretches[-1].end if stretches else 0, 0
    narrow = card().asarray(np.ascontiguousarray(np.ascontiguousarray(planes).view(np.uint32)[:, low:high]))
    for stretch in stretches:
        length = stretch.end - stretch.begin
        bits[: len(planes), at : at + length] = narrow[:, stretch.begin - low : stretch.end - low]
        at += WORDS_A_STAGE * stretch.n_stages


def _of_digit(digit: Digit, place: int, stages: NDArray[np.int64], first_layer: int) -> Iterator[NDArray[np.int32]]:
    """From the highest place on: what was found is doubled, and at last it is added."""
    n_places = 0 if digit.slices is None else len(digit.slices)
    for at in range(n_places):
        sign, is_last = (-1 if digit.is_signed and at == 0 else 1), at == n_places - 1
        factor, layer = (digit.worth, first_layer + digit.channel) if is_last else (2, -1)
        yield _steps(stages, place + at, sign * factor, layer)


def _steps(stages: NDArray[np.int64], place: int, factor: int, layer: int) -> NDArray[np.int32]:
    """A slice, or all rows, stage by stage; something follows on the last one."""
    steps = np.empty((len(stages), 4), dtype=np.int32)
    steps[:, 0], steps[:, 1], steps[:, 2], steps[:, 3] = stages, place, 0, -1
    steps[-1:, 2:] = factor, layer
    return steps
