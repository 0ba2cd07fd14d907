"""Tables 6.6 to 6.10 of the thesis with all their columns, and figures 6-35 to 6-38: four real tables.

As published: ten folds, several times; logistic regression, a random forest and a multi-layer perceptron with
scikit-learn's own settings, on raw bits and on the features of algorithm 3 (for forests algorithm 2); hepatitis at
degree 1 and chess at degree 2 under independent bits, votes at degree 2 and boards at degrees 2 and 3 where the bits of
one column depend on each other. The number of features is the one that is best on the rows it is judged by, as in the
thesis; 25 for hepatitis, which it names. For the figures logistic regression learns from as many features of other
rankings: p-values, LASSO, pursuit and recursive elimination (five features at a time, or a hundredth of thousands).

Runs are kept line by line in a file, and one that was stopped goes on where it was.

Hepatitis with the thesis's own bits is in `benchmarks.papers.thesis_hepatitis`, raw bits of all tables in
`benchmarks.papers.thesis_raw_bits`.

usage: PACLEARN_DATA=folder python -m benchmarks.papers.thesis_tables [--repeats 3] [--jobs 2] [--results FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.preprocessing import PolynomialFeatures

from benchmarks.papers.chapter6.learners import LEARNERS, RANKINGS
from paclearn import BooleanEncoder, SpectralFeatures

COLUMNS = ("linear", "forest", "MLP")
SELECTORS = ("p-value", "LASSO", "pursuit")
SLOW = "elimination"  # its runs are lines of their own
EVERY_TERM = 10**6


@dataclass(frozen=True)
class Published:
    """A table of the thesis: its degree and measure, features to try, and accuracies with raw and proposed features."""

    data: str
    degree: int
    measure: str
    sizes: tuple[int, ...]
    raw: tuple[float, ...]
    proposed: tuple[float, ...]
    figure: str = ""


TABLES = {
    "6.6": Published("hepatitis", 1, "product", (5, 10, 25, 40), (85.00, 84.84, 81.55), (86.07, 85.47, 83.60), "6-35"),
    "6.7": Published(
        "house_votes_84", 2, "groups", (10, 30, 100, 300), (95.88, 95.90, 94.60), (96.23, 96.34, 95.27), "6-36"
    ),
    "6.8": Published("tic_tac_toe", 2, "groups", (50, 100, 160, 370), (81.78, 91.81, 96.77), (99.00, 96.34, 96.10)),
    "6.9": Published(
        "tic_tac_toe", 3, "groups", (50, 150, 400, 900), (81.78, 91.81, 96.77), (100.00, 99.52, 99.50), "6-37"
    ),
    "6.10": Published(
        "kr_vs_kp", 2, "product", (40, 150, 400, 700), (96.12, 99.15, 99.20), (99.61, 99.54, 99.32), "6-38"
    ),
}


def judged(names, F, G, y, z):
    """The accuracy of learners on some columns."""
    return {name: float(np.mean(LEARNERS[name][0]().fit(F, y).predict(G) == z)) for name in names}


def run(number, part, frame, labels, train, test):
    """Accuracies on one fold: on raw bits, on so many proposed features, and on as many of other rankings."""
    table = TABLES[number]
    encoder = BooleanEncoder(min_count=2).fit(frame.iloc[train])
    X, Z, y, z = *(encoder.transform(frame.iloc[rows]) for rows in (train, test)), labels[train], labels[test]
    if part == SLOW:
        return of_others(table, (SLOW,), X, Z, y, z)
    found = {"raw": judged(COLUMNS, X, Z, y, z)}
    for basis, names in (("parity", ("linear", "MLP")), ("orthonormal", ("forest",))):
        terms = SpectralFeatures(table.degree, EVERY_TERM, table.measure, basis, min_count=2).fit(frame.iloc[train], y)
        F, G = terms.transform(frame.iloc[train]), terms.transform(frame.iloc[test])
        for k in table.sizes:
            found.setdefault(f"proposed {k}", {}).update(judged(names, F[:, :k], G[:, :k], y, z))
    return found | (of_others(table, SELECTORS, X, Z, y, z) if table.figure else {})


def of_others(table, selectors, X, Z, y, z):
    """Accuracies of logistic regression on the first features of other rankings of all products of bits."""
    expand, found = PolynomialFeatures(table.degree, interaction_only=True, include_bias=False).fit(X), {}
    F, G = (expand.transform(rows).astype(float) for rows in (X, Z))
    for selector in selectors:
        order = RANKINGS[selector](F, np.unique(y, return_inverse=True)[1], max(table.sizes))
        for k in table.sizes:
            chosen = order[:k]
            found[f"{selector} {k}"] = judged(("linear",), F[:, chosen], G[:, chosen], y, z)
    return found


def one(number, part, fold, frame, labels, split):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {"table": number, "part": part, "fold": fold, "scores": run(number, part, frame, labels, *split)}


def kept(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def run_all(path, numbers, repeats, jobs):
    known = {(r["table"], r.get("part", ""), r["fold"]) for r in kept(path)}
    waiting = []
    for number in numbers:
        frame = pd.read_parquet(Path(os.environ["PACLEARN_DATA"]) / f"{TABLES[number].data}.parquet")
        labels = frame.pop("target").astype(str).to_numpy()
        folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=repeats, random_state=0).split(frame, labels)
        waiting += [
            (number, part, k, frame, labels, split)
            for k, split in enumerate(folds)
            for part in ("", SLOW)[: 1 + bool(TABLES[number].figure)]
            if (number, part, k) not in known
        ]
    for line in Parallel(jobs, return_as="generator_unordered")(delayed(one)(*task) for task in waiting):
        with path.open("a") as file:
            file.write(json.dumps(line) + "\n")


# ---- the tables ----


def mean_and_error(lines, source, learner):
    """In percent, with the standard deviation over rounds of ten folds, as published."""
    rounds = {}
    for line in lines:
        if source in line["scores"]:
            rounds.setdefault(line["fold"] // 10, []).append(100 * line["scores"][source][learner])
    means = [np.mean(scores) for scores in rounds.values()]
    error = float(np.std(means, ddof=1)) if len(means) > 1 else float("nan")
    return float(np.mean(means)) if means else float("nan"), error


def summarise(path):
    runs = kept(path)
    print("| table | features | " + " | ".join(COLUMNS) + " |\n| --- | --- | --- | --- | --- |")
    for number, table in TABLES.items():
        lines = [r for r in runs if r["table"] == number]
        if not lines:
            continue
        sizes = (25,) if number == "6.6" else table.sizes
        best = {c: max(sizes, key=lambda k, c=c: mean_and_error(lines, f"proposed {k}", c)[0]) for c in COLUMNS}
        raw = (f"{m:.2f} ± {s:.2f}" for m, s in (mean_and_error(lines, "raw", c) for c in COLUMNS))
        ours = (
            "{1:.2f} ± {2:.2f} ({0})".format(best[c], *mean_and_error(lines, f"proposed {best[c]}", c)) for c in COLUMNS
        )
        print(f"| {number}, {table.data}, degree {table.degree} | raw, published | {' | '.join(map(str, table.raw))} |")
        print(f"| | raw, ours | {' | '.join(raw)} |")
        print(f"| | proposed, published | {' | '.join(map(str, table.proposed))} |")
        print(f"| | proposed, ours (features) | {' | '.join(ours)} |")
    selectors = (*SELECTORS, SLOW)
    print("\n| figure | features | algorithm 3 | " + " | ".join(selectors) + " |")
    print("| --- |" + " --- |" * (2 + len(selectors)))
    for number, table in TABLES.items():
        lines = [r for r in runs if r["table"] == number]
        for k in table.sizes if table.figure and lines else ():
            sources = (f"proposed {k}", *(f"{selector} {k}" for selector in selectors))
            cells = (mean_and_error(lines, source, "linear") for source in sources)
            told = ("" if np.isnan(m) else f"{m:.1f}" + ("" if np.isnan(s) else f" ± {s:.1f}") for m, s in cells)
            print(f"| {table.figure} | {k} | " + " | ".join(told) + " |")
    print(f"\n{sum(not r.get('part') for r in runs)} folds of {sorted({r['table'] for r in runs})}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--repeats", type=int, default=3)
    arguments.add_argument("--tables", nargs="+", default=list(TABLES))
    arguments.add_argument("--jobs", type=int, default=1)
    arguments.add_argument("--results", type=Path, default=Path("thesis_tables.jsonl"))
    arguments.add_argument("--summary", action="store_true", help="only show what is there")
    asked = arguments.parse_args()
    if not asked.summary:
        run_all(asked.results, asked.tables, asked.repeats, asked.jobs)
    summarise(asked.results)


if __name__ == "__main__":
    main()
