"""Folds of rows of which many are alike: each is a sample of the same law, whatever the order of the rows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone, is_classifier

from paclearn import (
    DirectSpectrumClassifier,
    DirectSpectrumRegressor,
    FourierSelector,
    HalfspaceClassifier,
    JuntaClassifier,
    JuntaRegressor,
    RegressionGraphClassifier,
    RegressionGraphEnsembleClassifier,
    SpectralClassifier,
)
from paclearn.encoding.distinct import DistinctRows
from paclearn.encoding.folds import Draws, splits


def kinds_of(seed, n, weights=None):
    rng = np.random.default_rng(seed)
    rows, targets = rng.integers(0, 2, (n, 3)).astype(np.uint8), rng.integers(0, 2, n)
    return rows, targets, rng.integers(1, 5, n).astype(float) if weights is None else weights(rng, n)


WEIGHTS = {
    "counts": lambda rng, n: rng.integers(1, 5, n).astype(float),
    "relative": lambda rng, n: rng.uniform(0.1, 3, n),
    "huge": lambda rng, n: rng.integers(10**7, 10**8, n).astype(float),
}


@pytest.mark.parametrize("kind", WEIGHTS)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 80), n_folds=st.integers(2, 6))
@settings(max_examples=40)
def test_every_draw_is_in_one_fold(kind, seed, n, n_folds):
    rows, targets, weights = kinds_of(seed, n, WEIGHTS[kind])
    kinds = DistinctRows.in_order(rows, targets, weights)
    draws, strata = kinds.draws, targets[kinds.first]
    folds = draws.fold_counts(strata, n_folds, np.random.RandomState(seed))
    assert (folds >= 0).all()
    np.testing.assert_array_equal(folds.sum(axis=0), draws.counts)
    if kind != "huge":  # sizes differ by one draw at most, in every stratum and in all
        sizes = np.array([folds[:, strata == s].sum(axis=1) for s in np.unique(strata)])
        assert np.ptp(sizes, axis=1).max() <= 1
        assert np.ptp(sizes.sum(axis=0)) <= 1
    for held in folds:
        split = draws.split(held)
        whole = np.zeros(len(kinds.first))
        for part in (split.train, split.held):
            whole[part.kinds] += part.weights
            assert (part.draws > 0).all()
        np.testing.assert_allclose(whole, kinds.weights)


@given(seed=st.integers(0, 10**6), n=st.integers(2, 60))
@settings(max_examples=40)
def test_a_row_of_weight_three_is_three_rows_in_any_order(seed, n):
    rows, targets, weights = kinds_of(seed, n)
    every = np.random.default_rng(seed).permutation(np.repeat(np.arange(n), weights.astype(int)))
    one = DistinctRows.in_order(rows, targets, weights)
    other = DistinctRows.in_order(rows[every], targets[every], np.ones(len(every)))
    folds = one.draws.fold_counts(targets[one.first], 5, np.random.RandomState(1))
    again = other.draws.fold_counts(targets[every][other.first], 5, np.random.RandomState(1))
    np.testing.assert_array_equal(folds, again)


def test_relative_weights_are_one_draw_a_row():
    draws = DistinctRows.in_order(np.zeros((3, 1), dtype=np.uint8), np.zeros(3), np.array([0.5, 700.25, 3.0])).draws
    assert draws.counts.tolist() == [3]


def test_a_single_row_is_judged_by_itself():
    (split,) = splits(
        Draws(np.ones(1), np.ones(1, dtype=np.int64)), np.zeros(1, dtype=np.intp), np.random.RandomState(0)
    )
    assert split.train.kinds.tolist() == split.held.kinds.tolist() == [0]


def errors_of_shares(table, truth):
    """Shares of the second class in twelve cells, learned from most of a table: error on the rest and on new rows."""
    kinds = np.stack(np.nonzero(table))
    draws = Draws.of(table[tuple(kinds)].astype(float), table[tuple(kinds)])
    found = []
    for split in splits(draws, kinds[0], np.random.RandomState(0)):
        known, held = np.zeros(table.shape), np.zeros(table.shape)
        known[tuple(kinds[:, split.train.kinds])] = split.train.weights
        held[tuple(kinds[:, split.held.kinds])] = split.held.weights
        share = (known[1] + 1) / (known.sum(axis=0) + 2)
        aside = (held[1] * (1 - share) ** 2 + held[0] * share**2).sum() / held.sum()
        found.append((aside, np.mean(truth * (1 - share) ** 2 + (1 - truth) * share**2)))
    return np.mean(found, axis=0)


def test_the_loss_on_rows_left_out_is_that_on_new_rows():
    """Where folds keep equal rows together it comes out too high, where they share them out evenly too low."""
    rng = np.random.default_rng(0)
    differences = []
    for _ in range(400):
        truth, cell = rng.uniform(0.1, 0.9, 12), rng.integers(0, 12, 180)
        table = np.zeros((2, 12), dtype=np.int64)
        np.add.at(table, ((rng.random(180) < truth[cell]).astype(int), cell), 1)
        aside, new = errors_of_shares(table, truth)
        differences.append(aside - new)
    assert abs(np.mean(differences)) < 3 * np.std(differences) / np.sqrt(len(differences))


def customers(n, seed, noise=False):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"plan": rng.choice(["basic", "plus", "pro"], n), "calls": rng.integers(0, 6, n)})
    risk = -1.5 + (frame.calls >= 3) * np.where(frame.plan == "basic", 3.0, -0.5) - 0.8 * (frame.plan == "pro")
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-risk)), "left", "stayed")
    return (frame.assign(noise=rng.normal(size=n)) if noise else frame), y


LEARNERS = {
    "junta": lambda: JuntaClassifier(k=[1, 2], choose_k="cv", random_state=0),
    "spectral": lambda: SpectralClassifier(n_bins=8, random_state=0),
    "ten terms": lambda: SpectralClassifier(max_terms=10, n_bins=8, random_state=0),
    "graph": lambda: RegressionGraphClassifier(random_state=0),
    "graphs": lambda: RegressionGraphEnsembleClassifier(5, random_state=0),
    "halfspace": lambda: HalfspaceClassifier(solver="features", n_landmarks=10, random_state=0),
}


def accuracy(learner, n, seed, *, noise=False, times=1):
    X, y = customers(n, seed, noise)
    new, truth = customers(4000, 1000 + seed, noise)
    every = np.tile(np.arange(n), times)
    return float((LEARNERS[learner]().fit(X.iloc[every], y[every]).predict(new) == truth).mean())


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_column_of_noise_never_helps(learner):
    """Few different rows must not mislead the folds: before, this one lost ten points without the noise."""
    plain, noisy = (np.mean([accuracy(learner, 1100, seed, noise=noise) for seed in (0, 1)]) for noise in (False, True))
    assert plain >= noisy - 0.005


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_row_ten_times_is_no_worse(learner):
    once, often = (np.mean([accuracy(learner, 400, seed, times=times) for seed in (0, 1)]) for times in (1, 10))
    assert often >= once - 0.01


def test_a_column_of_noise_does_not_help_a_selection():
    X, y = customers(800, 0, noise=True)
    assert set(FourierSelector(2, random_state=0).fit(X, y).get_feature_names_out()) == {"plan", "calls"}


def test_graphs_of_a_table_copied_ten_times_are_the_same():
    """A side of ten copies of two rows is no side of twenty: boosted graphs lost five points by it."""
    X, y = customers(300, 0)
    for method in ("boosting", "bagging"):
        once, often = (
            RegressionGraphEnsembleClassifier(3, method=method, random_state=0).fit(
                pd.concat([X] * times), np.tile(y, times)
            )
            for times in (1, 10)
        )
        np.testing.assert_allclose(once.predict_proba(X), often.predict_proba(X))


COUNTING = [
    JuntaClassifier(k=[1, 2], random_state=0),
    JuntaClassifier(k=[1, 2], choose_k="cv", random_state=0),
    JuntaRegressor(k=[1, 2], random_state=0),
    DirectSpectrumClassifier(),
    DirectSpectrumRegressor(),
]


@pytest.mark.parametrize("weighted", [None, "whole", "relative"])
@pytest.mark.parametrize("model", COUNTING, ids=repr)
def test_learners_that_count_rows_count_those_of_a_copied_table_once(model, weighted):
    """Rows that are left out of their own vote, bounds and smoothed laws took ten copies for ten draws."""
    X, y = customers(300, 0)
    y = y if is_classifier(model) else (y == y[0]) + X["calls"].to_numpy() / 3
    weights = {None: None, "whole": np.arange(300) % 3 + 1.0, "relative": np.arange(300) % 3 + 0.5}[weighted]
    once, often = (
        clone(model).fit(pd.concat([X] * n), np.tile(y, n), None if weights is None else np.tile(weights, n))
        for n in (1, 10)
    )
    np.testing.assert_allclose(*(m.model_.scores(m.model_.encode(m.model_.table(X))) for m in (once, often)))
    bounds = [None if m.certificate_ is None else m.certificate_.bound for m in (once, often)]
    assert bounds[0] == pytest.approx(bounds[1])


def test_a_table_copied_ten_times_is_as_many_draws_as_before():
    rng = np.random.default_rng(0)
    counts = np.append(rng.integers(1, 4, 99), 1)
    once, often = (Draws.of(times * counts.astype(float), times * counts) for times in (1, 10))
    np.testing.assert_array_equal(once.counts, often.counts)
    design = np.full(8, 40)  # as many rows of every kind: no copy of eight rows
    np.testing.assert_array_equal(Draws.of(design.astype(float), design).counts, design)
