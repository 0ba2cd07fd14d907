"""Do the watches of a report bark where they should? Leaks planted in public tables, and columns that look like groups.

Leaks: into five tables a column is planted that gives the answer away, in four ways: the class under another name, the
class with 2 % slips, a code that is filled in for one class only, and (for numbers) the target rounded. Each must be
named, and as the tables are nothing may be that cannot be defended. Groups: every table as it is, and the visits of
`make_visits` with and without the patients' names.

usage: PACLEARN_DATA=folder python -m benchmarks.watches [--rows 2000] [--tables ...]
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.suite import NUMERIC_TARGET, read, tables
from paclearn.datasets import make_visits
from paclearn.report.leaks import find_leaks
from paclearn.report.likeness import find_likeness
from paclearn.report.report_options import Limits, ReportOptions
from paclearn.report.subject import Subject
from paclearn.tables.read_once import read_once
from paclearn.tables.table import KnownColumns, as_table

NUMBERS = {"california_housing"}
PLANTED = ("german_credit", "adult", "compas", "car", "california_housing")


def subject_of(frame, y, *, classify):
    """What a report would look at."""
    table = read_once(as_table(KnownColumns(0, None), frame, reset=True))
    return Subject(table, y, "target", classify, ReportOptions(), Limits.of(len(y), frame.shape[1], 2, quick=True))


def some(name, most):
    """At most so many rows of a table, and whether its target is a class."""
    frame, y = of_numbers(name) if name in NUMBERS else read(name)
    kept = np.sort(np.random.RandomState(0).permutation(len(y))[:most])
    return frame.iloc[kept].reset_index(drop=True), y[kept], name not in NUMERIC_TARGET | NUMBERS


def of_numbers(name):
    """A table that the suite does not know."""
    frame = pd.read_parquet(Path(os.environ["PACLEARN_DATA"]) / f"{name}.parquet")
    return frame, frame.pop("target").to_numpy(dtype=float)


def leaks_of(y, *, classify):
    """Columns that give the answer away, by the way they do."""
    rng = np.random.default_rng(0)
    if not classify:
        return {"rounded": np.round(y, -3), "with noise": y + rng.normal(0, 0.02 * y.std(), len(y))}
    classes, number = np.unique(y, return_inverse=True)
    slips = np.where(rng.random(len(y)) < 0.02, rng.integers(0, len(classes), len(y)), number)
    code = np.where(number == 0, [f"c{i}" for i in rng.integers(10, 14, len(y))], None)
    renamed = np.array([f"state {i}" for i in range(len(classes))], dtype=object)
    found = {"renamed": renamed[number], "with slips": renamed[slips]}
    return found | ({"by its gaps": code.astype(object)} if len(classes) == 2 else {})


def check_leaks(names, rows):
    """Plant, and look."""
    ok = True
    for name in names:
        frame, y, classify = some(name, rows)
        y = y.astype(float) if not classify else y
        for how, column in leaks_of(y, classify=classify).items():
            found = find_leaks(subject_of(frame.assign(planted=column), y, classify=classify))
            named = [leak["column"] for leak in found]
            ok &= named[:1] == ["planted"]
            print(f"{'named' if named[:1] == ['planted'] else 'MISSED':7s} {name:24s} {how:12s} {named}")
    print("verdict: every planted leak is named first" if ok else "verdict: some planted leak is NOT named")


def check_groups(names, rows):
    """What looks like a group, table by table."""
    for name in names:
        frame, y, classify = some(name, rows)
        y = y.astype(float) if not classify else y
        start = time.process_time()
        leaks = [leak["column"] for leak in find_leaks(subject_of(frame, y, classify=classify))]
        found = find_likeness(subject_of(frame, y, classify=classify))
        told = "; ".join(one["sentence"] for one in found) or "-"
        print(f"{name:24s} {time.process_time() - start:5.1f} s  leaks: {leaks or '-'}  groups: {told}", flush=True)
    for seed in range(3):
        visits = make_visits(as_frame=True, random_state=seed)
        for label, frame in (("with names", visits.data), ("without", visits.data.drop(columns="patient"))):
            found = find_likeness(subject_of(frame, visits.target, classify=True))
            print(f"visits {seed} {label:12s} {[one['column'] for one in found]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=2000, help="at most so many rows a table for leaks")
    parser.add_argument("--tables", nargs="*", help="only these tables")
    given = parser.parse_args()
    check_leaks([name for name in PLANTED if not given.tables or name in given.tables], given.rows)
    check_groups(given.tables or tables(), 10_000)


if __name__ == "__main__":
    main()
