"""Regression graphs: the laws of the spec, oracles, and what can be read off a graph."""

import sqlite3
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeRegressor

from paclearn import RegressionGraphClassifier, RegressionGraphRegressor
from paclearn.encoding.bins import learn_bins
from paclearn.exceptions import InputError
from paclearn.graphs import threshold_correlation
from paclearn.kernels import dispatch as native
from paclearn.kernels import numpy_graphs as by_numpy
from paclearn.learners.graphs import RegressionGraph
from paclearn.learners.graphs.axis_splits import AxisBranching, BinnedRows, ExactTarget
from paclearn.learners.graphs.graph_growth import Growth, GrowthRules, HeldOutRows
from paclearn.learners.graphs.graph_stopping import theorem_splits
from paclearn.models.leaf_merges import merge_costs, plan_merges
from paclearn.tables.table import ArrayTable, as_table
from tests import naive

TABLES = st.integers(0, 10_000)


def table_of(seed, n=200, d=4):
    """Numbers, bits, whole numbers and levels, some of them missing, with a target that depends on them."""
    rng = np.random.RandomState(seed)
    columns = {f"number {i}": rng.normal(size=n).round(rng.randint(0, 3)) for i in range(d)}
    columns["bit"] = rng.randint(2, size=n)
    columns["level"] = rng.choice(list("abcdef"), n)
    frame = pd.DataFrame(columns)
    frame.loc[rng.random_sample(n) < 0.1, "number 0"] = np.nan
    frame.loc[rng.random_sample(n) < 0.1, "level"] = None
    score = frame["number 1"] + frame["bit"] + frame["level"].isin(["a", "c"]) + frame["number 0"].isna()
    return frame, (score + rng.normal(size=n)).to_numpy()


def growth_of(seed, rounds=15, merge=1 / 3, max_leaves=None, n=200):
    frame, y = table_of(seed, n)
    model = RegressionGraphRegressor()
    binned = learn_bins(as_table(model, frame, reset=True), 254)
    scaled = (y - y.min()) / np.ptp(y)
    branching = AxisBranching(binned, ExactTarget.of(scaled, np.ones(n)), 1)
    return binned, scaled, Growth(branching, GrowthRules(rounds, max_leaves, merge)).run()


# ---- the laws of Kalai (2005) ----


@settings(max_examples=25, deadline=None)
@given(TABLES)
def test_every_round_lowers_the_training_error_by_two_thirds_of_its_split(seed):
    binned, scaled, growth = growth_of(seed)
    errors = []
    for rounds in range(growth.n_rounds + 1):
        graph = RegressionGraph.of(*growth.graph(rounds), binned.domain)
        used = [c for c, column in enumerate(binned.domain.columns) if column in graph.columns]
        leaf = graph.leaf_of_codes(np.ascontiguousarray(binned.codes[used]))
        errors.append(((graph.shape.value[leaf] - scaled) ** 2).sum())
        # calibrated: the value of a leaf is the mean of its rows; identity (3): eps + mean y(1-y) = sum w p (1-p)
        for node in np.unique(leaf):
            assert graph.shape.value[node] == pytest.approx(scaled[leaf == node].mean(), abs=1e-9)
            assert graph.shape.weight[node] == (leaf == node).sum()
        share, value = graph.shape.weight / len(scaled), graph.shape.value
        leaves = slice(graph.shape.n_inner, None)
        gini = (share * value * (1 - value))[leaves].sum()
        assert errors[-1] / len(scaled) + (scaled * (1 - scaled)).mean() == pytest.approx(gini, abs=1e-9)
    for happened, before, after in zip(growth.rounds, errors, errors[1:], strict=False):
        levels = binned.layout[growth.nodes[happened.split].question.column, 3]
        if levels:  # what chance gives lowers the error as well
            assert before - after >= happened.gain - happened.cost - 1e-7
        else:
            assert before - after == pytest.approx(happened.gain - happened.cost, abs=1e-7)
        assert happened.cost <= happened.gain / 3 + 1e-12


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.floats(0.01, 1), st.floats(0, 1)), min_size=2, max_size=60))
def test_lemma_1_some_merge_is_cheap(leaves):
    weights, values = np.array(leaves).T
    weights, values = weights / weights.sum(), np.sort(values)
    assert merge_costs(weights, weights * values).min() <= 8 / len(leaves) ** 3


@settings(max_examples=50, deadline=None)
@given(TABLES)
def test_merge_costs_are_what_merging_costs(seed):
    rng = np.random.RandomState(seed)
    y, leaf = rng.random_sample(60), np.sort(rng.randint(4, size=60))
    weights, sums = np.bincount(leaf, minlength=4), np.bincount(leaf, y, 4)
    if (weights == 0).any():
        return
    order = np.argsort(sums / weights)
    costs = merge_costs(weights[order].astype(float), sums[order])
    for place, cost in enumerate(costs):
        merged = np.where(leaf == order[place + 1], order[place], leaf)
        assert cost == pytest.approx(_squares(y, merged) - _squares(y, leaf), abs=1e-12)


def _squares(y, leaf):
    return sum(((y[leaf == one] - y[leaf == one].mean()) ** 2).sum() for one in np.unique(leaf))


def test_merging_is_greedy_and_stays_within_its_allowance():
    weights, sums = np.ones(4), np.array([0.0, 0.125, 0.5, 0.75])
    plan = plan_merges(weights, sums, 1 / 128, 1.0, None)
    assert plan.starts.tolist() == [0, 2, 3]
    assert plan.cost == 1 / 128
    assert plan_merges(weights, sums, 0.0078, 1.0, None).starts.tolist() == [0, 1, 2, 3]
    assert plan_merges(weights, sums, 0.0, 1.0, 2).starts.tolist() == [0, 2]
    assert plan_merges(weights, sums, 0.0, 0.001, 2) is None
    assert weights.tolist() == [1.0] * 4


@pytest.mark.parametrize("d", [3, 4, 5, 6])
def test_the_mean_of_all_bits_takes_d_plus_one_leaves_and_stops(d):
    cube = np.array(list(product((0, 1), repeat=d)))
    model = RegressionGraphRegressor(max_splits=100_000).fit(cube, cube.mean(axis=1))
    assert model.n_leaves_ == d + 1
    assert np.allclose(model.predict(cube), cube.mean(axis=1))
    tree = DecisionTreeRegressor().fit(cube, cube.mean(axis=1))
    assert tree.get_n_leaves() == 2**d


@settings(max_examples=15, deadline=None)
@given(TABLES)
def test_growth_ends_by_itself(seed):
    _, _, growth = growth_of(seed, rounds=10**9, n=60)
    assert growth.n_rounds < 2000
    _, _, growth = growth_of(seed, rounds=10**9, max_leaves=3, n=60)
    assert len(growth.leaves) <= 3


@settings(max_examples=25, deadline=None)
@given(TABLES)
def test_a_graph_without_merging_is_the_tree_of_scikit_learn(seed):
    rng = np.random.RandomState(seed)
    X, y = rng.normal(size=(150, 5)), rng.normal(size=150)
    ours = RegressionGraphRegressor(max_splits=9, merge=0).fit(X, y)
    tree = DecisionTreeRegressor(max_leaf_nodes=10, random_state=0).fit(X, y)
    assert ours.n_leaves_ == 10
    assert ((ours.predict(X) - y) ** 2).sum() == pytest.approx(((tree.predict(X) - y) ** 2).sum())


def test_lemma_7_some_threshold_keeps_the_correlation():
    rng = np.random.RandomState(0)
    for _ in range(40):
        s = rng.random_sample(300) ** rng.randint(1, 4)
        t = rng.normal(size=300) + rng.uniform(0.1, 5) * s ** rng.randint(1, 5)
        t = np.sign(t) * np.abs(t) ** rng.uniform(0.3, 4)
        cor = np.corrcoef(s, t)[0, 1]
        if cor <= 0:
            continue
        cuts = [np.corrcoef(s, t >= cut)[0, 1] for cut in np.unique(t)[1:]]
        assert max(cuts) >= threshold_correlation(cor, s.var())


def test_the_rule_of_the_theorem():
    assert theorem_splits(5000) == int(5000 ** (3 / 7)) == 38
    assert theorem_splits(1) == 1
    assert theorem_splits(2**7) == 8


# ---- kernels ----


@settings(max_examples=40, deadline=None)
@given(TABLES, st.sampled_from([1, 5]), st.sampled_from([0.0, 0.05, 0.5]))
def test_the_compiled_core_and_numpy_agree_to_the_last_bit(seed, least, chance):
    if native._core is None:
        pytest.skip("the compiled core is not there")
    frame, y = table_of(seed)
    binned = learn_bins(as_table(RegressionGraphRegressor(), frame, reset=True), 254)
    rng = np.random.RandomState(seed)
    target = ExactTarget.of((y - y.min()) / np.ptp(y), rng.choice([0.0, 1.0, 2.5], len(y)))
    rows = np.flatnonzero(rng.random_sample(len(y)) < 0.7).astype(np.int32)
    layout = binned.layout
    histograms = [
        f(binned.codes, layout, rows, target.weights, target.sums)
        for f in (native._core.fill_histogram, by_numpy.fill_histogram)
    ]
    assert np.array_equal(*histograms)
    every = np.arange(len(layout), dtype=np.int32)
    weight, total = target.weights[rows].sum(), target.sums[rows].sum()
    found = [
        f(histograms[0], layout, every, weight, total, least, chance)
        for f in (native._core.best_split, by_numpy.best_split)
    ]
    assert found[0] == found[1]
    low = (rng.random_sample(256) < 0.5).astype(np.uint8)
    sides = [f(binned.codes[0], low, rows) for f in (native._core.partition_rows, by_numpy.partition_rows)]
    assert all(np.array_equal(*pair) for pair in zip(*sides, strict=True))


@settings(max_examples=20, deadline=None)
@given(TABLES)
def test_the_best_split_is_the_best_of_all(seed):
    """Against every threshold and every set of levels, tried one by one; of these, what is more than chance."""
    frame, y = table_of(seed, n=40, d=2)
    model = RegressionGraphRegressor(max_splits=1, merge=0).fit(frame, y)
    found, around, best = model.graph_.shape.gain.sum(), ((y - y.mean()) ** 2).sum(), 0.0
    for name in frame:
        column = frame[name]
        values = sorted(column.dropna().unique())
        if name == "level":
            chosen = [{v for i, v in enumerate(values) if mask >> i & 1} for mask in range(2 ** len(values))]
            sides = [column.isin(some) for some in chosen]
        else:
            sides = [column <= v for v in values]
        for low in [*sides, *(side | column.isna() for side in sides)]:
            if 0 < low.sum() < len(y):
                share = naive.beyond_chance(y, column.fillna("none")) if name == "level" else 1.0
                best = max(best, share * (around - _squares(y, low.to_numpy())))
    assert found == pytest.approx(best)


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_engines_give_the_same_model(engine, monkeypatch):
    if engine == "native" and native._core is None:
        pytest.skip("the compiled core is not there")
    frame, y = table_of(3, n=500)
    monkeypatch.setenv("PACLEARN_ENGINE", engine)
    model = RegressionGraphRegressor(max_splits=60).fit(frame, y)
    monkeypatch.setenv("PACLEARN_ENGINE", "auto")
    same = RegressionGraphRegressor(max_splits=60).fit(frame, y)
    assert model.to_text() == same.to_text()
    assert np.array_equal(model.predict(frame), same.predict(frame))


def test_the_order_of_rows_and_repeated_rows_are_of_no_account():
    frame, y = table_of(5, n=300)
    rng = np.random.RandomState(0)
    weights, order = rng.randint(0, 4, len(y)), rng.permutation(len(y))
    repeated = np.repeat(np.arange(len(y)), weights)
    for stop in ("theorem", "validation"):
        model = RegressionGraphRegressor(stop, random_state=0).fit(frame, y, weights)
        shuffled = RegressionGraphRegressor(stop, random_state=0).fit(frame.iloc[order], y[order], weights[order])
        copies = RegressionGraphRegressor(stop, random_state=0).fit(frame.iloc[repeated], y[repeated])
        assert model.graph_.to_text() == shuffled.graph_.to_text() == copies.graph_.to_text()


@settings(max_examples=15, deadline=None)
@given(TABLES)
def test_rows_left_out_see_the_graph_of_every_round(seed):
    binned, scaled, growth = growth_of(seed, rounds=12)
    rows = BinnedRows(binned, scaled, np.ones(len(scaled)))
    held = HeldOutRows(growth, rows.goes_low, rows.scaled, rows.weights)
    for rounds in range(1, growth.n_rounds + 1):
        held.follow()
        graph = RegressionGraph.of(*growth.graph(rounds), binned.domain)
        used = [c for c, column in enumerate(binned.domain.columns) if column in graph.columns]
        values = graph.shape.value[graph.leaf_of_codes(np.ascontiguousarray(binned.codes[used]))]
        assert np.allclose(held.predictions, values)
        assert held.error == pytest.approx(((values - scaled) ** 2).sum())


# ---- stopping, sizes, odd tables ----


def test_more_leaves_are_never_grown_than_asked_for():
    frame, y = table_of(0, n=500)
    errors = []
    for most in (1, 2, 3, 5, 8):
        model = RegressionGraphRegressor(max_splits=100, max_leaves=most).fit(frame, y)
        assert model.n_leaves_ <= most
        errors.append(((model.predict(frame) - y) ** 2).mean())
    assert errors == sorted(errors, reverse=True)
    assert errors[0] == pytest.approx(y.var())


def test_validation_stops_where_nothing_is_to_be_learned():
    rng = np.random.RandomState(0)
    X, y = rng.normal(size=(400, 5)), rng.normal(size=400)
    assert RegressionGraphRegressor("validation", random_state=0).fit(X, y).n_leaves_ <= 3
    assert RegressionGraphRegressor(random_state=0).fit(X, y).n_leaves_ == 1  # and so does the rule by default
    assert RegressionGraphRegressor("theorem").fit(X, y).n_leaves_ > 3


def test_missing_values_take_the_side_that_fits():
    x = np.array([0.0, 0.0, 1.0, 1.0, np.nan, np.nan] * 10)
    y = np.array([0.0, 0.0, 1.0, 1.0, 1.0, 1.0] * 10)
    model = RegressionGraphRegressor().fit(x[:, None], y)
    assert np.array_equal(model.predict(x[:, None]), y)
    assert "or missing" not in model.graph_.to_text()  # they go with the no
    assert [part.text for part in model.explain([[np.nan]])[0].parts] == ["x0 > 0 or missing"]
    only = RegressionGraphRegressor().fit(np.where(np.isnan(x), np.nan, 7.0)[:, None], np.isnan(x).astype(float))
    assert only.predict([[np.nan], [7.0], [8.0]]).tolist() == [1.0, 0.0, 0.0]


def test_unseen_levels_go_where_most_rows_go():
    x = np.array([["a"]] * 30 + [["b"]] * 10, dtype=object)
    model = RegressionGraphRegressor().fit(x, np.repeat([0.0, 1.0], [30, 10]))
    assert model.predict(np.array([["never"], [None], ["b"]], dtype=object)).tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("X", [[[1.0]], [[1.0]] * 5, [["a"]] * 3, [[np.nan]] * 4])
def test_nothing_to_ask(X):
    model = RegressionGraphRegressor().fit(np.array(X, dtype=object), np.arange(len(X), dtype=float))
    assert model.n_nodes_ == 1
    assert np.allclose(model.predict(np.array(X, dtype=object)), (len(X) - 1) / 2)
    assert model.graph_.to_text()
    assert model.graph_.rules()[0].conditions == ()


def test_targets_too_large_to_square_are_refused():
    with pytest.raises(InputError, match=r"goes up to 1e\+300, too far to square; rescale it"):
        RegressionGraphRegressor().fit([[0], [1]], [0, 1e300])
    assert RegressionGraphRegressor().fit([[0], [1]], [0, 1e-300]).predict([[1]]) == 1e-300


def test_more_levels_than_a_byte_has():
    rng = np.random.RandomState(0)
    levels = np.array([f"level {i}" for i in range(600)], dtype=object)
    x = np.concatenate([levels, rng.choice(levels[:100], 3000)])
    y = (np.char.str_len(x.astype(str)) > 8).astype(float)
    model = RegressionGraphRegressor(max_splits=20).fit(x[:, None], y)
    assert model.score(x[:, None], y) > 0.5
    assert len(model.domain_.columns[0].levels) == 253


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"stop": "never"}, "stop='never' is not known; it can be 'auto', 'theorem', 'validation'"),
        ({"max_splits": 0}, "max_splits=0 must be a whole number >= 1, or None"),
        ({"max_leaves": 2.5}, "max_leaves=2.5 must be"),
        ({"merge": 1}, "merge=1 must be a number from 0 to below 1"),
        ({"n_bins": 255}, "n_bins=255 must be a whole number from 2 to 254"),
        ({"patience": 0}, "patience=0 must be"),
        ({"n_folds": 1}, "n_folds=1 must be a whole number >= 2"),
        ({"holdout": 1.5}, "holdout=1.5 must be a number between 0 and 1"),
        ({"min_samples_leaf": 0}, "min_samples_leaf=0 must be"),
    ],
)
def test_parameters_are_checked(parameters, message):
    with pytest.raises(InputError, match=message):
        RegressionGraphRegressor(**parameters).fit([[0], [1]], [0, 1])


# ---- classes ----


def test_classes_and_their_probabilities():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(900, 4))
    y = np.where(X[:, 0] > 0, np.where(X[:, 1] > 0, "a", "b"), "c")
    model = RegressionGraphClassifier(holdout=0.3, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.97
    assert np.allclose(model.predict_proba(X).sum(axis=1), 1)
    assert set(model.graphs_) == {"a", "b", "c"}
    with pytest.raises(AttributeError, match="3 classes and one graph for each"):
        _ = model.graph_
    assert model.certificate_.kind.startswith("Clopper-Pearson")
    assert model.certificate_.bound < 0.1
    assert model.explain(X[:2])[0].outputs == ("a", "b", "c")
    assert "a:" in model.to_text()
    two = RegressionGraphClassifier().fit(X, y == "a")
    assert two.graph_ is two.graphs_[True]
    assert np.allclose(two.predict_proba(X)[:, 1], two.graph_.predict(ArrayTable(X, ("x0", "x1", "x2", "x3"))))


# ---- certificates ----


def test_certificates_of_the_theorems():
    rng = np.random.RandomState(0)
    X = rng.random_sample((4000, 3))
    y = 2 * X.mean(axis=1)
    settings = {"n_bins": None, "variation": 1.0, "holdout": 0.25, "random_state": 0}
    model = RegressionGraphRegressor("theorem", **settings).fit(X, y)
    uniform, held, excess = model.certificates_
    n = 3000
    assert uniform.kind.endswith("(Theorem 3)")
    delta = 0.05 * 0.1  # what the bound from rows held out leaves
    expected = 3.8 * np.sqrt(model.n_nodes_ * np.log(3 * 3 * n * model.n_nodes_ / delta) / n)
    assert (uniform.bound - uniform.observed) / model._width**2 == pytest.approx(expected)
    assert excess.bound / model._width**2 == pytest.approx(3 * 2 * np.log(5 * n * 3 / 0.05) / n ** (1 / 7))
    assert "kV <= 1" in str(excess)
    assert model.certificate_.bound == min(uniform.bound, held.bound)
    assert model.certificate_.delta == 0.05
    assert np.ptp(y) >= model._width
    assert len(RegressionGraphRegressor(max_splits=5).fit(X, y).certificates_) == 1


class CountedTable:
    """A table that knows how often each of its columns was read."""

    def __init__(self, frame):
        self.frame, self.names, self.n_rows = frame, tuple(frame), len(frame)
        self.reads = dict.fromkeys(frame, 0)

    def column(self, position):
        self.reads[self.names[position]] += 1
        return self.frame.iloc[:, position].to_numpy()


@pytest.mark.parametrize("stop", ["theorem", "validation"])
def test_growing_and_certifying_read_a_column_once(stop):
    frame, y = table_of(2)
    table = CountedTable(frame)
    model = RegressionGraphRegressor(stop, random_state=0).fit(table, y)
    assert set(table.reads.values()) == {1}
    model.predict(table)
    asked = {column.name for column in model.graph_.columns}
    assert table.reads == {name: 1 + (name in asked) for name in frame}


def test_the_uniform_bound_holds_on_fresh_rows():
    rng = np.random.RandomState(1)
    for seed in range(5):
        X = rng.random_sample((2000, 3))
        y = (rng.random_sample(2000) < X[:, 0]).astype(float)
        model = RegressionGraphRegressor(random_state=seed).fit(X[:500], y[:500])
        assert ((model.predict(X[500:]) - y[500:]) ** 2).mean() <= model.certificate_.bound


# ---- reading ----


@pytest.fixture(scope="module")
def fitted():
    frame, y = table_of(7, n=2000)
    return frame, y, RegressionGraphRegressor(max_splits=40).fit(frame, y)


def test_paths_lead_to_the_prediction(fitted):
    frame, _, model = fitted
    table = as_table(model, frame.head(50), reset=False)
    paths = model.graph_.paths(table)
    assert [path[-1] for path in paths] == model.graph_.leaf_of(table).tolist()
    told = [model.graph_.path_in_words(path) for path in paths]
    assert all(
        f"{value:.4g} (the mean of" in text for value, text in zip(model.predict(frame.head(50)), told, strict=True)
    )
    for path, text, reasons in zip(paths, told, model.explain(frame.head(50), most=100), strict=True):
        assert len(reasons.parts) == len(path) - 1
        assert all(part.text in text for part in reasons.parts)


def test_text_says_every_node(fitted):
    _, _, model = fitted
    text = model.graph_.to_text()
    assert len(text.splitlines()) == model.n_nodes_ + 5
    assert f"{model.n_leaves_} leaves" in text
    assert "2,000" in text


def test_rules_say_what_the_graph_says(fitted):
    frame, y, _ = fitted
    model = RegressionGraphRegressor(max_splits=8).fit(frame, y)
    rules = model.graph_.rules()
    predictions = model.predict(frame)
    said = np.full(len(frame), np.nan)
    for rule in rules:
        holds = np.ones(len(frame), dtype=bool)
        for text in rule.conditions:
            holds &= _holds(frame, text)
        assert np.isnan(said[holds]).all()
        said[holds] = rule.value
    assert np.allclose(said, predictions)
    assert str(rules[0]).startswith("IF ")
    with pytest.raises(InputError, match="ways from its root to its leaves, more than most=1"):
        model.graph_.rules(most=1)


def _holds(frame, text):
    """A condition in words, read back."""
    missing = text.endswith(" or missing")
    text = text.removesuffix(" or missing")
    name = next(name for name in sorted(frame, key=len, reverse=True) if name in text)
    column = frame[name]
    if "{" in text:
        levels = text[text.index("{") + 1 : -1].split(", ")
        holds = column.fillna("missing").isin(levels)
        return ~holds if "not in" in text else holds
    if text.endswith(("is missing", "is present")):
        return column.isna() if text.endswith("missing") else column.notna()
    if " is not " in text or " = " in text:
        level = text.split(" is not ")[-1].split(" = ")[-1]
        holds = column.fillna("missing") == level
        return ~holds if " is not " in text else holds
    holds = pd.eval(text.replace(name, "values"), local_dict={"values": column.to_numpy(dtype=float)})
    return holds | column.isna() if missing else holds


def test_pruning_merges_the_cheapest_leaves(fitted):
    frame, y, model = fitted
    errors = []
    for most in (model.n_leaves_, 5, 3, 1):
        small = model.graph_.pruned(most)
        assert small.n_leaves == most
        table = as_table(model, frame, reset=False)
        leaf = small.leaf_of(table)
        for node in np.unique(leaf):
            assert small.shape.value[node] == pytest.approx(y[leaf == node].mean())
        errors.append(((small.predict(table) - y) ** 2).mean())
    assert errors == sorted(errors)
    assert small.n_nodes == 1
    with pytest.raises(InputError, match="max_leaves=0"):
        model.graph_.pruned(0)


def test_effects_are_partial_dependence(fitted):
    frame, _, model = fitted
    effect = model.effect("level", frame)
    for level, mean in zip(effect["value"], effect["effect"], strict=True):
        changed = frame.assign(level=None if level == "missing" else level)
        some = np.unique(np.linspace(0, 1999, 1000).astype(int))
        assert model.predict(changed)[some].mean() == pytest.approx(mean)
    numbers = model.effect("number 1", frame)
    assert numbers["effect"].iloc[-1] > numbers["effect"].iloc[0]
    with pytest.raises(InputError, match="there is no column 'levl'; did you mean 'level'"):
        model.effect("levl", frame)


def test_importances_add_up(fitted):
    frame, _, model = fitted
    shares = dict(zip(frame, model.feature_importances_, strict=True))
    assert sum(shares.values()) == pytest.approx(1)
    assert shares["number 1"] > shares["number 2"]


def test_dot_is_well_formed(fitted):
    _, _, model = fitted
    dot = model.graph_.to_dot()
    assert dot.count("->") == 2 * model.graph_.shape.n_inner
    assert dot.startswith("digraph {")
    assert dot.endswith("}")


def test_the_drawing_has_every_node(fitted):
    pytest.importorskip("matplotlib").use("Agg")
    frame, y, _ = fitted
    small = RegressionGraphRegressor(max_splits=12).fit(frame, y)
    display = small.graph_.plot()
    assert len(display.ax_.texts) == small.n_nodes_
    assert len(display.ax_.patches) == 2 * small.graph_.shape.n_inner
    assert small.plot_effect("number 1", frame).ax_.get_xlabel() == "number 1"
    assert small.plot_effect("level", frame).ax_.get_xlabel() == "level"
    big = RegressionGraphRegressor(max_splits=400, merge=0).fit(frame, y)
    with pytest.raises(InputError, match="cannot be read"):
        big.graph_.plot()


# ---- SQL ----


def odd_table(n=10_000):
    """Names and levels that no quoting should break, NULLs, and levels that training never saw."""
    rng = np.random.RandomState(0)
    levels = ["it's", 'say "hi"', "semi;colon -- no comment", "😀", "", "NULL", "a\0b", "back\\slash", "%_"]
    frame = pd.DataFrame(
        {
            'we"ird; name': rng.normal(size=n) * 1e-3,
            "node": rng.normal(size=n) * 1e9,
            "😀": rng.choice(levels, n).astype(object),
            "select": rng.randint(0, 5, n).astype(float),
            "flag": rng.randint(0, 2, n).astype(bool),
        }
    )
    for name in ("node", "😀", "select"):
        frame.loc[rng.random_sample(n) < 0.1, name] = None
    y = 1e3 * frame['we"ird; name'] + frame["😀"].isin(["it's", "😀", "a\0b"]) + frame["select"].fillna(9) / 3
    y += frame["flag"] * (frame["node"].fillna(2e9) > 0) + 0.1 * rng.normal(size=n)
    return frame, y.to_numpy()


def run_sql(frame, query):
    connection = sqlite3.connect(":memory:")
    names = [f'"{name.replace(chr(34), chr(34) * 2)}"' for name in frame]
    connection.execute(f'CREATE TABLE "my ""table"" " ({", ".join(names)})')
    marks = ", ".join("?" * len(names))
    rows = [[None if pd.isna(value) else value for value in row] for row in frame.astype(object).to_numpy().tolist()]
    connection.executemany(f'INSERT INTO "my ""table"" " VALUES ({marks})', rows)
    return connection.execute(query).fetchall()


def test_sql_gives_the_same_predictions():
    frame, y = odd_table()
    model = RegressionGraphRegressor(max_splits=150).fit(frame.iloc[:5000], y[:5000])
    new = frame.copy()
    new.loc[::7, "😀"] = "never seen"
    new.insert(0, "id", np.arange(len(new)))
    query = model.graph_.to_sql('my "table" ', keys=["id"], name="how much?")
    found = dict(run_sql(new, query))
    assert len(found) == 10_000
    predictions = model.predict(new.drop(columns="id"))
    assert [found[i] for i in range(10_000)] == predictions.tolist()
    assert len(query) < 150 * model.n_nodes_ + 60 * model.n_nodes_
    small = RegressionGraphRegressor(max_splits=10).fit(frame, y)
    expression = small.graph_.to_sql()
    rows = run_sql(new, f'SELECT {expression} FROM "my ""table"" " ORDER BY "id"')
    assert [row[0] for row in rows] == small.predict(new.drop(columns="id")).tolist()
    with pytest.raises(InputError, match="as one expression the graph would take"):
        model.graph_.to_sql()
    lone = RegressionGraphRegressor(max_leaves=1).fit(frame, y)
    assert [row[1] for row in run_sql(new, lone.graph_.to_sql('my "table" ', keys=["id"]))] == lone.predict(
        frame
    ).tolist()


def test_sql_names_and_literals():
    from paclearn.views import sql_words as _sql

    assert _sql.identifier('a"b') == '"a""b"'
    assert _sql.text("it's") == "'it''s'"
    assert _sql.number(0.1) == "0.1e0"
    assert _sql.number(float("nan")) == "NULL"
    connection = sqlite3.connect(":memory:")
    for text in ("it's", "😀", "", "--", "\\"):
        assert connection.execute(f"SELECT {_sql.text(text)}").fetchone() == (text,)
    for value in (0.1, 1e-300, -1.7976931348623157e308, 5e-324, 3.0):
        assert connection.execute(f"SELECT {_sql.number(value)}").fetchone() == (value,)
    for name in ("", "a\0b"):
        with pytest.raises(InputError, match="cannot be the name of a column"):
            _sql.identifier(name)
    with pytest.raises(InputError, match="holds a NUL character"):
        _sql.text("a\0b")
    with pytest.raises(InputError, match="lone surrogate"):
        _sql.text("\ud800")
    with pytest.raises(InputError, match="no literal for infinity"):
        _sql.number(float("inf"))


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("null", [True, False])
@pytest.mark.parametrize("listed", [(), ("a",), ("a", "b")])
def test_sql_membership(inside, null, listed):
    from paclearn.views import sql_words as _sql

    told = _sql.among("c", _sql.identifier("c"), [_sql.text(v) for v in listed], inside=inside, null=null)
    for value in ("a", "b", "z", None):
        connection = sqlite3.connect(":memory:")
        connection.execute('CREATE TABLE t ("c")')
        connection.execute("INSERT INTO t VALUES (?)", (value,))
        (found,) = connection.execute(f"SELECT CASE WHEN {told} THEN 1 ELSE 0 END FROM t").fetchone()
        assert found == (null if value is None else (value in listed) == inside)


@pytest.mark.parametrize(("share", "gain"), [(0.0, 0.0), (0.15, 0.0), (0.6, 0.15)])
def test_hundreds_of_levels_are_no_worse_than_the_most_frequent_class(share, gain):
    """Subsets of so many levels fit any three classes by chance; what a column does say is found all the same."""
    rng = np.random.default_rng(0)
    n, labels = 2000, np.array(list("abc"))
    X = pd.DataFrame({f"c{i}": rng.integers(0, q, n + 2000).astype(str) for i, q in enumerate((200, 500, 40))})
    y = rng.choice(labels, n + 2000, p=[0.53, 0.27, 0.2])
    told = labels[rng.integers(0, 3, 200)][X["c0"].astype(int)]
    y = np.where(rng.random(n + 2000) < share, told, y)
    model = RegressionGraphClassifier(random_state=0).fit(X[:n], y[:n])
    most = max(np.mean(y[n:] == label) for label in labels)
    assert np.mean(model.predict(X[n:]) == y[n:]) >= most + gain
