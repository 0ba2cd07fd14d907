"""Columns of few whole numbers that share them with another are taken for levels, so that the two can be compared.

The ranks of five cards, the answers to ten questions, the eyes of two dice: cut into bins, nobody can tell any more
whether two of them are the same.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.comparisons import is_shared
from paclearn.encoding.domain import BinColumn, LevelColumn
from paclearn.encoding.learning import thresholds
from paclearn.encoding.table_codes import learn_and_encode
from paclearn.tables.lazy_columns import LazyColumns, columns_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.domain import Column, Domain
    from paclearn.encoding.learning import EncodingRules
    from paclearn.tables.table import Table

__all__ = ["compared", "learn_and_encode_compared"]

_MOST_KINDS = 300  # sets of numbers that one is compared with


def learn_and_encode_compared(
    table: Table, rules: EncodingRules, weights: NDArray[np.float64] | None = None
) -> tuple[Domain, Sequence[NDArray[np.unsignedinteger[Any]]]]:
    """As `learn_and_encode`, but with columns of the same few whole numbers as levels.

    Parameters
    ----------
    table, rules, weights : Table, EncodingRules, ndarray or None
        As of `learn_and_encode`.
    """
    return compared(*learn_and_encode(table, rules.keeping_few, weights), rules, weights)


def compared(
    domain: Domain, found: Any, rules: EncodingRules, weights: NDArray[np.float64] | None = None
) -> tuple[Domain, Sequence[NDArray[np.unsignedinteger[Any]]]]:
    """Columns of few whole numbers, which were all kept apart, cut into bins where no other one shares their numbers.

    Parameters
    ----------
    domain, found : Domain, codes
        What was learned with few numbers kept.
    rules, weights : EncodingRules, ndarray or None
        As of `learn_and_encode`.
    """
    columns, codes = list(domain.columns), columns_of(found)
    finer = {i: c for i, c in enumerate(columns) if isinstance(c, LevelColumn) and _was_kept(c, rules)}
    bins: dict[int, NDArray[np.unsignedinteger[Any]]] = {}
    for place in finer.keys() - _alike({i: frozenset(c.levels) for i, c in finer.items()}):
        columns[place], bins[place] = _cut(finer[place], codes[place], rules.n_bins, weights)
    return replace(domain, columns=tuple(columns)), _looked_up(codes, bins)


def _was_kept(column: LevelColumn, rules: EncodingRules) -> bool:
    """Whether it has more numbers than there are bins; months always have."""
    is_month = column.source is not None and column.source.part == "month"
    return column.numeric and not column.other and len(column.levels) > rules.n_bins and not is_month


def _alike(levels: Mapping[int, frozenset[str]]) -> set[int]:
    """Those that share their levels with another."""
    columns = Counter(levels.values())
    shared = {kind for kind in columns if len(kind) > 2 and (columns[kind] > 1 or _has_like(kind, columns))}
    return {place for place, kind in levels.items() if kind in shared}


def _has_like(kind: frozenset[str], kinds: Iterable[frozenset[str]]) -> bool:
    return any(other != kind and is_shared(kind, other) for other in islice(kinds, _MOST_KINDS))


def _cut(
    column: LevelColumn, codes: NDArray[Any], n_bins: int, weights: NDArray[np.float64] | None
) -> tuple[Column, NDArray[np.unsignedinteger[Any]]]:
    """The column in bins after all, and the bin of every level; what is missing stays so."""
    values = np.array(column.levels, dtype=np.float64)
    counts = np.bincount(codes, weights, len(values))[: len(values)].astype(np.float64)
    cuts = thresholds(values, counts, n_bins)
    found = BinColumn(column.name, column.position, column.missing, cuts, source=column.source)
    places = np.searchsorted(cuts, values, side="left")
    return found, np.concatenate([places, [len(cuts) + 1] * column.missing]).astype(found.dtype)


def _looked_up(
    codes: Sequence[NDArray[Any]], others: Mapping[int, NDArray[Any]]
) -> Sequence[NDArray[np.unsignedinteger[Any]]]:
    """Codes, of some columns by way of others: at once where they are in memory."""

    def column(place: int) -> NDArray[Any]:
        return others[place][codes[place]] if place in others else np.asarray(codes[place])

    return LazyColumns(len(codes), column) if isinstance(codes, LazyColumns) else [*map(column, range(len(codes)))]
