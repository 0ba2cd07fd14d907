"""The kernels of regression graphs in numpy: the oracle of the compiled core, and its stand-in."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from paclearn.exceptions import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Integers = NDArray[np.int32]
    Numbers = NDArray[np.float64]
    Layout = NDArray[np.int64]  # see BinnedTable

__all__ = ["Found", "best_split", "fill_histogram", "level_order", "partition_rows", "route_rows"]

Found: TypeAlias = tuple[float, int, int, bool]
_NOTHING: Found = (0.0, -1, 0, False)


def fill_histogram(codes: Bytes, layout: Layout, rows: Integers, weights: Numbers, sums: Numbers) -> Numbers:
    """Weight and weighted target of some rows, summed up by bin. All sums are exact, so their order is of no
    account.
    """
    histogram = np.zeros((int(layout[:, 1].sum()), 2))
    for column, (start, size) in enumerate(layout[:, :2]):
        mine = codes[column][rows]
        histogram[start : start + size, 0] = np.bincount(mine, weights[rows], size)
        histogram[start : start + size, 1] = np.bincount(mine, sums[rows], size)
    return histogram


def best_split(
    histogram: Numbers,
    layout: Layout,
    tried: Integers,
    weight: float,
    total: float,
    least_weight: float,
    chance: float,
) -> Found:
    """The first of the splits that gain most: gain, column, cut, and whether missing values go low.

    Where levels are sorted by their means, ``chance`` is what each of them adds to the squares between them if the
    column says nothing: it comes off what the split gains.
    """
    best = _NOTHING
    for column in tried.tolist():
        start, size, present, levels = layout[column].tolist()
        bins = histogram[start : start + size]
        low = _level_sides(bins) if levels else _number_sides(bins, present)
        gains = _gains(low, weight, total, least_weight)
        if levels:
            gains *= _beyond_chance(bins[bins[:, 0] > 0], weight, total, chance)
        place = int(gains.argmax()) if len(gains) else -1
        if place >= 0 and gains[place] > best[0]:
            cut, missing_low = (place, False) if levels else divmod(place, 2)
            best = (float(gains[place]), column, cut, bool(missing_low))
    return best


def _number_sides(bins: Numbers, present: int) -> Numbers:
    """Weight and sum of the low side, for every cut: with what is missing on the high side, and on the low side."""
    missing = bins[present:].sum(axis=0)
    low = np.cumsum(bins[:present], axis=0)
    if missing[0] == 0:
        return np.repeat(low[:-1], 2, axis=0)
    return np.stack([low, low + missing], axis=1).reshape(-1, 2)


def _level_sides(bins: Numbers) -> Numbers:
    return np.cumsum(bins[level_order(bins)], axis=0)[:-1]


def level_order(bins: Numbers) -> NDArray[np.intp]:
    """The levels that occur, sorted by their mean."""
    occur = np.flatnonzero(bins[:, 0] > 0)
    return occur[np.argsort(bins[occur, 1] / bins[occur, 0], kind="stable")]


def _beyond_chance(levels: Numbers, weight: float, total: float, chance: float) -> float:
    """The share of the squares between levels that is more than chance: two levels are as good as a number."""
    apart = levels[:, 1] * weight - total * levels[:, 0]
    squares = float(np.cumsum(apart * apart / (levels[:, 0] * weight * weight))[-1]) if len(levels) else 0.0
    charge = max(len(levels) - 2, 0) * chance
    return (squares - charge) / squares if squares > charge else 0.0


def _gains(low: Numbers, weight: float, total: float, least_weight: float) -> Numbers:
    """``w_l w_h / (w_l + w_h) (p_l - p_h)^2`` of every split; -1 where a side is too light."""
    light, rest = low[:, 0], weight - low[:, 0]
    allowed = (light >= least_weight) & (rest >= least_weight) & (light > 0) & (rest > 0)
    apart = low[:, 1] * weight - total * light
    return np.where(allowed, apart * apart / np.where(allowed, light * rest * weight, 1.0), -1.0)


def partition_rows(codes: Bytes, low: Bytes, rows: Integers) -> tuple[Integers, Integers]:
    """Rows that go low and rows that go high."""
    goes_low = low[codes[rows]] > 0
    return rows[goes_low], rows[~goes_low]


def route_rows(codes: Bytes, column: Integers, low: Integers, high: Integers, tables: Bytes) -> Integers:
    """The leaf that every row comes to: all rows take a step at once, until none is left inside."""
    leaf = np.zeros(codes.shape[1], dtype=np.int32)
    inside = np.flatnonzero(column[leaf] >= 0)
    for _ in column:  # no way is longer than all nodes
        node = leaf[inside]
        goes_low = tables[node, codes[column[node], inside]] > 0
        leaf[inside] = np.where(goes_low, low[node], high[node])
        inside = inside[column[leaf[inside]] >= 0]
        if not len(inside):
            return leaf
    raise InputError("a way through the graph must end at a leaf; found one that comes back to where it was")
