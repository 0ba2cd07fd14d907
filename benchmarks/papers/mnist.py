"""Figures 6-32 to 6-34 of the thesis: digits of 28 x 28, one bit a pixel, judged by the 10 000 that are kept for it.

At full size 60 000 are learned from, with 50 000 terms; ``--rows`` and ``--terms`` make both smaller. Pixels that are
black or white in fewer than one of 500 digits are left out; they are holes in the grid. Terms of degree 2 are
ranked by the size of their coefficients under a law of the pixels. 6-32: algorithm 1 sums the coefficients, algorithm
2 learns weights for the law's own functions, algorithm 3 for parities, under three laws. 6-33: algorithm 3 under the
grid with more and more terms. 6-34: other learners on raw bits, and on the features that the thesis found best for
them. Logistic regression has a penalty of 1e-3 and is fitted as `SpectralClassifier` fits very many terms. Runs are
kept in a file.

usage: PACLEARN_DATA=folder python -m benchmarks.papers.mnist [--figures 6-32 6-33 6-34] [--rows 60000] [--terms 50000]
    [--results FILE] [--jobs 1]
"""

from __future__ import annotations

import argparse
import time
from functools import cache
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.neural_network import MLPClassifier

from benchmarks.papers.kept_runs import kept_runs
from benchmarks.papers.thesis_ch6 import digits
from paclearn import DirectSpectrumClassifier, SpectralFeatures
from paclearn.learners.spectral.losses import SoftmaxLoss
from paclearn.learners.spectral.ridge import RidgeProblem
from paclearn.learners.spectral.stochastic import fit_by_steps
from paclearn.learners.spectral.term_matrix import TermMatrix
from paclearn.models.terms import signs_of
from paclearn.tables.table import as_table

MEASURES = ("product", "tree", "grid")
ALGORITHMS = {1: "sum of coefficients", 2: "orthonormal", 3: "parity"}
ROWS, TERMS = 60_000, 50_000  # of figure 6-32
SWEEP = (500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 40_000, 45_000)
FEW = 3000  # features for forests and neural networks, which need them all at once
BEST = {"forest": (2, "product"), "MLP": (3, "grid")}
LEARNERS = {
    "forest": lambda: RandomForestClassifier(random_state=0),
    "MLP": lambda: MLPClassifier(random_state=0, early_stopping=True),
}
PENALTY = 1e-3
SOLVED = 2000  # terms up to which the minimum is found; beyond, steps come near to it
RARE = 500  # a pixel that differs in fewer than one of so many digits says next to nothing
RESULTS = Path(__file__).parents[1] / "results" / "mnist.jsonl"


@cache
def table(rows):
    """Pixels and digits, to learn from and to judge by."""
    (X, y), (Z, z) = digits("train"), digits("t10k")
    X, y = X[:rows], y[:rows]
    often = np.minimum(X.sum(axis=0), len(X) - X.sum(axis=0)) >= len(X) / RARE
    return np.where(often, X, 0), y, np.where(often, Z, 0), z, often


def logistic(features, X, y, Z):
    """Digits by multinomial logistic regression on terms that are made a few rows at a time."""
    domain, terms = features.domain_, features.spectrum_.subsets

    def matrix(rows):
        signs = signs_of(domain, domain.bits, list(domain.encode(as_table(features, rows, reset=False))))
        values = signs if features.basis == "parity" else features.measure_.basis(signs).astype(np.float32)
        return TermMatrix(values, terms, np.ones(len(terms), dtype=np.float32))

    classes = np.eye(10)[y]
    problem = RidgeProblem(matrix(X), classes, np.full(len(y), 1 / len(y)), SoftmaxLoss())
    few = len(terms) <= SOLVED
    fit = problem.solve(PENALTY) if few else fit_by_steps(problem, PENALTY, np.random.RandomState(0))
    return fit.scores(matrix(Z)).argmax(axis=1)


def run(rows, algorithm, measure, terms, learner):
    X, y, Z, z, often = table(rows)
    began = time.process_time()
    if algorithm == 1:
        said = DirectSpectrumClassifier(degree=2, n_terms=terms, measure=measure).fit(X, y).predict(Z)
    elif algorithm == 0 and learner == "logistic":
        said = logistic(SpectralFeatures(degree=1, n_terms=None, measure="product").fit(X, y), X, y, Z)
    elif algorithm == 0:
        said = LEARNERS[learner]().fit(X[:, often], y).predict(Z[:, often])
    else:
        features = SpectralFeatures(degree=2, n_terms=terms, measure=measure, basis=ALGORITHMS[algorithm]).fit(X, y)
        if learner == "logistic":
            said = logistic(features, X, y, Z)
        else:
            F, G = (features.transform(rows).astype(np.float32) for rows in (X, Z))
            said = LEARNERS[learner]().fit(F, y).predict(G)
    return {"error": round(float(np.mean(said != z)), 6), "seconds": round(time.process_time() - began)}


def tasks(figures, rows, terms):
    def task(algorithm, measure, terms, learner):
        return {"rows": rows, "algorithm": algorithm, "measure": measure, "terms": terms, "learner": learner}

    found = [task(0, "", 0, "logistic")]
    if "6-32" in figures:
        found += [task(a, m, terms, "logistic") for a in ALGORITHMS for m in MEASURES]
    if "6-33" in figures:
        found += [task(3, "grid", k, "logistic") for k in (*SWEEP, terms) if k <= terms]
    if "6-34" in figures:
        found += [task(0, "", 0, learner) for learner in LEARNERS]
        found += [task(*BEST[learner], min(FEW, terms), learner) for learner in LEARNERS]
    return list({tuple(t.items()): t for t in found}.values())


def report(lines):
    for rows in sorted({line["task"]["rows"] for line in lines}):
        report_of(rows, {tuple(line["task"].values())[1:]: 100 * line["error"] for line in lines
                         if line["task"]["rows"] == rows})  # fmt: skip


def report_of(rows, found):
    """Errors in percent of models learned from so many digits."""

    def cell(*place):
        return f"{found[place]:.2f}" if place in found else ""

    sizes = sorted({terms for algorithm, _, terms, learner in found if algorithm and learner == "logistic"})
    most, few = sizes[-1], min(FEW, sizes[-1])
    heads = (f"{rows:,} digits, {most:,} terms", *MEASURES)
    print("\nfigure 6-32, error in % of logistic regression\n| " + " | ".join(heads) + " |")
    print("| --- | --- | --- | --- |")
    for a, what in ALGORITHMS.items():
        print(f"| algorithm {a}, {what} | " + " | ".join(cell(a, m, most, "logistic") for m in MEASURES) + " |")
    print(f"\nfigure 6-33, error in %\n| {rows:,} digits, terms | " + " | ".join(f"{k:,}" for k in sizes) + " |")
    print("| --- |" + " --- |" * len(sizes))
    print("| algorithm 3, grid | " + " | ".join(cell(3, "grid", k, "logistic") for k in sizes) + " |")
    print(f"\nfigure 6-34, error in %\n| {rows:,} digits | raw bits | features |\n| --- | --- | --- |")
    print(f"| logistic regression, {most:,} | {cell(0, '', 0, 'logistic')} | {cell(3, 'grid', most, 'logistic')} |")
    for learner, best in BEST.items():
        print(f"| {learner}, {few:,} | {cell(0, '', 0, learner)} | {cell(*best, few, learner)} |")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    figures = ("6-32", "6-33", "6-34")
    arguments.add_argument("--figures", nargs="+", choices=figures, default=figures)
    arguments.add_argument("--rows", type=int, default=ROWS)
    arguments.add_argument("--terms", type=int, default=TERMS)
    arguments.add_argument("--results", default=RESULTS)
    arguments.add_argument("--jobs", type=int, default=1)
    asked = arguments.parse_args()
    report(kept_runs(asked.results, tasks(asked.figures, asked.rows, asked.terms), run, asked.jobs))


if __name__ == "__main__":
    main()
