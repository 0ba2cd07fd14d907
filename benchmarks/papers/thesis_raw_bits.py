"""Raw bits of Tables 6.6 to 6.10 of the thesis, written as it says, with scikit-learn's settings of 2019 and of today.

Bits are 49 for hepatitis (`benchmarks.papers.thesis_hepatitis`); 32 for votes (yes or not, no or not); 18 for boards:
a one-hot code of a square's three values less one of them, which the thesis does not name; 37 for chess, where columns
of two values take one bit. In 2019 logistic regression was solved by liblinear, which holds the intercept back as well,
so that it matters which value has no bit and whether bits are 0 and 1; forests had ten trees.

usage: PACLEARN_DATA=folder python -m benchmarks.papers.thesis_raw_bits [--repeats 10] [--tables ...] [--jobs 1]
"""

from __future__ import annotations

import argparse
import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import RepeatedStratifiedKFold

from benchmarks.papers.thesis_hepatitis import CODES, LEARNERS, SHOWN
from benchmarks.papers.thesis_hepatitis import bits as hepatitis_bits

FORESTS = {f"forest of {n}": lambda n=n: RandomForestClassifier(n, random_state=0) for n in (10, 100)}
MODELS = LEARNERS | FORESTS
ASKED = [*SHOWN, *((name, "0 and 1") for name in FORESTS)]
PUBLISHED = {
    "hepatitis": "85.00 ± 1.44, 84.84 ± 0.85",
    "house_votes_84": "95.88 ± 0.41, 95.90 ± 0.17",
    "tic_tac_toe": "81.78 ± 0.36, 91.81 ± 0.34",
    "kr_vs_kp": "96.12 ± 0.13, 99.15 ± 0.09",
}


def one_hot(frame, without):
    """A bit for every value of a column but one."""
    found = {}
    for name, column in frame.items():
        values = sorted(column.dropna().unique())
        found |= {f"{name}={v}": column == v for v in values if v != (without or values[0])}
    return pd.DataFrame(found).astype(np.int8)


def votes(frame):
    return pd.DataFrame({f"{c}={v}": frame[c] == v for c in frame for v in ("y", "n")}).astype(np.int8)


WAYS = {
    "hepatitis": {"": hepatitis_bits},
    "house_votes_84": {"": votes},
    "tic_tac_toe": {f"no bit for {v}": lambda frame, v=v: one_hot(frame, v) for v in ("x", "o", "b")},
    "kr_vs_kp": {"": lambda frame: one_hot(frame, None)},
}


def run(X, y, train, test):
    warnings.simplefilter("ignore")
    found = []
    for name, code in ASKED:
        low, step = CODES[code]
        model = MODELS[name]().fit(low + step * X[train], y[train])
        found.append(100 * model.score(low + step * X[test], y[test]))
    return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--repeats", type=int, default=10)
    arguments.add_argument("--tables", nargs="+", default=list(WAYS), choices=list(WAYS))
    arguments.add_argument("--jobs", type=int, default=1)
    asked = arguments.parse_args()
    print("| table | bits | published: logistic, forest | " + " | ".join(f"{n}, {c}" for n, c in ASKED) + " |")
    print("| --- " * (3 + len(ASKED)) + "|")
    for table in asked.tables:
        frame = pd.read_parquet(Path(os.environ["PACLEARN_DATA"]) / f"{table}.parquet")
        y = frame.pop("target").astype(str).to_numpy()
        for way, written in WAYS[table].items():
            X = written(frame).to_numpy()
            folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=asked.repeats, random_state=0).split(X, y)
            runs = Parallel(asked.jobs)(delayed(run)(X, y, *split) for split in folds)
            rounds = np.reshape(runs, (asked.repeats, 10, -1)).mean(axis=1)
            cells = zip(rounds.mean(axis=0), rounds.std(axis=0, ddof=min(1, asked.repeats - 1)), strict=True)
            shown = " | ".join(f"{m:.2f} ± {s:.2f}" for m, s in cells)
            print(f"| {table} | {X.shape[1]}{', ' * bool(way)}{way} | {PUBLISHED[table]} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
