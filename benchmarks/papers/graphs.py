"""Regression graphs beside trees, boosting and additive models (Kalai: Efficient Estimators for Generalized Additive
Models).

sizes: nodes of a graph and of a tree for the mean of d bits. gams: error against the true mean for n rows of noisy
targets. tables: R2 on real tables. orderly: where no bit correlates. speed: time to fit, against n and d.

usage: PACLEARN_DATA=folder OMP_NUM_THREADS=1 python -m benchmarks.papers.graphs [sizes gams tables orderly speed]
[--seeds 10]
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import time
import unittest.mock
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import GridSearchCV, KFold, train_test_split
from sklearn.tree import DecisionTreeRegressor

from paclearn import (
    CorrelationBoostingRegressor,
    OrderlyCorrelator,
    RegressionGraphEnsembleRegressor,
    RegressionGraphRegressor,
)
from paclearn.datasets import make_gam, make_orderly
from paclearn.models import decision_graph

FRESH_ROWS = 20_000
PICTURE = Path(__file__).parents[2] / "docs" / "_static" / "graphs_speed.svg"


def sizes():
    """All 2^d rows with their mean: a graph grown until nothing is left to gain, and the tree that does the same."""
    print("mean of d bits: leaves and nodes of the graph, nodes as it grew, and as few as can be; nodes of the tree")
    for d in (*range(2, 13), 14, 16):
        cube = np.array(list(product((0, 1), repeat=d)))
        y = cube.mean(axis=1)
        graph = RegressionGraphRegressor(max_splits=10**6).fit(cube, y)
        tree = DecisionTreeRegressor().fit(cube, y).tree_
        assert np.allclose(graph.predict(cube), y)
        with unittest.mock.patch.object(decision_graph, "smaller_wiring", return_value=None):
            grown = RegressionGraphRegressor(max_splits=10**6).fit(cube, y).n_nodes_
        sizes = f"{graph.n_leaves_}, {graph.n_nodes_}, {grown}, {(d + 1) * (d + 2) // 2}; {tree.node_count}"
        print(f"  d = {d}: {sizes}", flush=True)


# ---- noisy targets with a known mean ----


def mean_of_bits(n, seed):
    rng = np.random.RandomState(seed)
    X = rng.randint(0, 2, (n, 20)).astype(float)
    mean = X.mean(axis=1)
    return X, (rng.random_sample(n) < mean).astype(float), mean


def gam(link):
    def draw(n, seed):
        data = make_gam(n, link=link, random_state=seed)
        return data.data, data.target, data.mean

    return draw


def pruned_tree(X, y):
    """The best of cost-complexity pruning: two dozen penalties of the path, most of them large, by five folds."""
    path = DecisionTreeRegressor(random_state=0).cost_complexity_pruning_path(X, y).ccp_alphas
    penalties = np.unique(
        np.concatenate([path[-16:], path[-64:-16:6], np.quantile(path, [0, 0.25, 0.5, 0.75])]).clip(0)
    )
    folds = KFold(5, shuffle=True, random_state=0)
    grid = {"ccp_alpha": penalties}
    search = GridSearchCV(DecisionTreeRegressor(random_state=0), grid, cv=folds, scoring="neg_mean_squared_error")
    return search.fit(X, y)


def models():
    found = {
        "tree, pruned": pruned_tree,
        "graph, theorem": lambda X, y: RegressionGraphRegressor("theorem").fit(X, y),
        "graph, by default": lambda X, y: RegressionGraphRegressor(random_state=0).fit(X, y),
        "graph, validation": lambda X, y: RegressionGraphRegressor("validation", random_state=0).fit(X, y),
        "ensemble": lambda X, y: RegressionGraphEnsembleRegressor(random_state=0).fit(X, y),
        "bagged graphs": lambda X, y: RegressionGraphEnsembleRegressor(method="bagging", random_state=0).fit(X, y),
        "HistGB": lambda X, y: HistGradientBoostingRegressor(early_stopping=False, random_state=0).fit(X, y),
        "HistGB, early": lambda X, y: HistGradientBoostingRegressor(early_stopping=True, random_state=0).fit(X, y),
    }
    if importlib.util.find_spec("pygam"):
        found["pyGAM, logistic"] = _pygam
    if importlib.util.find_spec("interpret"):
        found["EBM"] = _ebm
    return found


def _pygam(X, y):
    from pygam import LogisticGAM

    model = LogisticGAM().gridsearch(X, y, progress=False)
    model.predict = model.predict_mu
    return model


def _ebm(X, y):
    from interpret.glassbox import ExplainableBoostingRegressor

    return ExplainableBoostingRegressor(random_state=0).fit(X, y)


def gams(seeds, rows=(5000,), chosen=None):
    data = {"mean of 20 bits": mean_of_bits, "logistic GAM": gam("logistic"), "GAM with a link of steps": gam("steps")}
    for name, draw in data.items():
        if chosen and name not in chosen:
            continue
        fresh, _, mean = draw(FRESH_ROWS, 10**6)
        print(f"\n{name}: squared error against the true mean (variance {mean.var():.4f})", flush=True)
        for n in rows:
            errors = {label: [] for label in models()}
            for seed in range(seeds):
                X, y, _ = draw(n, seed)
                for label, fit in models().items():
                    errors[label].append(np.mean((fit(X, y).predict(fresh) - mean) ** 2))
            for label, found in errors.items():
                wins = np.mean(np.array(found) < np.array(errors["HistGB, early"]))
                print(f"  n = {n}, {label}: {np.mean(found):.4f} ({np.std(found):.4f}), below HistGB with early "
                      f"stopping in {100 * wins:.0f} %", flush=True)  # fmt: skip


# ---- real tables ----


def tables(seeds, chosen=None):
    for name in chosen or ("concrete_strength", "bike_sharing_hour"):
        frame = pd.read_parquet(Path(os.environ["PACLEARN_DATA"]) / f"{name}.parquet")
        y = frame.pop("target").to_numpy(dtype=float)
        coded = frame.copy()
        for column in coded.select_dtypes(exclude="number"):
            coded[column] = coded[column].astype("category")
        found = {"HistGB": [], "HistGB, early": [], "graph, theorem": [], "graph, validation": [], "ensemble": []}
        for seed in range(seeds):
            train, test = train_test_split(np.arange(len(y)), random_state=seed)
            for label, early in (("HistGB", False), ("HistGB, early", True)):
                model = HistGradientBoostingRegressor(
                    early_stopping=early, categorical_features="from_dtype", random_state=0
                )
                found[label].append(model.fit(coded.iloc[train], y[train]).score(coded.iloc[test], y[test]))
            ours = {
                "graph, theorem": RegressionGraphRegressor("theorem"),
                "graph, by default": RegressionGraphRegressor(random_state=0),
                "graph, validation": RegressionGraphRegressor("validation", random_state=0),
                "ensemble": RegressionGraphEnsembleRegressor(random_state=0),
            }
            for label, model in ours.items():
                found[label].append(model.fit(frame.iloc[train], y[train]).score(frame.iloc[test], y[test]))
        print(f"\n{name}: R2 on a quarter of the rows, {seeds} splits", flush=True)
        for label, scores in found.items():
            print(f"  {label}: {np.mean(scores):.4f} ({np.std(scores):.4f})", flush=True)


# ---- orderly trees ----


RARER = {"depth": 30, "growth": 1.5, "noise": 0.1}  # a law whose first bits Figure 6 does set aside


USUAL = {"n_extra": 100, "noise": 0.2}


def orderly(seeds, settings=((10_000, 51, USUAL), (20_000, 150, USUAL), (20_000, 60, RARER))):
    print("\norderly trees: R2 against the true mean", flush=True)
    for n, splits, law in settings:
        found = {}
        for seed in range(seeds):
            data = make_orderly(n, random_state=seed, **law)
            fresh = make_orderly(FRESH_ROWS, random_state=10**6, **law)
            letter = OrderlyCorrelator(0.25)
            ours = {
                "orderly correlator": CorrelationBoostingRegressor(OrderlyCorrelator(), max_splits=splits),
                "Figure 6 to the letter": CorrelationBoostingRegressor(letter, max_splits=splits),
                "axis splits, as many": RegressionGraphRegressor(max_splits=splits),
                "tree, as many": DecisionTreeRegressor(max_leaf_nodes=splits + 1, random_state=0),
                "HistGB, early": HistGradientBoostingRegressor(early_stopping=True, random_state=0),
            }
            for label, model in ours.items():
                said = model.fit(data.data, data.target).predict(fresh.data)
                found.setdefault(label, []).append(1 - np.mean((said - fresh.mean) ** 2) / fresh.mean.var())
        largest, first = np.abs(data.correlations).max(), letter.fit(data.data, data.target)
        reached = np.corrcoef(first.predict(fresh.data), fresh.mean)[0, 1]
        print(f"  n = {n}, {splits} splits, largest correlation of a bit {largest:.4f}", flush=True)
        print(f"    Figure 6 sets {len(first.aside_)} values aside; its first question has {reached:.4f}", flush=True)
        for label, scores in found.items():
            print(f"    {label}: {np.mean(scores):.3f} ({np.std(scores):.3f})", flush=True)


# ---- speed ----


def _seconds(model, X, y, repeats=3):
    """Processor time, the best of three: all contenders use one thread."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        model.fit(X, y)
        times.append(time.process_time() - start)
    return min(times)


def _speed_data(n, d):
    rng = np.random.RandomState(0)
    X = rng.random_sample((n, d))
    return X, np.sin(4 * X[:, 0]) + X[:, 1:5].sum(axis=1) + 0.3 * rng.normal(size=n)


def speed():
    X, y = _speed_data(100_000, 20)
    ours = _seconds(RegressionGraphRegressor(max_splits=200), X, y)
    tree = _seconds(DecisionTreeRegressor(max_leaf_nodes=200), X, y)
    print(f"\nn = 1e5, d = 20, 200 splits: {ours / tree:.2f} times the time of the tree with 200 leaves", flush=True)
    model = RegressionGraphRegressor(max_splits=200)
    rows, columns = (25_000, 50_000, 100_000, 200_000, 400_000), (5, 10, 20, 40, 80)
    lines = {
        "rows (20 columns)": [(n, _seconds(model, *_speed_data(n, 20)) / tree) for n in rows],
        "columns (100 000 rows)": [(d, _seconds(model, *_speed_data(100_000, d)) / tree) for d in columns],
    }
    for label, points in lines.items():
        print(f"  {label}: " + ", ".join(f"{size}: {ratio:.2f}" for size, ratio in points), flush=True)
    _draw(lines)


def _draw(lines):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained", sharey=True)
    for ax, (label, points) in zip(axes, lines.items(), strict=True):
        place, ratio = np.array(points).T
        ax.plot(place, ratio, "o-")
        ax.set(xlabel=label, ylim=(0, None), xlim=(0, None))
        ax.ticklabel_format(axis="x", style="plain")
    axes[0].set(ylabel="time of a graph of 200 splits;\n1 is a tree of 200 leaves on\n100 000 rows of 20 columns")
    figure.savefig(PICTURE)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("parts", nargs="*", default=["sizes", "gams", "tables", "orderly", "speed"])
    arguments.add_argument("--seeds", type=int, default=10)
    arguments.add_argument("--rows", type=int, nargs="+", default=[5000])
    arguments.add_argument("--data", nargs="+", help="only these of the noisy targets, or tables")
    asked = arguments.parse_args()
    runs = {
        "sizes": sizes,
        "gams": lambda: gams(asked.seeds, asked.rows, asked.data),
        "tables": lambda: tables(min(asked.seeds, 3), asked.data),
        "orderly": lambda: orderly(min(asked.seeds, 3)),
        "speed": speed,
    }
    for part in asked.parts:
        runs[part]()


if __name__ == "__main__":
    main()
