"""Scans of conjunctions: the core, its numpy twin and a look at every one of them agree; pools of conditions."""

from itertools import combinations
from pathlib import Path

import hypothesis.strategies as st
import naive
import numpy as np
import pytest
from hypothesis import given, settings

from paclearn.counting import BitTable
from paclearn.encoding import BinColumn, Bit, Domain, LevelColumn
from paclearn.encoding.comparisons import columns_of, comparisons, holds, shared_levels
from paclearn.exceptions import InputError
from paclearn.kernels import dispatch
from paclearn.kernels.numpy_conjunctions import ConjunctionScan
from paclearn.search import condition_pool as pools
from paclearn.search.condition_pool import PoolLimits, condition_pool
from paclearn.search.conjunctions import best_conjunctions
from paclearn.search.layers import BITS
from paclearn.search.qualities import QUALITIES

SRC = Path(dispatch.__file__).parents[2]
ENGINES = ["numpy", "native"] if dispatch._core is not None else ["numpy"]


# ---- conjunctions ----------------------------------------------------------------------------------------------------


def conditions_of(rng, n, sizes, missing=0.0):
    """Levels of some columns, = and != of each; what is missing answers no to both. In no order."""
    answers, groups = [], []
    for group, size in enumerate(sizes):
        codes, known = rng.integers(0, size, n), rng.random(n) >= missing
        for level in range(size):
            answers += [(codes == level) & known, (codes != level) & known]
            groups += [group, group]
    order = rng.permutation(len(groups))
    return np.array(answers).T[:, order], np.array(groups)[order]


def rounded(values):
    """Numbers as the layers have them."""
    low, span = values.min(), np.ptp(values)
    return low + span * np.rint((values - low) / span * 2**BITS) / 2**BITS


def target_of(rng, n, kind):
    if kind == "numbers":
        return rounded(np.append(rng.normal(size=n - 2), [-3.0, 5.0]))
    return np.append(rng.integers(0, 2, n - 2) if kind == "classes" else rng.random(n - 2) < 0.1, [0, 1]).astype(int)


def weights_of(rng, n, kind):
    """Whole weights, nought among them; or fractions that the layers have exactly. The last two rows tell apart."""
    if kind == "none":
        return None
    weights = rng.integers(0, 4, n) if kind == "whole" else rng.integers(0, 2**10, n) / 2**8
    weights[-2:] = 1 if kind == "whole" else (2.0, 0.5)
    return weights.astype(float)


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    target=st.sampled_from(["classes", "rare class", "numbers"]),
    weights=st.sampled_from(["none", "whole", "fractions"]),
    quality=st.sampled_from(QUALITIES),
    sides=st.integers(1, 2),
    minimal=st.booleans(),
    missing=st.sampled_from([0.0, 0.3]),
    min_rows=st.sampled_from([0, 1, 4, 7.5]),
)
def test_the_same_as_a_look_at_every_conjunction(
    engine, seed, target, weights, quality, sides, minimal, missing, min_rows
):
    if target == "numbers" and quality not in {"wracc", "shift"}:
        quality = "shift"
    two_sided = sides == 2 and quality in {"wracc", "shift"}
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 70))
    answers, groups = conditions_of(rng, n, [2, 2, 3, 2], missing)
    y, w = target_of(rng, n, target), weights_of(rng, n, weights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PACLEARN_ENGINE", engine)
        for k in (1, 2, 3, 4):
            found = best_conjunctions(
                answers, groups, y, w,
                quality=quality, k=k, n_best=9, min_rows=min_rows, two_sided=two_sided, minimal=minimal,
            )  # fmt: skip
            mass = np.ones(n) if w is None else w
            every = naive.conjunctions(
                answers, groups, y, mass, quality, k, min_rows, two_sided=two_sided, minimal=minimal
            )
            assert found.complete
            assert_same(found, every)


def assert_same(found, every):
    """The same qualities in the same order, and the members; but where rounding decides between equals."""
    best = every[:9]
    assert len(found) == len(best)
    np.testing.assert_allclose(found.quality, [q for *_, q in best], rtol=1e-6, atol=1e-9)
    known = {members: (rows, sums, quality) for members, rows, sums, quality in every}
    for members, rows, sums, quality in zip(found.members, found.rows, found.sums, found.quality, strict=True):
        assert known[tuple(members.tolist())] == pytest.approx((rows, sums, quality), rel=1e-6, abs=1e-9)
    apart = np.abs(np.diff([q for *_, q in every[:10]])).min(initial=np.inf) > 1e-7
    if apart:
        assert [tuple(row) for row in found.members.tolist()] == [members for members, *_ in best]


@pytest.mark.parametrize(("quality", "target"), [*((q, "classes") for q in QUALITIES), ("shift", "numbers")])
def test_engines_and_threads_give_the_same_bytes(quality, target, monkeypatch):
    rng = np.random.default_rng(3)
    answers, groups = conditions_of(rng, 700, [2, 3, 2, 2], 0.1)
    y, w = target_of(rng, 700, target), weights_of(rng, 700, "whole")
    for k, weights, minimal in ((2, w, False), (3, None, True)):
        every = []
        for engine, n_jobs in [("numpy", 1), *((e, j) for e in ENGINES[1:] for j in (1, 5))]:
            monkeypatch.setenv("PACLEARN_ENGINE", engine)
            every.append(
                best_conjunctions(
                    answers, groups, y, weights, quality=quality, k=k, min_rows=5, minimal=minimal, n_jobs=n_jobs
                )
            )
        for other in every[1:]:
            for name in ("members", "rows", "sums", "quality"):
                assert getattr(other, name).tobytes() == getattr(every[0], name).tobytes()


def scans_of_many_planes(scan):
    """More planes than a block has, more rows than a chunk, rare answers and common ones, some of no condition."""
    rng = np.random.default_rng(5)
    n, d = 600, 150
    yes = (rng.random((d, n)) < rng.choice([0.02, 0.3, 0.9], d)[:, None]).astype(np.uint8)
    y = (rng.random(n) < 0.2 + 0.5 * (yes[1] & yes[140])).astype(int)
    table = BitTable.pack(yes, [2] * d, y, 2)
    numbers = np.where(rng.random((d, 2)) < 0.1, -1, np.arange(2 * d).reshape(d, 2)).astype(np.int32)
    parts = (table.words, table.class_starts, table.class_rows, np.arange(d) // 3, numbers)
    for kind in ("accuracy", "precision", "likelihood_ratio", "chi_square", "shift"):
        weights = (
            (np.ones(2), np.array([0.0, 1.0])) if kind != "shift" else (np.array([1.0, 3.0]), np.array([0.5, 2.0]))
        )
        made = scan(*parts, *weights, kind, 100.0, False, kind == "accuracy", 20.0, 2)
        yield made.best(2, 0, d, 100)[0].tolist()
        yield made.best(3, 0, 2, 100)[0].tolist()


def test_many_planes_and_layers():
    if dispatch._core is not None:
        found = zip(*map(scans_of_many_planes, (dispatch._core.ConjunctionScan, ConjunctionScan)), strict=True)
        assert all(ours == theirs for ours, theirs in found)


def test_how_many_there_are_and_a_time_limit():
    rng = np.random.default_rng(0)
    answers, groups = conditions_of(rng, 50, [2, 2, 3, 2])
    y = target_of(rng, 50, "classes")
    ways = {k: sum(len(set(groups[list(c)])) == k for c in combinations(range(len(groups)), k)) for k in (1, 2, 3, 4)}
    for k, n in ways.items():
        assert best_conjunctions(answers, groups, y, k=k).looked_at == n
    for k in (3, 4):
        some = best_conjunctions(answers, groups, y, k=k, time_limit=1e-9)
        assert not some.complete
        assert 0 < some.looked_at < ways[k]


def test_columns_one_after_another_are_the_matrix():
    rng = np.random.default_rng(0)
    answers, groups = conditions_of(rng, 50, [2, 3])
    y = target_of(rng, 50, "classes")
    whole, one_by_one = (best_conjunctions(a, groups, y).members for a in (answers, iter(answers.T)))
    np.testing.assert_array_equal(whole, one_by_one)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"k": 5}, "k=5 must be a whole number from 1 to 4"),
        ({"n_best": 0}, "n_best=0 must be"),
        ({"min_rows": -1}, "min_rows=-1 must be"),
        ({"quality": "gini"}, "quality='gini' is not known"),
        ({"quality": "lift", "target": np.linspace(0, 1, 20)}, "quality='lift' is one of classes"),
        ({"quality": "lift", "two_sided": True}, "quality='lift' has one side only"),
        ({"target": np.ones(20, dtype=int)}, "target is 1 in all 20 rows"),
        ({"target": np.arange(20)}, "1 for rows of the class"),
        ({"target": np.append(np.ones(19), np.nan)}, "must be finite"),
        ({"target": np.empty(0)}, "one a row"),
        ({"weights": -np.ones(20)}, "weights must be 20 numbers that are not negative"),
        ({"weights": np.zeros(20)}, "not all of them nought"),
        ({"weights": np.eye(20)[0]}, "all rows of any weight"),
        ({"groups": np.array([0.5] * 4)}, "groups must be whole numbers"),
        ({"groups": np.arange(3)}, "found"),
        ({"answers": np.zeros((20, 4))}, "answers must be True or False"),
        ({"answers": np.zeros((19, 4), dtype=bool)}, "each of 20 rows"),
    ],
)
def test_bad_arguments(given, message):
    usual = {"answers": np.arange(80).reshape(20, 4) % 3 == 0, "groups": np.arange(4), "target": np.arange(20) % 2}
    with pytest.raises(InputError, match=message):
        best_conjunctions(**{**usual, **given})


# ---- pools of conditions ---------------------------------------------------------------------------------------------

DOMAIN = Domain(
    (
        LevelColumn("head", 0, False, ("round", "square", "octagon")),
        LevelColumn("body", 1, True, ("octagon", "round", "square"), other=True),
        LevelColumn("size", 2, False, ("1", "2", "10"), numeric=True),
        BinColumn("age", 3, True, (24.0, 41.5, 60.0)),
        LevelColumn("town", 4, False, tuple("abcdefg")),
        LevelColumn("tie", 5, False, ("no", "yes")),
    )
)


def codes_of(n=400, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.integers(0, size, n).astype(np.uint8) for size in DOMAIN.sizes]


def test_the_pool_of_a_domain():
    codes = codes_of()
    target = np.isin(codes[4], (1, 3, 6)).astype(int)
    pool = condition_pool(DOMAIN, codes, target)
    words = {
        "head = round", "head != round", "body = octagon", "body is missing", "body is not missing", "size <= 2",
        "size > 1", "size != 2", "age <= 24", "age > 60", "24 < age <= 60", "age is missing", "town = a", "town != a",
        "town in {b, d, g}", "tie = no", "tie = yes", "head = body", "head != body",
    }  # fmt: skip
    assert words <= set(pool.names)
    assert len(set(pool.names)) == len(pool)
    assert pool.shares.sum() <= 1 + 1e-12
    assert pool.left_out == ()


def test_answers_of_a_pool_are_those_of_its_words():
    codes = codes_of()
    pool = condition_pool(DOMAIN, codes, codes[0] == 1)
    answers = pool.answers(codes)
    said = dict(zip(pool.names, answers.T, strict=True))
    names = [np.array([*column.code_names, "?"])[c] for column, c in zip(DOMAIN.columns, codes, strict=True)]
    np.testing.assert_array_equal(said["head = body"], names[0] == names[1])
    known = ~np.isin(names[1], ("other", "missing"))
    np.testing.assert_array_equal(said["head != body"], (names[0] != names[1]) & known)
    np.testing.assert_array_equal(said["24 < age <= 60"], np.isin(codes[3], (1, 2)))
    np.testing.assert_array_equal(said["body is missing"], names[1] == "missing")
    for c, column in zip(pool.conditions, answers.T, strict=True):
        np.testing.assert_array_equal(holds(c, codes, DOMAIN.sizes), column)
        unseen = [np.full(3, size, dtype=np.uint8) for size in DOMAIN.sizes]
        assert not holds(c, unseen, DOMAIN.sizes).any()


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_groups_that_could_have_been_found_share_the_choice(seed):
    """Whatever the target, a group of levels has the share that it would have among all groups there are."""
    codes = codes_of(seed=seed)
    target = np.random.default_rng(seed).normal(size=400)
    pool = condition_pool(DOMAIN, codes, target)
    shares = {c.codes: s for c, s, n in zip(pool.conditions, pool.shares, pool.names, strict=True) if "town" in n}
    every = sum(shares.get(group, shares.get(tuple(sorted(set(range(7)) - set(group))), 0)) for size in range(2, 6)
                for group in combinations(range(7), size))  # fmt: skip
    groups = {s for codes, s in shares.items() if 1 < len(codes) < 6}
    assert every <= 1
    assert groups == {1 / 6 / 2 / 2 / (2**7 - 2)}


def test_limits_are_kept_and_said():
    codes = codes_of()
    pool = condition_pool(DOMAIN, codes, codes[0] == 1, limits=PoolLimits(intervals=1, comparisons=0))
    assert pool.left_out == ("2 intervals of age", "1 comparisons of two columns")
    assert sum(" < age <= " in name for name in pool.names) == 1


def test_many_intervals_that_are_left_out_are_told_in_a_phrase():
    domain = Domain(tuple(BinColumn(f"x{i}", i, False, (1.0, 2.0, 3.0, 4.0)) for i in range(3)))
    codes = [np.arange(20).astype(np.uint8) % 5] * 3
    limits = PoolLimits.within(domain, 18)
    assert limits.intervals == 1
    assert condition_pool(domain, codes, codes[0] == 1, limits=limits).left_out == ("15 intervals of 3 columns",)
    assert {"x1 <= 1"} <= set(condition_pool(domain, codes, codes[0] == 1, columns=[1]).names)
    assert all("x1" in name for name in condition_pool(domain, codes, codes[0] == 1, columns=[1]).names)


def test_a_condition_is_put_into_words_when_it_is_read(monkeypatch):
    """Of the 100,000 of a table of 7,000 columns a dozen are: the words of all took longer than the scan."""
    codes = [np.arange(6, dtype=np.uint8) % size for size in DOMAIN.sizes]
    said = []
    monkeypatch.setattr(pools, "condition", lambda column, place, _: said.append(place) or Bit("said", place, (0,)))
    pool = condition_pool(DOMAIN, codes, codes[0] == 1)
    assert pool.answers(codes).shape == (6, len(pool))
    assert said == []
    assert pool.conditions[3] is pool.conditions[3]
    assert len(said) == 1
    assert pool.conditions[-2:] == (pool.conditions[len(pool) - 2], pool.conditions[len(pool) - 1])


def test_columns_that_share_most_levels_are_compared_too():
    sets = ["abc", "abcd", "abcdefghij", "abcdefghi", "abc"]
    domain = Domain(tuple(LevelColumn(f"c{i}", i, False, tuple(levels)) for i, levels in enumerate(sets)))
    assert shared_levels(domain, 9, range(5)) == ([(2, 3), (0, 4)], 2)
    assert shared_levels(domain, 9, [0, 1, 2]) == ([], 0)
    same, other = comparisons(domain, 2, 3)
    assert set(same.pairs) == {(i, i) for i in range(9)}
    assert len(other.pairs) == 81


def test_comparisons_of_columns_that_share_levels():
    assert shared_levels(DOMAIN, 9, range(6)) == ([(0, 1)], 1)
    assert shared_levels(DOMAIN, 0, range(6)) == ([], 1)
    same, other = comparisons(DOMAIN, 0, 1)
    assert (same.name, other.name) == ("head = body", "head != body")
    assert set(same.pairs) == {(0, 1), (1, 2), (2, 0)}
    assert len(other.pairs) == 6
    assert columns_of(same) == (0, 1)
