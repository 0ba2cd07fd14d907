"""Models short enough to read, at the same length: accuracy, and what a person must read.

Three folds (stratified, seed 0), at most 4 000 rows a table, at 5, 10 and 30 terms, leaves, rules or weights. Results
are kept line by line in a file, so a run that was stopped goes on where it was; a contender or table can be run again
by deleting its lines. Small tables come first. Peers that are not installed are left out, and the summary says so.

A contender is one row of `CONTENDERS`: how to make a classifier of a length, and a row of `READ`: what of it a person
must read, as conditions ("age > 41" is one, "age > 41 and town = Ulm" are two), weights (numbers to add up) and cells
(leaves, bars or steps to look up). Peers for two classes have one model a class where there are more, each of the full
length. A fit that takes longer than a limit is stopped, and has no answer: ranks are shown over the tables that all
have answered, and over all tables with the last place for none.

usage: PACLEARN_DATA=folder python -m benchmarks.readable [--results FILE] [--contenders ...] [--tables ...]
       [--lengths 5 10 30] [--repeats 5] [--jobs 16] [--limit SECONDS] [--summary]
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import product
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from benchmarks.few_effects import corrected_error
from benchmarks.suite import in_time, one_hot, prepared

TABLES = [  # small ones first
    "promoters",
    "lymphography",
    "hepatitis",
    "spect",
    "breast_cancer_ljubljana",
    "primary_tumor",
    "house_votes_84",
    "monks_1",
    "monks_3",
    "monks_2",
    "balance_scale",
    "soybean",
    "australian_credit",
    "tic_tac_toe",
    "german_credit",
    "musk_v1",
    "car",
    "adult",
    "compas",
    "mushroom",
    "nursery",
    "kr_vs_kp",
    "splice",
    "covertype_15k",
    "connect_4",
]
LENGTHS = (5, 10, 30)
MOST_ROWS = 4000
FOLDS = 3


def read(name):
    """Frame and target, at most 4 000 rows."""
    frame = pd.read_parquet(Path(os.environ["PACLEARN_DATA"]) / f"{name}.parquet")
    y = frame.pop("target").astype(str).to_numpy(dtype=object)
    if len(y) > MOST_ROWS:
        kept, _ = train_test_split(np.arange(len(y)), train_size=MOST_ROWS, random_state=0, stratify=y)
        frame, y = frame.iloc[np.sort(kept)], y[np.sort(kept)]
    return frame.reset_index(drop=True), y


# ---- contenders ------------------------------------------------------------------------------------------------------


def points(length):
    from paclearn import SpectralClassifier

    return SpectralClassifier(max_terms=length, random_state=0)


def xor(length):
    from paclearn import SpectralClassifier

    return SpectralClassifier(max_terms=length, terms="xor", random_state=0)


def rules(length):
    from paclearn import RuleClassifier

    return RuleClassifier(max_literals=length, random_state=0)


def effects(length):
    from paclearn import SpectralClassifier

    return SpectralClassifier(max_effects=length, random_state=0)


class TenBest(ClassifierMixin, BaseEstimator):
    """EBM, fitted again to the columns that it finds most important."""

    def __init__(self, length):
        self.length = length

    def fit(self, X, y):
        from interpret.glassbox import ExplainableBoostingClassifier

        first = ExplainableBoostingClassifier(random_state=0, n_jobs=1).fit(X, y)
        ranked = zip(first.term_importances(), first.term_features_, strict=True)
        best = sorted(((size, term[0]) for size, term in ranked if len(term) == 1), reverse=True)[: self.length]
        self.used_ = [X.columns[place] for _, place in best]
        self.model_ = ExplainableBoostingClassifier(random_state=0, n_jobs=1).fit(X[self.used_], y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X[self.used_])


class AtMost(ClassifierMixin, BaseEstimator):
    """Logistic regression with the weakest lasso that leaves so many weights, then refitted to these."""

    def __init__(self, length):
        self.length = length

    def fit(self, X, y):
        self.classes_, _ = np.unique(y, return_inverse=True)
        low, high = 1e-4, 1e3
        self.used_ = np.empty(0, dtype=int)
        for _ in range(14):
            middle = np.sqrt(low * high)
            lasso = LogisticRegression(l1_ratio=1.0, C=middle, solver="saga", max_iter=300, tol=1e-3).fit(X, y)
            used = np.flatnonzero((np.abs(lasso.coef_) > 1e-6).any(axis=0))
            if len(used) <= self.length:
                low, self.used_ = middle, used
            else:
                high = middle
        kept = self.used_ if len(self.used_) else np.array([0])
        self.model_ = LogisticRegression(C=10.0, max_iter=1000).fit(X[:, kept], y)
        return self

    def predict(self, X):
        return self.model_.predict(X[:, self.used_ if len(self.used_) else np.array([0])])


def lasso(length):
    return make_pipeline(one_hot().set_params(sparse_threshold=0), AtMost(length))


def tree(length):
    encoder = one_hot(scale=False).set_params(sparse_threshold=0)
    return make_pipeline(encoder, DecisionTreeClassifier(max_leaf_nodes=length, random_state=0))


def figs(length):
    from imodels import FIGSClassifier

    encoder = one_hot(scale=False).set_params(sparse_threshold=0)
    return make_pipeline(encoder, OneVsRestClassifier(Numbered(FIGSClassifier(max_rules=length))))


class Numbered(ClassifierMixin, BaseEstimator):
    """A peer that takes arrays of numbers and two classes, 0 and 1."""

    def __init__(self, inner):
        self.inner = inner

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        self.inner_ = clone(self.inner).fit(np.asarray(X, dtype=float), np.asarray(y, dtype=int))
        return self

    def predict_proba(self, X):
        """Sums are shares already: the default, a logistic curve on top, would call everything likely."""
        return np.asarray(self.inner_.predict_proba(np.asarray(X, dtype=float), use_clipped_prediction=True))


class Risk(ClassifierMixin, BaseEstimator):
    """FasterRisk (Liu and others, 2022) on levels and nine quantiles, as its authors prepare tables."""

    def __init__(self, length):
        self.length = length

    def fit(self, X, y):
        from fasterrisk.fasterrisk import RiskScoreClassifier, RiskScoreOptimizer

        self.classes_ = np.array([0, 1])
        signs = np.where(np.asarray(y, dtype=int) > 0, 1, -1)
        length = min(self.length, X.shape[1])
        search = RiskScoreOptimizer(X=np.asarray(X, dtype=float), y=signs, k=length)
        search.optimize()
        multipliers, intercepts, weights = search.get_models(model_index=0)
        self.weights_ = weights
        self.model_ = RiskScoreClassifier(multipliers, intercepts, weights)
        return self

    def predict_proba(self, X):
        up = np.asarray(self.model_.predict_prob(np.asarray(X, dtype=float)))
        return np.column_stack([1 - up, up])


class Quantiles(BaseEstimator):
    """Numbers as thresholds at nine quantiles and levels as they are, 0 and 1."""

    def fit(self, X, y=None):  # noqa: ARG002
        self.cuts_, self.levels_ = {}, {}
        for name in X.columns:
            if pd.api.types.is_numeric_dtype(X[name].dtype):
                self.cuts_[name] = np.unique(np.nanquantile(X[name].astype(float), np.linspace(0.1, 0.9, 9)))
            else:
                self.levels_[name] = sorted(X[name].astype(str).unique())
        return self

    def transform(self, X):
        parts = [X[name].astype(float).to_numpy()[:, None] <= cuts for name, cuts in self.cuts_.items()]
        parts += [X[name].astype(str).to_numpy()[:, None] == np.array(x) for name, x in self.levels_.items()]
        return np.concatenate(parts, axis=1).astype(float)


def faster_risk(length):
    import fasterrisk  # noqa: F401

    return make_pipeline(Quantiles(), OneVsRestClassifier(Risk(length)))


class Ripper(ClassifierMixin, BaseEstimator):
    """RIPPER (Cohen, 1995) by wittgenstein: a set of rules for the rarer class, at most so many."""

    def __init__(self, length):
        self.length = length

    def fit(self, X, y):
        import wittgenstein

        self.classes_ = np.array([0, 1])
        frame = pd.DataFrame(X)
        self.rules_ = wittgenstein.RIPPER(max_rules=self.length, random_state=0)
        self.rules_.fit(frame.assign(target=np.asarray(y, dtype=int)), class_feat="target", pos_class=1)
        return self

    def predict_proba(self, X):
        found = np.asarray(self.rules_.predict_proba(pd.DataFrame(X)), dtype=float)
        return found if found.shape[1] == 2 else np.column_stack([1 - found[:, 0], found[:, 0]])


class AsFrame(BaseEstimator):
    """A table as it is."""

    def fit(self, X, y=None):  # noqa: ARG002
        return self

    def transform(self, X):
        return X.reset_index(drop=True)


def ripper(length):
    import wittgenstein  # noqa: F401

    return make_pipeline(AsFrame(), OneVsRestClassifier(Ripper(length)))


CONTENDERS = {
    "points": points,
    "xor": xor,
    "rules": rules,
    "effects": effects,
    "ebm": TenBest,
    "lasso": lasso,
    "tree": tree,
    "figs": figs,
    "fasterrisk": faster_risk,
    "ripper": ripper,
}
PEERS = ("points", "fasterrisk", "figs", "ripper", "lasso", "tree")
OURS = ("points", "xor", "rules", "effects", "ebm")  # those that take tables as they are


# ---- what a person must read -----------------------------------------------------------------------------------------


def read_terms(model):
    """Conditions of all terms, and a weight a term and score."""
    found = model.model_
    return {"conditions": sum(map(len, found.terms)), "weights": int(found.weights.size), "cells": 0}


def read_rules(model):
    return {"conditions": model.model_.n_conditions, "weights": 0, "cells": len(model.model_.rules)}


def read_effects(model):
    """One condition a column of an effect, and what every cell adds to every score."""
    frame = model.effects_
    return {"conditions": sum(map(len, frame["columns"])), "weights": 0, "cells": int(frame["cells"].sum())}


def read_ebm(model):
    cells = sum(int(np.size(scores)) for scores in model.model_.term_scores_)
    return {"conditions": sum(map(len, model.model_.term_features_)), "weights": 0, "cells": cells}


def read_lasso(model):
    last = model[-1]
    return {"conditions": len(last.used_), "weights": int(np.atleast_2d(last.model_.coef_).size), "cells": 0}


def read_tree(model):
    inner = model[-1].tree_
    return {"conditions": int((inner.children_left >= 0).sum()), "weights": 0, "cells": int(model[-1].get_n_leaves())}


def read_figs(model):
    """Splits of all trees; every tree has one leaf more than splits, and the leaves it leads to add up."""
    found = [e.inner_ for e in model[-1].estimators_ if hasattr(e, "inner_")]
    splits = sum(int(one.complexity_) for one in found)
    return {"conditions": splits, "weights": splits + sum(len(one.trees_) for one in found), "cells": 0}


def read_risk(model):
    weights = [e.weights_ for e in model[-1].estimators_ if hasattr(e, "weights_")]
    n = int(sum((np.abs(w) > 1e-9).sum() for w in weights))
    return {"conditions": n, "weights": n, "cells": 0}


def read_ripper(model):
    rules = [rule for e in model[-1].estimators_ if hasattr(e, "rules_") for rule in e.rules_.ruleset_.rules]
    return {"conditions": sum(len(rule.conds) for rule in rules), "weights": 0, "cells": len(rules)}


READ = {
    "points": read_terms,
    "xor": read_terms,
    "rules": read_rules,
    "effects": read_effects,
    "ebm": read_ebm,
    "lasso": read_lasso,
    "tree": read_tree,
    "figs": read_figs,
    "fasterrisk": read_risk,
    "ripper": read_ripper,
}


# ---- runs ------------------------------------------------------------------------------------------------------------


def run(contender, length, frame, y, train, test):
    learner = CONTENDERS[contender](length)
    table = frame if contender in OURS else prepared("other", frame)
    started = time.process_time()
    learner.fit(table.iloc[train], y[train])
    seconds = time.process_time() - started
    said = np.ravel(learner.predict(table.iloc[test]))
    score = float(np.mean(said.astype(str) == y[test].astype(str)))
    return {"score": score, "seconds": seconds, **READ[contender](learner)}


def done(path):
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return {(r["table"], r["contender"], r["length"], r["fold"]): r for r in lines}


def run_all(path, wanted, seed, limit, jobs):
    """Runs that are missing, so many at a time."""
    results = done(path)
    with ProcessPoolExecutor(jobs, get_context("fork")) as pool:
        runs = [pool.submit(one_run, *key, seed, limit) for key in wanted if key not in results]
        for future in as_completed(runs):
            line = future.result()
            if "score" in line:
                with path.open("a") as file:
                    file.write(json.dumps(line) + "\n")
            print(*list(line.values())[:5], flush=True)


def one_run(name, contender, length, fold, seed, limit):
    """A line of results; without a score where the peer is not installed."""
    frame, y = read(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes with fewer rows than folds; peers' own warnings
        again, fold_of_it = divmod(fold, FOLDS)
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed + again)
        train, test = list(folds.split(frame, y))[fold_of_it]
        line = attempt(limit, contender, length, frame, y, train, test)
    return {"table": name, "contender": contender, "length": length, "fold": fold} | (line or {})


def attempt(limit, *arguments):
    """A run; None where the peer is not installed; a line that says so where it breaks or takes too long."""
    try:
        return in_time(limit, run, *arguments)
    except ImportError as error:
        print(f"{arguments[0]} is left out: {error}", flush=True)
    except TimeoutError:
        return {"score": None, "seconds": float(limit), "failed": "took too long"}
    except Exception as error:  # noqa: BLE001 - a peer may fail on a table in any way
        return {"score": None, "failed": f"{type(error).__name__}: {str(error)[:200]}"}
    return None


# ---- summary ---------------------------------------------------------------------------------------------------------


def summarise(results):
    frame = pd.DataFrame(results.values())
    for length, part in frame.groupby("length"):
        scores = 100 * part.pivot_table(index="table", columns="contender", values="score", aggfunc=on_all_folds)
        print(f"\n=== {length}: accuracy\n", scores.round(1).to_string())
        ranks("all", scores)
        ranks("points and peers", scores[[name for name in PEERS if name in scores.columns]])
        folds = 100 * part.pivot_table(index=["table", "fold"], columns="contender", values="score")
        versus(scores, folds, "points", "xor")
        versus(scores, folds, "effects", "ebm")
        for what in ("conditions", "weights", "cells"):
            read_ = part.pivot_table(index="table", columns="contender", values=what, aggfunc="mean").median()
            print(f"{what}, median:", read_.round(1).to_dict())
        print("seconds, mean:", part.groupby("contender")["seconds"].mean().round(2).to_dict())
        if "failed" in part.columns:
            print("no answer:", part.groupby(["contender", "table"])["failed"].first().dropna().to_dict())


def on_all_folds(scores):
    """Their mean; nothing where a fold has no answer."""
    return scores.mean(skipna=False)


def ranks(title, scores):
    """Means and mean ranks over the tables that all have, and ranks over all tables, where no answer is the last."""
    whole = scores.dropna(axis=0)
    every = scores.fillna(-1.0).round(6).rank(axis=1, ascending=False).mean()
    print(f"{title}: mean over {len(whole)} tables that all have:", whole.mean().round(2).to_dict())
    print("  mean rank:", whole.round(6).rank(axis=1, ascending=False).mean().sort_values().round(2).to_dict())
    print(f"  mean rank over all {len(scores)}:", every.sort_values().round(2).to_dict())


def versus(scores, folds, ours, other):
    """Means over tables, and where ours is behind: by how much, and the standard error over the folds."""
    if not {ours, other} <= set(scores.columns):
        return
    gap = (scores[ours] - scores[other]).dropna()
    error = (folds[ours] - folds[other]).groupby("table").agg(lambda x: corrected_error(x.to_numpy(), 1 / FOLDS))
    better = int((gap > 0).sum())
    behind = [f"{name} {gap[name]:.1f} ({error[name]:.1f})" for name in gap.index[gap < -0.5]]
    print(f"{ours} against {other}: mean {gap.mean():+.2f} over {len(gap)}, {better} better; >0.5 behind: {behind}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=Path("readable.jsonl"))
    parser.add_argument("--contenders", nargs="+", default=list(CONTENDERS), choices=CONTENDERS)
    parser.add_argument("--tables", nargs="+", default=TABLES)
    parser.add_argument("--lengths", nargs="+", type=int, default=list(LENGTHS))
    parser.add_argument("--seed", type=int, default=0, help="of the folds")
    parser.add_argument("--repeats", type=int, default=1, help="times that rows are shared out to the folds")
    parser.add_argument("--jobs", type=int, default=1, help="fits at a time, each with one thread")
    parser.add_argument("--limit", type=int, default=1800, help="seconds a fit may take")
    parser.add_argument("--summary", action="store_true", help="only show what is there")
    given = parser.parse_args()
    if not given.summary:
        folds = range(FOLDS * given.repeats)
        wanted = list(product(given.tables, given.contenders, given.lengths, folds))
        run_all(given.results, wanted, given.seed, given.limit, given.jobs)
    summarise(done(given.results))


if __name__ == "__main__":
    main()
