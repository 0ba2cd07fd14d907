"""Rows that belong together: on one side of every split, in every learner, and counted as one draw by certificates."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from registry import ESTIMATORS
from sklearn import config_context
from sklearn.base import clone, is_classifier
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from paclearn import (
    JuntaClassifier,
    JuntaRegressor,
    RegressionGraphClassifier,
    RegressionGraphEnsembleRegressor,
    SpectralClassifier,
    SpectralRegressor,
)
from paclearn.certificates import chernoff, clopper_pearson
from paclearn.encoding.distinct import DistinctRows
from paclearn.encoding.folds import Draws, folds_of_groups, splits
from paclearn.learners.graphs.ensemble_growth import Sample
from paclearn.learners.juntas.junta_base import JuntaBase

BY_FOLDS = [
    *(e for e in ESTIMATORS if hasattr(e, "predict")),
    JuntaClassifier(k=[1, 2], choose_k="cv", random_state=0),
    JuntaRegressor(k=[1, 2], choose_k="cv", random_state=0),
    SpectralClassifier(max_effects=2, n_bins=3, random_state=0),
    SpectralRegressor(degree=1, max_terms=2, n_bins=3, random_state=0),
    RegressionGraphClassifier(stop="validation", max_leaves=4, random_state=0),
    RegressionGraphEnsembleRegressor(n_estimators=2, method="bagging", random_state=0),
]


@pytest.fixture(scope="module")
def visits():
    """Two numbers a row, of which the first tells the target; seven patients with five to twenty visits each."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(7), [5, 20, 8, 12, 7, 11, 9])
    X = np.column_stack([rng.normal(size=len(groups)).round(1), rng.integers(0, 3, len(groups))])
    return X, X[:, 0] + (X[:, 1] > 1) + rng.normal(size=len(groups)) / 3, groups


@pytest.mark.parametrize("learner", BY_FOLDS, ids=lambda e: " ".join(repr(e).split())[:60])
def test_no_group_is_on_both_sides_of_a_split(learner, visits, monkeypatch):
    X, y, groups = visits
    seen, split, bootstrap, folds = [], Draws.split, Sample.bootstrap, JuntaBase._folds

    def watched_split(self, held):
        found = split(self, held)
        seen.append((set(found.train.groups), set(found.held.groups)))
        return found

    def watched_bootstrap(self, rng):
        drawn = bootstrap(self, rng)
        seen.append((set(self.rows.groups[drawn > 0]), set(self.rows.groups[drawn == 0])))
        return drawn

    def watched_folds(self, rows):
        for train, test in folds(self, rows):
            seen.append((set(rows.groups[train]), set(rows.groups[test])))
            yield train, test

    monkeypatch.setattr(Draws, "split", watched_split)
    monkeypatch.setattr(Sample, "bootstrap", watched_bootstrap)
    monkeypatch.setattr(JuntaBase, "_folds", watched_folds)
    learner = clone(learner)
    if "holdout" in learner.get_params():
        learner.set_params(holdout=0.3, random_state=0)
    learner.fit(X, y > 0 if is_classifier(learner) else y, groups=groups)
    if "holdout" in learner.get_params():
        held = learner.heldout_rows_
        seen.append((set(groups[held]), set(np.delete(groups, held))))
        assert len(set(groups[held])) == 2
    assert all(not one & other for one, other in seen)
    if learner.certificate_ is not None:
        assert all(c.unit == "groups" and c.n_rows <= 7 for c in learner.certificates_)
        assert "groups" in str(learner.certificate_)


@given(seed=st.integers(0, 10**6), n=st.integers(2, 60), n_folds=st.integers(2, 6), n_groups=st.integers(2, 12))
@settings(max_examples=60)
def test_folds_of_groups_are_whole_and_none_is_empty(seed, n, n_folds, n_groups):
    rng = np.random.default_rng(seed)
    rows, targets, groups = (
        rng.integers(0, 2, (n, 2)).astype(np.uint8),
        rng.integers(0, 2, n),
        rng.integers(0, n_groups, n),
    )
    kinds = DistinctRows.in_order(rows, targets, None, groups)
    draws, present = kinds.draws, len(np.unique(groups))
    np.testing.assert_array_equal(groups, kinds.groups[kinds.kind])
    folds = draws.fold_counts(targets[kinds.first], n_folds, np.random.RandomState(seed))
    np.testing.assert_array_equal(folds.sum(axis=0), draws.counts)
    if present > 1:
        assert len(folds) == min(n_folds, present)
        assert (folds.sum(axis=1) > 0).all()
        assert all(len(np.unique(np.argmax(folds[:, kinds.groups == g] > 0, axis=0))) == 1 for g in np.unique(groups))
    out = draws.drawn(n // 3, np.random.RandomState(seed))
    assert 0 <= out.sum() < n
    shuffled = rng.permutation(n)
    again = DistinctRows.in_order(rows[shuffled], targets[shuffled], None, groups[shuffled])
    same = again.draws.fold_counts(targets[shuffled][again.first], n_folds, np.random.RandomState(seed))
    np.testing.assert_array_equal(folds, same)


def test_folds_of_groups_share_strata_and_sizes():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(60), rng.integers(1, 20, 60))
    strata = (groups % 3 == 0).astype(np.intp)
    fold = folds_of_groups(groups, strata, 5, rng)
    sizes = np.array([np.bincount(strata[fold == k], minlength=2) for k in range(5)])
    assert (np.ptp(sizes, axis=0) <= 20).all()  # the largest group


def test_a_single_group_is_shared_out_like_rows():
    draws = Draws(np.full(4, 5.0), np.full(4, 5), np.zeros(4, dtype=np.intp))
    assert draws.n_independent == 20
    for split in splits(draws, np.zeros(4, dtype=np.intp), np.random.RandomState(0)):
        assert split.train.draws.sum() == 16


@pytest.mark.parametrize(
    "learner", [e for e in BY_FOLDS if is_classifier(e)], ids=lambda e: " ".join(repr(e).split())[:60]
)
def test_one_group_left_and_groups_of_one_class_can_be_learned_from(learner, visits):
    """With two groups and one of them held out there is nothing to keep apart."""
    X, y, groups = visits
    fitted = clone(learner)
    if "holdout" in fitted.get_params():
        fitted.set_params(holdout=0.4, random_state=0)
    assert fitted.fit(X, y > 0, groups=groups > 2).score(X, y > 0) > 0.5
    assert clone(learner).fit(X, y > 0, groups=y > 0).score(X, y > 0) >= 0.5


# ---- what is promised of groups ----


def test_the_bound_over_groups_holds_where_rows_of_a_group_are_alike():
    """Groups are told nearly all right or nearly all wrong, and bad ones are large: rows are far from independent."""
    rng = np.random.default_rng(0)
    delta, n_groups = 0.05, 40
    failed_by_groups = failed_by_rows = 0
    known = rng.beta(0.15, 0.35, 10**6)  # mean 0.3
    of_rows = np.average(known, weights=np.where(known > 0.5, 60, 15))
    for _ in range(1500):
        share = rng.beta(0.15, 0.35, n_groups)
        size = np.where(share > 0.5, 60, 15)
        wrong = rng.binomial(size, share)
        failed_by_groups += chernoff(float((wrong / size).sum()), n_groups, delta).bound < 0.3
        failed_by_rows += clopper_pearson(wrong.sum(), size.sum(), delta).bound < of_rows
    assert failed_by_groups <= 1500 * delta
    assert failed_by_rows > 1500 * 2 * delta  # which is why rows may not be counted


def test_the_certificate_of_groups_is_about_groups(visits):
    X, y, groups = visits
    model = SpectralClassifier(n_bins=4, holdout=0.3, random_state=0).fit(X, y > 0, groups=groups)
    held = np.isin(np.arange(len(y)), model.heldout_rows_)
    wrong = model.predict(X) != (y > 0)
    exam = [c for c in model.certificates_ if "held-out groups" in c.kind]
    by_group = [wrong[held & (groups == g)].mean() for g in np.unique(groups[held])]
    np.testing.assert_allclose(exam[0].observed, np.mean(by_group))
    assert exam[0].n_rows == len(by_group)
    assert model.certificate_.to_dict()["unit"] == "groups"


# ---- how groups are said ----

WAYS = {
    "text": lambda g: [f"patient {i}" for i in g],
    "pandas": lambda g: pd.Series(g).map({i: f"p{i}" for i in range(7)}),
    "polars": lambda g: pl.Series("g", g),
    "dates": lambda g: pd.to_datetime("2024-01-01") + pd.to_timedelta(g, unit="D"),
    "column": lambda g: g[:, None],
}


@pytest.mark.parametrize("way", WAYS)
def test_groups_may_be_anything_that_names(way, visits):
    X, y, groups = visits
    model = RegressionGraphClassifier(stop="validation", max_leaves=3, random_state=0)
    said = clone(model).fit(X, y > 0, groups=WAYS[way](groups)).predict_proba(X)
    np.testing.assert_array_equal(said, model.fit(X, y > 0, groups=groups).predict_proba(X))


BAD = {
    "one group only .*7.*at least two": lambda g: np.full(len(g), 7),
    "groups is missing in 1 of 72 rows .first: row 3": lambda g: np.where(np.arange(len(g)) == 3, np.nan, g),
    "groups has 71 values and the table 72 rows": lambda g: g[1:],
    "groups has shape .72, 2.": lambda g: np.column_stack([g, g]),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_groups_are_refused(message, visits):
    X, y, groups = visits
    with pytest.raises(ValueError, match=message):
        JuntaRegressor().fit(X, y, groups=BAD[message](groups))


def test_a_holdout_that_leaves_no_group_is_refused(visits):
    X, y, groups = visits
    with pytest.raises(ValueError, match=r"holdout=0.9 of 2 group.s. leaves no groups to learn from"):
        JuntaRegressor(holdout=0.9).fit(X, y, groups=groups > 2)


def test_groups_are_routed(visits):
    X, y, groups = visits
    with config_context(enable_metadata_routing=True):
        model = SpectralClassifier(degree=1, n_bins=3, holdout=0.3, random_state=0).set_fit_request(groups=True)
        pipeline = make_pipeline(StandardScaler(), model)
        search = GridSearchCV(pipeline, {"spectralclassifier__n_bins": [2, 3]}, cv=GroupKFold(2))
        found = search.fit(X, y > 0, groups=groups).best_estimator_[-1]
        assert found.certificate_.unit == "groups"
        kept = cross_validate(
            pipeline, X, y > 0, params={"groups": groups}, cv=GroupKFold(2), return_estimator=True, error_score="raise"
        )
        assert all(each[-1].certificate_.unit == "groups" for each in kept["estimator"])


def test_groups_may_have_weights(visits):
    """A row of weight nought is not there, and a group of such rows is no group."""
    X, y, groups = visits
    weights = np.where(groups == 1, 0.0, 1.0 + groups % 2)
    model = SpectralClassifier(degree=1, n_bins=3, holdout=0.5, random_state=0)
    model.fit(X, y > 0, sample_weight=weights, groups=groups)
    some = weights > 0
    again = clone(model).fit(X[some], y[some] > 0, sample_weight=weights[some], groups=groups[some])
    np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))
