"""One value of a column, whatever library holds it: whether it is missing, what it is called, and what is no value."""

from __future__ import annotations

import decimal
import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.exceptions import ColumnError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = [
    "FLAGS",
    "LARGEST_EXACT",
    "format_number",
    "is_flag",
    "is_large",
    "is_missing",
    "is_number",
    "label_text",
    "labels_and_numbers",
    "number_of",
    "refuse_no_values",
]

LARGEST_EXACT = 2**53 - 1  # the next one is what its own neighbour becomes as a float
FLAGS = {"False": 0, "True": 1}
_BY_DIGITS = 2.0**64  # up to here whole floats are written like the integers that they are
_MOST_DIGITS = 10**4000  # Python writes no integer of more than 4300 digits


def format_number(value: float) -> str:
    """The shortest text of a number: ``3`` and not ``3.0``."""
    return str(int(value)) if value == int(value) and abs(value) < 1e16 else repr(float(value))


def number_of(text: str) -> float:
    """The number that a text or a flag stands for; NaN if it is none."""
    try:
        return float(FLAGS.get(text, text))
    except ValueError:
        return np.nan


def label_text(value: Any) -> str:
    """What a level or class is called: a number as shortly as it can be, whatever kind of number it is.

    The same number has the same text on its own and among other values, as an integer and as a float.
    """
    if is_flag(value) or not is_number(value):
        return _text_of(value)
    if isinstance(value, numbers.Integral):
        return str(int(value))
    value = float(value)
    if abs(value) < _BY_DIGITS and value == int(value):
        return str(int(value))
    return repr(value)


def _text_of(value: Any) -> str:
    try:
        return str(value)
    except Exception as error:  # an object of anybody's
        kind = type(value).__name__
        raise ColumnError(f"a value of type {kind} has no text: {error}; paclearn reads numbers and text") from error


def labels_and_numbers(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Different values in order, and the number of every row's: `numpy.unique`, but rows of words are not sorted."""
    if values.dtype != object:
        labels, numbers = np.unique(values, return_inverse=True)
        return labels, numbers
    rows = values.tolist()
    words = sorted(dict.fromkeys(rows))
    place = {word: i for i, word in enumerate(words)}
    return np.array(words, dtype=object), np.fromiter(map(place.__getitem__, rows), np.intp, len(rows))


def is_missing(value: Any) -> bool:
    """None, NaN of any kind, and what pandas has for them."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    if isinstance(value, decimal.Decimal):
        return value.is_nan()  # a signalling one would not be compared
    return isinstance(value, float | np.floating) and bool(value != value)  # noqa: PLR0124 - NaN


def is_flag(value: Any) -> bool:
    """True or False, of Python or numpy."""
    return isinstance(value, bool | np.bool_)


def is_number(value: Any) -> bool:
    """A number that a float comes near to; flags are none."""
    if is_flag(value) or not isinstance(value, numbers.Real | decimal.Decimal):
        return False
    try:
        float(value)
    except OverflowError:
        return isinstance(value, numbers.Integral)
    return True


def is_large(value: Any) -> bool:
    """A whole number that a float might confuse with its neighbours."""
    return isinstance(value, numbers.Integral) and not is_flag(value) and abs(int(value)) > LARGEST_EXACT


def refuse_no_values(values: Iterable[Any], place: str) -> None:
    """Refuse what is no single value: lists, maps, bytes, objects whose text is where they lie in memory."""
    for value in (v for v in values if type(v) is not str):
        if not _is_value(value):
            found = f"{repr(value)[:60]} ({type(value).__name__})"
            raise ColumnError(f"{place} holds {found}; paclearn reads numbers, text, categories and booleans")
        if is_large(value) and abs(int(value)) > _MOST_DIGITS:
            raise ColumnError(f"{place} holds a whole number of more than 4000 digits; make it text, or drop it")


def _is_value(value: Any) -> bool:
    if isinstance(value, numbers.Complex):
        return isinstance(value, numbers.Real)
    if isinstance(value, str | decimal.Decimal | np.bool_):
        return True
    words: Any = type(value).__str__
    has_words = words is not object.__str__  # others say how they were made, or where they lie
    return has_words and not isinstance(value, bytes | bytearray | np.ndarray)
