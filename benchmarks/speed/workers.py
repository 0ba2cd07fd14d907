"""One worker of a Dask cluster, two of them, and the same in memory: scans of all triples, and whole fits of many rows.

usage: python -m benchmarks.speed.workers [--scan 100000x400] [--fit 20000000x100] [--repeats 5]

Workers are processes with one thread each, on this machine. *Scan*: all triples of bits, of bits that lie on the
workers, beside the fused scan of one thread in this process; medians of some repetitions, in turns. *Fit*:
`JuntaClassifier(k=2)` on parts that workers make themselves, from the first task to the model; what is on the
driver's heap is its peak. What must hold: two workers at least 1.6 times as fast as one, one worker within 1.3 times
of the scan in memory, the driver below 1 GB.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from contextlib import contextmanager
from itertools import pairwise
from statistics import median

import numpy as np

N_PARTS = 16


def part(seed: int, n_rows: int, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Bits, and a class that three of them decide, one label in ten wrong."""
    rng = np.random.default_rng(seed)
    X = np.unpackbits(rng.integers(0, 256, (n_rows, -(-n_columns // 8)), dtype=np.uint8), axis=1)[:, :n_columns]
    y = X[:, 1] ^ X[:, n_columns // 2] ^ X[:, n_columns - 2]
    return X, y ^ (rng.random(n_rows) < 0.1)


@contextmanager
def workers(n: int):
    """A cluster of so many processes."""
    from distributed import Client, LocalCluster

    from paclearn.tables.remote_files import LOCAL

    with LocalCluster(n_workers=n, **LOCAL) as cluster, Client(cluster) as client:
        yield client


def arrays(n_rows: int, n_columns: int):
    """Dask arrays whose blocks workers make."""
    import dask
    import dask.array as da

    edges = np.linspace(0, n_rows, N_PARTS + 1).astype(int).tolist()
    sizes = [b - a for a, b in pairwise(edges)]
    made = [dask.delayed(part, nout=2)(i, n, n_columns) for i, n in enumerate(sizes)]
    X = da.concatenate([da.from_delayed(x, (n, n_columns), np.uint8) for (x, _), n in zip(made, sizes, strict=True)])
    y = da.concatenate([da.from_delayed(y, (n,), np.uint8) for (_, y), n in zip(made, sizes, strict=True)])
    return X, y


def timed(work) -> float:
    """Seconds of the wall clock."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def scans(n_rows: int, n_columns: int, repeats: int) -> None:
    """All triples of bits."""
    from paclearn.counting import BitTable, engine_for
    from paclearn.counting.remote_engine import RemoteBits
    from paclearn.encoding import EncodingRules, learn_and_encode
    from paclearn.encoding.remote_columns import remote_classes
    from paclearn.search import ZeroOneScore, exhaustive

    score = ZeroOneScore(2)
    parts = [part(i, n_rows // N_PARTS, n_columns) for i in range(N_PARTS)]
    X, y = (np.concatenate(each) for each in zip(*parts, strict=True))
    here = engine_for(BitTable.pack(list(X.T), [2] * n_columns, y.astype(np.int32), 2))
    seconds, best = {}, {}
    for n in (0, 1, 2):
        with workers(max(n, 1)) as client:
            engine = here
            if n:
                table, classes = remote_classes(*arrays(n_rows, n_columns))
                _, columns = learn_and_encode(table, EncodingRules(4, 5, 16))
                engine = RemoteBits(columns, np.full(n_columns, 2, dtype=np.int64), classes).engine()
                engine.counts([[0, 1]])
            del client
            exhaustive(engine, score, 3)
            seconds[n] = median(timed(lambda engine=engine: exhaustive(engine, score, 3)) for _ in range(repeats))
            best[n] = exhaustive(engine, score, 3).subsets[0].tolist()
    assert best[0] == best[1] == best[2]
    print(
        f"all triples of {n_columns} bits, {n_rows:,} rows: in memory {seconds[0]:.3f} s, one worker {seconds[1]:.3f}, "
        f"two {seconds[2]:.3f}"
    )
    print(
        f"   two workers are {seconds[1] / seconds[2]:.2f} times as fast as one; "
        f"one takes {seconds[1] / seconds[0]:.2f} times the scan in memory",
        flush=True,
    )


def fit(n_rows: int, n_columns: int, n: int) -> None:
    """A whole fit, in a process of its own."""
    from paclearn import JuntaClassifier

    with workers(n) as client:
        client.run(lambda: __import__("paclearn"))
        seconds = timed(lambda: JuntaClassifier(k=2).fit(*arrays(n_rows, n_columns)))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(f"{seconds:.2f} {peak:.3f}")


def fits(n_rows: int, n_columns: int) -> None:
    """With one worker and with two."""
    found = {}
    for n in (1, 2):
        words = [sys.executable, "-m", "benchmarks.speed.workers", "--one-fit", f"{n_rows}x{n_columns}x{n}"]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        found[n] = tuple(map(float, done.stdout.split()))
        print(
            f"fit of {n_rows:,} x {n_columns}, pairs, {n} worker(s): {found[n][0]:.1f} s, driver {found[n][1]:.2f} GB",
            flush=True,
        )
    print(f"   two workers are {found[1][0] / found[2][0]:.2f} times as fast as one", flush=True)


def shape(text: str) -> list[int]:
    """``100000x400``."""
    return [int(number) for number in text.split("x")]


def main() -> None:
    """Both, or what is asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--scan", default="100000x400")
    parser.add_argument("--fit", default="20000000x100")
    parser.add_argument("--one-fit")
    parser.add_argument("--repeats", type=int, default=5)
    asked = parser.parse_args()
    if asked.one_fit:
        fit(*shape(asked.one_fit))
        return
    if asked.scan:
        scans(*shape(asked.scan), asked.repeats)
    if asked.fit:
        fits(*shape(asked.fit))


if __name__ == "__main__":
    main()
