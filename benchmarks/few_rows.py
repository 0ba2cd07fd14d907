"""Few rows: do straight lines and columns' own scales help where they are right, and hurt where they are not?

Generators whose probabilities are known: lines, lines beside categories, steps, a planted pair of bits, a planted pair
of a rare class, numbers of three factors, curves, skewed numbers, and tables whose columns are drawn by chance as well
(`drawn`: every seed is another table, so take many). A learner is fitted to a few hundred rows and judged on 5,000
fresh ones: by how much its log loss exceeds that of the true probabilities, in thousandths, and (in brackets) by how
many points it is right less often than who knows these. "thresholds" is the same learner without the belief in straight
lines and with one scale for all columns, "lines too" that with one scale for all columns. Of numbers (curves, steps,
pairs, Friedman's first table, categories of uneven weight, lines in all columns; a fifth of the variance is noise) the
share of the variance of the true means that is missed, in thousandths. Results are kept line by line; a run that was
stopped goes on.

usage: python -m benchmarks.few_rows [--results FILE] [--rows 400] [--seeds 1] [--generators ...] [--summary]
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from contextlib import ExitStack
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
from scipy.special import expit, logit
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.linear_model import LogisticRegressionCV, RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from paclearn import SpectralClassifier, SpectralRegressor
from paclearn.learners.spectral import spectral_base
from paclearn.learners.spectral.model_choice import Judging

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


def categories(rng, n):
    levels, effects = rng.integers(0, 4, (n, 10)), rng.normal(0, 0.5, (10, 4))
    planted = ((levels[:, 0] == 1) & (levels[:, 1] > 1)) - ((levels[:, 2] == 0) ^ (levels[:, 3] == 2)) * 1.0
    frame = pd.DataFrame({f"c{j}": np.array(list("abcd"))[levels[:, j]] for j in range(10)})
    return frame, effects[np.arange(10), levels].sum(axis=1) + 1.5 * planted


def many(rng, n):
    bits, effects = rng.integers(0, 2, (n, 40)), rng.normal(0, 0.4, 40)
    return pd.DataFrame({f"b{j}": bits[:, j].astype(str) for j in range(40)}), (bits - 0.5) @ effects


def smooth_number(rng, n):
    x = rng.uniform(-2, 2, (n, 10))
    return named(x), np.sin(2 * x[:, 0]) + x[:, 1] ** 2 / 2 + np.exp(-(x[:, 2] ** 2)) - x[:, 3] + np.cos(x[:, 4])


def stepped_number(rng, n):
    a, b, c, d, e, *rest = rng.uniform(-2, 2, (10, n))
    steps = np.floor(2 * a) / 2 + (b > 0.3) + 2 * (np.abs(c) < 1) - (d > 1) + np.round(e)
    return named(np.column_stack([a, b, c, d, e, *rest])), steps


def paired_number(rng, n):
    x = rng.uniform(-2, 2, (n, 10))
    both = 2 * (x[:, 2] > 0) * (x[:, 3] > 0) + x[:, 0] * x[:, 4]
    return named(x), x[:, 0] + np.sin(2 * x[:, 1]) + both


def friedman(rng, n):
    x = rng.random((n, 10))
    curves = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2
    return named(x, 3), curves + 10 * x[:, 3] + 5 * x[:, 4]


def uneven_number(rng, n):
    levels = rng.integers(0, 5, (n, 12))
    effects = rng.normal(0, 1, (12, 5)) * np.array([2, 1.5, 1, 0.5] + [0.1] * 8)[:, None]
    frame = pd.DataFrame({f"c{j}": np.array(list("abcde"))[levels[:, j]] for j in range(12)})
    return frame, effects[np.arange(12), levels].sum(axis=1) + 1.5 * ((levels[:, 0] == 1) & (levels[:, 1] > 2))


def even_number(rng, n):
    x = rng.normal(size=(n, 15))
    return named(x), x @ np.random.default_rng(1).normal(size=15)


def drawn(rng, n):
    """Whatever tables hold: categories of two to six levels, numbers of four kinds, what they say, and some pairs."""
    common, share, kinds = rng.normal(size=n), rng.uniform(0.2, 1.0), (rng.integers(2, 14), rng.integers(1, 9))
    frame, score = {}, np.zeros(n)
    for j in range(kinds[0]):
        levels = int(rng.choice([2, 2, 2, 3, 4, 6]))
        place = np.quantile(z := along(rng, common), np.cumsum(rng.dirichlet(np.full(levels, 2.0)))[:-1])
        code = np.searchsorted(place, z)
        frame[f"c{j}"] = np.array(list("abcdef"))[code]
        score += 0.7 * (rng.random() < share) * rng.standard_t(3, size=levels)[code]
    for j in range(kinds[1]):
        z = along(rng, common)
        shapes = z, np.exp(z), np.round(3 * z) + 10, np.where(z > 0.5, np.exp(2 * z), 0)
        frame[f"n{j}"] = np.round(shapes[rng.integers(4)], 2)
        says = z, 2 * (z > 0.7 * rng.normal()) - 1.0, 1.3 * np.abs(z)
        score += 0.7 * (rng.random() < share) * rng.standard_t(3) * says[rng.integers(3)]
    for _ in range(rng.integers(0, 3)):
        sides = (frame[k] == "a" if k[0] == "c" else frame[k] > np.median(frame[k]) for k in rng.choice(list(frame), 2))
        score += rng.standard_t(3) * np.logical_and(*sides)
    score = (score - score.mean()) / max(score.std(), 1e-9) * rng.uniform(0.8, 3.0)
    return pd.DataFrame(frame), score - np.quantile(score, rng.uniform(0.5, 0.8))


def along(rng, common):
    together = rng.uniform(0, 0.6)
    return together * common + np.sqrt(1 - together**2) * rng.normal(size=len(common))


CLASSES = (lines, mixed, steps, pair, rare, factors, curves, skewed, categories, many, drawn)
OF_NUMBERS = {
    f.__name__: f for f in (smooth_number, stepped_number, paired_number, friedman, uneven_number, even_number)
}
GENERATORS = {f.__name__: f for f in CLASSES} | OF_NUMBERS


# ---- learners --------------------------------------------------------------------------------------------------------


def linear(numbers):
    scaled = StandardScaler(), make_column_selector(dtype_include="number")
    levels = OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")
    learner = LogisticRegressionCV(Cs=10, cv=5, scoring="neg_log_loss", max_iter=500)
    return make_pipeline(
        make_column_transformer(scaled, levels), RidgeCV(np.logspace(-3, 3, 13)) if numbers else learner
    )


def fitted(name, frame, y, seed, numbers):
    if name == "linear":
        return linear(numbers).fit(frame, y)
    learner = (SpectralRegressor if numbers else SpectralClassifier)(random_state=seed)
    with ExitStack() as stack:
        if name != "own scales":
            stack.enter_context(mock.patch.object(Judging, "with_own_scales", return_value=[]))
        if name == "thresholds":
            stack.enter_context(mock.patch.object(spectral_base, "beliefs_of", return_value=((),)))
        return learner.fit(frame, y)


def judged(generator, rows, seed, name):
    rng, numbers = np.random.default_rng([seed, sum(map(ord, generator))]), generator in OF_NUMBERS
    frame, score = GENERATORS[generator](rng, rows + N_NEW)
    if numbers:
        y = score + rng.normal(0, np.sqrt(score.var() / 4), len(score))
    else:
        y = np.where(rng.random(len(score)) < expit(score), "yes", "no")
    begin = time.process_time()
    model = fitted(name, frame[:rows], y[:rows], seed, numbers)
    seconds = time.process_time() - begin
    found = (missed if numbers else exceeded)(model, frame[rows:], score[rows:])
    return {"generator": generator, "rows": rows, "seed": seed, "learner": name, **found, "seconds": round(seconds, 2)}


def missed(model, frame, means):
    return {"excess": float(np.mean((model.predict(frame) - means) ** 2) / means.var()), "lost": None}


def exceeded(model, frame, score):
    p, q = expit(score), np.clip(model.predict_proba(frame)[:, 1], 1e-9, 1 - 1e-9)
    loss, least = (-np.mean(p * np.log(r) + (1 - p) * np.log(1 - r)) for r in (q, p))
    return {"excess": loss - least, "lost": np.mean(np.maximum(p, 1 - p) - np.where(q > 0.5, p, 1 - p))}


# ---- runs ------------------------------------------------------------------------------------------------------------

LEARNERS = ("linear", "thresholds", "lines too", "own scales")


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
    print("| table | draws | " + " | ".join(LEARNERS) + " |\n| --- | --- |" + " --- |" * len(LEARNERS))
    for name, part in frame.groupby("generator", sort=False):
        means = part.astype({"lost": float}).groupby("learner")[["excess", "lost"]].mean()
        points = {k: "" if name in OF_NUMBERS else f" ({100 * means.lost[k]:.1f})" for k in LEARNERS}
        cells = [f"{1000 * means.excess[k]:.0f}{points[k]}" for k in LEARNERS]
        print(f"| {name} | {part.seed.nunique()} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=Path("benchmarks/results/few_rows.jsonl"))
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--generators", nargs="+", choices=list(GENERATORS), default=list(GENERATORS))
    parser.add_argument("--summary", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")  # what scikit-learn will change
    if not asked.summary:
        run(asked.results, asked.generators, asked.rows, asked.seeds)
    summary(asked.results)


if __name__ == "__main__":
    main()
