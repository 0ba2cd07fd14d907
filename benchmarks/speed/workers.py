"""One worker of a Dask cluster, two of them, and the same in memory: scans of all triples, and whole fits of many rows.

usage: python -m benchmarks.speed.workers [--scan 100000x400] [--fit 20000000x100] [--repeats 5]

Workers are processes with one thread each, on this machine. *Scan*: all triples of bits, of bits that lie on the
workers, beside the fused scan of one thread in this process; medians of some repetitions, in turns. *Fit*:
`JuntaClassifier(k=2)` on parts that workers make themselves, from the first task to the model; what is on the
driver's heap is its peak. What must hold: two workers at least 1.6 times as fast as one, one worker within 1.3 times
of the scan in memory, the driver below 1 GB.

Two workers want two idle cores. Beside other work, look at the seconds of the processor that the busier worker takes:
where these are halved, so is the time on idle cores, but for what workers wait for.
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


def timed(work, client=None) -> tuple[float, float, float]:
    """Seconds of the wall clock, and of the processor: of the busier worker (or of this process), and of all."""
    started, before = time.perf_counter(), processor(client)
    work()
    wall, after = time.perf_counter() - started, processor(client)
    each = [after[who] - before[who] for who in before]
    return wall, max(each), sum(each)


def processor(client) -> dict[str, float]:
    """Seconds of every worker, or of this process."""
    return {"here": time.process_time()} if client is None else client.run(time.process_time)


def middle(repeated) -> tuple[float, ...]:
    """Medians of all."""
    return tuple(median(each) for each in zip(*repeated, strict=True))


def in_words(seconds) -> str:
    """What `timed` found."""
    return f"{seconds[0]:.3f} s; of the processor the busier worker {seconds[1]:.3f} s, all {seconds[2]:.3f}"


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
    in_memory = engine_for(BitTable.pack(list(X.T), [2] * n_columns, y.astype(np.int32), 2))
    seconds, best = {}, {}
    for n in (0, 1, 2):
        with workers(max(n, 1)) as client:
            engine = in_memory
            if n:
                table, classes = remote_classes(*arrays(n_rows, n_columns))
                _, columns = learn_and_encode(table, EncodingRules(4, 5, 16))
                engine = RemoteBits(columns, np.full(n_columns, 2, dtype=np.int64), classes).engine()
                engine.counts([[0, 1]])
            asked = client if n else None

            def scan(engine=engine):
                return exhaustive(engine, score, 3)

            scan()
            seconds[n] = middle(timed(scan, asked) for _ in range(repeats))
            best[n] = scan().subsets[0].tolist()
    assert best[0] == best[1] == best[2]
    print(f"all triples of {n_columns} bits, {n_rows:,} rows:")
    for name, n in (("in memory", 0), ("one worker", 1), ("two workers", 2)):
        print(f"   {name}: {in_words(seconds[n])}")
    compare(seconds[1], seconds[2])
    one, memory = seconds[1], seconds[0]
    print(
        f"   one worker takes {one[0] / memory[0]:.2f} times the scan in memory, {one[1] / memory[1]:.2f} by processor"
    )


def compare(one, two) -> None:
    """How much faster two workers are."""
    print(
        f"   two workers are {one[0] / two[0]:.2f} times as fast as one, {one[1] / two[1]:.2f} by processor", flush=True
    )


def fit(n_rows: int, n_columns: int, n: int) -> None:
    """A whole fit, in a process of its own."""
    from paclearn import JuntaClassifier

    with workers(n) as client:
        client.run(lambda: __import__("paclearn"))
        seconds = timed(lambda: JuntaClassifier(k=2).fit(*arrays(n_rows, n_columns)), client)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(*seconds, peak)


def fits(n_rows: int, n_columns: int) -> None:
    """With one worker and with two."""
    found = {}
    for n in (1, 2):
        words = [sys.executable, "-m", "benchmarks.speed.workers", "--one-fit", f"{n_rows}x{n_columns}x{n}"]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        found[n] = tuple(map(float, done.stdout.split()))
        print(
            f"fit of {n_rows:,} x {n_columns}, pairs, {n} worker(s): {in_words(found[n])}; driver {found[n][3]:.2f} GB",
            flush=True,
        )
    compare(found[1], found[2])


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
