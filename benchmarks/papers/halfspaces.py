"""Halfspaces with bad labels: error against the share of bad labels and against the margin, and real tables.

The paper has no experiments; these are the ones its theorems ask for. Rows lie on the unit sphere in ten dimensions,
labels are those of a halfspace. One-sided flips turn labels round where ``<w, x> > 0.45`` only; random flips anywhere.

usage: [PACLEARN_DATA=folder] python -m benchmarks.papers.halfspaces [sphere | curves | coverage | tables]
    [--output FILE.svg] [--runs FILE.jsonl] [--seeds N]
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
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, PolynomialFeatures, StandardScaler
from sklearn.svm import SVC, LinearSVC

from paclearn import HalfspaceClassifier
from paclearn.datasets import make_halfspace
from paclearn.exceptions import ProjectedRowsWarning
from paclearn.learners.halfspaces.admm import factor_of_features, solve

SEEDS = tuple(range(2200, 2210))  # of the sphere, fixed before any of them was looked at
PENALTIES = [1, 10, 100, 1000]
TABLES = ("monks_1", "tic_tac_toe", "kr_vs_kp", "splice")
N_TEST = 10_000


def same_kernel(a, b, nu=0.5):
    """The kernel of HalfspaceClassifier by default: a bias, and k scaled to at most one."""
    scale = max(np.einsum("ij,ij->i", a, a).max(), np.einsum("ij,ij->i", b, b).max())
    return 1 / (1 - nu * (a @ b.T / scale + 1) / 2)


def into_ball(rows):
    return rows / np.sqrt(rows.shape[1])


def tuned(machine, **grid):
    return GridSearchCV(machine, {"C": PENALTIES, **grid}, cv=3)


class PolynomialL1(ClassifierMixin, BaseEstimator):
    """The polynomial of all coordinates nearest to the labels in absolute error, and the best threshold on it (Kalai,
    Klivans, Mansour and Servedio 2005, Figure 1).
    """

    def __init__(self, degree=2):
        self.degree = degree

    def fit(self, X, y):
        self.classes_, numbers = np.unique(y, return_inverse=True)
        self.terms_ = PolynomialFeatures(self.degree).fit(X)
        terms, target = self.terms_.transform(X), numbers[:, None].astype(float)
        factor = factor_of_features(terms)
        shares = np.full(len(terms), 1 / len(terms))
        found = solve(factor, target, shares, np.array([1e12]), tolerance=1e-3)  # a ball that no polynomial leaves
        self.coef_ = (factor.lift @ found.weights)[:, 0]
        self.threshold_ = best_threshold(terms @ self.coef_, numbers)
        return self

    def predict(self, X):
        return self.classes_[(self.terms_.transform(X) @ self.coef_ > self.threshold_).astype(int)]


def best_threshold(values, classes):
    """Between two values, so that as few rows as can be are on the wrong side."""
    order = np.argsort(values)
    ones = np.concatenate([[0], np.cumsum(classes[order])])
    wrong = ones + (len(ones) - 1 - np.arange(len(ones))) - (ones[-1] - ones)
    edges = np.concatenate([[-np.inf], values[order], [np.inf]])
    return np.mean(edges[[wrong.argmin(), wrong.argmin() + 1]])


def models():
    """What is compared on the sphere; linear losses as they come, machines tuned in three folds."""
    return {
        "halfspaces, B chosen": HalfspaceClassifier(solver="batch", random_state=0),
        "halfspaces, one pass, B = 10": HalfspaceClassifier(solver="online", B=10, random_state=0),
        "logistic regression": LogisticRegression(),
        "linear SVM": LinearSVC(),
        "RBF SVM, tuned": make_pipeline(StandardScaler(), tuned(SVC(), gamma=[0.01, 0.03, 0.1])),
        "SVM, same kernel, tuned": make_pipeline(StandardScaler(), tuned(SVC(kernel=same_kernel))),
        "L1 polynomial regression, degree tuned": GridSearchCV(PolynomialL1(), {"degree": [1, 2, 3]}, cv=3),
    }


def settled(model):
    """What halfspaces chose and proved."""
    return {"nu": model.nu_, "B": model.B_, "gap": model.gap_} if isinstance(model, HalfspaceClassifier) else {}


def errors(makers, m, seed, runs=None, **settings):
    """Share of new rows, labels as bad as those of the training rows, that every model gets wrong."""
    data = make_halfspace(m + N_TEST, random_state=seed, **settings)
    found = {}
    for name, maker in makers.items():
        started = time.perf_counter()
        model = maker.fit(data.data[:m], data.target[:m])
        took, found[name] = time.perf_counter() - started, 1 - model.score(data.data[m:], data.target[m:])
        if runs is not None:
            line = {"seed": seed, "rows": m, **settings, "model": name, "error": round(found[name], 6)}
            runs.write(json.dumps(line | settled(model) | {"seconds": round(took, 1)}) + "\n")
            runs.flush()
    return found | {"the halfspace itself": np.mean(data.clean[m:] != data.target[m:])}


def average(makers, m, seeds, runs=None, **settings):
    return pd.DataFrame([errors(makers, m, seed, runs, **settings) for seed in seeds])


# ---- the sphere of the specification ---------------------------------------------------------------------------------


def sphere(runs, seeds=SEEDS, m=2000):
    """One-sided flips beside clean labels, and what knowing that the halfspace goes through the origin is worth."""
    makers = models() | {"logistic regression, no intercept": LogisticRegression(fit_intercept=False)}
    bad, clean = average(makers, m, seeds, runs), average(makers, m, seeds, runs, flipped=0, noise=0)
    print(f"\nerror on {N_TEST:,} new rows, {m} training rows, mean of {len(seeds)} seeds (standard error)\n")
    print("| | 90 % flipped where <w, x> > 0.45, 5 % anywhere | clean |\n| --- | --- | --- |")
    for name in bad:
        cells = [
            f"{100 * t[name].mean():.1f} % ({100 * t[name].std() / np.sqrt(len(seeds)):.1f})" for t in (bad, clean)
        ]
        print(f"| {name} | {cells[0]} | {cells[1]} |")


# ---- against the share of bad labels, and against the margin ---------------------------------------------------------

CURVES = (
    (
        "one-sided flips, no other noise",
        "labels flipped where <w, x> > 0.45",
        "flipped",
        (0, 0.25, 0.5, 0.75, 1),
        {"noise": 0},
    ),
    ("random flips", "labels flipped anywhere", "noise", (0, 0.1, 0.2, 0.3, 0.4), {"flipped": 0}),
    ("one-sided flips (90 %) and 5 % noise", "margin", "margin", (0, 0.05, 0.1, 0.15, 0.2), {}),
    ("clean", "margin", "margin", (0, 0.05, 0.1, 0.15, 0.2), {"flipped": 0, "noise": 0}),
)


def curves(output, seeds=5, m=500):
    import matplotlib.pyplot as plt

    makers = models()
    figure, axes = plt.subplots(2, 2, figsize=(11, 8), layout="constrained")
    for ax, (title, xlabel, parameter, values, settings) in zip(axes.flat, CURVES, strict=True):
        rows = [average(makers, m, range(seeds), **{**settings, parameter: value}).mean() for value in values]
        table = pd.DataFrame(rows, index=pd.Index(values, name=parameter))
        print(f"\n{title}, {m} rows, {seeds} seeds, error in %\n\n{(100 * table).round(1).to_string()}")
        for place, name in enumerate(table):
            style = {"color": "black", "linestyle": ":"} if name == "the halfspace itself" else {"color": f"C{place}"}
            ax.plot(values, 100 * table[name], marker="o", markersize=3, label=name, **style)
        ax.set(title=title, xlabel=xlabel, ylabel="error, %", ylim=(0, None))
    axes[0, 0].legend(fontsize=8)
    figure.savefig(output)


# ---- the certificate -------------------------------------------------------------------------------------------------


COVERED = {
    "100 rows, nu and B chosen": (100, {}),
    "100 rows, B = 1": (100, {"B": 1.0}),
    "100 rows, B = 3": (100, {"B": 3.0}),
    "1000 rows, B = 1, 30 landmarks": (1000, {"B": 1.0, "solver": "features", "n_landmarks": 30}),
}


def coverage(draws=300, n_test=4000):
    """How often the bound on the error of the randomised prediction fails, at delta = 0.05, and how loose it is."""
    print(f"\n{draws} certificates, delta = 0.05\n\n| | broken | vacuous | mean bound | mean error |")
    print("| --- | --- | --- | --- | --- |")
    for name, (m, settings) in COVERED.items():
        bounds, errors = np.array([promised(seed, m, n_test, settings) for seed in range(draws)]).T
        cells = (
            np.sum(errors > bounds),
            f"{np.mean(bounds >= 0.5):.0%}",
            f"{bounds.mean():.3f}",
            f"{errors.mean():.3f}",
        )
        print(f"| {name} | {' | '.join(map(str, cells))} |", flush=True)


def promised(seed, m, n_test, settings):
    """The bound, and the error on new rows."""
    data = make_halfspace(m + n_test, 3, random_state=seed)
    model = HalfspaceClassifier(random_state=0, tol=1e-3, **settings).fit(data.data[:m], data.target[:m])
    wrong = model.predict_proba(data.data[m:])[np.arange(n_test), 1 - data.target[m:]]
    return model.certificate_.bound, wrong.mean()


# ---- real tables -----------------------------------------------------------------------------------------------------


def tables():
    """Five folds (stratified, seed 0); categories as one-hot bits for the machine, as they are for us."""
    print(
        "\naccuracy in five folds, %\n\n| table | halfspaces, B chosen | SVM, same kernel, tuned | B |"
        "\n| --- | --- | --- | --- |"
    )
    for name in TABLES:
        frame = pd.read_parquet(Path(os.environ["PACLEARN_DATA"]) / f"{name}.parquet")
        y = frame.pop("target").astype(str).to_numpy()
        frame = frame.astype(str)
        ours, theirs, radii = [], [], []
        for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(frame, y):
            model = HalfspaceClassifier(solver="batch", random_state=0).fit(frame.iloc[train], y[train])
            one_hot = OneHotEncoder(sparse_output=False, handle_unknown="ignore")
            machine = make_pipeline(one_hot, FunctionTransformer(into_ball), tuned(SVC(kernel=same_kernel)))
            machine.fit(frame.iloc[train], y[train])
            ours.append(model.score(frame.iloc[test], y[test]))
            theirs.append(machine.score(frame.iloc[test], y[test]))
            radii.append(f"{model.B_:g}")
        print(f"| {name} | {100 * np.mean(ours):.2f} | {100 * np.mean(theirs):.2f} | {', '.join(radii)} |", flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("parts", nargs="*", default=["sphere", "curves", "coverage", "tables"])
    arguments.add_argument("--output", default="halfspaces.svg")
    arguments.add_argument("--runs", default=os.devnull, help="where every run of the sphere is kept, a JSON line each")
    arguments.add_argument("--seeds", type=int, default=len(SEEDS), help="how many seeds of the sphere")
    options = arguments.parse_args()
    warnings.simplefilter("ignore", ProjectedRowsWarning)
    with Path(options.runs).open("a", encoding="utf-8") as runs:
        parts = {
            "sphere": lambda: sphere(runs, SEEDS[: options.seeds]),
            "curves": lambda: curves(options.output),
            "coverage": coverage,
            "tables": tables,
        }
        for part in options.parts:
            parts[part]()


if __name__ == "__main__":
    main()
