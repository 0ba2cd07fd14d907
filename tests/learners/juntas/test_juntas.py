"""System 1 end to end."""

import sys
import time
from itertools import product

import naive
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

from paclearn import BooleanEncoder, JuntaClassifier, JuntaRegressor
from paclearn.datasets import load_tic_tac_toe, make_junta, make_parity
from paclearn.exceptions import EmptyTableError, IncompleteSearchWarning, InputError, TargetError, TooManyCellsError


@pytest.fixture(scope="module")
def parity():
    return make_parity(1000, 20, 3, noise=0.1, random_state=0)


@pytest.mark.alone
def test_parity_of_three_among_twenty(parity):
    model = JuntaClassifier(k=3)
    started = time.perf_counter()
    model.fit(parity.data, parity.target)
    assert time.perf_counter() - started < 0.5
    assert model.members_ == parity.relevant
    table = model.table_
    names = list(model.subset_)
    for _, row in table.iterrows():
        assert row["prediction"] == np.prod([int(row[name]) for name in names])
    assert (model.predict(parity.data) == parity.clean).all()
    assert model.subsets_["members"][0] == model.subset_
    assert model.certificate_.bound < 0.2
    assert (
        model.certificate_.bound > model.certificate_.observed == pytest.approx((parity.clean != parity.target).mean())
    )


def test_the_printed_truth_table_is_right(parity):
    text = JuntaClassifier(k=3).fit(parity.data, parity.target).to_text()
    lines = text.splitlines()
    cells = [line.split() for line in lines if line.split()[:3] and set(line.split()[:3]) <= {"-1", "1"}]
    assert [tuple(map(int, cell[:3])) for cell in cells] == list(product((-1, 1), repeat=3))
    for cell in cells:
        assert int(cell[4]) == np.prod([int(c) for c in cell[:3]])
    assert "all 1,140 subsets of size 3" in text
    assert "With probability at least 95 %" in text


def test_notebook_rendering_escapes_the_data():
    X = pd.DataFrame({"<script>": ["<b>", "&"] * 20, "plain": ["u", "v", "w", "x"] * 10})
    model = JuntaClassifier(k=1).fit(X, ["</td>", "y"] * 20)
    html = model._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "&lt;/td&gt;" in html
    assert "sk-" in JuntaClassifier()._repr_html_()


def test_columns_with_levels_are_one_unit():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "colour": rng.choice(["red", "green", "blue"], 600),
            "size": rng.choice(["S", "M", "L", "XL"], 600),
            "noise": rng.normal(size=600),
        }
    )
    y = np.where((X["colour"] == "red") == (X["size"].isin(["S", "L"])), "in", "out")
    model = JuntaClassifier(k=2).fit(X, y)
    assert model.subset_ == ("colour", "size")
    assert len(model.table_) == 12
    assert model.score(X, y) == 1
    assert model.score_ == pytest.approx(1, abs=0.03)


def test_bits_as_units():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {"age": rng.uniform(0, 100, 2000), "colour": rng.choice(list("rgb"), 2000), "z": rng.normal(size=2000)}
    )
    y = (X["age"] > 50) != (X["colour"] == "g")
    model = JuntaClassifier(k=2, unit="bit").fit(X, y)
    assert len(model.subset_) == 2
    assert model.subset_[1] == "colour=g"
    assert model.subset_[0].startswith("age>")
    assert model.score(X, y) > 0.97
    assert set(model.table_[model.subset_[1]]) == {"no", "yes"}


def test_many_classes():
    rng = np.random.default_rng(2)
    X = rng.integers(0, 4, (800, 6))
    y = (X[:, 1] + X[:, 4]) % 3
    for multiclass in ("one-vs-rest", "accuracy"):
        model = JuntaClassifier(k=2, multiclass=multiclass).fit(X, y)
        assert model.subset_ == ("x1", "x4")
        assert model.predict_proba(X).shape == (800, 3)
        assert model.score(X, y) == 1


def test_probabilities_agree_with_predictions_and_sum_to_one():
    data = make_junta(300, 8, 3, noise=0.3, random_state=3)
    model = JuntaClassifier(k=3).fit(data.data, data.target)
    probabilities = model.predict_proba(data.data)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[probabilities.argmax(axis=1)], model.predict(data.data))


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_algorithm_1_as_it_is_printed(seed, k):
    """Means and deviations of the rows, score_1 of all subsets, and the sign of the projection onto the best."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((90, 5)) < rng.uniform(0.2, 0.8, 5), 1, -1)
    y = X[:, 1] * X[:, 3] * rng.choice([-1, 1], 90, p=[0.2, 0.8])
    members, projection = naive.universal_learner(X, y, k)
    found = JuntaClassifier(k, measure="product", min_count=0).fit(X, y)
    assert found.members_ == members
    assert found.score_ == pytest.approx(naive.score_1(X, y, members), abs=1e-12)
    tie = np.abs(projection) < 1e-9
    np.testing.assert_array_equal(found.predict(X)[~tie], np.sign(projection[~tie]))


def test_product_measure_is_fooled_by_copies_and_the_default_is_not():
    """Under dependence score_1 is no accuracy: a copied column looks like a discovery."""
    data = make_junta(2000, 6, 2, noise=0.1, random_state=4)
    label = data.target
    weak = np.where(np.random.default_rng(0).random(2000) < 0.25, -label, label)
    X = np.column_stack([data.data, weak, weak])
    assert JuntaClassifier(k=2).fit(X, label).members_ == data.relevant
    fooled = JuntaClassifier(k=2, measure="product").fit(X, label)
    assert fooled.members_ == (6, 7)
    assert fooled.score(X, label) < 0.8


# ---- back-off ----


def test_empty_cells_back_off_to_the_more_informative_column():
    X = pd.DataFrame({"strong": ["a", "a", "b", "b"] * 25, "weak": ["u", "v", "u", "u"] * 25})
    y = ["no", "no", "yes", "yes"] * 25
    model = JuntaClassifier(k=2).fit(X, y)
    assert model.truth_table_.order == (1, 0)
    # (b, v) never occurs: ask "strong" alone
    assert model.predict(pd.DataFrame({"strong": ["b"], "weak": ["v"]})) == ["yes"]
    cell = model.table_.query("strong == 'b' and weak == 'v'").iloc[0]
    assert cell["rows"] == 0
    assert cell["members used"] == 1


def test_unseen_levels_back_off():
    X = pd.DataFrame({"strong": ["a", "b"] * 50, "weak": ["u", "u", "v", "v"] * 25})
    y = np.array(["no", "yes"] * 50)
    y[:10] = "yes"
    model = JuntaClassifier(k=2).fit(X, y)
    new = pd.DataFrame({"strong": ["a", "b", "?", None], "weak": ["new", None, "u", "new"]})
    # the prior says yes: 55 of 100
    assert model.predict(new).tolist() == ["no", "yes", "yes", "yes"]


def test_a_tie_is_decided_by_the_smaller_table():
    X = pd.DataFrame({"a": ["p"] * 6 + ["q"] * 6, "b": ["u", "u", "v", "v", "v", "v"] * 2})
    y = ["0", "1", "1", "1", "1", "1", "0", "1", "0", "0", "0", "0"]
    model = JuntaClassifier(k=2).fit(X, y)
    assert model.truth_table_.order == (1, 0)
    assert model.predict(pd.DataFrame({"a": ["p", "q"], "b": ["u", "u"]})).tolist() == ["1", "0"]


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(6, 80), n_classes=st.integers(2, 4))
def test_cells_with_a_clear_majority_follow_it(seed, n, n_classes):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, 3)).astype(str).astype(object)
    y = rng.integers(0, n_classes, n)
    y[:n_classes] = np.arange(n_classes)
    try:
        model = JuntaClassifier(k=2, min_count=0).fit(X, y)
    except (EmptyTableError, InputError):
        return
    table = model.truth_table_
    counts = table.counts.reshape(-1, n_classes)
    choice = table.seen_predictions.reshape(-1, n_classes).argmax(axis=1)
    for row, chosen in zip(counts, choice, strict=True):
        winners = np.flatnonzero(row == row.max())
        if row.sum():
            assert chosen in winners
    assert np.isfinite(table.predictions).all()


# ---- choosing k, holding out, weights ----


def test_k_is_chosen_from_a_range():
    data = make_parity(3000, 10, 2, noise=0.1, random_state=5)
    for choose_k in ("certificate", "cv"):
        model = JuntaClassifier(k=range(1, 5), choose_k=choose_k, random_state=0).fit(data.data, data.target)
        assert set(model.candidates_) == {1, 2, 3, 4}
        if choose_k == "certificate":
            assert model.members_ == data.relevant
        assert set(data.relevant) <= set(model.members_)
    shared = JuntaClassifier(k=[2, 3]).fit(data.data, data.target)
    alone = JuntaClassifier(k=2).fit(data.data, data.target)
    assert shared.certificate_.bound > alone.certificate_.bound
    assert shared.certificate_.delta == alone.certificate_.delta == 0.05


def test_a_range_is_cut_to_the_columns_there_are():
    data = make_junta(300, 2, 2, noise=0.0, random_state=6)
    assert set(JuntaClassifier(k=range(1, 6)).fit(data.data, data.target).candidates_) == {1, 2}


def test_held_out_rows_bound_the_error():
    data = make_junta(2000, 10, 3, noise=0.1, random_state=7)
    model = JuntaClassifier(k=3, holdout=0.5, random_state=0).fit(data.data, data.target)
    kinds = [certificate.kind for certificate in model.certificates_]
    assert "Clopper-Pearson bound on held-out rows" in kinds
    held = model.heldout_rows_
    assert len(held) == 1000
    assert model.certificates_[-1].observed == pytest.approx(
        (model.predict(data.data[held]) != data.target[held]).mean()
    )


@pytest.mark.parametrize("kind", [JuntaClassifier, JuntaRegressor])
def test_whole_weights_are_repetitions(kind):
    rng = np.random.default_rng(8)
    X = rng.integers(0, 4, (200, 5))
    y = ((X[:, 0] + X[:, 2]) % 2 ^ (rng.random(200) < 0.2)).astype(int)
    weights = rng.integers(0, 4, 200)
    rows = np.repeat(np.arange(200), weights)
    weighted, repeated = kind().fit(X, y, sample_weight=weights), kind().fit(X[rows], y[rows])
    assert weighted.subset_ == repeated.subset_
    assert weighted.score_ == pytest.approx(repeated.score_, abs=1e-12)
    np.testing.assert_allclose(weighted.truth_table_.predictions, repeated.truth_table_.predictions, atol=1e-12)


def test_relative_weights_do_not_depend_on_their_scale():
    rng = np.random.default_rng(9)
    X = rng.integers(0, 3, (200, 4))
    y = (X[:, 0] > 0).astype(int)
    weights = rng.uniform(0.5, 1.5, 200)
    a, b = (JuntaClassifier().fit(X, y, sample_weight=w) for w in (weights, weights * 1e-4))
    np.testing.assert_allclose(a.predict_proba(X), b.predict_proba(X))


def test_certificates_count_rows_once_whatever_they_weigh():
    data = make_junta(500, 6, 2, noise=0.2, random_state=10)
    heavy = JuntaClassifier(k=2).fit(data.data, data.target, sample_weight=np.full(500, 1000))
    light = JuntaClassifier(k=2).fit(data.data, data.target)
    assert heavy.certificate_.n_rows == 500
    assert heavy.certificate_.bound == pytest.approx(light.certificate_.bound)


def test_threads_and_engines_do_not_change_the_result(monkeypatch):
    data = make_junta(700, 12, 3, noise=0.2, correlation=0.3, random_state=11)
    models = [JuntaClassifier(k=3, n_jobs=n).fit(data.data, data.target) for n in (None, 2, -1)]
    monkeypatch.setenv("PACLEARN_ENGINE", "numpy")
    models.append(JuntaClassifier(k=3).fit(data.data, data.target))
    for model in models[1:]:
        np.testing.assert_array_equal(model.search_.subsets, models[0].search_.subsets)
        np.testing.assert_array_equal(model.search_.scores, models[0].search_.scores)
        np.testing.assert_array_equal(model.truth_table_.predictions, models[0].truth_table_.predictions)


def test_the_time_limit_is_said(monkeypatch):
    monkeypatch.setattr(sys.modules["paclearn.search.traversal"], "_FIRST_STRETCH", 5)
    monkeypatch.setattr(sys.modules["paclearn.search.exhaustive"]._Search, "_refuse_if_hopeless", lambda _: None)
    data = make_junta(200, 12, 2, random_state=12)
    with pytest.warns(IncompleteSearchWarning, match="stopped by the time limit"):
        model = JuntaClassifier(k=2, time_limit=1e-9).fit(data.data, data.target)
    assert not model.search_.complete
    assert 5 <= model.search_.n_searched < 66


# ---- regression ----


def test_the_regressor_finds_the_interaction_and_predicts_cell_means():
    rng = np.random.default_rng(13)
    X = pd.DataFrame({f"c{i}": rng.choice(list("abc"), 900) for i in range(6)})
    y = 10.0 * (X["c1"] == X["c4"]) + rng.normal(size=900)
    model = JuntaRegressor(k=2).fit(X, y)
    assert model.subset_ == ("c1", "c4")
    means = pd.Series(y).groupby([X["c1"], X["c4"]]).transform("mean")
    np.testing.assert_allclose(model.predict(X), means)
    assert model.score_ == pytest.approx(model.score(X, y), abs=0.01)
    assert model.certificate_.quantity == "mean squared error"
    assert "mean" in model.to_text()


def test_regressor_backs_off_to_the_overall_mean():
    X = pd.DataFrame({"a": ["u", "v"] * 20, "b": ["p", "q", "q", "p"] * 10})
    y = np.where(X["a"] == "u", 1.0, 3.0)
    model = JuntaRegressor(k=2).fit(X, y)
    new = pd.DataFrame({"a": ["u", "new", "new"], "b": ["new", "p", "new"]})
    np.testing.assert_allclose(model.predict(new), [1.0, 2.0, 2.0])


def test_a_large_offset_does_not_matter():
    rng = np.random.default_rng(14)
    X = rng.integers(0, 5, (300, 4))
    y = (X[:, 2] > 2) + rng.normal(0, 0.1, 300)
    near, far = JuntaRegressor(k=1).fit(X, y), JuntaRegressor(k=1).fit(X, y + 1e6)
    assert near.subset_ == far.subset_ == ("x2",)
    assert far.score_ == pytest.approx(near.score_, abs=1e-6)


def test_a_constant_numeric_target_is_predicted():
    model = JuntaRegressor(k=1).fit([[1], [2], [3], [1]], [5.0] * 4)
    np.testing.assert_allclose(model.predict([[1], [9]]), [5, 5])


def test_target_range_must_hold_the_targets():
    with pytest.raises(InputError, match=r"target_range=\(0, 1\) must hold all targets; they run from 1 to 4"):
        JuntaRegressor(k=1, target_range=(0, 1)).fit([[1], [2], [3], [1]], [1, 2, 3, 4])


# ---- as a scikit-learn estimator ----


def test_in_a_pipeline_and_cross_validation():
    boards = load_tic_tac_toe()
    pipeline = make_pipeline(BooleanEncoder(), JuntaClassifier(k=2))
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    assert cross_val_score(pipeline, boards.data, boards.target, cv=folds).mean() > 0.68
    assert cross_val_score(JuntaClassifier(k=3), boards.data, boards.target, cv=folds).mean() > 0.72


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_every_library_gives_the_same_model(make):
    boards = load_tic_tac_toe()
    columns = {name: boards.data[:, i].tolist() for i, name in enumerate(boards.feature_names)}
    frame = make(columns)
    model = JuntaClassifier(k=3).fit(frame, boards.target)
    assert model.subset_ == ("top-left", "middle-middle", "bottom-right")
    reference = JuntaClassifier(k=3).fit(boards.data, boards.target)
    np.testing.assert_array_equal(model.predict(frame), reference.predict(boards.data))


def test_targets_of_every_kind():
    X = np.arange(40)[:, None] % 4
    for y in (
        X[:, 0] > 1,
        pl.Series(["a", "b"] * 20),
        pa.chunked_array([["a", "b"] * 20]),
        pd.Series([0, 1] * 20),
        [True, False] * 20,
    ):
        model = JuntaClassifier(k=1).fit(X, y)
        assert len(model.classes_) == 2


def test_clone_keeps_the_range():
    assert clone(JuntaClassifier(k=range(1, 4))).k == range(1, 4)


# ---- bad input ----


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"k": 0}, InputError, "k=0 must be a whole number >= 1 or a range"),
        ({"k": "two"}, InputError, "k='two' must be"),
        ({"k": []}, InputError, r"k=\[\] must be"),
        ({"k": 4}, InputError, r"k=4 is larger than the number of columns that vary \(n_features=3\); choose k <= 3"),
        ({"unit": "row"}, InputError, "unit='row' is not known; it can be 'column', 'bit'"),
        (
            {"search": "magic"},
            InputError,
            "search='magic' is not known; it can be 'exhaustive', 'greedy', 'beam', 'swaps'",
        ),
        ({"measure": "x"}, InputError, "measure='x' is not known"),
        ({"multiclass": "x"}, InputError, "multiclass='x' is not known"),
        ({"choose_k": "x"}, InputError, "choose_k='x' is not known"),
        ({"delta": 0}, InputError, "delta=0 must be a number between 0 and 1"),
        ({"holdout": 1.5}, InputError, "holdout=1.5 must be a number between 0 and 1"),
        ({"time_limit": -1}, InputError, "time_limit=-1 must be"),
        ({"n_best": 0}, InputError, "n_best=0 must be"),
    ],
)
def test_parameters_are_checked(parameters, error, message):
    X = np.random.default_rng(0).integers(0, 2, (30, 3))
    with pytest.raises(error, match=message):
        JuntaClassifier(**parameters).fit(X, X[:, 0])


def test_targets_are_checked():
    X = [[0], [1], [0], [1]]
    with pytest.raises(TargetError, match=r"the target 'y' has one class only .*'a' in all 4 rows"):
        JuntaClassifier(k=1).fit(X, ["a"] * 4)
    with pytest.raises(TargetError, match=r"contains NaN or None in 1 of 4 rows \(first: row 2\)"):
        JuntaClassifier(k=1).fit(X, np.array(["a", "b", None, "a"], dtype=object))
    with pytest.raises(TargetError, match="the target 'y' holds text such as 'a'; regression needs numbers"):
        JuntaRegressor(k=1).fit(X, ["a", "b", "c", "d"])
    with pytest.raises(TargetError, match="requires y to be passed"):
        JuntaClassifier(k=1).fit(X, None)
    with pytest.raises(ValueError, match="Unknown label type"):
        JuntaClassifier(k=1).fit(X, [0.5, 1.5, 2.5, 3.5])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        JuntaClassifier(k=1).fit(X, [0, 1])


def test_constant_tables_and_zero_weights():
    with pytest.raises(EmptyTableError, match="no column varies"):
        JuntaClassifier(k=1).fit([["a", 1]] * 4, [0, 1, 0, 1])
    with pytest.raises(ValueError, match="zero"):
        JuntaClassifier(k=1).fit([[0], [1]], [0, 1], sample_weight=[0, 0])


def test_too_many_cells():
    X = np.random.default_rng(0).integers(0, 16, (500, 12)).astype(str).astype(object)
    with pytest.raises(TooManyCellsError, match=r"k=10 needs a table of 1,099,511,627,776 cells .* k=6 would fit"):
        JuntaClassifier(k=10).fit(X, np.arange(500) % 2)


def test_ten_thousand_columns():
    rng = np.random.default_rng(15)
    X = rng.integers(0, 2, (200, 10_000))
    model = JuntaClassifier(k=1).fit(X, X[:, 7777])
    assert model.subset_ == ("x7777",)
    assert JuntaClassifier(k=2, search="greedy").fit(X, X[:, 7777]).score(X, X[:, 7777]) == 1


def test_of_a_range_sizes_that_take_too_long_are_left_out_and_said():
    rng = np.random.default_rng(16)
    X = rng.integers(0, 2, (3000, 250))  # ten seconds and more on the fastest core there is
    with pytest.warns(
        IncompleteSearchWarning, match=r"k=5 is left out: 7,817,031,300 subsets of size 5 of 250 would take"
    ):
        model = JuntaClassifier(k=[1, 2, 5], time_limit=1.0).fit(X, X[:, 3] ^ X[:, 9])
    assert set(model.candidates_) == {1, 2}
    assert list(model.skipped_) == [5]
    assert model.members_ == (3, 9)


@pytest.mark.parametrize(("copied", "law"), [(False, "product"), (True, "empirical")])
def test_rows_left_out_choose_the_law_of_the_columns(copied, law):
    rng = np.random.default_rng(0)
    table = rng.integers(0, 3, (600, 5))
    if copied:
        table[:, 4] = np.where(rng.random(600) < 0.9, table[:, 0], table[:, 4])
    y = (table[:, 0] + table[:, 1] > 2) ^ (rng.random(600) < 0.1)
    chosen = JuntaClassifier(measure="auto", random_state=0).fit(table, y)
    assert chosen.measure_ == law
    asked = JuntaClassifier(measure=law).fit(table, y)
    assert asked.measure_ == law
    assert chosen.subset_ == asked.subset_
    assert chosen.score_ == asked.score_
    assert chosen.permutation_test(table, y, 9, 0).p_value == asked.permutation_test(table, y, 9, 0).p_value
    assert JuntaClassifier(k=1, measure="auto").fit([[0], [1], [1]], [0, 1, 1]).measure_ == "empirical"
