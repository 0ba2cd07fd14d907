"""How fast a selection and a discovery are, from table to result.

usage: python -m benchmarks.speed.selection

The published code of the selection paper needs about 15 ns for every subset and row; ratios are to that.
"""

from __future__ import annotations

import time
from math import comb

import numpy as np
import pandas as pd

from benchmarks.speed.foundation import best_of
from paclearn import FourierSelector, discover

PUBLISHED = 15e-9  # seconds a subset and a row


def several_levels(n=9_800, d=85):
    """Columns of four to ten levels, every second one a noisy copy of its neighbour; two of them decide."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(4, 11, d)
    codes = np.column_stack([rng.integers(0, size, n) for size in sizes])
    for j in range(1, d, 2):
        codes[:, j] = np.where(rng.random(n) < 0.7, codes[:, j - 1] % sizes[j], codes[:, j])
    return codes, rng.random(n) < 0.3 + 0.4 * ((codes[:, 3] == 0) & (codes[:, 8] > 1))


def defaults():
    """Processor time of the selector as it comes, ten columns by pairs, of numbers and of words."""
    codes, y = several_levels()
    for what, X in (("numbers", codes), ("words", pd.DataFrame(codes).astype(str))):
        started = time.process_time()
        FourierSelector(10).fit(X, y)
        print(f"FourierSelector(10) on {len(y):,} x {codes.shape[1]} {what}: {time.process_time() - started:.1f} s")


def main(n=10_000, d=300):
    defaults()
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (n, d)).astype(np.uint8), rng.integers(0, 2, n)
    for depth in (2, 3):
        seconds = best_of(5, lambda depth=depth: FourierSelector(10, depth, redundancy=False).fit(X, y))
        ratio = PUBLISHED * comb(d, depth) * n / seconds
        what = f"FourierSelector({depth=}) on {n:,} x {d}"
        print(f"{what}: {1e3 * seconds:.0f} ms, {ratio:,.0f} times the published code")
    for order, columns in ((2, 300), (3, 60)):
        seconds = best_of(1, lambda order=order, columns=columns: discover(X[:, :columns], y, order))
        tests = sum(comb(columns, k) for k in range(1, order + 1))
        print(f"discover(order={order}) on {n:,} x {columns}: {seconds:.1f} s, {tests / seconds:,.0f} tests a second")


if __name__ == "__main__":
    main()
