"""Answers that were wrong without a word: each of these failed once."""

import json
import sqlite3
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import is_regressor
from threadpoolctl import ThreadpoolController, threadpool_limits
from typer.testing import CliRunner

from paclearn import (
    BooleanEncoder,
    CorrelationBoostingRegressor,
    DirectSpectrumClassifier,
    DirectSpectrumRegressor,
    HalfspaceClassifier,
    JuntaClassifier,
    JuntaRegressor,
    OrderlyCorrelator,
    RegressionGraphClassifier,
    RegressionGraphEnsembleClassifier,
    RegressionGraphEnsembleRegressor,
    RegressionGraphRegressor,
    RuleClassifier,
    SpectralClassifier,
    SpectralRegressor,
)
from paclearn._blas_threads import one_blas_thread
from paclearn.cli.app import app
from paclearn.exceptions import InputError, ModelFileError, TargetError
from paclearn.export import from_json, to_json, to_python, to_sql
from paclearn.kernels import dispatch
from paclearn.models.kernel_functions import Rbf
from paclearn.models.links import simplex
from paclearn.views.model_file import _checksum


def objects(*values):
    """A frame of one column that holds just these."""
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return pd.DataFrame({"x": column})


def levels(*values, times=20):
    """A junta that tells these values of a column apart, each of which is its own class."""
    words = np.array([f"class {i}" for i in range(len(values))] * times)
    return JuntaClassifier(k=1, min_count=0).fit(objects(*(values * times)), words)


def in_python_frame(model, frame):
    space = {}
    exec(to_python(model), space)
    return [space["predict"](row) for row in frame.to_dict("records")]


def in_python(model, *values):
    space = {}
    exec(to_python(model), space)
    return [space["predict"]({"x": value}) for value in values]


# ---- 5: a file is predicted as it was fitted -------------------------------------------------------------------------


def test_codes_with_leading_zeros_are_predicted_as_they_were_fitted(tmp_path):
    codes = [f"0{10**16 + 7 * i}" for i in range(4)]
    rows = [(codes[i % 4], i % 3, "ab"[i % 4 > 1]) for i in range(80)]
    pd.DataFrame(rows, columns=["code", "z", "y"]).to_csv(tmp_path / "t.csv", index=False)
    run = CliRunner().invoke
    assert run(app, ["fit", f"{tmp_path}/t.csv", "--target", "y", "-o", f"{tmp_path}/m.json"]).exit_code == 0
    assert run(app, ["predict", f"{tmp_path}/m.json", f"{tmp_path}/t.csv", "-o", f"{tmp_path}/p.csv"]).exit_code == 0
    assert pd.read_csv(tmp_path / "p.csv")["prediction"].tolist() == [y for *_, y in rows]


def test_hexadecimal_numbers_are_codes(tmp_path):
    """Arrow takes them for whole numbers, but for no fractions."""
    rows = ["0x10,a,p", "7,b,q", "8,a,p", "12,b,q"] * 20
    (tmp_path / "t.csv").write_text("\n".join(["c,d,y", *rows]) + "\n")
    (tmp_path / "n.csv").write_text("\n".join(["c,d,y", *rows, "1.5,a,p", ",b,q"]) + "\n")
    run = CliRunner().invoke
    fitted = run(app, ["fit", f"{tmp_path}/t.csv", "--target", "y", "-o", f"{tmp_path}/m.json"])
    assert fitted.exit_code == 0
    assert "'c' kept as text ('0x10')" in fitted.stderr
    assert run(app, ["predict", f"{tmp_path}/m.json", f"{tmp_path}/n.csv", "-o", f"{tmp_path}/p.csv"]).exit_code == 0
    assert pd.read_csv(tmp_path / "p.csv")["prediction"].tolist() == ["p", "q"] * 41


# ---- 6: missing values -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("blank", ["\u2028", "\xa0", "\u3000"])
def test_blanks_of_any_alphabet_are_missing_wherever_they_are_read(blank, tmp_path):
    """Spaces that are not ASCII were a gap to fit, and to predict a word that is no number."""
    (tmp_path / "t.csv").write_text("a,y\n" + f"7,1\n{blank},0\n$3,1\n1,0\n" * 10, encoding="utf-8")
    fit = ["fit", str(tmp_path / "t.csv"), "--target", "y", "-m", "junta", "-k", "1", "-o", str(tmp_path / "m.json")]
    predict = ["predict", str(tmp_path / "m.json"), str(tmp_path / "t.csv"), "-o", str(tmp_path / "p.csv")]
    for command in (fit, predict):
        app(command, standalone_mode=False)
    assert pd.read_csv(tmp_path / "p.csv").iloc[:, 0].tolist() == [1, 0, 1, 0] * 10


def test_a_null_in_an_arrow_dictionary_is_missing():
    codes = pa.array([0, 1, 2, None] * 10, pa.int8())
    column = pa.DictionaryArray.from_arrays(codes, pa.array(["a", None, "b"]))
    (found,) = BooleanEncoder().fit(pa.table({"x": column})).domain_.columns
    assert found.code_names == ("a", "b", "missing")


def test_nulls_in_dictionaries_that_differ_from_part_to_part():
    parts = [(pa.array([0, 1], pa.int32()), pa.array(words)) for words in (["a", None], [None, "b"])]
    column = pa.chunked_array([pa.DictionaryArray.from_arrays(*part) for part in parts * 10])
    (found,) = BooleanEncoder().fit(pa.table({"x": column})).domain_.columns
    assert found.code_names == ("a", "b", "missing")


@pytest.mark.parametrize("nan", [Decimal("NaN"), Decimal("sNaN"), np.float32("nan"), float("nan"), None, pd.NA])
def test_every_nan_is_missing(nan):
    (found,) = BooleanEncoder().fit(objects(*([nan, "u", 1] * 10))).domain_.columns
    assert found.code_names == ("1", "u", "missing")
    model = JuntaClassifier(k=1).fit(objects(*([nan, "u", 1] * 10)), ["a", "b", "b"] * 10)
    assert in_python(model, nan, "u") == ["a", "b"]


# ---- 7, 8: what a value is does not depend on the rows beside it -----------------------------------------------------


@pytest.mark.parametrize(
    ("known", "asked"),
    [
        (("007", "7", "8"), ("007", 7, "7", 7.0, "8", 8, "9")),
        (("1e3", "1000", "b"), (1000, "1e3", 1000.0, "b", "1000", np.int64(1000), Decimal(1000))),
        (("0", "1", "r"), (True, "True", False, 1, "1", 0.0)),
        ((True, "x", 7), ("True", True, 1, 7, "7", Decimal("7.0"))),
        ((2**53, 2**53 + 1, 5), (2**53, 2**53 + 1, 5, 5.0, None, "9007199254740993")),
        ((0.1, 0.5, "z"), (np.float32(0.5), Decimal("0.50"), 0.5, 0.1)),
        (("3", "3.5", "u"), (3, 3.0, "3.0", "3", 3.5)),
    ],
)
def test_a_value_is_the_same_alone_and_among_others(known, asked):
    model = levels(*known)
    together = model.predict(objects(*asked)).tolist()
    assert [model.predict(objects(value))[0] for value in asked] == together
    assert in_python(model, *asked) == together


def test_text_that_was_pooled_stays_pooled():
    column = ["1"] * 40 + ["0"] * 40 + ["2"] * 40 + ["True", "r", "s"]
    y = ["yes"] * 40 + ["no"] * 83
    model = JuntaClassifier(k=1, min_count=5).fit(objects(*column), y)
    assert model.model_.columns[0].other
    assert model.predict(objects("True", True)).tolist() == ["no", "no"] == in_python(model, "True", True)


def test_a_column_is_judged_by_all_of_its_words():
    """The first of them once decided whether it held dates, and so the order of the rows did."""
    words = [f"w{i % 30}" for i in range(39)] + ["2020-01-31"]
    for order in (words, words[::-1]):
        assert BooleanEncoder().fit(objects(*order)).domain_.columns


def test_a_kernel_of_distances_is_the_same_for_a_row_alone():
    """Inner products of long rows cancel, and BLAS adds those of one row up in another order than those of many."""
    rng = np.random.default_rng(0)
    rows = np.vstack([rng.normal(1e7, 1.0, (40, 5)), rng.normal(size=(40, 5))])
    together = Rbf(0.1).between(rows, rows[::2])
    alone = np.vstack([Rbf(0.1).between(row[np.newaxis], rows[::2]) for row in rows])
    assert together.tolist() == alone.tolist()
    exact = np.exp(-0.1 * ((rows[:, np.newaxis] - rows[np.newaxis, ::2]) ** 2).sum(axis=2))
    np.testing.assert_allclose(together, exact, rtol=1e-9)


# ---- 9: numbers too large --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "regressor", [SpectralRegressor(), JuntaRegressor(), RegressionGraphRegressor(), DirectSpectrumRegressor(degree=1)]
)
def test_targets_too_large_to_square_are_refused_by_every_regressor(regressor):
    with pytest.raises(TargetError, match=r"goes up to 1e\+300, too far to square; rescale it"):
        regressor.fit([[i % 3, i % 2] for i in range(30)], np.linspace(0, 1e300, 30))


# ---- 10: large integers, odd names and odd letters -------------------------------------------------------------------


@pytest.mark.parametrize("more", [[5.5], [5.0], [None], [Decimal(5)], [True]])
def test_integers_that_floats_would_confuse_among_other_numbers(more):
    (found,) = BooleanEncoder().fit(objects(*([2**53, 2**53 + 1, *more] * 10))).domain_.columns
    assert {"9007199254740992", "9007199254740993"} <= set(found.code_names)


def test_a_whole_number_that_its_neighbour_becomes_as_a_float():
    frame, other = pd.DataFrame({"x": [2**53, -(2**53) + 2] * 5}), pd.DataFrame({"x": [2**53 + 1]})
    model = DirectSpectrumRegressor(degree=1).fit(frame, [1.0, 0.0] * 5)
    said = [answer for ((answer,),) in of_databases(model, other)]
    assert said == pytest.approx([model.predict(other)[0]] * 2)


def of_databases(model, frame, **more):
    """What SQLite and DuckDB say of the rows of a frame."""
    query, con = to_sql(model, **more), sqlite3.connect(":memory:")
    frame.to_sql("data", con, index=False)
    duck = duckdb.connect()
    duck.register("data", frame)
    return con.execute(query).fetchall(), duck.execute(query).fetchall()


@pytest.mark.parametrize("name", ["true", "False", "TRUE"])
@pytest.mark.parametrize(
    "learner", [JuntaClassifier(k=1), RegressionGraphClassifier(), DirectSpectrumClassifier(degree=1)]
)
def test_columns_and_keys_called_true(name, learner):
    frame = pd.DataFrame({name: ["u", "v"] * 10, "other": ["v", "u"] * 10, "id": range(20)})
    y = np.array(["a", "b"] * 10)
    asked = learner.fit(frame[[name]], y)
    for said in of_databases(asked, frame, keys="id"):
        assert said == list(zip(range(20), y, strict=True))
    passed = learner.fit(frame[["other"]], y)
    for said in of_databases(passed, frame, keys=[name, "id"]):
        assert said == list(zip(frame[name], range(20), y, strict=True))


@pytest.mark.parametrize("learner", [JuntaClassifier(k=1), RegressionGraphClassifier(), RuleClassifier(random_state=0)])
def test_a_column_called_false_beside_classes_that_are_flags(learner):
    frame, y = pd.DataFrame({"x": ["u", "v"] * 10, "False": 7, "true": 8}), [False, True] * 10
    for said in of_databases(learner.fit(frame[["x"]], y), frame, keys="x"):
        assert said == list(zip(frame["x"], y, strict=True))


@pytest.mark.parametrize("learner", [OrderlyCorrelator(), CorrelationBoostingRegressor(OrderlyCorrelator())])
def test_flags_are_no_numbers_to_databases(learner):
    frame, y = pd.DataFrame({"flag": [False, True] * 10, "x": range(20)}), [7.0, 1.0] * 10
    for said in of_databases(learner.fit(frame, y), frame):
        assert [number for (number,) in said] == pytest.approx(y)


@pytest.mark.parametrize("learner", [JuntaClassifier(k=1), RegressionGraphClassifier()])
def test_levels_with_a_nul_in_databases(learner):
    frame = pd.DataFrame({"x": ["a\0b", "a", "c\0", "é\0"] * 6})
    y = ["one", "two", "three", "four"] * 6
    for said in of_databases(learner.fit(frame, y), frame):
        assert [word for (word,) in said] == y


def test_numbers_that_sqlite_reads_a_little_wrong():
    frame = pd.DataFrame({"x": [-1.2905077339571597e-300, -2.7702975995246904e-303] * 5})
    with pytest.raises(InputError, match="which not every database reads exactly; rescale it"):
        to_sql(DirectSpectrumClassifier(degree=1).fit(frame, [1, 0] * 5))


# ---- 11: files that say no probabilities -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("learner", "change", "message"),
    [
        (JuntaClassifier(k=1), 7.5, "must be numbers from 0 to 1"),
        (JuntaClassifier(k=1), 0.9, "must be probabilities that add up to 1"),
        (RuleClassifier(random_state=0), 0.9, "must be probabilities that add up to 1"),
        (RegressionGraphClassifier(), 7.5, "must be numbers from 0 to 1"),
        (RegressionGraphEnsembleClassifier(n_estimators=2, random_state=0), 7.5, "must be numbers from 0 to 1"),
    ],
)
def test_files_whose_probabilities_are_none(learner, change, message):
    def changed(value):
        return [changed(v) for v in value] if isinstance(value, list) else change

    content = json.loads(to_json(learner.fit(objects(*["u", "v"] * 20), ["a", "b"] * 20)))
    del content["checksum"]
    model = content["model"]
    part, key = (model, "predictions") if "predictions" in model else (model.get("graphs", [{}])[0], "values")
    if "sums" in model:
        part, key = model["sums"][0], "limits"
    part[key] = changed(part[key])
    with pytest.raises(ModelFileError, match=message):
        from_json(json.dumps({**content, "checksum": _checksum(content)}))


def changed_file(learner, change, y=("a", "b")):
    """The file of a model of a column of numbers and one of words, after something in it was changed."""
    frame = pd.DataFrame({"n": [0.5, 1.5, 2.5, 3.5] * 10, "w": ["u", "v"] * 20})
    content = json.loads(to_json(learner.fit(frame, list(y) * (40 // len(y)))))
    del content["checksum"]
    change(content)
    return json.dumps({**content, "checksum": _checksum(content)})


def weigh(content):
    content["model"]["weights"][0][0] = 1e308


def begin(content):
    content["model"]["start"][0] = -1e199


def share(content):
    content["model"]["sums"][0]["share"] = 1e308


def cell(content):
    content["model"]["predictions"][0] = [1e308]


def leaf(content):
    content["model"]["graphs"][0]["values"][-1] = -1e308


def centre(content):
    content["model"]["centre"][0] = -1e199


def rows(content):
    content["model"]["masses"][0][0] = 1e308


FEW = {"n_bins": 3, "random_state": 0}


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize(
    ("learner", "change", "y", "message"),
    [
        (SpectralClassifier(degree=1, n_terms=3, **FEW), weigh, "ab", "numbers that can be added up"),
        (SpectralClassifier(degree=1, n_terms=3, ordered=list("abc"), **FEW), weigh, "abcb", "that can be added up"),
        (SpectralClassifier(degree=1, max_terms=2, **FEW), weigh, "ab", "numbers that can be added up"),
        (SpectralClassifier(degree=1, max_effects=2, **FEW), begin, "ab", "numbers that can be added up"),
        (RegressionGraphEnsembleRegressor(n_estimators=2, random_state=0), share, (1.0, 2.0), "that can be added up"),
        (JuntaRegressor(k=1), cell, (1.0, 2.0), "numbers that can be added up"),
        (RegressionGraphRegressor(), leaf, (1.0, 2.0), "numbers that can be added up"),
        (SpectralClassifier(degree=1, n_terms=3, **FEW), rows, "ab", "numbers of rows, none below 0"),
        (HalfspaceClassifier(B=30, random_state=0), centre, "ab", "a point inside the unit ball"),
    ],
)
def test_files_whose_numbers_cannot_be_added_up(learner, change, y, message):
    """Their predictions were infinite, or other ones in every view."""
    with pytest.raises(ModelFileError, match=message):
        from_json(changed_file(learner, change, y))


@pytest.mark.parametrize("classes", [["a", 1], [1, True], ["a", False], [0, 0.5], [1, 1.0], [2**60, 0.0, -(2**64)]])
def test_files_of_classes_of_several_kinds(classes):
    """No column of a database holds them."""

    def change(content):
        content["classes"] = classes

    with pytest.raises(ModelFileError, match="all of them text, or whole numbers|two or more different labels"):
        from_json(changed_file(JuntaClassifier(k=1), change))


def test_a_file_whose_promise_is_no_text():
    def change(content):
        content["certificate"]["sentence"] = 7

    with pytest.raises(ModelFileError, match="certificate.sentence must be text"):
        from_json(changed_file(JuntaClassifier(k=1), change))


@pytest.mark.parametrize("low", [[1], [0, 2], [2, 3]])
def test_files_of_graphs_that_ask_for_the_middle_of_numbers(low):
    """Databases asked for all up to a number."""

    def change(content):
        content["model"]["graphs"][0]["low"][0] = low

    learner = RegressionGraphClassifier(max_splits=1)
    assert json.loads(changed_file(learner, lambda _: None, "aabb"))["columns"][0]["kind"] == "bins"
    with pytest.raises(ModelFileError, match="of a column of numbers, codes up to some"):
        from_json(changed_file(learner, change, "aabb"))


@pytest.mark.parametrize("low", [[], [4], [0, 1, 2, 3], [0, 1, 2, 3, 4]])
def test_graphs_that_ask_whether_a_number_is_missing(low):
    def change(content):
        content["model"]["graphs"][0]["low"][0] = low

    model = from_json(changed_file(RegressionGraphClassifier(max_splits=1), change, "aabb"))
    asked = pd.DataFrame({"n": [0.5, 3.5, None], "w": ["u", "v", "u"]})
    said = model.predict(asked).tolist()
    for answers in of_databases(model, asked):
        assert [word for (word,) in answers] == said


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_anchors_farther_than_any_number():
    def change(content):
        content["model"]["base"]["gamma"] = 1e308

    learner = HalfspaceClassifier(B=30, kernel="rbf", solver="online", n_passes=2, random_state=0)
    model = from_json(changed_file(learner, change))
    frame = pd.DataFrame({"n": [0.5, 9.0], "w": ["u", "v"]})
    assert in_python_frame(model, frame) == model.predict(frame).tolist()
    assert all(np.isfinite(part.contribution).all() for row in model.explain(frame) for part in row.parts)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_pictures_of_the_largest_numbers_there_are():
    frame = pd.DataFrame({"x": [-1.7e308, -1e308, 1e308, 1.7e308] * 20, "z": ["u", "v"] * 40})
    model = SpectralClassifier(degree=1, max_effects=2, n_bins=4, random_state=0).fit(frame, ["a", "b", "a", "a"] * 20)
    assert "<svg" in model._repr_html_()


@pytest.mark.parametrize(
    ("values", "said"),
    [([1e17, 1e17 - 32, 0], [1, 0, 0]), ([1e200, -1e200, -1e200], [1, 0, 0]), ([0.5, 0.5, 0.3], [0.4, 0.4, 0.2])],
)
def test_the_nearest_probabilities_of_large_numbers(values, said):
    assert simplex(np.array([values], dtype=float)).tolist() == [pytest.approx(said)]


def test_weights_of_points_that_cannot_be_added_up():
    X = pd.DataFrame({"x": ["u", "v", "w"] * 10})
    learner = HalfspaceClassifier(B=30, solver="online", n_passes=2, random_state=0)
    content = json.loads(to_json(learner.fit(X, ["a", "b", "c"] * 10)))
    del content["checksum"]
    content["model"]["weights"][0][0] = 1e308
    with pytest.raises(ModelFileError, match="must be numbers that can be added up"):
        from_json(json.dumps({**content, "checksum": _checksum(content)}))


# ---- rows in another order -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "learner",
    [
        JuntaRegressor(k=1),
        RegressionGraphRegressor(),
        JuntaClassifier(k=1),
        RegressionGraphClassifier(random_state=0),
        RegressionGraphClassifier(stop="validation", random_state=0),
    ],
)
def test_rows_in_another_order_give_the_same_bytes(learner, weighted):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.choice(list("uvw"), 200), "b": rng.integers(0, 5, 200)})
    y = rng.normal(size=200) if is_regressor(learner) else rng.choice(["p", "q"], 200)
    weights = rng.random(200) if weighted else np.ones(200)
    first = to_json(learner.fit(X, y, weights))
    order = rng.permutation(200)
    assert to_json(learner.fit(X.iloc[order], y[order], weights[order])) == first


@pytest.mark.parametrize("learner", [RegressionGraphClassifier(), RegressionGraphClassifier(stop="validation")])
def test_folds_without_a_seed_are_those_of_what_the_rows_hold(learner):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.choice(list("uvw"), 300), "b": rng.integers(0, 20, 300)})
    y = np.where(rng.random(300) < 0.2 + 0.4 * (X["a"] == "u") + 0.02 * X["b"], "p", "q")
    orders = [rng.permutation(300) for _ in range(5)]
    assert len({to_json(learner.fit(X.iloc[order], y[order])) for order in orders}) == 1


@pytest.mark.skipif(dispatch._core is None, reason="needs the compiled core")
@pytest.mark.parametrize("options", [{"B": 30}, {"B": 30, "kernel": "rbf", "solver": "online"}], ids=str)
def test_halfspaces_of_either_engine_are_the_same_bytes(options, monkeypatch):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 3, (60, 4)), rng.normal(size=60)])
    files = set()
    for engine in ("native", "numpy"):
        monkeypatch.setenv("PACLEARN_ENGINE", engine)
        files.add(to_json(HalfspaceClassifier(**options, random_state=0).fit(X, X[:, 0] + X[:, 2] > 2)))
    assert len(files) == 1


def threads_of_blas():
    return {pool["num_threads"] for pool in ThreadpoolController().select(user_api="blas").info()}


def test_fits_side_by_side_have_one_thread_of_blas_until_the_last_is_done():
    """The first to leave freed those who still computed, whose sums then came in another order."""
    first, second = one_blas_thread(), one_blas_thread()
    with threadpool_limits(2, "blas"):
        before = threads_of_blas()
        with first:
            second.__enter__()
        assert threads_of_blas() <= {1}
        second.__exit__(None, None, None)
        assert threads_of_blas() == before


# ---- what the fuzzer found -------------------------------------------------------------------------------------------


def test_points_far_outside_say_the_same_everywhere():
    frame = pd.DataFrame({"x": [1.3596266094057875e-300, 5.7316859214671435e-301]})
    model = HalfspaceClassifier(B=30, solver="online", n_passes=2, random_state=0).fit(frame, [True, False])
    far = pd.DataFrame({"x": [0.42321992043899465, -1.0]})
    said = model.predict(far).tolist()
    assert in_python(model, *far["x"]) == said
    for rows in of_databases(model, far):
        assert [bool(value) for (value,) in rows] == said


@pytest.mark.filterwarnings("error")
def test_one_number_in_all_rows():
    model = SpectralRegressor(degree=1, n_bins=3, random_state=0).fit([[0], [1]], [1.0, 1.0])
    assert model.predict([[0], [1]]).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("values", [[None] * 20, [1, None] * 10])
def test_whole_numbers_with_gaps_in_pandas(values):
    frame = pd.DataFrame({"x": pd.array(values, dtype="Int64"), "z": ["u", "v"] * 10})
    other = pl.DataFrame({"x": pl.Series(values, dtype=pl.Int64), "z": ["u", "v"] * 10})
    y = ["a", "b"] * 10
    assert to_json(JuntaClassifier(k=1).fit(frame, y)) == to_json(JuntaClassifier(k=1).fit(other, y))


@pytest.mark.parametrize("values", [range(-300, 300, 3), range(2**53 * 100 - 3, 2**53 * 100 + 300, 3)])
def test_decimals_are_the_nearest_floats_whoever_holds_them(values):
    decimals = [None, *(Decimal(i).scaleb(-2) for i in values)]
    frames = [
        pd.DataFrame({"x": pd.Series(decimals, dtype=object)}),
        pa.table({"x": pa.array(decimals, pa.decimal128(38, 2))}),
        pl.DataFrame({"x": pl.Series(decimals, dtype=pl.Decimal(38, 2))}),
    ]
    learner, y = RegressionGraphRegressor(max_splits=4), np.arange(len(decimals)) % 7
    assert len({to_json(learner.fit(frame, y)) for frame in frames}) == 1


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "learner",
    [
        JuntaClassifier(search="greedy", unit="bit"),
        JuntaRegressor(k=1),
        DirectSpectrumRegressor(degree=1),
        SpectralRegressor(degree=1, max_effects=2, n_bins=3, random_state=0),
    ],
)
def test_whole_weights_that_no_table_has_rows_for_are_shares(learner):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (30, 2)), rng.integers(0, 2, 30)
    huge, once = (to_json(learner.fit(X, y, sample_weight=np.full(30, weight))) for weight in (1e300, 1.0))
    assert huge == once


@pytest.mark.filterwarnings("error")
def test_counts_of_which_a_fold_has_none(capfd):
    learner = SpectralRegressor(degree=1, n_bins=3, random_state=0)
    said = learner.fit(pd.DataFrame({"x": ["a", "b", "c"]}), [0, 1, 0]).predict(pd.DataFrame({"x": ["a", "b"]}))
    assert np.isfinite(said).all()
    assert capfd.readouterr().err == ""  # LAPACK speaks past Python


@pytest.mark.filterwarnings("error")
def test_bins_of_large_numbers_that_a_fold_has_one_of():
    model = SpectralRegressor(degree=1, max_effects=2, n_bins=3, random_state=0).fit([[0.0], [1e16]], [-1.4, -1.1])
    assert np.isfinite(model.predict([[0.0], [1e16]])).all()


@pytest.mark.parametrize("learner", [JuntaRegressor(k=1), CorrelationBoostingRegressor(OrderlyCorrelator())])
def test_a_batch_of_arrow_is_a_table(learner):
    table, y, weights = pa.table({"x": [1, 0] * 8, "z": [1.0, 1.0, 0.0, 0.0] * 4}), [1.0, 0.0] * 8, [0.0, *[1.0] * 15]
    (batch,) = table.to_batches()
    whole, part = (to_json(learner.fit(rows, y, sample_weight=weights)) for rows in (table, batch))
    assert whole == part


@pytest.mark.filterwarnings("error")
def test_lines_through_numbers_whose_squares_overflow():
    model = SpectralClassifier(max_effects=2, n_bins=3, random_state=0).fit([[5e-324], [1.7e308]] * 8, ["a", "b"] * 8)
    assert model.predict([[5e-324], [1.7e308]]).tolist() == ["a", "b"]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("numbers", "y"), [([1, 2, 3] * 4, [1.0] * 12), ([0.0, 1.0, 1e16, 1e22] * 3, [0.0, 1.0, 2.0, 1.0] * 3)]
)
def test_pictures_of_effects_that_are_none_and_of_steps_of_no_width(numbers, y):
    model = DirectSpectrumRegressor(degree=1, min_count=1).fit(pd.DataFrame({"x": numbers, "z": ["u", "v"] * 6}), y)
    assert "nan" not in model._repr_html_()


def test_rules_where_the_rows_left_to_learn_from_are_of_one_class():
    X, y = pd.DataFrame({"x": [127.0, 1.0, 2.0, None, -128.0]}), [1, 0, 0, 0, 0]
    for seed in range(6):  # in some of which the first row is kept aside
        model = RuleClassifier(n_bins=3, holdout=0.3, random_state=seed).fit(X, y)
        assert model.predict_proba(X).shape == (5, 2)


# ---- what a mask covers ----------------------------------------------------------------------------------------------


def test_what_a_mask_covers_is_missing():
    """It was read as what lies under it."""
    numbers, words = np.array([[0.0], [1.0], [7.0]] * 10), np.array([["u"], ["v"], ["w"]] * 10)
    under = np.array([[False], [False], [True]] * 10)
    for values, codes in ((numbers, ("0", "1", "missing")), (words, ("u", "v", "missing"))):
        (found,) = BooleanEncoder().fit(np.ma.masked_array(values, under)).domain_.columns
        assert found.code_names == codes
    y = np.ma.masked_array([0, 1, 1] * 10, under.ravel())
    with pytest.raises(TargetError, match="contains NaN or None in 10 of 30 rows"):
        JuntaClassifier(k=1).fit(numbers, y)
    with pytest.raises(ValueError, match="sample_weight contains NaN"):
        JuntaClassifier(k=1).fit(numbers, y.data, sample_weight=np.ma.masked_array(np.ones(30), under.ravel()))
