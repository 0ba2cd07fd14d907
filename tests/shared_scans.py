"""Everything of the core that runs on threads, or may be shared by them: for `make sanitize-threads`."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from paclearn.counting import BitTable, CodeTable, NativeEngine
from paclearn.kernels import dispatch
from paclearn.search import SquaredErrorScore, ZeroOneScore

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
    jobs += [*_sums(codes, y, rng), *_packing(codes, y)]
    with ThreadPoolExecutor(THREADS) as pool:
        for job in jobs:
            first, *others = pool.map(lambda _: job(), range(THREADS))  # noqa: B023 - all are done before the next
            assert all(np.array_equal(a, b) for other in others for a, b in zip(first, other, strict=True))


def _sums(codes, y, rng):
    """Scans by sums of numbers and by weighted votes, and sums of all pairs of planes."""
    weight, target = rng.choice([0.5, 1.0, 2.0], ROWS), rng.normal(size=ROWS)
    columns, sizes = list(codes), [2] * len(codes)
    numbers = CodeTable.of(columns, sizes, np.column_stack([np.ones(ROWS), target, target**2]))
    votes = CodeTable.of(columns, sizes, np.column_stack([weight, weight]), y, 2)
    scores = (numbers, SquaredErrorScore()), (votes, ZeroOneScore(2))
    scans = [NativeEngine(of, 2).scan(score.fused(1.0)) for of, score in scores]
    words = BitTable.pack(codes, sizes, np.zeros(ROWS, dtype=int), 1).words
    rounded = rng.integers(-(2**20), 2**20, (2, 64 * words.shape[1])).astype(np.int32)
    best = [lambda scan=scan, k=k: scan.best(k, 0, 25 - k, 10) for scan in scans for k in (2, 3)]
    return [*best, lambda: dispatch._core.sum_pairs(words, rounded, 2)]


def _packing(codes, y):
    """One packer for all: where rows go is worked out once, when a column of many codes comes first."""
    packer, many = dispatch._core.Packer(y.astype(np.int32), 2), (np.arange(ROWS) % 200).astype(np.uint16)

    def packed(column, n_planes):
        planes = BitTable.pack([column], [n_planes + 1], y, 2).words
        planes[:] = 0
        packer.pack(column, planes)
        return planes

    return [lambda: packed(many, 199), lambda: packed(codes[0], 1)]


if __name__ == "__main__":
    main()
