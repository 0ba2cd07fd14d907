"""What changed on public tables when folds began to share equal rows out.

Once, all equal rows of one class were in one fold, which was then judged by a model that had never seen their like. A
model is chosen by such folds and by those of today, five times on four fifths of each table (at most 5000 rows), and
judged on the other fifth: accuracy for classes, share of the variance explained for numbers. Where no two rows are
alike both are the same to the last bit. A table loses where the mean difference is below nought by more than its noise,
two and a half standard errors over the five fifths, and by more than a tenth of a point.

Results are kept line by line in a file, so a run that was stopped goes on where it was.

usage: PACLEARN_DATA=folder python -m benchmarks.fold_changes [--results FILE] [--processes 1] [--tables ...]
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.model_selection import KFold, StratifiedKFold

import paclearn
from paclearn.encoding.folds import Draws

SET_ASIDE = {"usps", "isolet", "coil20", "all_aml"}  # images, sounds and genes
MOST_ROWS, FOLDS, FEWEST_NUMBERS = 5000, 5, 60
WAYS = ("as once", "as now")
LEARNERS = {
    "spectral": (paclearn.SpectralClassifier, paclearn.SpectralRegressor, {}),
    "ten terms": (paclearn.SpectralClassifier, paclearn.SpectralRegressor, {"max_terms": 10}),
    "graph": (paclearn.RegressionGraphClassifier, paclearn.RegressionGraphRegressor, {}),
}


def tables():
    """Names of all tables."""
    return sorted({p.stem for p in Path(os.environ["PACLEARN_DATA"]).glob("*.parquet")} - SET_ASIDE)


def read(name):
    """A table, its target, and whether that is a class."""
    table = pq.read_table(Path(os.environ["PACLEARN_DATA"]) / f"{name}.parquet")
    table = table.take(np.sort(np.random.default_rng(0).permutation(len(table))[:MOST_ROWS]))
    y, X = table["target"], table.drop_columns(["target"])
    is_number = not pa.types.is_dictionary(y.type) and not pa.types.is_string(y.type)
    if is_number and len(y.unique()) > FEWEST_NUMBERS:
        return X, y.to_numpy().astype(float), False
    return X, np.array([str(value) for value in y.to_pylist()]), True


_AS_NOW = Draws.fold_counts


def as_once(self, strata, n_folds, rng, n_wanted=None):
    """The draws that each fold holds, all draws of a kind in one."""
    if self.group_numbers is not None:
        return _AS_NOW(self, strata, n_folds, rng, n_wanted)
    single = Draws(self.weights, np.ones_like(self.counts))
    return _AS_NOW(single, strata, n_folds, rng, n_wanted) * self.counts


def value_of(table, learner, fold, way):
    """How well the model does on the fifth that it has not seen."""
    X, y, classify = read(table)
    cut = (StratifiedKFold if classify else KFold)(FOLDS, shuffle=True, random_state=0)
    known, new = list(cut.split(np.arange(len(y)), y if classify else None))[fold]
    *kinds, settings = LEARNERS[learner]
    model = kinds[0 if classify else 1](random_state=0, **settings)
    with warnings.catch_warnings(), patch.object(Draws, "fold_counts", as_once if way == "as once" else _AS_NOW):
        warnings.simplefilter("ignore")
        said = model.fit(X.take(known), y[known]).predict(X.take(new))
    if classify:
        return float((said == y[new]).mean())
    return float(1 - ((said - y[new]) ** 2).mean() / y[new].var())


def line_of(key):
    start = time.process_time()
    named = dict(zip(("table", "learner", "fold", "way"), key, strict=True))
    return json.dumps(named | {"value": value_of(*key), "seconds": round(time.process_time() - start, 2)})


def done(path):
    """What a file of results has, by table, learner, fold and way."""
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return {(one["table"], one["learner"], one["fold"], one["way"]): one["value"] for one in lines}


def run(path, names, learners, processes):
    """Fit what is not there yet, large tables first."""
    known = done(path)
    sizes = {name: read(name)[0].nbytes for name in names}
    every = [
        (name, learner, fold, way)
        for name in sorted(names, key=lambda n: -sizes[n])
        for learner in learners
        for fold in range(FOLDS)
        for way in WAYS
    ]
    with path.open("a") as file, ProcessPoolExecutor(processes) as pool:
        asked = [pool.submit(line_of, key) for key in every if key not in known]
        for found in as_completed(asked):
            file.write(found.result() + "\n")
            file.flush()


def verdicts(results):
    """A line for each table and learner that changed, and how many did not."""
    same = losses = 0
    for learner in dict.fromkeys(key[1] for key in results):
        for table in sorted({key[0] for key in results}):
            pairs = [tuple(results.get((table, learner, fold, way), np.nan) for way in WAYS) for fold in range(FOLDS)]
            once, now = np.array(pairs).T
            gain = now - once
            if np.isnan(gain).any():
                continue
            if not gain.any():
                same += 1
                continue
            noise = gain.std(ddof=1) / np.sqrt(FOLDS)
            lost = gain.mean() < -max(2.5 * noise, 0.001)
            losses += lost
            print(
                f"{'LOST ' if lost else '     '} {learner:10s} {table:26s} {100 * once.mean():6.2f} -> "
                f"{100 * now.mean():6.2f} ({100 * gain.mean():+.2f}, give or take {100 * noise:.2f})"
            )
    print(f"{same} pairs of table and learner are the same; {losses} lose more than their noise")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--results", type=Path, default=Path("fold_changes.jsonl"), help="a file of JSON lines")
    parser.add_argument("--tables", nargs="*", default=None)
    parser.add_argument("--learners", nargs="*", default=list(LEARNERS))
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    run(given.results, given.tables or tables(), given.learners, given.processes)
    verdicts(done(given.results))


if __name__ == "__main__":
    main()
