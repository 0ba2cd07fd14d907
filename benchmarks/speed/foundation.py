"""How fast a table becomes bits and bits become counts, as ratios taken in one run.

usage: python -m benchmarks.speed.foundation        (reads adult.parquet from PACLEARN_DATA where that is set)
"""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path

import numpy as np
import pandas as pd

from paclearn import BooleanEncoder
from paclearn._validation import as_table
from paclearn.counting import BitTable, native
from paclearn.encoding import EncodingRules, learn_and_encode


def best_of(repeats, function):
    """Seconds of the fastest of a few runs."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        function()
        times.append(time.perf_counter() - started)
    return min(times)


def adult():
    """The census table, or one of the same make where it is not at hand."""
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
    name, frame = adult()
    dummies = best_of(7, lambda: pd.get_dummies(frame))
    print(f"{platform.machine()}, instruction set: {native.instruction_set()}")
    encoding()
    counting()


if __name__ == "__main__":
    main()
