"""What rounding weights costs rows that were left out: log loss with the weights as they were fitted, and as kept.

A fifth of the rows of every public table of classes is left out (the first of the five folds of `benchmarks.suite`),
and of tables of hundreds of rare levels (`make_many_levels`: 47 columns, three of them with 700 levels, three classes).
Beside both stands the rounding as it was: to a sixty-fourth of the largest weight, the intercept by itself. Models:
without a limit, of 30 terms, of 12 effects. Weights of numbers are not rounded. Exports of a model (SQL, Python, JSON)
hold the weights that it keeps; a scorecard of whole points is coarser, and says what that costs.

usage: PACLEARN_DATA=folder python -m benchmarks.rounding [--results FILE] [--tables ...] [--models ...] [--seeds 3]
       [--rows 10000] [--summary]
"""

from __future__ import annotations

import argparse
import json
import warnings
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np
from sklearn.metrics import log_loss

from benchmarks import suite
from paclearn import SpectralClassifier
from paclearn.datasets import make_many_levels
from paclearn.learners.spectral.descent import LinearFit
from paclearn.learners.spectral.effect_learner import EffectsLearned
from paclearn.learners.spectral.fitted_terms import WeightedTerms
from paclearn.learners.spectral.rounding import to_multiples

MODELS = {"no limit": {}, "30 terms": {"max_terms": 30}, "12 effects": {"max_effects": 12}}
MADE_UP = "many levels, seed "
STEPS = 64


def as_it_was(fitted, steps):
    """Weights to a share of the largest, whatever that costs."""
    weights = fitted.fit.weights  # an array, or one for every effect
    largest = max((float(np.abs(w).max(initial=0.0)) for w in weights), default=0.0)
    step = float(2.0 ** np.ceil(np.log2(max(largest, 1e-6) / steps)))
    if isinstance(fitted, EffectsLearned):
        return fitted.rounded(step), step
    fit = LinearFit(to_multiples(weights, step), to_multiples(fitted.fit.intercept, step))
    return replace(fitted, fit=fit), step


def as_fitted(fitted, _):
    return fitted, 2.0**-20


class Watched(SpectralClassifier):
    """Keeps, beside the model, what it would be with weights as they were fitted, and rounded as they were."""

    def _finished(self, *parts):
        work, self.others_ = super()._finished, []
        for how in (as_fitted, as_it_was):
            with mock.patch.object(WeightedTerms, "coarsely", how):
                self.others_.append(work(*parts)[0])
        return work(*parts)

    def _kept(self, learned):
        self.others_ = [self._effect_model(how(learned, STEPS)[0]) for how in (as_fitted, as_it_was)]
        return super()._kept(learned)


def lost(model, classes, frame, y):
    """Log loss of rows that were left out, of classes that it knows."""
    known = np.isin(y, classes)
    chances = np.asarray(model.predictions(model.encode(model.table(frame[known]))), dtype=float)
    if chances.shape[1] == 1:
        chances = np.hstack([1 - chances, chances])
    chances = np.clip(chances, 1e-15, 1)
    return float(log_loss(y[known], chances / chances.sum(axis=1, keepdims=True), labels=classes))


def table(name, rows):
    """Rows to learn from and rows left out."""
    if name.startswith(MADE_UP):
        data = make_many_levels(5000, random_state=int(name.removeprefix(MADE_UP)))
        frame, y = data.data, np.array([f"class {k}" for k in data.target], dtype=object)
        train, test = np.arange(4000), np.arange(4000, 5000)
    else:
        frame, y = suite.read(name, rows)
        train, test = suite.folds(name, y)[0]
    return frame.iloc[train], y[train], frame.iloc[test].reset_index(drop=True), y[test]


def run(name, kind, rows):
    frame, y, fresh, z = table(name, rows)
    learner = Watched(**MODELS[kind], random_state=0).fit(frame, y)
    exact, before, kept = (lost(m, learner.classes_, fresh, z.astype(str)) for m in (*learner.others_, learner.model_))
    return {"table": name, "model": kind, "rows": len(y), "fitted": exact, "before": before, "kept": kept}


def summary(runs):
    """A line a table; then the most that rounding adds anywhere."""
    print(
        "| table | model | rows | as fitted | as it was: adds | as kept: adds |\n| --- | --- | --- | --- | --- | --- |"
    )
    for r in sorted(runs, key=lambda r: (r["table"], r["model"])):
        adds = [f"{r[way] - r['fitted']:+.6f}" for way in ("before", "kept")]
        print(f"| {r['table']} | {r['model']} | {r['rows']:,} | {r['fitted']:.4f} | {adds[0]} | {adds[1]} |")
    most = max(runs, key=lambda r: r["kept"] - r["fitted"])
    print(f"the most, of {len(runs)} models: {most['kept'] - most['fitted']:+.2e} ({most['table']}, {most['model']})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=Path("rounding.jsonl"))
    parser.add_argument("--tables", nargs="+")
    parser.add_argument("--models", nargs="+", choices=list(MODELS), default=list(MODELS))
    parser.add_argument("--seeds", type=int, default=3, help="tables of many levels")
    parser.add_argument("--rows", type=int, default=suite.MOST_ROWS, help="of a public table, at most")
    parser.add_argument("--summary", action="store_true", help="only show what is there")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")  # classes of fewer rows than folds
    known = list(map(json.loads, asked.results.read_text().splitlines())) if asked.results.exists() else []
    done = {(r["table"], r["model"]) for r in known}
    made_up = [f"{MADE_UP}{seed}" for seed in range(asked.seeds)]
    names = asked.tables or [n for n in suite.tables() if n not in suite.NUMERIC_TARGET] + made_up
    for name, kind in [] if asked.summary else [(n, k) for k in asked.models for n in names if (n, k) not in done]:
        known.append(run(name, kind, asked.rows))
        with asked.results.open("a") as file:
            file.write(json.dumps(known[-1]) + "\n")
        print(known[-1], flush=True)
    summary(known)


if __name__ == "__main__":
    main()
