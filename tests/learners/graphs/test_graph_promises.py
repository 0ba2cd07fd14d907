"""Whatever the parameters of a graph estimator: no certificate whose conditions do not hold, and none too good."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paclearn import (
    CorrelationBoostingRegressor,
    OrderlyCorrelator,
    RegressionGraphClassifier,
    RegressionGraphEnsembleClassifier,
    RegressionGraphEnsembleRegressor,
    RegressionGraphRegressor,
)
from paclearn.encoding import BinColumn

N = 60
GROWN = {
    "max_splits": st.sampled_from([None, 1, 4]),
    "merge": st.sampled_from([1 / 3, 0.0, 0.9]),
    "holdout": st.sampled_from([None, 0.3]),
}
ONE = GROWN | {
    "stop": st.sampled_from(["theorem", "theorem", "auto", "validation"]),
    "max_leaves": st.sampled_from([None, 3]),
    "min_samples_leaf": st.sampled_from([None, 1, 5, 500]),
    "n_bins": st.sampled_from([None, None, 254, 2]),
    "n_folds": st.sampled_from([2, 5]),
    "patience": st.sampled_from([1, 30]),
    "variation": st.sampled_from([None, 2.0]),
}
MANY = GROWN | {
    "method": st.sampled_from(["auto", "bagging", "boosting"]),
    "max_features": st.sampled_from([None, 1]),
    "min_samples_leaf": st.sampled_from([1, 5]),
    "learning_rate": st.sampled_from([0.1, 0.9]),
    "n_bins": st.sampled_from([254, 2]),
}
WEAK = GROWN | {
    "max_leaves": st.sampled_from([None, 3]),
    "min_samples_leaf": st.sampled_from([1, 5]),
    "n_repeats": st.sampled_from([1, 3]),
}
ESTIMATORS = {
    RegressionGraphRegressor: ONE,
    RegressionGraphClassifier: ONE,
    RegressionGraphEnsembleRegressor: MANY,
    RegressionGraphEnsembleClassifier: MANY,
    CorrelationBoostingRegressor: WEAK,
    OrderlyCorrelator: {"epsilon": st.sampled_from([None, 0.1, 1.0])},
}
FAITHFUL = {"stop": "theorem", "n_bins": None, "variation": 2.0}


@st.composite
def asked(draw):
    kind = draw(st.sampled_from(list(ESTIMATORS)))
    many = {"n_estimators": st.sampled_from([1, 2])} if ESTIMATORS[kind] is MANY else {}  # a hundred take seconds
    parameters = draw(st.fixed_dictionaries(many, optional=ESTIMATORS[kind]))
    faithful = "stop" in ESTIMATORS[kind] and draw(st.booleans())
    return kind, parameters | (FAITHFUL if faithful else {})


def table(kind):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.random(N), "b": rng.integers(0, 2, N).astype(float)})
    third = {"levels": rng.choice(list("xyz"), N), "missing": np.where(np.arange(N) % 9 == 0, np.nan, rng.random(N))}
    frame["c"] = third.get(kind, rng.random(N))
    y = (frame["a"] + frame["b"] > 1).to_numpy(dtype=float)
    return frame, y, {"sample_weight": rng.integers(1, 3, N)} if kind == "weights" else {}


@settings(max_examples=40, deadline=None)
@given(asked(), st.sampled_from(["numbers", "levels", "missing", "weights", "groups"]))
def test_every_certificate_has_its_conditions(chosen, kind):
    estimator, parameters = chosen
    if kind in {"levels", "missing"} and estimator in {CorrelationBoostingRegressor, OrderlyCorrelator}:
        kind = "numbers"  # they refuse what their regressors and bits cannot be
    frame, y, weights = table(kind)
    extra = weights | ({"groups": np.arange(N) // 3} if kind == "groups" else {})
    seed = {} if estimator is OrderlyCorrelator else {"random_state": 0}
    model = estimator(**parameters, **seed).fit(frame, y, **extra)
    held = np.zeros(N, dtype=bool)
    if getattr(model, "heldout_rows_", None) is not None:
        held[model.heldout_rows_] = True
    for certificate in model.certificates_:
        name = next(words for words in PROMISES if words in certificate.kind)  # no other kinds
        PROMISES[name](model, certificate, frame, y, held, kind)
        assert certificate.delta == 0.05
        assert "independent draws" in certificate.assumptions[0]
        assert ("groups" in certificate.assumptions[0]) == (kind == "groups")
    assert model.certificate_ is None or model.certificate_.kind in {c.kind for c in model.certificates_}
    assert model.certificate_ is None or "Theorem 2" not in model.certificate_.kind


# ---- what every kind of certificate asks for, and what it may say at best ----


def theorem_2(model, certificate, frame, y, held, kind):
    assert isinstance(model, RegressionGraphRegressor | RegressionGraphClassifier)
    assert (model.stop, model.max_splits, model.max_leaves, model.n_bins) == ("theorem", None, None, None)
    assert model.merge == 1 / 3
    assert model.min_samples_leaf in {None, 1}
    assert kind == "numbers"
    n = (~held).sum()
    assert certificate.bound == pytest.approx(3 * (1 + model.variation) * np.log(5 * n * 3 / 0.05) / n ** (1 / 7))


def theorem_3(model, certificate, frame, y, held, kind):
    """For any graph, however it was found: nodes, and questions that a node can ask, are counted here by hand."""
    assert isinstance(model, RegressionGraphRegressor | RegressionGraphClassifier | OrderlyCorrelator)
    (graph,) = model.model_.graphs
    reached, waiting = set(), [0]
    while waiting:
        node = waiting.pop()
        if node not in reached:
            reached.add(node)
            waiting.extend(graph.shape.children[node] if node < graph.shape.n_inner else [])
    assert len(reached) == graph.n_nodes
    rows = int((~held).sum())
    choices = sum(_questions(column, rows) for column in model.domain_.columns)
    n = len(np.unique((np.arange(N) // 3)[~held])) if kind == "groups" else rows
    delta = 0.05 * 0.1 if held.any() else 0.05  # what the bound from rows held out leaves
    deviation = 3.8 * np.sqrt(graph.n_nodes * np.log(3 * graph.n_nodes * choices / delta) / n)
    classes = isinstance(model, RegressionGraphClassifier)
    said = model.predict_proba(frame[~held])[:, 1] if classes else model.predict(frame[~held])
    error, width = np.mean((said - y[~held]) ** 2), 1.0 if classes else np.ptp(y[~held]) or 1.0
    least = min(1.0, 4 * (error + deviation)) if classes else error + width**2 * deviation
    assert certificate.bound >= least - 1e-9
    assert certificate.n_rows == n


def _questions(column, rows):
    """Thresholds, or sets of levels; and a side for what is missing."""
    return rows * 2**column.missing if isinstance(column, BinColumn) else 2.0**column.n_codes


def held_out(model, certificate, frame, y, held, kind):
    assert held.any()
    n = len(np.unique((np.arange(N) // 3)[held])) if kind == "groups" else held.sum()
    assert certificate.n_rows == n
    if hasattr(model, "classes_"):
        observed = np.mean(model.predict(frame[held]) != y[held])
    else:
        observed = np.mean((model.predict(frame[held]) - y[held]) ** 2)
    assert certificate.observed == pytest.approx(observed)
    assert certificate.bound >= observed


PROMISES = {"Theorem 2": theorem_2, "Theorem 3": theorem_3, "Chernoff": held_out, "Clopper-Pearson": held_out}
