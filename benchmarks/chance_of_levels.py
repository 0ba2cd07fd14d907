"""What graphs gain where chance is taken off the splits of columns with many levels: with and without it, in turns.

Single graphs on public tables (at most 6000 rows), five folds six times over: accuracy and logarithmic loss. Without
it: what chance gives is said to be nought.

usage: PACLEARN_DATA=folder python -m benchmarks.chance_of_levels [--tables ...] [--seeds 6] [--results FILE.jsonl]
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from paclearn import RegressionGraphClassifier
from paclearn.learners.graphs.axis_splits import AxisLeaf

TABLES = (
    *("compas", "monks_1", "monks_2", "tic_tac_toe", "car", "house_votes_84"),
    *("german_credit", "breast_cancer_ljubljana"),
)
MOST_ROWS = 6000


def judged(X, y, train, test):
    model = RegressionGraphClassifier(random_state=0).fit(X.iloc[train], y.iloc[train])
    said, place = model.predict_proba(X.iloc[test]), np.searchsorted(model.classes_, y.iloc[test])
    loss = -np.log(np.clip(said[np.arange(len(test)), place], 1e-6, 1)).mean()
    return 100 * float((said.argmax(axis=1) == place).mean()), float(loss)


def measured(name, seeds):
    frame = pd.read_parquet(Path(os.environ["PACLEARN_DATA"]) / f"{name}.parquet")
    frame = frame.sample(min(MOST_ROWS, len(frame)), random_state=0).reset_index(drop=True)
    X, y = frame.drop(columns="target"), frame["target"]
    found = {"without": [], "with": []}
    for seed in range(1, seeds + 1):
        for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y):
            found["with"].append(judged(X, y, train, test))
            with patch.object(AxisLeaf, "chance", lambda *_: 0.0):
                found["without"].append(judged(X, y, train, test))
    return {way: np.mean(each, axis=0).round(4).tolist() for way, each in found.items()}


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--tables", nargs="+", default=TABLES)
    arguments.add_argument("--seeds", type=int, default=6)
    arguments.add_argument("--results", type=Path)
    chosen = arguments.parse_args()
    print("| table | without, % | with, % | loss without | loss with |\n| --- | --- | --- | --- | --- |")
    for name in chosen.tables:
        found = measured(name, chosen.seeds)
        (before, loss_before), (after, loss_after) = found["without"], found["with"]
        print(f"| {name} | {before:.1f} | {after:.1f} | {loss_before:.3f} | {loss_after:.3f} |", flush=True)
        if chosen.results:
            with chosen.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"table": name, "seeds": chosen.seeds, **found}) + "\n")


if __name__ == "__main__":
    main()
