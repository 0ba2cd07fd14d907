"""Digits whose pixels are known to be a grid: terms ranked under independent bits, under a tree, and under the grid.

Algorithm 3 of the thesis (parities, then logistic regression) and `SpectralClassifier`, with the same number of terms
under every measure; figures 6-32 and 6-33 at a small size. Pixels are one bit each. Runs are kept in a file.

usage: [PACLEARN_DATA=folder] python -m benchmarks.papers.known_grids [--mnist ROWS] [--results FILE] [--jobs 1]
"""

from __future__ import annotations

import argparse
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline

from benchmarks.papers.kept_runs import kept_runs
from benchmarks.papers.thesis_ch6 import digits
from paclearn import SpectralClassifier, SpectralFeatures

MEASURES = ("product", "tree", "grid")
SMALL = {"algorithm 3": (25, 50, 100, 200, 400), "SpectralClassifier": (50, 200)}
LARGE = {"algorithm 3": (100, 400), "SpectralClassifier": (1000, 5000)}
FOLDS = 5
RESULTS = Path(__file__).parents[1] / "results" / "known_grids.jsonl"


def algorithm_3(measure, n_terms):
    features = SpectralFeatures(degree=2, n_terms=n_terms, measure=measure, min_count=2)
    return make_pipeline(features, LogisticRegression(C=0.1, max_iter=200))


def spectral(measure, n_terms):
    return SpectralClassifier(degree=2, n_terms=n_terms, measure=measure, selection="coefficient", random_state=0)


MODELS = {"algorithm 3": algorithm_3, "SpectralClassifier": spectral}


@cache
def table(rows):
    """All pixels as bits, the digits, and what is learned from and judged by, five times."""
    if not rows:
        images, y = load_digits(return_X_y=True)
        X = (images > 7).astype(np.int8)
        return X, y, list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y))
    X, y = digits("train")
    halves = StratifiedShuffleSplit(FOLDS, train_size=rows // 2, test_size=rows // 2, random_state=0)
    return X, y, list(halves.split(X, y))


def run(rows, model, terms, measure, fold):
    X, y, splits = table(rows)
    train, test = splits[fold]
    return {"accuracy": float(MODELS[model](measure, terms).fit(X[train], y[train]).score(X[test], y[test]))}


def tasks(rows):
    return [
        {"rows": n, "model": model, "terms": terms, "measure": measure, "fold": fold}
        for n, sizes in ((0, SMALL), (rows, LARGE))[: 1 + (rows > 0)]
        for model, many in sizes.items() for terms in many for fold in range(FOLDS) for measure in MEASURES
    ]  # fmt: skip


def report(lines):
    """Mean accuracy under every measure, and what the grid adds to independent bits, fold by fold."""
    print("| digits | terms | " + " | ".join(MEASURES) + " | grid less product |")
    print("| --- | --- | --- | --- | --- | --- |")
    found = {}
    for line in lines:
        task = line["task"]
        place = found.setdefault((task["rows"], task["model"], task["terms"]), {m: {} for m in MEASURES})
        place[task["measure"]][task["fold"]] = 100 * line["accuracy"]
    for (rows, model, terms), scores in sorted(found.items()):
        both = sorted(set(scores["grid"]) & set(scores["product"]))
        gain = np.array([scores["grid"][fold] - scores["product"][fold] for fold in both])
        error = f" ± {gain.std(ddof=1) / len(gain) ** 0.5:.1f}" if len(gain) > 1 else ""
        cells = " | ".join(f"{np.mean(list(scores[m].values())):.1f}" if scores[m] else "" for m in MEASURES)
        size = "28 x 28" if rows else "8 x 8"
        print(f"| {size}, {model} | {terms} | {cells} | {gain.mean() if len(gain) else np.nan:+.1f}{error} |")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--mnist", type=int, default=0, help="so many digits of 28 x 28, half of them to learn from")
    arguments.add_argument("--results", default=RESULTS)
    arguments.add_argument("--jobs", type=int, default=1)
    asked = arguments.parse_args()
    report(kept_runs(asked.results, tasks(asked.mnist), run, asked.jobs))


if __name__ == "__main__":
    main()
