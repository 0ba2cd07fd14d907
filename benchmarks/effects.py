"""Effects on all public tables: do they add up, are they pure, how many are there, and how long does the view take?

For every table the default model, or one of few effects, is fitted to at most 4 000 rows. Sums are compared on all rows
of the table and on the same rows with every tenth value missing and every tenth level unseen; means are taken over each
column of every effect.

usage: PACLEARN_DATA=folder python -m benchmarks.effects [--tables ...] [--rows N] [--max-effects K]
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
    """Of processor time for the effects view, best of three; a copy of the model knows nothing of earlier views."""
    best = np.inf
    for _ in range(3):
        fresh = replace(model)
        begin = time.process_time()
        fresh.effects()
        best = min(best, time.process_time() - begin)
    return best


def scores(fitted, rows):
    """As users ask for them: the decision function, or, of a number, the sum before it is kept in its limits."""
    if hasattr(fitted, "decision_function"):
        return np.asarray(fitted.decision_function(rows)).reshape(len(rows), -1)
    return fitted.model_.scores(fitted.model_.encode(fitted.model_.table(rows)))


def measure(name, most, max_effects):
    """One line of the table."""
    frame, y = read(name)
    kind = SpectralRegressor if name in NUMERIC_TARGET else SpectralClassifier
    some = np.sort(np.random.default_rng(0).permutation(len(y))[:most])
    fitted = kind(max_effects=max_effects, random_state=0).fit(frame.iloc[some], y[some])
    model = fitted.model_
    effects, off = model.effects(), 0.0
    for rows in (frame, spoiled(frame)):
        codes = model.encode(model.table(rows))
        off = max(off, float(np.abs(effects.scores(codes) - scores(fitted, rows)).max()))
    cells = sum(effect.cells[..., 0].size for effect in effects.effects)
    return cells, len(effects.effects), off, impurity(effects), seconds(model)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", nargs="*", default=None)
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("--max-effects", type=int, default=None)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'table':26}{'cells':>7}{'effects':>9}{'off by':>10}{'impure by':>11}{'seconds':>9}")
    worst = [0.0, 0.0, 0.0]
    for name in asked.tables or sorted(set(tables()) - NOT_OF_THE_SUITE):
        cells, effects, off, impure, took = measure(name, asked.rows, asked.max_effects)
        worst = [max(pair) for pair in zip(worst, (off, impure, took), strict=True)]
        print(f"{name:26}{cells:7}{effects:9}{off:10.1e}{impure:11.1e}{took:9.3f}", flush=True)
    print(f"{'worst':42}{worst[0]:10.1e}{worst[1]:11.1e}{worst[2]:9.3f}")


if __name__ == "__main__":
    main()
