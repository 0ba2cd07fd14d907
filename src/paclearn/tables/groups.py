"""Groups of rows that belong together: several visits of a patient, several months of a shop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from paclearn.exceptions import InputError
from paclearn.tables.raw import Labels, read_values
from paclearn.tables.table import refuse_uncollected

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["group_numbers"]


def group_numbers(groups: Any, n_rows: int, place: str = "groups") -> NDArray[np.intp]:
    """The group of every row, numbered in the order of what the groups are called; two of them at the least.

    Parameters
    ----------
    groups : array-like of shape (n_rows,)
        Text, numbers, categories or dates, none of them missing.
    n_rows : int
        As many as the table has.
    place : str, default="groups"
        What error texts call it.
    """
    refuse_uncollected(groups, place)
    series = nw.from_native(groups, pass_through=True, allow_series=True)
    column = series if isinstance(series, nw.Series) else _column(groups, place)
    if len(column) != n_rows:
        raise InputError(f"{place} has {len(column)} values and the table {n_rows} rows; one value a row is needed")
    raw = read_values(column, place)
    if raw.missing.any():
        raise InputError(
            f"{place} is missing in {raw.missing.sum()} of {n_rows} rows (first: row {raw.missing.argmax()}); "
            "a row without a group may belong to any of them: fill it in, or leave those rows out"
        )
    values = np.array(raw.labels, dtype=object)[raw.codes] if isinstance(raw, Labels) else raw.values
    names, numbers = np.unique(values, return_inverse=True)
    if len(names) < 2:
        raise InputError(
            f"{place} holds one group only ({names[0]} in all {n_rows} rows); at least two are needed to keep one apart"
        )
    return numbers.astype(np.intp)


def _column(groups: Any, place: str) -> NDArray[Any]:
    column = np.asarray(groups)
    if column.ndim == 2 and column.shape[1] == 1:
        column = column[:, 0]
    if column.ndim != 1:
        raise InputError(f"{place} has shape {column.shape}; one value a row is needed")
    return column
