"""A column as the user has it -> numbers or labels, the same whatever library holds it."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import narwhals as nw
import numpy as np

from paclearn.exceptions import ColumnError
from paclearn.tables.dates import (
    Dates,
    ValueColumn,
    are_dates,
    dates_of_array,
    dates_of_objects,
    dates_of_series,
)
from paclearn.tables.single_values import (
    FLAGS,
    LARGEST_EXACT,
    format_number,
    is_flag,
    is_large,
    is_missing,
    is_number,
    label_text,
    number_of,
    refuse_no_values,
)
from paclearn.tables.table import row_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from paclearn.tables.table import Table

__all__ = [
    "FLAGS",
    "Dates",
    "Labels",
    "Numbers",
    "RawColumn",
    "SmallIntegers",
    "format_number",
    "label_text",
    "number_of",
    "read_any",
    "read_column",
    "read_raw",
    "read_values",
]

_FEW_COMPARED = 16  # numbers; beyond, one pass that adds them up is as fast


@dataclass(frozen=True)
class Numbers(ValueColumn):
    """A numeric column; ``few`` numbers, such as months, are each kept apart, and not cut into bins."""

    values: NDArray[np.float64]
    few: bool = False


@dataclass(frozen=True)
class SmallIntegers:
    """A numeric column of few integers, none missing: ``first + offsets[row]`` is the number of a row.

    What is learned or looked up of the numbers is learned or looked up once for each of them, not for each row.
    """

    first: int
    offsets: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.offsets)

    def __getitem__(self, rows: NDArray[np.intp]) -> SmallIntegers:
        return SmallIntegers(self.first, self.offsets[rows])

    @property
    def n_bytes(self) -> int:
        return self.offsets.nbytes

    @cached_property
    def span(self) -> NDArray[np.float64]:
        """All numbers from the smallest to the largest."""
        return np.arange(self.first, self.first + int(self.offsets.max(initial=0)) + 1, dtype=np.float64)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How often each of these occurs. A few are compared with: a count is not raised row by row then."""
        if len(self) and len(self.span) <= _FEW_COMPARED:
            return np.array([np.count_nonzero(self.offsets == k) for k in range(len(self.span))], dtype=np.int64)
        return np.bincount(self.offsets, minlength=len(self.span) if len(self) else 0).astype(np.int64)

    @property
    def values(self) -> NDArray[np.float64]:
        return self.span[self.offsets]

    @property
    def missing(self) -> NDArray[np.bool_]:
        return np.zeros(len(self.offsets), dtype=bool)


@dataclass(frozen=True)
class Labels:
    """A column of words: ``labels[codes[row]]`` is the word of a row, code -1 is missing.

    ``exact`` says that the words are numbers, some too large for floats to tell them from their neighbours.
    """

    codes: NDArray[np.integer[Any]]
    labels: tuple[str, ...]
    exact: bool = False

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: NDArray[np.intp]) -> Labels:
        return Labels(self.codes[rows], self.labels, self.exact)

    @property
    def n_bytes(self) -> int:
        return self.codes.nbytes

    @property
    def missing(self) -> NDArray[np.bool_]:
        return self.codes < 0


RawColumn: TypeAlias = Numbers | SmallIntegers | Labels


def read_column(table: Table, position: int) -> RawColumn:
    """A column of a table as numbers or labels; dates, infinities and nested values are refused."""
    return _no_dates(read_any(table, position), f"column {table.names[position]!r}")


def read_any(table: Table, position: int) -> RawColumn | Dates:
    """A column of a table as numbers, labels or dates; infinities and nested values are refused."""
    column = table.column(position)
    if isinstance(column, RawColumn | Dates):  # read before, and kept
        return column
    name = table.names[position]
    raw = read_values(column, f"column {name!r}")
    infinite = np.isinf(raw.values) if isinstance(raw, Numbers) else np.zeros(0, dtype=bool)
    if infinite.any():
        rows = row_numbers(table)
        first = int(infinite.argmax() if rows is None else rows[infinite].min())
        raise ColumnError(
            f"column {name!r} holds {infinite.sum()} infinite value(s) (inf), the first in row {first}; "
            "replace them by a missing value or by a large number"
        )
    return raw


def read_raw(column: Any, place: str) -> RawColumn:
    """A narwhals Series or an array as numbers, which may be infinite, or labels; ``place`` is for error texts."""
    return _no_dates(read_values(column, place), place)


def read_values(column: Any, place: str) -> RawColumn | Dates:
    """The same, where dates are welcome too."""
    if isinstance(column, RawColumn | Dates):
        return column
    return _read_series(column, place) if isinstance(column, nw.Series) else _read_array(np.asarray(column), place)


def _no_dates(raw: RawColumn | Dates, place: str) -> RawColumn:
    if isinstance(raw, Dates):
        found = "the first is " + next((str(v) for v in raw.values[~raw.missing]), "missing")
        raise ColumnError(
            f"{place} holds dates or times ({found}), which are neither numbers nor categories; "
            "turn it into one first (year, month, weekday, days since ...) or drop it"
        )
    return raw


# ---- data frames -----------------------------------------------------------------------------------------------------


def _read_series(series: nw.Series[Any], place: str) -> RawColumn | Dates:
    dtype = series.dtype
    if dtype.is_temporal():
        return dates_of_series(series, place)
    if dtype == nw.Decimal:
        return _read_decimals(series, place)
    if dtype.is_numeric():
        return _read_integer_series(series, place) if dtype.is_integer() else Numbers(_floats(series))
    if dtype == nw.Boolean:
        return _read_array(_nullable_flags(series), place)
    if isinstance(dtype, nw.String | nw.Categorical | nw.Enum):
        return _factorize(series, place)
    if dtype.is_nested() or isinstance(dtype, nw.Binary) or _is_union(series):
        raise ColumnError(f"{place} holds {dtype}; paclearn reads numbers, text, categories and booleans")
    return _read_objects(series.to_list(), place)


def _read_integer_series(series: nw.Series[Any], place: str) -> RawColumn | Dates:
    if isinstance(series.dtype, nw.Int128 | nw.UInt128):  # which numpy has not
        return _read_objects(series.to_list(), place)
    if len(series) and (_is_of_numpy(series) or not series.null_count()):
        return _read_integers(np.asarray(series.to_numpy()))
    largest, smallest = series.max(), series.min()
    if not is_missing(largest) and max(int(largest), -int(smallest)) > LARGEST_EXACT:
        return _exact_labels(series.to_list())
    return Numbers(_floats(series))


def _read_decimals(series: nw.Series[Any], place: str) -> RawColumn | Dates:
    """The nearest floats, by way of text: Arrow multiplies by a power of ten, which may be the neighbour."""
    floats = _floats(series.cast(nw.String).cast(nw.Float64))
    return _read_objects(series.to_list(), place) if (np.abs(floats) > LARGEST_EXACT).any() else Numbers(floats)


def _floats(series: nw.Series[Any]) -> NDArray[np.float64]:
    if not _is_of_numpy(series) and series.null_count():
        series = series.cast(nw.Float64)
    return np.asarray(series.to_numpy(), dtype=np.float64)


def _is_of_numpy(series: nw.Series[Any]) -> bool:
    """Whether the numbers are an array of numpy's already, in which none is null, or those that are read NaN."""
    return series.implementation.is_pandas_like() and isinstance(series.to_native().dtype, np.dtype)


def _nullable_flags(series: nw.Series[Any]) -> NDArray[Any]:
    return np.array(series.to_list(), dtype=object) if series.null_count() else series.to_numpy().astype(bool)


def _is_union(series: nw.Series[Any]) -> bool:
    return series.implementation.is_pyarrow() and "union" in str(series.to_native().type)


def _factorize(series: nw.Series[Any], place: str) -> Labels:
    """Each library's own dictionary encoding is ten times faster than a walk over Python strings."""
    native = series.to_native()
    for is_its, factorize in _FACTORIZERS:
        if is_its(series.implementation):
            codes, levels = factorize(native)
            refuse_no_values(levels, place)
            return _merge_equal(np.asarray(codes), [label_text(v) for v in levels])
    return _labels_of(series.to_list())


def _factorize_pandas(native: Any) -> tuple[Any, Any]:
    return native.factorize()


def _factorize_polars(native: Any) -> tuple[Any, Any]:
    import polars as pl

    is_coded = isinstance(native.dtype, pl.Categorical | pl.Enum)
    physical = (native if is_coded else native.cast(pl.Categorical)).to_physical()
    missing = native.is_null().to_numpy() if native.null_count() else np.zeros(len(native), dtype=bool)
    codes = (physical.fill_null(0) if missing.any() else physical).to_numpy()
    # physical codes may be those of a pool that other columns share: number the ones that occur here anew
    row_of_code = np.full(int(codes.max(initial=0)) + 1, -1)
    rows = np.flatnonzero(~missing)
    row_of_code[codes[rows]] = rows
    present = np.flatnonzero(row_of_code >= 0)
    renumbered = np.full(len(row_of_code), -1)
    renumbered[present] = np.arange(len(present))
    return np.where(missing, -1, renumbered[codes]), native.gather(row_of_code[present]).to_list()


def _factorize_arrow(native: Any) -> tuple[Any, Any]:
    import pyarrow as pa

    if pa.types.is_dictionary(native.type) and any(part.dictionary.null_count for part in native.chunks):
        native = pa.chunked_array([part.dictionary_decode() for part in native.chunks])  # such are not combined
    # encoded before it is combined: the words of all chunks together may be more than one array holds
    encoded = (native if pa.types.is_dictionary(native.type) else native.dictionary_encode()).combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):  # nothing to combine, or an older pyarrow
        encoded = encoded.unify_dictionaries().chunk(0) if encoded.num_chunks else pa.array([], native.type)
    levels = encoded.dictionary.to_pylist()
    indices = encoded.indices.cast(pa.int64())  # those of polars have no sign
    codes = indices.fill_null(-1).to_numpy(zero_copy_only=False)
    absent = [i for i, level in enumerate(levels) if is_missing(level)]  # a null may stand in the dictionary as well
    codes = np.where(np.isin(codes, absent), -1, codes) if absent else codes
    return codes, ["" if is_missing(level) else level for level in levels]


_FACTORIZERS: tuple[tuple[Callable[[Any], bool], Callable[[Any], tuple[Any, Any]]], ...] = (
    (lambda library: library.is_pandas(), _factorize_pandas),
    (lambda library: library.is_polars(), _factorize_polars),
    (lambda library: library.is_pyarrow(), _factorize_arrow),
)


# ---- arrays ----------------------------------------------------------------------------------------------------------


def _read_array(values: NDArray[Any], place: str) -> RawColumn | Dates:
    kind = values.dtype.kind
    if kind in "iu" and len(values):
        return _read_integers(values)
    if kind in "iuf":
        return Numbers(values.astype(np.float64, copy=False))
    if kind == "b":
        return Labels(values.astype(np.int8), ("False", "True"))
    if kind == "c":
        raise ColumnError(
            f"Complex data not supported: {place} holds complex numbers, which have no order; "
            "take their real and imaginary parts"
        )
    if kind == "M":
        return dates_of_array(values)
    if kind == "m":
        raise _durations(place, values.dtype)
    if kind in "US":
        words = values if kind == "U" else np.char.decode(values, "utf-8", "replace")
        labels, codes = np.unique(words, return_inverse=True)
        return Labels(codes, tuple(labels.tolist()))
    objects = values.tolist()
    return _words(objects) if set(map(type, objects)) == {str} else _read_objects(objects, place)


def _durations(place: str, found: object) -> ColumnError:
    return ColumnError(
        f"{place} holds dates or times or durations ({found}) that are no column of dates; "
        "turn it into numbers first (hours, days since ...) or drop it"
    )


def _read_integers(values: NDArray[np.integer[Any]]) -> RawColumn:
    low, high = int(values.min()), int(values.max())
    if max(high, -low) > LARGEST_EXACT:
        return _exact_labels(values.tolist())
    if high - low < 256:
        shifted = values - values.dtype.type(low) if low else values
        return SmallIntegers(low, shifted.astype(np.uint8, copy=False))
    return Numbers(values.astype(np.float64))


def _read_objects(values: list[Any], place: str) -> RawColumn | Dates:
    """What a value is called does not depend on the others: numbers among words, or flags, are words."""
    present = [v for v in values if type(v) is str or not is_missing(v)]
    if present and set(map(type, present)) <= {int, float} and max(map(abs, present)) <= LARGEST_EXACT:  # most often
        return Numbers(np.array([np.nan if is_missing(v) else v for v in values], dtype=np.float64))
    if present and are_dates(present):
        return dates_of_objects(values)
    if any(isinstance(v, dt.date | dt.time | dt.timedelta | np.datetime64) for v in present):
        raise _durations(place, "Python objects, not all of them dates")
    refuse_no_values(present, place)
    if present and all(map(is_flag, present)):
        return Labels(np.array([-1 if is_missing(v) else int(v) for v in values], dtype=np.int8), ("False", "True"))
    if not all(map(is_number, present)):
        return _labels_of(values)
    if any(map(is_large, present)):
        return _exact_labels(values)
    return Numbers(np.array([np.nan if is_missing(v) else float(v) for v in values], dtype=np.float64))


def _exact_labels(values: Iterable[Any]) -> Labels:
    """A float would confuse neighbours: such numbers are names."""
    named = _labels_of(values)
    return Labels(named.codes, named.labels, exact=True)


def _words(values: list[str]) -> Labels:
    """Of nothing but words, each is looked at once, however many rows have it."""
    seen = {word: i for i, word in enumerate(dict.fromkeys(values))}
    return Labels(np.fromiter(map(seen.__getitem__, values), np.int64, len(values)), tuple(seen))


def _labels_of(values: Iterable[Any]) -> Labels:
    seen: dict[str, int] = {}
    codes = [-1 if is_missing(v) else seen.setdefault(label_text(v), len(seen)) for v in values]
    return Labels(np.array(codes, dtype=np.int64), tuple(seen))


def _merge_equal(codes: NDArray[Any], labels: list[str]) -> Labels:
    """Two levels that read the same (1 and "1") are one."""
    seen: dict[str, int] = {}
    merged = np.array([seen.setdefault(label, len(seen)) for label in labels], dtype=np.int64)
    if len(seen) < len(labels):
        codes = np.where(codes < 0, -1, np.append(merged, -1)[codes])
    return Labels(codes, tuple(seen))
