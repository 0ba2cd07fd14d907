"""A law of all learners: a column of noise never helps, and every row ten times never hurts.

Ten generators of small tables (few columns, few levels: most rows occur again and again, as in business tables), twenty
seeds, all learners. Each is fitted to a table as it is, to the same with a column of normal noise, and to the same with
every row ten times, and judged on 2000 new rows: accuracy for classes, share of the variance explained for numbers.
Differences are paired by seed. A law is broken on a table where the mean difference has the wrong sign beyond chance
(Student's t, one in a thousand) and by more than half a point for noise, or a point for rows that come ten times, which
a learner has to take for ten times the evidence; and for a learner, over all its tables, by more than half of that.

Results are kept line by line in a file, so a run that was stopped goes on where it was.

A seed of all takes a minute to a minute and a half of one core; lines of several files may be put together.

usage: python -m benchmarks.noise_columns [--results FILE] [--seeds 20] [--processes 1] [--learners ...]
       [--generators ...]
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
from scipy import stats
from sklearn.base import is_classifier

import paclearn

VARIANTS = ("plain", "noise", "ten times")
N_ROWS, N_NEW = 300, 2000
LAWS = (("noise", "noise never helps", 1, 0.005), ("ten times", "ten times never hurts", -1, 0.01))


# ---- learners --------------------------------------------------------------------------------------------------------


def learners():
    """All that predict, with settings under which a fit takes a fraction of a second."""
    seed = {"random_state": 0}
    return {
        "junta": paclearn.JuntaClassifier(k=[1, 2], **seed),
        "junta by folds": paclearn.JuntaClassifier(k=[1, 2], choose_k="cv", **seed),
        "spectral": paclearn.SpectralClassifier(n_bins=4, degree=2, **seed),
        "ten terms": paclearn.SpectralClassifier(n_bins=4, degree=2, max_terms=10, **seed),
        "four effects": paclearn.SpectralClassifier(n_bins=4, degree=2, max_effects=4, **seed),
        "rules": paclearn.RuleClassifier(max_conditions=2, effort=0.5, **seed),
        "graph": paclearn.RegressionGraphClassifier(**seed),
        "validated graph": paclearn.RegressionGraphClassifier(stop="validation", **seed),
        "graphs": paclearn.RegressionGraphEnsembleClassifier(3, method="boosting", **seed),
        "halfspace": paclearn.HalfspaceClassifier(tol=1e-3, **seed),
        "direct spectrum": paclearn.DirectSpectrumClassifier(),
        "least squares": paclearn.PolynomialL2Classifier(),
        "numbers: junta": paclearn.JuntaRegressor(k=[1, 2], **seed),
        "numbers: spectral": paclearn.SpectralRegressor(n_bins=4, degree=2, loss="squared", **seed),
        "numbers: graph": paclearn.RegressionGraphRegressor(**seed),
        "numbers: graphs": paclearn.RegressionGraphEnsembleRegressor(3, method="boosting", **seed),
        "numbers: direct spectrum": paclearn.DirectSpectrumRegressor(),
    }


# ---- generators ------------------------------------------------------------------------------------------------------


def levels(rng, n, *sizes):
    """Columns of levels, one of so many each, by their names."""
    return {name: rng.choice(list("uvwxyz")[:size], n) for name, size in zip("abcde", sizes, strict=False)}


def interaction(rng, n):
    found = levels(rng, n, 3, 2) | {"calls": rng.integers(0, 6, n)}
    often = found["calls"] >= 3
    return found, -1.0 + often * np.where(found["a"] == "u", 3.0, -0.5) - 0.8 * (found["b"] == "v")


def additive(rng, n):
    found = levels(rng, n, 2, 3, 4)
    return found, 1.5 * (found["a"] == "u") - 1.2 * (found["b"] == "v") + 0.8 * (found["c"] == "w") - 0.4


def one_column(rng, n):
    found = levels(rng, n, 4, 2, 2, 2)
    return found, np.array([-2.0, -0.5, 0.5, 2.0])[np.searchsorted(list("uvwx"), found["a"])]


def nothing(rng, n):
    return levels(rng, n, 3, 3, 2, 2), np.zeros(n)


def parity(rng, n):
    found = levels(rng, n, 2, 2, 2, 2)
    return found, np.where((found["a"] == "u") ^ (found["b"] == "u"), 1.8, -1.8)


def conjunction(rng, n):
    found = levels(rng, n, 3, 3, 3)
    return found, np.where((found["a"] == "u") & (found["b"] == "u"), 2.5, -1.2)


def threshold(rng, n):
    found = levels(rng, n, 2, 2) | {"age": rng.integers(20, 60, n)}
    return found, np.where(found["age"] > 41, 1.5, -1.5) + 0.5 * (found["a"] == "u")


def curve(rng, n):
    found = levels(rng, n, 2) | {"x": rng.integers(0, 12, n), "z": rng.integers(0, 4, n)}
    return found, 2 * np.sin(found["x"] / 2) + 0.3 * found["z"]


def rare(rng, n):
    found = levels(rng, n, 3, 2, 2)
    return found, -3.2 + 2.5 * (found["a"] == "u") * (found["b"] == "v")


def many_levels(rng, n):
    effect = np.random.default_rng(7).normal(0, 1.5, 12)
    town = rng.integers(0, 12, n)
    return levels(rng, n, 2, 3) | {"town": np.array([f"t{i}" for i in town])}, effect[town]


GENERATORS = {
    function.__name__.replace("_", " "): function
    for function in (
        interaction, additive, one_column, nothing, parity, conjunction, threshold, curve, rare, many_levels
    )
}  # fmt: skip


def drawn(name, seed, n, *, classify):
    """A table, and classes drawn by its log-odds or numbers around them."""
    rng = np.random.default_rng([seed, n])
    found, score = GENERATORS[name](rng, n)
    if classify:
        y = np.where(rng.random(n) < 1 / (1 + np.exp(-score)), "yes", "no")
        y[:2] = "yes", "no"  # two classes, whatever is drawn
        return found, y
    return found, score + rng.normal(0, 1, n)


# ---- runs ------------------------------------------------------------------------------------------------------------


def value_of(learner, generator, seed, variant):
    """How well a learner does on new rows."""
    model, classify = learners()[learner], is_classifier(learners()[learner])
    known, y = drawn(generator, seed, N_ROWS, classify=classify)
    new, truth = drawn(generator, 10_000 + seed, N_NEW, classify=classify)
    if variant == "noise":
        rng = np.random.default_rng([seed, 1])
        known, new = (part | {"noise": rng.normal(size=len(part["a"]))} for part in (known, new))
    every = np.tile(np.arange(len(y)), 10 if variant == "ten times" else 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        said = model.fit(pa.table(known).take(every), y[every]).predict(pa.table(new))
    if classify:
        return float((said == truth).mean())
    return float(1 - ((said - truth) ** 2).mean() / truth.var())


def done(path):
    """What a file of results has, by learner, generator, seed and variant."""
    if not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    return {(one["learner"], one["generator"], one["seed"], one["variant"]): one["value"] for one in lines}


def fitted(key):
    """A line of results."""
    named = dict(zip(("learner", "generator", "seed", "variant"), key, strict=True))
    return json.dumps(named | {"value": value_of(*key)})


def run(path, names, generators, seeds, processes):
    """Fit what is not there yet, one seed after the other."""
    known, start = done(path), time.perf_counter()
    with path.open("a") as file, ProcessPoolExecutor(processes) as pool:
        for seed in range(seeds):
            every = ((name, generator, seed, v) for name in names for generator in generators for v in VARIANTS)
            for line in pool.map(fitted, [key for key in every if key not in known]):
                file.write(line + "\n")
            file.flush()
            print(f"seed {seed}: {time.perf_counter() - start:.0f} s so far", flush=True)


# ---- verdicts --------------------------------------------------------------------------------------------------------


def gains(results, learner, generator, variant):
    """By how much a variant does better than the table as it is, one number a seed."""
    seeds = {key[2] for key in results if key[:2] == (learner, generator) and key[3] == variant}
    pairs = (
        (results.get((learner, generator, s, variant)), results.get((learner, generator, s, "plain"))) for s in seeds
    )
    return np.array([one - other for one, other in pairs if one is not None and other is not None])


def verdicts(results):
    """A line a learner and law, and a line for each table on which a law is broken."""
    broken = 0
    for learner in dict.fromkeys(key[0] for key in results):
        for variant, law, sign, enough in LAWS:
            by_table = {g: sign * gains(results, learner, g, variant) for g in GENERATORS}
            by_table = {g: found for g, found in by_table.items() if len(found) > 1}
            if not by_table:
                continue
            means = np.array([found.mean() for found in by_table.values()])
            errors = np.array([found.std(ddof=1) / np.sqrt(len(found)) for found in by_table.values()])
            mean, error = means.mean(), np.sqrt((errors**2).sum()) / len(errors)
            sure = stats.t.ppf(0.999, min(map(len, by_table.values())) - 1)
            holds = mean <= max(3 * error, enough / 2)
            print(
                f"{'ok    ' if holds else 'BROKEN'} {learner:26s} {law:22s} {sign * 100 * mean:+6.2f} "
                f"points, give or take {100 * error:.2f}, over {len(by_table)} tables"
            )
            broken += not holds
            for table, one, spread in zip(by_table, means, errors, strict=True):
                if one > max(sure * spread, enough):
                    broken += 1
                    print(f"BROKEN   on {table}: {sign * 100 * one:+.2f} points, give or take {100 * spread:.2f}")
    print(f"verdict: {'both laws hold for all learners' if not broken else f'{broken} line(s) break a law'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--results", type=Path, default=Path("noise_columns.jsonl"), help="a file of JSON lines")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--learners", nargs="*", default=list(learners()))
    parser.add_argument("--generators", nargs="*", default=list(GENERATORS))
    parser.add_argument("--processes", type=int, default=1)
    given = parser.parse_args()
    run(given.results, given.learners, given.generators, given.seeds, given.processes)
    verdicts(done(given.results))


if __name__ == "__main__":
    main()
