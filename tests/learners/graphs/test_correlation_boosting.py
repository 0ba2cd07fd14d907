"""Correlation boosting: what Theorem 4 asks for, what was reached, drawings, and what nobody can learn."""

import datetime as dt
from itertools import product
from math import comb

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor

from paclearn import CorrelationBoostingRegressor, OrderlyCorrelator, RegressionGraphRegressor
from paclearn.datasets import make_orderly
from paclearn.datasets.additive import _orderly_law
from paclearn.exceptions import InputError, InputTypeError, PaclearnError
from paclearn.export import to_json
from paclearn.graphs import (
    boosting_accuracy,
    boosting_examples,
    boosting_repeats,
    boosting_rounds,
    orderly_correlation,
)
from paclearn.models.weak_graph import answers_of

# ---- the numbers of Theorem 4 ----


@pytest.mark.parametrize(("rho", "eps", "delta"), [(0.5, 0.5, 0.05), (0.1, 0.01, 0.3), (1.0, 0.9, 0.01)])
def test_repeats_and_examples_leave_a_tenth_of_delta_each(rho, eps, delta):
    leaves, repeats = 3 * boosting_rounds(rho, eps) + 1, boosting_repeats(rho, eps, delta)
    assert leaves * 0.25**repeats <= delta / 10 < leaves * 0.25 ** (repeats - 1)
    tau, n = boosting_accuracy(rho, eps), boosting_examples(rho, eps, delta)
    assert tau == pytest.approx(eps**4 * rho**4 / 10)
    sides = 2 * leaves * repeats
    assert sides * 2 * np.exp(-2 * tau**2 * n) <= delta / 10  # Hoeffding, for the share of a side
    assert sides * np.exp(-n * tau / 8) <= delta / 10  # Chernoff: half of the rows that a share of tau has on average
    assert sides * 2 * np.exp(-2 * tau**2 * (n * tau / 2)) == pytest.approx(delta / 10)  # and for the mean of those
    with pytest.raises(InputError, match="delta=0 must be"):
        boosting_repeats(rho, eps, 0)


# ---- what is reached ----


@pytest.fixture(scope="module")
def lines():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 4))
    f = np.tanh(X.sum(axis=1))
    return X, f, f + rng.normal(0, 0.3, 900)


def test_correlations_are_those_at_the_nodes(lines):
    X, _, y = lines
    weights = np.arange(len(y)) % 3
    for counts in (np.ones(len(y)), weights):
        model = CorrelationBoostingRegressor(Ridge(), max_splits=6).fit(X, y, sample_weight=counts)
        answers = answers_of(model.shape_, model.questions_, X)
        assert len(model.correlations_) == model.shape_.n_inner
        for node, (reached, question) in enumerate(zip(model.correlations_, model.questions_, strict=True)):
            here = np.repeat(np.flatnonzero(answers[node] < 2), counts[answers[node] < 2].astype(int))
            assert reached == pytest.approx(np.corrcoef(question.model.predict(X[here]), y[here])[0, 1])
    assert f"correlation of {model.correlations_.min():.3f} to {model.correlations_.max():.3f}" in model.to_text()


class Fails(RegressorMixin, BaseEstimator):
    """A line that fails three times in four: then it says the opposite."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        self.sign_ = 1 if np.random.RandomState(self.random_state).random_sample() < 0.25 else -1
        self.line_ = Ridge().fit(X, y)
        return self

    def predict(self, X):
        return self.sign_ * self.line_.predict(X)


def test_the_best_of_several_fits_is_good_where_one_mostly_fails(lines):
    X, f, y = lines
    once = CorrelationBoostingRegressor(Fails(), max_splits=5, random_state=0).fit(X, y)
    assert once.correlations_.min() < 0
    often = CorrelationBoostingRegressor(Fails(), max_splits=5, n_repeats=12, random_state=0).fit(X, y)
    assert often.correlations_.min() > 0
    assert often.score(X, f) > 0.8
    assert "on fresh rows" in often.to_text()


def test_what_is_known_by_heart_does_not_count(lines):
    X, _, y = lines
    noise = np.random.default_rng(1).normal(size=len(y))
    by_heart = KNeighborsRegressor(1)
    assert CorrelationBoostingRegressor(by_heart, max_splits=1).fit(X, noise).correlations_ == pytest.approx(1)
    fresh = CorrelationBoostingRegressor(by_heart, max_splits=3, n_repeats=2, random_state=0).fit(X, noise)
    assert (np.abs(fresh.correlations_) < 0.3).all()
    constant = CorrelationBoostingRegressor(by_heart, n_repeats=2).fit(X, np.ones(len(y)))
    assert constant.n_leaves_ == 1
    assert "No regressor was asked" in constant.to_text()


def test_graphs_of_answers_are_drawn_and_told(lines):
    pytest.importorskip("matplotlib").use("Agg")
    X, _, y = lines
    model = CorrelationBoostingRegressor(max_splits=6).fit(X, y)
    graph, table = model.graph_, model._checked(X)
    assert graph.predict(table).tolist() == model.predict(X).tolist()
    assert [path[-1] for path in graph.paths(table)] == graph.leaf_of(table).tolist()
    assert "LinearRegression 1 <= " in graph.path_in_words(graph.paths(table)[0]) or "LinearRegression 1 > " in str(
        graph.path_in_words(graph.paths(table)[0])
    )
    assert len(graph.plot().ax_.texts) == model.n_nodes_
    assert graph.to_dot().count("->") == 2 * graph.shape.n_inner
    assert len(graph.rules()) >= model.n_leaves_
    with pytest.raises(InputTypeError, match=r"regressors predict \(LinearRegression\), which SQL cannot say"):
        graph.to_sql("t")
    of_graphs = CorrelationBoostingRegressor(RegressionGraphRegressor(max_leaves=3), max_splits=3).fit(X, y)
    assert of_graphs.graph_ is of_graphs.model_.graphs[0]
    assert of_graphs.graph_.to_sql("t")


# ---- orderly trees: Lemma 9 on the law itself ----


def exact_orderly(depth, growth):
    """All rows with their chances and means."""
    shares, high, tilts = _orderly_law(depth, growth)
    rows = np.arange(2**depth)[:, None] >> np.arange(depth) & 1
    leaf = np.where(rows.any(axis=1), rows.argmax(axis=1), depth)
    one = 0.5 + np.where(high[:depth] != high[leaf][:, None], tilts, -tilts) / 2
    later = np.arange(depth) > leaf[:, None]
    chances = shares[leaf] * np.where(later, np.where(rows == 1, one, 1 - one), 1.0).prod(axis=1)
    return rows, high[leaf].astype(float), chances


def correlation(a, b, chances):
    off, apart = a - chances @ a, b - chances @ b
    return chances @ (off * apart) / np.sqrt((chances @ off**2) * (chances @ apart**2))


def test_figure_6_reaches_what_lemma_9_says_where_no_bit_does():
    depth = 17
    rows, mean, chances = exact_orderly(depth, 1.6)
    assert chances.sum() == pytest.approx(1)
    variance = chances @ (mean - chances @ mean) ** 2
    known = make_orderly(10, depth, growth=1.6, noise=0.0).correlations
    varied = [correlation(rows[:, j], mean, chances) for j in range(depth)]
    np.testing.assert_allclose(varied, known, atol=1e-12)
    model = OrderlyCorrelator(epsilon=float(variance)).fit(rows, mean, sample_weight=chances)
    reached = correlation(model.predict(rows), mean, chances)
    assert len(model.aside_) > 0
    assert reached >= orderly_correlation(variance, depth)
    assert reached > 2 * np.abs(varied).max()


def test_growth_of_orderly_trees_is_checked():
    with pytest.raises(InputError, match="growth=2 must be"):
        make_orderly(10, growth=2)


# ---- what nobody can learn: Observations 1 to 3 and Appendix A ----


def noisy_parity(d, members, eta):
    """All rows, and their means: additive behind a link that is not monotone (equation 14, with 1 - 2 eta)."""
    cube = np.array(list(product((0, 1), repeat=d)))
    return cube, eta + (1 - 2 * eta) * (cube[:, members].sum(axis=1) % 2)


@pytest.mark.parametrize("stop", ["auto", "theorem", "validation"])
@pytest.mark.parametrize("members", [(0, 1), (1, 3, 4), (0, 1, 2, 3, 4)])
def test_no_split_says_anything_of_a_parity(stop, members):
    cube, mean = noisy_parity(5, members, 0.1)
    model = RegressionGraphRegressor(stop, random_state=0).fit(cube, mean)
    assert model.n_leaves_ == 1
    assert np.mean((model.predict(cube) - mean) ** 2) == pytest.approx((0.5 - 0.1) ** 2)
    lone_cube, lone = noisy_parity(5, (2,), 0.1)  # of one bit it is a monotone link, and learned at once
    assert np.allclose(RegressionGraphRegressor("theorem").fit(lone_cube, lone).predict(lone_cube), lone)


@pytest.mark.parametrize("k", [3, 4, 5, 8, 12])
def test_the_best_monotone_model_of_a_parity_is_better_than_a_constant(k):
    """Observation 3. As printed, from 0 to 1, its error is above 1/4; with its two values in between it is below."""
    cube, parity = noisy_parity(k, range(k), 0.0)
    t = 2 * (k // 4)
    step = cube.sum(axis=1) > t
    agree = np.mean(step == parity)
    assert agree == pytest.approx(0.5 + comb(k - 1, t) / 2**k)
    assert np.mean((step - parity) ** 2) == pytest.approx(1 - agree)
    means = np.where(step, parity[step].mean(), parity[~step].mean())
    gain = (comb(k - 1, t) / 2**k) ** 2 / (4 * step.mean() * (1 - step.mean()))
    assert np.mean((means - parity) ** 2) == pytest.approx(0.25 - gain)
    assert means[step].min() > means[~step].max()  # monotone
    assert RegressionGraphRegressor("theorem").fit(cube, parity).n_leaves_ == 1  # though a graph could say it


class BestParity(RegressorMixin, BaseEstimator):
    """A correlator for parities: the one of all sets of columns, signed, that correlates most with the target."""

    def fit(self, X, y):
        X = np.asarray(X)
        sets = np.array(list(product((0, 1), repeat=X.shape[1])))[1:]
        found = (1 - 2 * (X @ sets.T % 2)).T @ (y - y.mean())
        best = int(np.abs(found).argmax())
        self.members_, self.sign_ = sets[best], np.sign(found[best])
        return self

    def predict(self, X):
        return self.sign_ * (1 - 2 * (np.asarray(X) @ self.members_ % 2))


def test_whoever_sees_parities_finds_their_columns():
    """Appendix A: without a column of the set nothing is left to see, without another one all of it is."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (3000, 6))
    members = [0, 2, 5]
    mean = 0.1 + 0.8 * (X[:, members].sum(axis=1) % 2)
    y = (rng.random(3000) < mean).astype(float)
    model = CorrelationBoostingRegressor(BestParity(), max_splits=1).fit(X, y)
    assert np.mean((model.predict(X) - mean) ** 2) < 0.001
    assert model.questions_[0].model.members_.tolist() == [1, 0, 1, 0, 0, 1]
    frame = pd.DataFrame(X)
    explained = [
        CorrelationBoostingRegressor(BestParity(), max_splits=1)
        .fit(frame.drop(columns=i), y)
        .score(frame.drop(columns=i), mean)
        for i in range(6)
    ]
    assert [i for i, share in enumerate(explained) if share < 0.5] == members


def test_a_data_frame_is_read_alike_whatever_library_it_is_of():
    pa, pl = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    bits, y = (
        {"a": [True, False, True, False], "b": [1, 1, 0, 0], "c": [1e308, 1.5e308, 0.0, 2.0]},
        [1.0, 2.0, 5.0, 9.0],
    )
    frames = [pd.DataFrame(bits), pl.DataFrame(bits), pa.table(bits)]
    learner = CorrelationBoostingRegressor(OrderlyCorrelator(), min_samples_leaf=1)
    assert len({to_json(clone(learner).fit(frame, y)) for frame in frames}) == 1
    for odd in (dt.time(22, 44), dt.datetime(2020, 1, 1), "1", 2**60 + 1, None):
        columns = {"a": bits["b"], "b": [odd] * 4}
        for frame in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
            with pytest.raises(PaclearnError, match="column 'b'"):
                clone(learner).fit(frame, y)
