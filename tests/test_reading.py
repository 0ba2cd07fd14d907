"""How often a column of a table is read: once a fit, once a prediction, once a report."""

import numpy as np
import pandas as pd
import pytest
from counting_table import CountingTable
from registry import ESTIMATORS
from sklearn.base import clone, is_classifier

from paclearn import CorrelationBoostingRegressor, OrderlyCorrelator, Report
from paclearn.learners.predicting import ModelEstimator

BY_ARRAY = CorrelationBoostingRegressor, OrderlyCorrelator  # their tables are what their weak regressors take
PREDICTORS = [e for e in ESTIMATORS if isinstance(e, ModelEstimator) and not isinstance(e, BY_ARRAY)]


def frame():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"a": rng.choice(list("uvw"), 150), "b": rng.integers(0, 2, 150), "c": rng.normal(size=150).round(2)}
    )


def target_for(estimator, table):
    number = (table["a"] == "u") + table["b"] + table["c"] / 4
    return np.where(number > 1, "high", "low") if is_classifier(estimator) else number.to_numpy()


@pytest.mark.parametrize("estimator", PREDICTORS, ids=lambda e: type(e).__name__)
def test_a_fit_and_a_prediction_read_a_column_once(estimator):
    table = frame()
    read = CountingTable.of(table)
    model = clone(estimator).fit(read, target_for(estimator, table))
    assert read.each_once(), read.reads
    asks = ["predict", "explain"] + ["predict_proba"] * is_classifier(model)
    for ask in asks:
        if hasattr(model, ask):
            again = CountingTable.of(table)
            getattr(model, ask)(again)
            assert max(again.reads.values(), default=0) <= 1, (ask, again.reads)


@pytest.mark.parametrize("target", ["classes", "numbers"])
def test_a_report_reads_a_column_once(target):
    table = frame()
    number = (table["a"] == "u") + table["b"] + table["c"] / 4
    y = pd.Series(np.where(number > 1, "high", "low") if target == "classes" else number, name="y")
    read = CountingTable.of(table.assign(y=y))
    assert Report(read, "y", quick=True, n_jobs=1).facts["source"]["rows"] == 150
    assert max(read.reads.values()) == 1, read.reads
