r"""Subsets of bits on the graphics card, none lost.

For two classes the score of a subset, times n - 1, is :math:`\sum_c |s_c| (n_c - 1) / n_c` over cells that do not tie,
plus one for each that does. So it lies within the number of cells of :math:`S = \sum_c |s_c|`, which the card computes
for all subsets: whoever is among the best by the score has an S of no less than that of the best by S, less twice the
number of cells. Those are listed, counted exactly, and scored.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import ceil, isfinite
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PROBED", "ROOM", "CardLists", "ListedSubsets", "unpacked"]

ROOM = 2**22  # subsets on the list
PROBED = 8  # one tile of so many is looked at first, for a floor
_SLACK = 1e-9


class ListedSubsets(ABC):
    """Subsets of one size, listed on the card and settled by what counts them exactly."""

    @abstractmethod
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


@dataclass(frozen=True, eq=False)
class CardLists(ListedSubsets):
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

    n_cells: ClassVar[int]

    words: NDArray[np.uint64]
    class_starts: NDArray[np.int64]
    class_rows: NDArray[np.int64]
    scale: float

    def best(self, begin: int, end: int, n_best: int, floor: float) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        tiles = self.tiles_of(begin, end)
        least = (
            ceil(floor / self.scale - _SLACK) - self.n_cells
            if isfinite(floor)
            else self._probe(tiles, begin, end, n_best)
        )
        members = np.sort(self._listed(tiles, begin, end, n_best, max(least, 0)))  # among equals the first one stays
        scores = self._scored(members)
        kept = _at_least_the_best(scores, n_best, floor)
        return self.numbers_of(members[kept]), scores[kept]

    def _probe(self, tiles: Any, begin: int, end: int, n_best: int) -> int:
        """What every thread finds best in some tiles makes a list: the least of the best of those is a floor."""
        found = self.launch(self.some_of(tiles), begin, end, 0, probe=True)[0]
        known = np.sort(found[found >= 0])[::-1]
        return int(known[n_best - 1]) - 2 * self.n_cells if len(known) >= n_best else 0

    def _listed(self, tiles: Any, begin: int, end: int, n_best: int, least: int) -> NDArray[np.uint64]:
        """Subsets that may be among the best; a list that runs over is made again with a higher floor."""
        while True:
            sums, members, n_listed = self.launch(tiles, begin, end, least, probe=False)
            nth = int(np.partition(sums, -n_best)[-n_best]) if len(sums) >= n_best else 0
            higher = max(nth - 2 * self.n_cells, least)
            if n_listed <= len(sums):
                return members[sums >= higher]
            if higher == least:  # more ties than there is room for
                return self._in_parts(begin, end, n_best, least)
            least = higher

    def _in_parts(self, begin: int, end: int, n_best: int, least: int) -> NDArray[np.uint64]:
        if end - begin == 1:
            raise MemoryError("more subsets tie than the card has room to list")
        middle = (begin + end) // 2
        parts = [(begin, middle), (middle, end)]
        return np.concatenate([self._listed(self.tiles_of(*part), *part, n_best, least) for part in parts])

    def _scored(self, members: NDArray[np.uint64]) -> NDArray[np.float64]:
        rows = self._cells(members)
        n, s = rows.sum(axis=2), rows[..., 1] - rows[..., 0]
        votes = np.where(s == 0, n > 0, np.abs(s) * (n - 1) / np.maximum(n, 1))
        return np.asarray(votes.sum(axis=1) * self.scale)

    @property
    def _total(self) -> int:
        return int(self.class_rows[1] - self.class_rows[0])

    @abstractmethod
    def tiles_of(self, begin: int, end: int) -> Any:
        """Where subsets with first members in a range lie."""

    @abstractmethod
    def some_of(self, tiles: Any) -> Any:
        """A few of them, from everywhere."""

    @abstractmethod
    def launch(self, tiles: Any, begin: int, end: int, least: int, *, probe: bool) -> tuple[Any, Any, int]:
        """Sums and members of all that pass, as far as there is room, and how many do; or every thread's best."""

    @abstractmethod
    def _cells(self, members: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Rows of both classes in the cells of every subset."""

    @abstractmethod
    def numbers_of(self, members: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Numbers of the columns, from the one number that the card has for a subset."""


def unpacked(members: NDArray[np.uint64], n_bits: int, k: int) -> NDArray[np.int32]:
    """The k numbers of so many bits each that make up one."""
    shifts = n_bits * np.arange(k - 1, -1, -1, dtype=np.uint64)
    return (members[:, None] >> shifts & np.uint64(2**n_bits - 1)).astype(np.int32)


def _at_least_the_best(scores: NDArray[np.float64], n_best: int, floor: float) -> NDArray[np.bool_]:
    nth = np.partition(scores, -n_best)[-n_best] if len(scores) >= n_best else -np.inf
    return np.asarray(scores >= max(nth, floor) - _SLACK)
