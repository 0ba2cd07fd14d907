"""Times of the day and durations as people write them, as hours."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from paclearn._compat import need
from paclearn.tables.dialect import ColumnFormat

if TYPE_CHECKING:
    from paclearn.tables.text_values import Words

__all__ = ["decide_hours", "format_of_times", "hours_of"]

_NUMBER = r"\d+(?:[.,]\d+)?"
_DAYS = r"(?P<days>\d+)\s*days?,?\s+"
_CLOCK = r"(?P<hours>\d{1,3}):(?P<minutes>[0-5]\d)(?::(?P<seconds>[0-5]\d(?:\.\d+)?))?"
_UNITS = {
    "days": r"(?:d|days?|Tage?n?)",
    "hours": r"(?:h|hrs?|hours?|Std\.?|Stunden?)",
    "minutes": r"(?:m|mins?|minutes?|[Mm]in\.?|Minuten?)",
    "seconds": r"(?:s|secs?|seconds?|Sek\.?|Sekunden?)",
}
_WAYS = tuple(
    re.compile(way)
    for way in (
        rf"(?:{_DAYS})?{_CLOCK}",  # 36:15:00, 1 day, 2:03:04, 3 days 04:05:06
        r"(?P<hours>0?[1-9]|1[0-2]):(?P<minutes>[0-5]\d)(?::(?P<seconds>[0-5]\d))?\s?(?P<half>[AaPp])\.?[Mm]\.?",
        (
            rf"P(?=.)(?:(?P<days>{_NUMBER})D)?"  # ISO 8601
            rf"(?:T(?=.)(?:(?P<hours>{_NUMBER})H)?(?:(?P<minutes>{_NUMBER})M)?(?:(?P<seconds>{_NUMBER})S)?)?"
        ),
        r"(?=\d)" + r",?\s*".join(rf"(?:(?P<{unit}>{_NUMBER})\s*{way})?" for unit, way in _UNITS.items()),  # 1h 20m
    )
)
_SECONDS = {"days": 86400, "hours": 3600, "minutes": 60, "seconds": 1}


def decide_hours(name: str, words: Words) -> ColumnFormat | None:
    """Of words such as 1:30, 36:15:00 or 1h 20m, which may be times of the day or how long something took."""
    fits = need("pyarrow.compute", "io", "reading tables").is_valid(hours_of(words.plain))
    kept = fits.to_numpy(zero_copy_only=False)
    odd = words.but(kept) if kept.any() else None
    return None if odd is None else ColumnFormat(name, "clock", odd=odd, like=words.plain[int(kept.argmax())].as_py())


def format_of_times(name: str, column: Any) -> ColumnFormat:
    """Of a column that holds times of the day already."""
    present = column.drop_null()
    return ColumnFormat(name, "clock", like=present[0].as_py().isoformat("minutes") if len(present) else "")


def hours_of(words: Any) -> Any:
    """Hours of an Arrow column of words or of times of the day, null where a word is neither."""
    arrow, compute = need("pyarrow", "io", "reading tables"), need("pyarrow.compute", "io", "reading tables")
    if arrow.types.is_time(words.type):
        return compute.divide(words.cast(arrow.time32("s")).cast(arrow.int32()).cast(arrow.float64()), 3600.0)
    coded = words.dictionary_encode()
    coded = coded.combine_chunks() if hasattr(coded, "combine_chunks") else coded
    different = [None if word is None else _hours(word) for word in coded.dictionary.to_pylist()]
    return arrow.array(different, arrow.float64()).take(coded.indices)


def _hours(word: str) -> float | None:
    found = next((match for match in (way.fullmatch(word) for way in _WAYS) if match is not None), None)
    if found is None:
        return None
    parts = found.groupdict()
    half = parts.pop("half", None)
    if half is not None:  # twelve of the clock is where a half begins
        parts["hours"] = str(int(parts["hours"]) % 12 + 12 * (half in "Pp"))
    return sum(_SECONDS[unit] * float(n.replace(",", ".")) for unit, n in parts.items() if n is not None) / 3600
