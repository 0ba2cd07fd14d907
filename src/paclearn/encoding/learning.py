"""From the distinct values of a column, and how often each occurs, to the meaning of its codes.

Counts of distinct values add up over blocks of rows, and nothing else about the rows is used here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from paclearn._parameters import Whole, check
from paclearn.encoding.domain import BinColumn, Column, LevelColumn
from paclearn.exceptions import InputError
from paclearn.tables.raw import Labels, Numbers, RawColumn, SmallIntegers, format_number

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


__all__ = [
    "ColumnRules",
    "Distinct",
    "EncodingRules",
    "capped",
    "cut_places",
    "cuts_between",
    "distinct_of",
    "learn_column",
    "learn_cuts",
    "learn_distinct",
    "thresholds",
]

_LARGEST_MAX_LEVELS = 65_000
_ROWS_PER_COUNT = 20
_MOST_HEAPS = 100
_MOST_DIGITS, _FEW_CUTS = 17, 8
_WRITTEN = 40  # so many numbers are written and read by Python sooner than rounded side by side
_EXACT_POWERS, _SMALL_WHOLE = 22, 2.0**32  # 10^22 is the last power of ten that a float holds
_COMING_BACK = 0.01  # share of new rows at levels seen once, from which those are worth keeping apart
_NEW = 0.01  # and at numbers never seen, from which numbers are better cut than kept apart
_FEW_NUMBERS = 3
_MOST_NAMED = 32  # different whole numbers; more of them are amounts
_HEAP = 0.5  # two columns that are mostly nought are the same mostly for that reason


class ColumnRules(Protocol):
    """How the different values of a column become codes."""

    @property
    def n_bins(self) -> int:
        """Of numbers."""
        ...

    def column(self, found: Distinct, name: str, position: int) -> Column | str:
        """The column, or why it is dropped."""
        ...


@dataclass(frozen=True)
class EncodingRules:
    """How columns are cut into codes; see `BooleanEncoder` for what each number means.

    With ``keep_few``, whole numbers that are no more than ``max_levels`` are not cut but kept apart; see
    `compared_numbers`. With ``recurring``, levels of a single row keep their name only in columns whose levels come
    back: of a column of names or numbers of rows nothing is learned. With ``cut_new``, few numbers are cut between all
    of them, and not kept apart, where new rows may hold others: those lie between the ones that are known, or beyond.
    With ``cut_measured`` few numbers with decimals are cut, whatever new rows may hold: they were measured, and nobody
    speaks of those that are exactly 3.4. So are whole numbers of which there are more than names, such as ages: one
    that was never seen is still below another.
    """

    n_bins: int
    min_count: Any  # checked below
    max_levels: int
    keep_few: bool = False
    recurring: bool = False
    cut_new: bool = False
    cut_measured: bool = False

    def __post_init__(self) -> None:
        check("n_bins", self.n_bins, Whole(2, _LARGEST_MAX_LEVELS))
        check("max_levels", self.max_levels, Whole(2, _LARGEST_MAX_LEVELS))
        if isinstance(self.min_count, bool) or not isinstance(self.min_count, int | float | np.number):
            raise InputError(f"min_count={self.min_count!r} must be a number of rows (5) or a share of them (0.01)")
        if self.min_count < 0 or (isinstance(self.min_count, float) and self.min_count >= 1):
            raise InputError(f"min_count={self.min_count!r} must be a whole number >= 0 or a share below 1")

    @property
    def keeping_few(self) -> EncodingRules:
        """The same, with few whole numbers kept apart."""
        return replace(self, keep_few=True)

    def keeps(self, found: Distinct) -> bool:
        """Whether numbers, more than there are bins, are few and whole, and none is rare or half of all rows."""
        values, counts = found.values, found.counts
        if not self.keep_few or len(values) > self.max_levels or (values != np.rint(values)).any():
            return False
        return bool(counts.min() >= self.fewest_rows(found.n_rows) and counts.max() <= _HEAP * found.n_rows)

    def cuts(self, found: Distinct) -> tuple[float, ...]:
        """Where numbers are cut: many at quantiles, few between all of them, or nowhere, and then they are levels."""
        values, counts = found.values, found.counts
        if found.words or found.few or self.keeps(found):
            return ()
        if len(values) > self.n_bins:
            return thresholds(values, counts, self.n_bins)
        return cuts_between(values[:-1], values[1:]) if self._cuts_few(found) else ()

    def _cuts_few(self, found: Distinct) -> bool:
        """Whether few numbers are better cut: new rows hold others, or rare ones would be pooled with no order."""
        counts, n_rows = found.counts, found.n_rows
        if len(counts) <= _FEW_NUMBERS:
            return False
        if self.cut_measured and (len(counts) > _MOST_NAMED or (found.values != np.rint(found.values)).any()):
            return True
        if not self.cut_new:
            return False
        # about as large a share of new rows holds a new number as holds one now that stands there once (Good 1953)
        return bool((counts <= 1).sum() >= _NEW * n_rows or not self.named(counts, n_rows).all())

    def column(self, found: Distinct, name: str, position: int) -> Column | str:
        """The column of some values, or why it is dropped."""
        return learn_distinct(found, name, position, self)

    def named(self, counts: NDArray[np.float64], n_rows: float) -> NDArray[np.bool_]:
        """Which levels have rows enough to keep their name."""
        kept = counts >= self.fewest_rows(n_rows)
        # of as many new rows, about twice the levels of two rows are at a level that was seen once (Good 1953)
        many = self.recurring and n_rows >= 2 * _ROWS_PER_COUNT
        if many and 2 * (counts == 2).sum() < _COMING_BACK * n_rows:
            kept &= counts > 1
        return kept

    def fewest_rows(self, n_rows: float) -> float:
        """How many rows a level needs to keep its name in a table of this size."""
        if isinstance(self.min_count, float):
            return self.min_count * n_rows
        # five rows of a table of thirty is no rare level: never ask for more than a twentieth
        return min(float(self.min_count), max(1.0, n_rows // _ROWS_PER_COUNT))


@dataclass(frozen=True, eq=False)
class Distinct:
    """The distinct values of a column in order, how often each occurs, and whether any value is missing.

    ``words`` says that they are text; ``few`` numbers are each kept apart, however many there are.
    """

    values: Any  # a list of str, or an array of floats
    counts: NDArray[np.float64]
    missing: bool
    n_rows: float
    words: bool
    few: bool = False


def learn_column(
    raw: RawColumn, name: str, position: int, rules: ColumnRules, weights: NDArray[np.float64] | None = None
) -> Column | str:
    """The column, or why it is dropped."""
    return rules.column(distinct_of(raw, weights), name, position)


def distinct_of(raw: RawColumn, weights: NDArray[np.float64] | None = None) -> Distinct:
    """The different values of a column."""
    values, counts, missing = _distinct(raw, weights)
    n_rows = float(len(raw) if weights is None else weights.sum())
    few = isinstance(raw, Numbers) and raw.few
    return Distinct(values, counts, missing, n_rows, isinstance(raw, Labels), few)


def learn_distinct(found: Distinct, name: str, position: int, rules: EncodingRules) -> Column | str:
    """The column of some values, or why it is dropped."""
    values, missing = found.values, found.missing
    if len(values) == 0:
        return "every value is missing"
    if len(values) == 1 and not missing:
        return f"constant ({values[0] if found.words else format_number(values[0])})"
    if cuts := rules.cuts(found):
        return BinColumn(name, position, missing, cuts)
    texts = tuple(map(str, values)) if found.words else tuple(map(format_number, values))
    return _level_column(name, position, missing, texts, found.counts, found.n_rows, rules, numeric=not found.words)


def learn_cuts(
    raw: RawColumn, n_bins: int, weights: NDArray[np.float64] | None = None
) -> tuple[tuple[float, ...], bool]:
    """Thresholds that cut a numeric column into at most so many bins, and whether any value is missing."""
    values, counts, missing = _distinct(raw, weights)
    if len(values) > n_bins:
        return thresholds(values, counts, n_bins), missing
    return cuts_between(values[:-1], values[1:]), missing


def _distinct(raw: RawColumn, weights: NDArray[np.float64] | None) -> tuple[Any, NDArray[np.float64], bool]:
    """Distinct values in order, the weight of each, and whether any value is missing."""
    if isinstance(raw, Labels):
        # code -1 becomes place 0
        counts = np.bincount(raw.codes + 1, weights=weights, minlength=len(raw.labels) + 1).astype(np.float64)
        order = [i for i in sorted(range(len(raw.labels)), key=raw.labels.__getitem__) if counts[i + 1] > 0]
        return [raw.labels[i] for i in order], counts[1:][order], bool(counts[0] > 0)
    if isinstance(raw, SmallIntegers):
        counts = _count_offsets(raw, weights)
        occurs = counts > 0
        return (raw.span, counts, False) if occurs.all() else (raw.span[occurs], counts[occurs], False)
    present = ~np.isnan(raw.values)
    some_missing = not present.all()
    values = raw.values[present] if some_missing else raw.values
    if weights is None:
        return *_counted(values), some_missing
    distinct, place = np.unique(values, return_inverse=True)
    weight = np.bincount(place, weights=weights[present], minlength=len(distinct)).astype(np.float64)
    return distinct[weight > 0], weight[weight > 0], bool(weights[~present].any())


def _counted(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """As `numpy.unique` says, which takes twice the memory: that of long columns is the peak of a fit."""
    ordered = np.sort(values)
    differs = ordered[1:] != ordered[:-1]
    if differs.all():
        return ordered, np.ones(len(ordered))
    first = np.flatnonzero(np.append(True, differs))
    return ordered[first], np.diff(first, append=len(ordered)).astype(np.float64)


def _count_offsets(raw: SmallIntegers, weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
    if weights is None:
        return raw.counts.astype(np.float64)
    return np.bincount(raw.offsets, weights=weights, minlength=len(raw.span)).astype(np.float64)


def _level_column(
    name: str,
    position: int,
    missing: bool,
    levels: tuple[str, ...],
    counts: NDArray[np.float64],
    n_rows: float,
    rules: EncodingRules,
    *,
    numeric: bool,
) -> Column | str:
    if len(levels) <= rules.max_levels and rules.named(counts, n_rows).all():
        return LevelColumn(name, position, missing, levels, numeric=numeric)
    kept = _kept_levels(counts, n_rows, rules)
    if not kept.any() and not missing:
        rare = "stands in one row" if rules.recurring else f"is rarer than min_count={rules.min_count}"
        return f"each of its {len(levels)} levels {rare}"
    named = tuple(level for level, keep in zip(levels, kept, strict=True) if keep)
    return LevelColumn(name, position, missing, named, other=len(named) < len(levels), numeric=numeric)


def _kept_levels(counts: NDArray[np.float64], n_rows: float, rules: EncodingRules) -> NDArray[np.bool_]:
    kept = rules.named(counts, n_rows)
    if len(counts) > rules.max_levels:
        # the most frequent ones; among equals the first in order
        places = np.argsort(-counts, kind="stable")[: rules.max_levels - 1]
        frequent = np.zeros(len(counts), dtype=bool)
        frequent[places] = True
        kept &= frequent
    if (~kept).sum() == 1:  # a pool of one level is that level
        kept[:] = True
    return kept


def thresholds(values: NDArray[np.float64], counts: NDArray[np.float64], n_bins: int) -> tuple[float, ...]:
    """Cuts between the distinct values nearest to the quantiles, each written as shortly as it can be."""
    places = cut_places(counts, n_bins)
    every = np.asarray(values)
    return cuts_between(every[places], every[places + 1])


def cut_places(counts: NDArray[np.float64], n_bins: int) -> NDArray[np.intp]:
    """Numbers of the values, in order, that a quantile lies at; no cut is behind the last of them.

    What comes out for a value depends on how many are below it and how many heaps, not on which ones they are.
    """
    heaps, most = capped(counts, n_bins)
    below = np.cumsum(np.where(heaps, 0.0, counts)) + np.cumsum(heaps) * most if heaps.any() else np.cumsum(counts)
    below /= below[-1]
    np.round(below, 12, out=below)  # which guards against 0.30000000000000004 of the rows
    quantiles = np.searchsorted(below, np.round(np.arange(1, n_bins) / n_bins, 12))
    return np.unique(np.minimum(quantiles, len(counts) - 2))


def capped(counts: NDArray[np.float64], n_bins: int) -> tuple[NDArray[np.bool_], float]:
    """Which values fill more than a bin, and what they count for: a heap of zeros must not swallow all other cuts."""
    heaps, most = np.zeros(len(counts), dtype=bool), np.inf
    for _ in range(_MOST_HEAPS):
        total = float(counts[~heaps].sum()) + int(heaps.sum()) * most if heaps.any() else float(counts.sum())
        share = total / n_bins
        if min(float(counts.max()), most) <= share * (1 + 1e-9):
            break
        heaps, most = counts > share, share
    return heaps, most


def cuts_between(lows: ArrayLike, highs: ArrayLike) -> tuple[float, ...]:
    """Numbers with the fewest digits in [low, high) near the middles, so that names read ``height>1.7``.

    Between whole numbers they are whole: ``age>41``, and not ``age>41.5``.
    """
    lows, highs = np.asarray(lows, dtype=np.float64), np.asarray(highs, dtype=np.float64)
    with np.errstate(all="ignore"):  # of numbers next to the largest and the smallest there are
        return _cuts_between(lows, highs)


def _cuts_between(lows: NDArray[np.float64], highs: NDArray[np.float64]) -> tuple[float, ...]:
    middles = lows + (highs - lows) / 2
    middles = np.where((lows == np.floor(lows)) & (highs == np.floor(highs)), np.floor(middles), middles)
    digits = _fewest_digits(lows, highs, middles) if len(lows) > _FEW_CUTS else np.ones(len(lows), dtype=np.intp)
    cuts = _rounded(middles, digits)
    for more in (1, 2):  # the middle between two numbers of three digits has four
        wide = np.flatnonzero((cuts < lows) | (cuts >= highs))
        if not len(wide):
            break
        cuts[wide] = _rounded(middles[wide], digits[wide] + more)
    for i in np.flatnonzero(~((lows <= cuts) & (cuts < highs))).tolist():
        cuts[i] = _shortest(float(lows[i]), float(highs[i]), float(middles[i]), int(digits[i]))
    return tuple(cuts.tolist())


def _rounded(numbers: NDArray[np.float64], digits: NDArray[np.intp]) -> NDArray[np.float64]:
    """Numbers with so many digits, the same as Python writes and reads; NaN where products are too large to say.

    A whole number over a power of ten is rounded once, if both are exact. Which one is nearest is told by the product
    and its rounding error (Dekker 1971); in the middle between two it is the even one.
    """
    if len(numbers) <= _WRITTEN:
        pairs = zip(numbers.tolist(), digits.tolist(), strict=True)
        return np.array([float(f"{number:.{n}g}") for number, n in pairs], dtype=np.float64)
    size = np.abs(numbers)
    places = digits - 1 - np.floor(np.log10(np.where(size > 0, size, 1)))
    exact = (places >= 0) & (places <= _EXACT_POWERS)
    power = 10.0 ** np.where(exact, places, 0)
    scaled = size * power
    whole = np.floor(scaled)
    beyond, error = scaled - whole - 0.5, _rounding_error(size, power, scaled)
    up = (beyond > 0) | ((beyond == 0) & ((error > 0) | ((error == 0) & (whole % 2 == 1))))
    return np.where(exact & (scaled < _SMALL_WHOLE), np.copysign((whole + up) / power, numbers), np.nan)


def _rounding_error(a: NDArray[np.float64], b: NDArray[np.float64], product: NDArray[np.float64]) -> Any:
    """What a product of floats lacks, exactly: halves of 26 bits have products that are exact."""
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _halves(a: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    turned = a * (2.0**27 + 1)
    high = turned - (turned - a)
    return high, a - high


def _fewest_digits(
    lows: NDArray[np.float64], highs: NDArray[np.float64], middles: NDArray[np.float64]
) -> NDArray[np.intp]:
    """With fewer digits than these no number near the middle lies between; rounding errors are allowed for."""
    size = np.abs(middles)
    slack = 1e-9 * size
    exponent = np.floor(np.log10(np.where(size > 0, size, 1)))
    digits = np.ones(len(middles), dtype=np.intp)
    for more in range(2, _MOST_DIGITS + 1):
        step = 10.0 ** (exponent - digits + 1)
        near = np.rint(middles / step) * step
        fails = ((near < lows - slack) | (near > highs + slack)) & (digits == more - 1)
        if not fails.any():
            break
        digits[fails] = more
    return digits


def _shortest(low: float, high: float, middle: float, digits: int) -> float:
    """The middle with so many digits, or as many more as it takes."""
    if low <= middle < high:
        for enough in range(digits, _MOST_DIGITS + 1):
            candidate = float(f"{middle:.{enough}g}")
            if low <= candidate < high:
                return candidate
    return low
