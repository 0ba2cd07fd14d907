"""The headline of Kalai (2005): additive models behind an unknown link, error against rows and against columns.

Targets are 0 or 1, drawn with a mean that is a sum of functions of single columns behind a link (`make_gam`): the
logistic function, or three steps, which no logistic model can say. What is judged is the squared distance from the true
mean on 20 000 new rows, as a share of its variance: 1 is what a constant leaves. Graphs are told neither link nor
functions; pyGAM and EBM are told the logistic link, and EBM that there are no pairs ("EBM" is it by default).

Runs are kept in a file. All of three seeds take about 3 hours of one core, two thirds of them EBM's.

usage: OMP_NUM_THREADS=1 python -m benchmarks.papers.unknown_link [--results FILE] [--seeds 3] [--jobs 1] [--models ...]
"""

from __future__ import annotations

import argparse
import importlib.util
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier

from benchmarks.papers.kept_runs import kept_runs
from paclearn import RegressionGraphEnsembleRegressor, RegressionGraphRegressor
from paclearn.datasets import make_gam

LINKS = ("logistic", "steps")
ROWS, COLUMNS = (500, 1000, 2000, 5000, 10_000, 20_000), (5, 10, 20, 40)
USUAL = (5000, 10)  # rows while columns change, and columns while rows do
FRESH_ROWS = 20_000
RESULTS = Path(__file__).parents[1] / "results" / "unknown_link.jsonl"


# ---- who takes part ----


def graph(stop):
    return lambda X, y: RegressionGraphRegressor(stop, random_state=0).fit(X, y).predict


def ensemble(X, y):
    return RegressionGraphEnsembleRegressor(random_state=0).fit(X, y).predict


def boosting(X, y):
    return second(HistGradientBoostingClassifier(early_stopping=True, random_state=0).fit(X, y))


def pygam(X, y):
    from pygam import LogisticGAM

    return LogisticGAM().gridsearch(X, y, progress=False).predict_mu


def ebm(**settings):
    def fit(X, y):
        from interpret.glassbox import ExplainableBoostingClassifier

        return second(ExplainableBoostingClassifier(random_state=0, n_jobs=1, **settings).fit(X, y))

    return fit


def second(model):
    return lambda X: model.predict_proba(X)[:, 1]


MODELS = {
    "graph, by default": graph("auto"),
    "graph, theorem": graph("theorem"),
    "ensemble of graphs": ensemble,
    "gradient boosting": boosting,
    "pyGAM, logistic": pygam,
    "EBM, no pairs": ebm(interactions=0),
    "EBM": ebm(),
}
NEEDS = {"pyGAM, logistic": "pygam", "EBM, no pairs": "interpret", "EBM": "interpret"}


# ---- the runs ----


def tasks(seeds, models):
    rows, columns = USUAL
    sizes = dict.fromkeys([*((n, columns) for n in ROWS), *((rows, d) for d in COLUMNS)])
    return [
        {"link": link, "rows": n, "columns": d, "seed": seed, "model": model}
        for seed in range(seeds)
        for link in LINKS
        for n, d in sizes
        for model in models
        if model != "EBM" or (n, d) == USUAL
    ]


def run(link, rows, columns, seed, model):
    """Share of the true mean's variance that is left, and processor time of the fit."""
    warnings.simplefilter("ignore")
    data = make_gam(rows, columns, link=link, random_state=seed)
    fresh = make_gam(FRESH_ROWS, columns, link=link, random_state=10**6 + seed)
    started = time.process_time()
    said = MODELS[model](data.data, data.target)
    seconds = time.process_time() - started
    left = np.mean((said(fresh.data) - fresh.mean) ** 2) / fresh.mean.var()
    return {"left": round(float(left), 5), "seconds": round(seconds, 2)}


# ---- the tables ----


def report(lines):
    frame = pd.DataFrame([{**line["task"], **line} for line in lines])
    rows, columns = USUAL
    for link in LINKS:
        mine = frame[frame["link"] == link]
        print(f"\n{link} link: share of the variance left, mean of the seeds (and their standard deviation)")
        _table(mine[mine["columns"] == columns], "rows", f"{columns} columns")
        _table(mine[mine["rows"] == rows], "columns", f"{rows:,} rows")
    usual = frame[(frame["rows"] == rows) & (frame["columns"] == columns)]
    print(f"\nprocessor seconds of a fit, {rows:,} rows of {columns} columns")
    print(usual.groupby("model")["seconds"].mean().reindex(MODELS).dropna().round(1).to_string())


def _table(frame, what, title):
    cells = frame.pivot_table("left", "model", what, aggfunc=_mean_and_deviation)
    names = [name for name in MODELS if name in cells.index]
    print(f"\n| {title}; {what}: | {' | '.join(f'{size:,}' for size in cells)} |")
    print(f"| --- {'| --- ' * cells.shape[1]}|")
    for name in names:
        print(f"| {name} | {' | '.join(cells.loc[name].fillna(''))} |")


def _mean_and_deviation(left):
    return f"{np.mean(left):.3f}" + (f" ({np.std(left, ddof=1):.3f})" if len(left) > 1 else "")


def main():
    here = [name for name in MODELS if name not in NEEDS or importlib.util.find_spec(NEEDS[name])]
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--results", default=RESULTS)
    arguments.add_argument("--seeds", type=int, default=3)
    arguments.add_argument("--jobs", type=int, default=1)
    arguments.add_argument("--models", nargs="+", default=here, choices=list(MODELS))
    asked = arguments.parse_args()
    report(kept_runs(asked.results, tasks(asked.seeds, asked.models), run, asked.jobs))


if __name__ == "__main__":
    main()
