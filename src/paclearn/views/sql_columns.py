"""Questions about a column in SQL: which code a value has, and whether it is one of some."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paclearn.encoding.domain import BinColumn, Column, LevelColumn
from paclearn.views import sql_words as words

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["code_of", "condition"]


def code_of(column: Column, yes: tuple[int, ...] | None) -> str:
    """The code of a value, or 1 and 0 for a bit; the last one for what was never seen."""
    if yes is not None:
        return f"CASE WHEN {condition(column, yes)} THEN 1 ELSE 0 END"
    cases = [f"WHEN {condition(column, (i,))} THEN {i}" for i in range(column.n_codes)]
    return f"CASE {' '.join(cases)} ELSE {column.n_codes} END"


def condition(column: Column, codes: Iterable[int]) -> str:
    """Whether a value has one of some codes; unknown counts as no."""
    wanted = set(codes)
    null = column.missing and column.n_codes - 1 in wanted
    wanted -= {column.n_codes - 1} if column.missing else set()
    parts = [f"{words.identifier(column.own_name)} IS NULL"] * null
    if wanted:
        parts.append(_of_levels(column, wanted) if isinstance(column, LevelColumn) else _of_bins(column, wanted))
    return f"({' OR '.join(parts)})" if parts else "1 = 0"


def _of_levels(column: LevelColumn, wanted: set[int]) -> str:
    with_rest = column.other and len(column.levels) in wanted
    listed = [level for i, level in enumerate(column.levels) if (i in wanted) != with_rest]
    if not column.numeric:
        said = [word for level in listed for word in column.words_for(level)]
        return words.among_words(column.own_name, said, inside=not with_rest, null=False)
    literals = [words.exact_number(float(level)) for level in listed]
    return words.among(column.own_name, words.identifier(column.own_name), literals, inside=not with_rest, null=False)


def _of_bins(column: Column, wanted: set[int]) -> str:
    """Runs of neighbouring bins."""
    assert isinstance(column, BinColumn)  # noqa: S101 - there are two kinds of columns
    name, cuts = words.identifier(column.own_name), column.thresholds
    parts = []
    for start in sorted(i for i in wanted if i - 1 not in wanted):
        stop = start
        while stop + 1 in wanted:
            stop += 1
        bounds = [f"{name} > {words.number(cuts[start - 1])}"] if start > 0 else []
        bounds += [f"{name} <= {words.number(cuts[stop])}"] if stop < len(cuts) else []
        parts.append(" AND ".join(bounds) or f"{name} IS NOT NULL")
    return " OR ".join(f"({part})" for part in parts) if len(parts) > 1 else "".join(parts)
