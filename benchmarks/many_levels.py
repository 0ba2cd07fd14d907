"""Columns of hundreds and thousands of levels: what rows left out say of ours beside CatBoost and shrunken means.

``access``: `amazon_employee_access`, nine columns of up to 7 500 levels, 10 000 of its rows and all. ``works``: tables
that are made up like one of works of art: artist, title and medium with about 700, 3 000 and 1 000 levels, most of
them of one to four rows, and a year as the target, which belongs to the artist, to the medium within it, and to some
titles that works of a series share. Beside ours stand the means of levels, drawn toward the common mean by how many
rows they have, as far as rows left out ask for: by artist, and by artist and then, of what that leaves, by medium.
Five folds (stratified where there are classes, seed 0). Results are kept line by line, so a run that was stopped goes
on where it was.

usage: PACLEARN_DATA=folder python -m benchmarks.many_levels access|works [--results FILE] [--models ...] [--rows ...]
       [--folds 5] [--seeds 3] [--summary]
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import log_loss, r2_score, roc_auc_score
from sklearn.model_selection import KFold

from benchmarks import suite

ROWS = {"access": (10_000, 32_769), "works": (4284,)}
SHRINKAGES = 2.0 ** np.arange(-2, 7)  # rows that the common mean weighs


# ---- tables ----------------------------------------------------------------------------------------------------------


def works(seed, n=4284):
    """Artists of few works, whose years are near their own; some media belong to a time, most titles to nothing."""
    rng = np.random.default_rng(seed)
    artist = rng.choice(740, n, p=_falling(rng, 740, 0.75))
    born, spread = rng.normal(1935, 24, 740), rng.gamma(3.0, 5.0, 740)
    liked = rng.integers(0, 1500, (740, 4))  # media of an artist, each with a time of its own
    choice = rng.integers(0, 4, n)
    medium = liked[artist, choice]
    period = rng.normal(0, 18, (740, 4))[artist, choice] + rng.normal(0, 5, 1500)[medium]
    year = born[artist] + period + rng.normal(0, spread[artist])
    series = np.where(rng.random(n) < 0.25, artist * 3 + rng.integers(0, 3, n), -1)  # works that share a title
    year = np.where(series >= 0, born[artist] + rng.normal(0, 15, 740 * 3)[series] + rng.normal(0, 2, n), year)
    own = np.where(rng.random(n) < 0.15, 0, 10_000 + np.arange(n))  # "Untitled", or a title of its own
    title = np.where(series >= 0, series + 1, own)
    frame = pd.DataFrame({"artist": artist, "title": title, "medium": medium}).astype(str)
    return frame, np.round(year)


def _falling(rng, size, power):
    share = rng.permutation(1 / np.arange(3, size + 3) ** power)
    return share / share.sum()


def read(task, rows, seed):
    if task == "works":
        return works(seed, rows)
    return suite.read("amazon_employee_access", rows)


# ---- models ----------------------------------------------------------------------------------------------------------


class ShrunkenMeans(RegressorMixin, BaseEstimator):
    """Means of the levels of one column, and of what they leave those of the next."""

    def __init__(self, columns):
        self.columns = columns

    def fit(self, X, y):
        self.start_, self.means_ = y.mean(), []
        left = y - self.start_
        for column in self.columns:
            shrinkage = min(SHRINKAGES, key=lambda s: self._lost(X[column].to_numpy(), left, s))
            self.means_.append(self._means(X[column].to_numpy(), left, shrinkage))
            left = left - X[column].map(self.means_[-1]).to_numpy()
        return self

    def predict(self, X):
        parts = [X[c].map(m).fillna(0.0).to_numpy() for c, m in zip(self.columns, self.means_, strict=True)]
        return self.start_ + np.sum(parts, axis=0)

    def _means(self, levels, left, shrinkage):
        grouped = pd.Series(left).groupby(levels)
        return grouped.sum() / (grouped.size() + shrinkage)

    def _lost(self, levels, left, shrinkage):
        """Squared error of every row by the others of its level."""
        grouped = pd.Series(left).groupby(levels)
        total, size = grouped.transform("sum").to_numpy(), grouped.transform("size").to_numpy()
        return float(np.mean((left - (total - left) / (size - 1 + shrinkage)) ** 2))


MODELS = {
    "access": {"spectral": suite.spectral, "logistic": suite.linear, "catboost": suite.catboost},
    "works": {
        "by artist": lambda *_, **__: ShrunkenMeans(["artist"]),
        "by artist, medium": lambda *_, **__: ShrunkenMeans(["artist", "medium"]),
        "ridge": suite.linear,
        "spectral": suite.spectral,
        "catboost": suite.catboost,
    },
}


# ---- runs ------------------------------------------------------------------------------------------------------------


def run(task, name, frame, y, train, test):
    learner = MODELS[task][name](frame, regression=task == "works")
    table = suite.prepared("logistic", frame) if name in ("logistic", "ridge", "catboost") else frame
    begin = time.process_time()
    learner.fit(table.iloc[train], y[train])
    line = {"seconds": time.process_time() - begin}
    if task == "works":
        said = learner.predict(table.iloc[test])
        rare = frame["artist"].map(frame["artist"].iloc[train].value_counts()).iloc[test].between(1, 4).to_numpy()
        return line | {
            "R2": float(r2_score(y[test], said)),
            "R2, 1 to 4 rows": float(r2_score(y[test][rare], said[rare])),
        }
    chance = learner.predict_proba(table.iloc[test])[:, list(learner.classes_).index("1")]
    right, happened = y[test] == np.where(chance > 0.5, "1", "0"), y[test] == "1"
    return line | {
        "accuracy": float(right.mean()),
        "AUC": float(roc_auc_score(happened, chance)),
        "log loss": float(log_loss(happened, chance)),
    }


def folds(task, y, n):
    if task == "access":
        return suite.folds("amazon_employee_access", y)[:n]
    return list(KFold(5, shuffle=True, random_state=0).split(y))[:n]


def missing(asked, known):
    done = {(r["rows"], r["model"], r["seed"], r["fold"]) for r in known}
    for rows in asked.rows or ROWS[asked.task]:
        for seed in range(asked.seeds if asked.task == "works" else 1):
            frame, y = read(asked.task, rows, seed)
            for name in asked.models or MODELS[asked.task]:
                for fold, (train, test) in enumerate(folds(asked.task, y, asked.folds)):
                    if (rows, name, seed, fold) not in done:
                        about = {"rows": rows, "model": name, "seed": seed, "fold": fold}
                        yield about | run(asked.task, name, frame, y, train, test)


def summary(known):
    runs = pd.DataFrame(known).drop(columns=["seed", "fold"])
    means = runs.groupby(["rows", "model"], sort=False).mean()
    print(means.assign(runs=runs.groupby(["rows", "model"]).size()).round(4).to_string())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=list(ROWS))
    parser.add_argument("--results", type=Path)
    parser.add_argument("--models", nargs="+")
    parser.add_argument("--rows", type=int, nargs="+")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--summary", action="store_true", help="only show what is there")
    asked = parser.parse_args()
    path = asked.results or Path(f"many_levels_{asked.task}.jsonl")
    known = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    warnings.simplefilter("ignore")  # levels that were never seen
    for line in () if asked.summary else missing(asked, known):
        known.append(line)
        with path.open("a") as file:
            file.write(json.dumps(line) + "\n")
        print(line, flush=True)
    summary(known)


if __name__ == "__main__":
    main()
