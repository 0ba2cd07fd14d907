"""Halfspaces: the solvers beside slow and obvious ones, the theory beside numerics, and what users see."""

import json
import pickle
import sqlite3
from dataclasses import replace

import duckdb
import naive
import narwhals as nw
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.polynomial import chebyshev
from scipy.optimize import linprog
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel
from sklearn.svm import LinearSVC

from paclearn import DirectSpectrumClassifier, HalfspaceClassifier, JuntaClassifier
from paclearn.certificates import kernel_ball
from paclearn.datasets import load_tic_tac_toe, make_halfspace
from paclearn.exceptions import ColumnError, InputError, ModelFileError, ProjectedRowsWarning, TargetError
from paclearn.export import from_json, save, to_json, to_python, to_sql
from paclearn.halfspaces import (
    chebyshev_bound,
    chebyshev_coefficients,
    erf_B,
    erf_transfer,
    margin_error_curve,
    sample_size,
    series_B,
    sigmoid_B,
    sigmoid_transfer,
    suggest_B,
)
from paclearn.kernels import dispatch as native
from paclearn.kernels.dispatch import expand, walk
from paclearn.learners.halfspaces.admm import factor_of_features, factor_of_kernel, nearest_in_ball, solve
from paclearn.learners.halfspaces.halfspace_loss import ABSOLUTE, LOSSES, ONE_SIDED
from paclearn.learners.halfspaces.halfspace_tuning import TUNING
from paclearn.learners.halfspaces.landmarks import Landmarks, fit_features
from paclearn.learners.halfspaces.subgradient import one_pass
from paclearn.learners.halfspaces.training_points import Points, Sample
from paclearn.models.kernel_functions import Custom, Kernel, Linear, Polynomial, Rbf
from paclearn.tables.table import FrameTable
from paclearn.views.model_file import _checksum

seeds = st.integers(0, 10**6)


needs_core = pytest.mark.skipif(native._core is None, reason="installed without the compiled core")


@pytest.fixture(params=[pytest.param("native", marks=needs_core), "numpy"])
def engine(request, monkeypatch):
    monkeypatch.setenv("PACLEARN_ENGINE", request.param)
    return request.param


def ball(rng, n, d):
    rows = rng.normal(size=(n, d))
    return rows / np.linalg.norm(rows, axis=1).max()


def points_of(rows):
    return Points(rows, rows)


def tuned(monkeypatch, module, **changes):
    monkeypatch.setattr(f"paclearn.learners.halfspaces.{module}.TUNING", replace(TUNING, **changes))


def problem(rows, targets, counts, radius, loss=ABSOLUTE):
    return Sample(points_of(rows), targets, counts, np.array(radius, dtype=float), loss)


def noisy(rng, rows):
    return ((rows[:, 0] > 0) ^ (rng.random(len(rows)) < 0.2)).astype(float)


# ---- the paper's algorithm -------------------------------------------------------------------------------------------


@given(seed=seeds, B=st.sampled_from([0.3, 2.0, 50.0]))
@settings(max_examples=15, deadline=None)
def test_the_tracked_norm_is_the_norm_after_every_step(seed, B):
    rng = np.random.default_rng(seed)
    rows = ball(rng, 60, 4)
    K = Kernel(Linear(), 0.5, bias=False).matrix(rows, rows)
    _, norms = naive.halfspace_steps(K, noisy(rng, rows), B)
    np.testing.assert_allclose(norms[:, 0], norms[:, 1], rtol=1e-9, atol=1e-12)
    assert norms[:, 0].max() <= B * (1 + 1e-12)


def test_the_printed_pseudocode_does_not_keep_the_norm_nor_learn():
    """Its learning rate is inverted, and its norm is no norm: kept here so that nobody 'corrects' us back to it."""
    data = make_halfspace(400, 5, flipped=0, noise=0, random_state=0)
    y = data.target.astype(float)
    K = Kernel(Linear(), 0.5, bias=False).matrix(data.data, data.data)
    mean, norms = naive.halfspace_steps(K, y, 10.0, printed=True)
    assert np.abs(norms[:, 0] - norms[:, 1]).max() > 10
    assert norms[:, 1].max() > 10 * 10.0  # it leaves the ball that it is to stay in
    right, norms = naive.halfspace_steps(K, y, 10.0)
    np.testing.assert_allclose(norms[:, 0], norms[:, 1], rtol=1e-9)
    # by mean absolute error, which is what is minimised, it is worse than saying one half everywhere
    assert np.abs(K @ mean - y).mean() > 0.5
    assert np.abs(K @ right - y).mean() < 0.35


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(("m", "B"), [(1, 5.0), (7, 1.0), (300, 3.0), (300, 100.0)])
def test_blocks_take_the_same_steps_as_the_plain_loop(engine, m, B, loss):
    rng = np.random.default_rng(m)
    rows = ball(rng, m, 3)
    y = noisy(rng, rows)
    kernel = Kernel(Linear(), 0.5, bias=True)
    state = one_pass(kernel, problem(rows, y[:, None], np.ones(m), [B], LOSSES[loss]))
    mean, norms = naive.halfspace_steps(kernel.matrix(rows, rows), y, B, one_sided=loss == "one-sided")
    np.testing.assert_allclose(state.average[:, 0], mean, rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(state.norm, norms[-1, 1], rtol=1e-9)


def test_several_passes_average_over_all_of_their_steps(engine):
    rng = np.random.default_rng(3)
    rows = ball(rng, 150, 3)
    y = noisy(rng, rows)
    kernel, B, passes = Kernel(Linear(), 0.5, bias=True), 20.0, 3
    state = one_pass(kernel, problem(rows, y[:, None], np.ones(150), [B]), passes=passes, rng=np.random.RandomState(0))
    shuffle = np.random.RandomState(0)
    order = np.concatenate([np.arange(150), shuffle.permutation(150), shuffle.permutation(150)])
    repeated = rows[order]
    mean, _ = naive.halfspace_steps(kernel.matrix(repeated, repeated), y[order], B)
    np.testing.assert_allclose(state.average[:, 0], np.bincount(order, weights=mean), rtol=1e-8, atol=1e-12)


def test_a_row_that_counts_three_times_takes_three_steps(engine):
    rng = np.random.default_rng(4)
    rows = ball(rng, 40, 3)
    y, counts = noisy(rng, rows), rng.integers(1, 4, 40)
    kernel = Kernel(Linear(), 0.5, bias=True)
    state = one_pass(kernel, problem(rows, y[:, None], counts.astype(float), [2.0]))
    each = np.repeat(np.arange(40), counts)
    mean, _ = naive.halfspace_steps(kernel.matrix(rows[each], rows[each]), y[each], 2.0)
    np.testing.assert_allclose(state.average[:, 0], np.bincount(each, weights=mean), rtol=1e-9, atol=1e-13)


def test_the_running_factor_never_underflows(engine):
    """A tiny ball and long steps: the factor of a block goes down to 1e-600 and is multiplied out on the way."""
    n = 120
    gram = np.full((n, n), 1e6) + 1e6 * np.eye(n)
    y = np.tile([0.0, 1.0], n // 2)[:, None]
    steps = walk(gram, np.zeros((n, 1)), y, np.ones(n), np.array([1e-6]), np.array([100.0]), np.zeros(1))
    mean, norms = naive.halfspace_steps(gram, y[:, 0], 1e-6, eta=100.0)
    np.testing.assert_allclose(steps.norm, norms[-1, 0], rtol=1e-6)
    np.testing.assert_allclose(steps.sums[:, 0] / n, mean, rtol=1e-6, atol=1e-20)
    assert np.isfinite(steps.changes).all()
    assert steps.shrink[0] < 1e-300


@needs_core
def test_engines_agree(monkeypatch):
    rng = np.random.default_rng(5)
    rows, base = ball(rng, 200, 4), rng.normal(size=(30, 77))
    targets = np.column_stack([noisy(rng, rows), noisy(rng, rows)])
    found = {}
    for name in ("native", "numpy"):
        monkeypatch.setenv("PACLEARN_ENGINE", name)
        kernel = Kernel(Linear(), 0.9, bias=True)
        state = one_pass(kernel, problem(rows, targets, np.full(200, 1.5), [1.0, 9]))
        found[name] = (state.average, state.norm, expand(base / 10, 0.4, 1.0, np.ones((77, 2)) * [1, 2]))
    for ours, theirs in zip(found["native"], found["numpy"], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-13)


# ---- the problem itself ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES)
@given(seed=seeds, B=st.sampled_from([0.5, 5.0, 200.0]), weighted=st.booleans())
@settings(max_examples=6, deadline=None)
def test_the_batch_solver_finds_the_minimum_and_proves_it(loss, seed, B, weighted):
    rng = np.random.default_rng(seed)
    rows = ball(rng, 20, 3)
    y = noisy(rng, rows)
    shares = rng.uniform(0.2, 2, 20) if weighted else np.ones(20)
    shares = shares / shares.sum()
    K = Kernel(Linear(), 0.5, bias=True).matrix(rows, rows)
    factor, one_sided = factor_of_kernel(K), loss == "one-sided"
    found = solve(factor, y[:, None], shares, np.array([B]), loss=LOSSES[loss], tolerance=1e-7, max_steps=20_000)
    alpha = factor.lift @ found.weights[:, 0]
    assert alpha @ K @ alpha <= B * (1 + 1e-6)
    assert found.gap[0] <= 1e-7
    lost = naive.halfspace_loss(K @ alpha, y, one_sided=one_sided)
    np.testing.assert_allclose(shares @ lost, found.objective[0], atol=1e-6)
    best = naive.halfspace_optimum(K, y, shares, B, one_sided=one_sided)
    np.testing.assert_allclose(found.objective[0], best, atol=1e-5)
    assert found.bound[0] <= best + 1e-6  # every dual value is a bound
    u = found.multipliers[:, 0]
    np.testing.assert_allclose(-u @ y - np.sqrt(B * (u @ K @ u)), found.bound[0], atol=1e-8)
    assert (np.abs(u) <= shares).all()
    assert not one_sided or (u * (2 * y - 1) <= 0).all()


@given(value=st.floats(-3, 4), target=st.sampled_from([0.0, 1.0]), step=st.floats(0.01, 2))
@settings(max_examples=50, deadline=None)
def test_losses_lie_between_what_is_cut_off_and_what_is_not(value, target, step):
    f, y = np.array([value]), np.array([target])
    one, both = ONE_SIDED.values(f, y)[0], ABSOLUTE.values(f, y)[0]
    assert abs(np.clip(value, 0, 1) - target) <= one + 1e-12
    assert one <= both == abs(value - target)
    for loss in LOSSES.values():
        near = f - loss.pushed(f, y, np.array([step]))
        tried = np.linspace(value - 3, value + 3, 601)
        costs = step * loss.values(tried, target) + (tried - value) ** 2 / 2
        assert step * loss.values(near, y)[0] + (near[0] - value) ** 2 / 2 <= costs.min() + 1e-12


def test_without_a_binding_ball_it_is_least_absolute_deviations():
    """With few features and a large B the problem is a linear programme."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(50, 3))
    y = noisy(rng, features)
    cost = np.concatenate([np.zeros(3), np.full(100, 1 / 50)])
    equal = np.concatenate([features, np.eye(50), -np.eye(50)], axis=1)
    best = linprog(cost, A_eq=equal, b_eq=y, bounds=[(None, None)] * 3 + [(0, None)] * 100).fun
    found = solve(factor_of_features(features), y[:, None], np.full(50, 1 / 50), np.array([1e4]), tolerance=1e-6)
    np.testing.assert_allclose(found.objective[0], best, atol=1e-6)
    assert found.bound[0] <= best + 1e-9


def test_problems_side_by_side_are_problems_one_by_one():
    rng = np.random.default_rng(1)
    rows = ball(rng, 60, 4)
    factor = factor_of_kernel(Kernel(Rbf(2.0), 0.5, bias=False).matrix(rows, rows))
    targets = np.column_stack([noisy(rng, rows), 1 - noisy(rng, rows), noisy(rng, rows)])
    radius, shares = np.array([1.0, 10.0, 300.0]), np.full(60, 1 / 60)
    together = solve(factor, targets, shares, radius, tolerance=1e-6)
    for k in range(3):
        alone = solve(factor, targets[:, [k]], shares, radius[[k]], tolerance=1e-6)
        np.testing.assert_allclose(alone.objective[0], together.objective[k], atol=2e-6)


def test_single_precision_is_enough_where_balls_are_chosen():
    """What it finds is as near to the minimum as its own bound says, in double precision."""
    rng = np.random.default_rng(4)
    features = rng.normal(size=(2000, 40))
    y, shares, radius = noisy(rng, features), np.full(2000, 1 / 2000), np.array([0.1, 3.0])
    factor = factor_of_features(features)
    targets = np.column_stack([y, y])
    exact = solve(factor, targets, shares, radius, tolerance=1e-6)
    single = solve(factor.in_single(), targets, shares, radius, tolerance=1e-3)
    found = ABSOLUTE.values(factor.function(single.weights), targets).mean(axis=0)
    assert (found <= exact.objective + 1.1e-3).all()
    np.testing.assert_allclose(found, single.objective, atol=1e-5)
    assert (single.bound <= exact.objective + 1e-5).all()


def test_the_nearest_function_of_a_ball():
    rng = np.random.default_rng(2)
    rows = ball(rng, 20, 3)
    K = Kernel(Linear(), 0.5, bias=True).matrix(rows, rows)
    factor = factor_of_kernel(K)
    values = rng.normal(size=(20, 2))
    radius, turned = np.array([0.5, 1e12]), factor.vectors.T @ values
    weights, extra = nearest_in_ball(factor, turned, radius, np.zeros(2))
    for start in (extra, 100 * extra, extra / 100 + 1):
        np.testing.assert_allclose(nearest_in_ball(factor, turned, radius, start)[0], weights, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose((weights[:, 0] ** 2).sum(), 0.5, rtol=1e-9)
    np.testing.assert_allclose(factor.vectors @ (factor.roots * weights)[:, 1], values[:, 1], atol=1e-6)
    inside = weights[:, [0]] + 0.05 * rng.normal(size=(len(weights), 500))
    inside *= np.minimum(1, np.sqrt(0.5 / (inside**2).sum(axis=0)))
    distance = ((factor.vectors @ (factor.roots * inside) - values[:, [0]]) ** 2).sum(axis=0)
    best = ((factor.vectors @ (factor.roots * weights)[:, 0] - values[:, 0]) ** 2).sum()
    assert best <= distance.min() + 1e-12


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
@pytest.mark.parametrize("B", [1.0, 10.0])
def test_one_pass_is_as_near_to_the_minimum_as_promised(B, loss):
    """The mean regret of the steps is at most sqrt(B/m) (1 + 2) / 2."""
    data = make_halfspace(600, 5, random_state=1)
    y = data.target[:, None].astype(float)
    kernel = Kernel(Linear(), 0.5, bias=True)
    K = kernel.matrix(data.data, data.data)
    least = solve(factor_of_kernel(K), y, np.full(600, 1 / 600), np.array([B]), loss=loss).bound[0]
    asked = problem(data.data, y, np.ones(600), [B], loss)
    near = [loss.values(K @ one_pass(kernel, asked, passes=p).average, y).mean() for p in (1, 8)]
    assert near[0] - least <= 1.5 * np.sqrt(2 * B / 600)
    assert near[1] - least <= 1.5 * np.sqrt(2 * B / (8 * 600))


# ---- kernels ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", [Linear(), Rbf(0.7), Polynomial(2, 0.5, 1.0), Custom(laplacian_kernel)])
@pytest.mark.parametrize("bias", [False, True])
def test_kernels_are_what_they_say(base, bias, engine):
    rng = np.random.default_rng(0)
    rows, anchors = ball(rng, 70, 3), ball(rng, 90, 3)
    kernel = Kernel(base, 0.6, bias, 2.5)
    k = base.between(rows, anchors) / 2.5
    expected = 1 / (1 - 0.6 * ((k + 1) / 2 if bias else k))
    np.testing.assert_allclose(kernel.matrix(rows, anchors), expected, rtol=1e-12)
    weights = rng.normal(size=(90, 2))
    np.testing.assert_allclose(kernel.sums(rows, anchors, weights), expected @ weights, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(base.squares(rows), np.diagonal(base.between(rows, rows)), rtol=1e-12)
    np.testing.assert_allclose(kernel.squares(rows), np.diagonal(kernel.matrix(rows, rows)), rtol=1e-12)
    assert np.linalg.eigvalsh(kernel.matrix(rows, rows)).min() > -1e-8


def test_the_kernel_is_the_sum_over_all_products_of_coordinates():
    rng = np.random.default_rng(0)
    x, z = ball(rng, 2, 2)
    nu, total = 0.5, 0.0
    for degree in range(60):
        total += nu**degree * (x @ z) ** degree
    np.testing.assert_allclose(Kernel(Linear(), nu, bias=False).matrix(x[None], z[None])[0, 0], total, rtol=1e-12)


def test_a_callable_kernel_must_return_a_matrix_of_finite_numbers():
    rows = np.ones((3, 2))
    with pytest.raises(InputError, match=r"must return a matrix of shape \(3, 3\)"):
        Custom(lambda a, b: np.ones(3)).between(rows, rows)
    with pytest.raises(InputError, match="not finite"):
        Custom(lambda a, b: np.full((3, 3), np.nan)).between(rows, rows)


@pytest.mark.parametrize("solver", ["batch", "online", "features"])
def test_precomputed_kernels_give_what_rows_give(solver):
    data = make_halfspace(400, 5, random_state=0)
    train, test = data.data[:300], data.data[300:]
    settings = {"B": 20, "solver": solver, "random_state": 0, "standardize": False, "n_landmarks": 300}
    ours = HalfspaceClassifier(**settings).fit(train, data.target[:300])
    theirs = HalfspaceClassifier(kernel="precomputed", **settings).fit(train @ train.T, data.target[:300])
    own = HalfspaceClassifier(kernel=lambda a, b: a @ b.T, **settings).fit(train, data.target[:300])
    np.testing.assert_allclose(own.decision_function(test), ours.decision_function(test), atol=1e-8)
    apart = np.abs(theirs.predict_proba(test @ train.T) - ours.predict_proba(test)).mean()
    # online steps depend on the order of the rows, which precomputed values cannot know
    assert apart < (0.1 if solver == "online" else 5e-3)


def test_explicit_features_give_what_the_kernel_gives():
    """Hilbert-space check: a polynomial kernel, and its features spelled out in a linear one."""
    rng = np.random.default_rng(0)
    rows, new = ball(rng, 80, 2), ball(rng, 20, 2)

    def spelled(x):
        a, b = x.T
        return np.column_stack([a * a, b * b, np.sqrt(2) * a * b, np.sqrt(2) * a, np.sqrt(2) * b, np.ones(len(x))])

    y = noisy(rng, rows)
    poly = HalfspaceClassifier(B=9, kernel="poly", degree=2, gamma=1.0, coef0=1.0, standardize=False, tol=1e-6)
    linear = HalfspaceClassifier(B=9, standardize=False, tol=1e-6, kernel=lambda a, b: spelled(a) @ spelled(b).T)
    np.testing.assert_allclose(
        poly.fit(rows, y).decision_function(new), linear.fit(rows, y).decision_function(new), atol=1e-6
    )


# ---- the model -------------------------------------------------------------------------------------------------------

CURVES = {
    "linear": (Linear(), lambda m: m),
    "rbf": (Rbf(0.7), np.exp),
    "poly": (Polynomial(3, 0.5, 1.0), lambda m: (m + 1) ** 3),
}


@pytest.mark.parametrize("name", CURVES)
def test_what_columns_change_is_the_integral_along_the_way(name):
    rng = np.random.default_rng(0)
    base, curve = CURVES[name]
    (start, row), anchors = ball(rng, 2, 5), ball(rng, 7, 5)
    kernel = Kernel(base, 0.5, bias=True)
    expected = naive.kernel_path(curve, base.addends(start, anchors), base.addends(row, anchors))
    first = np.array([0, 2, 3])  # columns of two, one and two coordinates
    found = kernel.changes(start, row, anchors, first)
    np.testing.assert_allclose(found, [expected[:, a:b].sum(axis=1) for a, b in ((0, 2), (2, 3), (3, 5))], atol=1e-8)
    whole = base.between(np.array([start, row]), anchors)
    np.testing.assert_allclose(found.sum(axis=0), whole[1] - whole[0], atol=1e-12)
    slopes = kernel.slopes(whole[0], whole[1])
    K = kernel.matrix(np.array([start, row]), anchors)
    np.testing.assert_allclose(slopes * (whole[1] - whole[0]), K[1] - K[0], atol=1e-12)


@pytest.mark.parametrize("name", CURVES)
def test_rows_that_are_the_same_change_nothing(name):
    base, _ = CURVES[name]
    rows = ball(np.random.default_rng(1), 4, 3)
    kernel = Kernel(base, 0.5, bias=False)
    np.testing.assert_array_equal(kernel.changes(rows[0], rows[0], rows, np.arange(3)), np.zeros((3, 4)))
    far = kernel.changes(rows[0], 1e3 * rows[0], rows, np.arange(3))
    assert np.isfinite(far).all()


def people(n=300, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"colour": rng.choice(["red", "<b>", None], n), "size": rng.normal(100, 50, n), "parts": rng.integers(0, 5, n)}
    )
    frame.loc[::7, "size"] = np.nan
    return frame, np.where((frame["colour"] == "red") ^ (frame["size"] > 110), "yes", "no")


def own_kernel(a, b):
    return np.exp(-np.abs(a[:, None, :] - b[None]).sum(axis=2) / 9)


KERNELS = [{}, {"kernel": "rbf"}, {"kernel": "poly", "bias": False}, {"kernel": own_kernel}, {"standardize": False}]


@pytest.mark.parametrize("settings_", KERNELS, ids=lambda s: " ".join(map(str, s)) or "default")
@pytest.mark.parametrize("n_classes", [2, 3])
def test_explanations_add_up(settings_, n_classes):
    frame, y = people()
    y = y if n_classes == 2 else np.where(frame["parts"] == 4, "many", y)
    model = HalfspaceClassifier(B=20, tol=1e-2, random_state=0, **settings_).fit(frame, y)
    new = pd.concat([people(30, 1)[0], frame[:2].assign(size=[1e6, -1e200], colour=["mauve", None])])
    scores = model.model_.scores(model.model_.encode(model.model_.table(new)))
    for explanation, score in zip(model.explain(new), scores, strict=True):
        np.testing.assert_allclose(explanation.score, score, atol=1e-9)
        np.testing.assert_allclose(explanation.start, model.model_.start)
    texts = [part.text for part in model.explain(new)[-2].parts]
    assert {"colour = never seen", "size = 1e+06"} <= set(texts)
    assert ("(pulled back to the unit ball)" in texts) == (settings_.get("kernel") not in {"rbf", own_kernel})
    assert np.isfinite(scores).all()


def test_explanations_do_not_depend_on_the_order_of_columns():
    frame, y = people()
    for kernel in ("linear", "rbf"):
        model = HalfspaceClassifier(B=20, kernel=kernel, solver="features", n_landmarks=300, random_state=0)
        turned = clone(model).fit(frame[frame.columns[::-1]], y).explain(frame[frame.columns[::-1]][:20])
        for one, other in zip(model.fit(frame, y).explain(frame[:20]), turned, strict=True):
            found = {part.text: part.contribution[0] for part in other.parts}
            assert found == pytest.approx({part.text: part.contribution[0] for part in one.parts}, abs=0.02)


def test_precomputed_models_read_kernel_values_of_their_anchors():
    data = make_halfspace(200, 5, random_state=0)
    values = data.data @ data.data.T
    model = HalfspaceClassifier(B=20, kernel="precomputed", holdout=0.2, random_state=0).fit(values, data.target)
    assert [column.position for column in model.model_.columns] == model.anchors_.tolist()
    codes = model.model_.encode(model.model_.table(values[:20]))
    np.testing.assert_array_equal(model.model_.predictions(codes), model.predict_proba(values[:20]))
    for explanation, row in zip(model.explain(values[:5]), values[:5], strict=True):
        np.testing.assert_allclose(explanation.score - 0.5, model.decision_function(row[None]), atol=1e-9)


def test_kernels_that_are_no_part_of_the_model_cannot_leave(tmp_path):
    frame, y = people(60)
    own = HalfspaceClassifier(B=2, kernel=own_kernel).fit(frame, y)
    ready = HalfspaceClassifier(B=2, kernel="precomputed").fit(np.eye(60), y)
    for model, what in ((own, "a function of your own"), (ready, "kernel='precomputed'")):
        for leave in (to_json, to_python, lambda m: save(m, tmp_path / "m.json")):
            with pytest.raises(InputError, match=f"a model of {what} cannot be written to a file or exported"):
                leave(model)
        with pytest.raises(InputError, match=r"cannot be written in SQL.*kernel='linear' can be"):
            to_sql(model)
        assert model.to_text().startswith("The score is a sum of values of the kernel K = 1 / (1 - 0.5 (k + 1) / 2)")


def test_large_models_are_refused_in_sql():
    data = make_halfspace(300, 50, random_state=0)
    model = HalfspaceClassifier(B=2).fit(data.data, data.target)
    with pytest.raises(InputError, match=r"300 x 50 products .*at most 10,000.*n_landmarks=50, makes a smaller one"):
        to_sql(model)


def test_many_coordinates_and_anchors_in_databases():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"c": rng.choice([f"l{i}" for i in range(120)], 900), "x": rng.normal(size=900)})
    y = np.where(frame["c"].str.len() + frame["x"] > 3, "a", "b")
    model = HalfspaceClassifier(B=9, solver="features", n_landmarks=75, random_state=0).fit(frame, y)
    assert len(model.model_.centre) > 120
    new = frame[:50].assign(x=np.where(np.arange(50) % 9 == 0, 1e5, frame["x"][:50]), row=np.arange(50))
    query, wanted = to_sql(model, "new", keys="row"), model.predict(new[["c", "x"]]).tolist()
    connection = sqlite3.connect(":memory:")
    new.to_sql("new", connection, index=False)
    assert [said for _, said in sorted(connection.execute(query).fetchall())] == wanted
    assert [said for _, said in sorted(duckdb.connect().register("new", new).execute(query).fetchall())] == wanted


def test_the_gradient_is_one():
    frame, y = people()
    model = HalfspaceClassifier(B=20, tol=1e-2).fit(frame, y).model_
    steps = np.eye(len(model.centre))
    ahead = [model.kernel.sums((model.centre + s * steps), model.anchors, model.weights) for s in (1e-6, -1e-6)]
    np.testing.assert_allclose(model.gradient(), (ahead[0] - ahead[1]) / 2e-6, atol=1e-6)


def test_a_halfspace_in_words():
    frame, y = people()
    model = HalfspaceClassifier(B=20, tol=1e-2, random_state=0).fit(frame, y)
    text = model.to_text()
    assert "B = 20" in text
    assert "k is the inner product of two rows" in text
    assert "size is missing" in text
    assert str(model.certificate_) in text
    assert "&lt;b&gt;" in model._repr_html_()
    assert "<b>" not in model._repr_html_().replace("<p><b>", "")
    assert "and 3 more" in model.to_text(most=3)
    assert "a sum over" in repr(model.model_)
    assert "exp(-" in HalfspaceClassifier(B=2, kernel="rbf").fit(frame, y).to_text()


@pytest.fixture(scope="module")
def model_text():
    frame, y = people(80)
    return to_json(HalfspaceClassifier(B=20, kernel="poly", solver="features", n_landmarks=5).fit(frame, y))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("columns", 0, "kind"), "bins", "kind must be one of 'levels', 'numbers'"),
        (("columns", 1, "scale"), 0, "scale must be a number above 0"),
        (("columns", 1, "mean"), "x", "mean must be a finite number"),
        (("columns", 0, "levels"), [], "finite numbers"),
        (("model", "nu"), 1, "nu must be a number between 0 and 1"),
        (("model", "bias"), 1, "bias must be true or false"),
        (("model", "scale"), 1e-3, "anchors must be rows inside the unit ball"),
        (("model", "radius"), -1, "radius must be a number above 0"),
        (("model", "anchors"), [], "anchors must be one or more rows"),
        (("model", "anchors", 0), [1.0], "finite numbers"),
        (("model", "weights"), [[1.0]], r"weights must be 5 x 1 finite numbers"),
        (("model", "centre"), None, "finite numbers"),
        (("model", "base", "name"), "own", "name must be one of 'linear', 'rbf', 'poly'"),
        (("model", "base", "degree"), 0, "degree must be a whole number"),
        (("model", "base", "gamma"), 0, "gamma must be a number above 0"),
        (("model", "base", "coef0"), -1, "coef0 must be a number from 0 on"),
        (("task",), "regression", "model must be a model of classes"),
    ],
)
def test_a_file_made_by_hand_is_checked(model_text, path, value, message):
    content = json.loads(model_text)
    place = content
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    content.pop("checksum")
    with pytest.raises(ModelFileError, match=message):
        from_json(json.dumps({**content, "checksum": _checksum(content)}))


def test_columns_of_numbers_are_for_kernel_models(model_text):
    frame, y = people(80)
    content = json.loads(to_json(JuntaClassifier(k=1).fit(frame, y)))
    content["columns"] = json.loads(model_text)["columns"]
    content.pop("checksum")
    with pytest.raises(ModelFileError, match="kind must be one of 'levels', 'bins'"):
        from_json(json.dumps({**content, "checksum": _checksum(content)}))


class Counted:
    """A table that counts how often each of its columns is read."""

    def __init__(self, frame):
        self.names, self.n_rows = tuple(frame.columns), len(frame)
        self.inner, self.reads = FrameTable.of(nw.from_native(frame)), dict.fromkeys(frame.columns, 0)

    def column(self, position):
        self.reads[self.names[position]] += 1
        return self.inner.column(position)


@pytest.mark.parametrize("holdout", [None, 0.3])
def test_every_column_is_read_once(holdout):
    frame, y = people()
    for model in (HalfspaceClassifier(B=3, tol=1e-2, holdout=holdout, random_state=0), DirectSpectrumClassifier()):
        if holdout is not None and "holdout" not in model.get_params():
            continue
        table = Counted(frame)
        model.fit(table, y)
        assert set(table.reads.values()) == {1}  # rows held out are taken from what was read
        table = Counted(frame)
        model.predict(table)
        assert set(table.reads.values()) == {1}


# ---- explicit features -----------------------------------------------------------------------------------------------


def test_all_rows_as_landmarks_span_everything():
    rng = np.random.default_rng(0)
    rows = ball(rng, 50, 3)
    kernel = Kernel(Linear(), 0.5, bias=True)
    phi = Landmarks.draw(kernel, points_of(rows), 50, np.random.RandomState(0)).features(points_of(rows))
    np.testing.assert_allclose(phi @ phi.T, kernel.matrix(rows, rows), atol=1e-6)


def test_the_pass_over_all_rows_improves_on_the_sample_it_starts_from(monkeypatch, engine):
    data = make_halfspace(6000, 10, random_state=0)
    y, counts = data.target[:, None].astype(float), np.ones(6000)
    kernel, sample = Kernel(Linear(), 0.5, bias=True), problem(data.data, y, counts, [30.0])
    landmarks = Landmarks.draw(kernel, sample.points, 100, np.random.RandomState(0))

    def fitted(sample):
        return fit_features(landmarks, sample, tolerance=1e-4, max_steps=2000, rng=np.random.RandomState(0))

    def loss(most):
        tuned(monkeypatch, "landmarks", most_features=most * landmarks.lift.shape[1])
        found = fitted(sample)
        return np.abs(kernel.sums(data.data, landmarks.anchors, found[0]) - y).mean(), found[2]

    best, whole = loss(6000)
    assert whole
    some = np.sort(np.random.RandomState(0).permutation(6000)[:600])
    start = fitted(sample[some])[0]
    before = np.abs(kernel.sums(data.data, landmarks.anchors, start) - y).mean()
    after, whole = loss(600)
    assert not whole
    assert best - 1e-4 <= after < before
    assert after - best < 0.7 * (before - best)


# ---- the theory ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sigma", [0.25, 0.1, 0.03])
def test_chebyshev_coefficients_are_those_of_the_sigmoid_and_keep_to_lemma_8(sigma):
    found = chebyshev_coefficients(300, sigma)
    at = np.linspace(-1, 1, 501)
    degree = 300 if sigma < 0.1 else 150
    np.testing.assert_allclose(chebyshev.chebval(at, found[: degree + 1]), sigmoid_transfer(at, sigma), atol=1e-9)
    poles = (2 * np.arange(200_000) + 1) * np.pi * sigma
    roots = np.sqrt(poles**2 + 1)
    for n in (3, 5, 9, 21):
        by_residues = (-1) ** ((n - 1) // 2) * 4 * sigma * (1 / (roots * (poles + roots) ** n)).sum()
        np.testing.assert_allclose(found[n], by_residues, atol=1e-12)
    n = np.arange(2, 301)
    assert (np.abs(found[2:]) <= chebyshev_bound(n, sigma) + 1e-15).all()
    assert abs(found[0]) <= 1
    assert abs(found[1]) <= 2
    assert not found[2::2].any()


@pytest.mark.parametrize(("sigma", "eps"), [(0.25, 0.1), (0.1, 0.1), (0.1, 0.01), (0.05, 0.1)])
def test_lemma_2_covers_the_polynomial_it_speaks_of(sigma, eps):
    degree = int(np.ceil(np.log((2 * sigma + 1 / np.pi) / (np.pi * sigma * eps)) / np.log(1 + np.pi * sigma)))
    short = chebyshev_coefficients(degree, sigma)
    at = np.linspace(-1, 1, 1001)
    assert np.abs(chebyshev.chebval(at, short) - sigmoid_transfer(at, sigma)).max() <= eps
    assert series_B(chebyshev.cheb2poly(short)) <= sigmoid_B(sigma, eps)


@pytest.mark.parametrize("sigma", [0.3, 0.6, 1.0, 3.0])
def test_lemma_4_covers_the_taylor_series_of_erf(sigma):
    from math import factorial

    n = np.arange(60)
    factorials = np.array([float(factorial(k)) for k in n])
    beta = np.zeros(120)
    beta[0] = 0.5
    beta[1::2] = (-1.0) ** n / (np.sqrt(np.pi) * sigma ** (2.0 * n + 1) * factorials * (2 * n + 1))
    at = np.linspace(-1, 1, 101)
    if sigma >= 0.6:  # sums of large terms of either sign cancel below that
        np.testing.assert_allclose(np.polynomial.polynomial.polyval(at, beta), erf_transfer(at, sigma), atol=1e-9)
    exact = series_B(beta)
    assert exact <= erf_B(sigma)
    eps = 0.5 * np.exp(-((0.2 / sigma) ** 2))
    np.testing.assert_allclose(suggest_B(0.2, eps, transfer="taylor"), exact, rtol=1e-9)


def test_the_suggested_radius_is_that_of_the_theorems():
    margin, eps = 0.2, 0.1
    exponent = (
        2.1 * np.log(1 / eps) / margin * (np.log(1 / margin) + np.log(1 / (np.pi * eps)) + np.log(np.log(1 / eps)))
    )
    theorem_2 = 10 + np.log(1 / eps) ** 4 / (12 * margin**4) + 1.5 * np.exp(exponent)
    assert 1e20 < suggest_B(margin, eps) < theorem_2
    half = np.log(1 / (2 * eps))
    theorem_4 = 0.25 + 4 * half / (np.pi * margin**2) * (
        1 + np.sqrt(2) * np.e * half / margin**2 * np.exp(4 * half / margin**2)
    )
    np.testing.assert_allclose(suggest_B(margin, eps, transfer="erf"), theorem_4, rtol=1e-9)
    assert suggest_B(margin, eps, transfer="chebyshev") < 1e4 < suggest_B(margin, eps)
    assert suggest_B(margin, eps, transfer="taylor") <= theorem_4
    assert suggest_B(margin, eps, transfer="chebyshev", nu=0.9) < suggest_B(margin, eps, transfer="chebyshev", nu=0.1)
    assert suggest_B(0.001, 0.01) == np.inf
    assert 1e3 < suggest_B(0.001, 0.01, log_scale=True) < 1e6
    assert suggest_B(0.001, 0.01, transfer="chebyshev") == np.inf


def test_the_transfer_of_theorem_2_is_near_the_step_outside_the_margin():
    margin, eps = 0.1, 0.05
    at = np.array([-1, -margin, margin, 1])
    assert np.abs(sigmoid_transfer(at, margin / np.log(1 / eps)) - (at > 0)).max() <= eps
    assert np.abs(erf_transfer(at, margin / np.sqrt(np.log(1 / (2 * eps)))) - (at > 0)).max() <= eps


def test_sample_size_solves_its_inequality():
    B, eps, delta, nu = 10.0, 0.1, 0.05, 0.5
    m = sample_size(B, eps, delta, nu=nu)

    def excess(m):
        return np.sqrt(B / m) * (1 + 2) / 2 + 2 * (1 + np.sqrt(2 * B)) * np.sqrt(np.log(2 / delta) / (2 * m))

    assert excess(m) <= eps < excess(m - 2)
    assert sample_size(B, eps, delta, nu=0.9) > m


def test_theory_refuses_nonsense():
    with pytest.raises(InputError, match="transfer='tanh' is not known"):
        suggest_B(0.1, 0.1, transfer="tanh")
    with pytest.raises(InputError, match=r"margin=2 must be a number between 0 and 1"):
        suggest_B(2, 0.1)
    with pytest.raises(InputError, match=r"are for nu=0.5"):
        suggest_B(0.1, 0.1, nu=0.3, transfer="sigmoid")
    with pytest.raises(InputError, match=r"sigma=0.5 must be"):
        sigmoid_B(0.5, 0.1)
    with pytest.raises(InputError, match=r"delta=0 must be"):
        sample_size(1.0, 0.1, 0)


@given(seed=seeds)
@settings(max_examples=20, deadline=None)
def test_margin_errors_by_their_definition(seed):
    rng = np.random.default_rng(seed)
    rows, normal = rng.normal(size=(50, 3)), rng.normal(size=3)
    y, weights = rng.integers(0, 2, 50), rng.uniform(0, 2, 50)
    y[:2] = 0, 1
    margins = np.array([0, 0.01, 0.1, 0.5, 2])
    curve = margin_error_curve(normal, rows, y, margins=margins, intercept=0.3, sample_weight=weights)
    across = (rows @ normal + 0.3) / np.linalg.norm(normal) / np.linalg.norm(rows, axis=1).max()
    for mu, error in zip(margins, curve.errors, strict=True):
        bad = ((across > 0) != y) | (np.abs(across) <= mu)
        np.testing.assert_allclose(error, weights[bad].sum() / weights.sum(), atol=1e-12)
    assert curve.errors[-1] == pytest.approx(1)


@pytest.mark.parametrize("settings_", [{}, {"bias": False, "standardize": False}, {"standardize": False}])
def test_margins_in_the_coordinates_of_a_model(settings_):
    """By its definition: rows [z / R, 1] / sqrt 2 of the unit ball, and a normal vector of length one."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(80, 3)) * [1, 10, 0.1] + [0, 5, 0]
    normal, intercept = np.array([1.0, -0.2, 3.0]), 0.0 if "bias" in settings_ else 0.7
    y = (rows @ normal + intercept > 0).astype(int)
    model = HalfspaceClassifier(B=5, tol=1e-2, random_state=0, **settings_).fit(rows, y)
    standardized = model.standardize
    z = (rows - rows.mean(axis=0)) / rows.std(axis=0) if standardized else rows
    own = z / np.linalg.norm(z, axis=1).max()
    weights = np.append(normal * (rows.std(axis=0) if standardized else 1), 0.0)
    weights[-1] = (intercept + normal @ (rows.mean(axis=0) if standardized else np.zeros(3))) / np.linalg.norm(
        z, axis=1
    ).max()
    own = np.column_stack([own, np.ones(80)]) / np.sqrt(2) if model.bias else np.column_stack([own, np.zeros(80)])
    assert np.linalg.norm(own, axis=1).max() <= 1 + 1e-12
    across = own @ weights / np.linalg.norm(weights)
    curve = margin_error_curve(normal, rows, y, intercept=intercept, margins=[0.01, 0.05, 0.2], model=model)
    np.testing.assert_allclose(curve.errors, [np.mean(np.abs(across) <= mu) for mu in (0.01, 0.05, 0.2)])
    distance = np.abs(rows @ normal + intercept) / np.linalg.norm(normal)
    mine = suggest_B(distance[0], 0.3, model=model, halfspace=normal, intercept=intercept, log_scale=True)
    assert mine == pytest.approx(suggest_B(abs(across[0]), 0.3, model=model, log_scale=True))
    assert mine == pytest.approx(suggest_B(abs(across[0]), 0.3, log_scale=True))  # B was given, so nu is 1/2


def test_margins_of_tables_and_of_the_nu_of_a_model():
    frame, y = people()
    model = HalfspaceClassifier(B=20, nu=0.1, tol=1e-2, random_state=0).fit(frame, y)
    names = model.model_.coordinate_names
    curve = margin_error_curve([name == "size" for name in names], frame, y, intercept=-110, model=model)
    assert 0 < curve.errors[0] < 1
    assert suggest_B(0.3, 0.2, model=model) == suggest_B(0.3, 0.2, nu=0.1, transfer="chebyshev")
    with pytest.raises(InputError, match=r"has 3 coordinates, and the model has 6: colour=<b>, .*; give a weight"):
        margin_error_curve([1, 1, 1], frame, y, model=model)
    with pytest.raises(InputError, match="must be a fitted HalfspaceClassifier; found LogisticRegression"):
        suggest_B(0.1, 0.1, model=LogisticRegression())
    with pytest.raises(NotFittedError):
        suggest_B(0.1, 0.1, model=HalfspaceClassifier())
    with pytest.raises(InputError, match="pass model=, too"):
        suggest_B(0.1, 0.1, halfspace=[1, 2])
    other = HalfspaceClassifier(B=2, kernel="rbf", tol=1e-2).fit(frame, y)
    with pytest.raises(InputError, match="halfspaces of a rbf kernel have no coordinates"):
        suggest_B(0.1, 0.1, model=other)
    through = HalfspaceClassifier(B=2, bias=False, tol=1e-2).fit(np.eye(3), [0, 1, 1])
    with pytest.raises(InputError, match="with bias=False all halfspaces go through the origin"):
        margin_error_curve([1, 1, 0], np.eye(3), [0, 1, 1], intercept=9, model=through)


def test_margin_curves_of_linear_models_are_drawn():
    pytest.importorskip("matplotlib").use("Agg")
    data = make_halfspace(300, random_state=0)
    model = LogisticRegression().fit(data.data, data.target)
    curve = margin_error_curve(model, data.data, data.target)
    assert curve.errors[0] == pytest.approx(1 - model.score(data.data, data.target))
    assert (np.diff(curve.errors) >= 0).all()
    display = curve.plot(label="logistic")
    assert [line.get_label() for line in display.ax_.lines] == ["logistic"]
    with pytest.raises(InputError, match="has 2 coordinates, and X has the shape"):
        margin_error_curve([1, 1], data.data, data.target)
    with pytest.raises(InputError, match="is nought"):
        margin_error_curve(np.zeros(10), data.data, data.target)
    with pytest.raises(InputError, match="y has 3 classes"):
        margin_error_curve(data.normal, data.data, np.arange(300) % 3)


# ---- what users see --------------------------------------------------------------------------------------------------


def test_bad_labels_on_one_side_hurt_less_than_they_hurt_linear_losses():
    errors = []
    for seed in range(2):
        data = make_halfspace(6000, random_state=seed)
        train, test = slice(0, 500), slice(500, None)
        models = [HalfspaceClassifier(random_state=0, tol=1e-3), LogisticRegression(), LinearSVC()]
        fitted = [model.fit(data.data[train], data.target[train]) for model in models]
        errors.append([1 - model.score(data.data[test], data.target[test]) for model in fitted])
    ours, logistic, svm = np.mean(errors, axis=0)
    assert ours < min(logistic, svm) - 0.02


def test_clean_data_are_learned():
    data = make_halfspace(5000, 5, flipped=0, noise=0, random_state=0)
    model = HalfspaceClassifier(random_state=0).fit(data.data[:600], data.target[:600])
    assert model.score(data.data[600:], data.target[600:]) > 0.95
    assert model.gap_ <= model.tol
    tried = model.validation_
    mine = tried[(tried["B"] == model.B_) & (tried["nu"] == model.nu_)]
    assert mine["error"].item() == tried["error"].min()


def test_tables_of_categories_numbers_and_gaps():
    rng = np.random.default_rng(0)
    n = 400
    table = pd.DataFrame(
        {
            "colour": rng.choice(["red", "green", "blue", None], n),
            "size": rng.normal(100, 50, n),
            "parts": rng.integers(0, 5, n),
            "old": rng.choice([True, False], n),
            "same": "x",
        }
    )
    table.loc[::7, "size"] = np.nan
    y = np.where((table["colour"] == "red") ^ (table["size"] > 110), "yes", "no")
    model = HalfspaceClassifier(random_state=0).fit(table[:300], y[:300])
    assert model.score(table[300:], y[300:]) > 0.8
    names = [column.name for column in model.model_.columns]
    assert names == ["colour", "size", "parts", "old"]
    new = table[:2].assign(colour=["mauve", None], size=[np.nan, 1e9])
    with pytest.warns(ProjectedRowsWarning, match=r"1 of 2 rows are larger than any row of the fit .*factor of up to"):
        chances = model.predict_proba(new)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    with pytest.raises(ColumnError, match="column 'size' was numeric in fit and now holds text such as 'tall'"):
        model.predict(table[:2].assign(size=["tall", "short"]))


def test_categories_count_the_columns_that_agree():
    model = HalfspaceClassifier(B=5).fit([["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]], [0, 1, 1, 0])
    base = model.model_.kernel.base.between(model.anchors_, model.anchors_) / model.model_.kernel.scale
    agree = (model.anchors_[:, None, :] * model.anchors_[None]).sum(axis=2) / 2
    np.testing.assert_allclose(base, agree)
    assert model.score([["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]], [0, 1, 1, 0]) == 1  # XOR


@pytest.mark.parametrize("solver", ["batch", "features", "online"])
def test_weights_are_repeated_rows_and_the_order_of_rows_is_of_no_account(solver, engine):
    data = make_halfspace(200, 4, random_state=0)
    weights = np.random.default_rng(0).integers(0, 4, 200)
    model = HalfspaceClassifier(solver=solver, n_landmarks=30, random_state=0, n_passes=2)
    weighted = clone(model).fit(data.data, data.target, sample_weight=weights)
    each = np.random.default_rng(1).permutation(np.repeat(np.arange(200), weights))
    repeated = clone(model).fit(data.data[each], data.target[each])
    np.testing.assert_allclose(
        weighted.decision_function(data.data), repeated.decision_function(data.data), rtol=1e-9, atol=1e-12
    )
    assert weighted.B_ == repeated.B_


def test_several_classes():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(900, 2))
    y = np.array(["a", "b", "c"])[(np.arctan2(*rows.T) // 2.1 + 2).astype(int) % 3]
    model = HalfspaceClassifier(random_state=0, tol=1e-3).fit(rows[:400], y[:400])
    assert model.score(rows[400:], y[400:]) > 0.93
    chances = model.predict_proba(rows[400:])
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert chances.min() >= 0
    np.testing.assert_array_equal(model.classes_[chances.argmax(axis=1)], model.predict(rows[400:]))
    assert model.certificate_ is None
    held = HalfspaceClassifier(B=100, holdout=0.3, random_state=0, tol=1e-3).fit(rows, y)
    assert held.certificate_.kind.startswith("Clopper-Pearson")
    assert held.certificate_.n_rows == 270


def test_random_predictions_have_the_chances_they_should():
    data = make_halfspace(300, 3, random_state=0)
    model = HalfspaceClassifier(B=2, random_state=0).fit(data.data, data.target)
    some = data.data[:5]
    draws = model.predict_random(np.repeat(some, 2000, axis=0), random_state=0).reshape(5, 2000)
    np.testing.assert_allclose(draws.mean(axis=1), model.predict_proba(some)[:, 1], atol=0.05)
    np.testing.assert_array_equal(
        model.predict_random(some, random_state=1), model.predict_random(some, random_state=1)
    )


@pytest.mark.parametrize("noise", [0, 0.05])
def test_one_pass_chooses_a_radius_for_its_steps(noise):
    """One that is good for the minimum, 100 000 and more, has steps that one pass never recovers from."""
    data = make_halfspace(2000, 5, flipped=0, noise=noise, random_state=0)
    model = HalfspaceClassifier(solver="online", random_state=0).fit(data.data[:500], data.target[:500])
    best = np.mean(data.clean[500:] == data.target[500:])
    assert model.score(data.data[500:], data.target[500:]) > best - 0.08


def test_partial_fit_goes_on_where_it_was(engine):
    data = make_halfspace(3000, 4, flipped=0, noise=0.05, random_state=0)
    model = HalfspaceClassifier(B=20, solver="online", random_state=0)
    with pytest.raises(TargetError, match="classes must be passed on the first call"):
        model.partial_fit(data.data[:10], data.target[:10])
    errors = []
    for begin in range(0, 2000, 250):
        model.partial_fit(data.data[begin : begin + 250], data.target[begin : begin + 250], classes=[0, 1])
        errors.append(1 - model.score(data.data[2000:], data.target[2000:]))
    assert errors[-1] < 0.15
    assert errors[-1] < errors[0]
    assert len(model.anchors_) == 2000
    state = model._online
    K = model.model_.kernel.matrix(model.anchors_, model.anchors_)
    np.testing.assert_allclose(
        np.einsum("ik,ij,jk->k", state.coefficients, K, state.coefficients), state.norm, rtol=1e-7
    )
    with pytest.raises(TargetError, match="not the same as on last call"):
        model.partial_fit(data.data[:5], data.target[:5], classes=[0, 1, 2])
    with pytest.raises(TargetError, match=r"was not told of: \[7\]"):
        model.partial_fit(data.data[:2], [0, 7])
    assert (
        len(pickle.loads(pickle.dumps(model)).partial_fit(data.data[2000:2100], data.target[2000:2100]).anchors_)
        == 2100
    )


def test_rows_of_weight_nought_take_no_step():
    data = make_halfspace(400, 4, random_state=0)
    weights = np.where(np.arange(400) % 3 == 0, 0.0, 1.0)
    some = weights > 0
    with_them = HalfspaceClassifier(B=20, nu=0.5, solver="online", random_state=0)
    with_them.partial_fit(data.data, data.target, classes=[0, 1], sample_weight=weights)
    without = HalfspaceClassifier(B=20, nu=0.5, solver="online", random_state=0)
    without.partial_fit(data.data[some], data.target[some], classes=[0, 1], sample_weight=weights[some])
    assert len(with_them.anchors_) == some.sum()
    np.testing.assert_array_equal(with_them.decision_function(data.data), without.decision_function(data.data))


def test_partial_fit_is_for_the_online_solver_and_for_rows():
    assert not hasattr(HalfspaceClassifier(), "partial_fit")
    with pytest.raises(InputError, match="kernel='precomputed' has only kernel values"):
        HalfspaceClassifier(kernel="precomputed", solver="online").partial_fit(np.eye(2), [0, 1], classes=[0, 1])
    rows = np.random.default_rng(0).normal(size=(50, 2))
    model = HalfspaceClassifier(B=1, solver="online", kernel="poly").partial_fit(
        rows, rows[:, 0] > 0, classes=[False, True]
    )
    with pytest.warns(ProjectedRowsWarning), pytest.raises(InputError, match="has no way to pull them back"):
        model.partial_fit(rows * 9, rows[:, 0] > 0)
    assert len(model.anchors_) == 50


def test_certificates_say_what_they_bound():
    data = make_halfspace(1500, 3, flipped=0, noise=0, random_state=0)
    model = HalfspaceClassifier(B=5, solver="features", n_landmarks=50, random_state=0).fit(data.data, data.target)
    promise = model.certificate_
    values = np.clip(model.decision_function(data.data) + 0.5, 0, 1)
    observed = np.abs(values - data.target).mean()
    expected = kernel_ball(observed, 1500, 5.0, 2.0, 0.05)
    assert promise.bound == pytest.approx(expected.bound)
    assert promise.bound == pytest.approx(observed + 2 * np.sqrt(10 / 1500) + np.sqrt(np.log(20) / 3000))
    assert "error of the randomised prediction on new rows is at most" in str(promise)
    assert " %, by the Rademacher bound" in str(promise)
    auto = HalfspaceClassifier(solver="features", n_landmarks=50, random_state=0, holdout=0.3)
    auto.fit(data.data[:600], data.target[:600])
    assert [c.delta for c in auto.certificates_] == [0.05, 0.05]  # whichever is taken: each had half of it
    assert not auto.certificate_.vacuous


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"B": 0}, "B=0 must be a number between 0 and inf"),
        ({"B": "large"}, "B='large' must be"),
        ({"nu": 1}, "nu=1 must be a number between 0 and 1"),
        ({"kernel": "cubic"}, "kernel='cubic' must be one of .* or a function of two matrices"),
        ({"bias": "yes"}, "bias='yes' must be True or False"),
        ({"coef0": -1}, "coef0=-1 must be a number >= 0"),
        ({"solver": "lp"}, "solver='lp' is not known"),
        ({"gamma": -1}, "gamma=-1 must be"),
        ({"n_passes": 0}, "n_passes=0 must be a whole number >= 1"),
        ({"tol": 0}, "tol=0 must be"),
        ({"holdout": 1.5}, "holdout=1.5 must be"),
        ({"holdout": 0.99}, "leaves no rows to learn from"),
    ],
)
def test_parameters_are_checked(parameters, message):
    with pytest.raises(InputError, match=message):
        HalfspaceClassifier(**parameters).fit([[0.0], [1.0], [2.0]], [0, 1, 1])


def test_a_solver_that_is_stopped_early_says_so():
    data = make_halfspace(200, random_state=0)
    with pytest.warns(ConvergenceWarning, match=r"after 5 steps the mean loss may be .* above the least"):
        model = HalfspaceClassifier(B=100, max_iter=5).fit(data.data, data.target)
    assert model.gap_ > model.tol
    assert model.n_iter_ == 5


def test_too_many_rows_for_a_matrix_are_refused(monkeypatch):
    tuned(monkeypatch, "halfspace_solvers", most_batch_rows=50)
    data = make_halfspace(100, random_state=0)
    with pytest.raises(InputError, match=r"solver='features' or 'online' need none"):
        HalfspaceClassifier(B=1, solver="batch").fit(data.data, data.target)


def test_precomputed_kernels_must_be_square_and_positive():
    with pytest.raises(InputError, match=r"a square matrix was expected, and X has shape \(3, 2\)"):
        HalfspaceClassifier(kernel="precomputed").fit(np.ones((3, 2)), [0, 1, 1])
    with pytest.raises(InputError, match="positive values on its diagonal"):
        HalfspaceClassifier(kernel="precomputed").fit(np.zeros((3, 3)), [0, 1, 1])


def test_the_same_seed_gives_the_same_bytes():
    data = make_halfspace(300, random_state=0)
    for solver in ("batch", "online", "features"):
        models = [
            HalfspaceClassifier(B=9, solver=solver, n_landmarks=40, random_state=5).fit(data.data, data.target)
            for _ in range(2)
        ]
        assert models[0].dual_coef_.tobytes() == models[1].dual_coef_.tobytes()


def test_other_kernels_fit_and_predict():
    data = load_tic_tac_toe()
    for kernel in ("rbf", "poly", lambda a, b: rbf_kernel(a, b, gamma=0.05)):
        model = HalfspaceClassifier(B=300, kernel=kernel, random_state=0, tol=1e-3).fit(
            data.data[::2], data.target[::2]
        )
        assert model.score(data.data[1::2], data.target[1::2]) > 0.93


def test_halfspace_data_are_as_described():
    data = make_halfspace(20_000, random_state=0)
    np.testing.assert_allclose(np.linalg.norm(data.data, axis=1), 1)
    across = data.data @ data.normal
    np.testing.assert_array_equal(data.clean, across > 0)
    far = across > 0.45
    assert abs((data.target != data.clean)[far].mean() - (0.9 * 0.95 + 0.1 * 0.05)) < 0.03
    assert abs((data.target != data.clean)[~far].mean() - 0.05) < 0.01
    assert abs((data.target != data.clean).mean() - 0.116) < 0.006
    apart = make_halfspace(500, margin=0.3, random_state=0)
    assert np.abs(apart.data @ apart.normal).min() >= 0.3
    with pytest.raises(InputError, match="margin=1 must be a number from 0 to below 0.9"):
        make_halfspace(margin=1)
    with pytest.raises(InputError, match="noise=2 must lie between 0 and 1"):
        make_halfspace(noise=2)
