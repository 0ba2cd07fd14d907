"""Spectral models: the solver, the scan, the choice, and what users see."""

from dataclasses import replace
from itertools import combinations

import naive
import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge, RidgeCV
from sklearn.metrics import log_loss

from paclearn import (
    DirectSpectrumClassifier,
    DirectSpectrumRegressor,
    PolynomialL1Classifier,
    PolynomialL2Classifier,
    SpectralClassifier,
    SpectralFeatures,
    SpectralRegressor,
)
from paclearn.datasets import load_tic_tac_toe, make_many_levels
from paclearn.encoding.domain import BinColumn
from paclearn.encoding.folds import Draws
from paclearn.exceptions import EmptyTableError, InputError, TargetError
from paclearn.learners.measuring import MEASURES
from paclearn.learners.spectral import rounding
from paclearn.learners.spectral.descent import LinearFit
from paclearn.learners.spectral.fitted_terms import FittedTerms
from paclearn.learners.spectral.forward import Design, grow_rich
from paclearn.learners.spectral.level_scales import _decided
from paclearn.learners.spectral.losses import LadderLoss, LogLoss, Loss, SoftmaxLoss, SquaredLoss
from paclearn.learners.spectral.model_choice import Choice, Judging, average_if_better
from paclearn.learners.spectral.ridge import RidgeProblem
from paclearn.learners.spectral.side_by_side import rows_lost
from paclearn.learners.spectral.smooth import beliefs_of
from paclearn.learners.spectral.sparse import grow_and_cut, grow_sparse
from paclearn.learners.spectral.term_matrix import TermMatrix
from paclearn.learners.spectral.term_scan import Scan
from paclearn.learners.spectral.trials import Family, Trial, parts_of, refit
from paclearn.learners.spectral.tuning import TUNING
from paclearn.measures import GraphMeasure, GridMeasure, TreeMeasure
from paclearn.models.terms import products_of, signs_of
from paclearn.tables.table import ArrayTable

seeds = st.integers(0, 10**6)


def problem(rng, n, p, loss):
    values = rng.choice([-1, 1], (n, p)).astype(np.float32)
    terms = tuple((i,) for i in range(p)) + tuple(combinations(range(p), 2))[:3]
    matrix = TermMatrix(values, terms, np.ones(len(terms), dtype=np.float32))
    if isinstance(loss, SquaredLoss):
        y = rng.normal(size=(n, 1))
    elif isinstance(loss, LogLoss):
        y = rng.integers(0, 2, (n, 1)).astype(float)
    else:
        y = np.eye(3)[rng.integers(0, 3, n)]
    weights = rng.uniform(0.5, 2, n)
    return RidgeProblem(matrix, y, weights / weights.sum(), loss)


def cost(p, penalty, weights, intercept):
    scores = products_of(p.matrix.values, p.matrix.terms).astype(float) @ weights + intercept
    return p.loss.mean(scores, p.targets, p.row_weights) + penalty / 2 * (weights**2).sum()


@given(seed=seeds, n=st.sampled_from([5, 40]), loss=st.sampled_from([SquaredLoss(), LogLoss(), SoftmaxLoss()]))
@example(seed=65861, n=5, loss=LogLoss())  # a step across the valley gains next to nothing
@settings(max_examples=30, deadline=None)
def test_the_solver_finds_the_minimum_with_few_rows_and_many(seed, n, loss):
    p = problem(np.random.default_rng(seed), n, 5, loss)
    fit = p.solve(0.1)
    shape = fit.weights.shape

    def plain(point):
        return cost(p, 0.1, point[: -shape[1]].reshape(shape), point[-shape[1] :])

    start = np.concatenate([fit.weights.ravel(), fit.intercept])
    best = minimize(plain, start, method="BFGS").fun
    assert plain(start) <= best + 1e-4


@pytest.mark.parametrize("seed", range(5))
def test_terms_that_say_the_same_do_not_stop_the_solver(seed):
    """Scores of classes can all be shifted by the same, and here terms by each other: the hessian is singular."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, 195)
    values = np.where(np.eye(3)[kind] > 0, 1, -1).repeat(2, axis=1).astype(np.float32)
    matrix = TermMatrix(values, tuple((i,) for i in range(6)), np.ones(6, dtype=np.float32))
    p = RidgeProblem(matrix, np.eye(3)[kind], np.full(195, 1 / 195), SoftmaxLoss())
    assert p.objective(p.solve(1e-6), 1e-6) < 0.01 < p.objective(p.constant(), 1e-6)


def test_the_solver_agrees_with_scikit_learn():
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], (400, 6))
    y = (X[:, 0] + X[:, 1] + rng.normal(size=400) > 0).astype(float)
    matrix = TermMatrix(X.astype(np.float32), tuple((i,) for i in range(6)), np.ones(6, dtype=np.float32))
    ours = RidgeProblem(matrix, y[:, None], np.full(400, 1 / 400), LogLoss()).solve(0.01)
    theirs = LogisticRegression(C=1 / (400 * 0.01), tol=1e-8).fit(X, y)
    np.testing.assert_allclose(ours.weights[:, 0], theirs.coef_[0], atol=2e-3)
    ours = RidgeProblem(matrix, y[:, None], np.full(400, 1 / 400), SquaredLoss()).solve(0.01)
    theirs = Ridge(alpha=400 * 0.01).fit(X, y)
    np.testing.assert_allclose(ours.weights[:, 0], theirs.coef_, atol=1e-4)


def test_standard_errors_are_those_of_least_squares():
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], (500, 3)).astype(np.float32)
    y = X[:, :1] + rng.normal(size=(500, 1))
    matrix = TermMatrix(X, ((0,), (1,), (2,)), np.ones(3, dtype=np.float32))
    p = RidgeProblem(matrix, y, np.full(500, 1 / 500), SquaredLoss())
    np.testing.assert_allclose(p.standard_errors(p.solve(1e-9), 1e-9), 1 / np.sqrt(500), rtol=0.1)


def test_lines_through_few_numbers_are_believed_like_those_through_many():
    """Sigma = ss' + delta, where bits weighted by s add up to the standardised number; a missing one is on no line."""
    rng = np.random.default_rng(0)
    marks = np.repeat([1.0, 2, 3, 5, 8, np.nan], [40, 60, 80, 60, 40, 20])
    frame = pd.DataFrame({"mark": marks, "town": rng.choice(list("pq"), 300)})
    model = SpectralClassifier(degree=1, random_state=0).fit(frame, rng.random(300) < 0.5)
    signs = signs_of(model.domain_, model._bits, list(model.domain_.encode(model._table(frame, reset=False))))
    _, lines = beliefs_of(model.domain_, model._bits, smooth=False, few=True, often=(signs > 0).mean(axis=0))
    ((places, root),) = lines
    names = [bit.name for bit in model._bits[places]]
    assert names == [*(f"mark={v}" for v in (1, 2, 3, 5, 8)), "mark is missing", "mark>2", "mark>3"]
    covariance = root @ root.T
    missing = names.index("mark is missing")
    assert covariance[missing, missing] == pytest.approx(1)
    beside = np.full(len(names), TUNING.beside_lines)
    beside[missing] = 1
    values, vectors = np.linalg.eigh(covariance - np.diag(beside))
    assert values[-1] > 100 * np.abs(values[:-1]).max()
    line = (signs[:, places] @ vectors[:, -1] * np.sqrt(values[-1]))[:280]
    number = (marks[:280] - marks[:280].mean()) / marks[:280].std()
    np.testing.assert_allclose(np.abs(np.corrcoef(line, number)[0, 1]), 1, atol=1e-6)
    assert line.std() == pytest.approx(1, rel=1e-4)


def test_numbers_that_new_rows_will_not_share_are_cut():
    """A number of few values, some of which stand there once, has thresholds alone: new ones lie between or beyond."""
    rng = np.random.default_rng(0)
    ages = np.concatenate([np.arange(20, 40), rng.integers(20, 40, 100)]).astype(float)
    once = np.concatenate([ages, [60.0, 70.0]])
    for values, cut in ((np.tile(ages, 3), False), (once, True)):
        frame = pd.DataFrame({"age": values})
        for most in (None, 3):
            model = SpectralClassifier(random_state=0, max_terms=most).fit(frame, values > 30)
            assert isinstance(model.domain_.columns[0], BinColumn) == cut
    scores = model.decision_function(pd.DataFrame({"age": [20.0, 28.5, 45.0, 100.0]}))
    assert (scores[:2] < 0).all()
    assert (scores[2:] > 0).all()


def test_rare_numbers_are_not_pooled_but_lie_where_they_belong():
    """Months of credit: most are multiples of six, five of a thousand stand there once."""
    rng = np.random.default_rng(0)
    months = np.concatenate([6.0 * rng.integers(1, 9, 995), [5, 13, 40, 60, 72]])
    model = SpectralClassifier(random_state=0).fit(pd.DataFrame({"months": months}), months > 27)
    assert isinstance(model.domain_.columns[0], BinColumn)
    assert (model.decision_function(pd.DataFrame({"months": [5.0, 13, 40, 60, 72, 90]})) > 0).tolist() == [
        0,
        0,
        1,
        1,
        1,
        1,
    ]


@pytest.mark.parametrize("belief", [1, 2], ids=["smooth", "straight"])
def test_believed_weights_are_ridge_with_a_covariance(belief):
    """Minimise squares plus w' Sigma^-1 w directly, and by roots of Sigma."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=300), "b": rng.choice(list("pq"), 300), "c": rng.normal(size=300)})
    model = SpectralRegressor(degree=1, n_bins=8, random_state=0).fit(frame, frame["a"] + rng.normal(size=300))
    beliefs = beliefs_of(model.domain_, model._bits, smooth=True, few=True)
    assert len(beliefs_of(model.domain_, model._bits, smooth=True, few=False)) == 2
    roots = beliefs[belief]
    assert [len(root) for _, root in roots] == [7, 7]
    assert [model._bits[places.start].name[0] for places, _ in roots] == ["a", "c"]
    values = rng.choice([-1, 1], (200, len(model._bits))).astype(np.float32)
    terms = tuple((i,) for i in range(len(model._bits)))
    targets = rng.normal(size=(200, 1))
    rough = TermMatrix(values, terms, np.ones(len(terms), dtype=np.float32))
    smooth = replace(rough, roots=roots)
    shares = np.full(200, 1 / 200)
    found = RidgeProblem(smooth, targets, shares, SquaredLoss()).solve(0.1)
    covariance = np.eye(len(terms))
    for places, root in roots:
        covariance[places, places] = root @ root.T
    centred = values - values.mean(axis=0)
    gram = centred.T @ centred / 200 + 0.1 * np.linalg.inv(covariance)
    direct = np.linalg.solve(gram, centred.T @ (targets - targets.mean()) / 200)
    assert smooth.to_terms(found.weights) == pytest.approx(direct, abs=1e-4)
    assert found.scores(smooth) == pytest.approx(values @ direct + found.intercept, abs=1e-4)


def test_few_rows_are_taught_by_the_model_without_a_limit(monkeypatch):
    """Many small effects and much noise: greed on the targets picks up the noise."""
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(2200, 10)), columns=list("abcdefghij"))
    y = X @ np.linspace(0.2, 1, 10) + rng.normal(0, 3, len(X))
    taught = SpectralRegressor(max_terms=15, random_state=0).fit(X[:200], y[:200])
    assert taught._choice.best.family.teacher is not None
    assert taught.n_terms_ == 15
    assert (np.asarray(taught.terms_["se"]) > 0.05).all()  # of noisy targets, not of the teacher's predictions
    monkeypatch.setattr("paclearn.learners.spectral.points_choice.TUNING", replace(TUNING, few_rows=0))
    untaught = SpectralRegressor(max_terms=15, random_state=0).fit(X[:200], y[:200])
    assert taught.score(X[200:], y[200:]) > untaught.score(X[200:], y[200:]) + 0.02


def test_a_regressor_chooses_what_suits_the_table():
    """Steps want few terms, curves want many that go together."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.uniform(-2, 2, (1500, 4)), columns=list("abcd"))
    steps = 2.0 * (X["a"] > 0.3) + (X["b"] > 1) + rng.normal(0, 0.3, 1500)
    curve = np.sin(1.5 * X["a"]) + X["b"] ** 2 / 2 + rng.normal(0, 0.5, 1500)
    assert SpectralRegressor(degree=2, random_state=0).fit(X, steps).n_terms_ < 10
    smooth = SpectralRegressor(degree=2, random_state=0).fit(X, curve)
    assert smooth._choice.best.family.belief % 3 == 1  # smooth curves, with one scale or with the columns' own
    assert smooth.n_terms_ > 100


def test_few_rows_of_straight_lines_are_fitted_by_lines():
    """Weights of thresholds that add up to the numbers: as good as ridge regression on them, where rows are few."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(1200, 6)), columns=list("abcdef"))
    y = X @ np.linspace(0.2, 1, 6) + rng.normal(0, 2, len(X))
    model = SpectralRegressor(degree=1, random_state=0).fit(X[:200], y[:200])
    assert model._choice.best.family.belief == 2
    ridge = RidgeCV().fit(X[:200], y[:200])
    assert model.score(X[200:], y[200:]) > ridge.score(X[200:], y[200:]) - 0.02
    rises = [float(model.effect(name)["contribution"].iloc[[0, 15, -2]].diff().min()) for name in "def"]
    assert min(rises) > 0


def test_few_rows_of_classes_are_fitted_by_lines_without_interactions_that_chance_found():
    """Numbers and levels that add up, 300 rows: next to logistic regression on the numbers themselves."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(2300, 6))
    X = pd.DataFrame(numbers, columns=list("abcdef")).assign(town=rng.choice(["Bonn", "Ulm", "Trier"], 2300))
    score = numbers @ np.linspace(-0.8, 0.8, 6) + 0.8 * (X["town"] == "Ulm")
    y = np.where(rng.random(2300) < 1 / (1 + np.exp(-score)), "yes", "no")
    model = SpectralClassifier(random_state=0).fit(X[:300], y[:300])
    assert (model._choice.best.family.belief, model.degree_) == (1, 1)
    plain = pd.get_dummies(X, dtype=float)
    theirs = LogisticRegression(C=0.3).fit(plain[:300], y[:300])
    ours, best = (log_loss(y[300:], p) for p in (model.predict_proba(X[300:]), theirs.predict_proba(plain[300:])))
    assert ours < best + 0.01  # 0.023 more, where thresholds are believed to have nothing to do with each other


@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("name", ["rich", "sparse"])
def test_an_average_says_what_its_parts_say_on_average(name, smooth):
    rng = np.random.default_rng(0)
    signs = rng.choice([-1, 1], (150, 8)).astype(np.int8)
    y = signs[:, 0] * signs[:, 1] + signs[:, 2] + rng.normal(size=150)
    roots = ((), ((np.arange(3), np.tri(3) + np.eye(3)),))
    rows = replace(design(signs, y), targets=y[:, None], loss=SquaredLoss(), roots=roots)
    trial = Trial(Family(name, 2, (8,), belief=int(smooth and name == "rich")), 8, 0.01, 0.01)
    mean = refit(rows, replace(trial, averaged=True))
    parts = [refit(part, trial) for part in parts_of(rows)]
    whole = trial.family.of(rows)
    expected = np.mean([whole.scores(part.fit, part.terms) for part in parts], axis=0)
    assert len(mean.terms) == len(set(mean.terms)) > max(len(part.terms) for part in parts)
    np.testing.assert_allclose(whole.scores(mean.fit, mean.terms), expected, atol=1e-4)


def test_predictions_stay_within_the_range_of_the_targets():
    """Two bits that are never both true, each worth one: their sum was never seen, and is not foretold."""
    X = np.array([[0, 0], [0, 1], [1, 0]] * 40)
    model = SpectralRegressor(degree=1, loss="squared", random_state=0).fit(X, X.sum(axis=1) + 0.0)
    assert model.model_.scores(model.model_.encode(model.model_.table(pd.DataFrame([[1, 1]]))))[0, 0] > 1.5
    assert model.predict([[1, 1]])[0] == 1.0


def test_a_part_without_interactions_is_fitted_by_single_bits():
    rng = np.random.default_rng(0)
    signs = rng.choice([-1, 1], (150, 4)).astype(np.int8)
    rows = replace(design(signs, rng.normal(size=150)), columns=np.zeros(4, dtype=int), loss=SquaredLoss())
    trial = Trial(Family("rich", 2, (8,)), 8, 0.01, 0.01)
    assert refit(rows, trial).terms == ((0,), (1,), (2,), (3,))
    assert refit(rows, replace(trial, averaged=True)).terms == ((0,), (1,), (2,), (3,))


@pytest.mark.parametrize("wavy", [True, False])
def test_products_of_numbers_are_averaged_and_steps_are_not(wavy):
    rng = np.random.default_rng(0)
    numbers = rng.uniform(-2, 2, (600, 2))
    cuts = np.linspace(-1.9, 1.9, 16)
    signs = np.where(numbers[:, :, None] > cuts, 1, -1).reshape(600, -1).astype(np.int8)
    y = numbers.prod(axis=1) if wavy else signs[:, 8] * signs[:, 24]
    y = y + rng.normal(0, 0.5, 600)
    rows = replace(
        design(signs, y), columns=np.repeat([0, 1], 16), targets=y[:, None].astype(float), loss=SquaredLoss()
    )
    trial = Trial(Family("sparse", 2, (10 if wavy else 1,)), 10 if wavy else 1, 0.01, 0.01)
    draws = Draws(np.ones(600), np.ones(600, dtype=np.int64))
    averaged = 0
    for seed in range(5):  # half a standard error is little: by chance some choices go the other way
        folds = draws.fold_counts(np.zeros(600, dtype=np.intp), 3, np.random.RandomState(seed))
        judged = [draws.split(held) for held in folds]
        judging = Judging.of(rows, judged)
        models = [refit(train, trial) for train, _ in judging.folds]
        lost = rows_lost([m.fit for m in models], [m.terms for m in models], judging.folds)
        averaged += average_if_better(judging, Choice(trial, {trial: 1.0}, lost), 0.5).best.averaged
    assert averaged == 5 if wavy else averaged <= 2


@given(seed=seeds)
@settings(max_examples=20, deadline=None)
def test_the_scan_equals_the_oracle(seed):
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1, 1], (60, 5)).astype(np.int8)
    columns = np.array([0, 0, 1, 2, 3])
    counts = rng.integers(1, 4, 60).astype(np.float32)
    basis = ((signs - signs.mean(axis=0)) / (signs.std(axis=0) + 1e-9)).astype(np.float32)
    residual = rng.normal(size=(60, 2))
    scan = Scan(basis, signs, columns, counts, 2.0)
    pairs = scan.pairs(residual)
    triples = {t: s for s, t in scan.triples(residual, 100)}
    for i, j in combinations(range(5), 2):
        expected = naive.term_score(basis, signs, columns, counts, residual, (i, j), 2.0)
        assert pairs[i, j] == pytest.approx(expected, rel=1e-3, abs=1e-5)
    for term in combinations(range(5), 3):
        expected = naive.term_score(basis, signs, columns, counts, residual, term, 2.0)
        assert triples.get(term, 0.0) == pytest.approx(expected, rel=1e-3, abs=1e-5)


def design(signs, y, degree=2):
    values = signs.astype(np.float32)
    basis = ((signs - signs.mean(axis=0)) / signs.std(axis=0)).astype(np.float32)
    n, d = signs.shape
    return Design(signs, basis, values, np.arange(d), y[:, None].astype(float), np.ones(n), LogLoss(), degree)


def test_models_grow_towards_what_was_planted():
    rng = np.random.default_rng(0)
    signs = rng.choice([-1, 1], (500, 12), p=[0.3, 0.7]).astype(np.int8)
    y = (signs[:, 2] * signs[:, 7] > 0) ^ (rng.random(500) < 0.1)
    *_, rich = grow_rich(design(signs, y), 0.01, (0, 1))
    assert rich.terms[-1] == (2, 7)
    sparse = next(grow_sparse(design(signs, y), 0.01, (1, 2, 3)))
    assert sparse.terms == ((2, 7),)
    y = signs[:, [1, 4, 9]].prod(axis=1) > 0
    *_, rich = grow_rich(design(signs, y, 3), 0.01, (0, 1))
    assert rich.terms[-1] == (1, 4, 9)


def test_a_rare_class_does_not_lead_the_search_astray():
    """Whatever singles out the one row of a class must not come before what parts the others."""
    rng = np.random.default_rng(0)
    signs = rng.choice([-1, 1], (2000, 30), p=[0.1, 0.9]).astype(np.int8)
    kind = np.where(signs[:, 0] > 0, 0, 1) ^ (rng.random(2000) < 0.2)
    kind[np.argmin(signs.sum(axis=1))] = 2
    rows = replace(design(signs, kind), targets=np.eye(3)[kind], loss=SoftmaxLoss())
    assert next(grow_sparse(rows, 0.01, (1,))).terms == ((0,),)


@pytest.mark.parametrize("loss", [SquaredLoss(), LogLoss(), SoftmaxLoss()])
def test_what_a_term_is_missed_by_is_foretold(loss):
    p = problem(np.random.default_rng(3), 300, 5, loss)
    penalty = 1e-3
    fit = p.solve(penalty)
    absence = p.leaving_out(fit, penalty)
    foretold = absence.costs
    for out in range(p.matrix.shape[1]):
        terms = tuple(t for i, t in enumerate(p.matrix.terms) if i != out)
        less = RidgeProblem(replace(p.matrix, terms=terms, scale=p.matrix.scale[1:]), p.targets, p.row_weights, loss)
        without = less.solve(penalty)
        missed = cost(less, penalty, without.weights, without.intercept) - cost(p, penalty, fit.weights, fit.intercept)
        # several classes share what is left, which the sum over them counts more than once
        assert foretold[out] == pytest.approx(missed, rel=0.5 if isinstance(loss, SoftmaxLoss) else 0.1, abs=2e-5)
        start = absence.without(out).fit
        left = np.delete(fit.weights, out, axis=0)
        off = np.linalg.norm(start.weights - without.weights)
        share = 0.8 if isinstance(loss, SoftmaxLoss) else 0.3
        assert off < share * np.linalg.norm(left - without.weights) + 1e-4
        mean = fit.intercept + p.mean @ fit.weights
        np.testing.assert_allclose(start.intercept + less.mean @ start.weights, mean, atol=1e-7)


def test_short_models_are_cut_back_from_longer_ones():
    """A majority comes first, but beside the three bits it is made of it says nothing new."""
    rng = np.random.default_rng(5)
    three = rng.choice([-1, 1], (3000, 3))
    signs = np.column_stack([np.sign(three.sum(axis=1)), three, rng.choice([-1, 1], (3000, 5))]).astype(np.int8)
    targets = three.sum(axis=1, keepdims=True) + rng.normal(0, 0.1, (3000, 1))
    rows = replace(design(signs, targets[:, 0]), targets=targets, loss=SquaredLoss(), degree=1)
    first, _, last = grow_and_cut(rows, 1e-4, (1, 2, 3))
    assert first.terms == ((0,),)
    assert set(last.terms) == {(1,), (2,), (3,)}


# ---- estimators ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("degree", [3, "auto"])
def test_a_parity_of_three_biased_dependent_bits(degree):
    rng = np.random.default_rng(1)
    bits = (rng.random((4000, 20)) < 0.35).astype(int)
    for i in range(1, 20):
        bits[:, i] = np.where(rng.random(4000) < 0.2, bits[:, i - 1], bits[:, i])
    clean = bits[:, [3, 9, 15]].sum(axis=1) % 2
    y = clean ^ (rng.random(4000) < 0.1)
    model = SpectralClassifier(degree=degree, random_state=0).fit(bits[:2000], y[:2000])
    assert (model.predict(bits[2000:]) == clean[2000:]).mean() > 0.97


def test_tic_tac_toe_is_learned():
    data = load_tic_tac_toe()
    X, y = data.data, data.target
    odd = np.arange(len(y)) % 5 == 0
    model = SpectralClassifier(random_state=0).fit(X[~odd], y[~odd])
    assert model.score(X[odd], y[odd]) > 0.98


def people(n=1100, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "smoker": rng.choice(["yes", "no"], n),
            "city": rng.choice(["Rome", "Oslo", "Bonn"], n),
            "income": rng.lognormal(10, 1, n).round(2),
        }
    )
    frame.loc[::17, "income"] = np.nan
    score = 0.05 * (frame["age"] - 50) + 2 * (frame["smoker"] == "yes") * (frame["city"] == "Oslo") - 0.5
    return frame, (score + rng.logistic(size=n) > 0).map({True: "ill", False: "well"}).to_numpy()


@pytest.fixture(scope="module")
def eight_terms():
    return SpectralClassifier(max_terms=8, n_bins=8, random_state=0).fit(*people())


def test_parts_add_up_to_the_score(eight_terms):
    (frame, _), model = people(), eight_terms
    assert model.terms_["weight"].abs().is_monotonic_decreasing
    assert (model.terms_["se"] > 0).all()
    assert "age >" in " ".join(model.terms_["term"]) or "age <=" in " ".join(model.terms_["term"])
    for row, score in zip(model.explain(frame[:20]), model.decision_function(frame[:20]), strict=True):
        assert row.score[0] == pytest.approx(score, abs=1e-6)
        assert row.to_frame()["contribution"].sum() == pytest.approx(score, abs=1e-6)
        sizes = [abs(part.contribution[0]) for part in row.parts]
        assert sizes == sorted(sizes, reverse=True)
    assert model.path_["terms"].max() <= 8


def test_a_model_prints_and_draws_itself(eight_terms):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    model = eight_terms
    text = model.to_text(most=2)
    assert text.startswith("The score is the log-odds of")  # what the weights are of, before any of them
    assert ["term", "weight"] in [line.split() for line in text.splitlines()]
    assert model.terms_["term"][0] in text
    assert f"and {model.n_terms_ - 2} more terms" in text
    assert "With probability at least 95 %" in text
    display = model.plot_path()
    assert display.ax_.get_xlabel() == "terms"
    ways = set(zip(model.path_["family"], model.path_["degree"], strict=True))
    assert len(display.ax_.get_legend().get_texts()) == len(ways)
    plt.close(display.figure_)


def test_unseen_levels_and_missing_values_are_predicted():
    frame, y = people()
    model = SpectralClassifier(n_bins=8, random_state=0).fit(frame, y)
    strange = pd.DataFrame({"age": [200, np.nan], "smoker": ["maybe", None], "city": ["Rome", "Paris"]})
    strange["income"] = [np.nan, 1e9]
    proba = model.predict_proba(strange)
    assert np.isfinite(proba).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1)


def test_certificates():
    frame, y = people(3000)
    model = SpectralClassifier(degree=1, max_terms=3, holdout=0.3, random_state=0).fit(frame, y)
    kinds = [c.kind for c in model.certificates_]
    assert kinds == ["Occam bound (kl form)", "Clopper-Pearson bound on held-out rows"]
    assert model.certificate_.bound == min(c.bound for c in model.certificates_)
    fresh, labels = people(20_000, seed=1)
    for certificate in model.certificates_:
        assert certificate.bound > (model.predict(fresh) != labels).mean()
    assert model.certificate_.bound < 0.35
    numbers = SpectralRegressor(holdout=0.3, random_state=0).fit(frame[["smoker", "city"]], frame["age"])
    assert numbers.certificate_.quantity == "mean squared error"
    assert SpectralRegressor(random_state=0).fit(frame[["smoker"]], frame["age"]).certificate_ is None


def test_rows_of_no_weight_take_their_class_with_them():
    frame, y = people(200)
    labels, weights = np.append(y, "dead"), np.append(np.ones(200), 0)
    model = SpectralClassifier(2, max_terms=3, random_state=0).fit(pd.concat([frame, frame[:1]]), labels, weights)
    assert model.classes_.tolist() == ["ill", "well"]
    doubled = SpectralClassifier(1, max_terms=3, random_state=0).fit(frame, y, np.full(200, 2))
    assert doubled.certificate_.n_rows == 200  # weights make no new rows


def test_more_rows_and_fewer_terms_promise_more():
    frame, y = people(4000)
    bounds = [
        SpectralClassifier(2, max_terms=k, n_bins=8, random_state=0).fit(frame[:n], y[:n]).certificate_.bound
        for k, n in ((3, 4000), (3, 1100), (12, 1100))
    ]
    assert bounds[0] < bounds[1] < bounds[2]
    assert bounds[0] < 0.45
    weights = SpectralClassifier(n_bins=8, random_state=0).fit(frame[:1100], y[:1100]).terms_["weight"]
    steps = weights.abs() / weights.abs().max() * 128
    assert len(np.unique(steps)) <= 129


def test_the_same_seed_gives_the_same_bytes_whatever_the_threads_and_the_order():
    from threadpoolctl import threadpool_limits

    frame, y = people(300)
    found, model = [], SpectralClassifier(n_bins=4, random_state=0)
    for threads in (1, 2):
        with threadpool_limits(threads):
            found.append(model.fit(frame, y).decision_function(frame).tobytes())
    assert found[0] == found[1]
    turned = model.fit(frame[::-1], y[::-1]).decision_function(frame)
    assert turned.tobytes() == found[0]


def test_measures_and_bases_can_be_chosen():
    frame, y = people(300)
    for settings_ in ({"measure": "tree"}, {"measure": TreeMeasure(), "basis": "orthonormal"}, {"measure": "uniform"}):
        model = SpectralClassifier(random_state=0, n_terms=8, n_bins=8, **settings_).fit(frame, y)
        assert model.score(frame, y) > 0.7


@pytest.mark.parametrize(("degree", "n_classes"), [(2, 2), (3, 2), (2, 3)])
def test_selection_by_coefficient_is_the_ranking_of_the_thesis(degree, n_classes):
    rng = np.random.default_rng(degree)
    table = pd.DataFrame(rng.choice([-1, 1], (200, 6), p=[0.3, 0.7]), columns=list("abcdef"))
    table["town"] = rng.choice(["Bonn", "Trier", "Ulm"], 200)
    y = (table["a"] * table["b"] + table["c"] + rng.normal(size=200)).rank(pct=True).mul(n_classes).astype(int)
    X, y = table.to_numpy(dtype=object), y.clip(upper=n_classes - 1).to_numpy()
    model = SpectralClassifier(degree=degree, n_terms=12, selection="coefficient", random_state=0).fit(X, y)
    labels = np.where(y[:, None] == np.arange(n_classes), 1, -1)
    bits, labels = bits_of(model, X), labels[:, 1:] if n_classes == 2 else labels
    wanted = naive.largest_coefficients(bits, labels, degree, 12)
    names = model.domain_.bit_names
    found = {tuple(sorted(names.index(n) for n in t.split(" XOR "))) for t in model.terms_["term"] if " XOR " in t}
    assert {S for S, _ in wanted} == found
    assert len(model.explain(X[:3])) == 3


def test_more_than_two_classes_and_constant_columns():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 3, 400), rng.integers(0, 2, 400)]).astype(object)
    y = np.array(["a", "b", "c"])[X[:, 0].astype(int)]
    model = SpectralClassifier(random_state=0).fit(X, y)
    assert model.score(X, y) == 1
    assert [c for c in model.terms_.columns if c.startswith("weight")] == ["weight[a]", "weight[b]", "weight[c]"]
    with pytest.raises(EmptyTableError, match="no column varies"):
        SpectralClassifier().fit(np.ones((20, 1)), ["a", "b"] * 10)
    noise = SpectralClassifier(max_terms=3, random_state=0).fit([[0], [1]] * 2, ["a", "a", "b", "b"])
    np.testing.assert_allclose(noise.predict_proba([[1]]), 0.5, atol=1e-3)


def test_many_rows_are_fitted_with_terms_chosen_on_some(monkeypatch):
    frame, y = people(3000)
    whole = SpectralClassifier(max_terms=4, random_state=0).fit(frame, y)
    monkeypatch.setattr("paclearn.learners.spectral.spectral_base.TUNING", replace(TUNING, enough_rows=1000))
    some = SpectralClassifier(max_terms=4, random_state=0).fit(frame, y)
    assert some.n_terms_ <= 4
    assert abs(some.score(frame, y) - whole.score(frame, y)) < 0.03
    assert some.terms_["se"].max() < 2 * whole.terms_["se"].max()  # of all rows


def test_numbers_with_a_heap_of_zeros():
    rng = np.random.default_rng(0)
    gain = np.where(rng.random(2000) < 0.9, 0, rng.uniform(1, 100, 2000))
    y = 3.0 * (gain > 70) + rng.normal(0, 0.1, 2000)
    model = SpectralRegressor(random_state=0).fit(gain[:, None], y)
    assert model.score(gain[:, None], y) > 0.9


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"degree": 4}, "degree=4 must be a whole number from 1 to 3, or 'auto'"),
        ({"n_terms": -1}, "n_terms=-1 must be"),
        ({"max_terms": 0}, "max_terms=0 must be"),
        ({"measure": "lattice"}, "measure='lattice' is not known"),
        ({"measure": 3}, "measure=3 must be"),
        ({"basis": "x"}, "basis='x' is not known"),
        ({"selection": "x"}, "selection='x' is not known"),
        ({"holdout": 2}, "holdout=2 must be"),
    ],
)
def test_parameters_are_checked(settings_, message):
    frame, y = people(30)
    with pytest.raises(InputError, match=message):
        SpectralClassifier(**settings_).fit(frame, y)


# ---- the thesis's plain learners -------------------------------------------------------------------------------------


def boards():
    data = load_tic_tac_toe()
    odd = np.arange(len(data.target)) % 5 == 0
    return data.data[~odd], data.target[~odd], data.data[odd], data.target[odd]


def bits_of(model, table):
    """As the model was fitted: -1 and +1."""
    codes = list(model.domain_.encode(ArrayTable(table, tuple(f"x{i}" for i in range(table.shape[1])))))
    return signs_of(model.domain_, model.domain_.bits, codes)


def test_features_feed_other_models():
    from sklearn.pipeline import make_pipeline

    X, y, fresh, truth = boards()
    raw = make_pipeline(SpectralFeatures(degree=1, n_terms=None), LogisticRegression(max_iter=2000)).fit(X, y)
    model = make_pipeline(SpectralFeatures(degree=3, n_terms=700), LogisticRegression(C=10, max_iter=5000)).fit(X, y)
    assert model.score(fresh, truth) > max(0.98, raw.score(fresh, truth))
    features = SpectralFeatures(n_terms=3).fit(X, y)
    assert features.terms_["coefficient"].abs().is_monotonic_decreasing
    assert features.get_feature_names_out()[0] == features.terms_["term"][0]
    assert set(np.unique(features.transform(fresh))) == {-1.0, 1.0}
    orthonormal = SpectralFeatures(n_terms=20, basis="orthonormal", measure="tree").fit(X, y)
    single = orthonormal.measure_.basis(bits_of(orthonormal, fresh))
    expected = np.column_stack([single[:, list(s)].prod(axis=1) for s in orthonormal.spectrum_.subsets])
    np.testing.assert_allclose(orthonormal.transform(fresh), expected, rtol=1e-5)


@pytest.mark.parametrize("measure", ["product", "uniform", "chain", "tree"])
def test_direct_estimates_equal_the_spectrum(measure):
    """The model is in parities, whatever the basis of the measure."""
    X, y, fresh, truth = boards()
    direct = DirectSpectrumClassifier(degree=2, measure=measure).fit(X, y)
    assert direct.score(fresh, truth) > 0.6
    found = direct.spectrum_.predict(bits_of(direct, fresh))
    np.testing.assert_allclose(direct.decision_function(fresh), found, atol=1e-9)
    np.testing.assert_array_equal(direct.predict(fresh), direct.classes_[(found > 0).astype(int)])
    three = np.where(X[:, 4] == "b", "empty", y)
    direct.fit(X, three)
    found = direct.spectrum_.predict(bits_of(direct, fresh))
    np.testing.assert_allclose(direct.decision_function(fresh), found, atol=1e-9)
    np.testing.assert_array_equal(direct.predict(fresh), direct.classes_[found.argmax(axis=1)])


def test_sizes_of_direct_estimates():
    X, y, _, _ = boards()
    assert len(DirectSpectrumClassifier(n_terms=7).fit(X, y).spectrum_.subsets) == 7
    numbers = DirectSpectrumRegressor(degree=1).fit(X, (y == y[0]).astype(float) * 10)
    assert numbers.score(X, (y == y[0]).astype(float) * 10) > 0.05


@pytest.mark.parametrize(
    "model", [DirectSpectrumClassifier(degree=1), PolynomialL2Classifier(degree=1), PolynomialL1Classifier(degree=1)]
)
def test_scores_of_plain_classifiers_are_no_probabilities(model):
    X, y, fresh, _ = boards()
    model = clone(model).fit(X, y)
    assert not hasattr(model, "predict_proba")
    assert model.certificate_ is None
    assert model.certificates_ == []
    assert model.model_.link == "sign"
    for explanation, score in zip(model.explain(fresh[:5]), model.decision_function(fresh[:5]), strict=True):
        np.testing.assert_allclose(explanation.score, score, atol=1e-9)
    assert model.to_text().startswith("A start (")


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (SpectralFeatures(degree=-1), "degree=-1 must be a whole number >= 0"),
        (SpectralFeatures(n_terms=2.5), "n_terms=2.5 must be a whole number >= 0, or None"),
        (SpectralFeatures(basis="x"), "basis='x' is not known"),
        (DirectSpectrumClassifier(threshold=-1), "threshold=-1 must be a number >= 0"),
        (DirectSpectrumRegressor(measure="lattice"), "measure='lattice' is not known"),
        (PolynomialL1Classifier(degree="2"), "degree='2' must be a whole number >= 0"),
    ],
)
def test_parameters_of_plain_learners_are_checked(model, message):
    with pytest.raises(InputError, match=message):
        model.fit([[0], [1]] * 5, [0, 1] * 5)


def test_polynomials_minimise_what_they_say():
    X, y, fresh, truth = boards()
    square = PolynomialL2Classifier(degree=2).fit(X, y)
    absolute = PolynomialL1Classifier(degree=1).fit(X, y)
    assert square.score(fresh, truth) > 0.95
    signs = np.where(y == square.classes_[1], 1.0, -1.0)
    first = PolynomialL2Classifier(degree=1).fit(X, y)
    lost = [np.abs(m.decision_function(X) - signs).sum() for m in (absolute, first)]
    assert lost[0] <= lost[1] + 1e-6
    lost = [((m.decision_function(X) - signs) ** 2).sum() for m in (first, absolute)]
    assert lost[0] <= lost[1] + 1e-6
    with pytest.raises(InputError, match="20,000 is the most"):
        PolynomialL2Classifier(degree=6).fit(X, y)


PLAIN = [
    SpectralFeatures(n_terms=12, measure="tree"),
    SpectralFeatures(n_terms=12, basis="orthonormal", measure="auto"),
    DirectSpectrumClassifier(degree=2),
    DirectSpectrumRegressor(degree=2, measure="chain"),
    PolynomialL2Classifier(degree=2),
    PolynomialL1Classifier(degree=1),
]


@pytest.mark.parametrize("model", PLAIN, ids=lambda m: type(m).__name__)
def test_plain_learners_take_weights(model):
    X, y, fresh, _ = boards()
    y = np.where(np.random.default_rng(2).random(len(y)) < 0.3, np.where(y == "yes", "no", "yes"), y)
    y = (y == "yes") + 0.5 if isinstance(model, DirectSpectrumRegressor) else y
    weights = np.random.default_rng(0).integers(0, 3, len(y)) * np.where(y == y[0], 5, 1)
    rows = np.random.default_rng(1).permutation(np.repeat(np.arange(len(y)), weights))
    output = next(name for name in ("decision_function", "transform", "predict") if hasattr(model, name))
    weighted = getattr(clone(model).fit(X, y, sample_weight=weights), output)(fresh)
    np.testing.assert_allclose(weighted, getattr(clone(model).fit(X[rows], y[rows]), output)(fresh), atol=1e-6)
    plain = getattr(clone(model).fit(X, y), output)(fresh)
    assert np.abs(weighted - plain).max() > 1e-3  # weights matter
    with pytest.raises(ValueError, match="non-zero|zero everywhere"):
        clone(model).fit(X, y, sample_weight=np.zeros(len(y)))


def test_classes_of_rows_without_weight_are_none():
    X, y, _, _ = boards()
    labels = np.append(y, "lost")
    weights = np.append(np.ones(len(y)), 0)
    for model in (DirectSpectrumClassifier(), PolynomialL2Classifier()):
        assert clone(model).fit(np.append(X, X[:1], axis=0), labels, weights).classes_.tolist() == ["no", "yes"]


def chained(n, flip=0.1):
    """Bits that copy their neighbour, and a label by two that are far apart."""
    rng = np.random.default_rng(0)
    bits = np.where(np.cumsum(rng.random((n, 12)) < flip, axis=1) % 2 == rng.integers(0, 2, (n, 1)), 1, -1)
    return bits, np.where(bits[:, 1] * bits[:, 10] > 0, "same", "other")


def test_rows_left_out_choose_the_measure():
    bits, y = chained(1000)
    features = SpectralFeatures(measure="auto").fit(bits, y)
    assert type(features.measure_).__name__ == "ChainMeasure"
    assert [name for name, _ in features.measure_.validation_] == [f"{m.__name__}()" for m in MEASURES.values()]
    model = SpectralClassifier(measure="auto", random_state=0).fit(bits, y)
    assert type(model.measure_).__name__ == "ChainMeasure"
    assert model.score(bits, y) > 0.99
    uniform = np.random.default_rng(0).choice([-1, 1], (100, 6))
    assert type(SpectralFeatures(measure="auto").fit(uniform, uniform[:, 0]).measure_).__name__ == "UniformMeasure"
    few = SpectralFeatures(measure="auto").fit([[0], [1], [0], [1]], ["a", "b", "a", "b"])
    assert type(few.measure_).__name__ == "ProductMeasure"


def test_rows_left_out_choose_from_a_list_of_measures():
    """The thesis's advice (6.4.2): structures of growing complexity, and rows left out to choose by."""
    bits, y = chained(400)
    near = GraphMeasure([(i, i + 1) for i in range(11)])
    for learner in (SpectralFeatures(), SpectralClassifier(n_terms=10, random_state=0), DirectSpectrumClassifier()):
        found = learner.set_params(measure=["product", GridMeasure(4), near]).fit(bits, y).measure_
        assert [name.partition("(")[0] for name, _ in found.validation_] == [
            "ProductMeasure",
            "GridMeasure",
            "GraphMeasure",
        ]
        assert type(found).__name__ == "GraphMeasure"
    assert not hasattr(SpectralFeatures(measure=["chain"]).fit(bits, y).measure_, "validation_")
    words = np.random.default_rng(0).choice(["a", "b", "c"], (400, 3))  # bits of one column exclude each other
    tried = dict(SpectralFeatures(measure="auto").fit(words, y).measure_.validation_)
    assert tried["GroupMeasure()"] > tried["ProductMeasure()"] + 0.1


def test_a_measure_counts_rows_as_often_as_they_are():
    bits, y = chained(300)
    weights = np.random.default_rng(0).integers(1, 4, 300)
    model = SpectralClassifier(measure="tree", n_terms=8, random_state=0).fit(bits, y, weights)
    expected = TreeMeasure().fit(bits, None, weights)
    np.testing.assert_allclose(model.measure_.basis(bits), expected.basis(bits))


def test_more_interactions_than_there_are():
    X = np.array([[0], [1]] * 20)
    assert SpectralRegressor(n_terms=8, random_state=0).fit(X, X[:, 0] * 2.0).n_terms_ == 1


def test_one_class_is_refused():
    with pytest.raises(TargetError, match="one class only"):
        SpectralClassifier().fit([[1], [2]], ["a", "a"])


def test_rounding_weights_costs_next_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    data = make_many_levels(2400, n_levels=100, n_long=2, n_short=2, random_state=1)
    rows, fresh = data.data.iloc[:400], data.data.iloc[400:]
    model = SpectralClassifier(degree=1, random_state=0)
    kept = model.fit(rows, data.target[:400]).predict_proba(fresh)
    monkeypatch.setattr(rounding, "_MOST_COST", 1e-14)
    exact = model.fit(rows, data.target[:400]).predict_proba(fresh)
    assert log_loss(data.target[400:], kept) < log_loss(data.target[400:], exact) + 1e-4
    assert 0 < (exact * np.log(exact / kept)).sum(axis=1).mean() < 1e-5


@pytest.mark.parametrize("loss", [LogLoss(), SoftmaxLoss(), LadderLoss(np.array([0.0, 0.4, -0.3, 0.0]))])
def test_what_changed_scores_cost_is_bounded_whatever_is_true_of_a_row(loss: Loss) -> None:
    rng = np.random.default_rng(0)
    outputs = 4 if isinstance(loss, SoftmaxLoss) else 1
    scores, changes = rng.normal(0, 4, (500, outputs)), rng.normal(0, 0.1, (500, outputs))
    exact = Loss.divergences(loss, scores, scores + changes)
    bound = loss.divergences(scores, scores + changes)
    assert (exact <= bound + 1e-12).all()
    undecided = loss.intercept(np.full(outputs, 1.5 if isinstance(loss, LadderLoss) else 0.5)) * np.ones((500, 1))
    nearly = Loss.divergences(loss, undecided, undecided + changes)
    assert nearly.sum() > 0.3 * loss.divergences(undecided, undecided + changes).sum()


def test_a_model_that_is_sure_of_its_rows_is_not_rounded_by_them_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sure of all rows it learned from, it would not feel any rounding; of new rows it is not as sure."""
    rng = np.random.default_rng(10)
    X = rng.choice(list("acgt"), (1100, 57))
    y = ((X[:, :5] == "a") * [3, -3, 2, 2, 1]).sum(axis=1) > 0
    fits = []
    for cost in (rounding._MOST_COST, 1e-14):
        monkeypatch.setattr(rounding, "_MOST_COST", cost)
        fits.append(SpectralClassifier(degree=1, random_state=0).fit(X[:100], y[:100]).decision_function(X[100:]))
    assert 0 < np.sqrt(np.mean((fits[0] - fits[1]) ** 2)) < np.sqrt(8 * 1e-6)


def differing(n: int, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Two columns of steps that say much, and eight that say nothing; the log-odds are known."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.random((n, 10)).round(3), columns=list("abcdefghij"))
    score = 3.0 * (X["a"] > 0.6) - 3.0 * ((X["b"] > 0.3) & (X["b"] < 0.7)) + 0.5
    return X, score.to_numpy(), (rng.random(n) < 1 / (1 + np.exp(-score))).astype(int)


def test_columns_that_say_more_are_held_back_less() -> None:
    X, score, y = differing(3400)
    model = SpectralClassifier(degree=1, random_state=0).fit(X[:400], y[:400])
    one = SpectralClassifier(degree=1, random_state=0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Judging, "with_own_scales", lambda *_: [])
        one.fit(X[:400], y[:400])
    assert model._choice.best.family.belief >= 2 > one._choice.best.family.belief
    chances = [m.predict_proba(X[400:])[:, 1] for m in (model, one)]
    true = 1 / (1 + np.exp(-score[400:]))
    lost, more = (np.mean(true * np.log(true / p) + (1 - true) * np.log((1 - true) / (1 - p))) for p in chances)
    assert lost < 0.85 * more


def test_scales_of_columns_are_those_of_the_rows_of_a_fit() -> None:
    X, _, y = differing(200)
    few, made = SpectralClassifier(degree=1, random_state=0), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Judging, "of", classmethod(lambda *a, real=Judging.of: made.append(real(*a[1:])) or made[-1]))
        few.fit(X, y)
    train, held = made[0].folds[0]
    belief = len(train.roots)
    terms = tuple((i,) for i in range(train.signs.shape[1]))
    said, judged = (replace(rows, belief=belief).matrix(terms).scale for rows in (train, held))
    np.testing.assert_array_equal(said, judged)
    others = replace(held, belief=belief, scales_of=None, shared={}).matrix(terms).scale
    assert (others != said).any()
    strong = said[np.array(train.columns) == 0].max()
    assert strong > said[np.array(train.columns) > 1].max()


@pytest.mark.parametrize("n", [60, 6], ids=["more rows", "more terms"])
def test_how_much_of_a_weight_the_rows_decide(n: int) -> None:
    p = problem(np.random.default_rng(0), n, 8, LogLoss())
    fit = p.solve(1e-2)
    whole = np.concatenate([block for _, block in p.matrix.blocks()]) - p.mean
    curvature = p.loss.hessian(p.scores(fit))[:, 0] * p.row_weights
    hessian = whole.T @ (whole * curvature[:, None]) + 1e-2 * np.eye(whole.shape[1])
    np.testing.assert_allclose(_decided(p, fit), 1 - 1e-2 * np.linalg.inv(hessian).diagonal(), atol=1e-4)


def test_many_small_errors_are_one_large_one_without_their_mean() -> None:
    """A thousand rare levels, each false nearly everywhere, rounded to a step that is twice their weight."""
    levels = np.arange(1000)
    signs = np.where(levels[:, None] == levels, 1.0, -1.0).astype(np.float32)
    matrix = TermMatrix(signs, tuple((int(i),) for i in levels), np.ones(1000, np.float32))
    problem = RidgeProblem(matrix, np.zeros((1000, 1)), np.full(1000, 1e-3), LogLoss())
    fitted = FittedTerms(matrix.terms, problem, LinearFit(np.full((1000, 1), 0.006), np.array([6.0])))
    rounded = fitted.rounded(1 / 64)
    assert not rounded.fit.weights.any()
    np.testing.assert_allclose(problem.scores(rounded.fit), problem.scores(fitted.fit), atol=1 / 64)
