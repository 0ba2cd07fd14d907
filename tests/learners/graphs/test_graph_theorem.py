"""Graphs by the letter of Kalai's (2005) Theorem 2, and graphs that are no worse than a constant."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learners.graphs.test_graphs import _squares, table_of

from paclearn import RegressionGraphClassifier, RegressionGraphRegressor
from paclearn.exceptions import InputError
from paclearn.graphs import (
    additive_correlation,
    boosting_leaves,
    boosting_rounds,
    orderly_correlation,
    threshold_correlation,
)
from paclearn.learners.graphs import every_threshold

# ---- every threshold ----


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_without_bins_few_values_give_the_same_graph(seed):
    frame, y = table_of(seed)
    new = pd.concat([table_of(seed + 10)[0], frame[:2].assign(**{"number 1": [1e9, -1e9], "level": ["new", None]})])
    settings_ = {"max_splits": 30, "random_state": 0}
    binned = RegressionGraphRegressor(**settings_).fit(frame, y)
    exact = RegressionGraphRegressor(n_bins=None, **settings_).fit(frame, y)
    assert exact.n_nodes_ == binned.n_nodes_
    np.testing.assert_allclose(exact.predict(new), binned.predict(new))
    assert max(len(c.thresholds) for c in exact.model_.columns if c.name.startswith("number")) <= 30
    classes = np.array(["a", "b", "c"])[np.digitize(y, [0, 2])]
    several = [RegressionGraphClassifier(n_bins=n, **settings_).fit(frame, classes) for n in (254, None)]
    np.testing.assert_allclose(several[0].predict_proba(new), several[1].predict_proba(new))


def test_without_bins_every_threshold_is_tried():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 2))
    y = (X[:, 0] > np.sort(X[:, 0])[1391]) + 0.01 * rng.normal(size=1500)  # between two quantiles of 254
    model = RegressionGraphRegressor(n_bins=None, max_splits=1, merge=0).fit(X, y)
    best = min(_squares(y, X[:, j] <= v) for j in range(2) for v in np.sort(X[:, j])[:-1])
    assert ((model.predict(X) - y) ** 2).sum() == pytest.approx(best)
    assert ((RegressionGraphRegressor(max_splits=1).fit(X, y).predict(X) - y) ** 2).sum() > 1.1 * best
    grown = RegressionGraphRegressor("theorem", n_bins=None).fit(X, y)
    said = grown.predict(X)
    for value in np.unique(said):  # every leaf is the mean of its rows
        assert y[said == value].mean() == pytest.approx(value)


def test_without_bins_what_is_too_large_is_refused(monkeypatch):
    X = np.random.default_rng(0).normal(size=(600, 1))
    monkeypatch.setattr(every_threshold, "_PIECE", 1)
    with pytest.raises(InputError, match=r"asks 'x0' at \d+ thresholds, and 1 is the most"):
        RegressionGraphRegressor(n_bins=None, max_splits=5).fit(X, X[:, 0])
    tuning = every_threshold.TUNING
    monkeypatch.setattr(every_threshold, "TUNING", type(tuning)(most_exact_bytes=1000))
    with pytest.raises(InputError, match="n_bins=None tries every threshold, which takes .* GiB"):
        RegressionGraphRegressor(n_bins=None).fit(X, X[:, 0])


# ---- the certificate of Theorem 2 ----

SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "stop": st.sampled_from(["auto", "theorem", "validation"]),
        "max_splits": st.sampled_from([None, 3]),
        "max_leaves": st.sampled_from([None, 4]),
        "merge": st.sampled_from([1 / 3, 0.0, 0.9]),
        "min_samples_leaf": st.sampled_from([None, 1, 5, 500]),
        "n_bins": st.sampled_from([None, 254, 2]),
        "variation": st.sampled_from([None, 2.0]),
    },
)
FAITHFUL = {"stop": "theorem", "n_bins": None, "variation": 2.0}


def theorem_2(model):
    return [c for c in model.certificates_ if "Theorem 2" in c.kind]


@settings(max_examples=80, deadline=None)
@given(SETTINGS, st.booleans(), st.sampled_from(["numbers", "levels", "missing", "dates", "weights", "constant"]))
def test_theorem_2_is_promised_only_where_its_conditions_hold(asked, faithful, kind):
    asked = {**asked, **FAITHFUL} if faithful else asked
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.random(60), "b": rng.integers(0, 2, 60)})
    frame["c"] = {
        "levels": rng.choice(list("xyz"), 60),
        "missing": np.where(np.arange(60) % 9 == 0, np.nan, 1.0),
        "dates": pd.date_range("2020-01-01", periods=60, freq="11D"),
        "constant": 1.0,
    }.get(kind, rng.random(60))
    weights = rng.integers(1, 3, 60) if kind == "weights" else None
    y = (frame["a"] + frame["b"] > 1).to_numpy()
    holds = (
        asked.get("stop", "auto") == "theorem"
        and asked.get("max_splits") is None
        and asked.get("max_leaves") is None
        and asked.get("merge", 1 / 3) == 1 / 3
        and asked.get("min_samples_leaf") in {None, 1}
        and asked.get("n_bins", 254) is None
        and asked.get("variation") is not None
        and kind in {"numbers", "constant"}
    )
    for model in (
        RegressionGraphRegressor(random_state=0, **asked),
        RegressionGraphClassifier(random_state=0, **asked),
    ):
        found = theorem_2(model.fit(frame, y.astype(float), sample_weight=weights))
        assert bool(found) == holds
        if found:
            expected = 3 * (1 + 2) * np.log(5 * 60 * 3 / 0.05) / 60 ** (1 / 7)
            assert found[0].bound == pytest.approx(expected)


def test_theorem_2_is_for_one_graph():
    X = np.random.default_rng(0).random((90, 2))
    assert not theorem_2(RegressionGraphClassifier(**FAITHFUL).fit(X, np.arange(90) % 3))


# ---- boosting ----


def test_rounds_and_leaves_of_lemma_8():
    rho, eps = 0.3, 0.1
    inside = np.log(6 / (rho * eps))
    assert boosting_rounds(rho, eps) == np.ceil((6 * np.sqrt(inside) / (rho * np.sqrt(eps))) ** 3)
    # the proof: rounds are a quarter over the least that a round gains, at the most leaves there are
    leaves = 12 / (rho * np.sqrt(eps)) * np.sqrt(3 * inside)
    assert boosting_leaves(rho, eps) == np.ceil(leaves)
    assert 27 * inside * leaves / (4 * eps * rho**2) <= boosting_rounds(rho, eps)
    # at the most leaves, the cheapest merge (Lemma 1) costs no more than a third of what the best split gains
    gains = eps / 2 / leaves * threshold_correlation(rho, eps / 2) ** 2
    assert gains == pytest.approx(eps * rho**2 / (18 * leaves * inside))
    assert 8 / leaves**3 == pytest.approx(gains / 3)
    assert orderly_correlation(0.2, 8) == pytest.approx(0.04 / 40)
    with pytest.raises(InputError, match="eps=2 must be"):
        boosting_rounds(0.5, 2)


@pytest.mark.parametrize("d", [3, 6])
def test_with_all_rows_at_hand_the_rounds_of_lemma_8_suffice(d):
    """All inputs with their mean, an additive truth with kV = 1: the idealised algorithm, by axis-parallel splits."""
    cube = np.array(list(product((0, 1), repeat=d)))
    f, eps = cube.mean(axis=1), 0.01
    splits = [np.corrcoef(cube[:, i], f)[0, 1] for i in range(d)]
    assert max(splits) >= additive_correlation(f.var(), 1.0)
    enough = boosting_rounds(additive_correlation(eps / 2, 1.0), eps)
    model = RegressionGraphRegressor(max_splits=min(enough, 200)).fit(cube, f)
    assert np.mean((model.predict(cube) - f) ** 2) <= eps
    assert model.n_leaves_ <= boosting_leaves(additive_correlation(eps / 2, 1.0), eps)


# ---- no worse than a constant ----


@pytest.mark.parametrize("d", [10, 20, 40, 80])
@pytest.mark.parametrize("noise", ["bits", 0.1, 0.5])
def test_noisy_means_of_bits_are_no_worse_than_a_constant(d, noise):
    rng = np.random.default_rng(d)
    X = rng.integers(0, 2, (4000, d))
    f = X.mean(axis=1)
    y = rng.random(4000) < f if noise == "bits" else f + rng.normal(0, noise, 4000)
    model = RegressionGraphRegressor(random_state=0).fit(X[:2000], y[:2000].astype(float))
    constant = np.mean((y[:2000].mean() - f[2000:]) ** 2)
    assert np.mean((model.predict(X[2000:]) - f[2000:]) ** 2) <= constant * (1 + 1e-9)


@pytest.mark.parametrize(("d", "noise", "seed"), [(10, "bits", 1), (40, 0.1, 6)])
def test_means_of_bits_that_once_were_worse(d, noise, seed):
    """Three standard errors were not enough for these of 360 draws."""
    rng = np.random.default_rng([d, 500, seed])
    X = rng.integers(0, 2, (5500, d))
    f = X.mean(axis=1)
    y = rng.random(5500) < f if noise == "bits" else f + rng.normal(0, noise, 5500)
    model = RegressionGraphRegressor(random_state=0).fit(X[:500], y[:500].astype(float))
    assert np.mean((model.predict(X[500:]) - f[500:]) ** 2) <= np.mean((y[:500].mean() - f[500:]) ** 2) * (1 + 1e-9)


def test_columns_of_hundreds_of_levels_are_no_worse_than_the_majority():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"c{i}": rng.choice([f"l{j}" for j in range(300)], 2000) for i in range(3)})
    y = rng.choice(["a", "b", "c"], 2000, p=[0.53, 0.27, 0.2])
    model = RegressionGraphClassifier(random_state=0).fit(frame[:1000], y[:1000])
    assert model.score(frame[1000:], y[1000:]) >= np.mean(y[1000:] == "a")
    assert RegressionGraphClassifier("theorem").fit(frame[:1000], y[:1000]).score(frame[1000:], y[1000:]) < 0.5


def test_few_rows_that_say_it_clearly_are_enough():
    x = np.linspace(0, 1, 24)[:, None]
    assert RegressionGraphRegressor(random_state=0).fit(x, x[:, 0] > 0.4).score(x, x[:, 0] > 0.4) > 0.9
    assert RegressionGraphRegressor(random_state=0).fit(x, np.arange(24) % 2).n_leaves_ == 1


def test_what_there_is_to_learn_is_learned():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (3000, 10))
    y = X.mean(axis=1) + rng.normal(0, 0.1, 3000)
    by_rule = RegressionGraphRegressor("theorem").fit(X[:1000], y[:1000]).score(X[1000:], y[1000:])
    assert RegressionGraphRegressor(random_state=0).fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]) > by_rule - 0.02
