"""The experiments of the feature selection paper: accuracy against the number of columns, and running time.

usage: PACLEARN_DATA=folder python -m benchmarks.papers.sffs [--only NAME ...] [--json FILE] [--plot FILE]
    [--defaults K --results FILE]

Five-fold cross-validation; in every fold the columns are ranked on the training rows, and a support vector machine with
a Gaussian kernel is fitted to the first k of them. Peers that are not installed are left out: skrebate (ReliefF),
mrmr-selection (mRMR), skfeature-chappers (RFS).
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.feature_selection import mutual_info_classif
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from paclearn import FourierSelector, RedundancyFilter
from paclearn.datasets import make_nonlinear

GRID = (20, 40, 60, 80, 100)
# name: file, rows at most (581 of Covertype as in the paper; fewer of USPS, for ReliefF's sake), numbers of columns,
# columns that the paper calls not redundant
REAL = {
    "USPS": ("usps", 1500, GRID, 93),
    "Isolet": ("isolet", 1560, GRID, 309),
    "COIL20": ("coil20", 1440, GRID, 331),
    "Covertype": ("covertype_15k", 581, (10, 20, 30, 40), 34),
    "Australian": ("australian_credit", 690, (2, 4, 6, 8, 10, 12, 14), 12),
    "Musk": ("musk_v1", 476, GRID, 35),
    "ALL_AML": ("all_aml", 72, GRID, 39),
}
CANDIDATES = 150
THRESHOLD = 0.6  # of redundancy, for all data alike; chosen by a look at USPS
LARGEST_FOR_RFS = 1000  # it inverts a matrix of rows + columns again and again


# ---- rankings: columns, best first --------------------------------------------------------------------------------


def sffs(depth, threshold=None):
    """The ranking by our selector; columns that are left out as redundant come last."""

    def rank(X, y, k):
        selector = FourierSelector(
            k,
            depth=depth,
            redundancy=False if threshold is None else RedundancyFilter(depth=1, threshold=threshold, random_state=0),
            task="classification",
            n_candidates=CANDIDATES if depth > 1 else None,
        ).fit(X, y)
        ranked = np.argsort(selector.ranking_, kind="stable")[: selector.get_support().sum()].tolist()
        if len(ranked) < min(k, X.shape[1]):  # the redundant ones, by themselves
            ranked += [j for j in sffs(1)(X, y, X.shape[1]) if j not in set(ranked)]
        return np.array(ranked)

    return rank


def mutual_information(X, y, _k):
    return np.argsort(-mutual_info_classif(X, y, random_state=0), kind="stable")


def relieff():
    from skrebate import ReliefF

    def rank(X, y, _k):
        return np.argsort(-ReliefF(n_neighbors=10, n_jobs=1).fit(X, y).feature_importances_, kind="stable")

    return rank


def mrmr():
    from mrmr import mrmr_classif

    def rank(X, y, k):
        frame = pd.DataFrame(X, columns=[str(i) for i in range(X.shape[1])])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = mrmr_classif(frame, pd.Series(y), K=min(k, X.shape[1]), show_progress=False, n_jobs=1)
        order = [int(name) for name in found]
        return np.array(order + [i for i in range(X.shape[1]) if i not in set(order)])

    return rank


def rfs():
    from skfeature.function.sparse_learning_based import RFS

    def rank(X, y, _k):
        weights = RFS.rfs(X, y, mode="raw", gamma=0.1)
        return np.argsort(-np.linalg.norm(weights, axis=1), kind="stable")

    return rank


def methods(n_rows=0, n_columns=0):
    found = {"SFFS t=1": sffs(1, THRESHOLD), "SFFS t=2": sffs(2, THRESHOLD), "MI": mutual_information}
    for name, make in (("ReliefF", relieff), ("mRMR", mrmr), ("RFS", rfs)):
        if name == "RFS" and n_rows + n_columns > LARGEST_FOR_RFS:
            continue
        try:
            found[name] = make()
        except ImportError as error:
            print(f"{name} is left out: {error}")
    return found


# ---- accuracy against k -------------------------------------------------------------------------------------------


def read(name):
    file, rows, grid, _ = REAL[name]
    frame = pd.read_parquet(Path(os.environ["PACLEARN_DATA"]) / f"{file}.parquet")
    y = pd.factorize(frame.pop("target"), sort=True)[0]
    X = frame.apply(lambda column: column if column.dtype.kind in "iuf" else pd.factorize(column, sort=True)[0])
    chosen = np.random.default_rng(0).permutation(len(y))[:rows]
    return X.to_numpy(dtype=float)[chosen], y[chosen], grid


def folds(X, y):
    """Standardised columns that vary, of the rows to learn from and of those to judge by, and their labels."""
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        scaler = StandardScaler().fit(X[train])
        varies = X[train].std(axis=0) > 0
        yield scaler.transform(X[train])[:, varies], y[train], scaler.transform(X[test])[:, varies], y[test]


def one_default(name, k, fold):
    """`FourierSelector(k)` as it comes, fitted for this k: its accuracy on one fold, and the threshold it chose."""
    warnings.simplefilter("ignore")
    X, y, _ = read(name)
    A, a, B, b = list(folds(X, y))[fold]
    started = time.process_time()
    selector = FourierSelector(k, task="classification", random_state=0).fit(A, a)
    seconds = time.process_time() - started
    score = float(_svc(A, a, B, b, np.flatnonzero(selector.get_support())))
    threshold = float(selector.threshold_)
    return {"data": name, "k": k, "fold": fold, "score": score, "threshold": threshold, "seconds": seconds}


def report_defaults(names, largest, jobs, path):
    """As it comes, for every k; runs are kept in a file, and one that was stopped goes on where it was."""
    kept = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    known = {(r["data"], r["k"], r["fold"]) for r in kept}
    asked = [(name, k, fold) for name in names for k in REAL[name][2] if k <= largest for fold in range(5)]
    waiting = [task for task in asked if task not in known]
    for line in Parallel(jobs, return_as="generator_unordered")(delayed(one_default)(*task) for task in waiting):
        kept.append(line)
        with path.open("a") as file:
            file.write(json.dumps(line) + "\n")
    print("\n| data | k | accuracy (standard error) | thresholds chosen | seconds a fit |\n|---|---|---|---|---|")
    for name in names:
        for k in REAL[name][2]:
            runs = sorted((r for r in kept if (r["data"], r["k"]) == (name, k)), key=lambda r: r["fold"])
            if len(runs) == 5:
                scores = [100 * r["score"] for r in runs]
                chosen = " ".join(f"{r['threshold']:g}" for r in runs)
                seconds = np.mean([r["seconds"] for r in runs])
                error = np.std(scores, ddof=1) / 5**0.5
                print(f"| {name} | {k} | {np.mean(scores):.1f} ({error:.1f}) | {chosen} | {seconds:.1f} |")


def accuracies(X, y, grid, ranks):
    """Accuracy of every method, k and fold, and the seconds that ranking took."""
    result = {name: [] for name in ranks}
    seconds = dict.fromkeys(ranks, 0.0)
    for A, a, B, b in folds(X, y):
        for name, rank in ranks.items():
            started = time.perf_counter()
            order = rank(A, a, max(grid))
            seconds[name] += time.perf_counter() - started
            result[name].append([_svc(A, a, B, b, order[:k]) for k in grid])
    return {name: np.array(values) for name, values in result.items()}, seconds


def _svc(A, a, B, b, columns):
    return make_pipeline(StandardScaler(), SVC()).fit(A[:, columns], a).score(B[:, columns], b)


def with_best_depth(result):
    """SFFS as the paper reports it: for every k the better of the two depths."""
    both = np.stack([result["SFFS t=1"].mean(axis=0), result["SFFS t=2"].mean(axis=0)])
    best = both.argmax(axis=0)
    picked = np.stack([result[f"SFFS t={b + 1}"][:, i] for i, b in enumerate(best)], axis=1)
    return {"SFFS (best of 1, 2)": picked, **{n: v for n, v in result.items() if not n.startswith("SFFS")}}


def mean_ranks(results):
    """Rank of every method (1 is best), averaged over the datasets and the numbers of columns."""
    ranks = {}
    for result in results.values():
        compared = {name: v for name, v in with_best_depth(result).items() if name != "RFS"}
        means = np.stack([values.mean(axis=0) for values in compared.values()])
        places = pd.DataFrame(np.round(means, 6)).rank(ascending=False).to_numpy()
        for name, place in zip(compared, places, strict=True):
            ranks.setdefault(name, []).extend(place)
    return {name: float(np.mean(places)) for name, places in ranks.items()}


# ---- E1 and E2 ------------------------------------------------------------------------------------------------------


def synthetic(n_seeds=20):
    there = methods()
    peers = [name for name in ("mRMR", "ReliefF") if name in there]
    heads = ["SFFS t=1", "SFFS t=2", "SFFS t=3", "MI", *peers]
    print("\n| data | " + " | ".join(heads) + " |\n|---|" + "---|" * len(heads))
    for name, inputs in (("E1", "bits"), ("E2", "normal")):
        ranks = {f"SFFS t={t}": sffs(t) for t in (1, 2, 3)}
        ranks["MI"] = lambda X, y, _k, discrete=inputs == "bits": np.argsort(
            -mutual_info_classif(X, y, discrete_features=discrete, random_state=0), kind="stable"
        )
        ranks |= {name: {"mRMR": mrmr, "ReliefF": relieff}[name]() for name in peers}
        hits, missed = {method: [] for method in ranks}, []
        for seed in range(n_seeds):
            data = make_nonlinear(inputs=inputs, random_state=seed)
            for method, rank in ranks.items():
                found = set(rank(data.data, data.target, 6)[:6].tolist()) & set(range(6))
                hits[method].append(len(found))
                if method == "SFFS t=3":
                    missed += [round(float(data.influence[j]), 2) for j in set(range(6)) - found]
        print(f"| {name} | " + " | ".join(f"{np.mean(hits[method]):.2f}" for method in ranks) + " |")
        print(f"influences of the columns that t=3 missed on {name}: {missed}")


# ---- report ---------------------------------------------------------------------------------------------------------


def report(name, result, seconds, grid):
    print(f"\n{name}: accuracy in % (standard error over five folds) of the first k columns")
    print("| k | " + " | ".join(result) + " |\n|---|" + "---|" * len(result))
    for i, k in enumerate(grid):
        cells = (f"{100 * v[:, i].mean():.1f} ({100 * v[:, i].std(ddof=1) / 5**0.5:.1f})" for v in result.values())
        print(f"| {k} | " + " | ".join(cells) + " |")
    base = seconds["SFFS t=1"]
    print("time, in that of SFFS t=1: " + ", ".join(f"{n} {s / base:.2g}" for n, s in seconds.items()), flush=True)


def plot(results, path):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 4, figsize=(14, 6.5), layout="constrained")
    for axis, (name, result) in zip(axes.flat, results.items(), strict=False):
        for method, values in result.items():
            width = 2.2 if method.startswith("SFFS") else 1
            axis.plot(REAL[name][2], 100 * values.mean(axis=0), "o-", label=method, linewidth=width, markersize=3)
        axis.set(title=name, xlabel="columns", ylabel="accuracy in %")
    handles, labels = axes.flat[0].get_legend_handles_labels()
    axes.flat[-1].axis("off")
    axes.flat[-1].legend(handles, labels, loc="center")
    figure.savefig(path)
    print(f"plot: {path}")


def _known(path):
    """Results of an earlier run, not to be computed again."""
    if path is None or not Path(path).exists():
        return {}
    stored = json.loads(Path(path).read_text())
    return {name: {m: np.array(v) for m, v in result.items()} for name, result in stored.items()}


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--only", nargs="*", default=list(REAL), choices=list(REAL))
    arguments.add_argument("--plot", help="draw accuracy against k into this file")
    arguments.add_argument("--json", help="keep the accuracies of all folds in this file, and go on from it")
    arguments.add_argument("--defaults", type=int, metavar="K", help="the selector as it comes, up to K columns, only")
    arguments.add_argument("--results", type=Path, default=Path("sffs_defaults.jsonl"), help="keeps the runs of that")
    arguments.add_argument("--jobs", type=int, default=1, help="fits at a time")
    chosen = arguments.parse_args()
    warnings.simplefilter("ignore")
    if chosen.defaults:
        report_defaults(chosen.only, chosen.defaults, chosen.jobs, chosen.results)
        return
    if chosen.only == list(REAL):
        synthetic()
    results = _known(chosen.json)
    for name in chosen.only:
        if name in results:
            continue
        X, y, grid = read(name)
        results[name], seconds = accuracies(X, y, grid, methods(*X.shape))
        report(name, results[name], seconds, grid)
        if chosen.json:  # after each, so that nothing is lost
            plain = {n: {m: v.tolist() for m, v in r.items()} for n, r in results.items()}
            Path(chosen.json).write_text(json.dumps(plain))
    print("\nmean rank of accuracy over all data and k (1 is best):")
    for method, rank in sorted(mean_ranks(results).items(), key=lambda item: item[1]):
        print(f"  {rank:.2f}  {method}")
    if chosen.plot:
        plot(results, chosen.plot)


if __name__ == "__main__":
    main()
