"""Ensembles of graphs, correlation boosting, the orderly correlator and their generators."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor

from paclearn import (
    CorrelationBoostingRegressor,
    OrderlyCorrelator,
    RegressionGraphEnsembleClassifier,
    RegressionGraphEnsembleRegressor,
    RegressionGraphRegressor,
)
from paclearn.datasets import make_gam, make_orderly
from paclearn.exceptions import InputError


@pytest.fixture(scope="module")
def bits():
    rng = np.random.RandomState(0)
    X = rng.randint(0, 2, (12_000, 20))
    return X[:2000], (rng.random_sample(2000) < X[:2000].mean(axis=1)).astype(float), X[2000:]


def test_bagged_graphs_beat_boosted_trees_and_a_single_graph_on_noise(bits):
    X, y, fresh = bits
    models = {
        "bagged": RegressionGraphEnsembleRegressor(method="bagging", random_state=0),
        "graph": RegressionGraphRegressor(),
        "trees": HistGradientBoostingRegressor(early_stopping=True, random_state=0),
    }
    errors = {k: np.mean((m.fit(X, y).predict(fresh) - fresh.mean(axis=1)) ** 2) for k, m in models.items()}
    assert errors["bagged"] < errors["trees"]
    assert errors["bagged"] < errors["graph"]


def test_rows_left_out_choose_the_method():
    rng = np.random.RandomState(0)
    X = rng.random_sample((600, 5))
    clean = np.sin(6 * X[:, 0]) + X[:, 1] * X[:, 2]
    model = RegressionGraphEnsembleRegressor(60, random_state=0).fit(X[:300], clean[:300])
    assert model.methods_ == {"": "boosting"}
    assert model.validation_errors_[""]["boosting"] < model.validation_errors_[""]["bagging"]
    assert model.score(X[300:], clean[300:]) > 0.9
    assert model.oob_score_ is None


def test_out_of_bag_predictions_are_of_graphs_that_did_not_see_the_row(bits):
    X, y, fresh = bits
    model = RegressionGraphEnsembleRegressor(30, method="bagging", max_splits=100, random_state=0).fit(X, y)
    truth = X.mean(axis=1)
    out = np.mean((model.oob_prediction_[:, 0] - truth) ** 2)
    new = np.mean((model.predict(fresh) - fresh.mean(axis=1)) ** 2)
    inside = np.mean((model.predict(X) - y) ** 2)
    assert new < out < 3 * new  # each row has a third of the graphs
    assert inside < np.mean((model.oob_prediction_[:, 0] - y) ** 2)
    assert model.oob_score_ == pytest.approx(1 - np.mean((model.oob_prediction_[:, 0] - y) ** 2) / y.var())
    assert len(model.estimators_[""]) == model.n_estimators_ == 30


def test_the_number_of_processes_changes_nothing(bits):
    X, y, _ = bits
    one, two = (
        RegressionGraphEnsembleRegressor(6, method="bagging", n_jobs=n, random_state=0).fit(X[:300], y[:300])
        for n in (None, 2)
    )
    assert np.array_equal(one.predict(X), two.predict(X))


def test_effects_of_an_ensemble_have_a_spread(bits):
    X, y, _ = bits
    model = RegressionGraphEnsembleRegressor(20, method="bagging", random_state=0).fit(X, y)
    effect = model.effect("x3", X)
    assert list(effect.columns) == ["value", "effect", "spread"]
    assert effect["effect"][1] > effect["effect"][0]
    assert (effect["spread"] > 0).all()
    assert model.feature_importances_.sum() == pytest.approx(1)
    boosted = RegressionGraphEnsembleRegressor(20, method="boosting", random_state=0).fit(X, y)
    assert "spread" not in boosted.effect("x3", X)
    some = np.unique(np.linspace(0, 1999, 1000).astype(int))
    changed = X[some].copy()
    changed[:, 3] = 1
    raw = boosted._totals[""]
    assert boosted.effect("x3", X)["effect"][1] == pytest.approx(boosted.predict(changed).mean(), abs=0.01 * raw.high)


def test_classes_of_an_ensemble():
    rng = np.random.RandomState(0)
    frame = pd.DataFrame({"a": rng.normal(size=600), "b": rng.choice(["x", "y", None], 600)})
    y = np.where(frame["b"] == "x", "left", np.where(frame["a"] > 0, "up", "down"))
    model = RegressionGraphEnsembleClassifier(10, holdout=0.3, random_state=0).fit(frame, y)
    assert model.score(frame, y) > 0.97
    assert np.allclose(model.predict_proba(frame).sum(axis=1), 1)
    assert model.certificate_.bound < 0.1
    assert set(model.estimators_) == {"left", "up", "down"}
    assert model.effect("b", frame, output="left")["effect"].max() > 0.9
    with pytest.raises(InputError, match="output=None must be one of 'down', 'left', 'up'"):
        model.effect("b", frame)


def test_parameters_of_ensembles_are_checked():
    for parameters, message in (
        ({"method": "stacking"}, "method='stacking' is not known"),
        ({"n_estimators": 0}, "n_estimators=0 must be"),
        ({"n_jobs": 0}, "n_jobs=0 must be a number of processes"),
        ({"learning_rate": 2}, "learning_rate=2 must be"),
    ):
        with pytest.raises(InputError, match=message):
            RegressionGraphEnsembleRegressor(**parameters).fit([[0], [1]], [0, 1])


# ---- correlation boosting ----


def test_boosting_a_line_learns_what_is_behind_a_link():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(3000, 8))
    y = np.sign(X.sum(axis=1)) * np.abs(X.sum(axis=1)) ** 0.3
    line = Ridge().fit(X[:2000], y[:2000]).score(X[2000:], y[2000:])
    boosted = CorrelationBoostingRegressor(holdout=0.2, random_state=0).fit(X[:2000], y[:2000])
    assert boosted.score(X[2000:], y[2000:]) > max(line + 0.05, 0.9)
    assert boosted.certificate_.kind.startswith("Hoeffding")
    assert boosted.n_nodes_ == boosted.n_leaves_ + len(boosted.questions_)


def test_boosting_stumps_is_growing_a_graph():
    """A stump's two predictions have one threshold between them: the best axis split."""
    rng = np.random.RandomState(0)
    X, y = rng.normal(size=(400, 4)), rng.normal(size=400)
    stumps = CorrelationBoostingRegressor(DecisionTreeRegressor(max_depth=1), max_splits=10, min_samples_leaf=1).fit(
        X, y
    )
    graph = RegressionGraphRegressor(max_splits=10, n_bins=254).fit(X, y)
    exact = ((stumps.predict(X) - y) ** 2).mean()
    assert exact == pytest.approx(((graph.predict(X) - y) ** 2).mean(), rel=0.03)  # bins hold one or two values each


def test_weak_regressors_get_data_frames_as_they_are():
    rng = np.random.RandomState(0)
    frame = pd.DataFrame({"a": rng.choice(list("xyz"), 300), "b": rng.choice(list("uv"), 300)})
    y = (frame["a"] == "x") * 1.0 + (frame["b"] == "u")
    model = CorrelationBoostingRegressor(make_pipeline(OneHotEncoder(), Ridge())).fit(frame, y)
    assert model.score(frame, y) > 0.99
    with pytest.raises(InputError, match="must be a regressor with fit and predict"):
        CorrelationBoostingRegressor(Ridge).fit(frame, y)


# ---- orderly trees ----


def test_the_orderly_law_is_what_it_says():
    data = make_orderly(100_000, noise=0.0, random_state=0)
    assert np.abs(data.correlations).max() < 0.01
    bits = data.data.astype(float)
    varied = bits.std(axis=0) > 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = np.array([np.corrcoef(bits[:, j], data.mean)[0, 1] for j in np.flatnonzero(varied)])
    assert np.abs(found - data.correlations[varied]).max() < 4.5 / np.sqrt(100_000)
    assert abs(data.mean.mean() - 0.5) < 0.01
    first = np.where(bits.any(axis=1), bits.argmax(axis=1), 200)
    for leaf in np.unique(first):  # the first bit that is 1 decides
        assert len(np.unique(data.mean[first == leaf])) == 1


def test_the_orderly_correlator_sees_what_no_bit_says():
    data = make_orderly(10_000, n_extra=100, noise=0.2, random_state=0)
    fresh = make_orderly(10_000, n_extra=100, noise=0.2, random_state=1)
    said = CorrelationBoostingRegressor(OrderlyCorrelator()).fit(data.data, data.target).predict(fresh.data)
    axis = RegressionGraphRegressor().fit(data.data, data.target).predict(fresh.data)
    unexplained = [np.mean((guess - fresh.mean) ** 2) / fresh.mean.var() for guess in (said, axis)]
    assert unexplained[0] < 0.65
    assert unexplained[1] > 0.85


def test_figure_6_step_by_step():
    """Two rare bits hide a third: by hand, the rows set aside and the covariance."""
    rng = np.random.RandomState(0)
    X = np.column_stack([rng.random_sample(4000) < 0.01, rng.randint(0, 2, 4000), rng.randint(0, 2, 4000)]).astype(
        float
    )
    y = np.where(X[:, 0] > 0, 1 - X[:, 1], X[:, 1])
    model = OrderlyCorrelator(epsilon=0.5).fit(X, y)  # rare: at most 0.5 / 24
    assert model.aside_ == [(0, True)]
    assert model.column_ == 1
    centred = y - y.mean()
    kept = X[:, 0] == 0
    plain = (centred * kept * X[:, 1]).mean()
    rare = (centred * ~kept).mean()
    assert model.covariance_ == pytest.approx(max(abs(plain), abs(plain + rare)))
    assert np.corrcoef(model.predict(X), y)[0, 1] > 0.97
    assert OrderlyCorrelator().fit(X, np.ones(4000)).predict(X) == pytest.approx(1.0)


def test_generators_refuse_what_they_cannot_do():
    for call, message in (
        (lambda: make_gam(10, 0), "n_columns=0 must be at least 1"),
        (lambda: make_gam(link="probit"), "link='probit' is not known"),
        (lambda: make_orderly(10, 1), "depth=1 must be at least 2"),
    ):
        with pytest.raises(InputError, match=message):
            call()


@pytest.mark.parametrize("link", ["logistic", "steps", "identity"])
def test_a_graph_learns_an_additive_model_whatever_its_link(link):
    data = make_gam(4000, link=link, noise="none", random_state=0)
    fresh = make_gam(2000, link=link, noise="none", random_state=1)
    graph = RegressionGraphRegressor(max_splits=150).fit(data.data, data.target)
    tree = DecisionTreeRegressor(max_leaf_nodes=151).fit(data.data, data.target)
    assert graph.score(fresh.data, fresh.mean) > tree.score(fresh.data, fresh.mean)
