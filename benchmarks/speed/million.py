"""A million rows of ten columns of words and ten of numbers, from Parquet: spectral models, the page, and boosting.

usage: python -m benchmarks.speed.million [--rows 1000000] [--only NAME ...]

Each runs in a process of its own; seconds are of the wall clock and of the processor (all threads), the peak is that of
resident memory, and the log loss that of 100,000 further rows; the page's is that of the model that it is about. What
must hold, on two idle cores: spectral models within 15 s and 1 GB, the page within 60 s and 1.5 GB, and its log loss
within 0.001 of gradient boosting's.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

LEVELS = (2, 3, 4, 5, 6, 8, 10, 12, 20, 40)
OURS = """
from paclearn import SpectralClassifier, open_table
from paclearn.tables import split_target
X, y = split_target(open_table(path), "y")
model = SpectralClassifier({settings}).fit(X, y)
done()
X, truth = split_target(open_table(test), "y")
say_loss(model.predict_proba(X), np.asarray(truth.to_list()))
"""
BOOSTING = """
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
rows, more = (pd.read_parquet(p) for p in (path, test))
for frame in (rows, more):
    for name in frame.columns[:10]:
        frame[name] = frame[name].astype("category")
model = HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=0)
model.fit(rows.drop(columns="y"), rows["y"])
done()
say_loss(model.predict_proba(more.drop(columns="y")), more["y"].to_numpy(dtype=str))
"""
PAGE = """
from paclearn import Report, open_table
from paclearn.export import from_json, to_json
import paclearn.report.summarise
summarise = sys.modules["paclearn.report.summarise"]
from paclearn.tables import split_target
fit, models = summarise.fit_linear, []
summarise.fit_linear = lambda *a, **b: models.append(fit(*a, **b)) or models[-1]
report = Report(path, target="y")
report.save(path + ".html")
done()
facts = report.facts
print("judged", facts["validation"], "fitted to", facts["terms"]["rows"], "exam", facts["exam"]["rows"])
for row in facts["comparison"]:
    print("  ", row["name"][:50], round(row["value"], 4))
X, truth = split_target(open_table(test), "y")
print("terms of the page's model", len(models[-1].terms))
say_loss(from_json(to_json(models[-1], "y")).predict_proba(X), np.asarray(truth.to_list()))
"""
RUNS = {
    "SpectralClassifier": OURS.format(settings="random_state=0"),
    "SpectralClassifier(max_terms=10)": OURS.format(settings="max_terms=10, random_state=0"),
    "HistGradientBoostingClassifier": BOOSTING,
    "Report": PAGE,
}
START = """
import sys, time, resource, warnings
import numpy as np
warnings.simplefilter("ignore")
path, test = sys.argv[1:]
wall, processor = time.perf_counter(), time.process_time()
def done():
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    seconds = time.perf_counter() - wall, time.process_time() - processor
    print("%6.1f s  %6.1f s cpu  peak %6.0f MB" % (*seconds, peak), flush=True)
def say_loss(shares, truth):
    print("log loss", -np.log(np.where(truth == "yes", shares[:, 1], shares[:, 0])).mean())
"""


def write(path: Path, n_rows: int, seed: int) -> None:
    """Effects of words and numbers, curves, and two interactions; the same law whatever the seed."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    law, rng = np.random.default_rng(0), np.random.default_rng(seed)
    words = [np.array([f"{chr(97 + i)}{j}" for j in range(k)]) for i, k in enumerate(LEVELS)]
    effects = [law.normal(0, 0.4, k) for k in LEVELS[:6]]
    writer = None
    for start in range(0, n_rows, 100_000):
        n = min(100_000, n_rows - start)
        codes, x = [rng.integers(0, k, n) for k in LEVELS], rng.normal(size=(n, 10))
        score = sum(effect[c] for effect, c in zip(effects, codes, strict=False))
        score = score + 0.6 * x[:, 0] + 0.5 * np.sin(2 * x[:, 1]) + 0.3 * x[:, 3] * x[:, 4]
        score = score + 0.4 * (x[:, 2] > 0.5) * (codes[1] == 1)
        block = {f"w{i}": w[c] for i, (w, c) in enumerate(zip(words, codes, strict=True))}
        block |= {f"x{i}": x[:, i] for i in range(10)}
        table = pa.table(block | {"y": np.where(rng.random(n) < 1 / (1 + np.exp(-score)), "yes", "no")})
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def main() -> None:
    """All of them, or those that are named."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--only", nargs="*", default=list(RUNS))
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path, test = Path(folder, "rows.parquet"), Path(folder, "more.parquet")
        write(path, asked.rows, 0)
        write(test, 100_000, 99)
        for name in asked.only:
            print(name, flush=True)
            subprocess.run([sys.executable, "-c", START + RUNS[name], str(path), str(test)], check=False)


if __name__ == "__main__":
    main()
