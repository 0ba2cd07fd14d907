"""Selection and redundancy: the paper's examples, the slow oracles, and planted answers."""

import naive
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_selection import mutual_info_classif
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from paclearn import FourierSelector, RedundancyFilter
from paclearn.counting import BitTable, NumpyEngine
from paclearn.datasets import make_nonlinear, make_parity
from paclearn.encoding import Domain
from paclearn.exceptions import ColumnError, InputError, TargetError
from paclearn.learners.selection.chance import Chance
from paclearn.learners.selection.column_functions import Functions, functions_of
from paclearn.learners.selection.near_copies import explained_by_pairs
from paclearn.learners.selection.numeric_measure import PolynomialScore
from paclearn.learners.selection.orthogonal import fourier_orth, monomials
from paclearn.learners.selection.ranking import Wanted, _Polynomials, in_order_of_entry, telling
from paclearn.learners.selection.redundancy_choice import new_units
from paclearn.learners.selection.redundancy_filter import _RULES
from paclearn.learners.selection.selection_target import centred
from paclearn.learners.selection.selection_units import UnitRows
from paclearn.search import CentredScore, SquaredErrorScore, ZeroOneScore, subsets_between
from paclearn.tables.table import ArrayTable
from paclearn.tables.target import Target, read_target


def standardise(values):
    return (values - values.mean(axis=0)) / values.std(axis=0)


# ---- FOURIER-ORTH ----------------------------------------------------------------------------------------------------


def test_the_standard_order():
    steps = monomials(np.array([0, 1, 2]), 3)
    assert [m for own, products in steps for m in own + products] == [
        (0,),
        (1,),
        (0, 1),
        (2,),
        (0, 2),
        (1, 2),
        (0, 1, 2),
    ]


def test_what_some_rows_show_is_held_against_all_of_them(monkeypatch):
    """A sum that breaks in rows that were not looked at is none; residuals are those of all rows."""
    from paclearn.learners.selection import redundancy_filter

    monkeypatch.setattr(redundancy_filter, "_FEWEST_ROWS", 300)
    monkeypatch.setattr(redundancy_filter, "_MOST_CELLS", 300)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 3))
    frame = pd.DataFrame(
        {"a": X[:, 0], "b": X[:, 1], "sum": X[:, 0] + X[:, 1], "near": X[:, 0] - X[:, 2], "c": X[:, 2]}
    )
    frame["constant"], frame["rarely"] = "same", np.where(np.arange(4000) == 7, "other", "same")
    found = RedundancyFilter(depth=1).fit(frame)
    assert sorted(found.redundancies_["feature"]) == ["c", "constant", "sum"]
    names = ["a", "near", "c"]
    for first in range(0, 4000, 4):  # a few rows of which none is looked at
        rows = np.arange(4000) // 4 == first // 4
        broken = frame[names].assign(c=frame["c"] + 8.0 * rows)
        some = redundancy_filter.FirstByHash(300)(ArrayTable(broken.to_numpy(), tuple(names)))
        a, near, c = (column.values.tolist() for column in some.columns)  # noqa: PD011
        if np.allclose(np.subtract(a, near), c):
            break
    assert RedundancyFilter(depth=1).fit(frame[names]).equations_.keys() == {"c"}
    assert not RedundancyFilter(depth=1).fit(broken).equations_


def test_functions_of_one_column_are_not_multiplied():
    steps = monomials(np.array([0, 0, 1]), 2)
    assert [products for _, products in steps] == [[], [(0, 2), (1, 2)]]


@given(seed=st.integers(0, 500), d=st.integers(2, 5), depth=st.integers(1, 3), n=st.integers(3, 60))
@settings(max_examples=60, deadline=None)
def test_redundant_columns_equal_the_oracle(seed, d, depth, n):
    rng = np.random.default_rng(seed)
    values = rng.choice([-1.0, 1.0], (n, d))
    if d > 2:
        values[:, -1] = values[:, 0] * values[:, 1]
    values = values[:, values.std(axis=0) > 0]
    if values.shape[1] < 2:
        return
    z = standardise(values)
    found = fourier_orth(z, np.arange(z.shape[1]), depth, 0.05, correct=False)
    assert found == naive.redundant_columns(z, depth, 0.05)


def test_example_1_of_the_paper():
    x1, x2 = np.random.default_rng(0).normal(size=(2, 50_000))
    table = np.column_stack([x1, x2, x1 * x2])
    assert RedundancyFilter(depth=1).fit(table).get_support().all()
    found = RedundancyFilter(depth=2).fit(table)
    assert found.get_support().tolist() == [True, True, False]
    assert str(found.equations_["x2"][0]) == "x2 = x0*x1"
    # exactly four functions are not trivial: 1, x1, x2, x1 x2
    assert naive.n_nontrivial(standardise(table), 3, 0.05) == 4


def test_example_1_with_a_sign():
    x1, x2 = np.random.default_rng(0).normal(size=(2, 50_000))
    x3 = np.sign(x1 * x2)
    found = RedundancyFilter(depth=2).fit(np.column_stack([x1, x2, x3]))
    assert found.get_support().all()
    factor, residual = naive.regress(x3, x1 * x2)
    assert factor == pytest.approx(2 / np.pi, abs=0.01)
    assert residual == pytest.approx(np.sqrt(1 - 4 / np.pi**2), abs=0.01)


def test_planted_copies_negations_and_products_among_many_are_all_found():
    rng = np.random.default_rng(1)
    table = rng.choice([-1, 1], (600, 300))
    place = rng.permutation(300)
    names = [f"x{i}" for i in place]
    table[:, place[0]] = table[:, place[1]]
    table[:, place[2]] = -table[:, place[3]]
    table[:, place[4]] = table[:, place[5]] * table[:, place[6]]
    found = RedundancyFilter(random_state=0).fit(table)
    groups = [set(names[0:2]), set(names[2:4]), set(names[4:7])]
    assert len(found.equations_) == 3
    for name, (equation,) in found.equations_.items():
        used = {factor for _, factors in equation.terms for factor in factors}
        assert {name, *used} in groups
        assert equation.residual < 1e-9
        values = {f"x{i}": table[:, i].astype(float) for i in range(300)}
        np.testing.assert_allclose(equation.predict(values), values[name], atol=1e-9)


def test_biased_bits_as_zero_and_one_have_an_exact_equation():
    rng = np.random.default_rng(2)
    a, b = (rng.random((2, 400)) < [[0.2], [0.7]]).astype(int)
    found = RedundancyFilter().fit(pd.DataFrame({"a": a, "b": b, "either": a ^ b}))
    (equation,) = found.equations_["either"]
    terms = {names: round(factor, 9) for factor, names in equation.terms}
    assert terms == {("a",): 1, ("b",): 1, ("a", "b"): -2}
    assert equation.residual < 1e-9


def test_a_column_of_levels_that_another_one_decides():
    rng = np.random.default_rng(3)
    city = rng.choice(["Bonn", "Lyon", "Turin", "Graz"], 300)
    country = pd.Series(city).map({"Bonn": "D", "Lyon": "F", "Turin": "I", "Graz": "A"})
    found = RedundancyFilter().fit(pd.DataFrame({"city": city, "x": rng.normal(size=300), "country": country}))
    assert found.get_support().tolist() == [True, True, False]
    assert len(found.equations_["country"]) == 3  # all levels but the most frequent one
    assert found.redundancies_["residual"].max() < 1e-9
    found = RedundancyFilter().fit(pd.DataFrame({"country": country, "city": city}))
    assert found.get_support().tolist() == [True, False]


def test_constant_columns_are_redundant():
    found = RedundancyFilter().fit(pd.DataFrame({"a": [1, 2, 3, 4], "b": ["x"] * 4, "c": [np.nan] * 4}))
    assert found.get_support().tolist() == [True, False, False]
    assert found.redundancies_["equation"].tolist() == ["b is constant", "c is constant"]


def test_as_many_functions_as_rows_explain_nothing():
    table = np.random.default_rng(4).normal(size=(12, 40))
    assert RedundancyFilter(depth=1).fit(table).get_support().all()
    assert RedundancyFilter(depth=1, correct=False).fit(table).get_support().sum() <= 12


@pytest.mark.parametrize("threshold", [0.05, 0.4, 0.6])
@pytest.mark.parametrize("shape", [(12, 30), (40, 30), (60, 60)])
@pytest.mark.parametrize("law", ["normal", "integers", "lognormal"])
def test_columns_that_are_independent_all_stay(law, shape, threshold):
    """A dozen products out of hundreds, or as many as there are rows, reproduce nearly anything by chance."""
    rng = np.random.default_rng(0)
    table = {"integers": lambda: rng.integers(0, 4, shape), "lognormal": lambda: rng.lognormal(0, 2, shape)}.get(
        law, lambda: rng.normal(size=shape)
    )()
    found = RedundancyFilter(threshold=threshold, random_state=0).fit(table.astype(float))
    assert found.get_support().all(), found.equations_


@pytest.mark.parametrize("n", [30, 40, 60, 100])
@pytest.mark.parametrize("bits", [True, False])
def test_a_product_of_three_is_found_in_a_few_rows(bits, n):
    """There are more products of seven columns than rows: all of them together would say nothing."""
    rng = np.random.default_rng(1)
    x = rng.choice([-1.0, 1.0], (n, 7)) if bits else rng.normal(size=(n, 7))
    found = RedundancyFilter(depth=3, random_state=0).fit(np.column_stack([x, x[:, 0] * x[:, 2] * x[:, 3]]))
    (equation,) = found.equations_["x7"]
    assert list(found.equations_) == ["x7"]
    assert str(equation) == "x7 = x0*x2*x3"
    assert equation.chance <= 0.01


def test_the_total_of_many_columns_is_found_in_a_few_rows_more():
    x = np.random.default_rng(2).normal(size=(60, 30))
    found = RedundancyFilter(random_state=0).fit(np.column_stack([x, x.sum(axis=1)]))
    assert list(found.equations_) == ["x30"]
    assert len(found.equations_["x30"][0].terms) == 30


@pytest.mark.parametrize("bits", [True, False])
@pytest.mark.parametrize(("n", "rank", "share"), [(12, 3, 0.3), (12, 6, 0.1), (30, 10, 0.4), (30, 27, 0.02)])
def test_the_bound_on_chance_covers_independent_columns(bits, n, rank, share):
    """The frequency with which a fixed space leaves as little of a column in a random order, beside the bound."""
    rng = np.random.default_rng(3)
    space = np.linalg.qr(np.column_stack([np.ones(n), rng.normal(size=(n, rank - 1))]))[0]
    if bits:
        space = np.linalg.qr(np.column_stack([np.ones(n), rng.choice([-1.0, 1.0], (n, rank - 1))]))[0]
    column = np.repeat([-1.0, 1.0], n // 2) if bits else rng.normal(size=n)
    orders = standardise(rng.permuted(np.tile(column, (5000, 1)), axis=1).T)
    left = 1 - ((space.T @ orders) ** 2).sum(axis=0) / n
    functions = Functions(column[:, None], np.zeros(1, dtype=np.intp), ("x",), {})
    frequency = np.mean(left <= share)
    assert frequency <= Chance(functions, correct=True).of(0, share, rank) + 3 * np.sqrt(frequency / 5000) + 1e-12


def test_thousands_of_columns():
    rng = np.random.default_rng(5)
    table = rng.normal(size=(60, 3000))
    table[:, 2000] = 2 * table[:, 17] - 1
    found = RedundancyFilter(depth=1).fit(table)
    assert np.flatnonzero(~found.get_support()).tolist() == [2000]
    assert str(found.equations_["x2000"][0]) == "x2000 = -1 + 2 x17"


def test_depth_three_finds_a_product_of_three():
    bits = np.random.default_rng(6).choice([-1, 1], (500, 6))
    table = np.column_stack([bits, bits[:, 0] * bits[:, 2] * bits[:, 5]])
    assert RedundancyFilter(depth=2).fit(table).get_support().all()
    assert not RedundancyFilter(depth=3).fit(table).get_support()[-1]


def test_a_random_order_keeps_one_of_two_copies():
    x = np.random.default_rng(7).normal(size=200)
    kept = {
        tuple(RedundancyFilter(order="random", random_state=s).fit(np.column_stack([x, x])).get_support())
        for s in range(8)
    }
    assert kept == {(True, False), (False, True)}


@given(seed=st.integers(0, 100), threshold=st.sampled_from([0.05, 0.5, 0.8]))
@settings(max_examples=20, deadline=None)
def test_explained_by_pairs_equals_the_oracle(seed, threshold):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(80, 5))
    z[:, 4] = z[:, 0] * z[:, 2] + rng.normal(scale=0.6, size=80)
    z = standardise(z)
    found = explained_by_pairs(z, threshold, np.random.RandomState(0))
    assert found == naive.explained_by_pairs(z, threshold)


@pytest.mark.parametrize("seed", range(12))
def test_what_explains_a_column_stays(seed):
    """A column must not go because of another one that goes after it."""
    rng = np.random.default_rng(seed)
    a, b, c, d, e = rng.normal(size=(5, 300))
    noise = 0.04 * rng.normal(size=300)
    table = np.column_stack([a, b, c, d, e, a * b + c, d * c / 2 + e * a, a + d + noise, b > 0, (b > 0) * c])
    table = table[:, rng.permutation(10)]
    found = RedundancyFilter(random_state=0).fit(table)
    kept = {f"x{i}" for i in np.flatnonzero(found.get_support())}
    values = {f"x{i}": table[:, i] for i in range(10)}
    for name, (equation,) in found.equations_.items():
        assert {n for _, names in equation.terms for n in names} <= kept
        left = values[name] - equation.predict(values)
        assert left.std() / values[name].std() == pytest.approx(equation.residual, abs=1e-6)
        assert equation.residual <= 0.05


def test_equations_of_three_and_of_columns_far_from_zero():
    bits = np.random.default_rng(0).choice([-1, 1], (500, 4))
    found = RedundancyFilter(depth=3).fit(np.column_stack([bits, bits[:, :3].prod(axis=1)]))
    assert str(found.equations_["x4"][0]) == "x4 = x0*x1*x2"
    x = 1e9 + 10 * np.random.default_rng(0).normal(size=500)
    (equation,) = RedundancyFilter().fit(np.column_stack([x, x - 1e9])).equations_["x1"]
    assert str(equation) == "x1 = -1e+09 + x0"
    assert equation.residual < 1e-6


def test_columns_that_vary_are_not_called_constant():
    frame = pd.DataFrame(
        {"k": np.sqrt(np.arange(300.0)), "id": [f"id{i}" for i in range(300)], "some": [5.0] * 150 + [np.nan] * 150}
    )
    assert RedundancyFilter().fit(frame).get_support().all()
    assert not RedundancyFilter().fit(np.ones((10, 3))).get_support().any()


@pytest.mark.parametrize("shape", [(2, 5), (4, 6), (5, 20)])
def test_a_few_rows_of_noise_are_not_redundant(shape):
    assert RedundancyFilter().fit(np.random.default_rng(0).normal(size=shape)).get_support().all()


def test_numbers_too_large_to_square_are_refused():
    with pytest.raises(ColumnError, match="too far to square"):
        RedundancyFilter().fit([[1e200, 1], [2e200, 2]])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"depth": 0}, "depth=0 must be a whole number from 1 to 4"),
        ({"depth": 7}, "depth=7 must be a whole number from 1 to 4"),
        ({"threshold": 2}, "threshold=2 must be a number between 0 and 1"),
        ({"group_size": 1.5}, "group_size=1.5 must be a whole number >= 2"),
        ({"order": "best"}, "order='best' is not known"),
    ],
)
def test_parameters_of_the_filter_are_checked(parameters, message):
    with pytest.raises(InputError, match=message):
        RedundancyFilter(**parameters).fit([[1, 2], [3, 4]])


def test_missing_numbers_stand_at_the_mean():
    functions = functions_of(ArrayTable(np.array([[1.0], [np.nan], [3.0]]), ("a",)), _RULES)
    np.testing.assert_array_equal(functions.values, [[1], [2], [3]])


# ---- the measure on numbers ------------------------------------------------------------------------------------------


@given(seed=st.integers(0, 300), n=st.integers(4, 40), k=st.integers(1, 3), n_classes=st.integers(2, 3))
@settings(max_examples=40, deadline=None)
def test_on_bits_the_polynomial_measure_is_the_measure_of_cells(seed, n, k, n_classes):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (4, n)).astype(np.uint8)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    subsets = subsets_between(4, k, 0, 4)
    score = ZeroOneScore(2) if n_classes == 2 else CentredScore(n_classes)
    cells = score(NumpyEngine(BitTable.pack(codes, [2] * 4, y, n_classes)).counts(subsets))
    blocks = [(c - c.mean())[None] / (c.std() or 1) for c in codes.astype(float)]
    target = Target(y, np.arange(n_classes), None)
    np.testing.assert_allclose(PolynomialScore(blocks, target)(subsets), cells, atol=1e-9)


@given(seed=st.integers(0, 300), n=st.integers(4, 40), k=st.integers(1, 3))
@settings(max_examples=20, deadline=None)
def test_on_bits_the_polynomial_measure_of_a_rare_class_is_that_of_cells(seed, n, k):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (4, n)).astype(np.uint8)
    y = np.r_[0, 1, rng.random(n - 2) < 0.2].astype(int)
    subsets = subsets_between(4, k, 0, 4)
    cells = CentredScore(2)(NumpyEngine(BitTable.pack(codes, [2] * 4, y, 2)).counts(subsets))
    blocks = [(c - c.mean())[None] / (c.std() or 1) for c in codes.astype(float)]
    found = PolynomialScore(blocks, Target(y, np.arange(2), None), "centred")(subsets)
    np.testing.assert_allclose(found, cells, atol=1e-9)
    centred_labels = 2 * y - 1 - (2 * y - 1).mean()
    kept = [j for j in range(4) if codes[j].std() > 0]
    if len(kept) >= k:
        z = np.column_stack([blocks[j][0] for j in kept[:k]])
        place = subsets.tolist().index(kept[:k])
        assert found[place] == pytest.approx(naive.polynomial_measure(z, centred_labels), abs=1e-8)


@given(seed=st.integers(0, 300), n=st.integers(5, 40))
@settings(max_examples=30, deadline=None)
def test_the_polynomial_measure_equals_the_oracle(seed, n):
    rng = np.random.default_rng(seed)
    z = standardise(rng.normal(size=(n, 3)))
    y = np.r_[0, 1, rng.integers(0, 2, n - 2)]
    target = Target(y, np.array([0, 1]), None)
    found = PolynomialScore([c[None] for c in z.T], target)(np.array([[0, 2], [1, 2]], dtype=np.int32))
    expected = [naive.polynomial_measure(z[:, list(J)], 2 * y - 1) for J in ((0, 2), (1, 2))]
    np.testing.assert_allclose(found, expected, atol=1e-8)


def test_subsets_with_too_many_products_are_refused():
    """Fifteen numbers have 32 768 of them: a depth of 99 used to take gigabytes."""
    X = np.random.default_rng(0).normal(size=(60, 15))
    with pytest.raises(InputError, match="subsets of 15 columns have up to 32,768 products .* and 2,048 is the most"):
        FourierSelector(2, depth=99).fit(X, X[:, 0] > 0)


@given(seed=st.integers(0, 100), norm=st.sampled_from(["l1", "l2", "centred"]), classify=st.booleans())
@settings(max_examples=30, deadline=None)
def test_weights_are_repetitions_in_the_polynomial_measure(seed, norm, classify):
    rng = np.random.default_rng(seed)
    z, weights = rng.normal(size=(2, 20)), rng.integers(1, 4, 20)
    y = np.r_[0, 1, rng.integers(0, 2, 18)]
    classes = np.array([0, 1]) if classify else None
    subsets = np.array([[0, 1]], dtype=np.int32)
    weighted = PolynomialScore([c[None] for c in z], Target(y, classes, weights.astype(float)), norm)(subsets)
    repeated = PolynomialScore(
        [np.repeat(c, weights)[None] for c in z], Target(np.repeat(y, weights), classes, None), norm
    )(subsets)
    np.testing.assert_allclose(weighted, repeated, atol=1e-9)


def rare_cases(seed, n=3000, d=30):
    """Columns of four to ten levels; one row in ten is a case, four in ten where two columns say so."""
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, size, n) for size in rng.integers(4, 11, d)])
    return codes, rng.random(n) < 0.06 + 0.4 * ((codes[:, 3] == 0) & (codes[:, 8] > 1))


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("depth", [1, 2])
def test_a_rare_class_is_seen_where_every_vote_is_for_the_other(words, depth):
    codes, y = rare_cases(depth)
    X = pd.DataFrame(codes).astype(str) if words else codes
    found = FourierSelector(2, depth, random_state=0).fit(X, y)
    assert 3 in found.get_support(indices=True)
    if depth == 2:
        assert found.get_support(indices=True).tolist() == [3, 8]


def test_weights_are_repetitions_where_a_class_is_rare():
    codes, y = rare_cases(2, n=600, d=9)
    times = np.where(np.arange(600) < 300, 1, 2)
    few = FourierSelector(3, redundancy=False).fit(codes, y, sample_weight=times)
    repeated = FourierSelector(3, redundancy=False).fit(np.repeat(codes, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(few.subsets_["score"], repeated.subsets_["score"], atol=1e-9)


def test_votes_stay_the_measure_where_some_column_changes_them():
    """And where the classes are as frequent as each other, however little the columns say."""
    codes, y = rare_cases(0, n=1000, d=9)
    parity = make_parity(n_rows=1000, n_columns=8, k=2, random_state=0)
    told = np.where(codes[:, 0] < 2, 1, y)
    for X, target, norm in ((codes, y, "centred"), (codes, told, "l1"), (parity.data, parity.target, "l1")):
        numbers = read_target(target, len(X), "classification", None)
        rows = UnitRows.read(
            ArrayTable(np.asarray(X), tuple(map(str, range(X.shape[1])))), numbers, _RULES, "column", "polynomial"
        )
        assert telling(rows, Wanted(3, 2, "l1", None, None)).norm == norm
        assert telling(rows, Wanted(3, 2, "l2", None, None)).norm == "l2"


@pytest.mark.parametrize("kind", ["two", "three", "number"])
@pytest.mark.parametrize("weights", [None, "whole", "relative"])
def test_levels_beside_numbers_are_counted_and_score_as_their_polynomials(kind, weights):
    rng = np.random.default_rng(0)
    codes = [rng.integers(0, q, 60).astype(np.uint8) for q in (3, 2, 4)]
    y = {"two": rng.integers(0, 2, 60), "three": rng.integers(0, 3, 60), "number": rng.normal(size=60)}[kind]
    given = {None: None, "whole": rng.integers(1, 4, 60).astype(float), "relative": rng.uniform(0.5, 2, 60)}[weights]
    target = centred(Target(y, None if kind == "number" else np.unique(y), given))[0]
    rows = UnitRows(
        Domain(()), tuple("abcd"), (3, 2, 4, 8), np.arange(4), [*codes, codes[0]], {3: rng.normal(size=60)}, target
    )
    found = _Polynomials(rows, Wanted(2, 2, "l1", None, 1))
    subsets = subsets_between(4, 2, 0, 6).astype(np.int32)
    counted = kind != "number" and weights != "relative"
    assert (found.place >= 0).tolist() == [counted, counted, counted, False]
    np.testing.assert_allclose(found.score(subsets), found.polynomial(subsets), atol=1e-9)
    np.testing.assert_allclose(found.own(), found.polynomial(np.arange(4, dtype=np.int32)[:, None]), atol=1e-9)


# ---- FourierSelector ------------------------------------------------------------------------------------------------


def test_the_walk_down_the_ranking():
    subsets = np.array([[3, 5], [1, 3], [0, 2], [1, 4]])
    own = np.array([0.1, 0.0, 0.4, 0.2, 0.0, 0.3])
    assert in_order_of_entry(subsets, own, 4) == [5, 3, 1, 2]  # of 0 and 2, the one with the better score of its own
    assert in_order_of_entry(subsets, own, 6) == [5, 3, 1, 2, 0, 4]


def test_columns_that_matter_only_together_need_depth():
    data = make_parity(n_rows=2000, n_columns=15, k=3, noise=0.1, random_state=0)
    found = FourierSelector(n_features=3, depth=3).fit(data.data, data.target)
    assert sorted(np.flatnonzero(found.get_support())) == sorted(data.relevant)
    assert found.subsets_["score"][0] == pytest.approx(0.8, abs=0.1)
    assert set(found.ranking_[list(data.relevant)]) == {1, 2, 3}
    alone = FourierSelector(n_features=3, depth=1).fit(data.data, data.target)
    assert sorted(np.flatnonzero(alone.get_support())) != sorted(data.relevant)


@pytest.mark.parametrize(("inputs", "least", "n_seeds"), [("bits", 5.6, 10), ("normal", 5.4, 6)])
def test_nonlinear_labels(inputs, least, n_seeds):
    hits, peers = [], []
    for seed in range(n_seeds):
        data = make_nonlinear(inputs=inputs, random_state=seed)
        support = FourierSelector(6, depth=3, redundancy=False).fit(data.data, data.target).get_support()
        hits.append(support[:6].sum())
        scores = mutual_info_classif(data.data, data.target, discrete_features=inputs == "bits", random_state=0)
        peers.append((np.argsort(-scores)[:6] < 6).sum())
    assert np.mean(hits) >= least
    assert np.mean(hits) > np.mean(peers) + 0.5


def test_numeric_columns_are_not_cut_into_bins():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(800, 10))
    y = (table[:, 2] * table[:, 7] > 0).astype(int)
    for numeric in ("polynomial", "bins"):
        found = FourierSelector(2, numeric=numeric, n_bins=2).fit(table, y)
        assert np.flatnonzero(found.get_support()).tolist() == [2, 7]


def test_numeric_targets_weights_and_mixed_columns():
    rng = np.random.default_rng(1)
    n = 600
    frame = pd.DataFrame(
        {
            "colour": rng.choice(["red", "green", "blue"], n),
            "size": rng.normal(size=n),
            "noise": rng.normal(size=n),
            "word": rng.choice(["a", "b"], n),
        }
    )
    y = np.where(frame["colour"] == "red", frame["size"], -frame["size"]) + rng.normal(scale=0.1, size=n)
    for weights in (None, rng.random(n), rng.integers(0, 3, n)):
        found = FourierSelector(2).fit(frame, y, sample_weight=weights)
        assert sorted(found.selected_) == ["colour", "size"]


def test_redundant_columns_are_left_out_first():
    data = make_parity(n_rows=500, n_columns=6, k=2, random_state=1)
    table = np.column_stack([data.data, data.data[:, data.relevant[0]]])
    found = FourierSelector(4).fit(table, data.target)
    assert found.redundant_ == ("x6",)
    assert not found.get_support()[6]
    given = FourierSelector(4, redundancy=RedundancyFilter(depth=1)).fit(table, data.target)
    assert given.redundant_ == ("x6",)


def test_redundancy_is_searched_at_the_depth_of_the_selector():
    rng = np.random.default_rng(0)
    bits = rng.choice([-1, 1], (400, 7))
    table = np.column_stack([bits, bits[:, 0] * bits[:, 2] * bits[:, 3]])
    y = bits[:, 1] * bits[:, 5]
    assert len(FourierSelector(3, depth=3, random_state=0).fit(table, y).redundant_) == 1
    assert FourierSelector(3, depth=2, random_state=0).fit(table, y).redundant_ == ()


def test_rows_left_out_decide_how_much_a_column_must_say_that_is_new():
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(300, 4))
    y = (np.sign(hidden).sum(axis=1) > 0).astype(int)
    copies = hidden[:, [0]] + 0.3 * rng.normal(size=(300, 12))  # twelve near copies of the first
    table = np.column_stack([copies, hidden[:, 1:] + rng.normal(size=(300, 3))])
    found = FourierSelector(4, depth=1, random_state=0).fit(table, y)
    assert found.threshold_ > 0
    assert set(np.flatnonzero(found.get_support())) >= {12, 13, 14}
    assert FourierSelector(4, depth=1, redundancy=False).fit(table, y).get_support()[12:].sum() < 3
    every = FourierSelector(15, depth=1, random_state=0).fit(table, y)
    assert (every.threshold_, every.get_support().sum()) == (0.0, 15)
    wide = FourierSelector(14, depth=2, random_state=0).fit(table, y)  # more than are new: the others follow
    assert wide.get_support().sum() == 14


@given(seed=st.integers(0, 200), threshold=st.sampled_from([0.1, 0.3, 0.6]))
@settings(max_examples=20, deadline=None)
def test_units_that_are_new_equal_the_oracle(seed, threshold):
    rng = np.random.default_rng(seed)
    z = standardise(rng.normal(size=(500, 3)) @ rng.normal(size=(3, 6)) + 0.3 * rng.normal(size=(500, 6)))
    wanted = [j for j in range(6) if j not in naive.redundant_columns(z, 1, threshold)]
    near = [naive.redundant_columns(z, 1, threshold * c) for c in (0.98, 1.0)]
    if near[0] == near[1]:  # the oracle does not correct for the rows that functions take
        assert new_units((c[None] for c in z.T), 500, threshold) == wanted
    assert new_units((c[None] for c in z.T), 500, threshold, 1) == [0]


def test_the_l2_score_is_that_of_the_published_code():
    rng = np.random.default_rng(2)
    bits, y = rng.integers(0, 2, (300, 5)), rng.integers(0, 2, 300)
    found = FourierSelector(5, depth=2, norm="l2", redundancy=False).fit(bits, y)
    members, score = found.subsets_["members"][0], found.subsets_["score"][0]
    z = standardise(bits.astype(float))[:, [int(name[1:]) for name in members]]
    sign = 2 * y - 1
    expected = (sign @ z[:, 0]) ** 2 + (sign @ z[:, 1]) ** 2 + (sign @ z.prod(axis=1)) ** 2
    # marginals are empirical in both, so only the dependence of the two bits could tell them apart
    assert score == pytest.approx(expected / 300**2, rel=1e-9)


def test_bits_as_units():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.choice(list("xyz"), 500), "b": rng.choice(list("uv"), 500)})
    y = (frame["a"] == "y").to_numpy()
    found = FourierSelector(1, depth=1, unit="bit").fit(frame, y)
    assert found.selected_ == ("a=y",)
    assert found.get_support().tolist() == [True, False]


def test_large_whole_weights_are_not_repeated():
    rng = np.random.default_rng(0)
    table, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    found = FourierSelector(1).fit(table, y, sample_weight=np.full(60, 5_000_000))
    assert found.get_support().tolist() == FourierSelector(1).fit(table, y).get_support().tolist()
    FourierSelector(1).fit(table, y, sample_weight=rng.integers(1, 10**6, 60))


def test_stability():
    data = make_parity(n_rows=400, n_columns=8, k=2, random_state=4)
    found = FourierSelector(2, n_bootstrap=5, random_state=0).fit(data.data, data.target)
    assert found.stability_[list(data.relevant)].tolist() == [1, 1]
    assert found.stability_.sum() == pytest.approx(2)


def test_more_columns_than_the_first_ranking_reaches():
    rng = np.random.default_rng(5)
    table, y = rng.integers(0, 2, (100, 120)), rng.integers(0, 2, 100)
    found = FourierSelector(119, depth=2, redundancy=False).fit(table, y)
    assert found.get_support().sum() == 119
    assert sorted(found.ranking_)[:-1] == list(range(1, 120))


def test_candidates_bound_the_pairs():
    rng = np.random.default_rng(6)
    table = rng.normal(size=(60, 500))
    y = (table[:, 3] > 0).astype(int)
    found = FourierSelector(12, n_candidates=10, redundancy=False).fit(table, y)
    assert found.get_support().sum() == 12
    assert found.ranking_[3] == 1
    many = rng.normal(size=(10, 400))
    assert FourierSelector(5, redundancy=False).fit(many, np.arange(10) % 2).get_support().sum() == 5
    with pytest.raises(InputError, match="n_candidates=200"):
        FourierSelector(5, depth=3, n_candidates=400, redundancy=False).fit(many, np.arange(10) % 2)


def test_in_a_pipeline_with_names():
    data = make_parity(n_rows=300, n_columns=5, k=2, noise=0, random_state=0)
    frame = pd.DataFrame(data.data, columns=list("abcde"))
    model = make_pipeline(FourierSelector(2), LogisticRegression()).fit(frame, data.target)
    assert list(model[0].get_feature_names_out()) == [list("abcde")[i] for i in data.relevant]
    out = FourierSelector(2).set_output(transform="pandas").fit_transform(frame, data.target)
    assert list(out.columns) == [list("abcde")[i] for i in data.relevant]


def test_bad_targets_and_parameters():
    with pytest.raises(TargetError, match="one class only"):
        FourierSelector().fit([[1, 2], [2, 1]], [1, 1])
    with pytest.raises(TargetError, match="nothing to explain"):
        read_target([1.5, 1.5], 2)
    with pytest.raises(InputError, match="norm='l3' is not known"):
        FourierSelector(norm="l3").fit([[1, 2], [2, 1]], [0, 1])
    with pytest.raises(InputError, match="redundancy=3 must be"):
        FourierSelector(redundancy=3).fit([[1, 2], [2, 1]], [0, 1])


def test_regression_scores_of_cells_are_shares_of_variance():
    rng = np.random.default_rng(7)
    a, b = rng.integers(0, 2, (2, 1000))
    y = a.astype(float) + rng.normal(scale=1.0, size=1000)
    found = FourierSelector(1, depth=1, redundancy=False, task="regression").fit(np.column_stack([a, b]), y)
    assert found.get_support().tolist() == [True, False]
    assert found.subsets_["score"][0] == pytest.approx(0.2, abs=0.06)
    assert isinstance(SquaredErrorScore(), SquaredErrorScore)


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
@pytest.mark.parametrize("selector", [FourierSelector(2, random_state=0), RedundancyFilter()])
def test_dates_beside_numbers_are_selected_as_what_they_are(selector, kind):
    """No array of one type holds both."""
    days = pd.date_range("2020-01-01", periods=60, freq="D")
    frame = pd.DataFrame({"day": days, "z": np.arange(60) % 2, "w": np.arange(60) * 7 % 5})
    table = {"pandas": frame, "polars": pl.from_pandas(frame), "arrow": pa.Table.from_pandas(frame)}[kind]
    fitted = clone(selector).fit(table, np.asarray(days.day_of_year > 30) ^ (frame["z"] == 1))
    found = fitted.transform(table)
    assert found.shape == (60, fitted.get_support().sum())
    assert fitted.get_support()[0]
    assert [(value.month, value.day) for value in found[:, 0]] == [(day.month, day.day) for day in days]
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.transform(frame.rename(columns={"z": "other"}))
    kept = clone(selector).set_output(transform="pandas").fit(frame, frame["z"]).transform(frame)
    assert kept.dtypes.equals(frame.dtypes[kept.columns])


def test_numbers_of_128_bits_are_selected():
    frame = pl.DataFrame({"x": pl.Series([2**100, 3] * 30, dtype=pl.Int128), "z": np.arange(60) / 7})
    found = FourierSelector(1).fit(frame, [0, 1] * 30)
    assert found.transform(frame)[:2].tolist() == [[2**100], [3]]
