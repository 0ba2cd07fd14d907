"""Halfspaces with bad labels: error against the share of bad labels and against the margin, and real tables.

The paper has no experiments; these are the ones its theorems ask for. Rows lie on the unit sphere in ten dimensions,
labels are those of a halfspace. One-sided flips turn labels round where ``<w, x> > 0.45`` only; random flips anywhere.

Every run is kept in a file, a JSON line each, and is not done again. All of them take about two hours of one core.

usage: PACLEARN_DATA=folder OMP_NUM_THREADS=1 python -m benchmarks.papers.halfspaces [sphere curves coverage tables]
    [--output FILE.svg] [--results FILE.jsonl] [--jobs 1]
"""

from __future__ import annotations

import argparse
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

from benchmarks.papers.kept_runs import kept_runs
from paclearn import HalfspaceClassifier
from paclearn.datasets import make_halfspace
from paclearn.exceptions import ProjectedRowsWarning
from paclearn.learners.halfspaces.admm import factor_of_features, solve

SEEDS = tuple(range(2200, 2210))  # of the sphere, fixed before any of them was looked at
PENALTIES = [1, 10, 100, 1000]
TABLES = ("monks_1", "tic_tac_toe", "kr_vs_kp", "splice")
N_TEST = 10_000
RESULTS = Path(__file__).parents[1] / "results" / "halfspaces.jsonl"


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
        "halfspaces, $\\nu$ and B chosen": HalfspaceClassifier(solver="batch", random_state=0),
        "halfspaces, one pass, B = 10": HalfspaceClassifier(solver="online", B=10, random_state=0),
        "logistic regression": LogisticRegression(),
        "linear SVM": LinearSVC(),
        "RBF SVM, tuned": make_pipeline(StandardScaler(), tuned(SVC(), gamma=[0.01, 0.03, 0.1])),
        "SVM, same kernel, tuned": make_pipeline(StandardScaler(), tuned(SVC(kernel=same_kernel))),
        "L1 polynomial regression, degree tuned": GridSearchCV(PolynomialL1(), {"degree": [1, 2, 3]}, cv=3),
        "logistic regression, no intercept": LogisticRegression(fit_intercept=False),
    }


def settled(model):
    """What halfspaces chose and proved."""
    return {"nu": model.nu_, "B": model.B_, "gap": model.gap_} if isinstance(model, HalfspaceClassifier) else {}


# ---- the sphere of the specification ---------------------------------------------------------------------------------

LABELS = {"bad": {}, "clean": {"flipped": 0, "noise": 0}}
ITSELF = "the halfspace itself"


def on_a_sphere(model, rows, seed, **settings):
    """Share of new rows, labels as bad as those of the training rows, that a model gets wrong."""
    data = make_halfspace(rows + N_TEST, random_state=seed, **settings)
    if model == ITSELF:
        return {"error": float(np.mean(data.clean[rows:] != data.target[rows:]))}
    started = time.process_time()
    fitted = models()[model].fit(data.data[:rows], data.target[:rows])
    took, error = time.process_time() - started, 1 - fitted.score(data.data[rows:], data.target[rows:])
    return {"error": round(error, 6), **settled(fitted), "seconds": round(took, 1)}


def sphere_tasks():
    return [
        {"part": "sphere", "model": name, "rows": 2000, "seed": seed, **LABELS[labels]}
        for seed in SEEDS for labels in LABELS for name in (*models(), ITSELF)
    ]  # fmt: skip


def sphere_report(frame):
    """One-sided flips beside clean labels, and what knowing that the halfspace goes through the origin is worth."""
    print(f"\nerror on {N_TEST:,} new rows, 2000 training rows, mean of {len(SEEDS)} seeds (standard error)\n")
    print("| | 90 % flipped where <w, x> > 0.45, 5 % anywhere | clean |\n| --- | --- | --- |")
    for name, mine in frame.assign(clean=frame["flipped"].eq(0)).groupby("model", sort=False):
        sides = (100 * mine[~mine["clean"]]["error"], 100 * mine[mine["clean"]]["error"])
        cells = [f"{side.mean():.1f} % ({side.std() / np.sqrt(len(side)):.1f})" for side in sides]
        print(f"| {name} | {' | '.join(cells)} |")
    ours = frame.dropna(subset="gap")
    balls = ", ".join(f"{nu:g}; {radius:g}" for nu, radius in sorted(set(zip(ours["nu"], ours["B"], strict=True))))
    print(f"largest gap {ours['gap'].max():.1e}; nu and B chosen: {balls}")


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


def curve_tasks():
    names = [name for name in (*models(), ITSELF) if name != "logistic regression, no intercept"]
    return [
        {"part": "curves", "panel": title, "model": name, "rows": 500, "seed": seed, **settings, parameter: value}
        for title, _, parameter, values, settings in CURVES for value in values for seed in range(5) for name in names
    ]  # fmt: skip


def curve_report(frame, output):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(11, 8), layout="constrained")
    for ax, (title, xlabel, parameter, values, _) in zip(axes.flat, CURVES, strict=True):
        mine = frame[frame["panel"] == title]
        table = mine.pivot_table("error", parameter, "model", sort=False).reindex(values)
        print(f"\n{title}, 500 rows, 5 seeds, error in %\n\n{(100 * table).round(1).to_string()}")
        for place, name in enumerate(table):
            style = {"color": "black", "linestyle": ":"} if name == ITSELF else {"color": f"C{place}"}
            ax.plot(values, 100 * table[name], marker="o", markersize=3, label=name, **style)
        ax.set(title=title, xlabel=xlabel, ylabel="error, %", ylim=(0, None))
    axes[0, 0].legend(fontsize=8)
    figure.savefig(output)


# ---- the certificate -------------------------------------------------------------------------------------------------


COVERED = {
    "100 rows, $\\nu$ and B chosen": (100, {}),
    "100 rows, B = 1": (100, {"B": 1.0}),
    "100 rows, B = 3": (100, {"B": 3.0}),
    "1000 rows, B = 1, 30 landmarks": (1000, {"B": 1.0, "solver": "features", "n_landmarks": 30}),
}


def promised(settings, seed, n_test=4000):
    """The bound on the error of the randomised prediction, and that error on new rows."""
    m, asked = COVERED[settings]
    data = make_halfspace(m + n_test, 3, random_state=seed)
    model = HalfspaceClassifier(random_state=0, tol=1e-3, **asked).fit(data.data[:m], data.target[:m])
    wrong = model.predict_proba(data.data[m:])[np.arange(n_test), 1 - data.target[m:]]
    return {"bound": model.certificate_.bound, "error": float(wrong.mean())}


def coverage_tasks():
    return [{"part": "coverage", "settings": name, "seed": seed} for name in COVERED for seed in range(300)]


def coverage_report(frame):
    """How often the bound fails, at delta = 0.05, and how loose it is."""
    print(
        "\n| certificates, delta = 0.05 | draws | broken | mean bound | mean error |\n| --- | --- | --- | --- | --- |"
    )
    for name, mine in frame.groupby("settings", sort=False):
        broken = (mine["error"] > mine["bound"]).sum()
        print(f"| {name} | {len(mine)} | {broken} | {mine['bound'].mean():.2f} | {mine['error'].mean():.2f} |")


# ---- real tables -----------------------------------------------------------------------------------------------------

LETTER = {"loss": "absolute", "nu": 0.5}
CONTENDERS = ("by default", "the article's letter", "SVM, same kernel, tuned")


def contender(name):
    """Categories as they are for us, as one-hot bits for the machine."""
    if name == "SVM, same kernel, tuned":
        one_hot = OneHotEncoder(sparse_output=False, handle_unknown="ignore")
        return make_pipeline(one_hot, FunctionTransformer(into_ball), tuned(SVC(kernel=same_kernel)))
    return HalfspaceClassifier(solver="batch", random_state=0, **(LETTER if name == "the article's letter" else {}))


def on_a_table(table, model, fold):
    """Accuracy in one of five folds, stratified."""
    frame = pd.read_parquet(Path(os.environ["PACLEARN_DATA"]) / f"{table}.parquet")
    y = frame.pop("target").astype(str).to_numpy()
    frame = frame.astype(str)
    train, test = list(StratifiedKFold(5, shuffle=True, random_state=0).split(frame, y))[fold]
    started = time.process_time()
    fitted = contender(model).fit(frame.iloc[train], y[train])
    took, score = time.process_time() - started, fitted.score(frame.iloc[test], y[test])
    return {"accuracy": score, **settled(fitted), "seconds": round(took, 1)}


def table_tasks():
    return [
        {"part": "tables", "table": table, "model": name, "fold": fold}
        for table in TABLES for name in CONTENDERS for fold in range(5)
    ]  # fmt: skip


def table_report(frame):
    found = 100 * frame.pivot_table("accuracy", "table", "model").loc[list(TABLES), list(CONTENDERS)]
    print(f"\naccuracy in five folds, %\n\n| table | {' | '.join(found)} | nu and B by default |")
    print(f"| --- {'| --- ' * (found.shape[1] + 1)}|")
    for table, cells in found.iterrows():
        mine = frame[(frame["table"] == table) & (frame["model"] == "by default")]
        chosen = ", ".join(f"{nu:g}; {radius:g}" for nu, radius in sorted(set(zip(mine["nu"], mine["B"], strict=True))))
        print(f"| {table} | {' | '.join(f'{cell:.2f}' for cell in cells)} | {chosen} |")
    print(f"| mean | {' | '.join(f'{cell:.2f}' for cell in found.mean())} | |")


# ---- all of it -------------------------------------------------------------------------------------------------------

PARTS = {"sphere": sphere_tasks, "curves": curve_tasks, "coverage": coverage_tasks, "tables": table_tasks}


def run(part, **task):
    warnings.simplefilter("ignore", ProjectedRowsWarning)
    task.pop("panel", None)
    work = {"sphere": on_a_sphere, "curves": on_a_sphere, "coverage": promised, "tables": on_a_table}
    return work[part](**task)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("parts", nargs="*", default=list(PARTS))
    arguments.add_argument("--output", default="halfspaces.svg")
    arguments.add_argument("--results", default=RESULTS)
    arguments.add_argument("--jobs", type=int, default=1)
    asked = arguments.parse_args()
    tasks = [task for part in asked.parts for task in PARTS[part]()]
    lines = kept_runs(asked.results, tasks, run, asked.jobs)
    shown = {
        "sphere": sphere_report,
        "curves": lambda frame: curve_report(frame, asked.output),
        "coverage": coverage_report,
        "tables": table_report,
    }
    for part in asked.parts:
        mine = [line for line in lines if line["task"]["part"] == part]
        shown[part](pd.DataFrame([{**line["task"], **line} for line in mine]).drop(columns="task"))


if __name__ == "__main__":
    main()
