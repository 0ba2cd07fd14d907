"""Equal rows as one that counts as often.

A row of weight three is then the same thing as three rows, and the order of the rows is of no account: kinds of rows
stand in an order that depends on what they hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.folds import Draws

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["DistinctRows", "distinct_signs", "row_marks"]

_WORD = 8  # bytes


@dataclass(frozen=True, eq=False)
class DistinctRows:
    """Kinds of rows.

    ``first`` is the first row of every kind, ``kind`` the kind of every row, so that ``rows[first][kind]`` are the rows
    again; ``weights`` is what all rows of a kind weigh together. Rows of different ``groups`` are of different kinds.
    """

    first: NDArray[np.intp]
    kind: NDArray[np.intp]
    weights: NDArray[np.float64]
    groups: NDArray[np.intp] | None = None

    @property
    def counts(self) -> NDArray[np.intp]:
        """How many rows there are of every kind."""
        return np.bincount(self.kind, minlength=len(self.first))

    def sums_of(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Of whole numbers, one a row, for every kind."""
        found = np.zeros(len(self.first), dtype=np.int64)
        np.add.at(found, self.kind, numbers)
        return found

    @property
    def draws(self) -> Draws:
        """Every kind as so many draws, to be shared out over folds."""
        return Draws.of(self.weights, self.counts, self.groups)

    @classmethod
    def in_order(
        cls,
        rows: NDArray[Any],
        targets: NDArray[Any],
        weights: NDArray[np.float64] | None = None,
        groups: NDArray[np.intp] | None = None,
    ) -> DistinctRows:
        """Rows that are alike to the byte, target and group included, in the order of their bytes.

        ``rows`` is a matrix of whatever numbers, ``targets`` has one for every row.
        """
        last = [_bytes(each[:, None]) for each in (targets, groups) if each is not None]
        words = _words(np.concatenate([_bytes(rows), *last], axis=1))
        first, kind = _kinds(words, _marks(np.zeros(len(words), dtype=np.uint64), words))
        order = _order_of_different(words[first])
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        return cls._of(first[order], place[kind], weights, groups)

    @classmethod
    def mixed(
        cls,
        rows: NDArray[np.float64],
        targets: NDArray[np.intp],
        weights: NDArray[np.float64] | None = None,
        groups: NDArray[np.intp] | None = None,
    ) -> DistinctRows:
        """Rows of floats that are alike, one NaN like another, in an order that has nothing to do with any column."""
        content = np.where(np.isnan(rows), np.nan, rows).view(np.uint64)
        if groups is not None:
            content = np.column_stack([content, groups.astype(np.uint64)])
        numbers = targets.astype(np.uint64)
        return cls._of(*_kinds(np.column_stack([numbers, content]), _marks(numbers, content)), weights, groups)

    @classmethod
    def hashed(
        cls,
        codes: Sequence[NDArray[Any]] | NDArray[Any],
        targets: NDArray[np.float64],
        weights: NDArray[np.float64] | None,
        groups: NDArray[np.intp] | None,
        seed: int,
    ) -> DistinctRows:
        """Rows of the same codes (column by column), target and group, in the order of a hash of these and a seed."""
        words = _content(codes, [each for each in (targets, groups) if each is not None])
        first, kind = _kinds(words, _marks(np.full(len(words), seed, dtype=np.uint64), words))
        return cls._of(first, kind, weights, groups)

    @classmethod
    def _of(
        cls,
        first: NDArray[np.intp],
        kind: NDArray[np.intp],
        weights: NDArray[np.float64] | None,
        groups: NDArray[np.intp] | None,
    ) -> DistinctRows:
        total = np.bincount(kind, weights, minlength=len(first)).astype(np.float64)
        return cls(first, kind, total, None if groups is None else groups[first])


def distinct_signs(
    signs: NDArray[np.int8],
    targets: NDArray[np.float64],
    weights: NDArray[np.float64],
    groups: NDArray[np.intp] | None = None,
    n_rows: NDArray[np.int64] | None = None,
) -> tuple[NDArray[np.int8], NDArray[np.float64], Draws]:
    """Rows of -1 and +1 that are alike in all bits and in the target become one; with its target and its draws.

    Where rows stand for several that are alike, ``n_rows`` says for how many.
    """
    found = DistinctRows.in_order(np.packbits(signs > 0, axis=1), targets, weights, groups)
    draws = found.draws if n_rows is None else Draws.of(found.weights, found.sums_of(n_rows), found.groups)
    return signs[found.first], targets[found.first], draws


def row_marks(
    codes: Sequence[NDArray[Any]] | NDArray[Any], others: Sequence[NDArray[Any]], seed: int
) -> NDArray[np.uint64]:
    """64 bits a row that follow from its codes (column by column), from other numbers of it, and from a seed."""
    words = _content(codes, others)
    return _marks(np.full(len(words), seed, dtype=np.uint64), words)


def _content(codes: Sequence[NDArray[Any]] | NDArray[Any], others: Sequence[NDArray[Any]]) -> NDArray[np.uint64]:
    columns = (*(codes[i] for i in range(len(codes))), *others)
    return _words(np.concatenate([_bytes(np.asarray(column)[:, None]) for column in columns], axis=1))


def _bytes(matrix: NDArray[Any]) -> NDArray[np.uint8]:
    matrix = np.ascontiguousarray(matrix)
    return matrix.view(np.uint8).reshape(len(matrix), matrix.shape[1] * matrix.itemsize)


def _words(content: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Eight bytes a word, so that words are in the order of their bytes; what is lacking to the last is nought."""
    n, width = content.shape
    padded = np.zeros((n, max(1, -(-width // _WORD)) * _WORD), dtype=np.uint8)
    padded[:, :width] = content
    return padded.view(">u8").astype(np.uint64)


def _marks(start: NDArray[np.uint64], words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """64 bits that depend on all bits of a row (the mixer of splitmix64, Steele and others 2014, word by word)."""
    marks = start.copy()
    for word in words.T:
        marks *= np.uint64(0x9E3779B97F4A7C15)
        marks += word
        marks ^= marks >> np.uint64(30)
        marks *= np.uint64(0xBF58476D1CE4E5B9)
        marks ^= marks >> np.uint64(27)
        marks *= np.uint64(0x94D049BB133111EB)
        marks ^= marks >> np.uint64(31)
    return marks


def _kinds(words: NDArray[np.uint64], marks: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first row of every kind, in the order of their marks, and the kind of every row."""
    _, first, kind = np.unique(marks, return_index=True, return_inverse=True)
    if not np.array_equal(words, words[first[kind]]):  # two different rows of one mark: one chance in a million
        keys = np.column_stack([marks, words])  # for a million rows, and then their words decide
        _, first, kind = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return first, kind.ravel()


def _order_of_different(words: NDArray[np.uint64]) -> NDArray[np.intp]:
    """The order, by the first word, then by the next, of rows no two of which are alike."""
    order = np.argsort(words[:, 0])
    new = _begins(words[order, 0])
    for word in words[:, 1:].T:
        group = np.cumsum(new) - 1
        tied = np.flatnonzero((np.bincount(group) > 1)[group])
        if not len(tied):
            break
        rows = order[tied]
        rows = rows[np.lexsort((word[rows], group[tied]))]
        order[tied] = rows
        new[tied] |= _begins(word[rows])  # the first of a group is new already
    return order


def _begins(words: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Where another word than the one before stands."""
    new = np.ones(len(words), dtype=bool)
    new[1:] = words[1:] != words[:-1]
    return new
