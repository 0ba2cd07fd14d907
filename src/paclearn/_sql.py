"""Names, numbers and texts written so that any SQL database reads them as they are meant."""

from __future__ import annotations

from math import isfinite, isnan
from typing import TYPE_CHECKING

from paclearn.exceptions import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["among", "identifier", "number", "text"]


def identifier(name: str) -> str:
    """A quoted name, with every quote in it doubled."""
    _refuse_broken(name)
    if not name or "\0" in name:
        raise InputError(
            f"{name!r} cannot be the name of a column or table in SQL: it is empty or holds a NUL character"
        )
    return '"' + name.replace('"', '""') + '"'


def number(value: float) -> str:
    """A literal that reads back as the very same double; NULL for NaN."""
    value = float(value)
    if isnan(value):
        return "NULL"
    if not isfinite(value):
        raise InputError(f"{value!r} cannot be written in SQL, which has no literal for infinity")
    return repr(value)


def text(value: str) -> str:
    """A string literal. Quotes are doubled; a NUL character, which would end the statement, is spelled out."""
    _refuse_broken(value)
    parts = ["'" + part.replace("'", "''") + "'" for part in value.split("\0")]
    return parts[0] if len(parts) == 1 else "(" + " || CHAR(0) || ".join(parts) + ")"


def _refuse_broken(value: str) -> None:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(f"{value!r} holds half a character (a lone surrogate), which no database can store") from error


def among(name: str, literals: Iterable[str], *, inside: bool, null: bool) -> str:
    """Whether a column's value is one of some literals, or (``inside=False``) none of them; NULL counts as told."""
    column, listed = identifier(name), ", ".join(literals)
    if not listed:  # inside nothing is nothing; outside nothing is everything
        if inside:
            return f"{column} IS NULL" if null else "1 = 0"
        return "1 = 1" if null else f"{column} IS NOT NULL"
    found = f"{column} {'IN' if inside else 'NOT IN'} ({listed})"
    return f"({column} IS NULL OR {found})" if null else found
