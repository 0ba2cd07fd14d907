"""Engines equal the oracle, on tables of many shapes; counts add up."""

import warnings
from itertools import combinations

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paclearn.counting import BitTable, CodeTable, Counts, NativeEngine, NumpyEngine, ShardedEngine, engine_for
from paclearn.exceptions import InputError, SlowEngineWarning
from paclearn.kernels import dispatch as native

ENGINES = [NumpyEngine] + ([NativeEngine] if native._core is not None else [])
ROWS = [1, 2, 63, 64, 65, 511, 512, 513, 1500]


def random_table(rng, n, sizes, n_classes):
    codes = [rng.integers(0, q, n).astype(np.uint8) for q in sizes]
    return codes, rng.integers(0, n_classes, n)


def subsets_of(n_units, k):
    return np.array(list(combinations(range(n_units), k)), dtype=np.int32).reshape(-1, k)


def check_against_oracle(engine, subsets, oracle):
    counts = engine.counts(subsets)
    for i, subset in enumerate(subsets):
        table = counts.table(i)
        expected = oracle(subset)
        assert table.shape == expected.shape
        np.testing.assert_array_equal(table, expected)
        cells = int(np.prod(expected.shape[:-1]))
        assert not counts.values[i, cells:].any()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("n", ROWS)
@pytest.mark.parametrize("n_classes", [1, 2, 12])
def test_counts_equal_oracle(engine, n, n_classes):
    rng = np.random.default_rng(n * 100 + n_classes)
    sizes = [2, 2, 3, 5, 40]
    codes, y = random_table(rng, n, sizes, n_classes)
    table = BitTable.pack(codes, sizes, y, n_classes)
    for k in (1, 2, 3):
        check_against_oracle(
            engine(table, 2),
            subsets_of(len(sizes), k),
            lambda J: naive.contingency_table(codes, sizes, y, n_classes, J),
        )


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 200),
    sizes=st.lists(st.integers(2, 6), min_size=1, max_size=5),
    n_classes=st.integers(1, 5),
    k=st.integers(1, 4),
    seed=st.integers(0, 2**32 - 1),
)
def test_counts_equal_oracle_on_any_shape(engine, n, sizes, n_classes, k, seed):
    codes, y = random_table(np.random.default_rng(seed), n, sizes, n_classes)
    table = BitTable.pack(codes, sizes, y, n_classes)
    subsets = subsets_of(len(sizes), min(k, len(sizes)))
    check_against_oracle(engine(table, 1), subsets, lambda J: naive.contingency_table(codes, sizes, y, n_classes, J))


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 120),
    sizes=st.lists(st.integers(2, 6), min_size=1, max_size=4),
    n_classes=st.integers(1, 3),
    n_values=st.integers(1, 3),
    seed=st.integers(0, 2**32 - 1),
)
def test_sums_equal_oracle_to_the_last_bit(engine, n, sizes, n_classes, n_values, seed):
    rng = np.random.default_rng(seed)
    codes, y = random_table(rng, n, sizes, n_classes)
    values = rng.normal(size=(n, n_values))
    table = CodeTable.of(codes, sizes, values, y, n_classes)
    subsets = subsets_of(len(sizes), min(2, len(sizes)))
    check_against_oracle(engine(table, 2), subsets, lambda J: naive.sums_table(codes, sizes, y, n_classes, values, J))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("n", [2047, 2048, 2049, 5000])
def test_sums_over_several_blocks_of_rows(engine, n):
    rng = np.random.default_rng(n)
    codes, y = random_table(rng, n, [3, 2], 2)
    values = rng.normal(size=(n, 2))
    table = CodeTable.of(codes, [3, 2], values, y, 2)
    check_against_oracle(engine(table, 2), [[0, 1]], lambda J: naive.sums_table(codes, [3, 2], y, 2, values, J))


@pytest.mark.parametrize("engine", ENGINES)
def test_columns_with_hundreds_of_levels(engine):
    rng = np.random.default_rng(0)
    sizes = [300, 2]
    codes = [rng.integers(0, q, 2000).astype(np.uint16) for q in sizes]
    y = rng.integers(0, 2, 2000)
    expected = naive.contingency_table(codes, sizes, y, 2, (0, 1))
    table = BitTable.pack(codes, sizes, y, 2)
    np.testing.assert_array_equal(engine(table).counts([[0, 1]]).table(0), expected)
    sums = CodeTable.of(codes, sizes, np.ones((2000, 1)), y, 2)
    np.testing.assert_array_equal(engine(sums).counts([[0, 1]]).table(0), expected)


def test_members_may_come_in_any_order():
    rng = np.random.default_rng(1)
    codes, y = random_table(rng, 100, [2, 3, 4], 2)
    engine = engine_for(BitTable.pack(codes, [2, 3, 4], y, 2))
    forth, back = engine.counts([[0, 2]]).table(0), engine.counts([[2, 0]]).table(0)
    np.testing.assert_array_equal(forth, back.swapaxes(0, 1))


def test_layout_is_class_sorted_and_padded_to_512_bits():
    rng = np.random.default_rng(2)
    codes, y = random_table(rng, 1000, [2, 4], 3)
    table = BitTable.pack(codes, [2, 4], y, 3)
    assert table.words.shape[0] == 1 + 3
    assert not (table.class_starts % 8).any()
    np.testing.assert_array_equal(table.class_rows, np.bincount(y))
    assert np.bitwise_count(table.valid).sum() == 1000
    for plane, (codes_, code) in zip(table.words, [(codes[0], 1)] + [(codes[1], c) for c in (1, 2, 3)], strict=True):
        bits = np.unpackbits(plane.view(np.uint8), bitorder="little")
        for c in range(3):
            stretch = bits[table.class_starts[c] * 64 : table.class_starts[c + 1] * 64]
            rows = codes_[y == c] == code
            np.testing.assert_array_equal(stretch[: len(rows)], rows)
            assert not stretch[len(rows) :].any()


@pytest.mark.parametrize("code_type", [np.uint8, np.uint16])
def test_native_packing_equals_numpy_packing(monkeypatch, code_type):
    rng = np.random.default_rng(3)
    codes = [rng.integers(0, 7, 777).astype(code_type)]
    y = rng.integers(0, 3, 777)
    default = BitTable.pack(codes, [7], y, 3)
    monkeypatch.setenv("PACLEARN_ENGINE", "numpy")
    np.testing.assert_array_equal(default.words, BitTable.pack(codes, [7], y, 3).words)


@pytest.mark.parametrize("engine", ["numpy", "auto"])
@given(n=st.integers(1, 1200), d=st.integers(1, 140), n_classes=st.integers(1, 4), seed=st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_a_matrix_by_rows_packs_like_its_columns(engine, n, d, n_classes, seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 6, d)
    matrix = (rng.random((n, d)) * sizes).astype(np.uint8)
    y = rng.integers(0, n_classes, n)
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore", SlowEngineWarning)
        patch.setenv("PACLEARN_ENGINE", engine)
        by_columns = BitTable.pack(list(matrix.T), sizes, y, n_classes)
        np.testing.assert_array_equal(BitTable.pack(matrix.T, sizes, y, n_classes).words, by_columns.words)
        one_class = BitTable.pack(matrix.T, sizes, np.zeros_like(y), 1)
        np.testing.assert_array_equal(one_class.sorted_by(y, n_classes).words, by_columns.words)


@pytest.mark.parametrize("engine", ENGINES)
def test_counts_of_two_halves_add_up(engine):
    rng = np.random.default_rng(4)
    sizes = [2, 3, 5]
    codes, y = random_table(rng, 1000, sizes, 2)
    halves = [slice(0, 411), slice(411, None)]
    shards = [engine(BitTable.pack([c[h] for c in codes], sizes, y[h], 2)) for h in halves]
    whole = engine(BitTable.pack(codes, sizes, y, 2))
    subsets = subsets_of(3, 2)
    np.testing.assert_array_equal(
        (shards[0].counts(subsets) + shards[1].counts(subsets)).values, whole.counts(subsets).values
    )
    np.testing.assert_array_equal(ShardedEngine(shards).counts(subsets).values, whole.counts(subsets).values)


def test_counts_of_different_subsets_do_not_add():
    sizes = np.array([[2]])
    a = Counts(np.array([[0]], dtype=np.int32), sizes, np.ones((1, 2, 1)))
    b = Counts(np.array([[1]], dtype=np.int32), sizes, np.ones((1, 2, 1)))
    with pytest.raises(InputError, match="only counts of the same subsets"):
        a + b
    with pytest.raises(TypeError):
        a + 1


def test_any_number_of_threads_gives_the_same_counts():
    rng = np.random.default_rng(5)
    sizes = [2] * 12
    codes, y = random_table(rng, 700, sizes, 2)
    table = BitTable.pack(codes, sizes, y, 2)
    subsets = subsets_of(12, 3)
    one = engine_for(table, 1).counts(subsets).values
    for n_jobs in (2, 3, 7):
        np.testing.assert_array_equal(one, engine_for(table, n_jobs).counts(subsets).values)


def test_engine_can_be_forced(monkeypatch):
    monkeypatch.setenv("PACLEARN_ENGINE", "numpy")
    table = BitTable.pack([np.array([0, 1], dtype=np.uint8)], [2], np.array([0, 1]), 2)
    assert type(engine_for(table)) is NumpyEngine
    monkeypatch.setenv("PACLEARN_ENGINE", "abacus")
    with pytest.raises(InputError, match="PACLEARN_ENGINE='abacus' is not known"):
        engine_for(table)


def test_a_missing_core_is_said_once(monkeypatch):
    monkeypatch.delenv("PACLEARN_ENGINE", raising=False)
    monkeypatch.setattr(native, "_core", None)
    monkeypatch.setattr(native, "_said", False)
    with pytest.warns(SlowEngineWarning, match="without its C\\+\\+ core") as caught:
        answers = [native.available(), native.available()]
    assert answers == [False, False]
    assert len(caught) == 1
    monkeypatch.setenv("PACLEARN_ENGINE", "native")
    with pytest.raises(InputError, match="installed without"):
        native.available()
