"""discover(): what a subset adds beyond its parts, how sure that is, and how it is said."""

import json

import naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from paclearn import discover
from paclearn._text import figures
from paclearn.certificates import q_values
from paclearn.counting import BitTable, NumpyEngine
from paclearn.datasets import load_tic_tac_toe, make_bits
from paclearn.exceptions import InputError, TargetError
from paclearn.learners.selection import discovery as room
from paclearn.learners.selection.contrasts import _functions_of_proper_subsets, cell_means, examine
from paclearn.learners.selection.selection_target import table_to_count
from paclearn.tables.target import Target, read_target


def planted(seed, n=5000, n_columns=40):
    """Biased, dependent bits; two strong main effects, a pair and a triple that matter together, a tenth of noise."""
    rng = np.random.default_rng(seed)
    bits = make_bits(n, n_columns, bias=0.3, correlation=0.3, random_state=seed)
    s, t, a, b, c, d, e = rng.permutation(n_columns)[:7]
    x = bits.astype(float)
    chance = 0.5 + 0.12 * (x[:, s] + x[:, t] + x[:, a] * x[:, b] + x[:, c] * x[:, d] * x[:, e])
    y = rng.random(n) < np.clip(chance, 0, 1)
    y ^= rng.random(n) < 0.1
    return bits, y.astype(int), {f"x{s}", f"x{t}"}, {f"x{a}", f"x{b}"}, {f"x{c}", f"x{d}", f"x{e}"}


def counts_of(codes, sizes, y, n_classes, subset):
    return NumpyEngine(BitTable.pack(codes, sizes, y, n_classes)).counts([subset])


# ---- the test --------------------------------------------------------------------------------------------------------


def test_functions_of_proper_subsets_leave_out_just_the_contrasts():
    for shape in ((2,), (4,), (2, 2), (3, 4), (2, 3, 2)):
        basis = _functions_of_proper_subsets(shape)
        assert basis.shape[0] - np.linalg.matrix_rank(basis) == np.prod([q - 1 for q in shape])
        assert np.linalg.matrix_rank(basis) == basis.shape[1]


@given(seed=st.integers(0, 300), k=st.integers(1, 3))
@settings(max_examples=30, deadline=None)
def test_for_bits_the_effect_is_the_alternating_sum_of_cell_means(seed, k):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (k, 400)).astype(np.uint8)
    y = rng.integers(0, 2, 400)
    means = cell_means(counts_of(codes, [2] * k, y, 2, list(range(k))), Target(y, np.array([0, 1]), None), 1, 5)
    tests = examine(means)
    assert tests.effect[0] == pytest.approx(naive.contrast(codes, y, add=0)[0], abs=1e-9)
    effect, variance = naive.contrast(codes, y, add=2 / 2**k)
    assert tests.se[0] == pytest.approx(np.sqrt(variance), abs=1e-9)
    assert tests.p[0] == pytest.approx(naive.normal_p(effect / np.sqrt(variance)), rel=1e-6, abs=1e-12)


@given(seed=st.integers(0, 300))
@settings(max_examples=20, deadline=None)
def test_for_many_rows_of_equal_variance_the_p_value_is_the_classical_one(seed):
    rng = np.random.default_rng(seed)
    sizes, n = [3, 4], 20_000
    codes = [rng.integers(0, q, n).astype(np.uint8) for q in sizes]
    y = rng.normal(size=n) + 0.05 * codes[0] * (codes[1] == 2) * rng.integers(0, 2)
    target = read_target(y, n)
    engine = NumpyEngine(table_to_count(target, codes, sizes))
    tests = examine(cell_means(engine.counts([[0, 1]]), target, 0, 5))
    assert tests.p[0] == pytest.approx(naive.interaction_p(codes, sizes, y), rel=0.2, abs=0.02)


@pytest.mark.parametrize("sizes", [[2, 2], [3, 4]])
def test_numbers_of_unequal_variance_hold_their_level(sizes):
    rng = np.random.default_rng(0)
    p = []
    for _ in range(400):
        codes = [rng.choice(q, 150, p=np.arange(1, q + 1) / (q * (q + 1) / 2)).astype(np.uint8) for q in sizes]
        y = sum(3.0 * c for c in codes) + rng.normal(size=150) * (0.2 + codes[0] + codes[1])
        target = read_target(y, 150)
        engine = NumpyEngine(table_to_count(target, codes, sizes))
        p.append(examine(cell_means(engine.counts([[0, 1]]), target, 0, 2)).p[0])
    p = np.array(p)
    assert (p <= 0.05).mean() <= 0.09
    assert (p <= 0.01).mean() <= 0.035


@pytest.mark.parametrize("sizes", [[2, 2], [3, 4], [2, 2, 2]])
def test_p_values_hold_their_level_however_strong_the_parts_are(sizes):
    rng = np.random.default_rng(0)
    p = []
    for _ in range(400):
        n, hidden = 1500, rng.random(1500)
        codes = [(np.clip(hidden + rng.normal(scale=0.4, size=n), 0, 0.999) * q).astype(np.uint8) for q in sizes]
        chance = 0.1 + sum(0.8 / len(sizes) * c / (q - 1) for c, q in zip(codes, sizes, strict=True))
        y = (rng.random(n) < chance).astype(int)
        means = cell_means(
            counts_of(codes, sizes, y, 2, list(range(len(sizes)))), Target(y, np.array([0, 1]), None), 1, 5
        )
        p.append(examine(means, np.random.RandomState(0)).p[0])
    p = np.array(p)
    p = p[~np.isnan(p)]
    assert len(p) > 300
    assert (p <= 0.05).mean() <= 0.085
    assert (p <= 0.01).mean() <= 0.03
    assert 0.3 < np.median(p) < 0.75


def test_cells_without_rows_leave_less_to_test():
    codes = [np.array([0, 0, 1, 1] * 30, dtype=np.uint8), np.array([0, 1, 0, 0] * 30, dtype=np.uint8)]
    y = np.tile([0, 1, 1], 40)
    found = discover(np.stack(codes, axis=1), y)
    pair = next(f for f in found.findings if f.order == 2)
    assert np.isnan(pair.p)
    assert pair.note() == "not tested: too few rows in its cells"
    assert found.tested == {1: (2, 2), 2: (0, 1)}
    assert "1 could not be tested" in found.promise()


def test_small_cells_are_simulated():
    rng = np.random.default_rng(0)
    a, b = (rng.random((2, 300)) < 0.2).astype(int)
    y = np.where((a == 1) & (b == 1), 1, (rng.random(300) < 0.02).astype(int))
    found = discover(np.column_stack([a, b]), y)
    pair = next(f for f in found.findings if f.order == 2)
    assert pair.simulated
    assert pair.q <= 0.1
    assert pair.note() == "simulated: small cells"


@pytest.mark.parametrize("n", [300, 2000])
def test_no_false_alarms(n):
    """Shuffled labels, columns of many levels that go along with each other."""
    alarms = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        base = rng.normal(size=n)
        table = np.column_stack([np.exp(base + rng.normal(size=n)).astype(int) for _ in range(8)])
        y = (rng.random(n) < 0.25).astype(int)
        alarms += len(discover(table, y)) > 0
    assert alarms <= 10  # four are expected at most; more than ten have a chance of one in two hundred


def test_planted_interactions_are_found_and_strong_columns_are_not_taken_for_some():
    pairs = triples = wrong = 0
    for seed in range(6):
        bits, y, strong, pair, triple = planted(seed)
        found = [set(f.members) for f in discover(bits, y, order=3) if f.order > 1]
        pairs += pair in found
        triples += triple in found
        wrong += any(m & strong and not (m <= pair or m <= triple) for m in found)
    assert pairs >= 5
    assert triples >= 5
    assert wrong <= 1


def test_parts_of_a_biased_parity_are_said_to_be_parts():
    bits, y, _, _, triple = planted(0)
    found = discover(bits, y, order=3)
    part = next(f for f in found if f.order == 2 and set(f.members) < triple)
    assert set(found.explained_by(part)) == triple
    assert "It is part of" in found.sentence(part)


def test_echoes():
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 2, (2, 4000))
    shadow = np.where(rng.random(4000) < 0.85, a, rng.integers(0, 2, 4000))
    y = np.where(rng.random(4000) < 0.1, 1 - (a ^ b), a ^ b)
    found = discover(pd.DataFrame({"a": a, "b": b, "shadow": shadow}), y)
    assert [f.members for f in found] == [("a", "b")]
    (echo,) = (f for f in found.echoes if f.order == 2)
    assert echo.members == ("b", "shadow")
    assert echo.echo_of == ("a", "b")
    assert echo.note() == "echo of a × b"


def test_an_effect_of_its_own_is_no_echo():
    rng = np.random.default_rng(0)
    u = rng.integers(0, 2, 20_000)
    v = np.where(rng.random(20_000) < 0.8, u, 1 - u)
    y = (rng.random(20_000) < 0.2 + 0.3 * u + 0.12 * v).astype(int)
    assert len(discover(pd.DataFrame({"u": u, "v": v}), y, order=1)) == 2


def test_copies_are_echoes():
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 2, (2, 2000))
    found = discover(pd.DataFrame({"a": a, "b": b, "same": 2 * a + 1, "not": 1 - a}), a ^ b)
    assert [f.members for f in found] == [("a", "b")]
    assert len(found.echoes) == 2
    assert "less frequent by 100.0 points" in found.sentence(next(iter(found)))  # and not by two hundred


def test_a_target_that_a_column_decides():
    a = np.tile([0, 1], 500)
    b = np.random.default_rng(0).integers(0, 2, 1000)
    found = discover(pd.DataFrame({"a": a, "b": b}), 0.5 + a)
    assert [f.members for f in found] == [("a",)]
    assert next(iter(found)).effect == pytest.approx(1)


def test_the_clearest_class_is_named_however_clear_it_is():
    g = np.repeat([0, 1], 20_000)
    y = np.where(g == 1, "C", np.random.default_rng(0).choice(["A", "B"], 40_000))
    assert discover(pd.DataFrame({"g": g}), y, order=1).findings[0].label == "C"


def test_noise_in_many_small_cells_of_numbers():
    runs = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        table = np.char.add("l", rng.integers(0, 8, (600, 6)).astype(str)).astype(object)
        runs += any(f.order > 1 for f in discover(table, rng.normal(size=600)))
    assert runs <= 7


def test_classes_that_leave_with_their_weights():
    with pytest.raises(TargetError, match="one class only"):
        discover([[0], [1], [0], [1]], [0, 0, 1, 1], sample_weight=[1, 1, 0, 0])
    with pytest.raises(TargetError, match="nothing to explain"):
        discover([[0], [1], [0]], [1.5, 1.5, 2.5], sample_weight=[1, 1, 0])


def test_weights_are_repetitions():
    rng = np.random.default_rng(2)
    table, y, weights = rng.integers(0, 3, (200, 3)), rng.integers(0, 2, 200), rng.integers(0, 4, 200)
    for target, task in ((y, "classification"), (rng.normal(size=200), "regression")):
        weighted = discover(table, target, sample_weight=weights, task=task)
        repeated = discover(np.repeat(table, weights, axis=0), np.repeat(target, weights), task=task)
        assert [f.members for f in weighted.findings] == [f.members for f in repeated.findings]
        np.testing.assert_allclose([f.p for f in weighted.findings], [f.p for f in repeated.findings], rtol=1e-6)


def test_many_classes_are_tested_one_by_one():
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 2, (2, 1500))
    y = np.where(a & b & (rng.random(1500) < 0.8), "c", rng.choice(["p", "q"], 1500))
    found = discover(pd.DataFrame({"a": a, "b": b}), y, target_name="kind")
    pair = next(f for f in found if f.order == 2)
    assert pair.label == "c"
    assert found.sentence(pair).startswith("kind = c is more frequent by ")
    assert "where a is 1 and b is 1 than the two alone add up to" in found.sentence(pair)


def test_the_best_of_many_classes_pays_for_all_of_them():
    """Of columns and classes that have nothing to do with each other, no more than a twentieth is below 0.05."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.integers(0, 2, (1000, 300)), columns=[f"c{i}" for i in range(300)])
    found = discover(frame, rng.choice(list("abcdef"), 1000), order=1, fdr=0.9999)
    below = sum(f.p < 0.05 for f in found.findings)
    assert len(found.findings) > 200
    assert stats.binom.sf(below - 1, 300, 0.05) > 1e-4


def test_numbers():
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 2, (2, 1000))
    y = 10 + 3.0 * a * b + rng.normal(size=1000)
    found = discover(pd.DataFrame({"a": a, "b": b}), y)
    pair = next(f for f in found if f.order == 2)
    assert pair.effect == pytest.approx(3, abs=0.4)
    assert found.mean == pytest.approx(10.75, abs=0.2)
    assert "target is higher by" in found.sentence(pair)


def test_large_numbers_are_written_out():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"garden": rng.choice(["yes", "no"], 300), "floor": rng.integers(0, 3, 300)})
    price = 400_000 + 150_000 * (frame["garden"] == "yes") + rng.normal(0, 20_000, 300)
    told = str(discover(frame, price, target_name="price"))
    assert "price is higher by 147,000 where garden is yes" in told
    assert "Tested 2 main effects, 1 pair on" in told
    assert [figures(v) for v in (435_123, 0.50841, -2151, 0.0, 1e-7, np.inf)] == [
        "435,000",
        "0.508",
        "-2,150",
        "0",
        "1e-07",
        "inf",
    ]
    assert (figures(1234.5, 5, sign=True), figures(99_996, 4)) == ("+1,234.5", "100,000")


def test_shuffled_targets_on_request():
    rng = np.random.default_rng(5)
    table = rng.integers(0, 2, (300, 4))
    y = table[:, 0] ^ table[:, 1]
    found = discover(table, y, method="permutation", n_permutations=50, random_state=0)
    assert [f.members for f in found] == [("x0", "x1")]
    assert next(iter(found)).q == pytest.approx(1 / 51)
    assert "the chance that even one of them is false" in found.promise()
    numeric = discover(table, y + rng.normal(size=300), method="permutation", n_permutations=20, random_state=0)
    assert ("x0", "x1") in [f.members for f in numeric]


def test_bits_and_four_at_a_time():
    rng = np.random.default_rng(6)
    frame = pd.DataFrame({"colour": rng.choice(["red", "green", "blue"], 800), "z": rng.integers(0, 2, 800)})
    y = ((frame["colour"] == "red") ^ (frame["z"] == 1)).to_numpy()
    found = discover(frame, y, unit="bit")
    assert ("colour=red", "z=1") in [f.members for f in found]
    bits = rng.integers(0, 2, (1500, 5))
    found = discover(bits, bits[:, :4].sum(axis=1) % 2, order=4)
    assert [f.members for f in found] == [("x0", "x1", "x2", "x3")]


def test_the_board_game():
    boards = load_tic_tac_toe()
    found = discover(boards.data, boards.target, target_name="x wins")
    assert found.findings[0].members == ("x4",)  # the middle of the board
    assert len(found) > 5


# ---- q-values --------------------------------------------------------------------------------------------------------


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_q_values_equal_the_oracle(p):
    np.testing.assert_allclose(q_values(np.array(p)), naive.benjamini_hochberg(p), atol=1e-12)


def test_what_was_not_tested_does_not_count():
    q = q_values(np.array([0.01, np.nan, 0.5]))
    assert q[0] == pytest.approx(0.02)
    assert np.isnan(q[1])
    assert np.isnan(q_values(np.array([np.nan]))).all()


# ---- tables, words, pictures -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def discovery():
    bits, y, *_ = planted(1)
    frame = pd.DataFrame(bits[:, :12], columns=[f"c|{i}" for i in range(12)])
    y = np.where(bits[:, 3] * bits[:, 7] > 0, y, 1 - y)
    return discover(frame, y, order=3)


def test_tables(discovery):
    frame = discovery.to_frame()
    assert list(frame.columns)[:6] == ["members", "order", "effect", "se", "p", "q"]
    assert frame["found"].sum() == len(discovery)
    assert len(discovery.to_frame(everything=False)) == len(discovery)
    facts = json.loads(discovery.to_json())
    assert len(facts["findings"]) == len(discovery)
    assert facts["findings"][0]["sentence"].endswith(".")
    assert "c\\|3" in discovery.to_markdown()
    assert discovery.to_csv().count("\n") == len(frame) + 1
    assert str(discovery).startswith("Tested 12 main effects, 66 pairs, 220 triples on 5,000 rows;")


@pytest.mark.parametrize("kind", ["network", "heatmap"])
def test_pictures(discovery, kind):
    pytest.importorskip("matplotlib").use("Agg")
    display = discovery.plot(kind)
    assert "target" in display.ax_.get_title()
    names = {t.get_text() for t in [*display.ax_.texts, *display.ax_.get_xticklabels()]}
    assert {"c|3", "c|7"} <= names
    import matplotlib.pyplot as plt

    plt.close(display.figure_)


def test_nothing_to_draw():
    pytest.importorskip("matplotlib").use("Agg")
    rng = np.random.default_rng(0)
    found = discover(rng.integers(0, 2, (50, 2)), rng.integers(0, 2, 50))
    with pytest.raises(InputError, match="no interaction to draw"):
        found.plot()
    with pytest.raises(InputError, match="kind='pie' is not known"):
        found.plot("pie")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": 5}, "order=5 must be a whole number from 1 to 4"),
        ({"fdr": 0}, "fdr=0 must be a number between 0 and 1"),
        ({"method": "magic"}, "method='magic' is not known"),
        ({"min_cell": 0}, "min_cell=0 must be a number >= 1"),
        ({"n_permutations": 0}, "n_permutations=0 must be a whole number"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(InputError, match=message):
        discover([[0, 1], [1, 0]], [0, 1], **options)


def test_targets_are_checked():
    with pytest.raises(TargetError, match="one class only"):
        discover([[0, 1], [1, 0]], [1, 1])
    with pytest.raises(TargetError, match="NaN"):
        discover([[0, 1], [1, 0]], [1.5, np.nan])


def test_any_engine_and_number_of_threads_find_the_same(monkeypatch):
    bits, y, *_ = planted(2, n=500, n_columns=8)
    expected = discover(bits, y, order=3).to_csv()
    assert discover(bits, y, order=3, n_jobs=2).to_csv() == expected
    monkeypatch.setenv("PACLEARN_ENGINE", "numpy")
    assert discover(bits, y, order=3).to_csv() == expected


def test_of_very_many_subsets_the_clearest_are_kept_and_the_p_values_of_all(monkeypatch):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 3, (800, 14)), columns=[f"c{i}" for i in range(14)])
    y = ((frame["c1"] + frame["c2"]) % 3 == 0) ^ (rng.random(800) < 0.2)
    whole = [(f.members, f.p, f.q) for f in discover(frame, y)]
    monkeypatch.setattr(room, "_MOST_KEPT", 6)
    monkeypatch.setattr(room, "block_length", lambda *_: 5)
    few = [(f.members, f.p, f.q) for f in discover(frame, y)]
    assert few == whole[:6]
