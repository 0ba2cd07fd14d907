"""Peak memory of every learner, from Parquet, in bytes a cell: `python -m benchmarks.speed.memory --rows 200000`.

Each fit runs in a process of its own. Its peak is that of resident memory (VmHWM); bytes a cell are what that is above
the peak of a fit of a hundredth of the rows. Pages of mapped files are in it, although the system may take those back.
A peak above 0.2 bytes a cell and 500 MB is marked for those who learn in blocks.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

LEARNERS = {
    "JuntaClassifier": "JuntaClassifier(k=2).fit(X, y)",
    "FourierSelector (bins)": "FourierSelector(redundancy=False, numeric='bins').fit(X, y)",
    "discover": "discover(X, y)",
    "find_rules": "find_rules(X, y, max_conditions=2)",
    "JuntaRegressor": "JuntaRegressor(k=2).fit(X, z)",
    "FourierSelector": "FourierSelector().fit(X, y)",
    "RuleClassifier": "RuleClassifier(effort=5).fit(X, y)",
    "SpectralClassifier": "SpectralClassifier().fit(X, y)",
    "SpectralClassifier(max_terms=10)": "SpectralClassifier(max_terms=10).fit(X, y)",
    "RegressionGraphClassifier": "RegressionGraphClassifier().fit(X, y)",
    "HalfspaceClassifier": "HalfspaceClassifier().fit(X, y)",
}
SCALING = ("JuntaClassifier", "FourierSelector (bins)", "discover", "find_rules")
CODE = """
import sys, time, warnings
warnings.simplefilter("ignore")
from pathlib import Path
from paclearn import *
from paclearn.tables import ColumnSubset
table = open_table(sys.argv[1])
y, z = (table.column(table.names.index(name)) for name in "yz")
X = ColumnSubset(table, tuple(i for i, name in enumerate(table.names) if name not in "yz"))
started = time.process_time()
{call}
status = Path("/proc/self/status").read_text().splitlines()
peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
print(peak * 1024, time.process_time() - started)
"""


def write(path: Path, n_rows: int, n_words: int, n_numbers: int) -> None:
    """Columns of words and of numbers, a class that depends on two of them, and a number."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    words = np.array(["red", "green", "blue", "grey"])
    schema, writer = None, None
    for start in range(0, n_rows, 100_000):
        n = min(100_000, n_rows - start)
        block = {f"word{i}": words[rng.integers(0, 2 + i % 3, n)] for i in range(n_words)}
        block |= {f"number{i}": rng.normal(size=n) for i in range(n_numbers)}
        first = block["word0"] == "red" if n_words else block["number1"] > 0
        signal = first ^ (block["number0"] > 0 if n_numbers else block["word1"] == "red")
        block["y"] = np.where(signal ^ (rng.random(n) < 0.2), "yes", "no")
        block["z"] = signal + rng.normal(size=n)
        table = pa.table(block, schema)
        schema = table.schema
        writer = writer or pq.ParquetWriter(path, schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def measure(call: str, path: Path) -> tuple[float, float]:
    """Bytes at the peak, and seconds of the processor."""
    code = CODE.format(call=call)
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stderr.splitlines()[-1])
        return float("nan"), float("nan")
    peak, seconds = done.stdout.split()
    return float(peak), float(seconds)


def main() -> None:
    """All learners, or those that are named, on one table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--words", type=int, default=10)
    parser.add_argument("--numbers", type=int, default=10)
    parser.add_argument("--only", nargs="*", default=list(LEARNERS))
    asked = parser.parse_args()
    cells = asked.rows * (asked.words + asked.numbers)
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder, "small.parquet"), Path(folder, "large.parquet")
        write(small, max(asked.rows // 100, 500), asked.words, asked.numbers)
        write(large, asked.rows, asked.words, asked.numbers)
        for name in asked.only:
            (base, _), (peak, seconds) = measure(LEARNERS[name], small), measure(LEARNERS[name], large)
            over = " ABOVE 0.2 bytes a cell + 500 MB" if name in SCALING and peak > 0.2 * cells + 500e6 else ""
            per_cell = (peak - base) / cells
            print(
                f"{name:34} {per_cell:7.2f} B/cell  peak {peak / 1e6:7.0f} MB  {seconds:7.1f} s cpu{over}", flush=True
            )


if __name__ == "__main__":
    main()
