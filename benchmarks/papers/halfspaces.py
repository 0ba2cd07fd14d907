"""Halfspaces with bad labels: error against the share of bad labels and against the margin, and real tables.

The paper has no experiments; these are the ones its theorems ask for. Rows lie on the unit sphere in ten dimensions,
labels are those of a halfspace. One-sided flips turn labels round where ``<w, x> > 0.45`` only; random flips anywhere.

usage: [PACLEARN_DATA=folder] python -m benchmarks.papers.halfspaces [sphere | curves | tables] [--output FILE.svg]
"""

from __future__ import annotations

import argparse
import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC

from paclearn import HalfspaceClassifier
from paclearn.datasets import make_halfspace
from paclearn.exceptions import ProjectedRowsWarning

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


def models():
    """What is compared on the sphere; linear losses as they come, machines tuned in three folds."""
    return {
        "halfspaces, B chosen": HalfspaceClassifier(solver="batch", random_state=0),
        "halfspaces, one pass, B = 10": HalfspaceClassifier(solver="online", B=10, random_state=0),
        "logistic regression": LogisticRegression(),
        "linear SVM": LinearSVC(),
        "RBF SVM, tuned": make_pipeline(StandardScaler(), tuned(SVC(), gamma=[0.01, 0.03, 0.1])),
        "SVM, same kernel, tuned": make_pipeline(StandardScaler(), tuned(SVC(kernel=same_kernel))),
    }


def errors(makers, m, seed, **settings):
    """Share of new rows, labels as bad as those of the training rows, that every model gets wrong."""
    data = make_halfspace(m + N_TEST, random_state=seed, **settings)
    fitted = {name: model.fit(data.data[:m], data.target[:m]) for name, model in makers.items()}
    found = {name: 1 - model.score(data.data[m:], data.target[m:]) for name, model in fitted.items()}
    return found | {"the halfspace itself": np.mean(data.clean[m:] != data.target[m:])}


def average(makers, m, seeds, **settings):
    return pd.DataFrame([errors(makers, m, seed, **settings) for seed in range(seeds)])


# ---- the sphere of the specification ---------------------------------------------------------------------------------


def sphere(seeds=10, m=2000):
    """One-sided flips beside clean labels, and what knowing that the halfspace goes through the origin is worth."""
    makers = models() | {"logistic regression, no intercept": LogisticRegression(fit_intercept=False)}
    bad, clean = average(makers, m, seeds), average(makers, m, seeds, flipped=0, noise=0)
    print(f"\nerror on {N_TEST:,} new rows, {m} training rows, mean of {seeds} seeds (standard error)\n")
    print("| | 90 % flipped where <w, x> > 0.45, 5 % anywhere | clean |\n| --- | --- | --- |")
    for name in bad:
        cells = [f"{100 * t[name].mean():.1f} % ({100 * t[name].std() / np.sqrt(seeds):.1f})" for t in (bad, clean)]
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
        rows = [average(makers, m, seeds, **{**settings, parameter: value}).mean() for value in values]
        table = pd.DataFrame(rows, index=pd.Index(values, name=parameter))
        print(f"\n{title}, {m} rows, {seeds} seeds, error in %\n\n{(100 * table).round(1).to_string()}")
        for place, name in enumerate(table):
            style = {"color": "black", "linestyle": ":"} if name == "the halfspace itself" else {"color": f"C{place}"}
            ax.plot(values, 100 * table[name], marker="o", markersize=3, label=name, **style)
        ax.set(title=title, xlabel=xlabel, ylabel="error, %", ylim=(0, None))
    axes[0, 0].legend(fontsize=8)
    figure.savefig(output)


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
    arguments.add_argument("parts", nargs="*", default=["sphere", "curves", "tables"])
    arguments.add_argument("--output", default="halfspaces.svg")
    options = arguments.parse_args()
    warnings.simplefilter("ignore", ProjectedRowsWarning)
    for part in options.parts:
        curves(options.output) if part == "curves" else {"sphere": sphere, "tables": tables}[part]()


if __name__ == "__main__":
    main()
