"""Everything of the core that runs on threads, or may be shared by them: for `make sanitize-threads`."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from paclearn.counting import BitTable, CodeTable, NativeEngine
from paclearn.kernels import dispatch
from paclearn.search import ZeroOneScore

THREADS, ROWS = 4, 2000


def main():
    """Two threads in each of four."""
    rng = np.random.default_rng(0)
    codes, y = rng.integers(0, 2, (24, ROWS)).astype(np.uint8), rng.integers(0, 2, ROWS)
    table = BitTable.pack(codes, [2] * 24, y, 2)
    engine, sums = NativeEngine(table, 2), NativeEngine(CodeTable.of(list(codes), [2] * 24, rng.random((ROWS, 2))), 2)
    subsets = np.array([[i, j] for i in range(24) for j in range(i)])
    scan = engine.scan(ZeroOneScore(2).fused(float(ROWS)))
    numbers, parts = np.arange(48, dtype=np.int32).reshape(24, 2), (table.words, table.class_starts, table.class_rows)
    ends = np.ones(2), np.array([0.0, 1.0]), "accuracy", 1e4, False, False, 1.0, 2
    rules = dispatch._core.ConjunctionScan(*parts, np.arange(24), numbers, *ends)
    jobs = [
        *(lambda k=k: scan.best(k, 0, 25 - k, 10) for k in (2, 3, 4)),  # the table of pairs of triples is made once
        lambda: engine.counts(subsets).values,
        lambda: sums.counts(subsets).values,
        *(lambda k=k: rules.best(k, 0, 24, 10) for k in (2, 3)),
    ]
    with ThreadPoolExecutor(THREADS) as pool:
        for job in jobs:
            first, *others = pool.map(lambda _: job(), range(THREADS))  # noqa: B023 - all are done before the next
            assert all(np.array_equal(a, b) for other in others for a, b in zip(first, other, strict=True))


if __name__ == "__main__":
    main()
