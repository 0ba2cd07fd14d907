"""Table 6.6 and Figure 6-35 of the thesis: hepatitis, 49 bits, degree 1, independent bits, ten times ten folds.

The thesis says that numbers are "already grouped into brackets in the dataset" and that there are 49 bits. The table's
own description (UCI, ``hepatitis.names``) lists the boundaries below; with a bit for every bracket that holds at least
two rows, and one for every column of two values, there are 49. A missing value answers no question. In 2019 logistic
regression was ``C=1`` with liblinear, which holds the intercept back, too; today's is beside it. Forests are in
`benchmarks.papers.thesis_raw_bits`.

With ``--ways``: what other cuts, other penalties and a level for what is missing give.

usage: PACLEARN_DATA=folder python -m benchmarks.papers.thesis_hepatitis [--repeats 10] [--jobs 1] [--ways]
    [--results FILE]
"""

from __future__ import annotations

import argparse
import os
import warnings
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold

from benchmarks.papers.chapter6.learners import RANKINGS
from benchmarks.papers.kept_runs import kept_runs
from paclearn import SpectralFeatures

BRACKETS = {
    "AGE": (10, 20, 30, 40, 50, 60, 70, 80),
    "BILIRUBIN": (0.39, 0.80, 1.20, 2.00, 3.00, 4.00),
    "ALK_PHOSPHATE": (33, 80, 120, 160, 200, 250),
    "SGOT": (13, 100, 200, 300, 400, 500),
    "ALBUMIN": (2.1, 3.0, 3.8, 4.5, 5.0, 6.0),
    "PROTIME": (10, 20, 30, 40, 50, 60, 70, 80, 90),
}
LEARNERS = {  # of the time, and of today
    "logistic, liblinear": lambda: LogisticRegression(solver="liblinear"),
    "logistic": lambda: LogisticRegression(max_iter=2000),
}
PUBLISHED = {"all bits": "85.00 ± 1.44", "25 features": "86.07 ± 1.19"}
CODES = {"0 and 1": (0, 1), "-1 and +1": (-1, 2)}
SHOWN = list(product(LEARNERS, CODES))
RESULTS = Path(__file__).parents[1] / "results" / "thesis_hepatitis.jsonl"
SIZES = (5, 10, 15, 20, 25, 30, 40)
SELECTORS = ("p-value", "LASSO", "pursuit")


def table():
    frame = pd.read_parquet(Path(os.environ["PACLEARN_DATA"]) / "hepatitis.parquet")
    return frame, frame.pop("target").astype(str).to_numpy()


def bits(frame):
    """A question of 0 and 1 for every column of two values and for every bracket of at least two rows."""
    found = {}
    for name, column in frame.items():
        if name not in BRACKETS:
            found[name] = column == "female" if name == "SEX" else column == "yes"
            continue
        edges = (-np.inf, *BRACKETS[name], np.inf)
        held = pd.cut(column, edges, right=False)
        found |= {f"{name} {bracket}": held == bracket for bracket in held.cat.categories}
    frame = pd.DataFrame(found).astype(np.int8)
    return frame.loc[:, frame.sum() >= 2]


def run(fold):
    """Accuracies of logistic regression on all bits, on 25 features, and on so many of every ranking."""
    warnings.simplefilter("ignore")
    frame, y, splits = folds()
    train, test = splits[fold]
    order = by_coefficient(frame.iloc[train], y[train])
    X, Z = frame.iloc[train].to_numpy(), frame.iloc[test].to_numpy()

    def score(learner, columns, code="0 and 1"):
        low, step = CODES[code]
        model = LEARNERS[learner]().fit(low + step * X[:, columns], y[train])
        return 100 * float(model.score(low + step * Z[:, columns], y[test]))

    chosen = {"all bits": list(range(X.shape[1])), "25 features": order[:25]}
    found = {f"{kind}; {name}; {code}": score(name, chosen[kind], code) for kind in chosen for name, code in SHOWN}
    labels = (y[train] == "LIVE").astype(int)
    orders = {"algorithm 3": order} | {s: RANKINGS[s](X.astype(float), labels, max(SIZES)) for s in SELECTORS}
    return {"scores": found | {f"{s}; {k}": score("logistic, liblinear", orders[s][:k]) for s in orders for k in SIZES}}


@cache
def folds():
    """The bits, the labels, and rows to learn from and to be judged by, ten times ten folds."""
    frame, y = table()
    asked = bits(frame)
    return asked, y, list(RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0).split(asked, y))


def by_coefficient(frame, labels):
    """Bits by the size of their coefficients under independent bits."""
    terms = SpectralFeatures(1, frame.shape[1], "product", "parity").fit(frame, labels)
    return [frame.columns.get_loc(name.split("=")[0]) for name in terms.get_feature_names_out()]


def summary(lines, key):
    """Mean over the rounds of ten folds, and its standard deviation over them, as published."""
    rounds = {}
    for line in lines:
        rounds.setdefault(line["task"]["fold"] // 10, []).append(line["scores"][key])
    means = [np.mean(scores) for scores in rounds.values()]
    return f"{np.mean(means):.2f} ± {np.std(means, ddof=1):.2f}"


def report(lines):
    print(f"{len(lines)} folds")
    print("| features | " + " | ".join(f"{n}, {c}" for n, c in SHOWN) + " |\n" + "| --- " * (1 + len(SHOWN)) + "|")
    for kind, published in PUBLISHED.items():
        cells = (summary(lines, f"{kind}; {name}; {code}") for name, code in SHOWN)
        print(f"| {kind}; published {published} | " + " | ".join(cells) + " |")
    selectors = ("algorithm 3", *SELECTORS)
    print("\n| features | " + " | ".join(selectors) + " |\n" + "| --- " * (1 + len(selectors)) + "|")
    for k in SIZES:
        print(f"| {k} | " + " | ".join(summary(lines, f"{selector}; {k}") for selector in selectors) + " |")


# ---- other ways ----


def ways(repeats, jobs):
    """Logistic regression at degree 1 for every cut, penalty and number of features, with the library's own bits."""
    frame, y = table()
    filled = frame.apply(lambda column: column.fillna(column.mode()[0]))
    splits = folds()[2][: 10 * repeats]
    print("| missing | cuts | C | all bits | " + " | ".join(f"{k} features" for k in SIZES[:-1]) + " |")
    print("| --- " * (3 + len(SIZES)) + "|")
    for missing, data in (("a level", frame), ("most frequent", filled)):
        for n_bins, strength in product((2, 4, 8), (1.0, 0.1, 0.03)):
            runs = Parallel(jobs)(delayed(one_way)(data, y, *split, n_bins, strength) for split in splits)
            cells = " | ".join(f"{mean:.1f}" for mean in 100 * np.mean(runs, axis=0))
            print(f"| {missing} | {n_bins - 1} | {strength:g} | {cells} |", flush=True)


def one_way(frame, labels, train, test, n_bins, strength):
    """On all bits, and on the first few features of algorithm 3."""
    terms = SpectralFeatures(1, 10**6, "product", "parity", n_bins=n_bins, min_count=2)
    F = terms.fit(frame.iloc[train], labels[train]).transform(frame.iloc[train])
    G = terms.transform(frame.iloc[test])
    sizes = (F.shape[1], *SIZES[:-1])
    models = [LogisticRegression(C=strength, max_iter=2000).fit(F[:, :k], labels[train]) for k in sizes]
    return [model.score(G[:, :k], labels[test]) for model, k in zip(models, sizes, strict=True)]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--repeats", type=int, default=10)
    arguments.add_argument("--jobs", type=int, default=1)
    arguments.add_argument("--results", default=RESULTS)
    arguments.add_argument("--ways", action="store_true", help="other cuts and penalties")
    asked = arguments.parse_args()
    if asked.ways:
        ways(asked.repeats, asked.jobs)
    else:
        print(f"{bits(table()[0]).shape[1]} bits")
        report(kept_runs(asked.results, [{"fold": fold} for fold in range(10 * asked.repeats)], run, asked.jobs))


if __name__ == "__main__":
    main()
