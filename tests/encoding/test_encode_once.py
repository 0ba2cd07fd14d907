"""Columns are read once: by a fit, by a prediction, and by a whole report."""

from inspect import signature

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from counting_table import CountingTable
from registry import ESTIMATORS
from sklearn.base import clone, is_classifier

from paclearn import (
    CorrelationBoostingRegressor,
    HalfspaceClassifier,
    JuntaClassifier,
    JuntaRegressor,
    OrderlyCorrelator,
    RegressionGraphClassifier,
    RegressionGraphEnsembleClassifier,
    Report,
    SpectralClassifier,
    discover,
)
from paclearn.encoding import EncodingRules, learn_and_encode
from paclearn.tables.read_once import read_once
from paclearn.tables.table import ArrayTable, FrameTable, RowSubset


def table_of(n=90, seed=0):
    """Levels with missing ones, few numbers, many numbers; and a target of either kind."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "colour": rng.choice(["red", "green", "blue", None], n),
            "rooms": rng.integers(1, 5, n),
            "flag": rng.choice(["yes", "no"], n),
            "age": rng.normal(40, 12, n),
        }
    )
    score = 2.0 * (frame["colour"] == "red") + frame["rooms"] + rng.normal(0, 0.3, n)
    return frame, np.where(score > 3, "high", "low"), score.to_numpy()


HELD_OUT = [
    JuntaClassifier(k=range(1, 3), holdout=0.3, random_state=0),
    JuntaRegressor(k=2, choose_k="cv", holdout=0.3, random_state=0),
    SpectralClassifier(max_terms=2, holdout=0.3, random_state=0),
    RegressionGraphClassifier(holdout=0.3, random_state=0),
    RegressionGraphEnsembleClassifier(n_estimators=4, holdout=0.3, random_state=0),
    HalfspaceClassifier(B=5, holdout=0.3, random_state=0),
    CorrelationBoostingRegressor(holdout=0.3, random_state=0),
]


TAKES_TABLES = [e for e in ESTIMATORS + HELD_OUT if not isinstance(e, OrderlyCorrelator)]  # which takes bits


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("estimator", TAKES_TABLES, ids=repr)
def test_a_fit_reads_each_column_once_and_a_prediction_at_most_once(estimator, weighted):
    frame, classes, numbers = table_of()
    if isinstance(estimator, CorrelationBoostingRegressor):  # its questions are asked by regressors of numbers
        frame = frame[["rooms", "age"]]
    given = CountingTable.of(frame)
    model = clone(estimator)
    takes_weights = "sample_weight" in signature(model.fit).parameters
    weights = {"sample_weight": np.r_[0.0, 2.0, np.ones(88)]} if weighted and takes_weights else {}
    model.fit(given, classes if is_classifier(model) else numbers, **weights)
    assert given.each_once(), given.reads
    for method in ("predict", "predict_proba", "decision_function", "explain"):
        if hasattr(model, method):
            given = CountingTable.of(frame)
            getattr(model, method)(given)
            assert max(given.reads.values(), default=0) <= 1, (method, given.reads)


def test_discover_reads_each_column_once():
    frame, classes, _ = table_of()
    given = CountingTable.of(frame)
    discover(given, classes)
    assert given.each_once(), given.reads


@pytest.mark.parametrize("library", [pd.DataFrame, pl.from_pandas, pa.Table.from_pandas])
def test_rows_of_what_was_kept_are_what_is_read_of_the_rows(library):
    """Levels that these rows lack, and numbers outside their span, leave no trace."""
    frame, _, _ = table_of()
    frame = frame.assign(big=frame["rooms"] * 2**60, many=np.arange(90) * 7, flags=frame["flag"] == "yes")
    table = FrameTable.of(nw.from_native(library(frame)))
    rows = np.flatnonzero((frame["colour"] != "red") & (frame["rooms"] > 2))
    rules = EncodingRules(4, 2, 8)
    wanted, codes = learn_and_encode(RowSubset(table, rows), rules)
    found, kept = learn_and_encode(RowSubset(read_once(table), rows), rules)
    assert found == wanted
    for one, other in zip(codes, kept, strict=True):
        np.testing.assert_array_equal(one, other)
    for one, other in zip(wanted.encode(table), wanted.encode(read_once(table)), strict=True):
        np.testing.assert_array_equal(one, other)


def test_what_would_take_too_much_memory_is_read_again(monkeypatch):
    monkeypatch.setattr("paclearn.tables.read_once._MOST_BYTES", 8 * 90)
    given = CountingTable.of(table_of()[0])
    table = read_once(given)
    for _ in range(3):
        assert [len(table.column(i)) for i in (3, 0, 1, 2)] == [90] * 4
    assert given.reads == {"age": 1, "colour": 3, "rooms": 3, "flag": 3}
    dense = ArrayTable(np.zeros((5, 2)), ("a", "b"))
    assert read_once(dense) is dense


@pytest.mark.parametrize("numeric", [False, True])
@pytest.mark.parametrize("quick", [False, True])
def test_a_report_reads_each_column_once(numeric, quick):
    """However many models and folds: what was read is kept as numbers and codes."""
    frame, classes, numbers = table_of(60)
    if not quick:  # ages by tens are quick to learn
        frame = frame.assign(age=frame["age"].round(-1))
    given = CountingTable.of(frame.assign(y=numbers if numeric else classes))
    Report(given, "y", quick=quick, n_jobs=1)
    assert given.each_once(), given.reads
