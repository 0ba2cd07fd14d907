"""Does discover() keep its promise, and does it find what is there?

usage: PACLEARN_DATA=folder python -m benchmarks.papers.discovery [--runs N]

False alarms: tables of `adult` with shuffled labels. Power: biased, dependent bits with strong main effects, a pair and
a triple that matter together, and a tenth of noise. Then four real tables, and the redundancy equations of two.
"""

from __future__ import annotations

import argparse
import os
import time
from itertools import combinations
from pathlib import Path

import numpy as np

from paclearn import RedundancyFilter, discover
from paclearn.datasets import make_bits


def false_alarms(runs, n_rows=5000):
    frame, y = read_table("adult")
    alarms = 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        rows = rng.permutation(len(frame))[:n_rows]
        alarms += len(discover(frame.iloc[rows], rng.permutation(y[rows]))) > 0
    print(f"shuffled labels, {n_rows:,} rows of adult: {alarms / runs:.1%} of {runs} runs report something at q = 0.1")


def planted(seed, n=5000, d=40):
    rng = np.random.default_rng(seed)
    bits = make_bits(n, d, bias=0.3, correlation=0.3, random_state=seed)
    s, t, a, b, c, e, f = rng.permutation(d)[:7]
    x = bits.astype(float)
    chance = 0.5 + 0.12 * (x[:, s] + x[:, t] + x[:, a] * x[:, b] + x[:, c] * x[:, e] * x[:, f])
    y = (rng.random(n) < np.clip(chance, 0, 1)) ^ (rng.random(n) < 0.1)
    names = [{f"x{i}" for i in members} for members in ((s, t), (a, b), (c, e, f))]
    return bits, y.astype(int), *names


def power(runs):
    counts = np.zeros(3)
    for seed in range(runs):
        bits, y, strong, pair, triple = planted(seed)
        found = [set(f.members) for f in discover(bits, y, order=3) if f.order > 1]
        wrong = any(m & strong and not (m <= pair or m <= triple) for m in found)
        counts += (pair in found, triple in found, wrong)
    pairs, triples, wrong = counts / runs
    print(f"planted: the pair is found in {pairs:.0%}, the triple in {triples:.0%} of {runs} runs;")
    print(f"something that merely contains a strong column is called an interaction in {wrong:.0%}")


def read_table(name):
    import pandas as pd

    frame = pd.read_parquet(Path(os.environ["PACLEARN_DATA"]) / f"{name}.parquet")
    return frame, frame.pop("target").to_numpy()


def real_tables():
    """All pairs of four tables: how long that takes, and the first lines of what it says."""
    for name in ("adult", "mushroom", "kr_vs_kp", "splice"):
        frame, y = read_table(name)
        started = time.perf_counter()
        found = discover(frame, y, target_name="class")
        print(f"\n{name}, {time.perf_counter() - started:.1f} s. {found.to_text(most=3)}")


def equations():
    """What is redundant in two tables, beside all columns that are a function of two others, by brute force."""
    for name in ("mushroom", "kr_vs_kp"):
        frame = read_table(name)[0].fillna("missing").astype(str)
        varying = {name for name, column in frame.items() if len(column.unique()) > 1}
        found = RedundancyFilter(random_state=0).fit(frame)
        print(f"\n{name}:\n{found.redundancies_.to_string(index=False)}")
        decided = {
            k
            for i, j in combinations(frame.columns, 2)
            for k, most in frame.groupby([i, j]).nunique().max().items()
            if most == 1 and k in varying
        }
        print(f"functions of two others, by brute force: {sorted(decided)}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--runs", type=int, default=200)
    chosen = arguments.parse_args()
    power(max(10, chosen.runs // 4))
    if "PACLEARN_DATA" in os.environ:
        false_alarms(chosen.runs)
        real_tables()
        equations()


if __name__ == "__main__":
    main()
