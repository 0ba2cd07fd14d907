"""How fast a selection and a discovery are, from table to result.

usage: python -m benchmarks.speed.selection

The published code of the selection paper needs about 15 ns for every subset and row; ratios are to that.
"""

from __future__ import annotations

from math import comb

import numpy as np

from benchmarks.speed.foundation import best_of
from paclearn import FourierSelector, discover

PUBLISHED = 15e-9  # seconds a subset and a row


def main(n=10_000, d=300):
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
