"""Dates as people write them: which of the common ways a column follows, decided by all of its words."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._compat import need
from paclearn.tables.dialect import ColumnFormat

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paclearn.tables.text_values import Words

__all__ = ["DAYS_AS_NUMBERS", "days_of_numbers", "decide_dates", "times_of"]

DAYS_AS_NUMBERS = "%Y%m%d"
_FIRST_DAY, _LAST_DAY, _FEWEST_DAYS = 1900_01_01, 2099_12_31, 3

_NAME = r"[^\W\d_]{3,10}\.?"
_YEAR = r"(?:19|20)\d\d"
_QUARTER, _WEEK = "%Y-Q%q", "%G-W%V"  # which strptime does not know
_WEEKDAY, _WEEKDAY_FIRST = r"^\pL{2,10}\.?,?\s+", "%a, "
_OR, _MOST_WAYS = "|", 3  # between patterns of which each row follows one
_DAYS: tuple[tuple[str, tuple[str, ...]], ...] = (
    *(
        (rf"\d{{1,2}}{re.escape(s)}\d{{1,2}}{re.escape(s)}\d{{{n}}}", (f"%d{s}%m{s}{y}", f"%m{s}%d{s}{y}"))
        for s in "/.-"
        for n, y in ((4, "%Y"), (2, "%y"))
    ),
    *((rf"\d{{4}}{re.escape(s)}\d{{1,2}}{re.escape(s)}\d{{1,2}}", (f"%Y{s}%m{s}%d",)) for s in "/.-"),
    *((rf"\d{{1,2}}{s}{_NAME}{s}\d{{{n}}}", (f"%d{s}%b{s}{y}",)) for s in " -/" for n, y in ((4, "%Y"), (2, "%y"))),
    (rf"\d{{1,2}}\. {_NAME} \d{{4}}", ("%d. %b %Y",)),
    (rf"\d{{1,2}} {_NAME}, \d{{4}}", ("%d %b, %Y",)),
    (rf"{_NAME} \d{{1,2}}, \d{{4}}", ("%b %d, %Y",)),
    (rf"{_NAME} \d{{1,2}} \d{{4}}", ("%b %d %Y",)),
)
_MONTHS: tuple[tuple[str, tuple[str, ...]], ...] = (
    *((rf"{_YEAR}{s}\d{{1,2}}", (f"%Y{s}%m",)) for s in "-/"),
    *((rf"\d{{1,2}}{s}{_YEAR}", (f"%m{s}%Y",)) for s in "-/"),
    *((rf"{_NAME}{s}{_YEAR}", (f"%b{s}%Y",)) for s in " -/"),
    (rf"{_NAME}-\d\d", ("%b-%y",)),
    (rf"(?i:{_YEAR}[ -]?[QT][1-4]|[QT][1-4][ /-]?{_YEAR})", (_QUARTER,)),
    (rf"(?i:{_YEAR}-?[WS]\d\d)", (_WEEK,)),
)
_NAMES = {  # how the names of months begin in English, German, French, Spanish, Italian, Dutch and Swedish
    "Jan": "jan|ene|gen", "Feb": "feb|fév|fev", "Mar": "mar|mär|mrz|maa|mrt", "Apr": "apr|avr|abr",
    "May": "may|mai|maj|mag|mei", "Jun": "jun|juin|giu", "Jul": "jul|juil|lug", "Aug": "aug|aoû|aou|ago",
    "Sep": "sep|set", "Oct": "oct|okt|ott|out", "Nov": "nov", "Dec": "dec|déc|dez|dic",
}  # fmt: skip
_MONTH = re.compile(
    rf"(?i)(?<![^\W\d_])(?:{'|'.join(f'(?P<{month}>{ways})' for month, ways in _NAMES.items())})[^\W\d_]*\.?"
)
_SECONDS = (("", ""), (r":\d\d", ":%S"))
_BEFORE_CLOCK = (" ", "T", ", ", " at ", " um ", " - ")
_TIMES = (
    ("", ""),
    *((rf"{s}\d{{1,2}}:\d\d{clock}", f"{s}%H:%M{pattern}") for s in _BEFORE_CLOCK for clock, pattern in _SECONDS),
    *(
        (rf"{s}\d{{1,2}}:\d\d{clock} ?[AaPp][Mm]", f"{s}%I:%M{pattern} %p")
        for s in _BEFORE_CLOCK
        for clock, pattern in _SECONDS
    ),
)
_MORE = "%Z"  # behind a pattern: what stands behind the clock is left aside
_ZONE = r"(?:Z|UTC|MSK|Uhr|[A-Z]{1,3}T)?(?:[+-]\d{1,2}(?::?\d\d)?)?(?:\s?\([^()]+\))?"
_BEHIND = (
    (r"[\x{a0}\x{202f}]", " "),
    (r"(:\d\d ?[AaPp])\. ?([Mm])\.", r"\1\2"),
    (rf"(:\d\d)(?:[.,]\d{{1,9}})?( ?[AaPp][Mm])?\s?{_ZONE}$", r"\1\2"),
)


def decide_dates(name: str, words: Words, day_first: bool | None) -> ColumnFormat | None:
    """How the dates of a column are written; None where they are no dates."""
    found = _in_one_way(name, words, day_first) or _before_zones(name, words, day_first)
    return found or _after_weekdays(name, words, day_first) or _in_several_ways(name, words, day_first)


def _in_one_way(name: str, words: Words, day_first: bool | None) -> ColumnFormat | None:
    for patterns in _ways(words):
        fitting = ((pattern, _fits(words.plain, pattern)) for pattern in patterns)
        found = [(pattern, words.but(fits, slips=True)) for pattern, fits in fitting if fits.any()]
        whole = [(pattern, odd) for pattern, odd in found if odd is not None]
        fewest = min((len(odd) for _, odd in whole), default=0)
        fine = [(pattern, odd) for pattern, odd in whole if len(odd) == fewest]
        if fine:
            pattern, odd = fine[0] if len(fine) == 1 else _first_of(fine, day_first)
            unsure = len(fine) > 1 and day_first is None
            like = next(word for word in words.plain.to_pylist() if word not in odd)
            return ColumnFormat(name, "date", pattern, odd=odd, like=like, unsure=unsure)
    return None


def _before_zones(name: str, words: Words, day_first: bool | None) -> ColumnFormat | None:
    """``2024-05-06T07:08:09.123Z``, ``5/6/2024, 7:08 PM GMT+2``: by what there is up to the clock."""
    clocks = _up_to_clock(words.plain)
    found = None if clocks.equals(words.plain) else _in_one_way(name, replace(words, plain=clocks), day_first)
    if found is None:
        return None
    told = zip(words.plain.to_pylist(), clocks.to_pylist(), strict=True)
    return replace(
        found, pattern=found.pattern + _MORE, like=next(word for word, short in told if short not in found.odd)
    )


def _after_weekdays(name: str, words: Words, day_first: bool | None) -> ColumnFormat | None:
    """``Mon, 06 May 2024``: by what follows the first word, in all rows."""
    if not need("pyarrow.compute", "io", "reading tables").all(_has_weekday(words.plain)).as_py():
        return None
    days = replace(words, plain=_without_weekday(words.plain))
    found = _in_one_way(name, days, day_first) or _before_zones(name, days, day_first)
    if found is None or found.odd:
        return None
    return replace(found, pattern=_WEEKDAY_FIRST + found.pattern, like=words.plain[0].as_py())


def _in_several_ways(name: str, words: Words, day_first: bool | None) -> ColumnFormat | None:
    """Some rows in one way and some in another, of which none puts days first if another does not."""
    tried = {order: _covering(words, days_first=order) for order in (True, False)}
    rows = {order: int(words.rows[fits].sum()) for order, (_, fits) in tried.items()}
    unsure = rows[True] == rows[False] and tried[True][0] != tried[False][0]
    guess = day_first if day_first is not None else not any("/" in pattern for pattern in tried[True][0])
    patterns, fits = tried[guess if unsure else rows[True] >= rows[False]]
    odd = words.but(fits) if len(patterns) > 1 else None
    if odd is None:
        return None
    like = next(word for word in words.plain.to_pylist() if word not in odd)
    return ColumnFormat(name, "date", _OR.join(patterns), odd=odd, like=like, unsure=unsure and day_first is None)


def _covering(words: Words, *, days_first: bool) -> tuple[list[str], Any]:
    """Patterns, each for the most frequent word that no other fits, and the words that some pattern fits."""
    patterns: list[str] = []
    left = np.ones(len(words.rows), dtype=bool)
    while left.any() and len(patterns) < _MOST_WAYS:
        part = replace(words, plain=words.plain.filter(_mask(left)), rows=words.rows[left])
        ways = next(_ways(part), None)
        if ways is None:
            break
        pattern = ways[0] if days_first else ways[-1]
        fits = _fits(words.plain, pattern) & left
        if not fits.any():
            break
        patterns.append(pattern)
        left &= ~fits
    return patterns, ~left


def _mask(rows: Any) -> Any:
    return need("pyarrow", "io", "reading tables").array(rows)


def _has_weekday(words: Any) -> Any:
    return need("pyarrow.compute", "io", "reading tables").match_substring_regex(words, _WEEKDAY)


def _without_weekday(words: Any) -> Any:
    return need("pyarrow.compute", "io", "reading tables").replace_substring_regex(words, _WEEKDAY, "")


def days_of_numbers(name: str, column: Any) -> ColumnFormat | None:
    """Whole numbers that are all days, such as 20250131; None for other columns."""
    arrow, compute = need("pyarrow", "io", "reading tables"), need("pyarrow.compute", "io", "reading tables")
    if not arrow.types.is_integer(column.type):
        return None
    low, high = compute.min_max(column).as_py().values()
    if low is None or low < _FIRST_DAY or high > _LAST_DAY:
        return None
    words = column.unique().drop_null().cast(arrow.string())
    if len(words) < _FEWEST_DAYS or not _fits(words, DAYS_AS_NUMBERS).all():
        return None
    return ColumnFormat(name, "date", DAYS_AS_NUMBERS, like=words[0].as_py())


def _up_to_clock(words: Any) -> Any:
    """Without fractions of seconds, time zones and the like, and with blanks that are none but blanks."""
    for what, instead in _BEHIND:
        words = need("pyarrow.compute", "io", "reading tables").replace_substring_regex(words, what, instead)
    return words


def _ways(words: Words) -> Iterator[tuple[str, ...]]:
    """Patterns that have the shape of the most frequent word that has a digit: a dash for a gap may have more rows."""
    digits = need("pyarrow.compute", "io", "reading tables").match_substring_regex(words.plain, r"\d")
    word = words.plain[int(np.argmax(words.rows * digits.to_numpy(zero_copy_only=False)))].as_py()
    for shape, patterns in _DAYS:
        for clock, ending in _TIMES:
            if re.fullmatch(shape + clock, word):
                yield tuple(pattern + ending for pattern in patterns)
    yield from (patterns for shape, patterns in _MONTHS if re.fullmatch(shape, word))


def _fits(words: Any, pattern: str) -> Any:
    return (
        need("pyarrow.compute", "io", "reading tables")
        .is_valid(times_of(words, pattern))
        .to_numpy(zero_copy_only=False)
    )


def times_of(words: Any, pattern: str) -> Any:
    """Times by a pattern, null where a word does not follow it: a year of two digits is none of four."""
    if _OR in pattern:
        ways = (times_of(words, each) for each in pattern.split(_OR))
        return need("pyarrow.compute", "io", "reading tables").coalesce(*ways)
    if pattern.startswith(_WEEKDAY_FIRST):
        return times_of(_without_weekday(words), pattern.removeprefix(_WEEKDAY_FIRST))
    if pattern.endswith(_MORE):
        return times_of(_up_to_clock(words), pattern.removesuffix(_MORE))
    if "%b" in pattern or pattern in {_QUARTER, _WEEK}:
        different = need("pyarrow.compute", "io", "reading tables").dictionary_encode(words)
        whole = different.combine_chunks() if hasattr(different, "combine_chunks") else different
        return _times_of_words(whole.dictionary, pattern).take(whole.indices)
    return _times(words, pattern)


def _times_of_words(words: Any, pattern: str) -> Any:
    """Of words that are all different, which may have to be looked at one by one."""
    if "%b" in pattern:
        return _times(_in_english(words), pattern)
    arrow, read = need("pyarrow", "io", "reading tables"), _quarter if pattern == _QUARTER else _week
    return arrow.array([None if word is None else read(word) for word in words.to_pylist()], arrow.timestamp("s"))


def _times(words: Any, pattern: str) -> Any:
    compute = need("pyarrow.compute", "io", "reading tables")
    times = compute.strptime(words, format=pattern, unit="s", error_is_null=True)
    if "%Y" not in pattern or pattern == DAYS_AS_NUMBERS:
        return times
    year = r"\d{4}" if "%d" in pattern else _YEAR
    return compute.if_else(compute.match_substring_regex(words, rf"(?:^|\D){year}(?:\D|$)"), times, None)


def _in_english(words: Any) -> Any:
    """Names of months as strptime has them: the first three letters in English."""
    found = [None if word is None else _MONTH.sub(_english, word) for word in words.to_pylist()]
    return need("pyarrow", "io", "reading tables").array(found, words.type)


def _english(month: re.Match[str]) -> str:
    return str(month.lastgroup)


def _quarter(word: str) -> dt.datetime | None:
    """The first day of a quarter; the French and others call it T."""
    year, number = re.search(_YEAR, word), re.search(r"(?i)[QT]([1-4])", word)
    return None if year is None or number is None else dt.datetime(int(year[0]), 3 * int(number[1]) - 2, 1)  # noqa: DTZ001


def _week(word: str) -> dt.datetime | None:
    """The Monday of a week, as ISO 8601 counts them."""
    found = re.fullmatch(rf"(?i)({_YEAR})-?[WS](\d\d)", word)
    try:
        return None if found is None else dt.datetime.fromisocalendar(int(found[1]), int(found[2]), 1)
    except ValueError:
        return None


def _first_of(fine: list[tuple[str, tuple[str, ...]]], day_first: bool | None) -> tuple[str, tuple[str, ...]]:
    """Of two ways that both fit, what is said; else points mean day first, as in Europe; else month first."""
    if day_first is None:
        day_first = "/" not in fine[0][0]
    return next((way for way in fine if way[0].startswith("%d") == day_first), fine[0])
