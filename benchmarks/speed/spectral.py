"""Seconds to fit `adult` against its rows: SpectralClassifier beside EBM, side by side in one run.

usage: PACLEARN_DATA=folder python -m benchmarks.speed.spectral [--rows 3000 6000 ...] [--plot FILE] [--without-ebm]
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np
import pandas as pd

from paclearn import SpectralClassifier


def seconds(model, frame, y):
    started = time.perf_counter()
    model.fit(frame, y)
    return time.perf_counter() - started


def learners(*, with_ebm):
    found = {
        "SpectralClassifier": SpectralClassifier(random_state=0),
        "at most 30 terms": SpectralClassifier(max_terms=30, random_state=0),
    }
    if with_ebm:
        from interpret.glassbox import ExplainableBoostingClassifier

        found["EBM"] = ExplainableBoostingClassifier(random_state=0, n_jobs=1)
    return found


def draw(times, path):
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
    for name, line in times.items():
        ax.plot(list(line), list(line.values()), marker="o", label=name)
    ax.set(xlabel="rows of adult", ylabel="seconds to fit, one core", xscale="log", yscale="log")
    rows = sorted({n for line in times.values() for n in line})
    ax.set_xticks(rows, [f"{n:,}" for n in rows])
    ax.set_xticks([], minor=True)
    ax.legend()
    figure.savefig(path)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rows", nargs="+", type=int, default=[3000, 6000, 12_000, 24_000, 48_842])
    arguments.add_argument("--plot", type=Path)
    arguments.add_argument("--without-ebm", action="store_true")
    asked = arguments.parse_args()
    frame = pd.read_parquet(Path(os.environ["PACLEARN_DATA"]) / "adult.parquet")
    y = frame.pop("target").astype(str).to_numpy()
    order = np.random.default_rng(0).permutation(len(y))
    times = {}
    for n in asked.rows:
        some = order[:n]
        for name, model in learners(with_ebm=not asked.without_ebm).items():
            times.setdefault(name, {})[n] = found = seconds(model, frame.iloc[some], y[some])
            print(f"{n:7,} rows, {name}: {found:.1f} s", flush=True)
    for name, line in times.items():
        few, many = min(line), max(line)
        print(f"{name}: {many / few:.1f} times the rows take {line[many] / line[few]:.1f} times as long")
    if asked.plot:
        draw(times, asked.plot)


if __name__ == "__main__":
    main()
