"""Sums of numbers beside counts and beside a matrix product, in turns in one run, on one core.

usage: python -m benchmarks.speed.sums [--quick]

Pairs and triples of bits: the scan of two classes (counts), that of a numeric target (squared error), and that of two
classes with weights; from packed rows to the hundred best. Sums of one number over all pairs of planes stand beside the
product of the same float32 matrices through BLAS, which has them, too. At the end a whole `JuntaRegressor(k=3)`.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from benchmarks.speed import ceiling
from benchmarks.speed.scans import scanner, side_by_side, table
from paclearn import JuntaRegressor
from paclearn.counting import CodeTable, NativeEngine
from paclearn.counting.fixed_point import FixedPoint
from paclearn.kernels import dispatch as native
from paclearn.search import SquaredErrorScore, ZeroOneScore
from paclearn.tables.weights import summable

SIZES = [(k, n, d) for k, d in ((2, 1000), (2, 300), (3, 300)) for n in (10_000, 100_000)]


def sum_scanner(codes, score, k, values, classes=None):
    """One scan of all k-subsets by sums; like that of counts it begins with packed rows."""
    d = len(codes)
    labels = () if classes is None else (classes, 2)
    scan = NativeEngine(CodeTable.of(codes, [2] * d, summable(values), *labels)).scan(score.fused(1.0))
    return lambda: scan.best(k, 0, d - k + 1, 100)


def measure(k, n, d):
    rng = np.random.default_rng(0)
    codes, bits = table(n, d)
    y, weights = rng.normal(size=n), rng.random(n)
    y -= y.mean()
    squares = sum_scanner(codes, SquaredErrorScore(), k, np.column_stack([np.ones(n), y, y * y]))
    votes = sum_scanner(codes, ZeroOneScore(2), k, np.column_stack([weights, weights**2]), rng.integers(0, 2, n))
    works = [scanner(bits, k), squares, votes]
    if k == 2:
        X, column = codes.T.astype(np.float32), y.astype(np.float32)[:, None]
        numbers = np.zeros((1, 64 * bits.words.shape[1]), dtype=np.int32)
        numbers[:, :n] = FixedPoint.of([y], [1e-3]).numbers
        works += [lambda: native.sum_pairs(bits.words, numbers, 1), lambda: (X * column).T @ X]
    counts, *others = side_by_side(*works, clock=time.process_time)
    line = f"| {k} | {n:,} | {d:,} | {others[0] / counts:.1f} | {others[1] / counts:.1f} "
    if k == 2:
        line += f"| {others[2] / counts:.1f} | {others[3] / others[2]:.2f} | {others[3] / others[0]:.2f} "
    print(line + "|", flush=True)


def whole_fit(n=10_000, d=300):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (n, d)), rng.normal(size=n)
    started = time.process_time()
    JuntaRegressor(k=3).fit(X, y)
    print(f"JuntaRegressor(k=3).fit on {n:,} x {d}: {time.process_time() - started:.2f} s of one core")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--quick", action="store_true", help="10,000 rows only")
    quick = arguments.parse_args().quick
    print(f"{ceiling.cpu()}, instruction set {native.instruction_set()}; times the time of counts, and of BLAS")
    print("\n| k | n | d | squared error | weighted votes | sums of pairs | BLAS, of that | BLAS, of squared error |")
    print("|---|---|---|---|---|---|---|---|")
    for k, n, d in SIZES:
        if n < 50_000 or not quick:
            measure(k, n, d)
    print()
    whole_fit()


if __name__ == "__main__":
    main()
