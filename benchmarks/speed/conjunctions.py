"""How fast every conjunction of three conditions is looked at: beside our own scan of triples, and beside pysubgroup.

usage: python -m benchmarks.speed.conjunctions [--peer PYTHON] [--columns D] [--algorithms DFS Apriori ...]

The table has D binary columns, each asked both ways (``= 0`` and ``= 1``), and two classes; the hundred best
conjunctions of three by weighted relative accuracy are wanted. PYTHON is an interpreter that has pysubgroup, which
may want an older numpy than we do; its algorithms are timed on the same table in the same run, first on a tenth of the
columns, and then the fastest on all of them. Both must find the same best quality. Times are those of one processor, so
that a busy machine changes little.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from math import comb
from pathlib import Path

import numpy as np

from benchmarks.speed.scans import scanner, side_by_side
from paclearn.counting import BitTable
from paclearn.kernels import dispatch
from paclearn.search.conjunctions import best_conjunctions

PEER = """
import sys, time
import numpy as np, pandas as pd, pysubgroup as ps
path, algorithm, n_columns = sys.argv[1], sys.argv[2], int(sys.argv[3])
table = np.load(path)
frame = pd.DataFrame(table["X"][:, :n_columns], columns=[f"x{i}" for i in range(n_columns)])
frame["y"] = table["y"]
target = ps.BinaryTarget("y", 1)
task = ps.SubgroupDiscoveryTask(
    frame, target, ps.create_selectors(frame, ignore=["y"]), result_set_size=100, depth=3, qf=ps.WRAccQF()
)
made = ps.DFS(ps.BitSetRepresentation) if algorithm == "DFS" else getattr(ps, algorithm)()
started = time.process_time()
result = made.execute(task)
print(time.process_time() - started, max(quality for quality, *_ in result.results))
"""


def table(n, d, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, (n, d)).astype(np.uint8), rng.integers(0, 2, n)


def both_ways(X):
    """Answers to ``= 1`` and ``= 0`` of every column, and the groups."""
    yes = X.astype(bool)
    return np.concatenate([yes, ~yes], axis=1), np.tile(np.arange(X.shape[1]), 2)


def report_ours(X, y):
    """Every quality beside one fused scan of all triples of the same columns, with the table packed for both; and from
    answers to the best hundred, beside packing and scanning.
    """
    n, d = X.shape
    answers, groups = both_ways(X)
    packed = BitTable.pack(X.T, [2] * d, y, 2)
    numbers = np.arange(2 * d, dtype=np.int32).reshape(d, 2)
    parts = (
        packed.words,
        packed.class_starts,
        packed.class_rows,
        np.arange(d),
        numbers,
        np.ones(2),
        np.array([0.0, 1.0]),
    )

    def scan(kind):
        made = dispatch.ConjunctionScan(*parts, kind, n / 4, False, False, 100.0, 1)
        return made.best(3, 0, d, 100)

    def pack_and_scan():
        return scanner(BitTable.pack(X.T, [2] * d, y, 2), 3)()

    kinds = ("accuracy", "precision", "likelihood_ratio", "chi_square", "shift")
    works = [scanner(packed, 3), *(lambda kind=kind: scan(kind) for kind in kinds)]
    works += [pack_and_scan, lambda: best_conjunctions(answers, groups, y, k=3, min_rows=100)]
    base, *seconds, packing, whole = side_by_side(*works, seconds=6, least=20, clock=time.process_time)
    print(f"{n:,} x {d}: {8 * comb(d, 3):,} conjunctions of three; a fused scan of triples takes {1e3 * base:.1f} ms")
    for kind, took in zip(kinds, seconds, strict=True):
        print(f"  {kind}: {1e3 * took:.1f} ms, {took / base:.2f} times the fused scan", flush=True)
    print(f"  from answers to the best: {1e3 * whole:.1f} ms, {whole / packing:.2f} times packing and a fused scan")
    return whole


def peer_seconds(python, path, algorithm, n_columns):
    """Seconds and best quality of a peer, or None where it fails."""
    command = [python, "-W", "ignore", "-c", PEER, str(path), algorithm, str(n_columns)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"  pysubgroup {algorithm}: failed: {done.stderr.strip().splitlines()[-1:]}")
        return None
    seconds, best = map(float, done.stdout.split()[-2:])
    print(f"  pysubgroup {algorithm} on {n_columns} columns: {seconds:.2f} s", flush=True)
    return seconds, best


def report_peer(X, y, python, algorithms, ours):
    few = max(X.shape[1] // 10, 3)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.npz"
        np.savez(path, X=X, y=y)
        tried = {name: peer_seconds(python, path, name, few) for name in algorithms}
        fastest = min((name for name in tried if tried[name]), key=lambda name: tried[name][0])
        seconds, best = peer_seconds(python, path, fastest, X.shape[1])
    answers, groups = both_ways(X)
    found = max(best_conjunctions(answers, groups, y, k=k, n_best=1).quality[0] for k in (1, 2, 3))
    assert abs(found - best) < 1e-9, (found, best)
    print(f"the fastest of them, {fastest}, takes {seconds / ours:,.0f} times as long as we do, to the same result")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", help="a Python with pysubgroup")
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--algorithms", nargs="+", default=["DFS", "SimpleDFS", "Apriori", "GpGrowth"])
    options = parser.parse_args()
    X, y = table(10_000, options.columns)
    ours = report_ours(X, y)
    if options.peer:
        report_peer(X, y, options.peer, options.algorithms, ours)


if __name__ == "__main__":
    main()
