"""A table that somebody copied: every row stands there ten times, and is one draw all the same.

Learners that gather equal rows see it in their `Draws`; those that count rows as they come ask here. Nearly every table
is known for no copy by its targets, or by a column or two.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.encoding.folds import copies_of
from paclearn.tables.blocks import comes_in_blocks
from paclearn.tables.raw import Labels, read_any
from paclearn.tables.repeats import row_hashes
from paclearn.tables.weights import are_counts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from paclearn.learners.fitting import Rows

__all__ = ["uncopied"]


def uncopied(rows: Rows) -> Rows:
    """The rows of a table that stands there several times, once; other rows as they are.

    Those that come in blocks, or are elsewhere, are left as they are: they would have to be read twice. Weights that
    are whole multiples of one number are copies as well.
    """
    targets: Any = rows.targets
    if not isinstance(targets, np.ndarray) or comes_in_blocks(rows.table):
        return rows
    rows = _weighing_less(rows)
    if _is_single(rows.targets):
        return rows
    rows = rows.read_once()
    if any(map(_is_single, _columns(rows))):
        return rows
    kind = np.unique(row_hashes(_columns(rows)), return_inverse=True)[1]
    copies = copies_of(np.bincount(kind))
    return rows.take(np.flatnonzero(_rank_in(kind) < (np.bincount(kind) // copies)[kind]))


def _weighing_less(rows: Rows) -> Rows:
    if rows.weights is None or not are_counts(rows.weights):
        return rows
    copies = copies_of(rows.weights.astype(np.int64))
    return rows if copies == 1 else replace(rows, weights=rows.weights / copies)


def _columns(rows: Rows) -> Iterator[Any]:
    """All that makes two rows different."""
    given = (each for each in (rows.targets, rows.groups, rows.weights) if each is not None)
    return chain(given, (read_any(rows.table, i) for i in range(len(rows.table.names))))


def _is_single(column: Any) -> bool:
    """Whether a column alone says that the table stands there once."""
    return int(np.gcd.reduce(np.bincount(_numbers(column)))) == 1


def _numbers(column: Any) -> NDArray[np.intp]:
    """The number of the value of every row."""
    if isinstance(column, Labels):
        return column.codes.astype(np.intp) + 1  # missing is -1
    values = column if isinstance(column, np.ndarray) else column.values
    return values if _are_numbers_of_classes(values) else np.unique(values, return_inverse=True)[1]


def _are_numbers_of_classes(values: NDArray[Any]) -> bool:
    """Whether values may be counted as they are: numbers that nobody has change no divisor."""
    return values.dtype.kind == "i" and values.min() >= 0 and values.max() <= len(values)


def _rank_in(kind: NDArray[np.intp]) -> NDArray[np.intp]:
    """How many rows of its kind stand above every row."""
    order = np.argsort(kind, kind="stable")
    sizes = np.bincount(kind)
    rank = np.empty_like(kind)
    rank[order] = np.arange(len(kind)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return rank
