"""Columns of many levels: what sorting the levels by their means gains by chance does not count."""

from itertools import permutations
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

from paclearn import (
    RegressionGraphClassifier,
    RegressionGraphEnsembleClassifier,
    RegressionGraphEnsembleRegressor,
    RegressionGraphRegressor,
)
from paclearn.learners.graphs.axis_splits import AxisLeaf
from paclearn.models.leaf_merges import merge_costs
from tests import naive

SEEDS = range(12)


def noisy_table(seed, n=2000, n_levels=400):
    """A number and a column of six levels that say a little, and one of very many that says nothing."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "noise": rng.integers(n_levels, size=n).astype(str),
            "number": rng.normal(size=n),
            "few": rng.choice(list("abcdef"), n),
        }
    )
    return frame, 0.4 * frame["number"] + 0.3 * frame["few"].isin(["a", "b"]) + rng.normal(size=n), rng


def first_question(model):
    graph = model.graph_
    return graph.columns[graph.asks[0]].name if len(graph.asks) else None


def one_split(frame, y):
    return RegressionGraphRegressor(max_splits=1, merge=0).fit(frame, y).graph_.shape.gain.sum()


def test_chance_is_what_targets_dealt_out_in_all_ways_give_on_the_average():
    y, levels = np.array([0.0, 0.0, 0.1, 0.7, 1.0, 0.4]), np.array([0, 0, 0, 1, 2, 2])
    leaf = AxisLeaf(np.arange(6, dtype=np.int32), 6.0, y.sum(), (y**2).sum(), None)

    def between(dealt):
        return sum((levels == k).sum() * (dealt[levels == k].mean() - y.mean()) ** 2 for k in range(3))

    mean = np.mean([between(np.array(dealt)) for dealt in permutations(y)])
    assert mean == pytest.approx(2 * leaf.chance(1.0))
    assert leaf.chance(1.0) == pytest.approx(y.var(ddof=1))


def test_a_leaf_of_one_draw_has_no_chance():
    assert AxisLeaf(np.zeros(1, dtype=np.int32), 1.0, 1.0, 1.0, None).chance(1.0) == 0


@pytest.mark.parametrize("seed", range(5))
def test_two_levels_are_worth_what_two_numbers_are(seed):
    rng = np.random.default_rng(seed)
    bit = rng.integers(2, size=50)
    y = rng.normal(size=50) + bit
    gains = [one_split(pd.DataFrame({"x": column}), y) for column in (bit, np.where(bit, "yes", "no"))]
    assert gains[0] == gains[1] > 0


@pytest.mark.parametrize("seed", range(5))
def test_more_levels_are_worth_what_is_more_than_chance(seed):
    rng = np.random.default_rng(seed)
    levels = rng.choice(list("abcdefgh"), 200)
    y = rng.normal(size=200) + np.isin(levels, ["a", "d"])
    means = pd.Series(y).groupby(levels).agg(["mean", "size"]).sort_values("mean")
    sums, sizes = (means["mean"] * means["size"]).to_numpy(), means["size"].to_numpy(dtype=float)
    cuts = [np.array([[part[:i].sum(), part[i:].sum()] for part in (sizes, sums)]) for i in range(1, 8)]
    best = max(merge_costs(*cut)[0] for cut in cuts)
    assert one_split(pd.DataFrame({"x": levels}), y) == pytest.approx(best * naive.beyond_chance(y, levels))


@pytest.mark.parametrize("missing", [False, True])
def test_levels_that_say_nothing_are_not_asked_first(missing):
    taken = {"as it is": 0, "without the charge": 0}
    for seed in SEEDS:
        frame, y, rng = noisy_table(seed, n=1000)
        if missing:
            frame.loc[rng.random(len(frame)) < 0.1, "noise"] = None
        model = RegressionGraphRegressor(max_splits=1)
        taken["as it is"] += first_question(model.fit(frame, y)) == "noise"
        with patch.object(AxisLeaf, "chance", lambda *_: 0.0):
            taken["without the charge"] += first_question(model.fit(frame, y)) == "noise"
    assert taken == {"as it is": 0, "without the charge": len(SEEDS)}


def test_nor_by_classifiers_which_then_find_what_is_there():
    for seed in SEEDS:
        frame, y, _ = noisy_table(seed, n=4000)
        model = RegressionGraphClassifier().fit(frame[:2000], y[:2000] > y.mean())
        assert first_question(model) in {"number", "few"}
        assert model.score(frame[2000:], y[2000:] > y.mean()) > 0.55


def test_many_levels_that_say_much_are_asked_first():
    for seed in SEEDS:
        frame, y, rng = noisy_table(seed, n=4000)
        effects = rng.normal(size=400)
        y = y + effects[frame["noise"].astype(int)]
        assert first_question(RegressionGraphRegressor(max_splits=1).fit(frame, y)) == "noise"


def test_as_many_levels_as_rows_say_nothing():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"name": [f"row {i}" for i in range(150)], "bit": rng.integers(2, size=150)})
    y = frame["bit"] + rng.normal(size=150)
    assert first_question(RegressionGraphRegressor(max_splits=1).fit(frame, y)) == "bit"


@pytest.mark.parametrize("times", [0.3, 2.7])
def test_the_size_of_weights_that_are_not_counts_is_of_no_account(times):
    frame, y, rng = noisy_table(1)
    relative = rng.random(len(frame)) + 0.5
    model = RegressionGraphRegressor(max_splits=15)
    said = model.fit(frame, y, sample_weight=relative).predict(frame)
    scaled = model.fit(frame, y, sample_weight=relative * times).predict(frame)
    assert scaled == pytest.approx(said, abs=1e-6)


def test_rows_of_weight_three_are_three_rows():
    frame, y, rng = noisy_table(2, n=400, n_levels=60)
    counts = rng.integers(0, 4, len(frame))
    model = RegressionGraphRegressor(max_splits=15)
    said = model.fit(frame, y, sample_weight=counts).predict(frame)
    repeated = np.repeat(np.arange(len(frame)), counts)
    assert model.fit(frame.iloc[repeated], y.iloc[repeated]).predict(frame) == pytest.approx(said, abs=1e-12)


@pytest.mark.parametrize("Ensemble", [RegressionGraphEnsembleClassifier, RegressionGraphEnsembleRegressor])
def test_ensembles_lend_such_levels_less_weight(Ensemble):
    frame, y, _ = noisy_table(3)
    y = y > y.mean() if Ensemble is RegressionGraphEnsembleClassifier else y
    model = Ensemble(10, method="bagging", max_splits=20, random_state=0)
    noise = list(frame).index("noise")
    share = model.fit(frame, y).feature_importances_[noise]
    with patch.object(AxisLeaf, "chance", lambda *_: 0.0):
        assert share < 0.75 * model.fit(frame, y).feature_importances_[noise]
