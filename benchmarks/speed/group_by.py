"""All pairs of columns, cell by cell and class by class: ours beside DuckDB's GROUP BY and pandas' groupby.

usage: python -m benchmarks.speed.group_by [--rows 1000000] [--columns 100]

All of them use one thread, and the same columns of a byte in memory. Ours packs the table and counts all pairs; of the
others a few pairs are timed, in the same run, and multiplied. Their counts are compared with ours. Seconds are those of
the processor.
"""

from __future__ import annotations

import argparse
import time
from itertools import combinations

import numpy as np

from paclearn.counting import BitTable, engine_for


def timed(work):
    """What comes of some work, and the seconds of the processor that it took."""
    started = time.process_time()
    found = work()
    return found, time.process_time() - started


def ours(columns, y, pairs):
    table = BitTable.pack(columns, [int(c.max()) + 1 for c in columns], y, int(y.max()) + 1)
    engine = engine_for(table)
    step = 4096
    return [engine.counts(pairs[i : i + step]).values for i in range(0, len(pairs), step)]


def by_duckdb(frame, pairs):  # noqa: ARG001 - DuckDB finds it by its name
    import duckdb

    link = duckdb.connect()
    link.execute("SET threads = 1")
    link.execute("CREATE TABLE t AS SELECT * FROM frame")
    return lambda: [link.execute(f"SELECT c{i}, c{j}, y, count(*) FROM t GROUP BY ALL").fetchall() for i, j in pairs]


def by_pandas(frame, pairs):
    return lambda: [frame.groupby([f"c{i}", f"c{j}", "y"]).size() for i, j in pairs]


def main(n_rows, n_columns, levels=3, tried=10):
    import pandas as pd

    rng = np.random.default_rng(0)
    columns = [rng.integers(0, levels, n_rows).astype(np.uint8) for _ in range(n_columns)]
    y = rng.integers(0, 2, n_rows).astype(np.int32)
    frame = pd.DataFrame({**{f"c{i}": c for i, c in enumerate(columns)}, "y": y.astype(np.uint8)})
    pairs = np.array(list(combinations(range(n_columns), 2)), dtype=np.int32)
    some = pairs[rng.choice(len(pairs), min(tried, len(pairs)), replace=False)].tolist()
    counts, seconds = timed(lambda: ours(columns, y, pairs))
    print(
        f"{len(pairs):,} pairs of {n_columns} columns of {levels} levels, {n_rows:,} rows, two classes: {seconds:.2f} s"
    )
    table = {tuple(pair): cells for pair, cells in zip(pairs.tolist(), np.concatenate(counts), strict=True)}
    for name, work in (("DuckDB", by_duckdb(frame, some)), ("pandas", by_pandas(frame, some))):
        found, took = timed(work)
        rows = found[0] if name == "DuckDB" else [(*index, count) for index, count in found[0].items()]
        for i, j, label, count in rows:
            assert table[tuple(some[0])][i * levels + j, label] == count
        each = took / len(some)
        every = each * len(pairs)
        print(f"  {name}: {each:.4f} s a pair, {every:,.0f} s for all: {every / seconds:,.0f} times ours")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=100)
    asked = parser.parse_args()
    main(asked.rows, asked.columns)
