"""Fits and scans of two versions of the library, in turns, in processes of their own: is the newer one slower?

Every estimator that both versions have is fitted by default to a table of 10 000 rows, ten columns of categories and
ten of numbers, with two classes or a number as the target. Exceptions: regression of polynomials in the absolute loss
is of degree 1 over two bins, correlation boosting sees the numbers alone, as its weak regressor asks, halfspaces are
learned in one pass too. All pairs and triples of bits are scanned, ten times over. A process warms up on a few rows,
works for a second (nine times at most) and says the processor seconds of its best time, on one thread. What is printed
is the median of either version, their ratio, and the smallest and largest ratio of two processes that followed each
other.

usage: OMP_NUM_THREADS=1 python benchmarks/speed/before_after.py BEFORE AFTER [--works ...] [--repeats 5] [--jobs 1]
    [--results FILE.jsonl]

BEFORE and AFTER are folders that ``pip install --no-deps --target FOLDER .`` filled from either version. Works are
shared among ``--jobs`` cores; the two versions of a work always take turns on the same one.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue

import numpy as np

ROWS, FEW = 10_000, 300
CLASSIFIERS = (
    "SpectralClassifier",
    "JuntaClassifier",
    "RegressionGraphClassifier",
    "RegressionGraphEnsembleClassifier",
    "HalfspaceClassifier",
    "HalfspaceClassifier, one pass",
    "DirectSpectrumClassifier",
    "PolynomialL1Classifier",
    "PolynomialL2Classifier",
    "FourierSelector",
    "RedundancyFilter",
    "SpectralFeatures",
)
REGRESSORS = (
    "SpectralRegressor",
    "JuntaRegressor",
    "RegressionGraphRegressor",
    "RegressionGraphEnsembleRegressor",
    "CorrelationBoostingRegressor",
    "DirectSpectrumRegressor",
)
SETTINGS = {
    "PolynomialL1Classifier": {"degree": 1, "n_bins": 2},
    "HalfspaceClassifier, one pass": {"solver": "online", "B": 10, "nu": 0.5},
}
NUMBERS_ALONE = {"CorrelationBoostingRegressor"}
SCANS = {"scan of pairs": (2, 10_000, 1000), "scan of triples": (3, 10_000, 200)}
WORKS = (*CLASSIFIERS, *REGRESSORS, *SCANS)


# ---- one run, in a process of its own ----


def table(rows, seed=0):
    """Ten columns of two to six categories and ten of numbers; five of them matter, with a pair."""
    import pandas as pd

    rng = np.random.default_rng(seed)
    words = {f"c{j}": np.array(list("abcdef"))[rng.integers(0, 2 + j % 5, rows)] for j in range(10)}
    frame = pd.DataFrame({**words, **{f"n{j}": rng.normal(size=rows).round(3) for j in range(10)}})
    signal = (frame.c0 == "a") + 2.0 * ((frame.c3 == "b") & (frame.n0 > 0)) + np.sin(frame.n1) - (frame.n2 > 0.5)
    return frame, signal.to_numpy(dtype=float) + rng.normal(0, 0.5, rows)


def fit_of(name):
    """A fit of so many rows, ready to be called."""
    import paclearn

    def fit(rows):
        frame, y = data[rows]
        target = np.where(y > np.median(y), "yes", "no") if name in CLASSIFIERS else y
        learner = getattr(paclearn, name.split(",")[0])(**SETTINGS.get(name, {}))
        known = learner.get_params()
        fixed = {key: value for key, value in {"random_state": 0, "n_jobs": 1}.items() if key in known}
        learner.set_params(**fixed).fit(frame.filter(like="n") if name in NUMBERS_ALONE else frame, target)

    data = {rows: table(rows) for rows in (FEW, ROWS)}
    return fit


def scan_of(name):
    """A scan of all subsets, ready to be called; rows to warm up on are as many as there are."""
    from paclearn.counting import BitTable, NativeEngine
    from paclearn.search import ZeroOneScore

    k, n, d = SCANS[name]
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (d, n)).astype(np.uint8)
    bits = BitTable.pack(codes, [2] * d, rng.integers(0, 2, n), 2)

    def scan(_):
        for _ in range(10):
            NativeEngine(bits, 1).scan(ZeroOneScore(2).fused(float(n))).best(k, 0, d - k + 1, 100)

    return scan


def work_once(name, core):
    if core is not None:
        os.sched_setaffinity(0, {core})
    warnings.simplefilter("ignore")
    work = (scan_of if name in SCANS else fit_of)(name)
    work(FEW)
    took = []
    while sum(took) < 1 and len(took) < 9:
        begin = time.process_time()
        work(ROWS)
        took.append(time.process_time() - begin)
    print(min(took))


# ---- both versions in turns ----


def seconds(folder, name, core):
    """Of one run of a version, or nothing where it has no such work."""
    environment = {**os.environ, "PYTHONPATH": str(Path(folder).resolve())}
    command = [sys.executable, __file__, "--once", name, "--core", str(core)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{folder}, {name}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr, flush=True)
        return None
    return float(done.stdout)


def turns(asked, name, cores):
    """What a work took in both versions, which begin by turns."""
    core, found = cores.get(), {"work": name, "before": [], "after": []}
    try:
        for turn in range(asked.repeats):
            for side in ("before", "after") if turn % 2 == 0 else ("after", "before"):
                took = seconds(getattr(asked, side), name, core)
                if took is None:
                    return found
                found[side].append(took)
    finally:
        cores.put(core)
    return found


def shown(found):
    before, after = np.array(found["before"]), np.array(found["after"])
    if not len(before) or len(before) != len(after):
        return f"| {found['work']} | fails | | | |"
    middle, ratios = (np.median(before), np.median(after)), after / before
    return (
        f"| {found['work']} | {middle[0]:.3g} | {middle[1]:.3g} | {middle[1] / middle[0]:.2f} "
        f"| {ratios.min():.2f} to {ratios.max():.2f} |"
    )


def compare(asked):
    cores: Queue[int] = Queue()
    for core in sorted(os.sched_getaffinity(0))[: asked.jobs]:
        cores.put(core)
    print("| | before, s | after, s | ratio | smallest and largest |\n| --- | --- | --- | --- | --- |", flush=True)
    with ThreadPoolExecutor(asked.jobs) as pool:
        for found in pool.map(lambda name: turns(asked, name, cores), asked.works):
            print(shown(found), flush=True)
            if asked.results:
                with Path(asked.results).open("a", encoding="utf-8") as kept:
                    kept.write(json.dumps(found) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", nargs="?")
    parser.add_argument("after", nargs="?")
    parser.add_argument("--works", nargs="+", choices=WORKS, default=list(WORKS))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results", help="a file that keeps the seconds of every run")
    parser.add_argument("--once", choices=WORKS, help=argparse.SUPPRESS)
    parser.add_argument("--core", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.once:
        work_once(asked.once, asked.core)
    else:
        compare(asked)


if __name__ == "__main__":
    main()
