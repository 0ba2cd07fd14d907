"""What every code and every bit means. All of it frozen: a domain is a fact about a fitted table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._text import figures, without_repeats
from paclearn.encoding.column_pass import encode_each
from paclearn.exceptions import ColumnError
from paclearn.tables.raw import Labels, Numbers, RawColumn, SmallIntegers, read_column
from paclearn.tables.single_values import FLAGS, format_number, label_text, number_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.date_columns import DatePart
    from paclearn.tables.table import Table

__all__ = ["BinColumn", "Bit", "Column", "Domain", "LevelColumn", "numbers_of_labels", "without_repeats"]

_FEW_CUTS, _FEW_VALUES = 63, 500  # a comparison takes a thirtieth of a search where values come in no order
_VALUES_IN_CACHE = 8192
_SHORT = 4  # figures of a number in a picture
_FLAG_WORDS = {"True": ("true", "1", "1.0"), "False": ("false", "0", "0.0")}


@dataclass(frozen=True)
class Bit:
    """A yes-or-no question about one column: is the code one of these?"""

    name: str
    column: int
    codes: tuple[int, ...]

    def answers(self, n_codes: int) -> NDArray[np.bool_]:
        """The answer for every code, the unseen one (the last) included: it is always no."""
        answers = np.zeros(n_codes + 1, dtype=bool)
        answers[list(self.codes)] = True
        return answers


@dataclass(frozen=True)
class Column(ABC):
    """One column of the table and the meaning of its codes.

    Codes run from 0 to ``n_codes - 1``. A value that has no code, because training never saw its like, is encoded as
    ``n_codes``: no cell was ever counted for it, so models back off, and every bit answers no.
    """

    name: str
    position: int  # in the table of fit; of what is made from dates, a number beyond all of those
    missing: bool
    source: DatePart | None = field(default=None, kw_only=True)

    @property
    def features(self) -> tuple[int, ...]:
        """Positions of the columns of the table that it is read from."""
        return (self.position,) if self.source is None else self.source.features

    @property
    def read_from(self) -> tuple[str, ...]:
        """Names of the columns of the table that it is read from."""
        return (self.name,) if self.source is None else self.source.of

    @property
    def own_name(self) -> str:
        """A name that no column of the table has, where the column is made from others; otherwise its own."""
        return self.source.own_name if self.source is not None and self.holds_dates else self.name

    def read(self, table: Table) -> RawColumn:
        """Its values in a table."""
        return read_column(table, self.position) if self.source is None else self.source.read(table)

    @property
    @abstractmethod
    def code_names(self) -> tuple[str, ...]:
        """A short name for every code, such as ``red`` or ``(28, 41]``."""

    @abstractmethod
    def bits(self, column: int) -> tuple[Bit, ...]:
        """The questions asked of this column, which is number ``column`` of its domain."""

    @abstractmethod
    def _codes(self, raw: Numbers | Labels) -> NDArray[np.integer[Any]]:
        """Codes of the values that are present (whatever is missing may get any code)."""

    @property
    @abstractmethod
    def n_codes(self) -> int:
        """How many codes there are; asked for far more often than their names are."""

    @property
    def dtype(self) -> type[np.unsignedinteger[Any]]:
        return np.uint8 if self.n_codes < 256 else np.uint16

    def encode(self, raw: RawColumn) -> NDArray[np.unsignedinteger[Any]]:
        """The code of every row."""
        if isinstance(raw, SmallIntegers):
            lookup = self._codes_of_span(raw)
            return raw.offsets if lookup is None else lookup[raw.offsets]
        codes = self._codes(raw)
        absent = raw.missing
        if absent.any():
            codes = np.where(absent, self.n_codes - 1 if self.missing else self.n_codes, codes)
        return codes.astype(self.dtype)

    def _codes_of_span(self, raw: SmallIntegers) -> NDArray[np.unsignedinteger[Any]] | None:
        """The codes of all numbers of a column of few, or None where they are 0, 1, 2, ... and so the offsets."""
        codes = self._codes(Numbers(raw.span)).astype(self.dtype)
        is_itself = np.array_equal(codes, np.arange(len(codes))) and self.dtype == np.uint8
        return None if is_itself else codes

    @property
    def holds_dates(self) -> bool:
        """Whether its numbers are days since a first date; files of earlier versions say so in its name."""
        return self.source is not None and self.source.is_date and self.name == self.source.name

    def in_words(self, numbers: Sequence[float]) -> tuple[str, ...]:
        """Numbers of the column as a person reads them."""
        if self.source is None or not self.holds_dates:
            return tuple(map(format_number, numbers))
        clock = any(number % 1 for number in numbers)
        return tuple(self.source.date_of(number, clock=clock) for number in numbers)

    def _missing_bit(self, column: int) -> tuple[Bit, ...]:
        what = self.name if len(self.read_from) > 1 else self.read_from[0]  # of a date, not of its month
        return (Bit(f"{what} is missing", column, (self.n_codes - 1,)),) if self.missing else ()


@dataclass(frozen=True)
class LevelColumn(Column):
    """A column of levels. After the named levels come ``other`` (rare levels pooled) and ``missing``, where they occur.

    ``numeric`` columns with few distinct values keep their numbers as levels.
    """

    levels: tuple[str, ...]
    other: bool = False
    numeric: bool = False

    @property
    def n_codes(self) -> int:
        return len(self.levels) + self.other + self.missing

    @property
    def levels_in_words(self) -> tuple[str, ...]:
        """The levels as a person reads them: days since a first date are dates."""
        return self.in_words([*map(float, self.levels)]) if self.holds_dates else self.levels

    @property
    def code_names(self) -> tuple[str, ...]:
        pools = ("other",) * self.other + ("missing",) * self.missing
        return self.levels_in_words + tuple(f"({pool})" if pool in self.levels else pool for pool in pools)

    def bits(self, column: int) -> tuple[Bit, ...]:
        named = [Bit(f"{self.name}={level}", column, (code,)) for code, level in enumerate(self.levels)]
        if self.other:
            named.append(Bit(f"{self.name} is other", column, (len(self.levels),)))
        every = (*named, *self._missing_bit(column))
        return every if len(every) > 2 else every[1:]

    def words_for(self, level: str) -> tuple[str, ...]:
        """All that a level may be called as text: databases write True as 1 and 3 as 3.0.

        Parameters
        ----------
        level : str
            One of the levels.
        """
        ways = _ways_to_say if set(self.levels) <= set(FLAGS) and not self.other else _ways_to_write
        return (level, *(way for way in ways(level) if way not in self.levels))

    def _codes(self, raw: Numbers | Labels) -> NDArray[np.integer[Any]]:
        """Numbers by their value, words letter by letter: what a value is does not depend on the other rows."""
        unseen = len(self.levels) if self.other else self.n_codes
        if isinstance(raw, Numbers) and self.numeric:
            return self._codes_of_numbers(raw.values, unseen)
        raw = raw if isinstance(raw, Labels) else _words_of_numbers(raw.values)
        labels = [_tidy_number(label) for label in raw.labels] if self.numeric else raw.labels
        code_of = {level: code for code, level in enumerate(self.levels)}
        if not self.numeric and any(label not in code_of for label in labels):
            code_of = {word: code for level, code in code_of.items() for word in self.words_for(level)}
        return np.array([code_of.get(label, unseen) for label in labels] + [unseen], dtype=np.int64)[raw.codes]

    def _codes_of_span(self, raw: SmallIntegers) -> NDArray[np.unsignedinteger[Any]] | None:
        if self.levels == _span_names(raw.first, len(raw.span)) and self.dtype == np.uint8:
            return None
        return super()._codes_of_span(raw)

    def _codes_of_numbers(self, values: NDArray[np.float64], unseen: int) -> NDArray[np.integer[Any]]:
        if len(values) <= _FEW:  # a look-up in Python is over before numpy has begun
            code_of = {number: code for code, number in enumerate(map(number_of, self.levels))}
            return np.array([code_of.get(value, unseen) for value in values.tolist()], dtype=np.int64)
        known = _parse_numbers(self.levels)
        if len(known) == 0:
            return np.full(len(values), unseen)
        order = np.argsort(known, kind="stable")
        place = np.searchsorted(known, values, sorter=order)
        nearest = order[np.minimum(place, len(order) - 1)]
        return np.where(known[nearest] == values, nearest, unseen)


@dataclass(frozen=True)
class BinColumn(Column):
    """A numeric column cut at thresholds: code i holds the values above threshold i-1 and up to threshold i."""

    thresholds: tuple[float, ...]

    @property
    def cuts(self) -> tuple[str, ...]:
        """The thresholds as a person reads them."""
        return self.in_words(self.thresholds)

    @property
    def short_cuts(self) -> tuple[str, ...]:
        """The same in few figures, for pictures."""
        return self.cuts if self.holds_dates else tuple(figures(t, _SHORT) for t in self.thresholds)

    @property
    def n_codes(self) -> int:
        return len(self.thresholds) + 1 + self.missing

    @property
    def code_names(self) -> tuple[str, ...]:
        cuts = self.cuts
        inner = [f"({low}, {high}]" for low, high in pairwise(cuts)]
        return (f"<={cuts[0]}", *inner, f">{cuts[-1]}", *("missing",) * self.missing)

    def bits(self, column: int) -> tuple[Bit, ...]:
        n_bins = len(self.thresholds) + 1
        above = (Bit(f"{self.name}>{cut}", column, tuple(range(i + 1, n_bins))) for i, cut in enumerate(self.cuts))
        return (*above, *self._missing_bit(column))

    def _codes(self, raw: Numbers | Labels) -> NDArray[np.integer[Any]]:
        values = numbers_of_labels(raw, self.name) if isinstance(raw, Labels) else raw.values
        return _cuts_below(values, np.asarray(self.thresholds))


def _cuts_below(values: NDArray[np.float64], cuts: NDArray[np.float64]) -> NDArray[np.integer[Any]]:
    """How many cuts every value is above. No branch depends on a value: values in no order would be held up by it."""
    if len(values) < _FEW_VALUES:
        return np.searchsorted(cuts, values, side="left")
    if len(cuts) > _FEW_CUTS:
        blocks = [values[begin : begin + _VALUES_IN_CACHE] for begin in range(0, len(values), _VALUES_IN_CACHE)]
        return np.concatenate([_searched(block, cuts) for block in blocks])
    below = np.zeros(len(values), dtype=np.uint8)
    for cut in cuts:
        below += (values > cut).view(np.uint8)
    return below


def _searched(values: NDArray[np.float64], cuts: NDArray[np.float64]) -> NDArray[np.intp]:
    """The same by halving the cuts that are left, for all values at once."""
    half = 1 << (len(cuts).bit_length() - 1)
    padded = np.full(2 * half, np.inf)
    padded[: len(cuts)] = cuts
    below = np.zeros(len(values), dtype=np.intp)
    while half:
        below += half * (padded[below + (half - 1)] < values)
        half >>= 1
    return below


@lru_cache(maxsize=64)
def _span_names(first: int, length: int) -> tuple[str, ...]:
    return tuple(str(first + i) for i in range(length))


def _tidy_number(text: str) -> str:
    """``3.0`` of one library is ``3`` of another, and True is 1."""
    number = number_of(text)
    return format_number(number) if np.isfinite(number) else text


def _ways_to_say(flag: str) -> tuple[str, ...]:
    return _FLAG_WORDS[flag]


def _ways_to_write(level: str) -> tuple[str, ...]:
    """A number also as databases write doubles: ``3.0`` for ``3`` and ``1.0e+16`` for ``1e+16``."""
    try:
        double = repr(float(level))
    except ValueError:
        return ()
    if double == f"{level}.0":
        return (double,)
    mantissa, mark, exponent = level.partition("e")
    return (f"{mantissa}.0e{exponent}",) if double == level and mark and "." not in mantissa else ()


def _words_of_numbers(values: NDArray[np.float64]) -> Labels:
    distinct, codes = np.unique(values, return_inverse=True)
    return Labels(codes, tuple(map(label_text, distinct.tolist())))


_FEW = 64


def _parse_numbers(texts: tuple[str, ...]) -> NDArray[np.float64]:
    return np.array([number_of(text) for text in texts], dtype=np.float64)


def numbers_of_labels(raw: Labels, name: str) -> NDArray[np.float64]:
    """The numbers of a column that was numeric in fit and is now flags or text; NaN where missing."""
    numbers = _parse_numbers(raw.labels)
    odd = ~np.isfinite(numbers) & (np.bincount(raw.codes + 1, minlength=len(numbers) + 1)[1:] > 0)
    if odd.any():
        text = raw.labels[int(odd.argmax())]
        raise ColumnError(f"column {name!r} was numeric in fit and now holds text such as {text!r}")
    return np.append(numbers, np.nan)[raw.codes]


@dataclass(frozen=True)
class Domain:
    """The columns a model uses, what their codes and bits mean, and which columns were left out and why.

    Parameters
    ----------
    columns : tuple of Column
        The columns, each with the meaning of its codes.
    dropped : tuple of tuple of str, default=()
        Columns that were left out, and why.
    """

    columns: tuple[Column, ...]
    dropped: tuple[tuple[str, str], ...] = ()

    @property
    def column_names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of codes of every column."""
        return tuple(column.n_codes for column in self.columns)

    @property
    def bits(self) -> tuple[Bit, ...]:
        """All questions, column by column."""
        return tuple(bit for i, column in enumerate(self.columns) for bit in column.bits(i))

    @property
    def bit_names(self) -> tuple[str, ...]:
        """Names of the bits; a name that two of them would have is numbered."""
        return without_repeats(bit.name for bit in self.bits)

    def encode(self, table: Table) -> Iterator[NDArray[np.unsignedinteger[Any]]]:
        """The codes of the columns, one column at a time.

        Parameters
        ----------
        table : Table
            A table with these columns.
        """
        return encode_each(self.columns, table)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for a report or a model file."""
        columns = [
            {"name": c.name, "kind": "levels" if isinstance(c, LevelColumn) else "bins", "codes": list(c.code_names)}
            for c in self.columns
        ]
        return {"columns": columns, "dropped": [{"name": name, "why": why} for name, why in self.dropped]}

    def __str__(self) -> str:
        lines = [f"{len(self.columns)} columns, {len(self.bits)} bits"]
        lines += [f"  {c.name}: {c.n_codes} codes: {_shorten(c.code_names)}" for c in self.columns]
        lines += [f"  {name}: dropped, {why}" for name, why in self.dropped]
        return "\n".join(lines)


def _shorten(names: tuple[str, ...], most: int = 8) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown}, ... ({len(names)})"
