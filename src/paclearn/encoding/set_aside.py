"""Columns that only tell rows apart: ids and keys, and free text. To learn them is to learn rows by heart."""

from __future__ import annotations

import re
from heapq import nsmallest
from typing import TYPE_CHECKING

import numpy as np

from paclearn.tables.dates import Dates
from paclearn.tables.raw import Labels, Numbers, SmallIntegers, format_number, read_any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.tables.raw import RawColumn
    from paclearn.tables.table import Table

__all__ = ["columns_set_aside", "why_set_aside"]

_FEWEST_ROWS = 30  # in fewer, most columns have a value for nearly every row
_FEWEST_TO_COUNT = 100
_NEARLY_EVERY = 0.95
_HALF, _WORDS_OF_TEXT, _LOOKED_AT = 0.5, 3.0, 1000
_DENSE, _DENSE_IN_ORDER = 1.6, 2.6  # numbers from first to last, for each that occurs: of all rows, and of some of them
_KEY_NAME = re.compile(
    r"(?:^|[\W_])(?i:id|ids|key|nr|no|num|number|uuid|guid|index|rowid|pk)$|[a-z](?:Id|ID|Key|Nr|No)$"
)
_DAY = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}")
_ORDER_NAME = re.compile(
    r"(?i)time|date|day|week|month|quarter|year|hour|minute|second|age|rank|score|position|order|level|step|epoch|^t$"
)


def why_set_aside(raw: RawColumn | Dates, name: str | None) -> str | None:
    """Why a column is no column to learn from, or None where it is. Numbers without a name are taken as they are."""
    if isinstance(raw, Labels):
        return _of_words(raw)
    return None if name is None or isinstance(raw, Dates) else _of_numbers(raw, name)


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


def _of_words(raw: Labels) -> str | None:
    counts = np.bincount(raw.codes[raw.codes >= 0], minlength=len(raw.labels))
    present, distinct = int(counts.sum()), int((counts > 0).sum())
    if present < _FEWEST_ROWS or distinct <= _HALF * present:
        return None
    some = nsmallest(_LOOKED_AT, (raw.labels[i] for i in np.flatnonzero(counts)))  # whatever order the rows are in
    days = [word for word in some if _DAY.match(word)]
    if 2 * len(days) > len(some):
        return f"dates as text ({days[0]!r}): make it a column of dates"
    share = f"{distinct:,} different ones in {present:,} rows"
    if np.mean([len(word.split()) for word in some]) >= _WORDS_OF_TEXT:
        return f"free text: {share}"
    return f"an id or key: {share}" if distinct >= _NEARLY_EVERY * present else None


# ---- numbers ---------------------------------------------------------------------------------------------------------


def _of_numbers(raw: Numbers | SmallIntegers, name: str) -> str | None:
    """Whole numbers, one for every row, that are called a key or count the rows; a measurement is neither."""
    values = raw.values[~np.isnan(raw.values)]
    if len(values) < _FEWEST_ROWS or values.min() == values.max() or (values != np.floor(values)).any():
        return None
    is_key = _KEY_NAME.search(name) is not None
    if not is_key and (_ORDER_NAME.search(name) or not _counts_rows(values)):
        return None
    distinct = len(np.unique(values))
    if distinct < _NEARLY_EVERY * len(values):
        return None
    return f"an id or key: {distinct:,} different whole numbers in {len(values):,} rows"


def _counts_rows(values: NDArray[np.float64]) -> bool:
    if len(values) < _FEWEST_TO_COUNT:
        return False
    span = float(np.ptp(values)) + 1
    in_order = bool((np.diff(values) > 0).all())
    return span <= (_DENSE_IN_ORDER if in_order else _DENSE) * len(values)
