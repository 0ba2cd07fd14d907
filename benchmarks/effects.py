"""Effects on all public tables: do they add up, are they pure, how many are there, and how long does the view take?

For every table the default model is fitted to at most 4 000 rows. Sums are compared on all rows of the table and on the
same rows with every tenth value missing and every tenth level unseen; means are taken over each column of every effect.

usage: PACLEARN_DATA=folder python -m benchmarks.effects [--tables ...] [--rows N]
"""

from __future__ import annotations

import argparse
import time
import warnings
from dataclasses import replace

import numpy as np

from benchmarks.suite import NUMERIC_TARGET, read, tables
from paclearn import SpectralClassifier, SpectralRegressor

NOT_OF_THE_SUITE = {"california_housing"}


def spoiled(frame):
    """The same rows with holes and with levels that were never seen."""
    rng = np.random.default_rng(0)
    fresh = frame.astype(object)
    for name in fresh.columns:
        fresh.loc[rng.random(len(fresh)) < 0.1, name] = None
        if frame[name].dtype.kind not in "iufb":
            fresh.loc[rng.random(len(fresh)) < 0.1, name] = "a level that was never seen"
        else:
            fresh[name] = fresh[name].astype(float)
    return fresh


def impurity(effects):
    """The largest mean of an effect over one of its columns, in any cell of the others."""
    worst = 0.0
    for effect in effects.effects:
        for axis in range(len(effect.columns)):
            margin = effect.masses.sum(axis=axis)[..., None]
            total = (effect.cells * effect.masses[..., None]).sum(axis=axis)
            means = np.divide(total, margin, out=np.zeros_like(total), where=margin > 0)
            worst = max(worst, float(np.abs(means).max(initial=0.0)))
    return worst


def seconds(model):
    """Of the effects view, best of three; a copy of the model knows nothing of earlier views."""
    best = np.inf
    for _ in range(3):
        fresh = replace(model)
        begin = time.perf_counter()
        fresh.effects()
        best = min(best, time.perf_counter() - begin)
    return best


def measure(name, most):
    """One line of the table."""
    frame, y = read(name)
    kind = SpectralRegressor if name in NUMERIC_TARGET else SpectralClassifier
    fitted = kind(random_state=0).fit(frame[:most], y[:most])
    model = fitted.model_
    effects, off = model.effects(), 0.0
    for rows in (frame, spoiled(frame)):
        codes = model.encode(model.table(rows))
        off = max(off, float(np.abs(effects.scores(codes) - model.scores(codes)).max()))
    return len(model.terms), len(effects.effects), off, impurity(effects), seconds(model)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", nargs="*", default=None)
    parser.add_argument("--rows", type=int, default=4000)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'table':26}{'terms':>7}{'effects':>9}{'off by':>10}{'impure by':>11}{'seconds':>9}")
    worst = [0.0, 0.0, 0.0]
    for name in asked.tables or sorted(set(tables()) - NOT_OF_THE_SUITE):
        terms, effects, off, impure, took = measure(name, asked.rows)
        worst = [max(pair) for pair in zip(worst, (off, impure, took), strict=True)]
        print(f"{name:26}{terms:7}{effects:9}{off:10.1e}{impure:11.1e}{took:9.3f}", flush=True)
    print(f"{'worst':42}{worst[0]:10.1e}{worst[1]:11.1e}{worst[2]:9.3f}")


if __name__ == "__main__":
    main()
