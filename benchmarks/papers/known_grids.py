"""Digits whose pixels are known to be a grid: terms ranked under independent bits, under a tree, and under the grid.

Algorithm 3 of the thesis (parities, then logistic regression) and `SpectralClassifier`, with the same number of terms
under every measure; figures 6-32 and 6-33 at a small size. Pixels are one bit each.

usage: python -m benchmarks.papers.known_grids [--mnist ROWS]
"""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline

from benchmarks.papers.thesis_ch6 import digits
from paclearn import SpectralClassifier, SpectralFeatures

MEASURES = ("product", "tree", "grid")


def algorithm_3(measure, n_terms):
    features = SpectralFeatures(degree=2, n_terms=n_terms, measure=measure, min_count=2)
    return make_pipeline(features, LogisticRegression(C=0.1, max_iter=200))


def spectral(measure, n_terms):
    return SpectralClassifier(degree=2, n_terms=n_terms, measure=measure, selection="coefficient", random_state=0)


def compare(label, X, y, splits, make, sizes):
    """Mean accuracy under every measure, and what the grid adds to independent bits, fold by fold."""
    for n_terms in sizes:
        found = {m: [] for m in MEASURES}
        for train, test in splits:
            for measure in MEASURES:
                model = make(measure, n_terms).fit(X[train], y[train])
                found[measure].append(100 * model.score(X[test], y[test]))
        gain = np.subtract(found["grid"], found["product"])
        error = f" ± {gain.std(ddof=1) / len(gain) ** 0.5:.1f}" if len(gain) > 1 else ""
        cells = " | ".join(f"{np.mean(found[m]):.1f}" for m in MEASURES)
        print(f"| {label} | {n_terms} | {cells} | {gain.mean():+.1f}{error} |", flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument(
        "--mnist", type=int, default=0, help="that many digits of 28 x 28, half of them to learn from"
    )
    asked = arguments.parse_args()
    print(
        "| digits | terms | " + " | ".join(MEASURES) + " | grid less product |\n| --- | --- | --- | --- | --- | --- |"
    )
    images, y = load_digits(return_X_y=True)
    X = (images > 7).astype(np.int8)
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    compare("8 x 8, algorithm 3", X, y, folds, algorithm_3, (25, 50, 100, 200, 400))
    compare("8 x 8, SpectralClassifier", X, y, folds[:1], spectral, (50,))
    if asked.mnist:
        X, y = digits("train")
        half = StratifiedShuffleSplit(1, train_size=asked.mnist // 2, test_size=asked.mnist // 2, random_state=0)
        compare("28 x 28, algorithm 3", X, y, list(half.split(X, y)), algorithm_3, (100, 400))
        compare("28 x 28, SpectralClassifier", X, y, list(half.split(X, y)), spectral, (5000,))


if __name__ == "__main__":
    main()
