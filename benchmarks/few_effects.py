"""Few effects against as many as rows ask for, and the default model on small tables against its plainest peers.

``limit``: `max_effects=12` beside the model without a limit, three folds, at most 4 000 rows a table. ``small``: five
tables of a few hundred rows, 5 x 5 folds, beside logistic or ridge regression and EBM (four outer bags, which is what
fits in an afternoon). Results are kept line by line in a file, so a run that was stopped goes on where it was.

usage: PACLEARN_DATA=folder python -m benchmarks.few_effects limit|small [--results FILE] [--tables ...] [--models ...]
       [--summary]
"""

from __future__ import annotations

import argparse
import json
import warnings
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import r2_score
from sklearn.model_selection import KFold, StratifiedKFold

from benchmarks import suite

NOT_OF_THE_SUITE = {"california_housing", "amazon_employee_access", "poker_hand"}
SMALL = ["hepatitis", "breast_cancer", "australian_credit", "german_credit", "diabetes"]


@dataclass(frozen=True)
class Job:
    """Models on some folds of some tables, and the one that the others are held against."""

    models: dict[str, object]
    folds: int
    repeats: int
    most_rows: int
    within: float  # points of accuracy or of R2

    def splits(self, name, frame, y):
        kind = KFold if name in suite.NUMERIC_TARGET else StratifiedKFold
        shuffles = [kind(self.folds, shuffle=True, random_state=seed) for seed in range(self.repeats)]
        return [split for shuffle in shuffles for split in shuffle.split(frame, y)]


JOBS = {
    "limit": Job({"spectral": suite.spectral, "twelve": partial(suite.spectral, max_effects=12)}, 3, 1, 4000, 0.7),
    "small": Job(
        {"logistic": suite.linear, "ebm": partial(suite.ebm, outer_bags=4), "spectral": suite.spectral}, 5, 5, 4000, 0.5
    ),
}


def run_all(job, path, names, models):
    known = {(r["table"], r["model"], r["fold"]) for r in lines(path)}
    for name in names:
        frame, y = suite.read(name, job.most_rows)
        for model in models:
            table = suite.prepared("logistic", frame) if model == "logistic" else frame
            for fold, (train, test) in enumerate(job.splits(name, frame, y)):
                if (name, model, fold) not in known:
                    learner = job.models[model](frame, regression=name in suite.NUMERIC_TARGET)
                    said = learner.fit(table.iloc[train], y[train]).predict(table.iloc[test])
                    score = score_of(name, y[test], said)
                    with path.open("a") as file:
                        file.write(json.dumps({"table": name, "model": model, "fold": fold, "score": score}) + "\n")
            print(f"{name} {model} done", flush=True)


def score_of(name, y, said):
    """Accuracy or R2; not a learner's own score, which is a log loss where its penalty was chosen by one."""
    if name in suite.NUMERIC_TARGET:
        return float(r2_score(y, said))
    return float(np.mean(np.ravel(said).astype(str) == y.astype(str)))


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def summarise(job, path):
    """How far ours, the last model, is behind the best of the others."""
    scores = 100 * pd.DataFrame(lines(path)).pivot_table(index="table", columns="model", values="score")
    *others, ours = [model for model in job.models if model in scores.columns]
    gap = (scores[ours] - scores[others].max(axis=1)).sort_values()
    print(scores.assign(gap=gap).loc[gap.index].round(2).to_string())
    for kind, part in gap.groupby(gap.index.isin(suite.NUMERIC_TARGET)):
        limit = max(job.within, 1.0) if kind and ours == "twelve" else job.within
        print(f"{'numbers' if kind else 'classes'}: {(part >= -limit).sum()} of {len(part)} within {limit} points")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("job", choices=JOBS)
    parser.add_argument("--results", type=Path)
    parser.add_argument("--tables", nargs="+")
    parser.add_argument("--models", nargs="+")
    parser.add_argument("--summary", action="store_true", help="only show what is there")
    given = parser.parse_args()
    job, path = JOBS[given.job], given.results or Path(f"few_effects_{given.job}.jsonl")
    everything = SMALL if given.job == "small" else sorted(set(suite.tables()) - NOT_OF_THE_SUITE)
    warnings.simplefilter("ignore")  # classes with fewer rows than folds; peers' own warnings
    if not given.summary:
        run_all(job, path, given.tables or everything, given.models or list(job.models))
    summarise(job, path)


if __name__ == "__main__":
    main()
