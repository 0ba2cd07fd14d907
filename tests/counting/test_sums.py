"""Sums of numbers: exact, and the same however they are shared out; rounded ones find what brute force does."""

from itertools import pairwise
from math import comb

import naive
import numpy as np
import pytest
from instruction_sets import INSTRUCTION_SETS

from paclearn import JuntaClassifier, JuntaRegressor
from paclearn.counting import BitTable, CodeTable, NativeEngine, NumpyEngine, all_pairs
from paclearn.counting.fixed_point import FixedPoint
from paclearn.kernels import dispatch, numpy_counting
from paclearn.search import SquaredErrorScore, ZeroOneScore, exhaustive, subsets_between
from paclearn.search.traversal import CountingWalk, FusedWalk, walk_for
from paclearn.tables.weights import summable

HAS_CORE = dispatch._core is not None
needs_core = pytest.mark.skipif(not HAS_CORE, reason="no compiled core on this machine")
RANGE = {"a digit": 2**15 - 1, "two digits": 2**30 - 1}


def planes_and_numbers(seed, n, d, largest):
    rng = np.random.default_rng(seed)
    table = BitTable.pack(rng.integers(0, 2, (d, n)).astype(np.uint8), [2] * d, np.zeros(n, dtype=int), 1)
    numbers = rng.integers(-largest, largest + 1, (2, 64 * table.words.shape[1])).astype(np.int32)
    return table.words, numbers


# ---- sums over all pairs of planes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("largest", RANGE.values(), ids=RANGE)
@pytest.mark.parametrize(("n", "d"), [(1, 1), (700, 3), (2500, 6)])
def test_sums_of_pairs_are_those_of_rows(n, d, largest):
    words, numbers = planes_and_numbers(d, n, d, largest)
    np.testing.assert_array_equal(numpy_counting.sum_pairs(words, numbers, 1), naive.pair_sums(words, numbers))


@needs_core
@pytest.mark.parametrize("largest", RANGE.values(), ids=RANGE)
@pytest.mark.parametrize(("n", "d"), [(1, 1), (700, 3), (5000, 150)])
def test_sums_of_pairs_are_those_of_numpy(n, d, largest):
    words, numbers = planes_and_numbers(d, n, d, largest)
    expected = numpy_counting.sum_pairs(words, numbers, 1)
    np.testing.assert_array_equal(dispatch._core.sum_pairs(words, numbers, 1), expected)


@needs_core
@pytest.mark.parametrize("largest", RANGE.values(), ids=RANGE)
def test_sums_of_pairs_are_the_same_bytes_for_all_threads_and_shards(largest):
    words, numbers = planes_and_numbers(0, 9000, 150, largest)
    once = dispatch.sum_pairs(words, numbers, 1)
    for threads in (2, 7):
        assert dispatch.sum_pairs(words, numbers, threads).tobytes() == once.tobytes()
    for n_shards in (2, 7):
        cuts = np.linspace(0, words.shape[1] // 8, n_shards + 1).astype(int) * 8
        shards = (
            dispatch.sum_pairs(on_a_line(words[:, a:b]), np.ascontiguousarray(numbers[:, 64 * a : 64 * b]), 1)
            for a, b in pairwise(cuts)
        )
        assert sum(shards).tobytes() == once.tobytes()


def on_a_line(words):
    room = np.zeros(words.size + 8, dtype=np.uint64)
    skip = -room.ctypes.data // 8 % 8
    copy = room[skip : skip + words.size].reshape(words.shape)
    copy[:] = words
    return copy


# ---- rounding --------------------------------------------------------------------------------------------------------

NUMBERS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "heavy tails": lambda rng, n: rng.standard_cauchy(n),
    "whole": lambda rng, n: rng.integers(-3, 4, n).astype(float),
    "tiny": lambda rng, n: 1e-300 * rng.normal(size=n),
    "huge": lambda rng, n: 1e300 * rng.normal(size=n),
    "nought": lambda rng, n: np.zeros(n),
    "denormal": lambda rng, n: 5e-324 * rng.integers(0, 9, n),
}


@pytest.mark.parametrize("make", NUMBERS.values(), ids=NUMBERS)
def test_rounded_numbers_are_as_far_off_as_is_said(make):
    values = make(np.random.default_rng(0), 3000)
    rounded = FixedPoint.of([values], [1e-3])
    step, error = float(rounded.steps[0]), float(rounded.errors[0])
    assert np.abs(rounded.numbers).max() < 2**30
    assert error <= step / 2 * (1 + 1e-9)
    worth = [int(z) * step for z in rounded.numbers[0]]
    assert all(abs(v - w) <= error for v, w in zip(values.tolist(), worth, strict=True))
    whole = np.array_equal(values, np.rint(values)) and np.abs(values).max() < 2**15
    assert error == 0 or not whole


def test_numbers_with_heavy_tails_have_more_bits():
    rng = np.random.default_rng(0)
    few, many = (FixedPoint.of([make(rng, 3000)], [1e-3]) for make in (NUMBERS["normal"], NUMBERS["heavy tails"]))
    assert np.abs(few.numbers).max() < 2**15 <= np.abs(many.numbers).max()


# ---- scans -----------------------------------------------------------------------------------------------------------


def of_squares(codes, sizes, y, weights=None):
    if weights is None:
        return CodeTable.of(codes, sizes, summable(np.column_stack([np.ones(len(y)), y, y * y])))
    own = weights if np.array_equal(weights, np.rint(weights)) else weights**2
    columns = [weights, weights * y, weights * y * y, own, own * y * y]
    return CodeTable.of(codes, sizes, summable(np.column_stack(columns)))


def of_votes(codes, sizes, classes, n_classes, weights):
    own = weights if np.array_equal(weights, np.rint(weights)) else weights**2
    return CodeTable.of(codes, sizes, summable(np.column_stack([weights, own])), classes, n_classes)


WEIGHTS = {
    "none": lambda rng, n: None,
    "counts": lambda rng, n: rng.integers(1, 6, n).astype(float),
    "relative": lambda rng, n: rng.random(n) + 1e-3,
    "one of them": lambda rng, n: np.where(np.arange(n) == 0, 1e6, rng.random(n) + 1e-3),
}


def tables(seed):
    """Bits, or columns of one to five levels, with numbers and classes, and a few rows or many."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.choice([3, 40, 600, 2500])), int(rng.integers(4, 13))
    sizes = np.full(d, 2) if seed % 2 else rng.integers(1, 6, d)
    codes = [rng.integers(0, q, n).astype(np.uint8) for q in sizes]
    if seed % 3 == 0:
        codes[-1] = (codes[0] % sizes[-1]).astype(np.uint8)  # ties
    y = NUMBERS[("normal", "heavy tails", "whole")[seed % 3]](rng, n) + codes[1] * (codes[2] == 1)
    y -= y.mean()
    for name, make in WEIGHTS.items():
        weights = make(rng, n)
        yield name, of_squares(codes, sizes, y, weights), SquaredErrorScore(weighted=weights is not None)
        n_classes = int(rng.integers(2, 5))
        if weights is not None:
            yield (
                name,
                of_votes(codes, sizes, rng.integers(0, n_classes, n), n_classes, weights),
                ZeroOneScore(n_classes),
            )


def by_brute_force(table, score, k, n_best):
    """Every subset by float64 sums over its rows, a table of its own each, in lexicographic order among equals."""
    walk = CountingWalk(NumpyEngine(table), score, k, n_best, 1.0)
    subsets = subsets_between(table.n_units, k, 0, comb(table.n_units, k))
    scores = walk.rescore(subsets)
    order = np.argsort(-np.round(scores, 12), kind="stable")[:n_best]
    return subsets[order], scores[order]


@needs_core
@pytest.mark.parametrize("seed", range(12))
def test_scans_by_sums_find_what_brute_force_finds(seed):
    for name, table, score in tables(seed):
        engine = NativeEngine(table, 1 + seed % 3)
        for k in (2, 3, 4):
            if table.values[:, -1].any():
                assert isinstance(walk_for(engine, score, k, 10), FusedWalk), name
            found = exhaustive(engine, score, k, 10)
            subsets, scores = by_brute_force(table, score, k, 10)
            np.testing.assert_array_equal(found.subsets, subsets, err_msg=f"{name} {score}")
            np.testing.assert_array_equal(found.scores, scores)


@needs_core
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("d", "k"), [(135, 2), (24, 3)])
def test_rare_bits_lose_nothing(d, k, seed):
    """Squares and rows' own weights are not summed over pairs: what is known of each bit bounds them."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([200, 3000]))
    often = rng.choice([0.003, 0.02, 0.5, 0.98], d)
    codes = [(rng.random(n) < share).astype(np.uint8) for share in often]
    y = NUMBERS[("normal", "heavy tails")[seed % 2]](rng, n) + 3 * codes[0] * codes[1]
    y -= y.mean()
    heavy = np.exp(2 * rng.normal(size=n))
    works = [(of_squares(codes, [2] * d, y), SquaredErrorScore())]
    works += [(of_votes(codes, [2] * d, rng.integers(0, q, n), q, heavy), ZeroOneScore(q)) for q in (2, 3)]
    for table, score in works:
        found = exhaustive(NativeEngine(table), score, k, 5)
        subsets, scores = by_brute_force(table, score, k, 5)
        np.testing.assert_array_equal(found.subsets, subsets, err_msg=f"{score}")
        np.testing.assert_array_equal(found.scores, scores)


@needs_core
@pytest.mark.parametrize("n_best", [1, 2, 3])
def test_equals_that_are_come_upon_later_are_not_lost(n_best):
    """Whole numbers are not rounded: what equals the last of the best may go before it, whatever its bound says."""
    rng = np.random.default_rng(1)
    d, n = 1600, 200
    codes = rng.integers(0, 2, (d, n)).astype(np.uint8)
    codes[1570], codes[30] = codes[40], codes[20]  # the last is seen when tens of thousands of pairs have been scored
    y = np.where(codes[20] == codes[40], 1.0, -1.0) * rng.permutation(np.repeat([1.0, 3.0], n // 2))
    for table, score in (
        (of_squares(codes, [2] * d, y), SquaredErrorScore()),
        (of_votes(codes, [2] * d, (y > 0).astype(int), 2, np.abs(y)), ZeroOneScore(2)),
    ):
        subsets, _ = NativeEngine(table).scan(score.fused(1.0)).best(2, 0, d - 1, n_best)
        assert subsets.tolist() == [[20, 40], [20, 1570], [30, 40]][:n_best], score


@needs_core
def test_scans_by_sums_do_not_depend_on_threads_or_stretches():
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 2, (70, 900)).astype(np.uint8)
    table = of_squares(codes, [2] * 70, rng.normal(size=900))
    first = NativeEngine(table).scan(SquaredErrorScore().fused(1.0)).best(3, 0, 68, 50)
    for threads in (2, 7):
        scan = NativeEngine(table, threads).scan(SquaredErrorScore().fused(1.0))
        for ours, theirs in zip(scan.best(3, 0, 68, 50), first, strict=True):
            assert ours.tobytes() == theirs.tobytes()
        parts = [scan.best(3, a, b, 50) for a, b in ((0, 5), (5, 20), (20, 68))]
        together = np.concatenate([scores for _, scores in parts])
        np.testing.assert_array_equal(np.sort(together)[::-1][:50], first[1])


@needs_core
def test_a_constant_target_is_not_scanned_but_ranked():
    rng = np.random.default_rng(6)
    codes = rng.integers(0, 2, (5, 50)).astype(np.uint8)
    found = exhaustive(NativeEngine(of_squares(codes, [2] * 5, np.zeros(50))), SquaredErrorScore(), 2, 3)
    assert found.subsets.tolist() == [[0, 1], [0, 2], [0, 3]]
    assert not found.scores.any()


def what_is_summed():
    """By the instruction set of this process, against numpy and brute force."""
    for largest in RANGE.values():
        test_sums_of_pairs_are_those_of_numpy(3000, 70, largest)
    for seed in (0, 1, 4, 5):
        test_scans_by_sums_find_what_brute_force_finds(seed)
    return "as numpy does"


@needs_core
@pytest.mark.parametrize("isa", INSTRUCTION_SETS)
def test_every_instruction_set_sums_the_same(isa, found_by):
    found = found_by(isa)
    assert found["summed"] == "as numpy does", found["errors"]
    assert found["used"] in {isa, "plain"}


@pytest.mark.parametrize("weighted", [False, True])
def test_juntas_are_the_same_with_and_without_the_core(weighted, monkeypatch):
    rng = np.random.default_rng(7)
    X = rng.integers(0, 3, (400, 8))
    weights = rng.random(400) + 0.1 if weighted else None
    y = rng.normal(size=400) + 2.0 * (X[:, 1] == X[:, 4])
    fits = (lambda: JuntaRegressor(k=2), y), (lambda: JuntaClassifier(k=2), y > 1)
    here = [make().fit(X, target, sample_weight=weights) for make, target in fits]
    monkeypatch.setenv("PACLEARN_ENGINE", "numpy")
    for ours, (make, target) in zip(here, fits, strict=True):
        theirs = make().fit(X, target, sample_weight=weights)
        np.testing.assert_array_equal(ours.search_.subsets, theirs.search_.subsets)
        np.testing.assert_allclose(ours.search_.scores, theirs.search_.scores, rtol=1e-12, atol=0)
        assert ours.subset_ == theirs.subset_


# ---- all pairs at once -----------------------------------------------------------------------------------------------


@needs_core
@pytest.mark.parametrize("seed", range(6))
def test_sums_of_all_pairs_are_those_of_the_rows_to_the_last_bit(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    n, d, n_classes = int(rng.choice([1, 70, 1500])), int(rng.integers(2, 9)), 1 + seed % 3
    sizes = np.full(d, 2) if seed % 2 else rng.integers(1, 5, d)
    codes = [rng.integers(0, q, n).astype(np.uint8) for q in sizes]
    y = NUMBERS[("normal", "heavy tails", "whole")[seed % 3]](rng, n)
    values = summable(np.column_stack([np.ones(n), y, 1e9 * y * y, 0 * y]))
    table = CodeTable.of(codes, sizes, values, rng.integers(0, n_classes, n), n_classes)
    subsets = subsets_between(d, 2, 0, comb(d, 2))[::-1]
    engine = NativeEngine(table, 1 + seed % 2)
    monkeypatch.setattr(all_pairs, "_SHARE_THAT_PAYS", 0.0)
    found = engine.counts(subsets).values
    assert "_all_pairs" in vars(engine)
    assert engine._all_pairs is not None
    np.testing.assert_array_equal(found, NumpyEngine(table).counts(subsets).values)


@needs_core
def test_values_that_do_not_add_up_exactly_are_summed_row_by_row(monkeypatch):
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (6, 200)).astype(np.uint8)
    table = CodeTable.of(codes, [2] * 6, rng.standard_cauchy((200, 1)) ** 5)
    monkeypatch.setattr(all_pairs, "_SHARE_THAT_PAYS", 0.0)
    engine, subsets = NativeEngine(table), subsets_between(6, 2, 0, 15)
    np.testing.assert_array_equal(engine.counts(subsets).values, NumpyEngine(table).counts(subsets).values)
    assert engine._all_pairs is None
