"""Closed forms equal the papers' sums; searches find what is there and say what they looked at."""

import json
import signal
import subprocess
import sys
import time
from itertools import combinations
from math import comb

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paclearn.counting import BitTable, CodeTable, engine_for
from paclearn.counting.remote_engine import RemoteScan
from paclearn.datasets import make_bits, make_parity
from paclearn.exceptions import CheckpointError, SearchTooLongError, TooManyCellsError
from paclearn.kernels import dispatch as native
from paclearn.search import (
    AccuracyScore,
    L2Score,
    SquaredErrorScore,
    ZeroOneScore,
    beam,
    exhaustive,
    greedy,
    subsets_between,
    swaps,
)
from paclearn.search.limits import check_cells
from paclearn.search.result import Ranking
from paclearn.search.scores import product_marginals
from paclearn.search.traversal import FusedWalk, walk_for

HAS_CORE = native.instruction_set() != "none"  # without it numpy counts, and sizes are cut to what that can do
EXHAUSTIVE = sys.modules["paclearn.search.exhaustive"]  # the function of that name hides the module
TRAVERSAL = sys.modules["paclearn.search.traversal"]


def correlated_bits(seed, n=400, d=6):
    """Biased, dependent bits and a label that depends on all of them a little."""
    rng = np.random.default_rng(seed)
    X = make_bits(n, d, bias=0.6, correlation=0.5, random_state=seed).astype(float)
    y = np.where(X @ rng.normal(size=d) + rng.normal(size=n) + X[:, 0] * X[:, 1] > 0, 1, -1)
    return X, y


def bit_engine(X, y):
    codes = [(column > 0).astype(np.uint8) for column in X.T]
    return engine_for(BitTable.pack(codes, [2] * len(codes), (y > 0).astype(int), 2))


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_score_1_is_equation_8(k, seed):
    X, y = correlated_bits(seed)
    engine = bit_engine(X, y)
    score = ZeroOneScore(2, product_marginals(engine, 2))
    subsets = list(combinations(range(X.shape[1]), k))
    expected = [naive.score_1(X, y, J) for J in subsets]
    np.testing.assert_allclose(score(engine.counts(subsets)), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_empirical_score_is_equation_7(k, seed):
    X, y = correlated_bits(seed)
    engine = bit_engine(X, y)
    subsets = list(combinations(range(X.shape[1]), k))
    expected = [naive.measure_m(X, y, J) for J in subsets]
    np.testing.assert_allclose(ZeroOneScore(2)(engine.counts(subsets)), expected, rtol=0, atol=1e-12)


def test_projection_norm_closed_form():
    X, y = correlated_bits(7)
    engine = bit_engine(X, y)
    marginals = product_marginals(engine, 2)
    for J in combinations(range(6), 3):
        table = engine.counts([J]).table(0).astype(float)
        s = table[..., 1] - table[..., 0]
        P = np.einsum("i,j,k->ijk", *(marginals[j] for j in J))
        np.testing.assert_allclose((s**2 / (len(y) ** 2 * P)).sum(), naive.projection_norm_2(X, y, J), atol=1e-12)


def test_one_norm_grows_with_the_subset_under_the_empirical_measure():
    X, y = correlated_bits(8)
    engine = bit_engine(X, y)

    def norm(J):
        table = engine.counts([J]).table(0)
        return np.abs(table[..., 1] - table[..., 0]).sum() / len(y)

    for J in combinations(range(6), 3):
        for j in range(6):
            if j not in J:
                assert norm((*J, j)) >= norm(J)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 60), sizes=st.lists(st.integers(2, 5), min_size=2, max_size=3))
def test_squared_error_score_is_the_u_statistic(seed, n, sizes):
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, q, n).astype(np.uint8) for q in sizes]
    y = rng.normal(size=n)
    y -= y.mean()
    engine = engine_for(CodeTable.of(codes, sizes, np.column_stack([np.ones(n), y, y * y])))
    J = tuple(range(len(sizes)))
    expected = naive.u_statistic(codes, y, J) / np.mean(y**2)
    np.testing.assert_allclose(SquaredErrorScore()(engine.counts([J])), [expected], atol=1e-10)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 50), n_classes=st.integers(2, 5))
def test_accuracy_score_is_leave_one_out(seed, n, n_classes):
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, q, n).astype(np.uint8) for q in (2, 3)]
    y = rng.integers(0, n_classes, n)
    engine = engine_for(BitTable.pack(codes, [2, 3], y, n_classes))
    expected = naive.leave_one_out_accuracy(codes, y, (0, 1), n_classes)
    np.testing.assert_allclose(AccuracyScore(n_classes)(engine.counts([[0, 1]])), [expected], atol=1e-12)


def test_many_classes_are_the_mean_of_one_against_the_rest():
    rng = np.random.default_rng(9)
    codes = [rng.integers(0, q, 300).astype(np.uint8) for q in (2, 3, 4)]
    y = rng.integers(0, 4, 300)
    engine = engine_for(BitTable.pack(codes, [2, 3, 4], y, 4))
    subsets = list(combinations(range(3), 2))
    each = [
        ZeroOneScore(2)(engine_for(BitTable.pack(codes, [2, 3, 4], (y == c).astype(int), 2)).counts(subsets))
        for c in range(4)
    ]
    np.testing.assert_allclose(ZeroOneScore(4)(engine.counts(subsets)), np.mean(each, axis=0), atol=1e-12)


@settings(max_examples=100)
@given(data=st.data())
def test_subsets_by_number(data):
    d = data.draw(st.integers(1, 12))
    k = data.draw(st.integers(1, d))
    every = list(combinations(range(d), k))
    start = data.draw(st.integers(0, len(every)))
    stop = data.draw(st.integers(start, len(every)))
    assert [tuple(s) for s in subsets_between(d, k, start, stop)] == every[start:stop]


def test_subsets_far_out():
    d, k = 10_000, 3
    total = comb(d, k)
    assert subsets_between(d, k, total - 1, total).tolist() == [[d - 3, d - 2, d - 1]]


@pytest.mark.parametrize("search", [exhaustive, greedy, beam, swaps])
def test_ties_go_to_the_lexicographically_first(search):
    column = np.array([0, 1] * 50, dtype=np.uint8)
    engine = engine_for(BitTable.pack([column] * 5, [2] * 5, column, 2))
    found = search(engine, ZeroOneScore(2), 2, n_best=4)
    assert found.subsets[:4].tolist() == [[0, 1], [0, 2], [0, 3], [0, 4]]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=200), st.integers(1, 10), st.integers(1, 20))
def test_a_ranking_is_a_stable_sort(scores, most, block):
    subsets = np.arange(len(scores), dtype=np.int32)[:, None]
    values = np.array(scores, dtype=float)
    ranking = Ranking(most)
    for i in range(0, len(scores), block):
        ranking.add(subsets[i : i + block], values[i : i + block])
    best, best_scores = ranking.best()
    expected = np.argsort(-values, kind="stable")[:most]
    np.testing.assert_array_equal(best[:, 0], expected)
    np.testing.assert_array_equal(best_scores, values[expected])


def test_exhaustive_equals_a_sort_of_everything():
    X, y = correlated_bits(10, d=9)
    engine = bit_engine(X, y)
    score = ZeroOneScore(2)
    every = subsets_between(9, 3, 0, comb(9, 3))
    scores = score(engine.counts(every))
    found = exhaustive(engine, score, 3, n_best=20)
    order = np.argsort(-np.round(scores, 12), kind="stable")[:20]
    np.testing.assert_array_equal(found.subsets, every[order])
    np.testing.assert_array_equal(found.scores, scores[order])
    assert found.complete
    assert str(found).startswith("exhaustive: all 84 subsets of size 3 in ")


@pytest.mark.alone
def test_parity_is_found_by_exhaustive_and_missed_by_greedy_search():
    data = make_parity(1000, 20, 3, noise=0.1, random_state=1)
    engine = bit_engine(data.data, data.target)
    found = exhaustive(engine, ZeroOneScore(2), 3)
    assert tuple(found.subsets[0]) == data.relevant
    assert found.seconds < 0.5
    missed = greedy(engine, ZeroOneScore(2), 3)
    assert tuple(missed.subsets[0]) != data.relevant
    assert not missed.complete
    assert "18 of 1,140 subsets" in str(missed)


def test_a_time_limit_ends_the_search_and_is_said(monkeypatch):
    monkeypatch.setattr(TRAVERSAL, "_FIRST_STRETCH", 10)
    monkeypatch.setattr(EXHAUSTIVE._Search, "_refuse_if_hopeless", lambda _: None)
    X, y = correlated_bits(11, d=12)
    found = exhaustive(bit_engine(X, y), AccuracyScore(2), 3, time_limit=1e-9)
    assert (found.n_searched, found.n_total) == (10, 220)
    assert not found.complete
    assert "stopped by the time limit of 1e-09 s, 10 of 220 subsets" in str(found)


@pytest.mark.parametrize("score", [ZeroOneScore(2), AccuracyScore(2)], ids=["fused", "counted"])
def test_a_hopeless_search_is_refused_with_advice(monkeypatch, score):
    X, y = correlated_bits(13, n=2000, d=200)
    with pytest.raises(
        SearchTooLongError, match=r"64,684,950 subsets of size 4 of 200 would take about .* time_limit=0.1 .*'greedy'"
    ):
        exhaustive(bit_engine(X, y), score, 4, time_limit=0.1)


@pytest.mark.parametrize("fused", [True, False])
def test_an_interrupt_keeps_what_was_found(monkeypatch, fused):
    monkeypatch.setattr(TRAVERSAL, "_FIRST_STRETCH", 50)
    monkeypatch.setattr(TRAVERSAL, "_SECONDS_A_STRETCH", 0)
    X, y = correlated_bits(12, d=12)
    engine = bit_engine(X, y)
    walk = walk_for(engine, ZeroOneScore(2) if fused else AccuracyScore(2), 3, 10)
    calls = []
    original = type(walk).best

    def interrupted(self, *arguments):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return original(self, *arguments)

    monkeypatch.setattr(type(walk), "best", interrupted)
    found = exhaustive(engine, walk.score, 3)
    assert 50 <= found.n_searched < 220
    assert found.stopped == "an interrupt"
    every = subsets_between(12, 3, 0, found.n_searched)
    scores = walk.score(engine.counts(every))
    np.testing.assert_array_equal(found.subsets[0], every[np.argmax(np.round(scores, 12))])


# ---- the fused scan equals counting and scoring ----


def random_engine(seed, n, sizes, n_classes, kind=engine_for):
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, q, n).astype(np.uint8) for q in sizes]
    y = (codes[0] + rng.integers(0, n_classes, n)) % n_classes
    return kind(BitTable.pack(codes, sizes, y, n_classes))


def scores_of(engine, n_classes):
    marginals = product_marginals(engine, n_classes)
    return [ZeroOneScore(n_classes), ZeroOneScore(n_classes, marginals), L2Score(n_classes, marginals)]


def check_scan_against_sort(engine, score, k, n_best=15):
    total = comb(engine.n_units, k)
    every = subsets_between(engine.n_units, k, 0, total)
    scores = np.concatenate([score(engine.counts(every[i : i + 5000])) for i in range(0, total, 5000)])
    order = np.argsort(-np.round(scores, 12), kind="stable")[:n_best]
    found = exhaustive(engine, score, k, n_best=n_best)
    np.testing.assert_array_equal(found.subsets, every[order])
    np.testing.assert_allclose(found.scores, scores[order], rtol=0, atol=1e-12)
    walk = walk_for(engine, score, k, n_best)
    subsets, raw = walk.best(0, total, -np.inf)
    if isinstance(walk, FusedWalk):
        np.testing.assert_array_equal(subsets, every[order])
    np.testing.assert_allclose(np.sort(raw)[::-1][:n_best], scores[order], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "sizes", [[2] * 11, [2] * 40, [3, 2, 5, 2, 4, 2, 3], [9, 2, 7]], ids=["bits", "more bits", "levels", "many levels"]
)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_the_fused_scan_equals_counting(sizes, n_classes, k):
    if comb(len(sizes), k) > (100_000 if HAS_CORE else 1000) or k > len(sizes):
        return
    engine = random_engine(k, 900, sizes, n_classes)
    for score in scores_of(engine, n_classes):
        check_scan_against_sort(engine, score, k)


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 511, 512, 513, 5000])
def test_the_fused_scan_for_any_number_of_rows(n):
    engine = random_engine(n, n, [2] * 9, 2)
    for k in (2, 3, 4):
        check_scan_against_sort(engine, ZeroOneScore(2), k)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 700),
    sizes=st.lists(st.integers(2, 5), min_size=3, max_size=7),
    n_classes=st.integers(2, 4),
    k=st.integers(2, 4),
)
def test_the_fused_scan_equals_counting_on_any_shape(seed, n, sizes, n_classes, k):
    if k <= len(sizes):
        engine = random_engine(seed, n, sizes, n_classes)
        for score in scores_of(engine, n_classes):
            check_scan_against_sort(engine, score, k, n_best=7)


def test_biased_and_constant_units_are_scanned_right():
    rng = np.random.default_rng(0)
    codes = [(rng.random(3000) < p).astype(np.uint8) for p in (0, 0.01, 0.2, 0.5, 0.8, 0.99, 1, 0.5)]
    engine = engine_for(BitTable.pack(codes, [2] * 8, codes[3] ^ codes[2], 2))
    for k in (2, 3, 4):
        check_scan_against_sort(engine, ZeroOneScore(2), k)


def test_the_scan_crosses_blocks_of_units():
    """More units than a block of planes holds, more words than a chunk, and stretches that end anywhere."""
    engine = random_engine(5, 70_000 if HAS_CORE else 700, [2] * 150, 2)
    whole = exhaustive(engine, ZeroOneScore(2), 2, n_best=30)
    every = subsets_between(150, 2, 0, comb(150, 2))
    scores = ZeroOneScore(2)(engine.counts(every))
    order = np.argsort(-np.round(scores, 12), kind="stable")[:30]
    np.testing.assert_array_equal(whole.subsets, every[order])
    walk = walk_for(engine, ZeroOneScore(2), 2, 30)
    parts = Ranking(30)
    start = 0
    while start < walk.total:
        stop = walk.end_of(start, 700)
        parts.add(*walk.best(start, stop, parts.floor()))
        start = stop
    np.testing.assert_array_equal(parts.best()[0], whole.subsets)


@pytest.mark.skipif(not HAS_CORE, reason="no scans without the core")
def test_bits_on_a_disk_are_scanned_in_long_stretches(monkeypatch):
    """All of them are read for every stretch, so that one of a few first members would never come to an end."""
    engine, score = random_engine(5, 700, [2] * 150, 2), ZeroOneScore(2)
    walk, wanted = walk_for(engine, score, 2, 30), exhaustive(engine, score, 2)
    assert walk.end_of(0, 1) == 149
    monkeypatch.setattr(TRAVERSAL, "room_for_counting", lambda: 0)
    assert walk.end_of(0, 1) == walk.total - comb(150 - 128, 2)
    assert walk.end_of(walk.end_of(0, 1), 1) == walk.total
    np.testing.assert_array_equal(exhaustive(engine, score, 2).subsets, wanted.subsets)


def test_workers_scan_what_little_is_left_at_once():
    engine = random_engine(5, 700, [2] * 150, 2)
    walk = FusedWalk(engine, ZeroOneScore(2), 2, 5, 700.0, RemoteScan(engine, None))
    assert walk.end_of(0, 10_000) == walk.total == 11_175
    assert walk.end_of(0, 8_000) < walk.total


@pytest.mark.skipif(not HAS_CORE, reason="no scans without the core")
@pytest.mark.parametrize("k", [3, 4])
@pytest.mark.parametrize("sizes", [[2] * 14, [2, 3, 5, 2, 4, 3, 2, 2, 6]])
@pytest.mark.parametrize("kind", ["votes", "weighted votes", "squares"])
def test_without_a_pair_table_the_same_is_found(k, sizes, kind):
    """Where the table of all pairs would not fit, every code is counted."""
    rng = np.random.default_rng(len(sizes) * k)
    codes = [rng.integers(0, q, 500).astype(np.uint8) for q in sizes]
    score = SquaredErrorScore() if kind == "squares" else ZeroOneScore(3)
    if kind == "votes":
        table = BitTable.pack(codes, sizes, rng.integers(0, 3, 500), 3)
    elif kind == "squares":
        y = np.round(rng.normal(size=500), 2)
        table = CodeTable.of(codes, sizes, np.column_stack([np.ones(500), y, y * y]))
    else:
        w = rng.integers(1, 5, 500).astype(float)
        table = CodeTable.of(codes, sizes, np.column_stack([w, w]), rng.integers(0, 3, 500), 3)
    scan = engine_for(table).scan(score.fused(500.0))
    found = [scan.best(k, 0, len(sizes) - k + 1, 25, pair_bytes=n) for n in (0, 2**30)]
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=0, atol=1e-11)


def test_many_threads_and_one_scan_the_same():
    rng = np.random.default_rng(1)
    d = 80 if HAS_CORE else 15
    codes = [rng.integers(0, 2, 2000).astype(np.uint8) for _ in range(d)]
    table = BitTable.pack(codes, [2] * d, rng.integers(0, 2, 2000), 2)
    results = [exhaustive(engine_for(table, threads), ZeroOneScore(2), 3, n_best=50) for threads in (1, 2, 5)]
    for other in results[1:]:
        np.testing.assert_array_equal(results[0].subsets, other.subsets)
        np.testing.assert_array_equal(results[0].scores, other.scores)


# ---- searches that look at a few ----


def test_greedy_keeps_the_best_of_every_size():
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2, (600, 12))
    y = (bits[:, [2, 5, 9]].sum(axis=1) >= 2).astype(np.intp)
    found = greedy(bit_engine(bits.astype(np.uint8), y), ZeroOneScore(2), 3)
    assert found.subsets[0].tolist() == [2, 5, 9]


def test_beam_and_swaps_find_what_greedy_misses():
    """Three columns that decide the label together, and one that is better than each of them alone."""
    rng = np.random.default_rng(2)
    X = rng.integers(0, 2, (4000, 12)).astype(np.uint8)
    label = (X[:, 0].astype(int) + X[:, 1] + X[:, 2] >= 2).astype(int)
    decoy = np.where(rng.random(4000) < 0.2, 1 - label, label).astype(np.uint8)
    engine = engine_for(BitTable.pack([*X.T, decoy], [2] * 13, label, 2))
    truth = exhaustive(engine, ZeroOneScore(2), 3)
    assert truth.subsets[0].tolist() == [0, 1, 2]
    assert 12 in greedy(engine, ZeroOneScore(2), 3).subsets[0]
    for search in (beam, swaps):
        found = search(engine, ZeroOneScore(2), 3)
        assert found.subsets[0].tolist() == [0, 1, 2]
        assert found.scores[0] == truth.scores[0]
        assert found.n_searched <= found.n_total
        assert str(found).startswith(search.__name__)


def test_local_searches_never_count_a_subset_twice():
    engine = random_engine(3, 300, [2] * 8, 2)
    for search in (greedy, beam, swaps):
        found = search(engine, ZeroOneScore(2), 3, n_best=1000)
        assert len({tuple(s) for s in found.subsets.tolist()}) == len(found.subsets) == found.n_searched
    assert beam(engine, ZeroOneScore(2), 3).complete  # wide enough to see everything here


# ---- checkpoints ----


def test_a_search_goes_on_from_its_checkpoint(tmp_path, monkeypatch):
    engine = random_engine(4, 500, [2] * 30, 2)
    path = tmp_path / "search.json"
    whole = exhaustive(engine, ZeroOneScore(2), 3, n_best=20)
    monkeypatch.setattr(TRAVERSAL, "_FIRST_STRETCH", 500)
    monkeypatch.setattr(EXHAUSTIVE._Search, "_refuse_if_hopeless", lambda _: None)
    monkeypatch.setattr(TRAVERSAL, "_SECONDS_A_STRETCH", 0)
    stopped = exhaustive(engine, ZeroOneScore(2), 3, n_best=20, time_limit=1e-9, checkpoint=path)
    assert 0 < stopped.n_searched < whole.n_total
    resumed = exhaustive(engine, ZeroOneScore(2), 3, n_best=20, checkpoint=path)
    np.testing.assert_array_equal(resumed.subsets, whole.subsets)
    np.testing.assert_array_equal(resumed.scores, whole.scores)
    assert resumed.complete
    again = exhaustive(engine, ZeroOneScore(2), 3, n_best=20, checkpoint=path)
    np.testing.assert_array_equal(again.subsets, whole.subsets)


def test_a_checkpoint_of_another_search_is_refused(tmp_path):
    path = tmp_path / "search.json"
    engine, other = (random_engine(seed, 200, [2] * 8, 2) for seed in (1, 2))
    exhaustive(engine, ZeroOneScore(2), 2, checkpoint=path)
    for engine_, k, n_best in ((other, 2, 100), (engine, 3, 100), (engine, 2, 99)):
        with pytest.raises(CheckpointError, match="belongs to another search"):
            exhaustive(engine_, ZeroOneScore(2), k, n_best=n_best, checkpoint=path)
    with pytest.raises(CheckpointError, match="belongs to another search"):
        exhaustive(engine, AccuracyScore(2), 2, checkpoint=path)
    path.write_text('{"done": ')
    with pytest.raises(CheckpointError, match="is no checkpoint of a search"):
        exhaustive(engine, ZeroOneScore(2), 2, checkpoint=path)


COLUMNS = 260 if HAS_CORE else 30  # enough to be killed half-way
KILLED = f"""
import sys, numpy as np
from paclearn import JuntaClassifier
rng = np.random.default_rng(0)
X = rng.integers(0, 2, (2000, {COLUMNS})); y = X[:, 5] ^ X[:, 17] ^ (rng.random(2000) < 0.4)
print("ready", flush=True)
model = JuntaClassifier(k=3, n_jobs=int(sys.argv[2]), checkpoint=sys.argv[1]).fit(X, y)
np.save(sys.argv[1] + ".subsets.npy", model.search_.subsets); np.save(sys.argv[1] + ".scores.npy", model.search_.scores)
"""


SLOWED = """
import time
from paclearn.search import checkpoint
from paclearn.search import traversal as walk
checkpoint._SECONDS_BETWEEN_WRITES = 0
for kind in (walk.FusedWalk, walk.CountingWalk):
    kind.best = lambda *arguments, best=kind.best: (time.sleep(0.05), best(*arguments))[1]
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_a_scan_killed_half_way_resumes_to_the_identical_list(tmp_path, monkeypatch):
    """kill -9, as soon as the first checkpoint is there; one run never stopped, to compare with."""
    slow = KILLED.replace("print(", SLOWED + "print(")
    path = tmp_path / "scan"
    state = tmp_path / "scan.k3"
    process = subprocess.Popen([sys.executable, "-W", "ignore", "-c", slow, str(path), "1"], stdout=subprocess.DEVNULL)
    while not state.exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = json.loads(state.read_text())["done"]
    assert 0 < done < comb(COLUMNS, 3)
    whole = tmp_path / "whole"
    for target, threads in ((path, "2"), (whole, "1")):
        monkeypatch.setattr(sys, "argv", ["-c", str(target), threads])
        exec(KILLED, {})
    for what in ("subsets", "scores"):
        resumed, never_stopped = (np.load(f"{target}.{what}.npy") for target in (path, whole))
        np.testing.assert_array_equal(resumed, never_stopped)


def test_too_many_cells_says_how_many_and_what_would_fit():
    with pytest.raises(TooManyCellsError, match=r"k=9 needs a table of 68,719,476,736 cells \(1 TiB\).*k=6 would fit"):
        check_cells((16,) * 20, 9, 2)
    check_cells((16,) * 20, 6, 2)
    check_cells((2,) * 20, 20, 2)
