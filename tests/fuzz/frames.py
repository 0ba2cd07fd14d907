"""The same table in every library that can hold it, and in several ways in each."""

import numpy as np
import pandas as pd
import pyarrow as pa

try:
    import polars as pl
except ImportError:  # the laws of the others hold without it
    pl = None

TEXT = pa.string()
ARROW = {
    "integers": pa.int64(),
    "bytes of numbers": pa.int8(),
    "large integers": pa.int64(),
    "unsigned": pa.uint64(),
    "floats": pa.float64(),
    "single floats": pa.float32(),
    "half floats": pa.float16(),
    "whole floats": pa.float64(),
    "endless floats": pa.float64(),
    "decimals": pa.decimal128(12, 2),
    "flags": pa.bool_(),
    "dates": pa.timestamp("us"),
    "fine dates": pa.timestamp("us"),
    "zoned dates": pa.timestamp("us", "UTC"),
    "summer times": pa.timestamp("us", "Europe/Berlin"),
    "days": pa.date32(),
    "times": pa.time64("us"),
    "durations": pa.duration("us"),
    "lists": pa.list_(pa.int64()),
    "binary": pa.binary(),
}
PANDAS = {
    "floats": "float64",
    "single floats": "float32",
    "half floats": "float16",
    "whole floats": "float64",
    "endless floats": "float64",
    "dates": "datetime64[us]",
    "fine dates": "datetime64[us]",
    "zoned dates": "datetime64[us, UTC]",
    "summer times": "datetime64[us, Europe/Berlin]",
    "durations": "timedelta64[us]",
}
WHOLE = {
    "integers": "Int64",
    "bytes of numbers": "Int8",
    "large integers": "Int64",
}  # of others pandas makes floats first
NULLABLE = {"words": "string", "many words": "string", "keys": "string", "flags": "boolean"} | WHOLE
LISTED = {"categories", "ordered categories", "more categories"}
UNUSED = ["", "a level of no row", "0"]
NO_ARROW = {"objects"}


def frames_of(kinds: dict, columns: dict, turn: int = 0) -> dict:
    """Frames by the name of their library: pandas as it comes and in another way, Arrow or polars."""
    kinds = {name: _told(kind, columns[name]) for name, kind in kinds.items()}
    made = {"pandas": pd.DataFrame({name: _plain(kinds[name], values) for name, values in columns.items()})}
    made["pandas, otherwise"] = _otherwise(kinds, columns, turn)
    if NO_ARROW.isdisjoint(kinds.values()):
        made["arrow"] = _arrow_frame(kinds, columns, turn)
        if pl is not None:
            made["polars"] = pl.DataFrame([_polars(name, kinds[name], values) for name, values in columns.items()])
    return made


# ---- pandas ----------------------------------------------------------------------------------------------------------


def _told(kind, values):
    """Times are refused, and pandas tells them by their values: where it has none, others have no type of times."""
    return "words" if kind == "times" and all(value is None for value in values) else kind


def _plain(kind, values):
    if kind == "more categories":
        return pd.Categorical(values, categories=_levels(values))
    if kind in LISTED:
        return pd.Categorical(values, ordered=kind != "categories")
    if kind in WHOLE and None in values:
        return pd.Series(values, dtype=WHOLE[kind])
    return pd.Series(values, dtype=PANDAS.get(kind, object))


def _levels(values):
    """Those that occur, and others."""
    return [*UNUSED, *sorted({v for v in values if v is not None} - set(UNUSED))]


def _otherwise(kinds, columns, turn):
    """Types that know missing values, types of Arrow, or another index and columns cut out of a larger frame."""
    make = (_nullable, _of_arrow, _plain)[turn % 3]
    frame = pd.DataFrame({name: make(kinds[name], values) for name, values in columns.items()})
    if turn % 3 < 2 or frame.empty:
        return frame
    cut = pd.concat([frame, frame]).iloc[len(frame) :]
    return cut.set_index(pd.Index(["same"] * len(cut)))


def _nullable(kind, values):
    return pd.Series(values, dtype=NULLABLE[kind]) if kind in NULLABLE else _plain(kind, values)


def _of_arrow(kind, values):
    if kind in LISTED | NO_ARROW:
        return _plain(kind, values)
    return pd.Series(pd.arrays.ArrowExtensionArray(_arrow(kind, values)))


# ---- Arrow -----------------------------------------------------------------------------------------------------------


def _arrow_frame(kinds, columns, turn):
    """Whole, in parts that have dictionaries of their own, cut out of the middle of more, or with wide types."""
    table = pa.table({name: _arrow(kinds[name], values) for name, values in columns.items()})
    how = turn % 4
    if how == 1 and table.num_rows > 1:
        middle = table.num_rows // 2
        parts = [{n: _arrow(kinds[n], v[a:b]) for n, v in columns.items()} for a, b in ((0, middle), (middle, None))]
        return pa.concat_tables([pa.table(part) for part in parts])
    if how == 2:
        return pa.concat_tables([table, table, table]).combine_chunks().slice(table.num_rows, table.num_rows)
    return table.cast(pa.schema([_wide(field) for field in table.schema])) if how == 3 else table


def _wide(field):
    return field.with_type({TEXT: pa.large_string(), pa.binary(): pa.large_binary()}.get(field.type, field.type))


def _arrow(kind, values):
    if kind == "half floats":
        return pa.array(np.array(values, dtype=np.float16), mask=np.array([v is None for v in values], dtype=bool))
    if kind == "more categories":
        levels = _levels(values)
        codes = pa.array([None if v is None else levels.index(v) for v in values], pa.int32())
        return pa.DictionaryArray.from_arrays(codes, pa.array(levels, TEXT))
    made = pa.array(
        [None if v is None or np.isnan(v) else v for v in values] if kind == "endless floats" else values,
        ARROW.get(kind, TEXT),
    )
    return made.dictionary_encode() if kind in LISTED else made


# ---- polars ----------------------------------------------------------------------------------------------------------


def _polars(name, kind, values):
    if kind == "ordered categories":
        return pl.Series(name, values, dtype=pl.Enum(sorted({v for v in values if v is not None})))
    if kind == "more categories":
        return pl.Series(name, values, dtype=pl.Enum(_levels(values)))
    if kind == "half floats":
        return pl.Series(name, values, dtype=pl.Float32)
    if kind in ARROW:
        return pl.from_arrow(pa.table({name: pa.array(values, ARROW[kind])}))[name]
    return pl.Series(name, values, dtype=pl.Categorical if kind == "categories" else pl.String)


# ---- frames that only some can hold ----------------------------------------------------------------------------------


def odd_frames(frame: pd.DataFrame, rng) -> list:
    """What one may pass by mistake or on purpose: names that are none or come twice, plain arrays, lists, nothing."""
    numbers = frame.select_dtypes("number").astype(float)
    made = [
        frame.rename(columns=dict(zip(frame.columns, range(9), strict=False))),
        frame.set_axis(["same"] * frame.shape[1], axis=1),
        frame.set_axis(pd.MultiIndex.from_tuples([("a", i) for i in range(frame.shape[1])]), axis=1),
        frame.set_axis([None, *range(1, frame.shape[1])], axis=1) if frame.shape[1] else frame,
        frame.set_axis(pd.Index(["\ud800"] * frame.shape[1], dtype=object), axis=1),
        frame.to_numpy(),
        frame.to_numpy().tolist(),
        numbers.to_numpy().clip(-1e30, 1e30).astype(np.float32),
        numbers.to_numpy()[::-1],
        frame.iloc[:, :0],
        frame.iloc[:0],
        frame.iloc[:, 0] if frame.shape[1] else frame,
        frame.to_numpy().T,
        {name: frame[name].tolist() for name in frame},
        pa.table({"x": range(len(frame))}).to_batches()[0] if len(frame) else None,
        frame.astype(str).to_records(index=False) if frame.shape[1] else None,
        iter(frame.to_numpy()),
        "frame.csv",
    ]
    return [made[int(rng.integers(len(made)))] for _ in range(2)]
