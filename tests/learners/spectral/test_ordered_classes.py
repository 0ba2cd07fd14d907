"""Classes that have an order: one score, one set of effects, and a ladder that makes classes of it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.metrics import log_loss

from paclearn import SpectralClassifier
from paclearn.cli.app import app
from paclearn.exceptions import InputError, ModelFileError
from paclearn.export import load, save
from paclearn.learners.spectral.fitted_terms import FittedTerms
from paclearn.learners.spectral.losses import LadderLoss, LogLoss
from paclearn.learners.spectral.ordered_classes import in_turns, ranks_of
from paclearn.learners.spectral.ridge import RidgeProblem
from paclearn.learners.spectral.term_matrix import TermMatrix
from paclearn.models.ladder import Ladder
from paclearn.views.score_words import ladder_in_words

ORDER = ["low", "mid", "high"]


def grades(n, seed):
    """How high depends on a sum; a class is where the sum, with noise, falls between two cuts."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"area": rng.choice(list("ABCD"), n), "age": rng.integers(18, 90, n)})
    height = frame.area.map({"A": -1.5, "B": 0.0, "C": 0.0, "D": 1.5}) + 1.2 * (frame.age > 50)
    return frame, np.array(ORDER, dtype=object)[np.digitize(height + rng.logistic(0, 0.8, n), [-0.4, 1.2])]


# ---- the loss --------------------------------------------------------------------------------------------------------


@given(seed=st.integers(0, 10**6), n_ranks=st.integers(2, 6))
@settings(max_examples=30)
def test_derivatives_of_the_loss(seed, n_ranks):
    rng = np.random.default_rng(seed)
    loss, step = LadderLoss(np.append(0.0, rng.normal(0, 1, n_ranks - 1))), 1e-5
    scores, targets = rng.normal(0, 2, (20, 1)), rng.integers(0, n_ranks, (20, 1)).astype(float)
    slope = (loss.of_rows(scores + step, targets) - loss.of_rows(scores - step, targets)) / (2 * step)
    np.testing.assert_allclose(loss.residuals(scores, targets)[:, 0], -slope, atol=1e-6)
    curve = (loss.predictions(scores + step) - loss.predictions(scores - step)) / (2 * step)
    np.testing.assert_allclose(loss.hessian(scores), np.maximum(curve, 1e-3), atol=1e-5)
    best = loss.intercept(targets.mean(axis=0))
    np.testing.assert_allclose(loss.predictions(best[None])[0], targets.mean(axis=0), atol=1e-6)


def test_two_rungs_are_logistic_regression():
    rng = np.random.default_rng(0)
    scores, targets = rng.normal(0, 2, (20, 1)), rng.integers(0, 2, (20, 1)).astype(float)
    one, other = LadderLoss(np.zeros(2)), LogLoss()
    for question in ("of_rows", "residuals"):
        np.testing.assert_allclose(getattr(one, question)(scores, targets), getattr(other, question)(scores, targets))
    np.testing.assert_allclose(one.hessian(scores), other.hessian(scores))


def all_at_once(signs, ranks, n_ranks, penalty):
    """The slow and obvious way: weights, intercept and starts together."""
    n, p = signs.shape

    def value(point):
        weights, free = point[:p], point[p:]
        logits = np.append(0.0, free) + np.arange(n_ranks) * (signs @ weights)[:, None]
        return np.mean(logsumexp(logits, axis=1) - logits[np.arange(n), ranks]) + penalty / 2 * weights @ weights

    found = minimize(value, np.zeros(p + n_ranks - 1), method="BFGS", options={"gtol": 1e-8}).x
    return found[:p], np.append(0.0, found[p:])


def test_turns_end_where_all_at_once_does():
    rng = np.random.default_rng(0)
    signs = rng.choice([-1.0, 1.0], (400, 3))
    ranks = np.digitize(signs @ [1.0, -0.7, 0.0] + rng.logistic(0, 1, 400), [-1, 0.5, 1.5])
    shares, targets = np.full(400, 1 / 400), ranks[:, None].astype(float)
    loss, terms = LadderLoss.of(ranks.astype(float), shares, 4), ((0,), (1,), (2,))
    problem = RidgeProblem(
        TermMatrix(signs.astype(np.float32), terms, np.ones(3, dtype=np.float32)), targets, shares, loss
    )
    fitted, loss = in_turns(FittedTerms(terms, problem, problem.solve(0.01)), loss, 0.01, weights_too=True)
    weights, starts = all_at_once(signs, ranks, 4, 0.01)
    np.testing.assert_allclose(fitted.fit.weights[:, 0], weights, atol=2e-3)
    own = loss.starts + np.arange(4) * fitted.fit.intercept[0]
    np.testing.assert_allclose(own - own[0], starts, atol=5e-3)


# ---- the model -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{}, {"max_terms": 6}], ids=str)
def test_ordered_classes_share_one_set_of_effects(settings):
    (X, y), (new, truth) = grades(1001, 0), grades(4000, 1)
    model = SpectralClassifier(ordered=ORDER, n_bins=8, random_state=0, **settings).fit(X, y)
    plain = SpectralClassifier(n_bins=8, random_state=0, **settings).fit(X, y)
    assert model.model_.n_scores == 1
    assert all(effect.cells.shape[-1] == 1 for effect in model.model_.effects().effects)
    assert list(model.classes_) == sorted(ORDER)  # as scikit-learn's scorers expect
    shares = model.predict_proba(new)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert (model.predict(new) == model.classes_[shares.argmax(axis=1)]).all()
    assert (model.decision_function(new).argmax(axis=1) == shares.argmax(axis=1)).all()
    assert log_loss(truth, shares) < log_loss(truth, plain.predict_proba(new)) + 0.002
    assert model.score(new, truth) > plain.score(new, truth) - 0.01


def test_higher_scores_mean_higher_classes_with_the_least_named_first():
    X, y = grades(1001, 0)
    one = SpectralClassifier(degree=1, ordered=ORDER, n_bins=8, random_state=0).fit(X, y)
    other = SpectralClassifier(degree=1, ordered=ORDER[::-1], n_bins=8, random_state=0).fit(X, y)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=0.02)  # the same, upside down
    effects = one.model_.effects()
    by_area = next(
        e for e in effects.effects if one.model_.columns[e.columns[0]].name == "area" and len(e.columns) == 1
    )
    column = one.model_.columns[by_area.columns[0]]
    value = {level: float(by_area.cells[by_area.groups[0][code], 0]) for code, level in enumerate(column.levels)}
    assert value["A"] < 0 < value["D"]


def test_two_ordered_classes_are_two_classes():
    X, y = grades(200, 0)
    y = np.where(y == "high", "high", "low")
    model = SpectralClassifier(degree=1, ordered=["low", "high"], n_bins=4, random_state=0).fit(X, y)
    assert model.model_.link == "logit"


@pytest.mark.parametrize(
    ("ordered", "message"),
    [
        (["low", "mid"], "does not say where 'high' stands; the target holds"),
        (["low", "mid", "high", "low"], "names 'low' twice"),
        ("low", "a list of two classes or more, the lowest first"),
    ],
)
def test_orders_that_will_not_do(ordered, message):
    X, y = grades(60, 0)
    with pytest.raises(InputError, match=message):
        SpectralClassifier(ordered=ordered).fit(X, y)


def test_no_order_beside_a_limit_of_effects():
    X, y = grades(60, 0)
    with pytest.raises(InputError, match="ordered cannot be had with max_effects or monotone"):
        SpectralClassifier(ordered=ORDER, max_effects=3).fit(X, y)


def test_labels_are_compared_by_what_they_are_called():
    assert ranks_of(["1", "2", "10"], np.array([1, 2, 10])).tolist() == [0, 1, 2]
    assert ranks_of(["low", "gone", "mid", "high"], np.array(["high", "low", "mid"])).tolist() == [2, 0, 1]


# ---- in words, and in files ------------------------------------------------------------------------------------------


@given(seed=st.integers(0, 10**6), n=st.integers(3, 6))
@settings(max_examples=50)
def test_spans_are_where_classes_win(seed, n):
    rng = np.random.default_rng(seed)
    ladder = Ladder(tuple(rng.normal(0, 1, n).tolist()), tuple(rng.permutation(n).tolist()))
    scores = np.linspace(-9, 9, 2001)[:, None]
    since = np.array([start for _, start in ladder.spans()])
    said = np.array([label for label, _ in ladder.spans()])[np.searchsorted(since, scores[:, 0], side="right") - 1]
    best = ladder.class_scores(scores)
    np.testing.assert_allclose(best[np.arange(len(scores)), said], best.max(axis=1), atol=1e-9)


def test_a_ladder_in_words():
    X, y = grades(200, 0)
    model = SpectralClassifier(degree=1, ordered=ORDER, n_bins=4, random_state=0).fit(X, y).model_
    assert ladder_in_words(model).startswith("The score says how high a row stands, from “low” to “high”: up to ")
    assert "to the log-odds of a higher class" in SpectralClassifier(
        degree=1, ordered=ORDER, n_bins=32, random_state=0
    ).fit(X, y).to_text(3)


def test_a_ladder_in_a_file_is_checked(tmp_path):
    X, y = grades(200, 0)
    path = tmp_path / "model.json"
    model = SpectralClassifier(degree=1, ordered=ORDER, n_bins=4, random_state=0).fit(X, y)
    save(model, path)
    np.testing.assert_allclose(load(path).predict_proba(X), model.predict_proba(X))
    from paclearn.models.checked import Part

    with pytest.raises(ModelFileError, match="every number from 0 to 2 once"):
        Ladder.read(Part({"starts": [0, 1, 0], "ranks": [0, 1, 1]}, "ladder"), 3)


def test_the_command_line_takes_an_order(tmp_path, monkeypatch):
    from typer.testing import CliRunner

    monkeypatch.chdir(tmp_path)
    X, y = grades(200, 0)
    X.assign(grade=y).to_csv("grades.csv", index=False)
    words = ["fit", "grades.csv", "--target", "grade", "--degree", "1", "--ordered"]
    told = CliRunner().invoke(app, [*words, "low < mid < high"])
    assert told.exit_code == 0, told.output
    assert "from “low” to “high”" in told.output
    assert load("model.json").model_.link == "ordered"
    wrong = CliRunner().invoke(app, [*words, "low"])
    assert wrong.exit_code != 0


def test_an_intercept_alone_is_as_often_as_classes_are():
    ranks, shares = np.repeat([0.0, 1.0, 2.0], [5, 2, 3]), np.full(10, 0.1)
    loss = LadderLoss.of(ranks, shares, 3)
    logits = loss.starts + np.arange(3) * loss.intercept(np.array([shares @ ranks]))[0]
    np.testing.assert_allclose(np.exp(logits - logsumexp(logits)), [0.5, 0.2, 0.3], atol=1e-6)
