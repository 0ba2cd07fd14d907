"""Few effects against as many as rows ask for, and the default model on small tables against its plainest peers.

``limit``: `max_effects=12` beside the model without a limit, three folds, at most 4 000 rows a table; ``repeated`` the
same with 5 x 3 folds, for the tables that three folds leave in doubt. ``small``: five
tables of a few hundred rows, 5 x 5 folds, beside logistic or ridge regression and EBM (four outer bags, which is what
fits in an afternoon). Results are kept line by line in a file, so a run that was stopped goes on where it was.

usage: PACLEARN_DATA=folder python -m benchmarks.few_effects limit|small [--results FILE] [--tables ...] [--models ...]
       [--jobs 16] [--summary]
"""

from __future__ import annotations

import argparse
import json
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
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
    "repeated": Job({"spectral": suite.spectral, "twelve": partial(suite.spectral, max_effects=12)}, 3, 5, 4000, 0.7),
    "small": Job(
        {"logistic": suite.linear, "ebm": partial(suite.ebm, outer_bags=4), "spectral": suite.spectral}, 5, 5, 4000, 0.5
    ),
}


def run_all(what, path, names, models, jobs):
    """Runs that are missing, so many at a time."""
    job = JOBS[what]
    known = {(r["table"], r["model"], r["fold"]) for r in lines(path)}
    every = [(name, model, fold) for name in names for model in models for fold in range(job.folds * job.repeats)]
    with ProcessPoolExecutor(jobs, get_context("fork")) as pool:
        wanted = [pool.submit(one_run, what, *run) for run in every if run not in known]
        for future in as_completed(wanted):
            line = future.result()
            with path.open("a") as file:
                file.write(json.dumps(line) + "\n")
            print(*line.values(), flush=True)


def one_run(what, name, model, fold):
    warnings.simplefilter("ignore")  # classes with fewer rows than folds; peers' own warnings
    job = JOBS[what]
    frame, y = suite.read(name, job.most_rows)
    table = suite.prepared("logistic", frame) if model == "logistic" else frame
    train, test = job.splits(name, frame, y)[fold]
    learner = job.models[model](frame, regression=name in suite.NUMERIC_TARGET)
    said = learner.fit(table.iloc[train], y[train]).predict(table.iloc[test])
    return {"table": name, "model": model, "fold": fold, "score": score_of(name, y[test], said)}


def score_of(name, y, said):
    """Accuracy or R2; not a learner's own score, which is a log loss where its penalty was chosen by one."""
    if name in suite.NUMERIC_TARGET:
        return float(r2_score(y, said))
    return float(np.mean(np.ravel(said).astype(str) == y.astype(str)))


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def summarise(job, path):
    """How far ours, the last model, is behind the best of the others, with the standard error over the folds."""
    frame = pd.DataFrame(lines(path))
    scores = 100 * frame.pivot_table(index="table", columns="model", values="score")
    *others, ours = [model for model in job.models if model in scores.columns]
    gap = (scores[ours] - scores[others].max(axis=1)).sort_values()
    folds = 100 * frame.pivot_table(index=["table", "fold"], columns="model", values="score")
    apart = folds[ours] - folds[others].max(axis=1) if len(others) == 1 else folds[ours]
    error = apart.groupby("table").agg(lambda x: corrected_error(x.to_numpy(), 1 / job.folds))
    print(scores.assign(gap=gap, error=error).loc[gap.index].round(2).to_string())
    for kind, part in gap.groupby(gap.index.isin(suite.NUMERIC_TARGET)):
        limit = max(job.within, 1.0) if kind and ours == "twelve" else job.within
        print(f"{'numbers' if kind else 'classes'}: {(part >= -limit).sum()} of {len(part)} within {limit} points")


def corrected_error(differences, share):
    """Of a mean over folds, whose rows of the fit overlap: Nadeau and Bengio (2003), with the share left out."""
    n = len(differences)
    return np.sqrt((1 / n + share / (1 - share)) * differences.var(ddof=1)) if n > 1 else np.nan


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("job", choices=JOBS)
    parser.add_argument("--results", type=Path)
    parser.add_argument("--tables", nargs="+")
    parser.add_argument("--models", nargs="+")
    parser.add_argument("--jobs", type=int, default=1, help="fits at a time, each with one thread")
    parser.add_argument("--summary", action="store_true", help="only show what is there")
    given = parser.parse_args()
    job, path = JOBS[given.job], given.results or Path(f"few_effects_{given.job}.jsonl")
    everything = SMALL if given.job == "small" else sorted(set(suite.tables()) - NOT_OF_THE_SUITE)
    if not given.summary:
        run_all(given.job, path, given.tables or everything, given.models or list(job.models), given.jobs)
    summarise(job, path)


if __name__ == "__main__":
    main()
