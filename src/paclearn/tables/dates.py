"""Columns of dates and times, whatever library holds them: whole seconds by the clock on the wall."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import narwhals as nw
import numpy as np

from paclearn.exceptions import ColumnError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["Dates", "ValueColumn", "are_dates", "dates_of_array", "dates_of_objects", "dates_of_series"]

_SECONDS = "datetime64[s]"


@dataclass(frozen=True)
class ValueColumn:
    """A column that is what it was read as, with a value of its own kind (NaN, NaT) where one is missing."""

    values: NDArray[Any]

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: NDArray[np.intp]) -> Self:
        return replace(self, values=self.values[rows])

    @property
    def n_bytes(self) -> int:
        return self.values.nbytes

    @property
    def missing(self) -> NDArray[np.bool_]:
        return np.isnan(self.values)


@dataclass(frozen=True)
class Dates(ValueColumn):
    """A column of dates or times."""

    values: NDArray[np.datetime64]


def dates_of_array(values: NDArray[Any]) -> Dates:
    """Of numpy's own kind."""
    if np.datetime_data(values.dtype)[0] == "as":  # of which numpy makes no seconds at once
        values = values.astype("datetime64[ns]")
    return Dates(values.astype(_SECONDS))


def dates_of_series(series: nw.Series[Any], place: str) -> Dates:
    """Of a data frame; a zone is left aside, so that nine o'clock is nine o'clock."""
    dtype = series.dtype
    if isinstance(dtype, nw.Datetime) and dtype.time_zone is not None:
        series = series.dt.replace_time_zone(None)
    elif not isinstance(dtype, nw.Datetime | nw.Date):
        raise ColumnError(
            f"{place} holds dates or times or durations ({dtype}) that are no column of dates; "
            "turn it into numbers first (hours, days since ...) or drop it"
        )
    found = np.asarray(series.to_numpy())
    return dates_of_objects(found.tolist()) if found.dtype.kind == "O" else dates_of_array(found)


def are_dates(values: Iterable[Any]) -> bool:
    """Whether Python values are all dates or moments."""
    return all(isinstance(value, dt.date | np.datetime64) for value in values)


def dates_of_objects(values: Iterable[Any]) -> Dates:
    """Of Python's own kind; what is no date is missing."""
    return Dates(np.array([_plain(value) for value in values], dtype=_SECONDS))


def _plain(value: Any) -> Any:
    if type(value).__name__ == "NaTType" or not isinstance(value, dt.date | np.datetime64):
        return np.datetime64("NaT", "s")
    plain: Any = value.replace(tzinfo=None) if isinstance(value, dt.datetime) else value
    return np.datetime64(plain, "s")
