"""Ensembles of graphs, correlation boosting, the orderly correlator and their generators."""

import warnings
from itertools import pairwise

import duckdb
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
from paclearn.exceptions import InputError, InputTypeError
from paclearn.export import from_json, portable, to_json, to_markdown, to_python, to_sql
from paclearn.models import About, GraphModel, MeanModel
from paclearn.models.graph_sum import GraphSum
from paclearn.models.weak_graph import answers_of, graph_over_answers
from paclearn.tables.table import as_table


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
    model = RegressionGraphEnsembleRegressor(30, max_splits=40, random_state=0).fit(X[:300], clean[:300])
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


def test_effects_of_an_ensemble_have_a_deviation(bits):
    X, y, _ = bits
    model = RegressionGraphEnsembleRegressor(10, method="bagging", max_splits=60, random_state=0).fit(X, y)
    effect = model.effect("x3", X)
    assert list(effect.columns) == ["value", "effect", "deviation"]
    assert effect["effect"][1] > effect["effect"][0]
    assert (effect["deviation"] > 0).all()
    assert model.feature_importances_.sum() == pytest.approx(1)
    boosted = RegressionGraphEnsembleRegressor(20, method="boosting", max_splits=20, random_state=0).fit(X, y)
    assert "deviation" not in boosted.effect("x3", X)
    some = np.unique(np.linspace(0, 1999, 1000).astype(int))
    changed = X[some].copy()
    changed[:, 3] = 1
    assert boosted.effect("x3", X)["effect"][1] == pytest.approx(boosted.predict(changed).mean(), abs=0.01)


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
        ({"method": "stacking"}, "method='stacking' is not known; it can be 'auto', 'bagging', 'boosting'"),
        ({"n_estimators": 0}, "n_estimators=0 must be"),
        ({"n_jobs": 0}, "n_jobs=0 must be a number of cores"),
        ({"learning_rate": 2}, "learning_rate=2 must be"),
    ):
        with pytest.raises(InputError, match=message):
            RegressionGraphEnsembleRegressor(**parameters).fit([[0], [1]], [0, 1])


# ---- ensembles as models ----


@pytest.fixture(scope="module")
def mixed():
    rng = np.random.RandomState(1)
    frame = pd.DataFrame(
        {"a": rng.normal(size=800), "b": rng.choice(["x", "y", None], 800), "c": rng.randint(4, size=800)}
    )
    return frame, np.tanh(frame["a"]) + (frame["b"] == "x") + frame["c"] / 4 + 0.2 * rng.normal(size=800)


@pytest.mark.parametrize("method", ["bagging", "boosting"])
def test_an_ensemble_is_a_sum_of_its_graphs(mixed, method):
    frame, y = mixed
    model = RegressionGraphEnsembleRegressor(8, method=method, max_splits=40, random_state=0).fit(frame, y)
    table = as_table(model, frame, reset=False)
    (total,) = model.model_.sums
    said = total.base + total.share * sum(graph.predict(table) for graph in model.estimators_[""])
    np.testing.assert_allclose(model.predict(frame), np.clip(said, y.min(), y.max()), atol=1e-12)
    assert model.model_.kind == "graph mean"
    assert model.certificates_ == []
    assert model.certificate_ is None
    assert "8 graphs with" in model.to_text()
    assert all(f">{name}<" in model._repr_html_() for name in frame)


def test_what_a_column_adds_is_the_sum_of_its_answers(mixed):
    """Against every graph's path, walked by hand."""
    frame, y = mixed
    model = RegressionGraphEnsembleRegressor(5, method="boosting", max_splits=10, random_state=0).fit(frame, y)
    (total,) = model.model_.sums
    table = as_table(model, frame[:30], reset=False)
    for row, reasons in enumerate(model.explain(frame[:30])):
        added = dict.fromkeys(frame, 0.0)
        for graph in model.estimators_[""]:
            path, value = graph.paths(table)[row], graph.shape.value
            for node, then in pairwise(path):
                added[graph.columns[graph.asks[node]].name] += total.share * (value[then] - value[node])
        told = {part.text.split(" = ")[0]: part.contribution[0] for part in reasons.parts}
        assert told == pytest.approx({name: added[name] for name in told})


def test_effects_of_few_columns_are_exact_and_of_many_are_refused(bits, mixed):
    frame, y = mixed
    model = RegressionGraphEnsembleRegressor(4, method="bagging", max_splits=12, random_state=0).fit(frame, y)
    known = model.model_
    codes = known.encode(known.table(frame))
    effects = known.effects()
    np.testing.assert_allclose(effects.scores(codes), known.scores(codes), atol=1e-12)
    assert len({effect.columns for effect in effects.effects}) == len(effects.effects)
    X, target, _ = bits
    large = RegressionGraphEnsembleRegressor(3, method="bagging", max_splits=200, random_state=0).fit(X, target)
    with pytest.raises(InputError, match="would be one effect of [0-9,]+ cells"):
        large.model_.effects()


def test_a_sum_of_no_graphs_says_its_start():
    about = About(None, "y", 1, None, None, "RegressionGraphEnsembleRegressor")
    model = MeanModel.of_sums(about, [GraphSum((), 2.5, 0.1, 0.0, 5.0)])
    for one in (portable(model), from_json(to_json(model))):
        assert one.predict([[1.0], [2.0]]).tolist() == [2.5, 2.5]
        assert "whatever the row" in one.to_text()
        assert one.explain([[1.0]])[0].score == [2.5]
    connection = duckdb.connect()
    connection.execute("CREATE TABLE rows AS SELECT 1.0 AS x0")
    assert connection.execute(to_sql(model, "rows")).fetchall() == [(2.5,)]


def test_more_graphs_than_a_query_bears_are_refused(mixed):
    frame, y = mixed
    model = RegressionGraphEnsembleRegressor(201, method="bagging", max_splits=1, random_state=0).fit(frame, y)
    with pytest.raises(InputError, match="201 graphs with 201 questions are too many for one query"):
        to_sql(model)
    assert from_json(to_json(model)).predict(frame).tolist() == model.predict(frame).tolist()


# ---- correlation boosting ----


def test_boosting_a_line_learns_what_is_behind_a_link():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(3000, 8))
    y = np.sign(X.sum(axis=1)) * np.abs(X.sum(axis=1)) ** 0.3
    line = Ridge().fit(X[:2000], y[:2000]).score(X[2000:], y[2000:])
    boosted = CorrelationBoostingRegressor(holdout=0.2, random_state=0).fit(X[:2000], y[:2000])
    assert boosted.score(X[2000:], y[2000:]) > max(line + 0.05, 0.9)
    assert boosted.certificate_.kind.startswith("Chernoff")
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


def test_a_graph_that_asks_graphs_is_a_graph(mixed):
    frame, y = mixed
    for weak in (RegressionGraphRegressor(max_leaves=3), RegressionGraphRegressor(max_splits=3, merge=0)):
        model = CorrelationBoostingRegressor(weak, max_splits=6, random_state=0).fit(frame, y)
        assert isinstance(model.model_, GraphModel)
        answers = answers_of(model.shape_, model.questions_, frame)
        asked = graph_over_answers(model.shape_, model.questions_)
        assert model.predict(frame).tolist() == asked.values_of_codes(answers).tolist()
        (graph,) = model.model_.graphs
        check_nodes(graph, model.model_.encode(model.model_.table(frame)), y.to_numpy())
        assert from_json(to_json(model)).predict(frame).tolist() == model.predict(frame).tolist()


def check_nodes(graph, codes, y):
    """Every node's rows, their mean, those that take either side, and what the question gains."""
    rows = [[] for _ in range(graph.n_nodes)]
    for row, code in enumerate(np.stack(codes).T):
        for node in graph.path_of_codes(code):
            rows[node].append(row)
    shape = graph.shape
    for node, mine in enumerate(rows):
        assert shape.weight[node] == len(mine)
        assert shape.value[node] == pytest.approx(y[mine].mean() if mine else shape.value[node])
    for node, sides in enumerate(shape.children):
        low = [row for row in rows[node] if graph.goes_low[node, codes[graph.asks[node]][row]]]
        high = sorted(set(rows[node]) - set(low))
        assert shape.edge_weight[node].tolist() == [len(low), len(high)]
        assert set(low) <= set(rows[sides[0]])
        squares = [((y[some] - y[some].mean()) ** 2).sum() if some else 0.0 for some in (rows[node], low, high)]
        assert shape.gain[node] == pytest.approx(squares[0] - squares[1] - squares[2], abs=1e-9)


def test_other_regressors_are_asked_but_not_written_down(mixed):
    frame, y = mixed
    numbers = frame[["a", "c"]]
    model = CorrelationBoostingRegressor(max_splits=5, holdout=0.2, random_state=0).fit(numbers, y)
    assert "LinearRegression 1 <= " in model.to_text()
    assert model.certificate_ is model.certificates_[0] or model.certificate_ == model.certificates_[0]
    for reasons, said in zip(model.explain(numbers[:40]), model.predict(numbers[:40]), strict=True):
        assert reasons.score[0] == pytest.approx(said)
        assert all(part.text.startswith("LinearRegression ") for part in reasons.parts)
    codes = model.model_.encode(model._checked(numbers))
    np.testing.assert_allclose(model.model_.effects().scores(codes)[:, 0], model.predict(numbers), atol=1e-12)
    with pytest.raises(
        InputTypeError, match=r"what regressors predict \(LinearRegression\), which no model file can hold"
    ):
        to_json(model)
    with pytest.raises(InputTypeError, match="which no model file can hold; with graphs as weak regressors"):
        to_python(model)
    with pytest.raises(InputTypeError, match="which SQL cannot say"):
        to_sql(model)
    assert "LinearRegression 1 <= " in to_markdown(model)


# ---- orderly trees ----


def test_the_orderly_law_is_what_it_says():
    data = make_orderly(20_000, noise=0.0, random_state=0)
    assert np.abs(data.correlations).max() < 0.01
    bits = data.data.astype(float)
    varied = bits.std(axis=0) > 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = np.array([np.corrcoef(bits[:, j], data.mean)[0, 1] for j in np.flatnonzero(varied)])
    assert np.abs(found - data.correlations[varied]).max() < 4.5 / np.sqrt(20_000)
    assert abs(data.mean.mean() - 0.5) < 0.01
    first = np.where(bits.any(axis=1), bits.argmax(axis=1), 200)
    for leaf in np.unique(first):  # the first bit that is 1 decides
        assert len(np.unique(data.mean[first == leaf])) == 1


def test_the_orderly_correlator_sees_what_no_bit_says():
    data = make_orderly(10_000, n_extra=20, noise=0.2, random_state=0)
    fresh = make_orderly(10_000, n_extra=20, noise=0.2, random_state=1)
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


def test_the_orderly_correlator_is_a_graph():
    data = make_orderly(3000, n_extra=20, noise=0.2, random_state=0)
    model = OrderlyCorrelator().fit(data.data, data.target)
    bits = data.data > model.thresholds_
    is_aside = np.any([bits[:, column] == value for column, value in model.aside_], axis=0)
    high = np.where(is_aside, model.rare_ == model.high_, bits[:, model.column_])
    assert model.aside_
    assert model.predict(data.data).tolist() == np.where(high, model.high_, model.low_).tolist()
    assert model.graph_.shape.n_inner == len(model.aside_) + 1
    check_nodes(model.graph_, model.model_.encode(model._checked(data.data)), data.target)
    boosted = CorrelationBoostingRegressor(OrderlyCorrelator(), max_splits=4).fit(data.data, data.target)
    for fitted in (model, boosted):
        assert from_json(to_json(fitted)).predict(data.data).tolist() == fitted.predict(data.data).tolist()
    assert model.certificate_.kind.endswith("(Theorem 3)")


def test_generators_refuse_what_they_cannot_do():
    for call, message in (
        (lambda: make_gam(10, 0), "n_columns=0 must be a whole number from 1 to"),
        (lambda: make_gam(link="probit"), "link='probit' is not known"),
        (lambda: make_orderly(10, 1), "depth=1 must be a whole number from 2 to"),
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
