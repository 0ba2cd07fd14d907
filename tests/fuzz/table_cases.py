"""A random table, its target and the estimator that learns it: all from one seed."""

import datetime as dt
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from sklearn.base import clone

from paclearn import (
    DirectSpectrumClassifier,
    DirectSpectrumRegressor,
    HalfspaceClassifier,
    JuntaClassifier,
    JuntaRegressor,
    PolynomialL2Classifier,
    RegressionGraphClassifier,
    RegressionGraphEnsembleClassifier,
    RegressionGraphEnsembleRegressor,
    RegressionGraphRegressor,
    RuleClassifier,
    SpectralClassifier,
    SpectralRegressor,
)

# how often each is tried: those that take fifty times as long, less often
CLASSIFIERS = [
    (12, JuntaClassifier(k=1)),
    (12, JuntaClassifier(k=2)),
    (8, JuntaClassifier(k=2, unit="bit", search="greedy")),
    (12, RegressionGraphClassifier(max_splits=4)),
    (6, RegressionGraphEnsembleClassifier(n_estimators=2, max_splits=3, method="boosting", random_state=0)),
    (8, DirectSpectrumClassifier(degree=1)),
    (6, PolynomialL2Classifier(degree=1)),
    (4, HalfspaceClassifier(B=30, solver="online", n_passes=2, random_state=0)),
    (1, RuleClassifier(n_bins=3, random_state=0)),
    (1, SpectralClassifier(n_terms=4, n_bins=3, random_state=0)),
    (0.3, SpectralClassifier(degree=1, max_terms=2, n_bins=3, random_state=0)),
    (0.1, SpectralClassifier(max_effects=2, n_bins=3, random_state=0)),
]
REGRESSORS = [
    (12, JuntaRegressor(k=1)),
    (8, JuntaRegressor(k=2)),
    (12, RegressionGraphRegressor(max_splits=4)),
    (6, RegressionGraphEnsembleRegressor(n_estimators=2, max_splits=3, method="bagging", random_state=0)),
    (8, DirectSpectrumRegressor(degree=1)),
    (1, SpectralRegressor(degree=1, n_bins=3, random_state=0)),
    (0.2, SpectralRegressor(degree=1, max_effects=2, n_bins=3, random_state=0)),
]

NAMES = ["age", "x", "true", "False", "order", "select", 'a "b"', "it's", "a|b", "<b>", "$x$", "x=1", "x>2", " y"]
NAMES += ["ünï", "0", "rowid", "null", "prediction", "score0", "node", "a;b", "a,b", "a\nb", "x1", "X", "is missing"]
NAMES += ["-", "%s", "{}", "🙂"]
WORDS = ["a", "b", "A", "red", "green", "", " ", "a ", "007", "7", "07", "7.0", "1e3", "1000", "1000.0", "True", "true"]
WORDS += ["False", "1", "0", "-0", "nan", "None", "inf", "it's", 'say "hi"', "other", "missing", "(other)", "🙂", "ß"]
WORDS += ["a\0b", "%", "--", "1_000", "0x10", "９", "2020-01-31", "<b>", "x" * 300]
SIZES = {1: 0.01, 2: 0.02, 3: 0.03, 5: 0.14, 8: 0.15, 13: 0.15, 20: 0.15, 30: 0.15, 45: 0.1, 60: 0.1}


@dataclass(frozen=True)
class Case:
    """A table as lists of Python values, what is to be predicted, rows to predict, and who learns."""

    kinds: dict  # of the columns
    columns: dict
    target: list
    weights: list | None
    unseen: dict  # columns of the rows to predict
    estimator: object
    turn: int = 0  # which of the laws that take turns

    @property
    def n(self):
        return len(self.target)

    def learner(self):
        return clone(self.estimator)

    def without(self, name):
        """The same without a column."""
        left = [{k: v for k, v in part.items() if k != name} for part in (self.kinds, self.columns, self.unseen)]
        return replace(self, kinds=left[0], columns=left[1], unseen=left[2])

    def some_rows(self, rows):
        """The same with some of its rows."""
        columns = {name: [values[i] for i in rows] for name, values in self.columns.items()}
        weights = None if self.weights is None else [self.weights[i] for i in rows]
        return replace(self, columns=columns, target=[self.target[i] for i in rows], weights=weights)

    def __str__(self):
        lines = [f"{self.estimator}, weights {self.weights}"]
        lines += [f"  {name!r} ({self.kinds[name]}): {values}" for name, values in self.columns.items()]
        lines += [f"  target: {self.target}", f"  predicted: {self.unseen}"]
        return "\n".join(lines)


def case_of(seed: int) -> Case:
    """The case of a seed."""
    rng = np.random.default_rng(seed)
    n = int(
        rng.choice([1, 2, 3, 5, 8, 13, 20, 30, 45, 60], p=[0.01, 0.02, 0.03, 0.14, 0.15, 0.15, 0.15, 0.15, 0.1, 0.1])
    )
    names = rng.choice(NAMES, int(rng.integers(1, 6)), replace=False).tolist()
    kinds = {name: str(rng.choice(list(MAKERS), p=_odds())) for name in names}
    columns = {name: _spoiled(MAKERS[kind](rng, n), rng) for name, kind in kinds.items()}
    unseen = {
        name: _spoiled(_mixed_with(columns[name], MAKERS[kind](rng, 6), rng), rng) for name, kind in kinds.items()
    }
    target, of_classes = _target(columns, n, rng)
    chosen = _drawn(CLASSIFIERS if of_classes else REGRESSORS, rng)
    return Case(kinds, columns, target, _weights(n, rng), unseen, chosen, seed)


def _drawn(weighted, rng):
    shares = np.array([weight for weight, _ in weighted])
    return weighted[int(rng.choice(len(weighted), p=shares / shares.sum()))][1]


def _spoiled(values, rng):
    """Some of them missing, in one column of three."""
    if rng.random() < 0.67:
        return values
    return [None if rng.random() < 0.2 else value for value in values]


def _mixed_with(known, new, rng):
    """Values that were seen, and others like them."""
    return [known[int(rng.integers(len(known)))] if rng.random() < 0.6 else value for value in new]


# ---- columns ---------------------------------------------------------------------------------------------------------


def _few_words(rng, n):
    words = rng.choice(WORDS, int(rng.integers(1, 6)), replace=False).tolist()
    return [words[i] for i in rng.integers(0, len(words), n)]


def _many_words(rng, n):
    return [WORDS[i] for i in rng.integers(0, len(WORDS), n)]


def _keys(rng, n):
    return [f"u{i}" for i in rng.permutation(n)]


def _small_integers(rng, n):
    return (rng.integers(0, int(rng.integers(1, 9)), n) + int(rng.choice([0, 0, -3, 250, 10**6]))).tolist()


def _large_integers(rng, n):
    return [int(i) + 2**53 + int(rng.choice([0, 1, -(2**54)])) for i in rng.integers(0, 4, n)]


def _floats(rng, n):
    scale = float(rng.choice([1.0, 1.0, 1.0, 1e-300, 1e100, 1e-5]))
    return (rng.normal(size=n) * scale).tolist()


def _whole_floats(rng, n):
    return [float(v) for v in rng.choice([-0.0, 0.0, 1.0, 3.0, 1e16, 1e22, -5.0], n)]


def _flags(rng, n):
    return rng.choice([True, False], n).tolist()


def _dates(rng, n):
    return [dt.datetime(1969, 12, 31) + dt.timedelta(hours=int(h)) for h in rng.integers(0, 400_000, n)]


def _constant(rng, n):
    return [WORDS[int(rng.integers(len(WORDS)))]] * n


def _nothing(rng, n):
    return [None] * n


def _anything(rng, n):
    """A column of objects: what a value is must not depend on its neighbours."""
    pool = [
        "007",
        7,
        7.0,
        "7",
        True,
        "True",
        1,
        "1",
        1000,
        "1e3",
        1e3,
        2**53 + 1,
        0.5,
        "0.5",
        Decimal("0.50"),
        "a",
        False,
    ]
    some = [pool[i] for i in rng.choice(len(pool), int(rng.integers(2, 6)), replace=False)]
    return [some[i] for i in rng.integers(0, len(some), n)]


MAKERS = {
    "words": _few_words,
    "many words": _many_words,
    "categories": _few_words,
    "keys": _keys,
    "integers": _small_integers,
    "large integers": _large_integers,
    "floats": _floats,
    "whole floats": _whole_floats,
    "flags": _flags,
    "dates": _dates,
    "constant": _constant,
    "nothing": _nothing,
    "objects": _anything,
}


def _odds():
    shares = np.array([6, 2, 3, 1, 4, 2, 4, 2, 3, 1, 1, 1, 3], dtype=float)
    return shares / shares.sum()


# ---- targets and weights ---------------------------------------------------------------------------------------------


def _target(columns, n, rng):
    """Classes or numbers, which have to do with the first column in two cases of three."""
    first = next(iter(columns.values()))
    signal = np.array([len(str(v)) % 2 for v in first])
    signal = signal if rng.random() < 0.67 else rng.integers(0, 2, n)
    style = int(rng.integers(0, 6))
    if style < 2:
        return (signal + (rng.normal(size=n) * float(rng.choice([0.0, 0.3, 1e100])))).tolist(), False
    if style == 2:
        return [float(v) for v in signal * 2 + rng.integers(0, 2, n)], bool(rng.random() < 0.5)
    labels = [["no", "yes", "it's"], [0, 1, 2], [False, True, True], ["a", "A", "🙂"]][int(rng.integers(0, 4))]
    third = rng.random() < 0.3
    return [labels[int(s) + int(third and rng.random() < 0.3)] for s in signal], True


def _weights(n, rng):
    style = int(rng.integers(0, 8))
    if style == 0:
        return rng.integers(0, 3, n).tolist()
    return rng.random(n).tolist() if style == 1 else None


# ---- frames ----------------------------------------------------------------------------------------------------------


def frames_of(kinds, columns):
    """The same table in every library that can hold it."""
    made = {"pandas": pd.DataFrame({name: _pandas(kinds[name], values) for name, values in columns.items()})}
    if "objects" not in kinds.values():
        made["polars"] = pl.DataFrame([_polars(name, kinds[name], values) for name, values in columns.items()])
        made["arrow"] = pa.table({name: _arrow(kinds[name], values) for name, values in columns.items()})
    return made


def _pandas(kind, values):
    if kind == "categories":
        return pd.Categorical(values)
    if kind == "dates":
        return pd.Series(values, dtype="datetime64[us]")
    if kind in {"floats", "whole floats"}:
        return pd.Series(values, dtype=float)
    if kind in {"integers", "large integers"} and None in values:
        return pd.Series(values, dtype="Int64")
    return pd.Series(values, dtype=object)


def _polars(name, kind, values):
    types = {"categories": pl.Categorical, "dates": pl.Datetime("us"), "floats": pl.Float64, "whole floats": pl.Float64}
    types |= {"integers": pl.Int64, "large integers": pl.Int64, "flags": pl.Boolean}
    return pl.Series(name, values, dtype=types.get(kind, pl.String))


def _arrow(kind, values):
    types = {"dates": pa.timestamp("us"), "floats": pa.float64(), "whole floats": pa.float64()}
    types |= {"integers": pa.int64(), "large integers": pa.int64(), "flags": pa.bool_()}
    made = pa.array(values, types.get(kind, pa.string()))
    return made.dictionary_encode() if kind == "categories" else made
