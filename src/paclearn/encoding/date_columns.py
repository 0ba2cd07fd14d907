"""What a column of dates has to say: its year, month, weekday, hour and day, and the days from one date to another.

Each is a column like any other, a number or a category, that knows where it comes from.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from paclearn._text import without_repeats
from paclearn.encoding.summaries import DateSummary
from paclearn.exceptions import ColumnError
from paclearn.tables.dates import Dates
from paclearn.tables.raw import Labels, Numbers, RawColumn, read_any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.tables.table import Table

__all__ = [
    "PARTS",
    "SECONDS_A_DAY",
    "WEEKDAYS",
    "DateColumn",
    "DatePart",
    "is_forward",
    "n_columns_of",
    "pairs_of",
    "parts_alone",
    "parts_of",
    "parts_of_table",
    "read_dates",
    "signs_of",
]

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
PARTS = ("year", "month", "weekday", "hour", "days since", "days between")
SECONDS_A_DAY = 86_400
_MOST_IN_PAIRS = 6  # columns of dates of which all pairs are looked at


@dataclass(frozen=True)
class DateColumn:
    """A column of dates of a table."""

    name: str
    position: int
    dates: Dates


@dataclass(frozen=True)
class DatePart:
    """Something that one or two columns of dates say.

    Parameters
    ----------
    part : str
        One of ``PARTS``.
    of : tuple of str
        The names of the columns of dates.
    features : tuple of int
        Their positions in the table of ``fit``.
    first : str, default=""
        The day that days are counted from, such as ``2021-03-14``.
    """

    part: str
    of: tuple[str, ...]
    features: tuple[int, ...]
    first: str = ""

    @property
    def name(self) -> str:
        """What a person calls it: days since the first date are that column itself, read as dates."""
        return self.of[0] if self.part == "days since" else self.own_name

    @property
    def own_name(self) -> str:
        """The same with what is counted, a name that no column of the table has."""
        if self.part == "days between":
            return f"days from {self.of[0]} to {self.of[1]}"
        return (
            f"days from {self.first} to {self.of[0]}" if self.part == "days since" else f"{self.part} of {self.of[0]}"
        )

    @property
    def is_date(self) -> bool:
        """Whether its numbers are dates, counted in days."""
        return self.part == "days since"

    def date_of(self, days: float, *, clock: bool) -> str:
        """So many days after the first, as a date; with the time of day where these dates have one."""
        moment = np.datetime64(self.first, "s") + np.timedelta64(round(days * SECONDS_A_DAY), "s")
        return str(moment.astype("datetime64[m]" if clock else "datetime64[D]")).replace("T", " ")

    def name_beside(self, taken: Iterable[str]) -> str:
        """Its name among others; the name of a column of dates is free, since what dates say stands in its place."""
        return self.name if self.is_date else without_repeats([self.name], taken)[0]

    def turned(self) -> DatePart:
        """The days from the second date to the first."""
        return DatePart(self.part, self.of[::-1], self.features[::-1], self.first)

    def read(self, table: Table) -> RawColumn:
        """Its value in every row of a table."""
        return self.values([read_dates(table, position) for position in self.features])

    def values(self, dates: Sequence[Dates]) -> RawColumn:
        """Its value in every row, from its columns of dates."""
        moments = dates[0].values
        if self.part == "days between":
            return Numbers(_days(dates[1].values - moments))
        if self.part == "days since":
            return Numbers(_days(moments - np.datetime64(self.first, "s")))
        if self.part == "weekday":
            return Labels(_weekdays(moments), WEEKDAYS)
        return Numbers(_calendar(self.part, moments), few=self.part == "month")


def _days(spans: NDArray[np.timedelta64]) -> NDArray[np.float64]:
    seconds = spans.astype("timedelta64[s]").astype(np.int64).astype(np.float64)
    return np.where(np.isnat(spans), np.nan, seconds / SECONDS_A_DAY)


def _weekdays(moments: NDArray[np.datetime64]) -> NDArray[np.int64]:
    """From Monday, 0, on; the first of January 1970 was a Thursday. Missing is -1."""
    days = moments.astype("datetime64[D]").astype(np.int64)
    return np.where(np.isnat(moments), -1, (days + 3) % 7)


def _calendar(part: str, moments: NDArray[np.datetime64]) -> NDArray[np.float64]:
    if part == "year":
        found = moments.astype("datetime64[Y]").astype(np.int64) + 1970
    elif part == "month":
        found = moments.astype("datetime64[M]").astype(np.int64) % 12 + 1
    else:
        found = moments.astype("datetime64[h]").astype(np.int64) % 24
    return np.where(np.isnat(moments), np.nan, found.astype(np.float64))


def read_dates(table: Table, position: int) -> Dates:
    """A column that held dates in fit: dates, their text as ISO 8601 has it, or nothing at all."""
    raw = read_any(table, position)
    if isinstance(raw, Dates):
        return raw
    if raw.missing.all():
        return Dates(np.full(len(raw), np.datetime64("NaT", "s")))
    name = table.names[position]
    if not isinstance(raw, Labels):
        raise ColumnError(f"column {name!r} held dates in fit and now holds numbers")
    return Dates(np.array([*(_moment(label, name) for label in raw.labels), "NaT"], dtype="datetime64[s]")[raw.codes])


def _moment(label: str, name: str) -> np.datetime64:
    try:
        return np.datetime64(label.strip().removesuffix("Z"), "s")
    except ValueError:
        raise ColumnError(f"column {name!r} held dates in fit and now holds text such as {label!r}") from None


# ---- what there is to say --------------------------------------------------------------------------------------------


def parts_of(columns: Sequence[DateColumn]) -> Iterator[tuple[DatePart, RawColumn]]:
    """Everything that some columns of dates say, with its values."""
    known = [(column.name, column.position, DateSummary.of(column.dates)) for column in columns]
    dates = {column.position: column.dates for column in columns}
    for part in parts_alone(known):
        yield part, part.values([dates[i] for i in part.features])
    for pair in pairs_of(known):
        gaps = pair.values([dates[i] for i in pair.features])
        yield (pair, gaps) if is_forward(*signs_of(gaps)) else (pair.turned(), Numbers(-gaps.values))  # type: ignore[union-attr]


def parts_alone(columns: Iterable[tuple[str, int, DateSummary]]) -> Iterator[DatePart]:
    """What each of some columns of dates says by itself."""
    for name, position, found in columns:
        of, features = (name,), (position,)
        yield DatePart("year", of, features)
        if found.n_missing == found.n_rows:
            continue
        finer = {"weekday": found.has_days or found.has_clock, "hour": found.has_clock}  # a month is no day of a week
        yield from (DatePart(part, of, features) for part in ("month", *(part for part in finer if finer[part])))
        yield DatePart("days since", of, features, str(found.first.astype("datetime64[D]")))


def pairs_of(columns: Iterable[tuple[str, int, DateSummary]]) -> Iterator[DatePart]:
    """Days from one date to another. Days to a date that never varies are days since a first one."""
    varying = [(name, position) for name, position, found in columns if found.first < found.last]
    for one, other in combinations(varying[:_MOST_IN_PAIRS], 2):
        yield DatePart("days between", (one[0], other[0]), (one[1], other[1]))


def signs_of(gaps: RawColumn) -> tuple[int, int]:
    """How many rows go back in time, and how many do not."""
    values = gaps.values  # type: ignore[union-attr]
    return int((values < 0).sum()), int((values >= 0).sum())


def is_forward(back: int, forth: int) -> bool:
    """Whether the second date comes after the first in most rows; otherwise they change places."""
    return back <= forth


def parts_of_table(table: Table) -> Iterator[tuple[str, RawColumn]]:
    """All columns of a table with their names; what dates say in the place of dates, at the end."""
    dates = []
    for position, name in enumerate(table.names):
        raw = read_any(table, position)
        if isinstance(raw, Dates):
            dates.append(DateColumn(name, position, raw))
        else:
            yield name, raw
    yield from ((part.name, raw) for part, raw in parts_of(dates))


def n_columns_of(table: Table) -> int:
    """How many columns there will be once dates are taken apart, at most."""
    n = sum(isinstance(read_any(table, i), Dates) for i in range(len(table.names)))
    return len(table.names) + 4 * n + comb(min(n, _MOST_IN_PAIRS), 2)
