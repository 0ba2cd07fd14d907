"""SFFS beside its variants: drawn data (Figure 1, E1 and E2), depths (Figure 2), the published code, and Table 2.

The authors' code scores subsets of at most t columns by the sum of their squared coefficients in the basis of
independent columns, labels taken for numbers; `FourierSelector(norm="l2", task="regression")` ranks by that sum, and
``task="classification"`` by its mean over one class against the rest. Runs are kept line by line in a file.

usage: PACLEARN_DATA=folder python -m benchmarks.papers.sffs_variants [drawn depths figure variants counted]
    [--results FILE] [--seeds 10] [--jobs 1]
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.feature_selection import mutual_info_classif

from benchmarks.papers.kept_runs import kept_runs
from benchmarks.papers.sffs import REAL, THRESHOLD, _svc, folds, read, relieff, sffs
from paclearn import FourierSelector, RedundancyFilter
from paclearn.datasets import make_nonlinear

RESULTS = Path(__file__).parents[1] / "results" / "sffs_variants.jsonl"
DRAWN = {"E1": "bits", "E2": "normal"}
METHODS = ("SFFS t=1", "SFFS t=2", "SFFS t=3", "SFFS t=4", "as it comes", "MI", "ReliefF")
DRAWN_SIZES = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20)


# ---- Figure 1 on drawn data ----


def as_it_comes(X, y, k):
    selector = FourierSelector(k, task="classification", random_state=0).fit(X, y)
    return np.argsort(selector.ranking_, kind="stable")


def mutual_information(discrete):
    def rank(X, y, _k):
        return np.argsort(-mutual_info_classif(X, y, discrete_features=discrete, random_state=0), kind="stable")

    return rank


def of_drawn(data, seed, method):
    """Mean accuracy in five folds for every number of columns."""
    table = make_nonlinear(inputs=DRAWN[data], random_state=seed)
    ranks = {
        **{f"SFFS t={t}": sffs(t) for t in (1, 2, 3, 4)},
        "as it comes": as_it_comes,
        "MI": mutual_information(data == "E1"),
    }
    rank = relieff() if method == "ReliefF" else ranks[method]
    scores = []
    for A, a, B, b in folds(table.data.astype(float), table.target):
        whole = None if method == "as it comes" else rank(A, a, max(DRAWN_SIZES))  # which is fitted for every k
        orders = [rank(A, a, k) if whole is None else whole for k in DRAWN_SIZES]
        scores.append([_svc(A, a, B, b, o[:k]) for k, o in zip(DRAWN_SIZES, orders, strict=True)])
    return {"scores": np.mean(scores, axis=0).round(5).tolist()}


def drawn_tasks(seeds):
    methods = METHODS if importlib.util.find_spec("skrebate") else METHODS[:-1]
    return [{"data": d, "seed": s, "method": m} for s in range(seeds) for d in DRAWN for m in methods]


def report_drawn(frame):
    for data, mine in frame.groupby("data"):
        found = {m: np.array(mine[mine["method"] == m]["scores"].tolist()) for m in METHODS}
        found = {m: 100 * scores for m, scores in found.items() if len(scores)}
        seeds = {len(scores) for scores in found.values()}
        print(f"\n{data}: accuracy in % of the first k columns, five folds, mean of {seeds} seeds (standard error)")
        print("| k | " + " | ".join(found) + " |\n|---|" + "---|" * len(found))
        for i, k in enumerate(DRAWN_SIZES):
            cells = (_mean_and_error(scores[:, i]) for scores in found.values())
            print(f"| {k} | " + " | ".join(cells) + " |")


def _mean_and_error(scores):
    return f"{np.mean(scores):.1f} ({np.std(scores, ddof=1) / len(scores) ** 0.5:.1f})"


# ---- Figure 2: depths ----

FEW = {"Covertype": 10, "Australian": 6}  # columns to select; 20 of the others
DEPTHS, CANDIDATES = (1, 2, 3), 60  # the best by themselves: 34 220 triples
DRAWN_OVER_DEPTHS = ("ALL_AML", "Covertype", "Australian")  # the three tables of the figure, at every number of columns


def at_depth(data, depth, fold):
    A, a, B, b = _fold(data, fold)
    started = time.process_time()
    selector = _of_depth(FEW.get(data, 20), depth).fit(A, a)
    seconds = time.process_time() - started
    return {"score": _svc(A, a, B, b, np.flatnonzero(selector.get_support())), "seconds": round(seconds, 2)}


def over_depths(data, depth, fold):
    A, a, B, b = _fold(data, fold)
    order = np.argsort(_of_depth(max(REAL[data][2]), depth).fit(A, a).ranking_, kind="stable")
    return {"scores": [float(_svc(A, a, B, b, order[:k])) for k in REAL[data][2]]}


def _of_depth(k, depth):
    few = RedundancyFilter(depth=1, threshold=THRESHOLD, random_state=0)
    return FourierSelector(k, depth=depth, redundancy=few, task="classification", n_candidates=CANDIDATES)


def _fold(data, fold):
    X, y, _ = read(data)
    return list(folds(X, y))[fold]


def depth_tasks(_seeds):
    return [{"data": d, "depth": t, "fold": f} for t in DEPTHS for d in REAL for f in range(5)]


def report_depths(frame):
    print(
        f"\naccuracy in % against the depth, the best {CANDIDATES} columns by themselves as candidates (standard error)"
    )
    print("| data | k | " + " | ".join(f"t = {t}" for t in DEPTHS) + " |\n|---|---|" + "---|" * len(DEPTHS))
    for data in REAL:
        mine = frame[frame["data"] == data]
        cells = [_mean_and_error(100 * mine[mine["depth"] == t]["score"]) for t in DEPTHS]
        print(f"| {data} | {FEW.get(data, 20)} | " + " | ".join(cells) + " |")


def figure_tasks(_seeds):
    return [{"data": d, "depth": t, "fold": f} for t in DEPTHS for d in DRAWN_OVER_DEPTHS for f in range(5)]


def report_figure(frame):
    print("\naccuracy in % against the depth, at the paper's numbers of columns (standard error)")
    print("| data | k | " + " | ".join(f"t = {t}" for t in DEPTHS) + " |\n|---|---|" + "---|" * len(DEPTHS))
    for data in DRAWN_OVER_DEPTHS:
        mine = frame[frame["data"] == data]
        found = [100 * np.array(mine[mine["depth"] == t]["scores"].tolist()) for t in DEPTHS]
        for i, k in enumerate(REAL[data][2]):
            print(f"| {data} | {k} | " + " | ".join(_mean_and_error(scores[:, i]) for scores in found) + " |")


# ---- the published code's score ----

VARIANTS = {
    "2-norm": {"task": "classification", "redundancy": False},
    "2-norm, labels as numbers": {"task": "regression", "redundancy": False},
    "2-norm, filter of 0.6": {
        "task": "classification",
        "redundancy": RedundancyFilter(depth=1, threshold=THRESHOLD, random_state=0),
    },
}


def of_variant(data, variant, fold):
    """Accuracies for the paper's numbers of columns."""
    A, a, B, b = _fold(data, fold)
    grid = REAL[data][2]
    selector = FourierSelector(max(grid), norm="l2", n_candidates=150, **VARIANTS[variant]).fit(A, a)
    order = np.argsort(selector.ranking_, kind="stable")
    return {"scores": [float(_svc(A, a, B, b, order[:k])) for k in grid]}


def variant_tasks(_seeds):
    return [{"data": d, "variant": v, "fold": f} for v in VARIANTS for d in REAL for f in range(5)]


def report_variants(frame):
    """Beside the selector as it comes, whose runs another script keeps."""
    ours = _as_it_comes()
    print("\naccuracy in %, depth 2, of the selector as it comes and of the published code's score (standard error)")
    print("| data | k | as it comes | " + " | ".join(VARIANTS) + " |\n|---|---|---|" + "---|" * len(VARIANTS))
    behind = {v: [] for v in VARIANTS}
    for data in REAL:
        mine = frame[frame["data"] == data]
        found = {v: 100 * np.array(mine[mine["variant"] == v]["scores"].tolist()) for v in VARIANTS}
        for i, k in enumerate(REAL[data][2]):
            cells = [_mean_and_error(ours[data, k]), *(_mean_and_error(scores[:, i]) for scores in found.values())]
            print(f"| {data} | {k} | " + " | ".join(cells) + " |")
            for v, scores in found.items():
                behind[v].append(ours[data, k].mean() - scores[:, i].mean())
    for v, points in behind.items():
        print(
            f"as it comes less {v}: {np.mean(points):+.1f} points on average, ahead in {np.sum(np.array(points) > 0)}"
        )


def _as_it_comes():
    """Accuracies in percent of `FourierSelector(k)`, from the runs of ``benchmarks.papers.sffs --defaults``."""
    found = {}
    for line in (RESULTS.parent / "sffs_defaults.jsonl").read_text().splitlines():
        run = json.loads(line)
        found.setdefault((run["data"], run["k"]), []).append(100 * run["score"])
    return {place: np.array(scores) for place, scores in found.items()}


# ---- Table 2: columns that are not redundant ----

SETTINGS = ((0.05, True), (0.2, True), (0.4, True), (0.4, False))


def counted(data, threshold, correct):
    """Columns that `RedundancyFilter.fit` keeps."""
    started = time.process_time()
    kept = RedundancyFilter(threshold=threshold, correct=correct, random_state=0).fit(read(data)[0]).support_.sum()
    return {"kept": int(kept), "seconds": round(time.process_time() - started, 1)}


def count_tasks(_seeds):
    return [{"data": d, "threshold": t, "correct": c} for d in reversed(REAL) for t, c in SETTINGS]


def report_counted(frame):
    print(
        "\n| data | columns | the paper | " + " | ".join(f"{t:g}{'' if c else ', as published'}" for t, c in SETTINGS)
    )
    print("|---|---|---|" + "---|" * len(SETTINGS))
    for data in REAL:
        mine = frame[frame["data"] == data]
        known = {(t, c): k for t, c, k in zip(mine["threshold"], mine["correct"], mine["kept"], strict=True)}
        cells = (str(int(known[s])) if s in known else "" for s in SETTINGS)
        print(f"| {data} | {read(data)[0].shape[1]} | {REAL[data][3]} | " + " | ".join(cells) + " |")


# ---- all of it ----

PARTS = {
    "drawn": (drawn_tasks, of_drawn, report_drawn),
    "variants": (variant_tasks, of_variant, report_variants),
    "depths": (depth_tasks, at_depth, report_depths),
    "figure": (figure_tasks, over_depths, report_figure),
    "counted": (count_tasks, counted, report_counted),
}


def run(part, **task):
    warnings.simplefilter("ignore")
    return PARTS[part][1](**task)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("parts", nargs="*", default=list(PARTS))
    arguments.add_argument("--results", default=RESULTS)
    arguments.add_argument("--seeds", type=int, default=10)
    arguments.add_argument("--jobs", type=int, default=1)
    asked = arguments.parse_args()
    tasks = [{"part": part, **task} for part in asked.parts for task in PARTS[part][0](asked.seeds)]
    lines = kept_runs(asked.results, tasks, run, asked.jobs)
    for part in asked.parts:
        mine = [{**line["task"], **line} for line in lines if line["task"]["part"] == part]
        PARTS[part][2](pd.DataFrame(mine).drop(columns="task"))


if __name__ == "__main__":
    main()
