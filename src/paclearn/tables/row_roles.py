"""Columns that say something about rows and are not learned from: what belongs together, when, how much it counts.

A group or a weight is no property that a model could use for the next row. A time is none either: whatever is learned
from the date itself cannot be carried on beyond the last one. Other columns of dates stay columns like any other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.exceptions import InputError
from paclearn.tables.dates import Dates
from paclearn.tables.files import split_target
from paclearn.tables.groups import group_numbers
from paclearn.tables.raw import Labels, format_number, read_values
from paclearn.tables.weights import counts_or_shares

if TYPE_CHECKING:
    from collections.abc import Iterable

    import narwhals as nw
    from numpy.typing import NDArray

    from paclearn.tables.table import ColumnSubset, Table
    from paclearn.tables.target import Target

__all__ = ["NO_NAMES", "NO_ROLES", "RoleNames", "RowRoles", "read_roles", "split_roles"]


@dataclass(frozen=True)
class RoleNames:
    """Which columns say what belongs together, when a row was, and how much it counts."""

    group: str | None = None
    time: str | None = None
    weight: str | None = None

    @property
    def given(self) -> dict[str, str]:
        """Those that were named, by their role."""
        named = {"group": self.group, "time": self.time, "weight": self.weight}
        return {role: name for role, name in named.items() if name is not None}


@dataclass(frozen=True, eq=False)
class RowRoles:
    """What is known of every row: its group, its time (seconds since 1970, or a number), its weight; None: nothing."""

    groups: NDArray[np.intp] | None = None
    times: NDArray[np.float64] | None = None
    weights: NDArray[np.float64] | None = None
    are_dates: bool = False

    def take(self, rows: NDArray[np.intp]) -> RowRoles:
        """Of some rows."""
        groups = None if self.groups is None else self.groups[rows]
        times = None if self.times is None else self.times[rows]
        weights = None if self.weights is None else self.weights[rows]
        return RowRoles(groups, times, weights, self.are_dates)

    def fit_arguments(self) -> dict[str, Any]:
        """What `fit` of an estimator is to be told: groups only where there are two of them to be kept apart."""
        told: dict[str, Any] = {} if self.weights is None else {"sample_weight": self.weights}
        apart = self.groups is not None and len(self.groups) and self.groups.min() < self.groups.max()
        return told | ({"groups": self.groups} if apart else {})

    def time_in_words(self, time: float) -> str:
        """A moment as a person writes it."""
        if not self.are_dates:
            return format_number(time)
        moment = np.datetime64(int(time), "s")
        return str(moment.astype("datetime64[D]") if moment == moment.astype("datetime64[D]") else moment)


NO_NAMES, NO_ROLES = RoleNames(), RowRoles()


def split_roles(
    table: Table, target: str, drop: Iterable[str], names: RoleNames
) -> tuple[ColumnSubset, nw.Series[Any]]:
    """The columns to learn from, and the target column: neither are those of groups, times and weights."""
    for role, name in names.given.items():
        if name == target:
            raise InputError(f"the target {target!r} cannot be the {role} as well; name another column")
    return split_target(table, target, [*drop, *names.given.values()])


def read_roles(table: Table, names: RoleNames, target: Target) -> tuple[Target, RowRoles]:
    """What the named columns say of the rows that have a target; rows of weight nought leave it."""
    if names.weight is not None:
        weights = _weights(_column(table, names.weight, target), f"the weight {names.weight!r}")
        target = replace(target, weights=weights).counted()
    groups = times = None
    if names.group is not None:
        column = _column(table, names.group, target)
        groups = group_numbers(column, len(target.values), f"the group {names.group!r}")
    are_dates = False
    if names.time is not None:
        times, are_dates = _times(_column(table, names.time, target), f"the time {names.time!r}")
    return target, RowRoles(groups, times, target.weights, are_dates)


def _column(table: Table, name: str, target: Target) -> Any:
    column = table.column(table.names.index(name))
    return column if target.rows is None else column[target.rows]


def _weights(column: Any, place: str) -> NDArray[np.float64]:
    raw = read_values(column, place)
    if isinstance(raw, Labels | Dates):
        raise InputError(
            f"{place} holds {'dates' if isinstance(raw, Dates) else 'text'}; weights are numbers, 0 or more"
        )
    weights = np.asarray(raw.values, dtype=np.float64)
    for wrong, what in ((np.isnan(weights), "missing"), (np.isinf(weights), "infinite"), (weights < 0, "negative")):
        if wrong.any():
            raise InputError(
                f"{place} is {what} in {wrong.sum()} of {len(weights)} rows (first: row {wrong.argmax()}); "
                "weights are numbers, 0 or more"
            )
    if not weights.any():
        raise InputError(f"{place} is 0 in every row; at least one row must count")
    return counts_or_shares(weights)


def _times(column: Any, place: str) -> tuple[NDArray[np.float64], bool]:
    """Seconds or numbers, and whether they were dates."""
    raw = read_values(column, place)
    if isinstance(raw, Labels):
        raw = _dates_of_words(raw, place)
    if raw.missing.any():
        raise InputError(
            f"{place} is missing in {raw.missing.sum()} of {len(raw)} rows (first: row {raw.missing.argmax()}); "
            "what has no time is neither past nor future: fill it in, or leave those rows out"
        )
    are_dates = isinstance(raw, Dates)
    times = np.asarray(raw.values.astype("datetime64[s]").astype(np.int64) if are_dates else raw.values, np.float64)
    if times.min() == times.max():
        raise InputError(f"{place} is the same in all {len(times)} rows; there is no past to learn from")
    return times, are_dates


def _dates_of_words(raw: Labels, place: str) -> Dates:
    """Text of data frames, year first; files have theirs read before."""
    try:
        known = np.array([*raw.labels, "NaT"], dtype="datetime64[s]")
    except ValueError:
        odd = next(label for label in raw.labels if not _is_date(label))
        raise InputError(
            f"{place} holds text such as {odd!r}, which is neither a date nor a number; write dates as 2025-01-31"
        ) from None
    return Dates(known[raw.codes])


def _is_date(label: str) -> bool:
    try:
        np.datetime64(label, "s")
    except ValueError:
        return False
    return True
