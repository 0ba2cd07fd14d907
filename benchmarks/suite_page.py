"""What the kept runs of `benchmarks.suite` say: means, mean ranks, critical differences, who is behind where.

Ranks are taken over the tables on which every model of a comparison has run, each on the folds that all of them have.
Where a fold of EBM with its fourteen outer bags is missing, one with four stands in for it.

usage: python -m benchmarks.suite_page [--results FILE] [--table FILE] [--plot FILE]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.suite import KEPT, MODELS, NUMERIC_TARGET, READABLE, done

BETTER_IS_LESS = ("log_loss", "mae", "ece")
NAMES = {"score": "accuracy or R2", "log_loss": "log loss", "auc": "area under the curve", "ece": "calibration error"}
IN_PERCENT = ("score", "auc", "ece")
FEWER_BAGS = {"ebm_4": "ebm", "ebm_reg_4": "ebm_reg"}


def with_fewer_bags(runs):
    """Runs of EBM with four outer bags in place of those that are missing."""
    few = runs[runs["model"].isin(FEWER_BAGS)].replace({"model": FEWER_BAGS})
    all_runs = pd.concat([runs[~runs["model"].isin(FEWER_BAGS)], few])
    return all_runs.sort_values("score", na_position="last", kind="stable", key=lambda s: s.isna()).drop_duplicates(
        ["table", "model", "fold"]
    )


def means(runs, column, models):
    """Means over the folds that all these models have, a row a table; tables where one is missing are left out."""
    if column not in runs:
        return pd.DataFrame(columns=models)
    folds = runs.pivot_table(index=["table", "fold"], columns="model", values=column)
    return folds.reindex(columns=models).dropna().groupby("table").mean()


def ranks(values, column="score"):
    """Mean rank of every model."""
    return values.round(6).rank(axis=1, ascending=column in BETTER_IS_LESS).mean().sort_values()


def critical_difference(n_models, n_tables):
    """Nemenyi's, at 0.05."""
    from scipy.stats import studentized_range

    spread = studentized_range.ppf(0.95, n_models, np.inf) / np.sqrt(2)
    return spread * np.sqrt(n_models * (n_models + 1) / (6 * n_tables))


def kinds_of_tables(runs):
    """Which tables are of numbers, of classes, and of classes with columns of categories alone."""
    flags = runs.drop_duplicates("table").set_index("table")["categorical"]
    numbers = flags.index.isin(NUMERIC_TARGET)
    return {
        "classes": list(flags.index[~numbers]),
        "classes, categories alone": list(flags.index[~numbers & flags.to_numpy(bool)]),
        "numbers": list(flags.index[numbers]),
    }


def run_widely(part, models, column):
    """Models that have run on at least two thirds of the tables: others would leave few to compare."""
    known = part.dropna(subset=[column]) if column in part else part.iloc[:0]
    tables = known.groupby("model")["table"].nunique()
    return [m for m in models if tables.get(m, 0) >= 2 / 3 * part["table"].nunique()]


def ranked(runs, tables, models, column):
    """A line: mean ranks over so many tables."""
    part = runs[runs["table"].isin(tables)]
    models = run_widely(part, models, column)
    values = means(part, column, models)
    if values.empty or len(models) < 2:
        return "nothing to compare"
    said = ", ".join(f"{name} {rank:.2f}" for name, rank in ranks(values, column).items())
    return f"{said} ({len(values)} tables, critical difference {critical_difference(len(models), len(values)):.2f})"


def against(runs, other, column, ours="spectral"):
    """How often ours is better or worse than another model, and where by more than a point (log loss: 0.01)."""
    both = means(runs, column, [ours, other])
    scale = 100 if column in IN_PERCENT else 1
    gap = (both[ours] - both[other]) * scale * (-1 if column in BETTER_IS_LESS else 1)
    far = 1 if scale == 100 else 0.01
    near = far / 10
    behind = gap[gap < -far].sort_values().round(3 if scale == 1 else 1).to_dict()
    count = f"{(gap > near).sum()} better, {(gap < -near).sum()} worse of {len(gap)}, mean {gap.mean():+.3f}"
    return f"against {other}: {count}; behind: {behind or 'nowhere'}"


def summarise(runs):
    """Print everything."""
    there = [m for m in MODELS if m in set(runs["model"])]
    for kind, tables in kinds_of_tables(runs).items():
        part = runs[runs["table"].isin(tables)]
        for column in ("score", "mae") if kind == "numbers" else ("score", "log_loss", "auc", "ece"):
            print(f"\n{kind}: {NAMES.get(column, column)}")
            print("  readable:", ranked(runs, tables, [m for m in READABLE if m in there], column))
            print("  all:", ranked(runs, tables, there, column))
            for other in there if column in part and "spectral" in there else []:
                if not other.startswith("spectral"):
                    print(" ", against(part, other, column))
    by_model = runs.pivot_table(index="table", columns="model", values="seconds")
    print("\nprocessor seconds a fit, median:", by_model.median().round(2).to_dict())
    print("terms, median:", runs.pivot_table(index="table", columns="model", values="terms").median().to_dict())
    stopped = runs[runs["score"].isna()].groupby(["table", "model"]).size()
    print("stopped or failed:", stopped.to_dict())


def cell(part, column):
    """Mean of one model on one table; folds that were run, where they were not all, in brackets."""
    values = part[column].dropna() if column in part else part.iloc[:0]["fold"]
    if values.empty:
        return ""
    mean = 100 * values.mean() if column in IN_PERCENT else values.mean()
    shown = f"{mean:.1f}" if column in (*IN_PERCENT, "seconds") else f"{mean:.3g}"
    return shown + (f" ({len(values)})" if len(values) < 5 else "")


def write_tables(runs, path):
    """Means as Markdown, one table a measure."""
    kinds, parts = [m for m in MODELS if m in set(runs["model"])], []
    for column in ("score", "log_loss", "mae", "auc", "ece", "seconds"):
        if column not in runs or runs[column].isna().all():
            continue
        parts += [f"\n## {NAMES.get(column, column)}\n", "| table | " + " | ".join(kinds) + " |"]
        parts += ["| --- |" + " --- |" * len(kinds)]
        for name, part in runs[runs[column].notna()].groupby("table"):
            parts += [f"| {name} | " + " | ".join(cell(part[part["model"] == kind], column) for kind in kinds) + " |"]
    path.write_text("\n".join(parts) + "\n")


def draw(runs, path):
    """Mean ranks on a line, with the critical difference: the models that were run on all tables of classes."""
    import matplotlib.pyplot as plt

    scores = runs[~runs["table"].isin(NUMERIC_TARGET)].pivot_table(index="table", columns="model", values="score")
    part = scores.dropna(axis=1)
    mean = ranks(part)
    figure, ax = plt.subplots(figsize=(8, 0.35 * len(mean) + 1.2), layout="constrained")
    colours = ["#2166ac" if m.startswith("spectral") else "#777777" for m in mean.index]
    ax.scatter(mean, range(len(mean)), color=colours)
    for place, (name, value) in enumerate(mean.items()):
        ax.annotate(f"{name} {value:.2f}", (value, place), xytext=(6, -3), textcoords="offset points")
    width = critical_difference(len(mean), len(part))
    ax.plot([mean.iloc[0], mean.iloc[0] + width], [-0.7, -0.7], color="#b2182b", linewidth=3)
    ax.annotate("critical difference", (mean.iloc[0], -0.7), xytext=(0, 5), textcoords="offset points", color="#b2182b")
    ax.set(xlabel=f"mean rank of accuracy over {len(part)} tables", yticks=[])
    ax.set(xlim=(mean.iloc[0] - 0.2, mean.iloc[-1] + 0.8), ylim=(len(mean) - 0.4, -1.5))  # room for the words
    figure.savefig(path)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--results", type=Path, default=KEPT)
    arguments.add_argument("--table", type=Path, help="where to write the means as Markdown")
    arguments.add_argument("--plot", type=Path)
    chosen = arguments.parse_args()
    runs = with_fewer_bags(pd.DataFrame(done(chosen.results).values()))
    summarise(runs)
    if chosen.table:
        write_tables(runs, chosen.table)
    if chosen.plot:
        draw(runs, chosen.plot)


if __name__ == "__main__":
    main()
