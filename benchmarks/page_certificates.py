"""What the page promises beside what is seen: the certificate of its final exam and the error in cross-validation.

Public tables of classes, so many rows of each drawn at random (stratified, seed 0), the quick page. A fifth of the rows
is the exam, so that the bound cannot be nearer to the error than chance lets it: for an error of e on n rows of the
exam about 1.7 sqrt(e (1 - e) / n) above it, which is printed beside.

usage: PACLEARN_DATA=folder python -m benchmarks.page_certificates [--rows 1000 5000] [--tables ...] [--results FILE]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from benchmarks.suite import read
from paclearn import Report

TABLES = [
    "adult",
    "car",
    "compas",
    "connect_4",
    "covertype_15k",
    "german_credit",
    "kr_vs_kp",
    "mushroom",
    "nursery",
    "poker_hand",
    "splice",
    "tic_tac_toe",
]
ALLOWED = {1000: 3.0, 5000: 1.5}  # points above the error that is seen


def judged(name, rows):
    """Error in cross-validation, in the exam, and what is promised, in per cent."""
    frame, y = read(name, rows)
    facts = Report(frame.assign(target=y), "target", quick=True, n_jobs=1).facts
    seen, promise = 1 - facts["comparison"][0]["value"], facts["certificate"]
    n, error = facts["exam"]["rows"], promise["observed"]
    return {
        "table": name,
        "rows": rows,
        "seen": 100 * seen,
        "exam": 100 * error,
        "promised": 100 * promise["bound"],
        "chance": 170 * float(np.sqrt(seen * (1 - seen) / max(n, 1))),
        "of": promise["of"],
        "kind": promise["kind"],
    }


def summary(runs):
    """A line a table and size."""
    print("| table | rows | error seen | in the exam | promised | above | chance alone | by |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for run in runs:
        above = run["promised"] - run["seen"]
        print(
            f"| {run['table']} | {run['rows']:,} | {run['seen']:.1f} | {run['exam']:.1f} | {run['promised']:.1f} | "
            f"{above:.1f} | {run['chance']:.1f} | {run['kind']} of the {run['of']} |"
        )
    for rows, most in ALLOWED.items():
        some = [run for run in runs if run["rows"] == rows]
        good = [run["table"] for run in some if run["promised"] - run["seen"] <= most]
        print(f"{rows:,} rows: {len(good)} of {len(some)} within {most} points: {', '.join(good)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="*", default=list(ALLOWED))
    parser.add_argument("--tables", nargs="*", default=TABLES)
    parser.add_argument("--results", type=Path, default=Path("page_certificates.jsonl"))
    asked = parser.parse_args()
    known = [json.loads(line) for line in asked.results.read_text().splitlines()] if asked.results.exists() else []
    done = {(run["table"], run["rows"]) for run in known}
    with asked.results.open("a") as out:
        for rows in asked.rows:
            for name in asked.tables:
                if (name, rows) in done or len(read(name, 10**9)[1]) < rows:
                    continue
                known.append(judged(name, rows))
                print(json.dumps(known[-1]), file=out, flush=True)
    summary(known)


if __name__ == "__main__":
    main()
