"""Exact quantiles of more numbers than fit in memory, in a few passes over them.

A slot is a number, or the gap between two of them. Rows are counted by slots; where a quantile turns out to lie in a
gap, or next to one, the numbers in that gap are counted in another pass. Two or three passes will do: the numbers that
the gaps lie between are chosen so that each gap has few.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.learning import capped, cut_places, cuts_between

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Slots", "count_slots", "numbers_in_gaps"]


@dataclass(frozen=True, eq=False)
class Slots:
    """Numbers in order, the smallest and the largest among them, and how many rows have each of them or lie between.

    ``counts`` has 2 m + 1 places for m numbers: the gap below the first, the first, the gap above it, and so on.
    """

    numbers: NDArray[np.float64]
    counts: NDArray[Any]

    def to_open(self, n_bins: int) -> NDArray[np.intp]:
        """Gaps whose numbers must be known before all cuts are."""
        filled = np.flatnonzero(self.counts)
        counts = self.counts[filled].astype(np.float64)
        is_gap = filled % 2 == 0
        _, most = capped(counts, n_bins)
        heavy = is_gap & (counts > most)  # a gap that may hide a heap
        if heavy.any():
            return np.asarray(filled[heavy])
        places = cut_places(counts, n_bins)
        beside = np.unique(np.concatenate([places, places + 1]))
        return np.asarray(filled[beside[is_gap[beside]]])

    def opened(self, gaps: NDArray[np.intp], numbers: NDArray[np.float64], counts: NDArray[Any]) -> Slots:
        """The same with the numbers that lie in some gaps known."""
        every = np.concatenate([self.numbers, numbers])
        order = np.argsort(every, kind="stable")
        between = self.counts[::2].copy()
        between[gaps // 2] = 0
        found = np.zeros(2 * len(every) + 1, dtype=self.counts.dtype)
        found[1::2] = np.concatenate([self.counts[1::2], counts])[order]
        # a gap that stays closed lies below the number that it lay below
        places = np.searchsorted(every[order], self.numbers)
        found[2 * places] = between[:-1]
        return Slots(every[order], found)

    def cuts(self, n_bins: int) -> tuple[float, ...]:
        """Where bins end, once no gap is to be opened."""
        filled = np.flatnonzero(self.counts)
        places = cut_places(self.counts[filled].astype(np.float64), n_bins)
        value = self.numbers[np.minimum(filled // 2, len(self.numbers) - 1)]
        return cuts_between(value[places], value[places + 1])


def count_slots(
    values: NDArray[np.float64], numbers: NDArray[np.float64], weights: NDArray[np.float64] | None = None
) -> NDArray[Any]:
    """How many of some values are each of these numbers, or lie between them; with weights, how much they weigh."""
    order = np.argsort(values, kind="stable") if weights is not None else None
    ends = np.empty(2 * len(numbers) + 2, dtype=np.int64)
    ends[0], ends[-1] = 0, len(values)
    ends[1:-1:2], ends[2:-1:2] = _around(np.sort(values) if order is None else values[order], numbers)
    if weights is None:
        return np.diff(ends)
    return np.diff(np.concatenate([[0.0], np.cumsum(weights[order])])[ends])


def numbers_in_gaps(
    values: NDArray[np.float64],
    numbers: NDArray[np.float64],
    gaps: NDArray[np.intp],
    weights: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Different values that lie in some of the gaps, and how often each occurs, or how much it weighs."""
    order = np.argsort(values, kind="stable")
    sorted_values = values[order]
    above = gaps // 2  # the number that a gap lies below
    _, begin = _around(sorted_values, numbers[above - 1])
    end, _ = _around(sorted_values, numbers[above])
    inside = np.concatenate([order[a:b] for a, b in zip(begin, end, strict=True)])
    if weights is None:
        return np.unique(values[inside], return_counts=True)
    found, place = np.unique(values[inside], return_inverse=True)
    return found, np.bincount(place, weights[inside], len(found)).astype(np.float64)


def _around(values: NDArray[np.float64], numbers: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """How many values, in order, are below each of some numbers, and how many are not above."""
    return np.searchsorted(values, numbers), np.searchsorted(values, numbers, side="right")
