"""Names, numbers and texts written so that any SQL database reads them as they are meant."""

from __future__ import annotations

from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

from paclearn.exceptions import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "among",
    "among_words",
    "as_text",
    "between",
    "exact_number",
    "exponential",
    "fresh",
    "given",
    "identifier",
    "is_taken_for_a_value",
    "label",
    "lone_or_many",
    "number",
    "text",
]

_MOST_LOG = 700.0
_NEAREST = 1e-200


def identifier(name: str) -> str:
    """The quoted name of a column inside a query: SQLite takes true and false for values where a step made them."""
    return given(f"the column {name}" if is_taken_for_a_value(name) else name)


def is_taken_for_a_value(name: str) -> bool:
    """Whether a name, even in quotes, is not always one."""
    return name.casefold() in {"true", "false"}


def given(name: str) -> str:
    """A name as its owner has it, quoted, with every quote in it doubled."""
    _refuse_broken(name)
    if not name or "\0" in name:
        raise InputError(
            f"{name!r} cannot be the name of a column or table in SQL: it is empty or holds a NUL character"
        )
    return '"' + name.replace('"', '""') + '"'


def number(value: float) -> str:
    """A literal that every database takes for a double, not for a decimal, and the very same one; NULL for NaN."""
    value = float(value)
    if isnan(value):
        return "NULL"
    if not isfinite(value):
        raise InputError(f"{value!r} cannot be written in SQL, which has no literal for infinity")
    return repr(value) if "e" in repr(value) else f"{value!r}e0"


def exact_number(value: float) -> str:
    """The same, for comparisons: SQLite reads numbers of very many digits before or after the point a little wrong."""
    if value and not _NEAREST < abs(value) < 1 / _NEAREST:
        raise InputError(f"a column of few numbers has {value!r}, which not every database reads exactly; rescale it")
    return number(value)


def exponential(expression: str) -> str:
    """The exponential of a number, kept where it is neither nought nor infinite."""
    return f"EXP({between(expression, (-_MOST_LOG, _MOST_LOG))})"


def label(value: Any) -> str:
    """A class label as a literal."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value)
    return number(value) if isinstance(value, float) else text(str(value))


def between(score: str, limits: tuple[float, float] | None) -> str:
    """An expression kept within limits."""
    if limits is None:
        return score
    low, high = map(number, limits)
    return f"CASE WHEN {score} < {low} THEN {low} WHEN {score} > {high} THEN {high} ELSE {score} END"


def text(value: str) -> str:
    """A string literal. Quotes are doubled; a NUL character has no spelling that all databases read."""
    _refuse_broken(value)
    if "\0" in value:
        raise InputError(f"{value!r} holds a NUL character, which SQL has no words for; give it another name")
    return "'" + value.replace("'", "''") + "'"


def _refuse_broken(value: str) -> None:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(f"{value!r} holds half a character (a lone surrogate), which no database can store") from error


def as_text(name: str) -> str:
    """A column's values as text, whatever they are in the database."""
    return f"CAST({identifier(name)} AS VARCHAR)"


def among_words(name: str, words: Iterable[str], *, inside: bool, null: bool) -> str:
    """The same of words. No text of SQL that all databases read has a NUL in it: such words are told by their bytes."""
    known = list(words)
    value, odd = as_text(name), [word for word in known if "\0" in word]
    plain = among(name, value, [text(word) for word in known if "\0" not in word], inside=inside, null=null)
    if not odd:
        return plain
    by_bytes = among(name, f"HEX({value})", [_bytes_of(word) for word in odd], inside=inside, null=null)
    return f"({plain} {'OR' if inside else 'AND'} {by_bytes})"


def _bytes_of(word: str) -> str:
    _refuse_broken(word)
    return f"'{word.encode().hex().upper()}'"


def among(name: str, value: str, literals: Iterable[str], *, inside: bool, null: bool) -> str:
    """Whether the value of a column is one of some literals, or (``inside=False``) none; NULL counts as told."""
    column, listed = identifier(name), ", ".join(literals)
    if not listed:  # inside nothing is nothing; outside nothing is everything
        if inside:
            return f"{column} IS NULL" if null else "1 = 0"
        return "1 = 1" if null else f"{column} IS NOT NULL"
    found = f"{value} {'IN' if inside else 'NOT IN'} ({listed})"
    return f"({column} IS NULL OR {found})" if null else found


def fresh(wish: str, count: int, taken: Iterable[str]) -> list[str]:
    """Names that nothing else has, in any case of letters."""
    names = {name.casefold() for name in taken}
    while any(name.startswith(wish) for name in names):
        wish += "_"
    return [f"{wish}{i}" for i in range(count)]


def lone_or_many(names: str | Sequence[str]) -> list[str]:
    """A lone name is a list of one, not of its letters."""
    return [names] if isinstance(names, str) else list(names)
