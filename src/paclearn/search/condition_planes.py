"""Answers to conditions as packed planes: a condition and its opposite share one."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.counting import BitTable
from paclearn.exceptions import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from paclearn.search.layers import Layers

__all__ = ["ConditionPlanes", "packed_planes"]

_MOST_AT_ONCE, _WORDS_AT_ONCE = 256, 2**19  # conjunctions that are counted together, and words of theirs
_LARGEST_PAIR_TABLE = 2**31


@dataclass(frozen=True, eq=False)
class ConditionPlanes:
    """Packed planes, in the order of their groups, and the conditions that their two answers are (or -1)."""

    table: BitTable
    groups: NDArray[np.int64]
    conditions: NDArray[np.int32]

    def check_memory(self, k: int) -> None:
        """Refuse triples of so many planes that the counts of all pairs of them, in every layer, would not fit."""
        n_planes, n_layers = len(self.groups), len(self.table.class_rows)
        n_bytes = 4 * n_planes**2 * n_layers
        if k == 3 and n_bytes > _LARGEST_PAIR_TABLE:
            raise InputError(
                f"conjunctions of three of {n_planes:,} conditions need {n_bytes / 2**30:.1f} GiB for the counts of "
                f"pairs, and {_LARGEST_PAIR_TABLE / 2**30:.0f} GiB are allowed; take k=2, or fewer columns or levels"
            )

    def conjunctions(self, k: int) -> NDArray[np.int64]:
        """How many conjunctions of k have their first condition in each plane."""
        own = (self.conditions >= 0).sum(axis=1)
        behind = np.searchsorted(self.groups, self.groups, side="right")
        sets = own
        for _ in range(k - 1):
            from_here = np.concatenate([np.cumsum(sets[::-1])[::-1], [0]])
            sets = own * from_here[behind]
        return np.asarray(sets, dtype=np.int64)

    def counts(self, members: NDArray[np.int32]) -> NDArray[np.int64]:
        """Rows of every conjunction in every layer."""
        place = np.empty(int(self.conditions.max()) + 1, dtype=np.intp)
        answered = np.flatnonzero(self.conditions.ravel() >= 0)
        place[self.conditions.ravel()[answered]] = answered
        at_once = int(np.clip(_WORDS_AT_ONCE // self.table.words.shape[1], 1, _MOST_AT_ONCE))
        blocks = (members[i : i + at_once] for i in range(0, len(members), at_once))
        nothing = np.empty((0, len(self.table.class_rows)), dtype=np.int64)
        return np.concatenate([nothing, *(self._count(*np.divmod(place[block], 2)) for block in blocks)])

    def _count(self, planes: NDArray[np.intp], answers: NDArray[np.intp]) -> NDArray[np.int64]:
        words = np.broadcast_to(self.table.valid, (len(planes), self.table.words.shape[1]))
        for plane, answer in zip(planes.T, answers.T, strict=True):
            words = words & (
                self.table.words[plane] ^ (answer - 1).astype(np.uint64)[:, None]
            )  # all ones turn it round
        per_word = np.bitwise_count(words).astype(np.int64)
        return np.stack([per_word[:, a:b].sum(axis=1) for a, b in pairwise(self.table.class_starts)], axis=1)


def packed_planes(
    columns: Iterable[NDArray[np.bool_]], groups: NDArray[Any], n_rows: int, layers: Layers
) -> ConditionPlanes:
    """One plane for a condition and its opposite, if that is of the same group."""
    if groups.ndim != 1 or groups.dtype.kind not in "iu" or not len(groups):
        raise InputError(f"groups must be whole numbers, one a condition; found {groups.dtype} of shape {groups.shape}")
    every = BitTable.pack(_entries(columns, n_rows, layers), [2] * len(groups), layers.layer, layers.n_layers)
    order = np.argsort(groups, kind="stable")
    pairs = _with_opposites(every.words, every.valid, groups, order)
    kept = np.array([yes for yes, _ in pairs])
    conditions = np.array([(no, yes) for yes, no in pairs], dtype=np.int32)
    table = BitTable(_moved_up(every.words, kept), np.full(len(kept), 2), every.class_starts, every.class_rows)
    return ConditionPlanes(table, np.ascontiguousarray(groups[kept], dtype=np.int64), conditions)


def _entries(columns: Iterable[Any], n_rows: int, layers: Layers) -> Iterable[NDArray[np.uint8]]:
    """The columns as they are packed: a matrix in one go, where every row has one entry."""
    whole = isinstance(columns, np.ndarray) and columns.dtype == np.bool_ and columns.shape[1:] == (n_rows,)
    if whole and layers.rows is None:
        return columns.view(np.uint8)  # type: ignore[attr-defined]
    return _one_by_one(columns, n_rows, layers)


def _one_by_one(columns: Iterable[Any], n_rows: int, layers: Layers) -> Iterator[NDArray[np.uint8]]:
    for number, column in enumerate(columns):
        answers = np.asarray(column)
        if answers.dtype != np.bool_ or answers.shape != (n_rows,):
            raise InputError(
                f"answers must be True or False for each of {n_rows} rows; found {answers.dtype} of shape "
                f"{answers.shape} for condition {number}"
            )
        yield layers.take(np.ascontiguousarray(answers).view(np.uint8))


def _with_opposites(
    words: NDArray[np.uint64], valid: NDArray[np.uint64], groups: NDArray[Any], order: NDArray[np.intp]
) -> list[tuple[int, int]]:
    """Conditions in the order of their groups, each with the one that holds where it does not, or with -1."""
    alone: dict[tuple[int, bytes], list[int]] = {}
    opposite: dict[int, int] = {}
    for i in order.tolist():
        waiting = alone.get((int(groups[i]), _digest(~words[i] & valid)), [])
        if waiting:
            opposite[waiting.pop(0)] = i
        else:
            opposite[i] = -1
            alone.setdefault((int(groups[i]), _digest(words[i])), []).append(i)
    return list(opposite.items())


def _moved_up(words: NDArray[np.uint64], kept: NDArray[np.intp]) -> NDArray[np.uint64]:
    """``words[kept]``, in the place of the words where the order allows it: there is no room for them twice."""
    if (np.diff(kept) <= 0).any():
        return words[kept]
    for place, number in enumerate(kept.tolist()):
        words[place] = words[number]
    return words[: len(kept)]


def _digest(words: NDArray[np.uint64]) -> bytes:
    """What stands for the answers of a condition: those of all of them are as much as the table."""
    return blake2b(words.tobytes(), digest_size=16).digest()
