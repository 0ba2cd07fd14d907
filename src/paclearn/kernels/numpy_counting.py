"""Packing, counting and summing in numpy: the oracle of the compiled core, and its stand-in."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Codes = NDArray[np.unsignedinteger[Any]]
    Integers = NDArray[np.int64]
    Members = NDArray[np.int32]
    Words = NDArray[np.uint64]

__all__ = ["WORDS_PER_LINE", "Packer", "count_cells", "starts_of", "sum_cells", "sum_pairs", "valid_words"]

_WORD_BITS = 64
WORDS_PER_LINE = 8  # 512 bits: one AVX-512 register, one cache line


class Packer:
    """Packs the codes of rows, sorted by class: class c has the words ``class_starts[c]`` up to ``class_starts[c + 1]``
    of every plane. Planes must be zero before anything is packed into them.
    """

    def __init__(self, row_class: NDArray[np.int32], n_classes: int) -> None:
        self.class_rows = np.bincount(row_class, minlength=n_classes).astype(np.int64)
        self.class_starts = starts_of(self.class_rows)
        self._rows = np.split(np.argsort(row_class, kind="stable"), np.cumsum(self.class_rows)[:-1])

    def pack(self, codes: NDArray[Any], planes: Words) -> None:
        """Set the bits of one column: its codes 1, 2, ... have a plane each, code 0 has none."""
        if codes.size and codes.max() > len(planes):
            raise ValueError(f"codes must be at least 0 and less than {len(planes) + 1}; found {codes.max()}")
        for start, rows in zip(self.class_starts[:-1], self._rows, strict=True):
            mine = codes[rows]
            for code, plane in enumerate(planes, 1) if len(rows) else ():
                packed = np.packbits(mine == code, bitorder="little")
                plane[start:].view(np.uint8)[: len(packed)] = packed

    def pack_matrix(self, codes: NDArray[np.uint8], sizes: Integers, planes: Words) -> None:
        """Set the bits of all columns of a matrix that is stored row by row."""
        for column, first, size in zip(codes.T, _first_planes(sizes), sizes, strict=True):
            self.pack(column, planes[first : first + size - 1])

    def sort(self, unsorted: Words, planes: Words) -> None:
        """The bits of other planes, whose rows are in their own order."""
        for words, plane in zip(unsorted, planes, strict=True):
            bits = np.unpackbits(words.view(np.uint8), count=int(self.class_rows.sum()), bitorder="little")
            self.pack(bits, plane[np.newaxis])


def starts_of(class_rows: Integers) -> Integers:
    """The first word of every class, and the end: classes begin on a line."""
    lines = -(-class_rows // (_WORD_BITS * WORDS_PER_LINE))
    return np.concatenate([[0], np.cumsum(lines * WORDS_PER_LINE)]).astype(np.int64)


def valid_words(class_starts: Integers, class_rows: Integers) -> Words:
    """One bit for every row, none for the padding."""
    bits = np.zeros(int(class_starts[-1]) * _WORD_BITS, dtype=np.uint8)
    for start, n_rows in zip(class_starts[:-1] * _WORD_BITS, class_rows, strict=True):
        bits[start : start + n_rows] = 1
    return np.packbits(bits, bitorder="little").view(np.uint64)


def count_cells(
    words: Words,
    sizes: Integers,
    class_starts: Integers,
    class_rows: Integers,
    subsets: Members,
    n_threads: int,  # noqa: ARG001 - the compiled kernel has use for them
) -> Integers:
    """Counts of every subset, cell and class of a packed table."""
    first, valid = _first_planes(sizes), valid_words(class_starts, class_rows)

    def count(subset: Members) -> Integers:
        masks = valid[np.newaxis]
        for unit in subset:
            planes = words[first[unit] : first[unit] + sizes[unit] - 1]
            codes = [~np.bitwise_or.reduce(planes), *planes]  # code 0 is what no plane covers
            masks = np.stack([masks & code for code in codes], axis=1).reshape(len(masks) * len(codes), len(valid))
        per_word = np.bitwise_count(masks).astype(np.int64)
        return np.stack([per_word[:, a:b].sum(axis=1) for a, b in pairwise(class_starts)], axis=1)

    return _side_by_side([count(subset) for subset in subsets], len(class_rows), np.int64)


def sum_cells(
    codes: Codes,
    sizes: Integers,
    row_class: NDArray[np.int32],
    n_classes: int,
    values: NDArray[np.float64],
    subsets: Members,
    n_threads: int,  # noqa: ARG001 - the compiled kernel has use for them
) -> NDArray[np.float64]:
    """Sums of every subset, cell and channel (a class and a value), with the rows added in their own order."""
    n_channels = n_classes * values.shape[1]

    def add(subset: Members) -> NDArray[np.float64]:
        cell = np.zeros(codes.shape[1], dtype=np.int64)
        for unit in subset:
            cell = cell * sizes[unit] + codes[unit]
        group, n_groups = cell * n_classes + row_class, int(sizes[subset].prod()) * n_classes
        sums = [np.bincount(group, weights=column, minlength=n_groups) for column in values.T]
        return np.stack(sums, axis=1, dtype=np.float64).reshape(-1, n_channels)

    return _side_by_side([add(subset) for subset in subsets], n_channels, np.float64)


def sum_pairs(
    words: Words,
    numbers: NDArray[np.int32],
    n_threads: int,  # noqa: ARG001 - the compiled kernel has use for them
) -> Integers:
    """Sums of numbers (channels x bits of a plane) over what two planes share: ``sums[channel, plane, plane]``."""
    bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little").astype(np.int64)
    return np.stack([(bits * row) @ bits.T for row in numbers])


def _first_planes(sizes: Integers) -> Integers:
    """The number of the first plane of every unit."""
    return np.cumsum(sizes - 1) - (sizes - 1)


def _side_by_side(tables: Sequence[NDArray[Any]], n_channels: int, dtype: type[np.generic]) -> NDArray[Any]:
    """Tables of different numbers of cells in one array, the smaller ones filled up with zeros."""
    cells = max((len(table) for table in tables), default=1)
    together = np.zeros((len(tables), cells, n_channels), dtype=dtype)
    for room, table in zip(together, tables, strict=True):
        room[: len(table)] = table
    return together
