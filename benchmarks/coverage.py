"""How often certificates fail, and how often sets and intervals hold the truth, over simulated tables.

Rows are eight bits, biased and tied to their neighbours; the class is a random function of three of them, turned round
in one row of ten; the number is the same function plus what two more bits add, with noise that is even in [-0.3, 0.3].
There are 256 kinds of rows, so the error of a model and the coverage of its sets are known exactly. A certificate may
fail in 5 of 100 tables; sets and intervals hold 90 of 100 rows on average over tables. Results are kept line by line,
so a run that was stopped goes on where it was.

usage: python -m benchmarks.coverage [--results FILE] [--tables 300] [--rows 300 1000 5000] [--learners ...] [--jobs 16]
       [--summary]
"""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import product
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd

from paclearn import (
    HalfspaceClassifier,
    JuntaClassifier,
    JuntaRegressor,
    RegressionGraphClassifier,
    RegressionGraphRegressor,
    RuleClassifier,
    SpectralClassifier,
    SpectralRegressor,
)

DELTA, CONFIDENCE, NOISE, HALF = 0.05, 0.9, 0.1, 0.3
CUBE = np.array(list(product((0, 1), repeat=8)))
LEARNERS = {
    "JuntaClassifier": lambda: JuntaClassifier(k=3),
    "RuleClassifier": RuleClassifier,
    "SpectralClassifier, 5 terms": lambda: SpectralClassifier(max_terms=5),
    "SpectralClassifier": SpectralClassifier,
    "RegressionGraphClassifier": RegressionGraphClassifier,
    "HalfspaceClassifier": HalfspaceClassifier,
    "JuntaRegressor": lambda: JuntaRegressor(k=3, target_range=(-HALF, 2 + HALF)),
    "SpectralRegressor": SpectralRegressor,
    "RegressionGraphRegressor": RegressionGraphRegressor,
}
OF_NUMBERS = {"JuntaRegressor", "SpectralRegressor", "RegressionGraphRegressor"}


class Law:
    """A law of rows and what is true of each of its 256 kinds."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        up, copies = rng.uniform(0.3, 0.7, 8), rng.uniform(0, 0.5, 8)
        shares = np.where(CUBE[:, 0], up[0], 1 - up[0])
        for j in range(1, 8):
            shares = shares * (
                copies[j] * (CUBE[:, j] == CUBE[:, j - 1]) + (1 - copies[j]) * np.where(CUBE[:, j], up[j], 1 - up[j])
            )
        self.shares, table = shares, rng.random(8) < 0.5
        table[:2] = False, True  # never all alike
        self.truth = table[CUBE[:, rng.permutation(8)[:3]] @ [4, 2, 1]]
        self.mean = self.truth + 0.5 * CUBE[:, 6] + 0.5 * CUBE[:, 7]
        self.rng = rng

    def draw(self, n, numbers):
        """Rows and their targets."""
        kind = self.rng.choice(256, n, p=self.shares)
        if numbers:
            return CUBE[kind], self.mean[kind] + self.rng.uniform(-HALF, HALF, n)
        return CUBE[kind], (self.truth[kind] ^ (self.rng.random(n) < NOISE)).astype(int)

    def error(self, model, numbers):
        """Of a fitted model, exactly."""
        if numbers:
            return float(self.shares @ ((model.predict(CUBE) - self.mean) ** 2 + HALF**2 / 3))
        right = model.predict(CUBE) == self.truth
        return float(self.shares @ np.where(right, NOISE, 1 - NOISE))

    def of_exam(self, model, X, numbers):
        """What the exam promises beside the error, and whether it fails."""
        if not numbers:
            return {
                c.quantity: [c.bound, bool(self._off(model, X[model.heldout_rows_]) > c.bound)] for c in model.exam_
            }
        grid = (np.arange(200) + 0.5) / 200 * 2 * HALF - HALF  # of the noise, which is even
        errors = np.abs(self.mean[:, None] + grid - model.predict(CUBE)[:, None]).ravel()
        order, shares = np.argsort(errors), np.repeat(self.shares / 200, 200)
        below = np.cumsum(shares[order])
        true = [errors[order][np.searchsorted(below, one.share)] for one in model.exam_]
        return {
            f"error of {100 * one.share:g} of 100": [one.high, bool(not one.low - 0.004 <= t <= one.high + 0.004)]
            for one, t in zip(model.exam_, true, strict=True)
        }

    def _off(self, model, held):
        """The calibration error on rows that are spread over five bins as those held out are."""
        said, one = model.predict_proba(CUBE)[:, 1], np.where(self.truth, 1 - NOISE, NOISE)
        bins, seen = (np.minimum((5 * p).astype(int), 4) for p in (said, model.predict_proba(held)[:, 1]))
        told = model.predict_proba(held)[:, 1]
        off = 0.0
        for b in np.unique(seen):
            inside = bins == b
            off += (seen == b).mean() * abs(
                np.average(one[inside], weights=self.shares[inside]) - told[seen == b].mean()
            )
        return off

    def covered(self, model, numbers):
        """The share of new rows that are inside, exactly."""
        if numbers:
            low, high = (model.predict_interval(CUBE, CONFIDENCE) - self.mean[:, None]).T
            inside = (np.clip(high, -HALF, HALF) - np.clip(low, -HALF, HALF)) / (2 * HALF)
        else:
            sets = model.predict_set(CUBE, CONFIDENCE)
            one = np.where(self.truth, 1 - NOISE, NOISE)
            inside = sets[:, 1] * one + sets[:, 0] * (1 - one)
        return float(self.shares @ inside)


def tried(learner, n, seed):
    """One table: which certificates failed, and the coverage."""
    law, numbers = Law(seed), learner in OF_NUMBERS
    X, y = law.draw(n, numbers)
    model = LEARNERS[learner]().set_params(holdout="auto", delta=DELTA, random_state=seed).fit(X, y)
    error = law.error(model, numbers)
    return {
        "learner": learner,
        "rows": n,
        "seed": seed,
        "error": error,
        "bounds": {c.kind: [c.bound, bool(error > c.bound)] for c in model.certificates_}
        | law.of_exam(model, X, numbers),
        "covered": law.covered(model, numbers),
    }


def summary(results):
    """A line a learner, size and kind of certificate."""
    runs = pd.DataFrame(results)
    print("| learner | rows | tables | certificate | error | bound | failed (5 % allowed) | in the set (90 % asked) |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for (learner, rows), part in runs.sort_values("rows").groupby(["learner", "rows"], sort=False):
        inside = f"{100 * part['covered'].mean():.1f} % ± {196 * part['covered'].sem():.1f}"
        for kind in part["bounds"].iloc[0]:
            bounds = [b[kind] for b in part["bounds"] if kind in b]
            bound, failed = (np.mean(column) for column in zip(*bounds, strict=True))
            print(
                f"| {learner} | {rows:,} | {len(part)} | {kind} | {part['error'].mean():.3f} | {bound:.3f} "
                f"| {100 * failed:.1f} % | {inside} |"
            )


def main():
    """Run what is missing, then print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=Path("coverage.jsonl"))
    parser.add_argument("--tables", type=int, default=300)
    parser.add_argument("--rows", type=int, nargs="*", default=[300, 1000, 5000])
    parser.add_argument("--learners", nargs="*", default=list(LEARNERS))
    parser.add_argument("--jobs", type=int, default=1, help="tables at a time")
    parser.add_argument("--summary", action="store_true")
    asked = parser.parse_args()
    known = [json.loads(line) for line in asked.results.read_text().splitlines()] if asked.results.exists() else []
    done = {(run["learner"], run["rows"], run["seed"]) for run in known}
    wanted = [] if asked.summary else product(asked.rows, asked.learners, range(asked.tables))
    missing = [(learner, n, seed) for n, learner, seed in wanted if (learner, n, seed) not in done]
    with asked.results.open("a") as out, ProcessPoolExecutor(asked.jobs, get_context("fork")) as pool:
        for future in as_completed([pool.submit(tried, *one) for one in missing[::-1]]):  # the longest first
            known.append(future.result())
            print(json.dumps(known[-1]), file=out, flush=True)
    summary(known)


if __name__ == "__main__":
    main()
