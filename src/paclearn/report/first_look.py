"""The table, seen first: rows that repeat, gaps that coincide, odd values, equal columns, levels spelt in two ways.

Each is one sentence, with the option of the command line that mends it, where there is one.
"""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._text import shorten
from paclearn.encoding.set_aside import why_set_aside
from paclearn.tables.raw import Dates, Labels, format_number, read_any
from paclearn.tables.repeats import row_hashes
from paclearn.tables.single_values import number_of
from paclearn.tables.text_values import tidy_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from paclearn.report.facts import SeenFacts
    from paclearn.tables.raw import RawColumn
    from paclearn.tables.table import Table

__all__ = ["about_classes", "first_look"]

_SHOWN = 4
_BY_CHANCE = 5  # times as many repeats as chance has, before they are none
_FEWEST = 5  # rows that make a heap
_ODD_SHARE = 0.002
_FEW_WORDS, _MOST_WORDS = 3, 0.5  # among numbers
_FAR = 0.5  # of the range of all other values, beyond the next of them
_NUMBERS = {-9999.0, -999.0, -99.0, -9.0, -1.0, 99.0, 999.0, 9999.0, 99999.0, 999999.0}
_BOTH, _NEARLY_ALL = re.compile(r"\s*\d+(?:[.,]\d+)?\s*[/x×]\s*\d+(?:[.,]\d+)?\s*"), 0.9
_DAYS = ("1900-01-01", "1899-12-30", "1970-01-01", "2099-12-31", "9999-12-31", "1900-01-00", "1753-01-01")
_WORDS = {
    "-", "--", ".", "..", "unknown", "not known", "none", "missing", "not available", "n.a.", "na", "tbd", "xxx",
    "unbekannt", "keine angabe", "k.a.", "inconnu", "#n/a", "not applicable", "undefined", "(blank)", "(leer)",
}  # fmt: skip


def first_look(table: Table, target: NDArray[Any]) -> list[SeenFacts]:
    """All that is to be said of a table before anything is learned from it."""
    columns = {name: read_any(table, i) for i, name in enumerate(table.names)}
    found = [
        *_repeats(columns, target),
        *_gaps(columns),
        *_odd_values(columns),
        *_same(columns),
        *_spellings(columns),
        *_nearly_numbers(columns),
        *_two_numbers(columns),
    ]
    return [{"sentence": sentence, "fix": fix} for sentence, fix in found]


Seen = tuple[str, str | None]


def _repeats(columns: Mapping[str, RawColumn | Dates], target: NDArray[Any]) -> Iterator[Seen]:
    """Rows that are equal, or equal but for ids, where that is no matter of few columns with few values."""
    used = {name: raw for name, raw in columns.items() if why_set_aside(raw, name) is None}
    again, where, fix = _again(columns, target), "in every column", "--drop-repeats"
    has_ids = len(used) < len(columns)
    if not again and has_ids:
        again, where, fix = _again(used, target), "in every column but those set aside", ""
    if again >= (1 if has_ids else _FEWEST):  # the same id twice is no chance
        do = "repeat" if again > 1 else "repeats"
        yield f"{_rows(again, len(target))} {do} an earlier row {where}, the target included", fix or None


def _again(columns: Mapping[str, RawColumn | Dates], target: NDArray[Any]) -> int:
    """Rows that repeat an earlier one; none where not many more do than by chance, columns being independent."""
    parts = [*columns.values(), target]
    again = len(target) - len(np.unique(row_hashes(parts)))
    alike = np.exp(sum(np.log(_alike(part)) for part in parts))  # the chance that two rows are
    return again if again > _BY_CHANCE * alike * len(target) ** 2 / 2 else 0


def _alike(column: RawColumn | Dates | NDArray[Any]) -> float:
    """The chance that two rows have the same value; of a column of nothing, that is sure."""
    values = column.codes if isinstance(column, Labels) else column if isinstance(column, np.ndarray) else column.values
    counts = np.unique(values, return_counts=True)[1]
    return float(((counts / max(1, len(values))) ** 2).sum()) or 1.0


def _n_values(raw: RawColumn | Dates) -> int:
    return len(raw.labels) if isinstance(raw, Labels) else len(np.unique(raw.values[~raw.missing]))


def _rows(rows: int, n: int) -> str:
    return f"{rows:,} row{'s' * (rows != 1)} ({100 * rows / n:.1f} %)"


# ---- gaps ------------------------------------------------------------------------------------------------------------


def _gaps(columns: Mapping[str, RawColumn | Dates]) -> Iterator[Seen]:
    missing = {name: raw.missing for name, raw in columns.items()}
    gaps = {name: int(mask.sum()) for name, mask in missing.items() if mask.any() and not mask.all()}
    if not gaps:
        return
    n = len(next(iter(missing.values())))
    most = sorted(gaps, key=lambda name: -gaps[name])
    shown = ", ".join(f"{name!r} {100 * gaps[name] / n:.1f} %" for name in most[:_SHOWN])
    more = f" and {len(most) - _SHOWN} more" if len(most) > _SHOWN else ""
    yield f"{len(gaps)} column{'s have' if len(gaps) > 1 else ' has'} gaps: {shown}{more}", None
    together = defaultdict(list)
    for name, rows in gaps.items():
        if rows >= _FEWEST:
            together[missing[name].tobytes()].append(name)
    for names in together.values():
        if len(names) > 1:
            yield f"{_names(names)} are missing in the same {_rows(gaps[names[0]], n)}", None


def _names(names: list[str]) -> str:
    quoted = [repr(name) for name in names]
    return f"{', '.join(quoted[:-1])} and {quoted[-1]}"


# ---- odd values ------------------------------------------------------------------------------------------------------


def _odd_values(columns: Mapping[str, RawColumn | Dates]) -> Iterator[Seen]:
    for name, raw in columns.items():
        for value, rows in _odd(raw):
            what = f"{name!r} is {value} in {_rows(rows, len(raw))}"
            yield f"{what}, which may stand for missing", _missing(name, value)


def _odd(raw: RawColumn | Dates) -> Iterator[tuple[str, int]]:
    """Values that often stand for nothing, and how many rows have them."""
    if isinstance(raw, Labels):
        counts = np.bincount(raw.codes[raw.codes >= 0], minlength=len(raw.labels))
        yield from ((raw.labels[i], int(counts[i])) for i in np.flatnonzero(counts) if _is_no_word(raw.labels[i]))
        return
    values, counts = np.unique(raw.values[~raw.missing], return_counts=True)
    is_heap = counts >= max(_FEWEST, _ODD_SHARE * len(raw))
    for place in (0, len(values) - 1) if len(values) > 2 else ():
        if is_heap[place] and _is_odd(values, place):
            is_date = isinstance(raw, Dates)
            yield str(values[place])[:10] if is_date else format_number(values[place]), int(counts[place])


def _is_no_word(label: str) -> bool:
    return tidy_text(label) in _WORDS


def _is_odd(values: NDArray[Any], place: int) -> bool:
    """The first or last of all values: a number like 999, or a day like 1900-01-01, far from all others."""
    rest = values[1:] if place == 0 else values[:-1]
    if values.dtype.kind == "M":
        return str(values[place])[:10] in _DAYS
    if values[place] not in _NUMBERS:
        return False
    if values[place] == -1:
        return bool(rest[0] >= 0)
    gap = abs(values[place] - (rest[0] if place == 0 else rest[-1]))
    return bool(gap > _FAR * (rest[-1] - rest[0]))


# ---- columns and levels ----------------------------------------------------------------------------------------------


def _same(columns: Mapping[str, RawColumn | Dates]) -> Iterator[Seen]:
    """Columns that are the same but for the names of their values: each tells exactly the same rows apart."""
    alike: dict[bytes, str] = {}
    for name, raw in columns.items():
        if why_set_aside(raw, name) or _n_values(raw) < 2:
            continue
        first = alike.setdefault(_kept_apart(raw), name)
        if first != name:
            yield f"{name!r} says the same as {first!r} in every row", f"--drop {shlex.quote(name)}"


def _kept_apart(raw: RawColumn | Dates) -> bytes:
    """What a column tells apart; where nearly every row has a value of its own, that is their order."""
    found = _partition(raw)
    if isinstance(raw, Labels) or 2 * (found.max() + 1) < len(found):
        return found.tobytes()
    ranks = np.where(raw.missing, -1, np.unique(raw.values, return_inverse=True)[1])
    present = ranks[~raw.missing]
    downwards = len(present) > 1 and present[0] > present[1:][present[1:] != present[0]][0]
    return np.where(raw.missing, -1, ranks.max() - ranks if downwards else ranks).astype(np.float64).tobytes()


def _partition(raw: RawColumn | Dates) -> NDArray[np.int64]:
    """Values numbered in the order in which they first occur, missing as -1."""
    values = raw.codes if isinstance(raw, Labels) else raw.values
    if len(values) and len(values) == _n_values(raw):
        return np.arange(len(values))
    _, first, codes = np.unique(values, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return np.where(raw.missing, -1, number[codes])


def _spellings(columns: Mapping[str, RawColumn | Dates]) -> Iterator[Seen]:
    for name, raw in columns.items():
        if not isinstance(raw, Labels) or why_set_aside(raw, name):
            continue
        shown = _spelt_alike(raw.labels)
        if shown:
            yield f"{name!r} has levels that differ by capitals or blanks only: {shown}", "--tidy"


def _spelt_alike(labels: Iterable[str]) -> str:
    ways = defaultdict(list)
    for label in labels:
        ways[tidy_text(label)].append(label)
    several = [alike for alike in ways.values() if len(alike) > 1]
    return "; ".join(", ".join(map(repr, alike)) for alike in several[:_SHOWN])


def about_classes(name: str, labels: Iterable[str]) -> list[str]:
    """What is to be said where a class is spelt in several ways: no column tells these classes apart."""
    shown = _spelt_alike(labels)
    told = f"“{shorten(name)}” has classes that differ by capitals or blanks only ({shorten(shown, 120)})"
    return [f"{told}, and each counts as one of its own: --tidy makes them one."] if shown else []


def _nearly_numbers(columns: Mapping[str, RawColumn | Dates]) -> Iterator[Seen]:
    """Columns of words of which most are numbers, with the first of those that are none."""
    for name, raw in columns.items():
        if not isinstance(raw, Labels) or raw.exact or len(raw.labels) <= _FEWEST:
            continue
        rows = np.bincount(raw.codes[raw.codes >= 0], minlength=len(raw.labels))
        other = np.isnan([number_of(label) for label in raw.labels]) & (rows > 0)
        if 0 < other.sum() <= _FEW_WORDS and rows[other].sum() < _MOST_WORDS * rows.sum():
            word = raw.labels[int(np.argmax(other))]
            many = _rows(int(rows[other].sum()), len(raw))
            yield f"{name!r} is read as words, since {many} hold no number but {word!r}", _missing(name, word)


def _missing(name: str, word: str) -> str:
    return f"--missing {shlex.quote(f'{name}={word}')}"


def _two_numbers(columns: Mapping[str, RawColumn | Dates]) -> Iterator[Seen]:
    """Two numbers in one value, as blood pressure is written: levels say nothing of which is larger."""
    for name, raw in columns.items():
        if not isinstance(raw, Labels) or len(raw.labels) < _FEWEST:
            continue
        both = [str(label) for label in raw.labels if _BOTH.fullmatch(str(label))]
        if len(both) > _NEARLY_ALL * len(raw.labels):
            found = f"{name!r} holds two numbers in one value ({both[0]!r}) and is read as text"
            yield f"{found}; as two columns they could be compared", None
