"""Sets of classes and intervals of numbers hold the truth as often as they promise."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from registry import ESTIMATORS
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError

from paclearn import JuntaClassifier, JuntaRegressor, PolynomialL2Classifier, SpectralRegressor
from paclearn.certificates.conformal import conformal_margin
from paclearn.datasets import make_junta
from paclearn.exceptions import InputError

HOLDING_OUT = [model for model in ESTIMATORS if "holdout" in model.get_params()]
CLASSES, NUMBERS = ([m for m in HOLDING_OUT if of_kind(m)] for of_kind in (is_classifier, is_regressor))


def named(model):
    return type(model).__name__


@given(st.integers(1, 60), st.floats(0.01, 0.99), st.integers(0, 10**6))
def test_the_margin_is_an_order_statistic(n, confidence, seed):
    misfits = np.random.default_rng(seed).integers(0, 5, n).astype(float)
    margin = conformal_margin(misfits, confidence)
    assert (misfits <= margin).sum() + (margin == np.inf) >= (n + 1) * confidence - 1e-9
    smaller = misfits[misfits < margin]
    assert len(smaller) < (n + 1) * confidence


def test_a_new_row_is_inside_as_often_as_asked():
    """Ranks are uniform: of nine rows and a tenth, the tenth is at or below the eighth in 0.8 of 4 000 draws."""
    rng = np.random.default_rng(0)
    inside = [rng.random() <= conformal_margin(rng.random(9), 0.8) for _ in range(4000)]
    assert abs(np.mean(inside) - 0.8) < 3 * np.sqrt(0.16 / 4000)


def test_classes_are_covered_and_few():
    covered, sizes = [], []
    for seed in range(25):
        data = make_junta(500, n_columns=5, k=2, noise=0.15, random_state=seed)
        model = JuntaClassifier(k=2, holdout=0.3, random_state=seed).fit(data.data[:200], data.target[:200])
        sets = model.predict_set(data.data[200:], 0.8)
        covered.append(sets[np.arange(300), (data.target[200:] > 0).astype(int)].mean())
        sizes.append(sets.sum(axis=1).mean())
    assert np.mean(covered) > 0.8 - 3 * np.std(covered) / 5
    assert np.mean(sizes) < 1.5


@pytest.mark.parametrize("model", CLASSES, ids=named)
def test_sets_grow_with_confidence_and_hold_the_prediction(model):
    data = make_junta(160, n_columns=4, k=2, random_state=0)
    fitted = clone(model).set_params(holdout=0.25).fit(data.data, data.target)
    few, more, all_of_them = (fitted.predict_set(data.data, c) for c in (0.5, 0.9, 0.999))
    assert (few <= more).all()
    assert all_of_them.all()  # forty rows cannot promise 999 of 1000
    assert few[np.arange(160), fitted.predict_proba(data.data).argmax(axis=1)].all()


@pytest.mark.parametrize("model", NUMBERS, ids=named)
def test_intervals_grow_with_confidence_and_hold_the_prediction(model):
    rng = np.random.default_rng(0)
    table = rng.integers(0, 3, (160, 3)).astype(float)
    numbers = table @ [1.0, 2.0, 0.5] + rng.normal(size=160)
    fitted = clone(model).set_params(holdout=0.25).fit(table, numbers)
    few, more = fitted.predict_interval(table, 0.5), fitted.predict_interval(table, 0.9)
    said = fitted.predict(table)
    assert (more[:, 0] <= few[:, 0]).all()
    assert (few[:, 0] <= said).all()
    assert (said <= few[:, 1]).all()
    assert (few[:, 1] <= more[:, 1]).all()
    assert np.isinf(fitted.predict_interval(table, 0.999)).all()


def test_where_errors_grow_with_the_prediction_so_do_the_intervals():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 3, (500, 2)).astype(float)
    prices = np.exp(table @ [1.0, 0.5] + 0.3 * rng.normal(size=500))
    model = SpectralRegressor(degree=1, loss="gamma", holdout="auto", random_state=0).fit(table[:300], prices[:300])
    low, high = model.predict_interval(table[300:]).T
    np.testing.assert_allclose((high - low) / (high + low), (high[0] - low[0]) / (high[0] + low[0]))
    assert ((low <= prices[300:]) & (prices[300:] <= high)).mean() > 0.8


@settings(max_examples=10)
@given(st.integers(20, 400))
def test_holding_out_by_itself_is_a_fifth_or_nothing(n):
    data = make_junta(n, n_columns=3, k=1, random_state=0)
    model = JuntaRegressor(k=1, holdout="auto", random_state=0).fit(data.data, data.target.astype(float))
    assert (model.heldout_rows_ is None) == (n < 200)
    assert n < 200 or len(model.heldout_rows_) == round(n / 5)


def test_without_rows_held_out_it_says_what_to_do():
    data = make_junta(60, n_columns=3, k=1, random_state=0)
    with pytest.raises(InputError, match="fit it with holdout='auto'"):
        JuntaClassifier(k=1).fit(data.data, data.target).predict_set(data.data)
    with pytest.raises(NotFittedError):
        JuntaClassifier(k=1, holdout=0.2).predict_set(data.data)
    with pytest.raises(InputError, match="confidence=1.5"):
        JuntaClassifier(k=1, holdout=0.2).fit(data.data, data.target).predict_set(data.data, 1.5)
    assert not hasattr(PolynomialL2Classifier(), "predict_set")


def test_groups_are_covered_as_groups():
    """Rows of a group are all alike, and wrong together: a row of a new group is inside as often as asked."""
    inside = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        group = np.repeat(np.arange(90), rng.integers(1, 12, 90))
        table, target = rng.integers(0, 2, (90, 2))[group], (rng.random(90) < 0.6)[group].astype(int)
        known = group < 60
        model = JuntaClassifier(k=1, holdout=0.5, random_state=seed)
        model.fit(table[known], target[known], groups=group[known])
        sets = model.predict_set(table[~known], 0.8)
        first = np.unique(group[~known], return_index=True)[1]
        inside.append(sets[first, target[~known][first]].mean())
    assert np.mean(inside) > 0.8 - 3 * np.std(inside) / np.sqrt(40)
