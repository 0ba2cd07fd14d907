"""Closed forms equal the papers' sums; searches find what is there and say what they looked at."""

import sys
from itertools import combinations
from math import comb

import naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paclearn.counting import BitTable, CodeTable, engine_for
from paclearn.datasets import make_bits, make_parity
from paclearn.exceptions import TooManyCellsError
from paclearn.search import (
    AccuracyScore,
    SquaredErrorScore,
    ZeroOneScore,
    check_cells,
    exhaustive,
    greedy,
    product_marginals,
    subsets_between,
)
from paclearn.search.result import Ranking

EXHAUSTIVE = sys.modules["paclearn.search.exhaustive"]  # the function of that name hides the module


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


@pytest.mark.parametrize("search", [exhaustive, greedy])
def test_ties_go_to_the_lexicographically_first(search):
    column = np.array([0, 1] * 50, dtype=np.uint8)
    engine = engine_for(BitTable.pack([column] * 5, [2] * 5, column, 2))
    found = search(engine, ZeroOneScore(2), 2, n_best=4)
    assert found.subsets.tolist() == [[0, 1], [0, 2], [0, 3], [0, 4]]


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
    monkeypatch.setattr(EXHAUSTIVE, "block_length", lambda *_: 10)
    X, y = correlated_bits(11, d=12)
    found = exhaustive(bit_engine(X, y), ZeroOneScore(2), 3, time_limit=1e-9)
    assert (found.n_searched, found.n_total) == (10, 220)
    assert not found.complete
    assert "stopped by the time limit of 1e-09 s, 10 of 220 subsets" in str(found)


def test_an_interrupt_keeps_what_was_found(monkeypatch):
    monkeypatch.setattr(EXHAUSTIVE, "block_length", lambda *_: 50)
    X, y = correlated_bits(12, d=12)
    calls = []

    class Interrupting(ZeroOneScore):
        def __call__(self, counts):
            calls.append(1)
            if len(calls) == 3:
                raise KeyboardInterrupt
            return super().__call__(counts)

    found = exhaustive(bit_engine(X, y), Interrupting(2), 3)
    assert found.n_searched == 100
    assert found.stopped == "an interrupt"


def test_too_many_cells_says_how_many_and_what_would_fit():
    with pytest.raises(TooManyCellsError, match=r"k=9 needs a table of 68,719,476,736 cells \(1 TiB\).*k=6 would fit"):
        check_cells((16,) * 20, 9, 2)
    check_cells((16,) * 20, 6, 2)
    check_cells((2,) * 20, 20, 2)
