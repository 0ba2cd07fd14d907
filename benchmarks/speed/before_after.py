"""Fits and scans of two versions of the library, in turns, in processes of their own: is the newer one slower?

Every estimator that both versions have is fitted by default to a table of 10 000 rows, ten columns of categories and
ten of numbers, with two classes or a number as the target. Exceptions: regression of polynomials in the absolute loss
is of degree 1 over two bins, correlation boosting sees the numbers alone, as its weak regressor asks, halfspaces are
learned in one pass too. Where a default asks for more work in the newer version (halfspaces choose nu, graphs say by
rows left out when to stop), the same work is fitted in both, too; a setting that a version does not have is left out.
All pairs and triples of bits are scanned, ten times over. A process warms up on a few rows, works for a second (nine
times at most) and says the processor seconds of its best time, on one thread. What is printed is the median of either
version, their ratio, and the smallest and largest ratio of two processes that followed each other.

Where PACLEARN_DATA names the folder of tables, two fits of `SpectralClassifier` may be asked for as well: to all rows
of ``adult`` by default, and to 60 000 digits with 45 000 terms. With ``--tables`` works are default fits of the
spectral models to public tables instead, at most 10 000 rows of each.

usage: OMP_NUM_THREADS=1 [PACLEARN_DATA=folder] python benchmarks/speed/before_after.py BEFORE AFTER
    [--works ... | --tables ...] [--repeats 5] [--jobs 1] [--results FILE.jsonl]

BEFORE and AFTER are folders that ``pip install --no-deps --target FOLDER .`` filled from either version. Works are
shared among ``--jobs`` cores; the two versions of a work always take turns on the same one.
"""

from __future__ import annotations

import argparse
import gzip
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
    "RegressionGraphClassifier, stop as in the theorem",
    "RegressionGraphEnsembleClassifier",
    "HalfspaceClassifier",
    "HalfspaceClassifier, absolute loss and nu given",
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
    "RegressionGraphRegressor, stop as in the theorem",
    "RegressionGraphEnsembleRegressor",
    "CorrelationBoostingRegressor",
    "DirectSpectrumRegressor",
)
SETTINGS = {
    "PolynomialL1Classifier": {"degree": 1, "n_bins": 2},
    "HalfspaceClassifier, absolute loss and nu given": {"loss": "absolute", "nu": 0.5},
    "HalfspaceClassifier, one pass": {"solver": "online", "B": 10, "nu": 0.5},
    "RegressionGraphClassifier, stop as in the theorem": {"stop": "theorem"},
    "RegressionGraphRegressor, stop as in the theorem": {"stop": "theorem"},
}
NUMBERS_ALONE = {"CorrelationBoostingRegressor"}
SCANS = {"scan of pairs": (2, 10_000, 1000), "scan of triples": (3, 10_000, 200)}
WORKS = (*CLASSIFIERS, *REGRESSORS, *SCANS)
PUBLIC = {  # tables of a folder: settings of `SpectralClassifier`
    "adult": {},
    "digits": {"degree": 2, "n_terms": 45_000, "measure": "product", "selection": "coefficient"},
}


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
        learner = getattr(paclearn, name.split(",")[0])()
        known = learner.get_params()
        wanted = {"random_state": 0, "n_jobs": 1, **SETTINGS.get(name, {})}
        fixed = {key: value for key, value in wanted.items() if key in known}
        learner.set_params(**fixed).fit(frame.filter(like="n") if name in NUMBERS_ALONE else frame, target)

    data = {rows: table(rows) for rows in (FEW, ROWS)}
    return fit


def fit_of_table(name):
    """The model of a public table, ready to be fitted."""
    import paclearn
    from benchmarks.suite import NUMERIC_TARGET, read

    frame, y = read(name)
    kind = paclearn.SpectralRegressor if name in NUMERIC_TARGET else paclearn.SpectralClassifier

    def fit(rows):
        some = np.random.default_rng(0).permutation(len(y))[:rows]
        kind(random_state=0).fit(frame.iloc[some], y[some])

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


def public_table(name):
    """All rows of adult, or all digits to learn from, with a bit for every pixel that is not nearly always black."""
    import pandas as pd

    folder = Path(os.environ["PACLEARN_DATA"])
    if name == "adult":
        frame = pd.read_parquet(folder / "adult.parquet")
        return frame, frame.pop("target").astype(str).to_numpy()
    files = (("images-idx3", 16), ("labels-idx1", 8))  # with the bytes before the first value
    pixels, digits = (
        np.frombuffer(gzip.decompress((folder / f"mnist/train-{file}-ubyte.gz").read_bytes()), np.uint8, offset=head)
        for file, head in files
    )
    bits = (pixels.reshape(len(digits), -1) > 127).astype(np.int8)
    return bits[:, (bits.sum(axis=0) >= 120) & (bits.sum(axis=0) <= len(bits) - 120)], digits


def public_fit(name):
    """A fit to a public table, ready to be called, of as many rows as there are or of a few."""
    from paclearn import SpectralClassifier

    X, y = public_table(name)

    def fit(rows):
        some, few = (slice(FEW), {"n_terms": 8}) if rows == FEW else (slice(None), {})
        SpectralClassifier(**{**PUBLIC[name], **few}, random_state=0).fit(X[some], y[some])

    return fit


def work_once(name, core):
    if core is not None:
        os.sched_setaffinity(0, {core})
    warnings.simplefilter("ignore")
    makers = {**dict.fromkeys(WORKS, fit_of), **dict.fromkeys(SCANS, scan_of), **dict.fromkeys(PUBLIC, public_fit)}
    work = makers.get(name, fit_of_table)(name)
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
    here = str(Path(__file__).parents[2])  # for tables, as the benchmarks read them
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(folder).resolve()), here])}
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
        for found in pool.map(lambda name: turns(asked, name, cores), asked.tables or asked.works):
            print(shown(found), flush=True)
            if asked.results:
                with Path(asked.results).open("a", encoding="utf-8") as kept:
                    kept.write(json.dumps(found) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", nargs="?")
    parser.add_argument("after", nargs="?")
    parser.add_argument("--works", nargs="+", choices=[*WORKS, *PUBLIC], default=list(WORKS))
    parser.add_argument("--tables", nargs="+", help="public tables, whose default fits are compared instead")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results", help="a file that keeps the seconds of every run")
    parser.add_argument("--once", help=argparse.SUPPRESS)
    parser.add_argument("--core", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.once:
        work_once(asked.once, asked.core)
    else:
        compare(asked)


if __name__ == "__main__":
    main()
