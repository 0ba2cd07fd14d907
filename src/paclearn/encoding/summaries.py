"""What a column says in a block of rows, so that blocks add up to what it says in all of them.

Words are counted, each for itself, up to a number that is named: a column of more is no column of levels. Numbers are
counted for themselves as long as they are few; of more, those whose hash ends in so many noughts that few enough are
left (adaptive sampling; Wegman, see Flajolet 1990). Which ones these are depends on nothing but the numbers, so blocks
may come in any order and in any number.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from paclearn.tables.dates import Dates
from paclearn.tables.raw import Labels, SmallIntegers, label_text
from paclearn.tables.repeats import mixed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.tables.raw import Numbers, RawColumn

__all__ = [
    "MOST_NUMBERS",
    "MOST_WORDS",
    "DateSummary",
    "NumberSummary",
    "Summary",
    "WordSummary",
    "merged",
    "summary_of",
]

MOST_WORDS = 2**17  # that are counted each for itself
MOST_NUMBERS = 2**16


@dataclass(frozen=True, eq=False)
class WordSummary:
    """How often each word occurs; None where there are more than are counted. ``exact`` words are long numbers.

    ``weights`` say what their rows weigh, the words in order, once all rows are known.
    """

    counts: dict[str, int] | None
    n_missing: int
    n_rows: int
    exact: bool = False
    weights: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, raw: Labels) -> WordSummary:
        n_missing, *counts = np.bincount(raw.codes + 1, minlength=len(raw.labels) + 1).tolist()
        found = {label: count for label, count in zip(raw.labels, counts, strict=True) if count}
        return cls(_few(found, exact=raw.exact), n_missing, len(raw), raw.exact)

    def plus(self, other: WordSummary) -> WordSummary:
        """Of the rows of both."""
        together = None
        if self.counts is not None and other.counts is not None:
            together = dict(self.counts)
            for word, count in other.counts.items():
                together[word] = together.get(word, 0) + count
            together = _few(together, exact=self.exact or other.exact)
        n_missing, n_rows = self.n_missing + other.n_missing, self.n_rows + other.n_rows
        return WordSummary(together, n_missing, n_rows, self.exact or other.exact)


def _few(counts: dict[str, int], *, exact: bool) -> dict[str, int] | None:
    return counts if len(counts) <= (MOST_NUMBERS if exact else MOST_WORDS) else None


@dataclass(frozen=True, eq=False)
class NumberSummary:
    """How often each number occurs whose hash ends in ``level`` noughts, and what is known of all of them.

    ``whole`` says that there are no fractions, ``rising`` that every number is larger than the one before; ``weights``
    are what the rows of each weigh, once all rows are known.
    """

    values: NDArray[np.float64]
    counts: NDArray[np.int64]
    level: int
    n_missing: int
    n_rows: int
    low: float
    high: float
    whole: bool
    rising: bool
    first: float
    last: float
    few: bool = False
    weights: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, raw: Numbers | SmallIntegers, level: int = 0) -> NumberSummary:
        if isinstance(raw, SmallIntegers):
            return cls._of_integers(raw).at_level(level)
        present = raw.values[~np.isnan(raw.values)] + 0.0  # there is one nought
        values, counts = np.unique(present[hashed_to(present, level)], return_counts=True)
        made = cls._made(values, counts, present, len(raw) - len(present), few=raw.few)
        return replace(made, level=level).within()

    @classmethod
    def _of_integers(cls, raw: SmallIntegers) -> NumberSummary:
        """What so few numbers say follows from how often each occurs; only few rows can be rising."""
        counts = raw.counts
        values = raw.span[: len(counts)][counts > 0]
        if len(raw) <= len(raw.span):
            return cls._made(values, counts[counts > 0], raw.values, 0, few=False)
        ends = values[0], values[-1], raw.span[raw.offsets[0]], raw.span[raw.offsets[-1]]
        low, high, first, last = map(float, ends)
        seen = counts[counts > 0].astype(np.int64)
        return cls(values, seen, 0, 0, len(raw), low, high, whole=True, rising=False, first=first, last=last)

    @classmethod
    def _made(
        cls, values: Any, counts: Any, present: NDArray[np.float64], n_missing: int, *, few: bool
    ) -> NumberSummary:
        ends = (present.min(), present.max(), present[0], present[-1]) if len(present) else (np.nan,) * 4
        whole = bool((present == np.floor(present)).all())
        rising = whole and bool((present[1:] > present[:-1]).all())
        low, high, first, last = map(float, ends)
        n_rows = len(present) + n_missing
        return cls(values, counts.astype(np.int64), 0, n_missing, n_rows, low, high, whole, rising, first, last, few)

    @property
    def n_present(self) -> int:
        return self.n_rows - self.n_missing

    def at_level(self, level: int) -> NumberSummary:
        """The numbers whose hash ends in so many noughts."""
        if level <= self.level:
            return self
        kept = hashed_to(self.values, level)
        return replace(self, values=self.values[kept], counts=self.counts[kept], level=level)

    def within(self) -> NumberSummary:
        """The same at the first level that has few enough numbers."""
        found = self
        while len(found.values) > MOST_NUMBERS:
            found = found.at_level(found.level + 1)
        return found

    def plus(self, other: NumberSummary) -> NumberSummary:
        """Of the rows of both, these first."""
        level = max(self.level, other.level)
        one, two = self.at_level(level), other.at_level(level)
        values, place = np.unique(np.concatenate([one.values, two.values]), return_inverse=True)
        counts = np.zeros(len(values), dtype=np.int64)
        np.add.at(counts, place, np.concatenate([one.counts, two.counts]))
        ends, rest = (self, other) if self.n_present else (other, self)
        rising = self.rising and other.rising and not (self.n_present and other.n_present and self.last >= other.first)
        return NumberSummary(
            values, counts, level, self.n_missing + other.n_missing, self.n_rows + other.n_rows,
            float(np.fmin(self.low, other.low)), float(np.fmax(self.high, other.high)), self.whole and other.whole,
            rising, ends.first, rest.last if rest.n_present else ends.last, self.few,
        ).within()  # fmt: skip

    def words(self) -> WordSummary:
        """As words: among whole numbers too long for floats all of them are."""
        counts = {label_text(v): c for v, c in zip(self.values.tolist(), self.counts.tolist(), strict=True)}
        return WordSummary(None if self.level else counts, self.n_missing, self.n_rows, exact=self.n_present > 0)


def hashed_to(values: NDArray[np.float64], level: int) -> NDArray[np.bool_]:
    """Whether the hash of a number ends in so many noughts."""
    if level == 0:
        return np.ones(len(values), dtype=bool)
    return np.asarray(mixed(values.view(np.uint64)) & np.uint64(2**level - 1) == 0)


@dataclass(frozen=True, eq=False)
class DateSummary:
    """The first and the last moment, whether any is within a day, and whether any is not the first of a month."""

    first: np.datetime64
    last: np.datetime64
    has_clock: bool
    has_days: bool
    n_missing: int
    n_rows: int

    @classmethod
    def of(cls, raw: Dates) -> DateSummary:
        present = raw.values[~raw.missing]
        never = np.datetime64("NaT", "s")
        first, last = (present.min(), present.max()) if len(present) else (never, never)
        has_clock = bool((present != present.astype("datetime64[D]")).any())
        has_days = bool((present.astype("datetime64[D]") != present.astype("datetime64[M]")).any())
        return cls(first, last, has_clock, has_days, len(raw) - len(present), len(raw))

    def plus(self, other: DateSummary) -> DateSummary:
        """Of the rows of both."""
        return DateSummary(
            np.fmin(self.first, other.first), np.fmax(self.last, other.last), self.has_clock or other.has_clock,
            self.has_days or other.has_days, self.n_missing + other.n_missing, self.n_rows + other.n_rows,
        )  # fmt: skip


Summary: TypeAlias = WordSummary | NumberSummary | DateSummary


def summary_of(raw: RawColumn | Dates, level: int = 0) -> Summary:
    """Of a column in a block of rows; of numbers, at this level at the least."""
    if isinstance(raw, Labels):
        return WordSummary.of(raw)
    return DateSummary.of(raw) if isinstance(raw, Dates) else NumberSummary.of(raw, level)


def merged(one: Summary, other: Summary) -> Summary:
    """Of a column in two blocks of rows, the first before the second."""
    if isinstance(one, WordSummary) and isinstance(other, NumberSummary):
        other = other.words()
    elif isinstance(one, NumberSummary) and isinstance(other, WordSummary):
        one = one.words()
    return one.plus(other)  # type: ignore[arg-type]
