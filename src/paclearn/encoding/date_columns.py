"""What a column of dates has to say: its year, month, weekday, hour and day, and the days from one date to another.

Each is a column like any other, a number or a category, that knows where it comes from.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from paclearn.exceptions import ColumnError
from paclearn.tables.dates import Dates
from paclearn.tables.raw import Labels, Numbers, RawColumn, read_any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.tables.table import Table

__all__ = [
    "PARTS",
    "SECONDS_A_DAY",
    "WEEKDAYS",
    "DateColumn",
    "DatePart",
    "n_columns_of",
    "parts_of",
    "parts_of_table",
    "read_dates",
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
        """What a person calls it."""
        if self.part == "days between":
            return f"days from {self.of[0]} to {self.of[1]}"
        return (
            f"days from {self.first} to {self.of[0]}" if self.part == "days since" else f"{self.part} of {self.of[0]}"
        )

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
    for column in columns:
        for part in _alone(column):
            yield part, part.values([column.dates])
    varying = [column for column in columns if _varies(column.dates)]
    for one, other in combinations(varying[:_MOST_IN_PAIRS], 2):
        early, late = (one, other) if _median_gap(one, other) >= 0 else (other, one)
        pair = DatePart("days between", (early.name, late.name), (early.position, late.position))
        yield pair, pair.values([early.dates, late.dates])


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


def _alone(column: DateColumn) -> Iterator[DatePart]:
    present = column.dates.values[~column.dates.missing]
    of, features = (column.name,), (column.position,)
    if len(present) == 0:
        yield DatePart("year", of, features)
        return
    first = str(present.min().astype("datetime64[D]"))
    has_clock = bool((present != present.astype("datetime64[D]")).any())
    for part in ("year", "month", "weekday", *(("hour",) if has_clock else ())):
        yield DatePart(part, of, features)
    yield DatePart("days since", of, features, first)


def _varies(dates: Dates) -> bool:
    """Days to a date that never varies are days since a first one."""
    present = dates.values[~dates.missing]
    return len(present) > 0 and bool((present != present[0]).any())


def _median_gap(one: DateColumn, other: DateColumn) -> float:
    gaps = _days(other.dates.values - one.dates.values)
    return float(np.median(gaps[~np.isnan(gaps)])) if not np.isnan(gaps).all() else 0.0
