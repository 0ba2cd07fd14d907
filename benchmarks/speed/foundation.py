"""How fast a table becomes bits and bits become counts, as ratios taken in one run.

usage: python -m benchmarks.speed.foundation        (reads adult.parquet from PACLEARN_DATA where that is set)
"""

from __future__ import annotations

import os
import platform
import time
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np

from paclearn import BooleanEncoder
from paclearn.counting import BitTable, NativeEngine, NumpyEngine
from paclearn.encoding import EncodingRules, learn_and_encode
from paclearn.kernels import dispatch as native
from paclearn.tables.table import as_table


def best_of(repeats, function, clock=time.perf_counter):
    """Seconds of the fastest of a few runs."""
    times = []
    for _ in range(repeats):
        started = clock()
        function()
        times.append(clock() - started)
    return min(times)


def adult():
    """The census table, or one of the same make where it is not at hand."""
    import pandas as pd

    folder = os.environ.get("PACLEARN_DATA")
    if folder and (path := Path(folder) / "adult.parquet").exists():
        return "adult", pd.read_parquet(path).drop(columns="target")
    rng = np.random.default_rng(0)
    words = {
        f"w{i}": rng.choice([f"level {j}" for j in range(q)], 48_842) for i, q in enumerate((9, 16, 7, 15, 6, 5, 2, 42))
    }
    numbers = {f"n{i}": rng.integers(0, q, 48_842) for i, q in enumerate((74, 28_000, 16, 120, 99, 96))}
    return "a table like adult", pd.DataFrame({**words, **numbers})


def encode_and_pack(frame):
    """From a data frame to packed bit planes of all columns."""
    domain, codes = learn_and_encode(as_table(BooleanEncoder(), frame, reset=True), EncodingRules(8, 5, 64))
    return BitTable.pack(codes, domain.sizes, np.zeros(len(frame), dtype=np.int64), 1)


def encoding():
    import pandas as pd  # here and not above: others take the clock of this file where none of these is installed
    import polars as pl
    import pyarrow as pa

    name, frame = adult()
    dummies = best_of(7, lambda: pd.get_dummies(frame))
    print(f"\n{name}: {len(frame):,} rows, {frame.shape[1]} columns; pandas.get_dummies takes {1e3 * dummies:.0f} ms")
    others = {
        "pandas": frame,
        "polars": pl.from_pandas(frame),
        "pyarrow": pa.Table.from_pandas(frame, preserve_index=False),
    }
    for library, table in others.items():
        seconds = best_of(7, partial(encode_and_pack, table))
        print(f"  encode and pack from {library:8s} {1e3 * seconds:6.0f} ms = {seconds / dummies:.2f} x get_dummies")


def counting():
    rng = np.random.default_rng(0)
    print("\ncounting, two classes, bits, one thread")
    for n, d in ((1_000, 200), (10_000, 200), (100_000, 100)):
        codes = rng.integers(0, 2, (d, n)).astype(np.uint8)
        table = BitTable.pack(codes, [2] * d, rng.integers(0, 2, n), 2)
        for k in (2, 3):
            subsets = np.array(list(combinations(range(d if k == 2 else 40), k)), dtype=np.int32)
            slow = best_of(1, partial(NumpyEngine(table).counts, subsets[:300])) / 300
            fast = best_of(3, partial(NativeEngine(table).counts, subsets)) / len(subsets)
            print(f"  n = {n:7,}  k = {k}: {1e-6 / fast:6.2f} M subsets/s, {slow / fast:5.0f} x numpy")


def main():
    print(f"{platform.machine()}, instruction set: {native.instruction_set()}")
    encoding()
    counting()


if __name__ == "__main__":
    main()
