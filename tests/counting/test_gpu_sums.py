"""Sums of numbers on a card, bits that its memory does not hold, and cards of workers: with a card of numpy.

What a real one sums is compared with the processor by ``python -m benchmarks.speed.gpu``.
"""

import fake_card
import numpy as np
import pytest
from counting.test_sums import tables

from paclearn import JuntaClassifier, JuntaRegressor
from paclearn.counting import BitTable, CodeTable, NativeEngine, engine_for, gpu_engine, worker_tables
from paclearn.counting.gpu_engine import CardScan, GpuEngine
from paclearn.kernels import dispatch, gpu_rows
from paclearn.kernels.gpu_rows import CardRows, digits_of, every_row
from paclearn.search import SquaredErrorScore, ZeroOneScore, exhaustive
from paclearn.tables.remote_files import LOCAL
from paclearn.tables.weights import summable


@pytest.fixture(autouse=True)
def _forgets():
    gpu_engine._said_why_not.cache_clear()
    yield
    gpu_engine._said_why_not.cache_clear()
    worker_tables._AT_HAND.clear()


needs_core = pytest.mark.skipif(not dispatch.available(), reason="cards stand beside the compiled core")


def small(table):
    """The first columns and rows: what numpy does in the place of a card is slow."""
    rows = slice(0, 300)
    codes = [codes[rows] for codes in table.codes[:5]]
    return CodeTable.of(codes, table.sizes[:5], table.values[rows], table.row_class[rows], table.n_classes)


@needs_core
@pytest.mark.parametrize("seed", [0, 1, 3])
def test_sums_on_a_card_find_what_the_processor_finds(seed, monkeypatch):
    kernels = fake_card.use(monkeypatch)
    for name, table, score in tables(seed):
        if name == "one of them" and seed % 2:
            continue
        few = small(table)
        for k in (2, 3):
            found, truth = (exhaustive(engine(few), score, k, 5) for engine in (GpuEngine, NativeEngine))
            np.testing.assert_array_equal(found.subsets, truth.subsets, err_msg=f"{name} {score} {k}")
            np.testing.assert_array_equal(found.scores, truth.scores)
    assert kernels["plane_sums"].calls


@needs_core
def test_lists_that_run_over_are_made_again_or_left_to_the_processor(monkeypatch):
    fake_card.use(monkeypatch)
    rng = np.random.default_rng(0)
    y = rng.normal(size=200)
    values = summable(np.column_stack([np.ones(200), y, y * y]))
    different = rng.integers(0, 2, (12, 200)).astype(np.uint8)
    for codes in (different, np.repeat(different[:1], 12, axis=0)):  # the others are all as good
        table = CodeTable.of(list(codes), [2] * 12, values)
        found, truth = (exhaustive(engine(table), SquaredErrorScore(), 2, 9) for engine in (GpuEngine, NativeEngine))
        np.testing.assert_array_equal(found.subsets, truth.subsets)
        np.testing.assert_array_equal(found.scores, truth.scores)


@needs_core
def test_scores_of_given_subsets_are_those_of_the_scan():
    rng = np.random.default_rng(1)
    y = rng.normal(size=700)
    for values in (summable(np.column_stack([np.ones(700), y, y * y])), np.column_stack([np.ones(700), y, y * y / 3])):
        table = CodeTable.of(list(rng.integers(0, 2, (7, 700)).astype(np.uint8)), [2] * 7, values)
        scan = NativeEngine(table, 3).scan(SquaredErrorScore().fused(1.0))
        for k in (2, 3, 5):
            subsets, scores = scan.best(k, 0, 8 - k, 20)
            np.testing.assert_array_equal(scan.scores(subsets), scores)


# ---- rows on the card ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("largest", [0, 1, 5, 2**15 - 1, 2**15, 2**30 - 1])
@pytest.mark.parametrize("signed", [False, True])
def test_digits_are_the_numbers(largest, signed):
    rng = np.random.default_rng(largest)
    numbers = rng.integers(-largest if signed else 0, largest + 1, 512).astype(np.int32)
    numbers[:2] = largest, -largest if signed else 0
    total = np.zeros(512, dtype=np.int64)
    for digit in digits_of(0, numbers):
        assert len(digit.slices) <= 16
        bits = np.unpackbits(digit.slices.view(np.uint8), axis=1, bitorder="little").astype(np.int64)
        signs = np.where(np.arange(len(bits)) == 0, -1 if digit.is_signed else 1, 1)
        total += digit.worth * (signs * 2 ** np.arange(len(bits) - 1, -1, -1)) @ bits
    np.testing.assert_array_equal(total, numbers)


def test_blocks_of_rows_have_every_row_once(monkeypatch):
    fake_card.use(monkeypatch)
    rng = np.random.default_rng(0)
    table = BitTable.pack(rng.integers(0, 2, (3, 90_000)).astype(np.uint8), [2] * 3, rng.integers(0, 2, 90_000), 2)
    few = 40 * 4 * 32 * (gpu_rows.SIDE + 1)
    for memory, n_blocks in ((10**9, 1), (few, 4), (1, 4)):
        rows = CardRows(table.words, table.class_starts, [every_row(0)], 1, memory)
        blocks = list(rows.blocks())
        assert len(blocks) == n_blocks
        sent = sum(np.unpackbits(block.bits.view(np.uint8), axis=1).sum(axis=1, dtype=int) for block in blocks)
        counted = NativeEngine(table).counts([[0], [1], [2]]).values if dispatch.available() else None
        if counted is not None:
            np.testing.assert_array_equal(sent[:3], counted[:, 1].sum(axis=1))
        assert not sent[3:].any()


def too_small_for(table, n_layers, itemsize):
    """Memory for the sums of bits, and hardly any rows."""
    side = len(table.words) + gpu_rows.SIDE
    return int((4 * n_layers * itemsize * side**2) / 0.8) + 2**19


@needs_core
def test_bits_larger_than_the_memory_of_the_card_are_streamed(monkeypatch):
    rng = np.random.default_rng(2)
    n, d = 100_000, 5
    codes = list(rng.integers(0, 2, (d, n)).astype(np.uint8))
    y = codes[0] ^ codes[3] ^ (rng.random(n) < 0.3)
    bits = BitTable.pack(codes, [2] * d, y.astype(int), 2)
    weights = rng.choice([0.5, 1.0], n)
    sums = CodeTable.of(codes, [2] * d, summable(np.column_stack([weights, weights**2])), y.astype(int), 2)
    for table, kernel, n_layers, itemsize in ((bits, "plane_pairs", 2, 4), (sums, "plane_sums", 6, 8)):
        kernels = fake_card.use(monkeypatch, too_small_for(bits, n_layers, itemsize))
        found = exhaustive(GpuEngine(table), ZeroOneScore(2), 2, 3)
        truth = exhaustive(NativeEngine(table), ZeroOneScore(2), 2, 3)
        np.testing.assert_array_equal(found.subsets, truth.subsets)
        np.testing.assert_array_equal(found.scores, truth.scores)
        assert len(kernels[kernel].calls) >= 3, "in one piece"


@needs_core
def test_columns_whose_sums_do_not_fit_are_left_to_the_processor(monkeypatch):
    fake_card.use(monkeypatch, 10_000)
    table = BitTable.pack([np.arange(9, dtype=np.uint8) % 2] * 3, [2] * 3, np.arange(9) % 2, 2)
    assert not isinstance(GpuEngine(table).scan(ZeroOneScore(2).fused(9)), CardScan)


# ---- which tables go there, and whose card it is ---------------------------------------------------------------------


@needs_core
def test_large_tables_of_numbers_go_to_the_card(monkeypatch):
    fake_card.use(monkeypatch)
    monkeypatch.setattr(gpu_engine, "find_spec", lambda name: name)
    table = CodeTable.of([np.arange(90, dtype=np.uint8) % 2] * 5, [2] * 5, np.ones((90, 3)))
    assert type(engine_for(table)) is NativeEngine
    monkeypatch.setattr(gpu_engine, "_LEAST_WORK_OF_SUMS", 100.0)
    assert type(engine_for(table)) is GpuEngine


@needs_core
def test_juntas_of_numbers_are_the_same_with_a_card(monkeypatch):
    rng = np.random.default_rng(7)
    X, weights = rng.integers(0, 3, (200, 5)), rng.random(200) + 0.1
    y = rng.normal(size=200) + 2.0 * (X[:, 1] == X[:, 4])
    alone = JuntaRegressor(k=2).fit(X, y), JuntaClassifier(k=2).fit(X, y > 1, sample_weight=weights)
    kernels = fake_card.use(monkeypatch)
    monkeypatch.setenv("PACLEARN_ENGINE", "gpu")
    beside = JuntaRegressor(k=2).fit(X, y), JuntaClassifier(k=2).fit(X, y > 1, sample_weight=weights)
    assert len(kernels["plane_sums"].calls) >= 2
    for ours, theirs in zip(beside, alone, strict=True):
        np.testing.assert_array_equal(ours.search_.subsets, theirs.search_.subsets)
        np.testing.assert_array_equal(ours.search_.scores, theirs.search_.scores)


@needs_core
def test_workers_use_their_own_card(monkeypatch):
    kernels = fake_card.use(monkeypatch)
    monkeypatch.setenv("PACLEARN_ENGINE", "gpu")
    rng = np.random.default_rng(3)
    table = BitTable.pack(rng.integers(0, 2, (5, 90)).astype(np.uint8), [2] * 5, rng.integers(0, 2, 90), 2)
    fused = ZeroOneScore(2).fused(90)
    assert worker_tables.scans_by(table, fused) == "card"
    subsets, scores = worker_tables.scan_range(table, fused, 2, 0, 4, 3, -np.inf)
    assert kernels["plane_pairs"].calls
    truth = NativeEngine(table).scan(fused).best(2, 0, 4, 3)
    order = np.argsort(-scores, kind="stable")[:3]
    np.testing.assert_array_equal(subsets[order], truth[0])
    np.testing.assert_allclose(scores[order], truth[1], rtol=1e-12)


@needs_core
def test_a_cluster_of_cards_shares_out_larger_ranges(monkeypatch):
    distributed = pytest.importorskip("distributed")
    dask_frame = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    kernels = fake_card.use(monkeypatch)
    rng = np.random.default_rng(3)
    frame = pandas.DataFrame(rng.integers(0, 2, (120, 6)), columns=list("abcdef"))
    y = (frame["a"] ^ frame["d"]).rename("y")
    truth = JuntaClassifier(k=2).fit(frame, y)
    monkeypatch.setenv("PACLEARN_ENGINE", "gpu")
    cluster = distributed.LocalCluster(processes=False, n_workers=1, **LOCAL | {"threads_per_worker": 3})
    with cluster, distributed.Client(cluster):
        found = JuntaClassifier(k=2).fit(dask_frame.from_pandas(frame, 2), dask_frame.from_pandas(y, 2))
    assert kernels["plane_pairs"].calls
    np.testing.assert_array_equal(found.search_.subsets, truth.search_.subsets)
    np.testing.assert_array_equal(found.search_.scores, truth.search_.scores)
