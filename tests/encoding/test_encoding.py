"""A table becomes bits: the same bits whatever library holds it, with names a person reads."""

import datetime as dt
import decimal
from itertools import pairwise

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from counting_table import CountingTable
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from paclearn import BooleanEncoder, DirectSpectrumRegressor, Domain, JuntaClassifier, JuntaRegressor
from paclearn.encoding import (
    BinColumn,
    EncodingRules,
    LevelColumn,
    encode_columns,
    learn_and_encode,
    learn_bins,
    learn_coordinates,
    read_numbers,
)
from paclearn.encoding.learning import Distinct, cuts_between, learn_distinct
from paclearn.exceptions import ColumnError, EmptyTableError, InputError, InputTypeError
from paclearn.learners.juntas.units import Units
from paclearn.tables.raw import Numbers, format_number
from paclearn.tables.table import ArrayTable, ColumnSubset, FrameTable, RowSubset

COLUMNS = {
    "colour": ["red", "green", None, "blue", "red", "red"] * 20,
    "size": [1, 2, 3, None, 2, 1] * 20,
    "flag": [True, False, True, True, None, False] * 20,
    "age": [float(i % 60) + 0.5 for i in range(120)],
    "answer": ["yes", "no"] * 60,
    "same": ["x"] * 120,
}
FRAMES = {
    "pandas": pd.DataFrame,
    "pandas-arrow": lambda columns: pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "pandas-nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "polars": pl.DataFrame,
    "polars-lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "pandas-categorical": lambda columns: pd.DataFrame(columns).astype({"colour": "category", "answer": "category"}),
    "polars-categorical": lambda columns: pl.DataFrame(columns).with_columns(pl.col("colour").cast(pl.Categorical)),
    "polars-enum": lambda columns: pl.DataFrame(columns).with_columns(
        pl.col("colour").cast(pl.Enum(["red", "blue", "green", "never"]))
    ),
    "pyarrow-dictionary": lambda columns: pa.table(
        {**columns, "colour": pa.array(columns["colour"]).dictionary_encode()}
    ),
}


def as_objects(columns):
    return np.array(list(columns.values()), dtype=object).T


def test_names_a_person_reads():
    encoder = BooleanEncoder(n_bins=4).fit(pd.DataFrame(COLUMNS))
    assert list(encoder.get_feature_names_out()) == [
        *("colour=blue", "colour=green", "colour=red", "colour is missing"),
        *("size=1", "size=2", "size=3", "size is missing"),
        *("flag=False", "flag=True", "flag is missing"),
        *("age>15", "age>30", "age>45"),
        "answer=yes",
    ]
    assert encoder.domain_.dropped == (("same", "constant (x)"),)


@pytest.mark.parametrize("library", FRAMES)
def test_every_library_gives_the_same_bits(library):
    reference = BooleanEncoder().fit(pd.DataFrame(COLUMNS))
    frame = FRAMES[library](COLUMNS)
    encoder = BooleanEncoder().fit(frame)
    assert encoder.domain_ == reference.domain_
    expected = reference.transform(pd.DataFrame(COLUMNS))
    np.testing.assert_array_equal(encoder.transform(frame), expected)


def test_an_object_array_gives_the_same_bits_under_numbered_names():
    expected = BooleanEncoder().fit_transform(pd.DataFrame(COLUMNS))
    encoder = BooleanEncoder().fit(as_objects(COLUMNS))
    np.testing.assert_array_equal(encoder.transform(as_objects(COLUMNS)), expected)
    assert encoder.get_feature_names_out()[0] == "x0=blue"


def test_fitted_on_one_library_applied_to_another():
    encoder = BooleanEncoder().fit(pl.DataFrame(COLUMNS))
    expected = encoder.transform(pl.DataFrame(COLUMNS))
    for make in FRAMES.values():
        np.testing.assert_array_equal(encoder.transform(make(COLUMNS)), expected)


def test_bits_are_answers_to_their_names():
    frame = pd.DataFrame(COLUMNS)
    encoder = BooleanEncoder(n_bins=4).fit(frame)
    bits = pd.DataFrame(encoder.transform(frame), columns=encoder.get_feature_names_out())
    assert set(np.unique(bits)) == {-1, 1}
    np.testing.assert_array_equal(bits["colour=red"] == 1, frame["colour"] == "red")
    np.testing.assert_array_equal(bits["colour is missing"] == 1, frame["colour"].isna())
    np.testing.assert_array_equal(bits["age>30"] == 1, frame["age"] > 30)
    np.testing.assert_array_equal(bits["answer=yes"] == 1, frame["answer"] == "yes")
    assert bits.to_numpy().dtype == np.int8


def test_set_output_gives_a_frame_with_the_names():
    frame = BooleanEncoder().set_output(transform="pandas").fit_transform(pd.DataFrame(COLUMNS))
    assert "colour=red" in frame.columns


def test_rare_levels_are_pooled_by_count_by_share_and_by_number():
    words = ["a"] * 500 + ["b"] * 300 + ["c"] * 190 + ["d"] * 4 + ["e"] * 3 + ["f"] * 3
    X = np.array(words, dtype=object)[:, None]
    assert _levels(BooleanEncoder(min_count=5).fit(X)) == ("a", "b", "c", "other")
    assert _levels(BooleanEncoder(min_count=0.2).fit(X)) == ("a", "b", "other")
    assert _levels(BooleanEncoder(min_count=1, max_levels=3).fit(X)) == ("a", "b", "other")
    assert _levels(BooleanEncoder(min_count=1).fit(X)) == tuple("abcdef")


def test_levels_of_one_row_keep_their_name_where_levels_come_back():
    """Good (1953): how many levels have two rows says how often those of one are to be met again."""
    rules = EncodingRules(8, 1, 10_000, recurring=True)
    own, met = tuple(f"name {k}" for k in range(396)), tuple(f"town {k}" for k in range(200))

    def names(once, twice):
        found = Distinct([*once, *twice], np.repeat([1.0, 2.0], [len(once), len(twice)]), False, 400.0, True)
        return learn_distinct(found, "x", 0, rules)

    assert names(own, ("a",)).code_names == ("a", "other")
    assert len(names(met, tuple(f"city {k}" for k in range(100))).code_names) == 300
    assert names(own, ()) == "each of its 396 levels stands in one row"


def test_a_pool_of_one_level_is_that_level():
    X = np.array(["a"] * 500 + ["b"] * 300 + ["c"], dtype=object)[:, None]
    assert _levels(BooleanEncoder().fit(X)) == ("a", "b", "c")


def test_small_tables_keep_their_levels():
    X = np.array([["red"], ["green"], ["red"], ["blue"]], dtype=object)
    assert _levels(BooleanEncoder().fit(X)) == ("blue", "green", "red")


def test_ten_thousand_levels():
    rng = np.random.default_rng(0)
    zipf = np.where(rng.random(60_000) < 0.5, rng.zipf(1.3, 60_000) % 100, rng.integers(100, 20_000, 60_000))
    X = pd.DataFrame({"city": [f"city {i}" for i in zipf]})
    assert X["city"].nunique() > 10_000
    encoder = BooleanEncoder().fit(X)
    assert len(_levels(encoder)) == 64
    assert "city is other" in encoder.get_feature_names_out()
    wide = BooleanEncoder(max_levels=20_000, min_count=1).fit(X)
    assert len(_levels(wide)) > 10_000
    codes = next(iter(wide.domain_.encode(_table(wide, X))))
    assert codes.dtype == np.uint16
    names = np.array(_levels(wide))[codes]
    np.testing.assert_array_equal(names, X["city"])


def test_unseen_levels_are_other_or_answer_no_to_everything():
    train = pd.DataFrame({"a": ["x"] * 50 + ["y"] * 50 + ["r", "s", "t"], "b": ["u", "v", "w"] * 34 + ["u"]})
    encoder = BooleanEncoder().fit(train)
    bits = dict(
        zip(
            encoder.get_feature_names_out(),
            encoder.transform(pd.DataFrame({"a": ["new"], "b": ["new"]}))[0],
            strict=True,
        )
    )
    assert bits == {"a=x": -1, "a=y": -1, "a is other": 1, "b=u": -1, "b=v": -1, "b=w": -1}


def test_missing_where_training_had_none_answers_no():
    encoder = BooleanEncoder(n_bins=2).fit(pd.DataFrame({"a": ["x", "y", "z"] * 10, "b": np.arange(30.0)}))
    assert (encoder.transform(pd.DataFrame({"a": [None], "b": [np.nan]})) == -1).all()


def test_numbers_as_text_at_prediction_time():
    train = pd.DataFrame({"few": [1, 2, 3] * 10, "many": np.arange(30.0)})
    encoder = BooleanEncoder(n_bins=4).fit(train)
    as_text = pd.DataFrame({"few": ["1.0", "2", "9"], "many": ["3", "29", "15"]})
    as_numbers = pd.DataFrame({"few": [1, 2, 9], "many": [3.0, 29.0, 15.0]})
    np.testing.assert_array_equal(encoder.transform(as_text), encoder.transform(as_numbers))
    with pytest.raises(ColumnError, match="column 'many' was numeric in fit and now holds text such as 'lots'"):
        encoder.transform(pd.DataFrame({"few": [1], "many": ["lots"]}))


def test_a_heap_fills_one_bin_and_leaves_the_others_to_the_rest():
    X = np.array([0.0] * 900 + list(range(1, 101)))[:, None]
    column = BooleanEncoder(n_bins=8).fit(X).domain_.columns[0]
    assert isinstance(column, BinColumn)
    assert column.thresholds[0] == 0  # and not 0.5: cuts between whole numbers are whole
    assert len(column.thresholds) == 7
    assert np.allclose(np.diff(column.thresholds), 100 / 7, atol=2)


def test_few_distinct_numbers_stay_levels():
    column = BooleanEncoder(n_bins=4).fit(np.array([[1], [2], [2.5], [1]])).domain_.columns[0]
    assert isinstance(column, LevelColumn)
    assert column.levels == ("1", "2", "2.5")


@given(
    low=st.floats(-1e12, 1e12),
    gap=st.floats(1e-9, 1e9),
)
def test_thresholds_separate_and_are_short(low, gap):
    high = low + gap
    if high > low:
        (cut,) = cuts_between(np.array([low]), np.array([high]))
        assert low <= cut < high


@given(low=st.integers(-(10**9), 10**9), gap=st.integers(1, 10**6))
def test_cuts_between_whole_numbers_are_whole(low, gap):
    (cut,) = cuts_between(np.array([float(low)]), np.array([float(low + gap)]))
    assert cut == np.floor(cut)
    assert low <= cut < low + gap


@pytest.mark.parametrize("n_cuts", [1, 3, 63, 64, 300])
def test_bins_are_how_many_cuts_a_number_is_above(n_cuts):
    rng = np.random.default_rng(n_cuts)
    cuts = np.unique(rng.normal(size=n_cuts).round(2))
    values = np.concatenate([rng.normal(size=9000), cuts, [np.nan, -1e308, 1e308]])
    codes = BinColumn("x", 0, missing=True, thresholds=tuple(cuts.tolist())).encode(Numbers(values))
    above = (values[:, None] > cuts).sum(axis=1)
    np.testing.assert_array_equal(codes, np.where(np.isnan(values), len(cuts) + 1, above))


def fewest_digits(low, high):
    """The cut of two numbers, one number of digits after the other."""
    middle = low + (high - low) / 2
    if low == np.floor(low) and high == np.floor(high):
        middle = float(np.floor(middle))
    tried = (float(f"{middle:.{digits}g}") for digits in range(1, 18)) if low <= middle < high else ()
    return next((cut for cut in tried if low <= cut < high), low)


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=40, unique=True)
    | st.lists(st.floats(-1, 1).map(lambda x: round(x, 3) + 0.0), min_size=2, max_size=40, unique=True)
    | st.lists(st.integers(-4000, 4000).map(lambda i: i / 8), min_size=2, max_size=40, unique=True)  # middles are ties
)
def test_many_cuts_are_those_of_each_pair(numbers):
    values = np.sort(np.array(numbers))
    assert list(cuts_between(values[:-1], values[1:])) == [fewest_digits(*pair) for pair in pairwise(values.tolist())]


@settings(max_examples=50, deadline=None)
@given(
    values=st.lists(st.one_of(st.none(), st.floats(-1e6, 1e6), st.integers(-5, 5)), min_size=2, max_size=60),
    n_bins=st.integers(2, 8),
)
def test_bins_hold_what_their_names_say(values, n_bins):
    numbers = np.array([np.nan if v is None else float(v) for v in values])
    try:
        encoder = BooleanEncoder(n_bins=n_bins).fit(numbers[:, None])
    except EmptyTableError:
        assert len(np.unique(numbers)) <= 1
        return
    names = encoder.get_feature_names_out()
    signs = encoder.transform(numbers[:, None])
    for name, bit in zip(names, signs.T, strict=True):
        if ">" in name:
            np.testing.assert_array_equal(bit == 1, numbers > float(name.split(">")[1]))
    assert all(len(c.code_names) == len(set(c.code_names)) for c in encoder.domain_.columns)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 40),
)
def test_weights_are_repetitions(seed, n):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.choice(list("uvwxyz"), n), "b": rng.normal(size=n).round(1)})
    weights = rng.integers(0, 4, n)
    weights[:2] = 1
    repeated = X.iloc[np.repeat(np.arange(n), weights)]
    try:
        expected = BooleanEncoder(n_bins=3).fit(repeated).domain_
    except EmptyTableError:
        return
    assert BooleanEncoder(n_bins=3).fit(X, sample_weight=weights).domain_ == expected


def test_relative_weights_are_scaled():
    X = pd.DataFrame({"a": ["u"] * 50 + ["v"] * 50 + ["w", "x"]})
    weights = np.full(102, 0.001)
    assert BooleanEncoder().fit(X, sample_weight=weights).domain_ == BooleanEncoder().fit(X).domain_


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int8, np.int64, ">i4"])
@given(n=st.integers(2, 60) | st.just(600), d=st.integers(1, 6), top=st.integers(1, 9), seed=st.integers(0, 999))
@settings(max_examples=25, deadline=None)
def test_a_matrix_of_codes_is_learned_as_its_columns_are(dtype, n, d, top, seed):
    matrix = np.random.default_rng(seed).integers(0, top + 1, (n, d)).astype(dtype)
    native = matrix.astype(matrix.dtype.newbyteorder("="))
    frame = pl.DataFrame({f"x{i}": column for i, column in enumerate(native.T)})
    rules = EncodingRules(8, 5, 64)
    tables = ArrayTable(matrix, tuple(frame.columns)), FrameTable.of(nw.from_native(frame))
    try:
        domain, codes = learn_and_encode(tables[1], rules)
    except EmptyTableError:
        with pytest.raises(EmptyTableError):
            learn_and_encode(tables[0], rules)
        return
    as_whole, same_codes = learn_and_encode(tables[0], rules)
    assert as_whole == domain
    np.testing.assert_array_equal(np.stack(list(same_codes)), np.stack(list(codes)))


def test_numbers_below_nought_are_no_codes():
    matrix = np.tile([[0, 1], [1, -1]], (300, 1))
    names = ("a", "b")
    domain, _ = learn_and_encode(ArrayTable(matrix, names), EncodingRules(8, 5, 64))
    assert domain.columns[1].levels == ("-1", "1")


@pytest.mark.parametrize("weights", [None, np.full(120, 0.5)], ids=["plain", "weighted"])
@pytest.mark.parametrize(
    "learn",
    [
        lambda table, weights: learn_and_encode(table, EncodingRules(8, 5, 64), weights),
        lambda table, weights: learn_bins(table, 254, weights),
        lambda table, weights: learn_coordinates(table, EncodingRules(2, 2, 500), weights),
    ],
    ids=["domain", "bins", "coordinates"],
)
def test_columns_are_learned_and_encoded_in_one_reading(learn, weights):
    table = CountingTable.of(pl.DataFrame(COLUMNS))
    learn(table, weights)
    assert table.each_once()


def test_columns_are_encoded_in_one_reading():
    frame = pl.DataFrame(COLUMNS).drop("same")
    rules = EncodingRules(8, 5, 64)
    domain, codes = learn_and_encode(CountingTable.of(frame), rules)
    table = CountingTable.of(frame)
    np.testing.assert_array_equal(np.stack(list(domain.encode(table))), np.stack(list(codes)))
    assert table.each_once()
    binned, table = learn_bins(CountingTable.of(frame), 254), CountingTable.of(frame)
    np.testing.assert_array_equal(encode_columns(binned.domain.columns, table), binned.codes)
    assert table.each_once()
    columns, matrix = learn_coordinates(CountingTable.of(frame), rules, None)
    table = CountingTable.of(frame)
    np.testing.assert_array_equal(read_numbers(columns, table), matrix)
    assert table.each_once()


def test_bits_of_one_column_are_encoded_in_one_reading():
    domain = BooleanEncoder().fit(pl.DataFrame(COLUMNS)).domain_
    table = CountingTable.of(pl.DataFrame(COLUMNS))
    units = Units(domain, "bit")
    codes = units.encode(table, range(len(units.names)))
    assert table.reads == dict.fromkeys(domain.column_names, 1)
    signs = BooleanEncoder().fit_transform(pl.DataFrame(COLUMNS))
    np.testing.assert_array_equal(np.stack(codes).T, signs > 0)


def test_some_rows_of_some_columns_are_read_once():
    table = CountingTable.of(pl.DataFrame(COLUMNS))
    some = RowSubset(ColumnSubset(table, (4, 0, 1)), np.arange(60))
    assert some.names == ("answer", "colour", "size")
    learn_and_encode(some, EncodingRules(8, 5, 64))
    assert table.reads == {"answer": 1, "colour": 1, "size": 1}


def test_sparse_equals_dense():
    dense = np.random.default_rng(0).integers(0, 3, (50, 4))
    for matrix in (sparse.csr_matrix, sparse.csc_array):
        np.testing.assert_array_equal(
            BooleanEncoder().fit_transform(matrix(dense)), BooleanEncoder().fit_transform(dense)
        )


@pytest.mark.parametrize(
    "times",
    [
        pl.Series([dt.timedelta(days=d) for d in (1, 2, 3)]),
        pl.Series([dt.time(d) for d in (1, 2, 3)]),
        pd.Series([dt.time(d) for d in (1, 2, 3)], dtype=object),
        pd.Series([dt.date(2024, 1, 1), "soon", 3], dtype=object),
    ],
    ids=["durations", "times of day", "objects", "not only dates"],
)
def test_times_that_are_no_dates_are_refused_with_a_hint(times):
    frame = (pd if isinstance(times, pd.Series) else pl).DataFrame({"when": times, "b": [1, 2, 3]})
    with pytest.raises(ColumnError, match=r"column 'when' holds dates or times or durations .*hours, days since"):
        BooleanEncoder().fit(frame)


@pytest.mark.parametrize("column", [pl.Series([[1], [2], [3]]), pl.Series([b"a", b"b", b"c"])], ids=["list", "bytes"])
def test_nested_and_binary_columns_are_refused(column):
    with pytest.raises(ColumnError, match=r"column 'a' holds .*; paclearn reads numbers, text"):
        BooleanEncoder().fit(pl.DataFrame({"a": column}))


def test_infinite_values_are_refused():
    with pytest.raises(ColumnError, match=r"column 'b' holds 2 infinite value\(s\) \(inf\), the first in row 1"):
        BooleanEncoder().fit(pd.DataFrame({"a": [1, 2, 3], "b": [0, np.inf, -np.inf]}))


def test_decimals_and_mixed_objects():
    decimals = np.array([decimal.Decimal("1.5"), decimal.Decimal("2.5"), None], dtype=object)[:, None]
    assert _levels(BooleanEncoder().fit(decimals)) == ("1.5", "2.5", "missing")
    mixed = np.array([1, "1", 1.0, "x", None, float("nan")], dtype=object)[:, None]
    assert _levels(BooleanEncoder().fit(mixed)) == ("1", "x", "missing")


def test_all_missing_and_constant_columns_are_dropped_with_a_note():
    frame = pd.DataFrame(
        {"gone": [None] * 4, "nan": [np.nan] * 4, "one": [7] * 4, "half": [1, None, 1, None], "b": [1, 2, 1, 2]}
    )
    domain = BooleanEncoder().fit(frame).domain_
    assert domain.column_names == ("half", "b")
    assert dict(domain.dropped) == {
        "gone": "every value is missing",
        "nan": "every value is missing",
        "one": "constant (7)",
    }
    assert domain.bit_names == ("half is missing", "b=2")


def test_nothing_that_varies_is_an_error():
    with pytest.raises(EmptyTableError, match=r"no column varies in 3 row.*a: constant"):
        BooleanEncoder().fit(pd.DataFrame({"a": ["x"] * 3}))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_bins": 1}, "n_bins=1 must be a whole number from 2"),
        ({"n_bins": 2.5}, "n_bins=2.5 must be a whole number"),
        ({"max_levels": 1}, "max_levels=1 must be"),
        ({"max_levels": 10**6}, "max_levels=1000000 must be a whole number from 2 to 65000"),
        ({"min_count": -1}, "min_count=-1 must be"),
        ({"min_count": 1.5}, "min_count=1.5 must be"),
        ({"min_count": "few"}, "min_count='few' must be"),
    ],
)
def test_parameters_are_checked(parameters, message):
    with pytest.raises(InputError, match=message):
        BooleanEncoder(**parameters).fit([[1], [2]])


def test_duplicated_names_are_refused():
    twice = pd.DataFrame([[1, 2, 3]] * 3, columns=["a", "b", "a"])
    for frame in (twice, pa.Table.from_arrays([pa.array([1, 2])] * 2, names=["a", "a"])):
        with pytest.raises(InputError, match="column names must be unique; found more than once: 'a'"):
            BooleanEncoder().fit(frame)
    with pytest.raises(InputError, match="found more than once: '1'"):
        BooleanEncoder().fit(pd.DataFrame([[1, 2], [3, 4]], columns=[1, "1"]))


class _Dask:
    """Something of dask, as far as anyone looks."""

    __module__ = "dask.dataframe.core"

    def __array__(self, *_):
        raise AssertionError("it was collected")


def test_what_may_not_fit_in_memory_is_not_collected_unasked():
    lazy = duckdb.sql("select i % 2 as a, i % 3 as b from range(12) rows(i)")
    with pytest.raises(InputTypeError, match="X is a lazy duckdb object; .* never collected unasked"):
        BooleanEncoder().fit(lazy)
    encoder = BooleanEncoder().fit(lazy.to_arrow_table())
    assert encoder.domain_.column_names == ("a", "b")
    rows = [[0], [1]]
    refused = {
        "X": lambda: DirectSpectrumRegressor().fit(_Dask(), [0, 1]),
        "y": lambda: JuntaClassifier(k=1).fit(rows, _Dask()),
        "sample_weight": lambda: JuntaClassifier(k=1).fit(rows, [0, 1], sample_weight=_Dask()),
    }
    for name, fit in refused.items():
        with pytest.raises(InputTypeError, match=f"{name} is a lazy dask object; .* pass open_table\\(path\\)"):
            fit()
    with pytest.raises(InputTypeError, match="X is a lazy dask object"):
        encoder.transform(_Dask())
    for learner in (JuntaClassifier(k=1), JuntaRegressor(k=1)):
        with pytest.raises(InputTypeError, match="X lies on a Dask cluster and y does not"):
            learner.fit(_Dask(), [0, 1])


def test_a_plan_of_polars_is_collected():
    plan = pl.LazyFrame({"a": [1, 2, 1, 2]})
    np.testing.assert_array_equal(BooleanEncoder().fit_transform(plan), [[-1], [1], [-1], [1]])


def test_whole_numbers_too_large_for_floats_are_names():
    """Whatever holds them, neighbours stay apart."""
    numbers = [2**60, 2**60 + 1] * 5
    columns = (
        np.array(numbers)[:, None],
        np.array(numbers, dtype=object)[:, None],
        pd.DataFrame({"x0": pd.Series(numbers, dtype="Int64")}),
    )
    for column in columns:
        assert _levels(BooleanEncoder().fit(column)) == (str(2**60), str(2**60 + 1))
    beyond = np.array([10**30, 10**30 + 1, None] * 5, dtype=object)[:, None]
    assert _levels(BooleanEncoder().fit(beyond)) == (str(10**30), str(10**30 + 1), "missing")


def test_empty_tables_are_refused():
    with pytest.raises(ValueError, match="0 sample"):
        BooleanEncoder().fit(pd.DataFrame({"a": []}))
    with pytest.raises(ValueError, match="0 feature"):
        BooleanEncoder().fit(pl.DataFrame())


def test_missing_extra_and_reordered_columns():
    frame = pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "x"]})
    encoder = BooleanEncoder().fit(frame)
    with pytest.raises(ValueError, match="seen at fit time, yet now missing:\n- b"):
        encoder.transform(frame[["a"]])
    with pytest.raises(ValueError, match="unseen at fit time:\n- c"):
        encoder.transform(frame.assign(c=1))
    with pytest.raises(ValueError, match="same order"):
        encoder.transform(frame[["b", "a"]])


def test_the_domain_is_frozen_and_describes_itself():
    domain = BooleanEncoder(n_bins=4).fit(pd.DataFrame(COLUMNS)).domain_
    assert isinstance(domain, Domain)
    with pytest.raises(AttributeError):
        domain.columns = ()
    text = str(domain)
    assert "age: 4 codes: <=15, (15, 30], (30, 45], >45" in text
    assert "same: dropped, constant (x)" in text
    assert domain.to_dict()["columns"][0]["codes"] == ["blue", "green", "red", "missing"]


@pytest.mark.parametrize(("value", "text"), [(3.0, "3"), (-2.0, "-2"), (0.1, "0.1"), (1e20, "1e+20"), (2.5, "2.5")])
def test_numbers_are_written_shortly(value, text):
    assert format_number(value) == text


def _levels(encoder):
    return encoder.domain_.columns[0].code_names


def _table(encoder, X):
    from paclearn.tables.table import as_table

    return as_table(encoder, X, reset=False)
