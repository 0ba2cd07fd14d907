"""Any set of codes of a column as a question in words: ``24 < age <= 41``, ``colour != red``, ``x in {a, b}``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paclearn.encoding.domain import BinColumn, Bit, LevelColumn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paclearn.encoding.domain import Column

__all__ = ["condition", "in_order", "in_words", "level_in_words", "runs"]


def condition(column: Column, place: int, codes: Iterable[int]) -> Bit:
    """The question whether a row of a column, number ``place`` of its domain, has one of some codes."""
    wanted = tuple(sorted(set(codes)))
    return Bit(in_words(column, wanted), place, wanted)


def in_words(column: Column, codes: Iterable[int]) -> str:
    """The same in words. A value that was never seen has no code, and so the answer is no, whatever the question."""
    wanted = set(codes)
    absent = {column.n_codes - 1} if column.missing else set()
    present = set(range(column.n_codes)) - absent
    if not wanted:
        return f"{column.name} is never"
    if wanted >= present:  # "is known" and, with what is missing, everything
        return f"{column.name} is anything" if wanted >= absent else f"{column.name} is not missing"
    said = [_of_numbers(column, wanted - absent) if _has_order(column) else _of_levels(column, wanted - absent)]
    if wanted & absent:
        said = [text for text in said if text] + [f"{column.name} is missing"]
    return " or ".join(said)


def level_in_words(level: str) -> str:
    """Its name, with marks around one that is nothing but blanks."""
    return level if level.strip() else f"'{level}'"


def runs(places: Iterable[int]) -> list[tuple[int, int]]:
    """Whole numbers as runs of neighbours, first and last."""
    found: list[tuple[int, int]] = []
    for place in sorted(places):
        if found and place == found[-1][1] + 1:
            found[-1] = (found[-1][0], place)
        else:
            found.append((place, place))
    return found


def in_order(column: Column) -> list[int] | None:
    """The codes of a column of numbers, from the smallest to the largest, what is missing aside; None of any other."""
    return list(_ordered(column)[0]) if _has_order(column) else None


def _has_order(column: Column) -> bool:
    return isinstance(column, BinColumn) or (isinstance(column, LevelColumn) and column.numeric and not column.other)


def _of_numbers(column: Column, wanted: set[int]) -> str:
    """Runs of neighbouring bins, or of neighbouring numbers; all numbers but one between others."""
    order, uppers = _ordered(column)
    if isinstance(column, LevelColumn) and len(wanted) == len(order) - 1 and {order[0], order[-1]} <= wanted:
        (missed,) = set(order) - wanted
        return f"{column.name} != {column.levels_in_words[missed]}"
    place = {code: i for i, code in enumerate(order)}
    return " or ".join(_run(column, first, last, uppers) for first, last in runs(place[code] for code in wanted))


def _ordered(column: Column) -> tuple[Sequence[int], list[str]]:
    """Codes from small numbers to large ones, and the largest number of each but, for bins, the last."""
    if isinstance(column, BinColumn):
        return range(len(column.thresholds) + 1), list(column.cuts)
    assert isinstance(column, LevelColumn)  # noqa: S101 - there are two kinds of columns
    order = np.argsort([float(level) for level in column.levels], kind="stable").tolist()
    return order, [column.levels_in_words[code] for code in order]


def _run(column: Column, first: int, last: int, uppers: list[str]) -> str:
    n_places = len(uppers) + isinstance(column, BinColumn)
    if isinstance(column, LevelColumn) and first == last:
        return f"{column.name} = {uppers[first]}"
    if first == 0:
        return f"{column.name} <= {uppers[last]}"
    if last == n_places - 1:
        return f"{column.name} > {uppers[first - 1]}"
    return f"{uppers[first - 1]} < {column.name} <= {uppers[last]}"


def _of_levels(column: Column, wanted: set[int]) -> str:
    """One level, all but one, or a list of them; of two lists, whichever is shorter."""
    n_present = column.n_codes - column.missing
    words = [level_in_words(name) for name in column.code_names[:n_present]]
    names, others = ([words[i] for i in range(n_present) if (i in wanted) == yes] for yes in (True, False))
    if not names:
        return ""
    if len(others) < len(names) and n_present > 2:
        return f"{column.name} != {others[0]}" if len(others) == 1 else f"{column.name} not in {{{', '.join(others)}}}"
    return f"{column.name} = {names[0]}" if len(names) == 1 else f"{column.name} in {{{', '.join(names)}}}"
