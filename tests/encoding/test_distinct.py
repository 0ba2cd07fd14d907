"""Equal rows as one that counts as often: what that is, whatever order the rows come in."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paclearn.encoding.distinct import DistinctRows, distinct_signs


def codes_of(rng, n, d):
    return rng.integers(0, 3, (n, d)).astype(np.uint8)


def floats_of(rng, n, d):
    return rng.choice([-1.5, 0.0, 2.0, np.nan], (n, d))


WAYS = {"in order": (DistinctRows.in_order, codes_of), "mixed": (DistinctRows.mixed, floats_of)}
some_rows = given(n=st.integers(1, 60), d=st.integers(0, 20), seed=st.integers(0, 10**6))


def draw(kind, n, d, seed):
    """A way to merge, rows of which many are alike, their targets, and how often each counts."""
    rng = np.random.default_rng(seed)
    merge, make = WAYS[kind]
    chosen = rng.integers(0, max(1, n // 2), n)
    return merge, make(rng, n, d)[chosen], rng.integers(0, 2, n), rng.integers(1, 4, n).astype(np.float64), rng


def content(rows, targets, found):
    return rows[found.first].tolist(), targets[found.first].tolist(), found.weights.tolist()


@pytest.mark.parametrize("kind", WAYS)
@some_rows
@settings(max_examples=60, deadline=None)
def test_expanding_gives_the_rows_back(kind, n, d, seed):
    merge, rows, targets, weights, _ = draw(kind, n, d, seed)
    found = merge(rows, targets, weights)
    np.testing.assert_array_equal(rows[found.first][found.kind], rows)
    np.testing.assert_array_equal(targets[found.first][found.kind], targets)
    np.testing.assert_array_equal(found.counts, np.bincount(found.kind))
    np.testing.assert_array_equal(found.weights, np.bincount(found.kind, weights))
    seen = np.column_stack([np.nan_to_num(rows.astype(np.float64), nan=99.0), targets])
    assert len(found.first) == len({tuple(row) for row in seen.tolist()})  # no two kinds are alike
    assert all(found.kind[:row].tolist().count(kind) == 0 for kind, row in enumerate(found.first))


@pytest.mark.parametrize("kind", WAYS)
@some_rows
@settings(max_examples=60, deadline=None)
def test_the_order_of_rows_is_of_no_account(kind, n, d, seed):
    merge, rows, targets, weights, rng = draw(kind, n, d, seed)
    order = rng.permutation(n)
    expected = content(rows, targets, merge(rows, targets, weights))
    shuffled = content(rows[order], targets[order], merge(rows[order], targets[order], weights[order]))
    np.testing.assert_equal(shuffled, expected)


@pytest.mark.parametrize("kind", WAYS)
@some_rows
@settings(max_examples=60, deadline=None)
def test_weight_three_is_three_rows(kind, n, d, seed):
    merge, rows, targets, weights, _ = draw(kind, n, d, seed)
    again = np.repeat(np.arange(n), weights.astype(int))
    repeated = content(rows[again], targets[again], merge(rows[again], targets[again]))
    np.testing.assert_equal(repeated, content(rows, targets, merge(rows, targets, weights)))


@some_rows
@settings(max_examples=60, deadline=None)
def test_codes_are_in_the_order_of_their_bytes(n, d, seed):
    merge, rows, targets, _, _ = draw("in order", n, d, seed)
    found = merge(rows, targets.astype(np.float64))
    keys = [bytes(rows[i]) + targets[i].astype(np.float64).tobytes() for i in found.first]
    assert keys == sorted(keys)


@pytest.mark.parametrize("kind", WAYS)
def test_different_rows_of_one_mark_are_kept_apart(kind, monkeypatch):
    merge, rows, targets, weights, rng = draw(kind, 50, 4, 0)
    usual = merge(rows, targets, weights)
    monkeypatch.setattr("paclearn.encoding.distinct._marks", lambda start, words: np.zeros(len(words), dtype=np.uint64))
    found = merge(rows, targets, weights)
    np.testing.assert_array_equal(rows[found.first][found.kind], rows)
    np.testing.assert_array_equal(np.sort(found.first), np.sort(usual.first))
    order = rng.permutation(50)
    shuffled = content(rows[order], targets[order], merge(rows[order], targets[order], weights[order]))
    np.testing.assert_equal(shuffled, content(rows, targets, found))


def test_marks_of_sparse_rows_differ():
    """Single bits in any two places: what a sum of multiples of words would confuse."""
    rows = np.vstack([np.eye(128, dtype=np.uint8)[:, ::-1], np.eye(128, dtype=np.uint8)])
    packed = np.packbits(rows, axis=1)
    found = DistinctRows.in_order(packed, np.zeros(256))
    assert len(found.first) == 128
    assert set(found.counts.tolist()) == {2}


def test_signs_go_with_their_targets():
    signs = np.array([[1, -1], [-1, -1], [1, -1], [1, -1]], dtype=np.int8)
    merged, targets, draws = distinct_signs(signs, np.array([0.5, 1.0, 0.5, 2.0]), np.array([1.0, 2.0, 3.0, 4.0]))
    rows = sorted(zip(merged.tolist(), targets.tolist(), draws.weights.tolist(), strict=True))
    assert rows == [([-1, -1], 1.0, 2.0), ([1, -1], 0.5, 4.0), ([1, -1], 2.0, 4.0)]


def test_no_rows():
    assert len(DistinctRows.in_order(np.empty((0, 3), dtype=np.uint8), np.empty(0)).first) == 0
    assert len(DistinctRows.mixed(np.empty((0, 3)), np.empty(0, dtype=np.intp)).first) == 0
