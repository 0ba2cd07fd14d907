"""What a second pair of eyes broke, each once: none of it may come back."""

import json
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from cli.test_cli import paclearn
from report.test_report import as_table, facts_of
from scipy.special import gammaln
from sklearn.base import clone

from paclearn import (
    BooleanEncoder,
    CorrelationBoostingRegressor,
    HalfspaceClassifier,
    JuntaClassifier,
    JuntaRegressor,
    RegressionGraphClassifier,
    RegressionGraphEnsembleClassifier,
    RegressionGraphEnsembleRegressor,
    RegressionGraphRegressor,
    SpectralClassifier,
    open_table,
)
from paclearn.certificates import junta_sample_size, largest_parity
from paclearn.counting import BitTable, CodeTable, engine_for
from paclearn.datasets import make_junta
from paclearn.exceptions import ColumnError, InputError, ReadingWarning, TableFileError, TargetError
from paclearn.halfspaces import margin_error_curve, suggest_B
from paclearn.kernels import dispatch as native
from paclearn.learners.halfspaces.margin_theory import chebyshev_coefficients
from paclearn.report import to_html
from paclearn.report.baselines import BoostingBaseline
from paclearn.report.shared_folds import Fold, Folds
from paclearn.search import subsets_between
from paclearn.tables.files import write_atomically

# ---- a failed fit leaves nothing behind ----


def test_a_failed_refit_leaves_the_model_as_it_was():
    X = np.random.default_rng(0).integers(0, 2, (200, 3))
    model = JuntaClassifier(k=1).fit(X, np.array(["a", "b"])[X[:, 0]])
    before = model.predict(X)
    with pytest.raises(InputError):
        model.set_params(k=5).fit(X, np.array(["p", "q", "r", "s"] * 50))
    np.testing.assert_array_equal(model.predict(X), before)
    encoder = BooleanEncoder().fit(X)
    with pytest.raises(ColumnError):
        encoder.fit(np.array([[np.inf, 1.0], [0.0, 2.0]]))
    assert encoder.transform(X).shape[0] == 200


def test_a_failed_first_fit_leaves_the_model_unfitted():
    from sklearn.exceptions import NotFittedError

    model = JuntaClassifier(k=5)
    with pytest.raises(InputError):
        model.fit([[0], [1], [0], [1]], [0, 1, 0, 1])
    with pytest.raises(NotFittedError):
        model.predict([[0]])


# ---- weights ----


@pytest.mark.parametrize("kind", [JuntaClassifier, JuntaRegressor])
def test_relative_weights_keep_the_leave_one_out_correction(kind):
    """The parity of two columns beside columns of many levels: weights must not make small cells look good."""
    right = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = np.column_stack([rng.integers(0, 2, (300, 2)), rng.integers(0, 16, (300, 4))]).astype(str).astype(object)
        y = ((X[:, 0] == X[:, 1]) ^ (rng.random(300) < 0.2)).astype(int)
        model = kind(k=2, min_count=1).fit(X, y, sample_weight=rng.exponential(size=300) + 0.01)
        right += model.members_ == (0, 1)
    assert right >= 9


def test_weighted_scores_of_noise_stay_where_unweighted_ones_are():
    scores = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 12, (300, 1)).astype(str).astype(object)
        y = rng.normal(size=300)
        scores.append(JuntaRegressor(k=1, min_count=0).fit(X, y, sample_weight=rng.exponential(size=300) + 0.01).score_)
    assert abs(np.mean(scores)) < 0.03


def test_a_heavy_row_alone_in_its_cell_explains_nothing():
    X = np.array([["a"]] * 20 + [["b"]], dtype=object)
    y = np.array([0, 1] * 10 + [1])
    weights = np.r_[np.full(20, 1.5), 7.5]
    model = JuntaClassifier(k=1, min_count=0).fit(X, y, sample_weight=weights)
    assert model.score_ == pytest.approx(0.05, abs=0.05)


def test_ties_of_relative_weights_are_ties():
    X = np.array([["p"]] * 3 + [["q"]] * 7, dtype=object)
    y = np.array([0, 0, 1] + [1] * 7)
    model = JuntaClassifier(k=1, min_count=0).fit(X, y, sample_weight=np.r_[0.1, 0.2, 0.3, np.full(7, 0.5)])
    assert model.predict([["p"]]) == [1]  # a tie: the more frequent class


@pytest.mark.parametrize("size", [1e-310, 0.1, 3, 1e7, 1e10, 1e14, 1e308])
def test_graphs_of_equal_weights_of_any_size(size):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(160, 3))
    y = np.sin(X[:, 0]) + X[:, 1]
    usual = RegressionGraphRegressor(max_splits=12).fit(X, y).predict(X)
    heavy = RegressionGraphRegressor(max_splits=12).fit(X, y, sample_weight=np.full(160, size)).predict(X)
    np.testing.assert_allclose(heavy, usual, rtol=1e-9)


@pytest.mark.parametrize(
    "model",
    [
        RegressionGraphRegressor("validation", random_state=0),
        RegressionGraphClassifier("validation", random_state=0),
        RegressionGraphEnsembleRegressor(random_state=0),
        RegressionGraphEnsembleClassifier(random_state=0),
        CorrelationBoostingRegressor(random_state=0),
    ],
)
def test_graphs_leave_out_rows_too_light_to_count(model):
    X = np.arange(60.0)[:, None]
    y = np.r_[np.arange(10) % 2, np.arange(50) % 3 == 0].astype(int)
    light = clone(model).fit(X, y, sample_weight=np.r_[np.ones(10), np.full(50, 1e-20)])
    without = clone(model).fit(X, y, sample_weight=np.r_[np.ones(10), np.zeros(50)])
    np.testing.assert_array_equal(light.predict(X), without.predict(X))


def test_one_row_heavier_than_all_others():
    X = np.arange(60.0)[:, None]
    weights = np.r_[1.0, np.full(59, 1e-20)]
    for model in (RegressionGraphRegressor("validation", random_state=0), RegressionGraphEnsembleRegressor(2)):
        assert (model.fit(X, X[:, 0] + 5, sample_weight=weights).predict(X) == 5).all()
    with pytest.raises(TargetError, match="one class only"):
        RegressionGraphEnsembleClassifier(2).fit(X, np.arange(60) % 2, sample_weight=weights)


# ---- graphs, asked for what is not there ----


@pytest.mark.parametrize("n_graphs", [2, 10, 49])
def test_the_effect_of_bagged_graphs_has_a_deviation(n_graphs):
    X = pd.DataFrame({"x": np.arange(60.0)})
    model = RegressionGraphEnsembleRegressor(n_graphs, method="bagging", max_splits=5, random_state=0).fit(X, X["x"])
    assert "deviation" in model.effect("x", X).columns


def test_graphs_of_half_a_leaf_and_effects_over_no_rows():
    X = pd.DataFrame({"x": np.arange(60.0)})
    model = RegressionGraphRegressor().fit(X, X["x"])
    for most in (0, -1, 2.5):
        with pytest.raises(InputError, match="most_rows=.* must be a whole number >= 1"):
            model.effect("x", X, most_rows=most)
    for leaves in (0, 2.5, True):
        with pytest.raises(InputError, match="max_leaves=.* must be a whole number >= 1"):
            model.graph_.pruned(leaves)


# ---- names ----


def test_columns_may_be_called_like_the_columns_of_the_table():
    rng = np.random.default_rng(1)
    names = ["rows", "prediction", "probability", "members used", "rows of a"]
    X = pd.DataFrame(rng.choice(list("uvw"), (300, 5)), columns=names)
    y = np.where(X["rows"] == X["prediction"], "a", "b")
    model = JuntaClassifier(k=2).fit(X, y)
    assert model.subset_ == ("rows", "prediction")
    assert set(model.table_["rows"]) == {"u", "v", "w"}
    assert model.table_["rows (2)"].sum() == 300
    assert set(model.table_["prediction (2)"]) == {"a", "b"}
    assert "u" in model.to_text()


def test_bits_of_one_name_are_numbered():
    X = pd.DataFrame({"a": ["b=c", "x"] * 20, "a=b": ["c", "c", "x", "x"] * 10})
    X.loc[0, "a"] = X.loc[1, "a=b"] = "third"
    encoder = BooleanEncoder(min_count=1).set_output(transform="polars").fit(X)
    names = list(encoder.get_feature_names_out())
    assert {"a=b=c", "a=b=c (2)"} <= set(names)
    assert encoder.transform(X).shape == (40, len(names))


def test_levels_called_missing_and_other():
    X = pd.DataFrame({"a": ["missing"] * 200 + ["other"] * 200 + ["u", "v", None, None]})
    column = BooleanEncoder().fit(X).domain_.columns[0]
    assert column.code_names == ("missing", "other", "(other)", "(missing)")


def test_numbered_columns_in_another_order_are_noticed():
    X = pd.DataFrame(np.random.default_rng(2).integers(0, 2, (200, 3)))
    model = JuntaClassifier(k=1).fit(X, X[0])
    with pytest.raises(InputError, match="same order"):
        model.predict(X[[2, 1, 0]])


def test_a_frame_with_columns_called_like_a_tables_attributes():
    X = pd.DataFrame({"names": [0, 1] * 10, "n_rows": [1, 1, 0, 0] * 5, "column": range(20)})
    assert BooleanEncoder().fit(X).domain_.column_names == ("names", "n_rows", "column")


# ---- values ----


def test_flags_and_zeros_and_ones_are_the_same():
    flags, numbers = pd.DataFrame({"a": [True, False] * 10}), pd.DataFrame({"a": [1, 0] * 10})
    for fitted, other in ((flags, numbers), (numbers, flags)):
        encoder = BooleanEncoder().fit(fitted)
        np.testing.assert_array_equal(encoder.transform(other), encoder.transform(fitted))


def test_halfspaces_of_numbers_that_come_as_flags_or_text():
    X = pd.DataFrame({"f": [0, 1, 1] * 10, "x": np.arange(30.0)})
    model = HalfspaceClassifier(B=5, random_state=0).fit(X, np.arange(30) > 14)
    said = model.decision_function(X)
    np.testing.assert_array_equal(model.decision_function(X.assign(f=X["f"].astype(bool))), said)
    np.testing.assert_array_equal(model.decision_function(X.assign(x=X["x"].astype(str))), said)
    for text in ("wide", "inf", "nan"):
        with pytest.raises(ColumnError, match=f"now holds text such as '{text}'"):
            model.predict(X.assign(x=text))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, lambda c: np.array(c["a"])[:, None]])
def test_integers_that_floats_would_confuse(make):
    encoder = BooleanEncoder().fit(make({"a": [2**53, 2**53 + 1] * 4}))
    assert encoder.domain_.columns[0].code_names == ("9007199254740992", "9007199254740993")


def test_odd_objects():
    mixed = np.array(["a", float("inf"), "a", "b"] * 5, dtype=object)[:, None]
    assert "inf" in BooleanEncoder().fit(mixed).domain_.columns[0].code_names
    huge = np.array([10**400, 1] * 5, dtype=object)[:, None]
    assert len(BooleanEncoder().fit(huge).domain_.bits) == 1
    latin = np.array([["gr\xf6\xdfe".encode("latin-1")], [b"b"]] * 5)
    assert len(BooleanEncoder().fit(latin).domain_.bits) == 1


@pytest.mark.parametrize("dtype", ["string", object])
def test_pandas_na_in_the_target(dtype):
    y = pd.Series(["a", "b", pd.NA, "a"], dtype=dtype)
    with pytest.raises(TargetError, match="contains NaN or None in 1 of 4 rows"):
        JuntaClassifier(k=1).fit([[0], [1], [0], [1]], y)


def test_the_row_of_an_infinity_is_the_users():
    X = np.zeros((60, 2))
    X[:, 0] = np.arange(60) % 2
    X[50, 1] = np.inf
    with pytest.raises(ColumnError, match="the first in row 50"):
        JuntaClassifier(k=1).fit(X, np.arange(60) % 2, sample_weight=np.r_[np.zeros(20), np.ones(40)])


def test_targets_too_large_to_square():
    with pytest.raises(TargetError, match="too far to square"):
        JuntaRegressor(k=1).fit([[i % 3] for i in range(30)], np.arange(30) * 1e200)


def test_min_count_is_a_share_of_all_rows():
    X = pd.DataFrame({"a": ["u"] * 4 + ["v"] * 6 + [None] * 990, "b": [0, 1] * 500})
    assert BooleanEncoder(min_count=0.01).fit(X).domain_.columns[0].code_names == ("other", "missing")


def test_chunked_and_sliced_arrow_columns():
    chunks = pa.chunked_array([["a", "b"], [], ["c", None], ["a"]], type=pa.string())
    table = pa.table({"a": chunks, "d": chunks.dictionary_encode()}).slice(1)
    domain = BooleanEncoder(min_count=0).fit(table).domain_
    assert domain.columns[0].code_names == domain.columns[1].code_names == ("a", "b", "c", "missing")


# ---- parameters ----


@pytest.mark.parametrize("n_jobs", [0, 1.5, "all"])
def test_n_jobs_is_checked(n_jobs):
    with pytest.raises(InputError, match="n_jobs=.* must be a number of cores"):
        JuntaClassifier(k=1, n_jobs=n_jobs).fit([[0], [1]] * 5, [0, 1] * 5)


def test_folds_in_which_fewer_columns_vary():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (100, 3)).astype(float)
    X[:, 2] = 0
    X[0, 2] = 1
    model = JuntaClassifier(k=[1, 2, 3], choose_k="cv", random_state=0).fit(X, X[:, 0].astype(int))
    assert 0 in model.members_
    with pytest.raises(InputError, match="choose_k='cv' needs at least 10 rows"):
        JuntaClassifier(k=[1, 2], choose_k="cv").fit(X[:6], [0, 1] * 3)


def test_the_notebook_gets_the_truth_table():
    data = make_junta(200, 4, 2, random_state=0)
    model = JuntaClassifier(k=2).fit(data.data, data.target)
    bundle = model._repr_mimebundle_()
    assert "paclearn-table" in bundle["text/html"]
    assert "With probability" in bundle["text/plain"]
    assert "sk-" in JuntaClassifier()._repr_mimebundle_()["text/html"]


def test_fitted_on_an_array_applied_to_a_file(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(4).integers(0, 2, (50, 2)), columns=["x0", "x1"])
    frame.to_csv(tmp_path / "t.csv", index=False)
    model = JuntaClassifier(k=1).fit(frame.to_numpy(), frame["x1"])
    np.testing.assert_array_equal(model.predict(open_table(tmp_path / "t.csv")), frame["x1"])


# ---- engines, theorems ----


@pytest.mark.alone
@pytest.mark.parametrize("transfer", ["sigmoid", "erf", "chebyshev", "taylor"])
def test_margins_too_small_for_any_number(transfer):
    started = time.monotonic()
    logs = [suggest_B(margin, 0.1, transfer=transfer, log_scale=True) for margin in (0.1, 3e-3, 1e-9, 1e-170, 1e-310)]
    assert time.monotonic() - started < 2
    assert logs == sorted(logs)
    assert logs[-1] == np.inf
    assert suggest_B(1e-9, 0.1, transfer=transfer) == np.inf


def test_the_long_way_round_the_taylor_series():
    for margin in (1.27e-3, 1.28e-3):  # on either side of where the sum gives way to its limit
        width = margin / np.sqrt(np.log(5))
        peak = 2 / width**2
        n = np.arange(int(peak - 30 * np.sqrt(peak)), int(peak + 30 * np.sqrt(peak)))
        terms = (2 * n + 1) * np.log(peak) - np.log(np.pi) - 2 * gammaln(n + 1) - 2 * np.log(2 * n + 1)
        log_B = suggest_B(margin, 0.1, transfer="taylor", log_scale=True)
        assert log_B == pytest.approx(np.logaddexp.reduce(terms), rel=1e-10)


def test_a_chebyshev_series_with_too_long_a_rest_is_no_series():
    assert suggest_B(1e-4, 0.45, transfer="chebyshev", log_scale=True) == np.inf
    with pytest.raises(InputError, match="sigma=1e-09 must be at least 1e-05"):
        chebyshev_coefficients(10, 1e-9)


@pytest.mark.parametrize(
    ("normal", "rows", "options", "message"),
    [
        ([1.0, 0.0], [[np.nan, 1.0], [1.0, 2.0]], {}, "X holds NaN"),
        ([1.0, np.nan], [[0.0, 1.0], [1.0, 2.0]], {}, "the halfspace holds NaN"),
        ([1.0, 0.0], [[0.0, 1.0], [1.0, 2.0]], {"intercept": np.nan}, "the halfspace holds NaN"),
        ([1.0, 0.0], [[0.0, 1.0], [1.0, 2.0]], {"margins": [0.1, np.nan]}, "margins holds NaN"),
        ([1.0, 0.0], np.empty((0, 2)), {}, "X has no rows"),
    ],
)
def test_margin_errors_of_nothing(normal, rows, options, message):
    with pytest.raises(InputError, match=message):
        margin_error_curve(normal, rows, np.arange(len(rows)), **options)


def test_units_and_codes_that_do_not_exist():
    table = BitTable.pack([np.array([0, 1], dtype=np.uint8)], [2], np.array([0, 1]), 2)
    for bad in ([[-1]], [[1]], [0]):
        with pytest.raises(InputError, match="subsets must be rows of unit numbers from 0 to 0"):
            engine_for(table).counts(bad)
    with pytest.raises(InputError, match="a code is as large as the number of codes"):
        CodeTable.of([np.full(10, 200, dtype=np.uint8)], [3], np.ones((10, 1)))


def test_more_threads_than_there_can_be():
    rng = np.random.default_rng(5)
    table = BitTable.pack(
        [rng.integers(0, 2, 100).astype(np.uint8) for _ in range(60)], [2] * 60, np.arange(100) % 2, 2
    )
    subsets = subsets_between(60, 2, 0, 1770)
    np.testing.assert_array_equal(
        engine_for(table, 5000).counts(subsets).values, engine_for(table, 1).counts(subsets).values
    )


def test_numbers_of_subsets_beyond_any_integer():
    assert subsets_between(3000, 7, 5, 6).tolist() == [[0, 1, 2, 3, 4, 5, 11]]


def test_an_instruction_set_nobody_knows(monkeypatch):
    monkeypatch.setenv("PACLEARN_ISA", "AVX2")
    with pytest.raises(InputError, match="PACLEARN_ISA='AVX2' is not known"):
        native.available()


def test_sample_sizes_at_the_edges():
    assert junta_sample_size(0.05, 0.05, 50, 10, largest_parity([0.9], 10)) > 10**20
    assert junta_sample_size(0.05, 0.05, 100, 40) > 10**20
    with pytest.raises(InputError, match="never varies"):
        largest_parity([1.0], 2)


@pytest.mark.alone
def test_a_regression_search_minds_its_time_limit():
    rng = np.random.default_rng(6)
    X = rng.integers(0, 2, (20_000, 600))
    started = time.monotonic()
    with pytest.raises(InputError, match="35,820,200 subsets of size 3 of 600 would take about"):
        JuntaRegressor(k=3, time_limit=0.2).fit(X, rng.normal(size=20_000))
    assert time.monotonic() - started < 6


# ---- files and the command line ----


def test_writing_through_links_and_into_pipes(tmp_path):
    (tmp_path / "real.html").write_text("old")
    (tmp_path / "link.html").symlink_to(tmp_path / "real.html")
    write_atomically(tmp_path / "link.html", "new")
    assert (tmp_path / "link.html").is_symlink()
    assert (tmp_path / "real.html").read_text() == "new"
    write_atomically("/dev/null", "gone")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    with pytest.raises(TableFileError, match="is a folder"):
        write_atomically(tmp_path, "x")


def test_text_that_is_not_utf8(tmp_path):
    (tmp_path / "header.csv").write_bytes("größe,b\n1,2\n".encode("latin-1"))
    (tmp_path / "values.csv").write_bytes("a,b\ngrün,2\n".encode("latin-1"))
    (tmp_path / "late.csv").write_bytes(
        ("a,b\n" + "green,2\n" * 50_000 + "grün,2\n" + "red,3\n" * 50_000).encode("latin-1")
    )
    for name, columns in (("header.csv", ("größe", "b")), ("values.csv", ("a", "b")), ("late.csv", ("a", "b"))):
        with pytest.warns(ReadingWarning, match="comma-separated, Windows-1252"):
            assert open_table(tmp_path / name).names == columns


def test_the_index_of_pandas_is_no_column(tmp_path):
    frame = pd.DataFrame({"a": range(10), "b": list("uv") * 5})
    frame[frame["a"] > 2].to_parquet(tmp_path / "t.parquet")
    assert open_table(tmp_path / "t.parquet").names == ("a", "b")


def test_a_damaged_parquet_file(tmp_path):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": np.random.default_rng(0).normal(size=5000), "b": 1}).to_parquet(path)
    content = bytearray(path.read_bytes())
    content[4:2000] = bytes(1996)
    path.write_bytes(content)
    with pytest.raises(TableFileError, match="t.parquet is damaged"):
        BooleanEncoder().fit(open_table(path))


@pytest.mark.alone
def test_wide_files_take_seconds(tmp_path):
    """Time grows with the columns, not with their square."""
    rng = np.random.default_rng(7)
    pd.DataFrame(rng.normal(size=(60, 1500)), columns=[f"g{i}" for i in range(1500)]).assign(y=[0, 1] * 30).to_parquet(
        tmp_path / "t.parquet"
    )
    started = time.monotonic()
    done = paclearn("report", tmp_path / "t.parquet", "-t", "y", "--json", "--max-k", "1")
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - started < 25
    assert len(json.loads(done.stdout)["columns"]) == 1500


def test_a_class_with_one_row(tmp_path):
    """Whether it is among the rows of the truth table or not: no model finds it, and none is lost over it."""
    frame = pd.DataFrame({"a": list("uv") * 20, "b": np.arange(40) % 4, "t": ["no"] * 39 + ["yes"]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    for seed in (0, 1):
        done = paclearn("report", tmp_path / "t.csv", "-t", "t", "--json", "--seed", seed)
        assert done.returncode == 0, done.stderr
        facts = json.loads(done.stdout)
        assert [(c["label"], c["rows"]) for c in facts["target"]["classes"]] == [("no", 39), ("yes", 1)]
        assert {row["role"]: row["value"] for row in facts["comparison"]} == dict.fromkeys(
            ["model", "graph", "junta", "rules", "halfspaces", "linear", "boosting", "none"], 39 / 40
        )
        assert facts["certificate"]["observed"] < facts["certificate"]["bound"] < 0.5


@pytest.mark.parametrize("arguments", [["-j", "0"], ["--seed", "-1"], ["--seed", "5000000000"]])
@pytest.mark.parametrize("command", ["report", "discover", "select", "fit"])
def test_bad_numbers_on_the_command_line(tmp_path, command, arguments):
    pd.DataFrame({"a": list("uv") * 20, "t": list("xy") * 20}).to_csv(tmp_path / "t.csv", index=False)
    done = paclearn(command, "t.csv", "-t", "t", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["report", "discover", "select", "fit"])
def test_a_file_that_cannot_be_written_is_refused_before_any_work(tmp_path, command, monkeypatch):
    def work(*_):
        raise AssertionError("the table was opened")

    place = "paclearn.report.report" if command == "report" else "paclearn.cli.opening"
    monkeypatch.setattr(f"{place}.read_file", work)
    done = paclearn(command, "t.csv", "-t", "t", "-o", tmp_path / "nowhere" / "x.svg")
    assert done.returncode == 2
    assert "there is no folder" in done.stderr


@pytest.mark.parametrize("ending", ["parquet", "arrow"])  # in text the second is renamed, and that is told
def test_two_columns_of_one_name_in_a_table_to_predict(tmp_path, ending):
    pd.DataFrame({"a": list("uv") * 20, "t": list("xy") * 20}).to_csv(tmp_path / "t.csv", index=False)
    assert paclearn("fit", "t.csv", "-t", "t", "-o", "m.json", cwd=tmp_path).returncode == 0
    twice = pa.Table.from_arrays([pa.array(["u", "v"])] * 2, names=["a", "a"])
    path = tmp_path / f"twice.{ending}"
    if ending == "parquet":
        pyarrow.parquet.write_table(twice, path)
    else:
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, twice.schema) as writer:
            writer.write_table(twice)
    done = paclearn("predict", "m.json", path, cwd=tmp_path)
    assert done.returncode == 2
    assert "column names must be unique; found more than once: 'a'" in done.stderr


def test_words_for_missing_are_more_words(tmp_path):
    """Without the usual ones ``NA`` would be text, and no model could read the column as numbers."""
    rows = "".join(f"{'NA' if i % 7 == 0 else 'gone' if i % 7 == 1 else i},{'ux'[i > 30]}\n" for i in range(70))
    (tmp_path / "t.csv").write_text("a,t\n" + rows)
    more = ["--missing", "gone"]
    done = paclearn("fit", "t.csv", "-t", "t", "--max-terms", "2", "-o", "m.json", *more, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert paclearn("report", "t.csv", "-t", "t", "--quick", "--json", *more, cwd=tmp_path).returncode == 0
    assert paclearn("select", "t.csv", "-t", "t", *more, cwd=tmp_path).returncode == 0
    found = json.loads(paclearn("fit", "t.csv", "-t", "t", "--json", *more, cwd=tmp_path).stdout)
    assert [c["kind"] for c in found["columns"]] == ["bins"]
    for use in (["predict", "m.json", "t.csv", "-o", "p.csv"], ["explain", "m.json", "t.csv"]):
        done = paclearn(*use, *more, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    card = ["export", "m.json", "--to", "scorecard", "--data", "t.csv"]
    assert paclearn(*card, *more, cwd=tmp_path).returncode == 0
    assert "now holds text such as 'gone'" in paclearn(*card, cwd=tmp_path).stderr


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_an_interrupt_is_one_line(tmp_path):
    pd.DataFrame({"a": list("uv") * 20, "t": list("xy") * 20}).to_csv(tmp_path / "t.csv", index=False)
    code = (
        "import sys, time, paclearn.cli.app as app, paclearn.report.report as report\n"
        "def wait(*_, **__): print('ready', flush=True); time.sleep(30)\n"
        "report.read_file = wait\n"
        "sys.argv = ['paclearn', 'report', 't.csv', '-t', 't']; app.run()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert errors == "paclearn: error: interrupted; nothing was written\n"


# ---- reports of tables with next to nothing in them ----


@pytest.mark.parametrize("values", [[None] * 40, [5.0] + [None] * 39])
def test_a_report_of_numbers_that_are_missing(values):
    frame = pd.DataFrame({"a": np.arange(40) % 3, "b": pd.Series(values, dtype=float), "y": list("uv") * 20})
    assert {row["role"] for row in facts_of(frame, "y")["comparison"]} >= {"model", "boosting"}


def test_boosting_without_a_single_value():
    frame = pd.DataFrame({"b": [1.0, *[np.nan] * 9]})
    y = np.array(list("uvvvvvvvvv"), dtype=object)
    folds = Folds(as_table(frame), y, np.arange(10), classify=True)
    boost = BoostingBaseline(folds.table, classify=True, seed=0)
    assert boost(Fold(folds, np.arange(1, 10), np.arange(1))).tolist() == ["v"]


@pytest.mark.parametrize("numeric", [False, True])
def test_a_report_of_a_column_that_varies_in_one_row(numeric):
    """Most folds, and for some seeds the rows of the truth table, hold one level only."""
    y = np.arange(60) / 2 if numeric else np.array(["u", "v", "v"] * 20)
    facts = facts_of(pd.DataFrame({"a": ["p"] * 59 + ["q"], "y": y}), "y")
    rows = {row["role"]: row["value"] for row in facts["comparison"]}
    assert rows["model"] == pytest.approx(rows["none"], abs=0.05)
    if not numeric:
        assert facts["calibration"]["ece"] < 0.1


def test_the_page_says_where_the_model_is_too_large_for_it(monkeypatch):
    facts = facts_of(pd.DataFrame({"a": list("pq") * 30, "y": list("uuvv") * 15}), "y")
    assert "is too large to be put to work in the page" not in to_html(facts)
    monkeypatch.setattr("paclearn.report.page._MOST_EMBEDDED", 10)
    assert "is too large to be put to work in the page" in to_html(facts)


# ---- certificates ----


@pytest.mark.parametrize(
    "model",
    [
        HalfspaceClassifier(B=5, holdout=0.3, random_state=0),
        SpectralClassifier(holdout=0.3, random_state=0),
        JuntaClassifier(k=1, holdout=0.3, random_state=0),
        RegressionGraphClassifier(holdout=0.3, random_state=0),
    ],
)
def test_the_tighter_of_two_bounds_promises_what_both_together_do(model):
    data = make_junta(200, 4, 2, random_state=0)
    model.fit(data.data, data.target)
    assert len(model.certificates_) > 1
    assert model.certificate_.delta == model.delta
    assert "at least 95 %" in str(model.certificate_)
