"""A table whose codes are ten times as large as the memory that a fit may use, from Parquet: the same bytes.

usage: python -m benchmarks.speed.out_of_core [--limit 400MB] [--rows 1000000] [--columns 4000] [--only NAME ...]

The fit from files runs in a process of its own, in a control group that has so much memory (version 1 or 2 of them,
which takes root on most systems) and with ``PACLEARN_MEMORY`` set to it; the other fit, of the same rows from memory,
has what the machine has. Their model files are compared byte for byte. ``--folder`` keeps the table.

How many times the limit a table may be depends on its shape. A fit takes 300 MB whatever the table is, 70 bytes a row
for the target, and 1.2 kB for every column of every group of rows in the file; the codes, a byte a cell, and the bits
lie on disk. Ten times want about a thousand columns or more: 1,000,000 x 4,000 and 200,000 x 20,000 have them, and of
5,000,000 x 500 the codes are four times what a fit is allowed from.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from paclearn.tables.memory import bytes_of, in_words

ROWS_A_GROUP = 200_000
LEARNERS = {
    "JuntaClassifier": "JuntaClassifier(k=2).fit(X, y)",
    "JuntaClassifier(k=1)": "JuntaClassifier(k=1).fit(X, y)",
    "FourierSelector": "FourierSelector(n_features=5, redundancy=False, numeric='bins').fit(X, y)",
    "discover": "discover(X, y)",
}
CODE = """
import hashlib, resource, sys, time
from paclearn import *
from paclearn.export import to_json
started, path = time.perf_counter(), sys.argv[1]
{read}
found = {call}
if hasattr(found, "model_"):
    text = to_json(found.model_, "y")
else:
    text = found.subsets_.to_json() if hasattr(found, "subsets_") else found.to_json()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(hashlib.sha256(text.encode()).hexdigest(), time.perf_counter() - started, peak)
"""
FROM_FILES = """
from paclearn.tables import split_target
X, y = split_target(open_table(path), "y")
"""
FROM_MEMORY = """
import numpy as np, pandas as pd, pyarrow.parquet as pq
file = pq.ParquetFile(path)
names = [name for name in file.schema_arrow.names if name != "y"]
whole = np.empty((len(names), file.metadata.num_rows), dtype=np.int8)
for i, name in enumerate(names):
    whole[i] = file.read(columns=[name])[name].to_numpy()
X, y = pd.DataFrame(whole.T, columns=names, copy=False), file.read(columns=["y"])["y"].to_numpy()
"""


def write(path: Path, n_rows: int, n_columns: int) -> None:
    """Columns of three levels, and a class that two of them decide, one label in ten wrong."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng, writer = np.random.default_rng(0), None
    for start in range(0, n_rows, ROWS_A_GROUP):
        n = min(ROWS_A_GROUP, n_rows - start)
        codes = {f"c{i}": rng.integers(0, 3, n, dtype=np.int8) for i in range(n_columns)}
        y = ((codes["c5"] + codes[f"c{n_columns // 2}"]) % 3 == 0) ^ (rng.random(n) < 0.1)
        table = pa.table(codes | {"y": np.where(y, "yes", "no")})
        writer = writer or pq.ParquetWriter(path, table.schema, write_statistics=False)
        writer.write_table(table)
    if writer is not None:
        writer.close()


@contextmanager
def group_of(limit: int):
    """A control group with so much memory: the file that takes process numbers."""
    root = Path("/sys/fs/cgroup")
    old = root / "memory"
    base, name = (old, "memory.limit_in_bytes") if old.is_dir() else (root, "memory.max")
    made = base / f"paclearn-{os.getpid()}"
    try:
        made.mkdir()
        (made / name).write_text(str(limit))
    except OSError as error:
        sys.exit(f"no control group can be made here ({error}); run this as root")
    try:
        yield made / "cgroup.procs"
    finally:
        made.rmdir()


def fitted(call: str, read: str, path: Path, limit: int | None, processes: Path | None) -> list[str]:
    """What a process of its own has to say."""

    def enter() -> None:
        if processes is not None:
            processes.write_text(str(os.getpid()))

    environment = os.environ | ({} if limit is None else {"PACLEARN_MEMORY": str(limit)})
    command = [sys.executable, "-c", CODE.format(read=read, call=call), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, preexec_fn=enter)
    if done.returncode:
        why = "killed" if done.returncode < 0 else (done.stderr.splitlines() or [""])[-1]
        return [f"failed ({why})", "nan", "nan"]
    return done.stdout.split()


def main() -> None:
    """Write the table, fit it both ways, compare."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--limit", default="400MB")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=4000)
    parser.add_argument("--only", nargs="*", default=list(LEARNERS))
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    limit, codes = bytes_of(asked.limit), asked.rows * asked.columns
    print(f"codes {in_words(codes)}, limit {in_words(limit)}: {codes / limit:.1f} times as large", flush=True)
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        path = (asked.folder or Path(folder)) / f"{asked.rows}x{asked.columns}.parquet"
        if not path.exists():
            write(path, asked.rows, asked.columns)
        print(f"the file has {in_words(path.stat().st_size)}", flush=True)
        for name in asked.only:
            with group_of(limit) as processes:
                there = fitted(LEARNERS[name], FROM_FILES, path, limit, processes)
            here = fitted(LEARNERS[name], FROM_MEMORY, path, None, None)
            for where, (digest, seconds, peak) in (("from files", there), ("in memory", here)):
                print(f"{name:20} {where:10} {digest[:300]:60} {float(seconds):7.1f} s  peak {in_words(float(peak))}")
            print(f"{name:20} {'EQUAL' if here[0] == there[0] else 'DIFFERENT'} model files", flush=True)


if __name__ == "__main__":
    main()
