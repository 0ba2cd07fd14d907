"""Few rows of classes: do straight lines help where they are right, and hurt where they are not?

Generators whose probabilities are known: lines, lines beside categories, steps, a planted pair of bits, a planted pair
of a rare class, numbers of three factors, curves, and skewed numbers. A learner is fitted to a few hundred rows and
judged on 5,000 fresh ones: by how much its log loss exceeds that of the true probabilities, in thousandths, and (in
brackets) by how many points it is right less often than who knows these. "thresholds" is the same learner without the
belief in straight lines. Results are kept line by line; a run that was stopped goes on.

usage: python -m benchmarks.few_rows [--results FILE] [--rows 400] [--seeds 1] [--generators ...] [--summary]
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
from scipy.special import expit, logit
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegressionCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from paclearn import SpectralClassifier
from paclearn.learners.spectral import spectral_base

N_NEW = 5000

# ---- generators: a table, and the log-odds of its rows ---------------------------------------------------------------


def named(numbers, digits=2):
    return pd.DataFrame(numbers.round(digits), columns=[f"x{i}" for i in range(numbers.shape[1])])


def lines(rng, n):
    x = rng.normal(size=(n, 10))
    return named(x), x[:, :5] @ [1.0, -0.8, 0.6, -0.4, 0.3] - 0.3


def mixed(rng, n):
    x, levels = rng.normal(size=(n, 6)), rng.integers(0, 4, (n, 7))
    effects = np.zeros((7, 4))
    effects[:3] = [0, 0.8, -0.8, 0], [0, 0, 1, 0], [0.5, -0.5, 0, 0]
    frame = named(x).assign(**{f"c{j}": np.array(list("abcd"))[levels[:, j]] for j in range(7)})
    return frame, x[:, :3] @ [0.9, -0.7, 0.5] + effects[np.arange(7), levels].sum(axis=1)


def steps(rng, n):
    x = rng.random((n, 8))
    between = (x[:, 2] > 0.4) & (x[:, 2] < 0.6)
    return named(100 * x, 1), 2.0 * (x[:, 0] > 0.7) - 1.6 * (x[:, 1] > 0.3) + 1.2 * between + 0.2


def pair(rng, n):
    bits, x = rng.integers(0, 2, (n, 6)), rng.normal(size=(n, 4))
    frame = pd.DataFrame({f"b{j}": bits[:, j].astype(str) for j in range(6)}).join(named(x))
    return frame, 2.5 * (bits[:, 0] & bits[:, 1]) + 0.6 * x[:, 0] + 0.4 * bits[:, 2] - 1.0


def rare(rng, n):
    region, hour = rng.choice(["north", "south", "west"], n), rng.integers(0, 24, n)
    frame = pd.DataFrame({"region": region, "hour": hour, "amount": 50 * rng.gamma(2, 1, n).round()})
    return frame, logit(np.where((region == "north") & (hour >= 20), 0.25, 0.02))


def factors(rng, n):
    loadings, behind = np.random.default_rng(7).normal(size=(3, 20)), rng.normal(size=(n, 3))
    return named(behind @ loadings + 0.7 * rng.normal(size=(n, 20))), 2.0 * behind[:, 0] - behind[:, 1]


def curves(rng, n):
    x = rng.normal(size=(n, 8))
    return named(x), 1.2 * (x[:, 0] ** 2 - 1) + 1.2 * np.sin(2 * x[:, 1]) + 0.7 * x[:, 2]


def skewed(rng, n):
    x = rng.normal(size=(n, 8))
    return named(np.exp(1.2 * x), 3), x[:, :4] @ [1.0, -0.8, 0.6, 0.4]


GENERATORS = {f.__name__: f for f in (lines, mixed, steps, pair, rare, factors, curves, skewed)}


# ---- learners --------------------------------------------------------------------------------------------------------


def logistic():
    scaled = StandardScaler(), make_column_selector(dtype_include="number")
    levels = OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")
    learner = LogisticRegressionCV(Cs=10, cv=5, scoring="neg_log_loss", max_iter=500)
    return make_pipeline(make_column_transformer(scaled, levels), learner)


def fitted(name, frame, y, seed):
    if name == "logistic":
        return logistic().fit(frame, y)
    if name == "lines too":
        return SpectralClassifier(random_state=seed).fit(frame, y)
    with mock.patch.object(spectral_base, "beliefs_of", return_value=((),)):
        return SpectralClassifier(random_state=seed).fit(frame, y)


def judged(generator, rows, seed, name):
    rng = np.random.default_rng([seed, sum(map(ord, generator))])
    frame, score = GENERATORS[generator](rng, rows + N_NEW)
    y = np.where(rng.random(len(score)) < expit(score), "yes", "no")
    begin = time.process_time()
    model = fitted(name, frame[:rows], y[:rows], seed)
    seconds = time.process_time() - begin
    p, q = expit(score[rows:]), np.clip(model.predict_proba(frame[rows:])[:, 1], 1e-9, 1 - 1e-9)
    loss, least = (-np.mean(p * np.log(r) + (1 - p) * np.log(1 - r)) for r in (q, p))
    lost = np.mean(np.maximum(p, 1 - p) - np.where(q > 0.5, p, 1 - p))
    found = {"excess": loss - least, "lost": lost, "seconds": round(seconds, 1)}
    return {"generator": generator, "rows": rows, "seed": seed, "learner": name, **found}


# ---- runs ------------------------------------------------------------------------------------------------------------

LEARNERS = ("logistic", "thresholds", "lines too")


def kept(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def run(path, generators, rows, seeds):
    known = {(r["generator"], r["rows"], r["seed"], r["learner"]) for r in kept(path)}
    with path.open("a") as out:
        for seed in range(seeds):
            for what in ((g, rows, seed, name) for g in generators for name in LEARNERS):
                if what not in known:
                    out.write(json.dumps(judged(*what)) + "\n")
                    out.flush()


def summary(path):
    frame = pd.DataFrame(kept(path))
    print("| table | draws | " + " | ".join(LEARNERS) + " |\n| --- | --- | " + "--- | " * len(LEARNERS))
    for name, part in frame.groupby("generator", sort=False):
        means = part.groupby("learner")[["excess", "lost"]].mean()
        cells = [f"{1000 * means.excess[k]:.0f} ({100 * means.lost[k]:.1f})" for k in LEARNERS]
        print(f"| {name} | {part.seed.nunique()} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=Path("benchmarks/results/few_rows.jsonl"))
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--generators", nargs="+", choices=list(GENERATORS), default=list(GENERATORS))
    parser.add_argument("--summary", action="store_true")
    asked = parser.parse_args()
    if not asked.summary:
        run(asked.results, asked.generators, asked.rows, asked.seeds)
    summary(asked.results)


if __name__ == "__main__":
    main()
