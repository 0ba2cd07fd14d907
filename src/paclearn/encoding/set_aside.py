"""Columns that only tell rows apart: ids and keys, and free text. To learn them is to learn rows by heart."""

from __future__ import annotations

import re
from heapq import nsmallest
from typing import TYPE_CHECKING

import numpy as np

from paclearn.encoding.summaries import MOST_NUMBERS, MOST_WORDS, DateSummary, NumberSummary
from paclearn.tables.dates import Dates
from paclearn.tables.raw import Labels, Numbers, SmallIntegers, format_number, read_any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from paclearn.encoding.summaries import Summary
    from paclearn.tables.raw import RawColumn
    from paclearn.tables.table import Table

__all__ = ["columns_set_aside", "why_set_aside", "why_summary_set_aside"]

_FEWEST_ROWS = 30  # in fewer, most columns have a value for nearly every row
_FEWEST_TO_COUNT = 100
_NEARLY_EVERY = 0.95
_HALF, _WORDS_OF_TEXT, _LOOKED_AT = 0.5, 3.0, 1000
_DENSE, _DENSE_IN_ORDER = 1.6, 2.6  # numbers from first to last, for each that occurs: of all rows, and of some of them
_KEY_NAME = re.compile(
    r"(?:^|[\W_])(?i:id|ids|key|nr|no|num|number|uuid|guid|index|rowid|pk)$|[a-z](?:Id|ID|Key|Nr|No)$"
)
_DAY = re.compile(r"(?:19|20)\d\d-[01]\d-[0-3]\d|[0-3]?\d([./])[0-3]?\d\1(?:\d\d|\d{4})(?![\d./])")
_ORDER_NAME = re.compile(
    r"(?i)time|date|day|week|month|quarter|year|hour|minute|second|age|rank|score|position|order|level|step|epoch|^t$"
)


def why_set_aside(raw: RawColumn | Dates, name: str | None) -> str | None:
    """Why a column is no column to learn from, or None where it is. Numbers without a name are taken as they are."""
    if isinstance(raw, Labels):
        counts = np.bincount(raw.codes[raw.codes >= 0], minlength=len(raw.labels))
        words = (raw.labels[i] for i in np.flatnonzero(counts))
        most = MOST_NUMBERS if raw.exact else MOST_WORDS
        return _of_words(words, int(counts.sum()), int((counts > 0).sum()), most)
    return None if name is None or isinstance(raw, Dates) else _of_numbers(raw, name)


def why_summary_set_aside(found: Summary, name: str | None) -> str | None:
    """The same of a column that was looked at in blocks."""
    if isinstance(found, NumberSummary):
        is_key = name is not None and found.n_present > 0 and _may_be_key(found, found.n_present, name)
        return _of_distinct(found) if is_key else None
    if isinstance(found, DateSummary):
        return None
    most = MOST_NUMBERS if found.exact else MOST_WORDS
    if found.counts is None:
        return _too_many_words(most)
    return _of_words(iter(found.counts), found.n_rows - found.n_missing, len(found.counts), most)


def columns_set_aside(table: Table) -> list[tuple[str, str]]:
    """All of a table, and those that never vary, each with the reason."""
    found = ((name, _why(read_any(table, i), name)) for i, name in enumerate(table.names))
    return [(name, why) for name, why in found if why is not None]


def _why(raw: RawColumn | Dates, name: str) -> str | None:
    if raw.missing.all():
        return "every value is missing"
    if raw.missing.any():
        return why_set_aside(raw, name)
    values = raw.codes if isinstance(raw, Labels) else raw.values
    if (values == values[0]).all():
        return f"constant ({_text(raw)})"
    return why_set_aside(raw, name)


def _text(raw: RawColumn | Dates) -> str:
    if isinstance(raw, Labels):
        return raw.labels[raw.codes[0]]
    return str(raw.values[0]) if isinstance(raw, Dates) else format_number(raw.values[0])


# ---- words -----------------------------------------------------------------------------------------------------------


def _of_words(words: Iterator[str], present: int, distinct: int, most: int) -> str | None:
    if distinct > most:
        return _too_many_words(most)
    if present < _FEWEST_ROWS or distinct <= _HALF * present:
        return None
    some = nsmallest(_LOOKED_AT, words)  # whatever order the rows are in
    days = [word for word in some if _DAY.match(word)]
    if 2 * len(days) > len(some):
        return f"dates as text ({days[0]!r}): make it a column of dates"
    share = f"{distinct:,} different ones in {present:,} rows"
    if np.mean([len(re.findall(r"\S*[^\W\d_]\S*", word)) for word in some]) >= _WORDS_OF_TEXT:
        return f"free text: {share}"
    return f"an id or key: {share}" if distinct >= _NEARLY_EVERY * present else None


def _too_many_words(most: int) -> str:
    return f"an id, a key or free text: more than {most:,} different ones"


# ---- numbers ---------------------------------------------------------------------------------------------------------


def _of_numbers(raw: Numbers | SmallIntegers, name: str) -> str | None:
    """Whole numbers, one for every row, that are called a key or count the rows; a measurement is neither."""
    if isinstance(raw, SmallIntegers):
        if len(raw.span) < _NEARLY_EVERY * len(raw):  # too few for every row to have its own
            return None
    elif (raw.values[:_LOOKED_AT] > np.floor(raw.values[:_LOOKED_AT])).any():
        return None
    values = raw.values[~np.isnan(raw.values)]
    if len(values) == 0 or not _may_be_key(_Span(values), len(values), name):
        return None
    return _of_distinct(NumberSummary.of(Numbers(values)))


class _Span:
    """What is known of numbers without sorting them."""

    def __init__(self, values: NDArray[np.float64]) -> None:
        self.low, self.high = float(values.min()), float(values.max())
        self.whole = bool((values == np.floor(values)).all())
        self.rising = self.whole and bool((values[1:] > values[:-1]).all())


def _may_be_key(found: _Span | NumberSummary, n_present: int, name: str) -> bool:
    if n_present < _FEWEST_ROWS or found.low == found.high or not found.whole:
        return False
    if _KEY_NAME.search(name) is not None:
        return True
    is_dense = found.high - found.low + 1 <= (_DENSE_IN_ORDER if found.rising else _DENSE) * n_present
    return n_present >= _FEWEST_TO_COUNT and is_dense and not _ORDER_NAME.search(name)


def _of_distinct(found: NumberSummary) -> str | None:
    """By the numbers that were counted, which are all of them where they are not too many."""
    n_present = found.n_present
    if len(found.values) < _NEARLY_EVERY * int(found.counts.sum()):
        return None
    if found.level:
        return f"an id or key: nearly as many different whole numbers as rows ({n_present:,})"
    return f"an id or key: {len(found.values):,} different whole numbers in {n_present:,} rows"
