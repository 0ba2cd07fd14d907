"""How a file was read: what was decided of it, in words, in the model file, and for the next file."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "ENCODINGS",
    "MISSING_WORDS",
    "ColumnFormat",
    "Dialect",
    "FileOptions",
    "Reading",
    "missing_words",
    "says_nothing",
]

_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "cp1252": "Windows-1252",
    "latin-1": "Latin-1",
    "utf-8/cp1252": "UTF-8 with some letters of Windows-1252",
}
_PARTS = {
    "%d": "day",
    "%m": "month",
    "%Y": "year",
    "%y": "year",
    "%b": "month",
    "%q": "quarter",
    "%G": "year",
    "%V": "week",
}
_SHOWN = 4
_PAIR = re.compile(r"(?!0x)\d+(?:[.,]\d+)?\s*[/x×]\s*\d+(?:[.,]\d+)?")

_ERRORS = ("#N/A", "#DIV/0!", "#REF!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!")  # of spreadsheets
_OF_DATABASES = (r"\N", "(null)", "[NULL]")
MISSING_WORDS = ("", "?", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", *_ERRORS, *_OF_DATABASES)
_NOTHING = {
    "na",
    "nan",
    "null",
    "nil",
    "none",
    "nd",
    "ka",
    "keineangabe",
    "unknown",
    "unbekannt",
    "missing",
    "notavailable",
}


def says_nothing(word: str) -> bool:
    """Whether a word among numbers or dates is a gap: a mark such as a dash; or N.A., k. A., unknown, and the like."""
    letters = "".join(filter(str.isalnum, word))
    return bool(word) and (not letters or letters.lower() in _NOTHING)


def missing_words(more: Iterable[str] | None) -> tuple[str, ...]:
    """The usual words, and what else means missing."""
    return (*MISSING_WORDS, *(more or ()))


@dataclass(frozen=True)
class ColumnFormat:
    """How the words of one column are to be read, where that is not what they look like at first sight.

    Parameters
    ----------
    name : str
        The column.
    kind : {"text", "number", "percent", "date", "clock"}
        What its words are: codes that only look like numbers, numbers with thousands, currencies, units or decimal
        commas, shares with a percent sign, dates, or times on a clock, which become hours.
    pattern : str, default=""
        How dates are written, as ``strptime`` has it, ``|`` between ways of which each row follows one; empty for ISO
        8601. Of numbers, their unit.
    decimal : str, default="."
        The decimal mark of numbers.
    odd : tuple of str, default=()
        Words that stand for missing in this column alone.
    like : str, default=""
        One of its words.
    unsure : bool, default=False
        Whether days and months could be the other way round in all of its words.
    """

    name: str
    kind: str
    pattern: str = ""
    decimal: str = "."
    odd: tuple[str, ...] = ()
    like: str = ""
    unsure: bool = False

    def __str__(self) -> str:
        text = f"{self.name!r} {self._what()}"
        return f"{text}, {', '.join(map(repr, self.odd))} as missing" if self.odd else text

    def _what(self) -> str:
        if not self.like:
            return {"text": "text", "date": "dates"}.get(self.kind, "numbers")
        like = " ".join(self.like.split())  # thin blanks and the like as plain ones
        if self.kind == "text":
            pair = ": two numbers in a cell, which would say more as two columns" * bool(_PAIR.fullmatch(self.like))
            return f"kept as text ({like!r}{pair})"
        if self.kind == "date":
            return f"dates{self._order()} ({like!r})"
        if self.kind == "clock":
            return f"hours ({like!r})"
        return f"{'percent' if self.kind == 'percent' else 'numbers'} ({like!r})"

    def _order(self) -> str:
        if not self.pattern:
            return ""
        order = " or ".join(dict.fromkeys(map(_order_of, self.pattern.split("|"))))
        turn = " (day and month could be the other way round: no day is above 12; --day-first, --month-first say)"
        return f" as {order}" + turn * self.unsure


def _order_of(pattern: str) -> str:
    parts = sorted((pattern.find(mark), part) for mark, part in _PARTS.items() if mark in pattern)
    return ", ".join(part for _, part in parts)


@dataclass(frozen=True)
class Dialect:
    """What was decided of a file, and holds for the next one of its kind.

    Parameters
    ----------
    delimiter, decimal, encoding : str
        Of a text file: what stands between cells, the decimal mark, and how letters are stored.
    place : str, default=""
        The sheet of a workbook, or the table of a database.
    formats : tuple of ColumnFormat, default=()
        Columns whose words are not what they look like.
    tidy : bool, default=False
        Whether levels are read in small letters and without blanks around them.
    """

    delimiter: str = ","
    decimal: str = "."
    encoding: str = "utf-8"
    place: str = ""
    formats: tuple[ColumnFormat, ...] = ()
    tidy: bool = False

    def format_of(self, name: str) -> ColumnFormat | None:
        """How a column is to be read; None as it looks."""
        return next((one for one in self.formats if one.name == name), None)

    def with_formats(self, formats: list[ColumnFormat]) -> Dialect:
        """The same with what was decided of columns."""
        return replace(self, formats=tuple(formats))

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for a model file."""
        formats = [{**asdict(one), "odd": list(one.odd)} for one in self.formats]
        return {**asdict(self), "formats": formats}

    @property
    def layout(self) -> str:
        """Delimiter, decimals and letters in words."""
        marks = f"{_DELIMITERS.get(self.delimiter, repr(self.delimiter))}-separated"
        decimals = ", decimal commas" if self.decimal == "," else ""
        return f"{marks}{decimals}, {ENCODINGS.get(self.encoding, self.encoding)}"


@dataclass(frozen=True)
class Reading:
    """A file that was read: how, and what else is to be said of it.

    Parameters
    ----------
    what : str
        The layout in words: ``semicolon-separated, decimal commas, UTF-8``.
    dialect : Dialect
        What was decided.
    notes : tuple of str, default=()
        Lines left out, guesses, and the like.
    """

    what: str
    dialect: Dialect = Dialect()
    notes: tuple[str, ...] = ()

    def line(self) -> str:
        """All of it in one line."""
        tidy = ["levels in small letters"] if self.dialect.tidy else []
        return "; ".join([self.what, *self._formats(), *tidy, *self.notes])

    @property
    def is_plain(self) -> bool:
        """Whether nothing had to be decided that could be decided otherwise."""
        return not self.notes and not self.dialect.formats and self.dialect.encoding in {"utf-8", "utf-16"}

    @property
    def is_usual(self) -> bool:
        """Whether there is nothing to say: commas, points and UTF-8, or a kind of file that leaves nothing open."""
        return self.is_plain and (self.dialect.delimiter, self.dialect.decimal, self.dialect.place) == (",", ".", "")

    def _formats(self) -> list[str]:
        said = [str(one) for one in self.dialect.formats]
        unsure = [str(one) for one in self.dialect.formats if one.unsure]
        if len(said) <= _SHOWN:
            return said
        shown = [*unsure, *(text for text in said if text not in unsure)][: max(_SHOWN, len(unsure))]
        return [*shown, f"and so on ({len(said)} columns)"]


@dataclass(frozen=True)
class FileOptions:
    """What is asked of a file beside its path.

    Parameters
    ----------
    missing : tuple of str
        Words for missing.
    sheet, table, query : str, default=None
        The sheet of a workbook; the table of a database, or the rows of it by a query.
    day_first : bool, default=None
        Whether 03/04/2025 is in April, where a column does not say.
    formats : tuple of ColumnFormat, default=()
        What is known of columns from another file of the kind.
    missing_in : tuple of (str, tuple of str), default=()
        Words for missing in single columns.
    tidy : bool, default=False
        Whether levels that differ by capitals and blanks only are one.
    """

    missing: tuple[str, ...] = MISSING_WORDS
    sheet: str | None = None
    table: str | None = None
    query: str | None = None
    day_first: bool | None = None
    formats: tuple[ColumnFormat, ...] = ()
    missing_in: tuple[tuple[str, tuple[str, ...]], ...] = ()
    tidy: bool = False
