"""Rules at the same number of conditions: accuracy on tables of two classes, beside RIPPER, skope-rules and FIGS.

Three folds (stratified, seed 0), at most 4 000 rows a table, at most 10 and 20 conditions in all: literals of
`RuleClassifier` (an interval has two, a list one a level), conditions of RIPPER's rules (``max_total_conds``), those of
the best of skope's rules that fit in, splits of FIGS's trees. Peers describe the rarer class. Results are kept line by
line in a file, so a run that was stopped goes on where it was. Peers that are not installed are left out.

usage: PACLEARN_DATA=folder python -m benchmarks.rules_at_length [--results FILE] [--contenders ...] [--tables ...]
       [--lengths 10 20] [--summary]
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import StratifiedKFold, train_test_split

from benchmarks.suite import one_hot, prepared

TABLES = (  # small ones first
    "monks_1", "monks_3", "hepatitis", "spect", "breast_cancer_ljubljana", "house_votes_84", "monks_2", "tic_tac_toe",
    "australian_credit", "german_credit", "promoters", "compas", "kr_vs_kp", "mushroom", "musk_v1", "adult",
)  # fmt: skip
LENGTHS = (10, 20)
MOST_ROWS = 4000


def read(name):
    """Frame and target, at most 4 000 rows."""
    frame = pd.read_parquet(Path(os.environ["PACLEARN_DATA"]) / f"{name}.parquet")
    y = frame.pop("target").astype(str).to_numpy(dtype=object)
    if len(y) > MOST_ROWS:
        kept, _ = train_test_split(np.arange(len(y)), train_size=MOST_ROWS, random_state=0, stratify=y)
        frame, y = frame.iloc[np.sort(kept)], y[np.sort(kept)]
    return frame.reset_index(drop=True), y


class Ours(ClassifierMixin, BaseEstimator):
    """`RuleClassifier`, with as much time as it wants: the machine may be busy."""

    def __init__(self, length):
        self.length = length

    def fit(self, X, y):
        from paclearn import RuleClassifier

        self.model_ = RuleClassifier(max_literals=self.length, effort=60, random_state=0).fit(X, y)
        self.n_conditions_ = self.model_.model_.n_conditions
        return self

    def predict(self, X):
        return self.model_.predict(X)


class Peer(ClassifierMixin, BaseEstimator):
    """A peer that tells one class, the rarer one, from the other: 1 from 0."""

    def __init__(self, length):
        self.length = length

    def fit(self, X, y):
        labels, counts = np.unique(y, return_counts=True)
        self.no_, self.yes_ = labels[np.argsort(-counts, kind="stable")]
        self.learn(X, (y == self.yes_).astype(int))
        return self

    def predict(self, X):
        return np.where(self.says(X).astype(int) == 1, self.yes_, self.no_)


class Ripper(Peer):
    """RIPPER (Cohen 1995) by wittgenstein, on the table as it is."""

    def learn(self, X, y):
        import wittgenstein

        self.rules_ = wittgenstein.RIPPER(max_total_conds=self.length, random_state=0)
        self.rules_.fit(pd.DataFrame(X).assign(target=y), class_feat="target", pos_class=1)
        self.n_conditions_ = sum(len(rule.conds) for rule in self.rules_.ruleset_.rules)

    def says(self, X):
        return np.asarray(self.rules_.predict(pd.DataFrame(X)))


class OnBits(Peer):
    """A peer that wants numbers: levels as 0 and 1."""

    def learn(self, X, y):
        self.encoder_ = one_hot(scale=False).set_params(sparse_threshold=0).fit(X)
        self.learn_numbers(self.numbers(X), y)

    def numbers(self, X):
        found = np.asarray(self.encoder_.transform(X), dtype=float)
        return pd.DataFrame(found, columns=[f"f{i}" for i in range(found.shape[1])])


class Skope(OnBits):
    """skope-rules as imodels has it, its best rules as far as they fit in."""

    def learn_numbers(self, X, y):
        from imodels import SkopeRulesClassifier

        found = SkopeRulesClassifier(max_depth=3, n_estimators=30, precision_min=0.5, recall_min=0.01, random_state=0)
        found.fit(X.to_numpy(), y, feature_names=list(X.columns))
        self.kept_, self.n_conditions_ = [], 0
        for rule in map(str, found.rules_):
            n = rule.count(" and ") + 1
            if self.n_conditions_ + n <= self.length:
                self.kept_.append(rule)
                self.n_conditions_ += n

    def says(self, X):
        frame = self.numbers(X)
        said = np.zeros(len(frame), dtype=int)
        for rule in self.kept_:
            said[frame.query(rule).index] = 1
        return said


class Figs(OnBits):
    """FIGS (Tan and others 2022) by imodels."""

    def learn_numbers(self, X, y):
        from imodels import FIGSClassifier

        self.model_ = FIGSClassifier(max_rules=self.length, random_state=0).fit(X.to_numpy(), y)
        self.n_conditions_ = int(self.model_.complexity_)

    def says(self, X):
        return np.asarray(self.model_.predict(self.numbers(X).to_numpy()))


CONTENDERS = {"rules": Ours, "ripper": Ripper, "skope": Skope, "figs": Figs}


def run(contender, length, frame, y, train, test):
    """One fold."""
    table = frame if contender == "rules" else prepared("other", frame)
    started = time.process_time()
    learner = CONTENDERS[contender](length).fit(table.iloc[train], y[train])
    seconds = time.process_time() - started
    score = float(np.mean(np.asarray(learner.predict(table.iloc[test])).astype(str) == y[test]))
    return {"score": score, "seconds": seconds, "conditions": int(learner.n_conditions_)}


def attempt(*arguments):
    """A run; None where the peer is not installed; a line that says so where it breaks."""
    try:
        return run(*arguments)
    except ImportError as error:
        print(f"{arguments[0]} is left out: {error}", flush=True)
    except Exception as error:  # noqa: BLE001 - a peer may fail on a table in any way
        return {"score": None, "seconds": None, "conditions": None, "failed": f"{type(error).__name__}: {error}"[:200]}
    return None


def done(path):
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return {(r["table"], r["contender"], r["length"], r["fold"]): r for r in lines}


def run_all(path, names, contenders, lengths):
    results = done(path)
    for name in names:
        frame, y = read(name)
        folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(frame, y))
        jobs = [(c, length, fold) for c in contenders for length in lengths for fold in range(3)]
        for contender, length, fold in jobs:
            key = {"table": name, "contender": contender, "length": length, "fold": fold}
            line = None if tuple(key.values()) in results else attempt(contender, length, frame, y, *folds[fold])
            if line is not None:
                with path.open("a") as file:
                    file.write(json.dumps(key | line) + "\n")
        print(f"{name} done", flush=True)


def summarise(results):
    frame = pd.DataFrame(results.values())
    for length, part in frame.groupby("length"):
        scores = 100 * part.pivot_table(index="table", columns="contender", values="score", aggfunc="mean")
        whole = scores.dropna(axis=0)
        print(f"\n=== at most {length} conditions: accuracy\n{scores.round(1).to_string()}")
        print(f"mean over {len(whole)} tables that all have:", whole.mean().round(2).to_dict())
        print("mean rank:", whole.round(6).rank(axis=1, ascending=False).mean().sort_values().round(2).to_dict())
        for what in ("conditions", "seconds"):
            print(f"{what}, mean:", part.groupby("contender")[what].mean().round(2).to_dict())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=Path("rules_at_length.jsonl"))
    parser.add_argument("--contenders", nargs="+", default=list(CONTENDERS), choices=CONTENDERS)
    parser.add_argument("--tables", nargs="+", default=TABLES)
    parser.add_argument("--lengths", nargs="+", type=int, default=list(LENGTHS))
    parser.add_argument("--summary", action="store_true", help="only show what is there")
    given = parser.parse_args()
    if not given.summary:
        warnings.simplefilter("ignore")  # peers' own warnings
        run_all(given.results, given.tables, given.contenders, given.lengths)
    summarise(done(given.results))


if __name__ == "__main__":
    main()
