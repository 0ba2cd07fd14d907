"""What dates say, in SQL that every database runs: dates are read as ISO text, and days are counted by hand.

Databases agree neither on functions for dates nor on how to divide whole numbers. They agree on text: DuckDB and
Postgres write dates and timestamps as ISO 8601 has it, and SQLite stores them so.
"""

from __future__ import annotations

from datetime import date
from itertools import accumulate
from typing import TYPE_CHECKING

from paclearn.encoding.date_columns import SECONDS_A_DAY, WEEKDAYS
from paclearn.views import sql_words as words
from paclearn.views.sql_tree import Node, Select

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paclearn.encoding.date_columns import DatePart
    from paclearn.models.model import Model

__all__ = ["with_dates"]

_MONTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30)  # days of all but the last
_FIELDS = {"year": (1, 4), "month": (6, 2), "day": (9, 2), "hour": (12, 2), "minute": (15, 2), "second": (18, 2)}


def with_dates(model: Model, origin: Node, keys: Sequence[str]) -> Node:
    """The origin with a column for all that the model asks of dates, under the names that the model has for it."""
    sources = {column.own_name: column.source for column in model.columns if column.source is not None}
    if not sources:
        return origin
    plain = [column.own_name for column in model.columns if column.source is None]
    passed = tuple(dict.fromkeys([*keys, *plain]))
    dates = list(dict.fromkeys(name for source in sources.values() for name in source.of))
    taken = [*passed, *sources, *dates]
    numbers = words.fresh("date", len(dates), taken)
    fields = {date: _Fields(number) for date, number in zip(dates, numbers, strict=True)}
    split = [made for date in dates for made in fields[date].made(date)]
    apart = Select.of(origin, passed, split)
    return Select.of(apart, passed, ((_expression(source, fields), name) for name, source in sources.items()))


class _Fields:
    """Year, month, day, hour, minute and second of a column of dates, each a column of a step of the query."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def __getitem__(self, field: str) -> str:
        return words.identifier(f"{self._prefix} {field}")

    def made(self, column: str) -> list[tuple[str, str]]:
        """Expressions and names; a date without a clock is at midnight, a month without a day its first."""
        text = words.as_text(column)
        text = f"({text} || SUBSTR('-01 00:00:00', LENGTH({text}) - 6))"
        return [
            (f"CAST(SUBSTR({text}, {start}, {length}) AS INTEGER)", f"{self._prefix} {field}")
            for field, (start, length) in _FIELDS.items()
        ]

    def day(self) -> str:
        """Days since the year 0, as Python's ``date.toordinal`` counts them."""
        year, month = self["year"], self["month"]
        before = f"({year} - 1)"
        leaps = f"{_whole(before, 4)} - {_whole(before, 100)} + {_whole(before, 400)}"
        cases = " ".join(f"WHEN {i} THEN {days}" for i, days in enumerate(accumulate(_MONTHS), 2))
        leap = f"{year} % 4 = 0 AND ({year} % 100 <> 0 OR {year} % 400 = 0)"
        return (
            f"(365 * {before} + {leaps} + CASE {month} {cases} ELSE 0 END"
            f" + CASE WHEN {month} > 2 AND {leap} THEN 1 ELSE 0 END + {self['day']})"
        )

    def clock(self) -> str:
        """Seconds since midnight."""
        return f"({self['hour']} * 3600 + {self['minute']} * 60 + {self['second']})"


def _whole(number: str, by: int) -> str:
    """A whole quotient: what is divided leaves no rest, so that it does not matter how."""
    return f"({number} - {number} % {by}) / {by}"


def _expression(source: DatePart, fields: dict[str, _Fields]) -> str:
    first = fields[source.of[0]]
    if source.part == "days between":
        late = fields[source.of[1]]
        return _days(f"{late.day()} - {first.day()}", f"{late.clock()} - {first.clock()}")
    if source.part == "days since":
        return _days(f"{first.day()} - {date.fromisoformat(source.first).toordinal()}", first.clock())
    if source.part == "weekday":
        cases = " ".join(f"WHEN {i} THEN {words.text(day)}" for i, day in enumerate(WEEKDAYS))
        return f"CASE CAST(({first.day()} + 6) % 7 AS INTEGER) {cases} END"
    return first[source.part]


def _days(days: str, seconds: str) -> str:
    """As the model has them: whole seconds, divided once."""
    return f"(({days}) * {SECONDS_A_DAY}e0 + ({seconds})) / {SECONDS_A_DAY}e0"
