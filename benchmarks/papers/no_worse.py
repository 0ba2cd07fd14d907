"""No graph by default is further from the truth than a constant.

Noisy means of 10, 20, 40 and 80 bits, where the truth is known: the target is 0 or 1 with that mean, or the mean with
normal noise. And all tables of a folder, where it is not: three splits, a third of the rows (2000 at most) to judge by,
the Brier score of probabilities or the squared error of numbers. What is printed is the error as a share of that of a
constant (the mean, or the shares of the classes, of the rows to learn from): 1 where the graph is one leaf. A table is
worse where the mean of its differences is above nought by more than two standard errors, row by row.

usage: PACLEARN_DATA=folder python -m benchmarks.papers.no_worse [means tables] [--results FILE] [--seeds 20]
    [--first 0] [--jobs 1]
"""

from __future__ import annotations

import argparse
import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from benchmarks.papers.kept_runs import kept_runs
from paclearn import RegressionGraphClassifier, RegressionGraphRegressor

NOISES, SIZES, BITS = ("bits", 0.1, 0.5), (500, 2000, 5000), (10, 20, 40, 80)
N_FRESH, MOST_ROWS, N_SPLITS = 5000, 20_000, 3
RESULTS = Path(__file__).parents[1] / "results" / "no_worse.jsonl"


# ---- means of bits ----


def of_means(bits, noise, rows, seed):
    """Squared distance of the graph from the true mean, and of a constant."""
    rng = np.random.default_rng([bits, rows, seed])
    X = rng.integers(0, 2, (rows + N_FRESH, bits))
    truth = X.mean(axis=1)
    y = rng.random(len(X)) < truth if noise == "bits" else truth + rng.normal(0, noise, len(X))
    model = RegressionGraphRegressor(random_state=0).fit(X[:rows], y[:rows].astype(float))
    graph = np.mean((model.predict(X[rows:]) - truth[rows:]) ** 2)
    constant = np.mean((y[:rows].mean() - truth[rows:]) ** 2)
    return {"graph": float(graph), "constant": float(constant), "leaves": int(model.n_leaves_)}


# ---- tables ----


def of_table(table, seed):
    """Error of the graph and of a constant on rows left out, and the mean and standard error of the difference."""
    frame = pd.read_parquet(Path(os.environ["PACLEARN_DATA"]) / f"{table}.parquet")
    y = frame.pop("target").to_numpy()
    numbers = y.dtype.kind in "fiu" and len(np.unique(y)) > 20
    train, test = train_test_split(np.arange(len(y))[:], test_size=1 / 3, random_state=seed)
    train, test = train[:MOST_ROWS], test[:2000]
    judged = _of_numbers if numbers else _of_classes
    graph, constant, leaves = judged(frame, y if numbers else y.astype(str), train, test)
    off = graph - constant
    return {
        "graph": float(graph.mean()),
        "constant": float(constant.mean()),
        "difference": float(off.mean()),
        "standard_error": float(off.std() / np.sqrt(len(off))),
        "leaves": int(leaves),
    }


def _of_numbers(frame, y, train, test):
    y = y.astype(float)
    model = RegressionGraphRegressor(random_state=0).fit(frame.iloc[train], y[train])
    said = model.predict(frame.iloc[test])
    return (said - y[test]) ** 2, (y[train].mean() - y[test]) ** 2, model.n_leaves_


def _of_classes(frame, y, train, test):
    model = RegressionGraphClassifier(random_state=0).fit(frame.iloc[train], y[train])
    truth = y[test][:, None] == model.classes_
    shares = np.mean(y[train][:, None] == model.classes_, axis=0)
    said = model.predict_proba(frame.iloc[test])
    return ((said - truth) ** 2).sum(axis=1), ((shares - truth) ** 2).sum(axis=1), model.n_leaves_


# ---- what came of it ----


def run(**task):
    warnings.simplefilter("ignore")
    return of_table(**task) if "table" in task else of_means(**task)


def tasks(parts, seeds, first):
    means = [
        {"bits": d, "noise": noise, "rows": n, "seed": seed}
        for d in BITS for noise in NOISES for n in SIZES for seed in range(first, first + seeds)
    ]  # fmt: skip
    names = sorted(path.stem for path in Path(os.environ.get("PACLEARN_DATA", "")).glob("*.parquet"))
    tables = [{"table": name, "seed": seed} for name in names for seed in range(first, first + N_SPLITS)]
    return [*(means if "means" in parts else []), *(tables if "tables" in parts else [])]


def report(lines):
    frame = pd.DataFrame([{**line["task"], **line} for line in lines]).drop(columns="task")
    frame["share"] = frame["graph"] / frame["constant"]
    frame["worse"] = frame["graph"] > frame["constant"] * (1 + 1e-9)
    if "bits" in frame:
        means = frame.dropna(subset="bits").astype({"bits": int, "rows": int})
        shown = means.groupby(["bits", "noise", "rows"]).agg(
            share=("share", "mean"), worst=("share", "max"), worse=("worse", "sum"), draws=("worse", "size")
        )
        print(shown.round(3).to_string())
        print(f"worse than a constant: {means['worse'].sum()} of {len(means)}")
    if "table" in frame:
        tables = frame.dropna(subset="table")
        shown = tables.groupby("table").agg(
            share=("share", "mean"),
            worst=("share", "max"),
            worse=("worse", "sum"),
            difference=("difference", "mean"),
            standard_error=("standard_error", "mean"),
            leaves=("leaves", "mean"),
        )
        print(shown.round(4).to_string())
        print(f"tables worse in the mean of {N_SPLITS} splits: {(shown['difference'] > 1e-12).sum()} of {len(shown)}")
        clearly = shown["difference"] > 2 * shown["standard_error"] + 1e-12
        print(f"by more than two standard errors: {clearly.sum()}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("parts", nargs="*", default=["means", "tables"])
    arguments.add_argument("--results", default=RESULTS)
    arguments.add_argument("--seeds", type=int, default=20)
    arguments.add_argument("--first", type=int, default=0, help="the first seed")
    arguments.add_argument("--jobs", type=int, default=1)
    asked = arguments.parse_args()
    report(kept_runs(asked.results, tasks(asked.parts, asked.seeds, asked.first), run, asked.jobs))


if __name__ == "__main__":
    main()
