"""Digits as in figures 6-32 and 6-34 of the thesis, at a small size.

6-32: algorithms 2 and 3 under three structures, before logistic regression. 6-34: forest and neural network beside it,
each on raw bits and on the features that the thesis found best for it: algorithm 3 under the grid, and for the forest
algorithm 2 under independent bits. Same digits, and same rows to learn from, as `benchmarks.papers.known_grids`.
Runs are kept in a file.

usage: [PACLEARN_DATA=folder] python -m benchmarks.papers.digit_learners [--mnist ROWS] [--folds 5] [--results FILE]
    [--jobs 1]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline

from benchmarks.papers.kept_runs import kept_runs
from benchmarks.papers.known_grids import FOLDS, MEASURES, table
from paclearn import SpectralFeatures

BASES = {"algorithm 2": "orthonormal", "algorithm 3": "parity"}
BEST = {"logistic": ("algorithm 3", "grid"), "forest": ("algorithm 2", "product"), "MLP": ("algorithm 3", "grid")}
TERMS = {False: 400, True: 1000}  # of 8 x 8 and of 28 x 28 pixels
RESULTS = Path(__file__).parents[1] / "results" / "digit_learners.jsonl"


def learner(name):
    return {
        "logistic": LogisticRegression(C=0.1, max_iter=200),
        "forest": RandomForestClassifier(random_state=0),
        "MLP": MLPClassifier(random_state=0),  # 200 passes, which is not always enough for it to settle
    }[name]


def run(rows, features, measure, model, fold):
    X, y, splits = table(rows)
    train, test = splits[fold]
    steps = [learner(model)]
    if features != "raw":
        terms = TERMS[rows > 0]
        steps.insert(0, SpectralFeatures(2, terms, measure, BASES[features], min_count=2))
    fitted = make_pipeline(*steps).fit(X[train], y[train])
    return {"error": round(1 - float(fitted.score(X[test], y[test])), 6)}


def cases():
    """Features, structures and learners of the two figures."""
    structures = [(features, measure, "logistic") for features in BASES for measure in MEASURES]
    raw = [("raw", "", model) for model in BEST]
    best = [(*BEST[model], model) for model in BEST]
    return list(dict.fromkeys([*structures, *raw, *best]))


def tasks(rows, folds):
    return [
        {"rows": n, "features": features, "measure": measure, "model": model, "fold": fold}
        for n in ((0, rows) if rows else (0,)) for fold in range(folds) for features, measure, model in cases()
    ]  # fmt: skip


def report(lines):
    """Errors in percent, and their standard error."""
    found = {}
    for line in lines:
        task = line["task"]
        place = (task["rows"], task["features"], task["measure"], task["model"])
        found.setdefault(place, []).append(100 * line["error"])
    for rows in sorted({place[0] for place in found}):
        size = f"{'28 x 28' if rows else '8 x 8'}, {TERMS[rows > 0]} terms"
        print(f"\nfigure 6-32, error in % of logistic regression\n| {size} | " + " | ".join(MEASURES) + " |")
        print("| --- | --- | --- | --- |")
        for features in BASES:
            cells = (_cell(found.get((rows, features, measure, "logistic"))) for measure in MEASURES)
            print(f"| {features} | " + " | ".join(cells) + " |")
        print(f"\nfigure 6-34, error in %\n| {size} | raw bits | features |\n| --- | --- | --- |")
        for model, (features, measure) in BEST.items():
            both = (found.get((rows, "raw", "", model)), found.get((rows, features, measure, model)))
            print(f"| {model}, {features} under {measure} | " + " | ".join(map(_cell, both)) + " |")


def _cell(errors):
    if not errors:
        return ""
    return f"{np.mean(errors):.1f}" + (f" ({np.std(errors, ddof=1) / len(errors) ** 0.5:.1f})" if errors[1:] else "")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--mnist", type=int, default=0, help="so many digits of 28 x 28, half of them to learn from")
    arguments.add_argument("--folds", type=int, default=FOLDS)
    arguments.add_argument("--results", default=RESULTS)
    arguments.add_argument("--jobs", type=int, default=1)
    asked = arguments.parse_args()
    report(kept_runs(asked.results, tasks(asked.mnist, asked.folds), run, asked.jobs))


if __name__ == "__main__":
    main()
