"""What the words of a column are: numbers with all that people add to them, dates, codes, or words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from paclearn._compat import need
from paclearn.exceptions import ColumnError, InputError
from paclearn.tables.clock_words import decide_hours, format_of_times, hours_of
from paclearn.tables.date_words import DAYS_AS_NUMBERS, days_of_numbers, decide_dates, times_of
from paclearn.tables.dialect import ColumnFormat, says_nothing
from paclearn.tables.number_words import CURRENCY, GLUE, bare_numbers, unit_of, without_unit

if TYPE_CHECKING:
    from collections.abc import Collection

    from paclearn.tables.dialect import Dialect, FileOptions, Reading

__all__ = [
    "Hints",
    "Words",
    "decide",
    "decide_all",
    "decimal_of",
    "emptied",
    "has_commas",
    "is_code",
    "mended",
    "tidied",
    "tidy_levels",
    "tidy_text",
    "trimmed",
    "typed",
]

_EXPONENT = r"(?:[eE][+-]?\d+)?"


def _style(decimal: str, thousands: str) -> str:
    """Numbers with a decimal mark: with an exponent perhaps, or in groups of three digits, or as India has them."""
    groups = rf"\d{{1,3}}(?:(?:{thousands}|{GLUE})\d{{3}})+|\d{{1,2}}(?:{thousands}\d\d)+{thousands}\d{{3}}"
    return rf"^[+-]?(?:(?:\d+{decimal}?\d*|{decimal}\d+){_EXPONENT}|(?:{groups})(?:{decimal}\d*)?)$"


_STYLES = {".": _style(r"\.", ","), ",": _style(",", r"\.")}
_ZONE = r"\d\d:\d\d.*(?:Z|[+-]\d\d(?::?\d\d)?)$"  # after the time of the day
_VALUE = rf"^[-+(<>~−–]?\s*(?:{CURRENCY})?\s*\d"
_HEX = r"[-+]?0[xX][0-9a-fA-F]+"  # which is read as a whole number, and refused as a fraction
_CODE = rf"^\s*(?:0\d+|\d{{16,}}|{_HEX})\s*$"
_LOOKED_AT = 200_000  # rows, for blanks around words
_SOME = 2000  # words that must look like numbers or dates before all are tried
_FEWEST_FOR_ODD, _MOST_ODD, _ODD_SHARE, _SLIP_SHARE, _MARK_SHARE = 20, 3, 0.1, 0.03, 0.5


@dataclass(frozen=True)
class Hints:
    """What the rest of the file says: its decimal mark, and whether days come first where nothing else tells."""

    decimal: str = "."
    day_first: bool | None = None


@dataclass(frozen=True, eq=False)
class Words:
    """The different words of a column, without blanks around them, and how many rows have each."""

    plain: Any  # an Arrow array
    rows: Any  # a numpy array

    @classmethod
    def of(cls, column: Any) -> Words:
        """Of an Arrow column of text."""
        compute = _compute()
        counts = compute.value_counts(column.drop_null())
        values, rows = counts.field("values"), counts.field("counts")
        return cls(compute.utf8_trim_whitespace(values), rows.to_numpy(zero_copy_only=False))

    def but(self, fits: Any, *, slips: bool = False) -> tuple[str, ...] | None:
        """The words that do not fit, where they are few words of few rows; None where they are more.

        They have no digits but noughts, unless they are slips, of which there are fewer still. What says nothing, such
        as a dash, may stand in half of the rows.
        """
        odd = ~fits
        words = self.plain.filter(need("pyarrow", "io", "reading tables").array(odd)).to_pylist()
        share = self.rows[odd].sum() / self.rows.sum()
        if share <= _MARK_SHARE and all(map(says_nothing, words)):
            return tuple(sorted(words))
        plain = not any(c in "123456789" for word in words for c in word)
        few = len(words) <= _MOST_ODD and share <= (_ODD_SHARE if plain else _SLIP_SHARE)
        fine = few and self.rows.sum() >= _FEWEST_FOR_ODD and (plain or slips)
        return tuple(sorted(words)) if fine else None


def _compute() -> Any:
    return need("pyarrow.compute", "io", "reading tables")


def decide(name: str, column: Any, hints: Hints) -> ColumnFormat | None:
    """What a column of text holds, by all of its words; None for plain words."""
    some = Words.of(column.slice(0, _SOME))
    if len(some.rows) == 0:
        return None
    if _what(name, some, hints) is None:
        return _like_values(name, some, hints)
    code = is_code(column)
    return _what(name, Words.of(column), hints) if code is None else ColumnFormat(name, "text", like=code)


def _like_values(name: str, words: Words, hints: Hints) -> ColumnFormat | None:
    """Of words that begin like numbers, a new one in most rows, and are none: that they stay text is worth a word."""
    begin = _compute().match_substring_regex(words.plain, _VALUE).to_numpy(zero_copy_only=False)
    is_like = len(words.rows) >= _FEWEST_FOR_ODD and len(words.rows) > words.rows.sum() / 2
    if not is_like or begin.mean() < 1 - _ODD_SHARE:
        return None
    fits = _fits(bare_numbers(words.plain), hints.decimal)
    return ColumnFormat(name, "text", like=words.plain[int((~fits).argmax())].as_py())


def _what(name: str, words: Words, hints: Hints) -> ColumnFormat | None:
    """Numbers, hours or dates."""
    found = _numbers(name, words, hints) or decide_hours(name, words)
    return found if found is not None else decide_dates(name, words, hints.day_first)


# ---- numbers ---------------------------------------------------------------------------------------------------------


def _fits(bare: Any, style: str) -> Any:
    compute = _compute()
    return compute.match_substring_regex(bare, _STYLES[style]).to_numpy(zero_copy_only=False)


def _numbers(name: str, words: Words, hints: Hints) -> ColumnFormat | None:
    """A column of numbers, with its decimal mark: the file's where both would do."""
    unit = unit_of(words.plain)
    bare = bare_numbers(without_unit(words.plain, unit))
    order = (hints.decimal, "," if hints.decimal == "." else ".")
    for decimal in order:
        fits = _fits(bare, decimal)
        odd = words.but(fits) if fits.any() else None
        if odd is not None:
            found = words.plain.filter(need("pyarrow", "io", "reading tables").array(fits))
            percent = _compute().match_substring(found, "%").to_numpy(zero_copy_only=False).all()
            like = max(found.to_pylist()[:50], key=len)
            return ColumnFormat(name, "percent" if percent else "number", unit, decimal, odd, like)
    return None


def decimal_of(columns: list[Any]) -> str | None:
    """The decimal mark that some columns of text can only have; None where all could be read either way."""
    votes = set()
    for column in columns:
        words = Words.of(column)
        bare = bare_numbers(words.plain)
        fits = {style: len(words.rows) > 0 and words.but(_fits(bare, style)) is not None for style in _STYLES}
        if fits["."] != fits[","]:
            votes.add("." if fits["."] else ",")
    return votes.pop() if len(votes) == 1 else None


def has_commas(columns: list[Any]) -> bool:
    """Whether some column of numbers has commas in it."""
    compute = _compute()
    return any(
        compute.any(compute.match_substring_regex(column, r"^\s*[+-]?\d+,\d+\s*$")).as_py() or False
        for column in columns
    )


def is_code(column: Any) -> str | None:
    """A word of a column of digits that a number would not keep: noughts in front, too many digits, or 0x10."""
    compute = _compute()
    present = column.drop_null()
    if len(present) == 0 or not compute.all(compute.match_substring_regex(present, rf"^\s*(?:\d+|{_HEX})\s*$")).as_py():
        return None
    kept = present.filter(compute.match_substring_regex(present, _CODE))
    return kept[0].as_py().strip() if len(kept) else None


# ---- words -----------------------------------------------------------------------------------------------------------


def tidy_text(word: str) -> str:
    """In small letters, without blanks around it, and with one blank between words."""
    return " ".join(word.split()).lower()


def tidied(column: Any) -> Any:
    """The same of a column of text."""
    compute = _compute()
    return compute.utf8_lower(
        compute.replace_substring_regex(compute.utf8_trim_whitespace(column), r"[\s\x{a0}]+", " ")
    )


def tidy_levels(table: Any, names: Collection[str]) -> Any:
    """An Arrow table with some columns tidied, those of them that are text."""
    arrow = need("pyarrow", "io", "reading tables")
    columns = zip(table.column_names, table.columns, strict=True)
    return arrow.table({n: tidied(c) if n in names and _is_text(c, arrow) else c for n, c in columns})


def trimmed(table: Any, missing: Collection[str]) -> tuple[Any, tuple[str, ...]]:
    """An Arrow table without blanks around the words of its cells, and the columns that had any."""
    arrow, compute = need("pyarrow", "io", "reading tables"), _compute()
    found: dict[str, Any] = dict(zip(table.column_names, table.columns, strict=True))
    blank = [n for n, c in found.items() if _is_text(c, arrow) and _has_blanks(c.slice(0, _LOOKED_AT))]
    for name in blank:
        words = compute.utf8_trim_whitespace(found[name])
        gone = compute.is_in(words, arrow.array(list(missing), type=words.type))
        found[name] = compute.if_else(gone, None, words)
    return arrow.table(found) if blank else table, tuple(blank)


def _has_blanks(column: Any) -> bool:
    return bool(_compute().any(_compute().match_substring_regex(column, r"^\s|\s$")).as_py())


def emptied(column: Any, words: tuple[str, ...]) -> Any:
    """A column of any kind without the values that some words stand for."""
    arrow, compute = need("pyarrow", "io", "reading tables"), _compute()
    if _is_text(column, arrow):
        gone = compute.is_in(compute.utf8_trim_whitespace(column), arrow.array(words))
    else:
        gone = compute.is_in(column, arrow.array(list(words)).cast(column.type))
    return compute.if_else(gone, None, column)


# ---- columns ---------------------------------------------------------------------------------------------------------


def typed(column: Any, fmt: ColumnFormat) -> Any:
    """A column of text as its format has it: text, numbers or times."""
    if fmt.kind == "text":
        return emptied(column, fmt.odd) if fmt.odd else column
    arrow, compute = need("pyarrow", "io", "reading tables"), _compute()
    if arrow.types.is_time(column.type):
        return hours_of(column)
    plain = compute.utf8_trim_whitespace(column.cast(arrow.string()))
    gone = ["", *fmt.odd, *_gaps_in(plain)]  # blanks of any alphabet are no word
    plain = compute.if_else(compute.is_in(plain, arrow.array(gone)), None, plain)
    return {"date": _as_dates, "clock": _as_hours}.get(fmt.kind, _as_numbers)(plain, fmt)


def _gaps_in(plain: Any) -> list[str]:
    """Words that say nothing, which the file of the fit may not have had."""
    compute = _compute()
    words = plain.filter(compute.match_substring_regex(plain, r"^\D*$")).unique()
    return [word for word in words.to_pylist() if word is not None and says_nothing(word)]


def _as_numbers(plain: Any, fmt: ColumnFormat) -> Any:
    arrow, compute = need("pyarrow", "io", "reading tables"), _compute()
    bare = bare_numbers(without_unit(plain, fmt.pattern))
    _refuse(plain, compute.match_substring_regex(bare, _STYLES[fmt.decimal]), fmt, "number")
    bare = compute.replace_substring_regex(bare, rf"{GLUE}|[{',' if fmt.decimal == '.' else '.'}]|^\+", "")
    bare = bare if fmt.decimal == "." else compute.replace_substring(bare, ",", ".")
    return bare.cast(arrow.float64())


def _as_hours(plain: Any, fmt: ColumnFormat) -> Any:
    hours = hours_of(plain)
    _refuse(plain, _compute().is_valid(hours), fmt, "time or duration")
    return hours


def _as_dates(plain: Any, fmt: ColumnFormat) -> Any:
    arrow, compute = need("pyarrow", "io", "reading tables"), _compute()
    if fmt.pattern:
        times = times_of(plain, fmt.pattern)
    else:
        iso = compute.match_substring_regex(plain, r"^\d{4}-\d\d-\d\d")
        _refuse(plain, iso, fmt, "date")
        times = _at_greenwich(plain, fmt) if _has_zone(plain) else plain.cast(arrow.timestamp("us"))
    _refuse(plain, compute.is_valid(times), fmt, "date")
    return times


def _has_zone(plain: Any) -> bool:
    compute = _compute()
    return bool(compute.any(compute.match_substring_regex(plain, _ZONE), min_count=0).as_py())


def _at_greenwich(plain: Any, fmt: ColumnFormat) -> Any:
    """Moments with a time zone, as Arrow's own reader of CSV takes them: the time in UTC."""
    arrow, compute = need("pyarrow", "io", "reading tables"), _compute()
    _refuse(plain, compute.match_substring_regex(plain, _ZONE), fmt, "moment with a time zone")
    return plain.cast(arrow.timestamp("us", "UTC")).cast(arrow.timestamp("us"))


def _refuse(plain: Any, fits: Any, fmt: ColumnFormat, what: str) -> None:
    """One line about the first word that is not what the others are."""
    compute = _compute()
    bad = plain.filter(compute.and_(compute.is_valid(plain), compute.invert(compute.fill_null(fits, False))))
    if len(bad):
        raise ColumnError(
            f"column {fmt.name!r} holds {bad[0].as_py()!r}, which is no {what} like {fmt.like!r}; "
            "mend it, or say --missing WORD if it means that nothing is known"
        )


def decide_all(table: Any, dialect: Dialect, hints: Hints) -> tuple[Any, Dialect]:
    """An Arrow table whose columns of text were looked at: typed, with what was decided of each."""
    arrow = need("pyarrow", "io", "reading tables")
    formats = list(dialect.formats)
    for name, column in zip(table.column_names, table.columns, strict=True):
        is_open = dialect.format_of(name) is None and _is_text(column, arrow)
        is_time = arrow.types.is_time(column.type)
        found = (
            format_of_times(name, column)
            if is_time
            else decide(name, column, hints)
            if is_open
            else days_of_numbers(name, column)
        )
        formats += [] if found is None else [found]
    known = _agreed(formats, table, hints)
    for fmt in known:
        place = table.column_names.index(fmt.name) if fmt.name in table.column_names else None
        column = table.column(place) if place is not None else None
        if column is not None and (_is_text(column, arrow) or fmt.pattern == DAYS_AS_NUMBERS or fmt.kind == "clock"):
            table = table.set_column(place, fmt.name, typed(column, fmt))
    return table, dialect.with_formats(known)


def mended(table: Any, how: Reading, wanted: FileOptions) -> tuple[Any, Reading]:
    """An Arrow table as was asked for: words of single columns are missing, levels are tidy."""
    arrow = need("pyarrow", "io", "reading tables")
    formats = {fmt.name: fmt for fmt in how.dialect.formats}
    for name, words in wanted.missing_in:
        column = table[name]
        known = formats.get(name) or ColumnFormat(name, _kind(column, arrow), decimal=how.dialect.decimal)
        formats[name] = replace(known, odd=(*known.odd, *words), like=known.like or "")
        table = table.set_column(table.column_names.index(name), name, _emptied(column, name, words))
    table = tidy_levels(table, table.column_names) if wanted.tidy else table
    dialect = replace(how.dialect, formats=tuple(formats.values()), tidy=wanted.tidy)
    return table, replace(how, dialect=dialect)


def _emptied(column: Any, name: str, words: tuple[str, ...]) -> Any:
    arrow = need("pyarrow", "io", "reading tables")
    try:
        return emptied(column, words)
    except arrow.ArrowException as error:
        raise InputError(f"--missing {name}={words[0]}: {name!r} holds {column.type}, and that is none") from error


def _kind(column: Any, arrow: Any) -> str:
    if arrow.types.is_temporal(column.type):
        return "date"
    return "text" if _is_text(column, arrow) or arrow.types.is_boolean(column.type) else "number"


def _agreed(formats: list[ColumnFormat], table: Any, hints: Hints) -> list[ColumnFormat]:
    """Dates that could be read either way are read like those of other columns that could not."""
    orders = {fmt.pattern.startswith("%d") for fmt in formats if fmt.pattern[:2] in {"%d", "%m"} and not fmt.unsure}
    if len(orders) != 1:
        return formats
    told = replace(hints, day_first=orders.pop())
    return [(decide(fmt.name, table[fmt.name], told) or fmt) if fmt.unsure else fmt for fmt in formats]


def _is_text(column: Any, arrow: Any) -> bool:
    return bool(arrow.types.is_string(column.type) or arrow.types.is_large_string(column.type))
