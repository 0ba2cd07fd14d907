"""How scans of all pairs and triples scale with threads, beside what the machine's registers do, in one run.

usage: python -m benchmarks.speed.cores [--threads 16]

Many cores at a time run slower than one alone (heat, shared caches and memory), so the same register loop (AND +
popcount + add) is run in as many processes first: what it reaches is the most that any scan can.
"""

from __future__ import annotations

import argparse
import os
import shutil
import time
from multiprocessing import get_context

import numpy as np

from benchmarks.speed import ceiling
from benchmarks.speed.foundation import best_of
from benchmarks.speed.scans import scanner, table
from paclearn.kernels import dispatch as native

SIZES = [
    *[(2, n, d) for n, d in ((10_000, 2000), (10_000, 6000), (100_000, 2000), (1_000_000, 1000))],
    *[(3, n, d) for n, d in ((10_000, 500), (100_000, 300), (1_000_000, 120))],
]


def register_rate(_):
    return ceiling.words_per_second(0.5)


def register_scaling(threads):
    if shutil.which("g++") is None:
        print("registers: no g++ to compile the loop with")
        return
    alone = register_rate(0)
    with get_context("spawn").Pool(threads) as pool:
        pool.map(register_rate, range(threads))  # all have compiled it
        together = sum(pool.map(register_rate, range(threads)))
    print(f"registers: {alone / 1e9:.1f} G words/s alone, {together / alone:.1f} times that in {threads} processes")


def measure(k, n, d, threads):
    _, bits = table(n, d)
    works = [scanner(bits, k, n_threads) for n_threads in (1, threads // 2, threads)]
    times = []
    started = time.perf_counter()
    while len(times) < 3 or (time.perf_counter() - started < 4 and len(times) < 30):
        times.append([best_of(1, work) for work in works])
    best, middle = np.min(times, axis=0), np.median(times, axis=0)
    gains = f"{best[0] / best[1]:.1f} | {best[0] / best[2]:.1f} | {middle[0] / middle[2]:.1f}"
    print(f"| {k} | {n:,} | {d:,} | {best[0]:.4f} | {best[2]:.4f} | {gains} |", flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--threads", type=int, default=os.cpu_count())
    threads = arguments.parse_args().threads
    print(f"{ceiling.cpu()}, {os.cpu_count()} cores, instruction set {native.instruction_set()}")
    register_scaling(threads)
    half = f"{threads // 2} threads, times"
    print(f"\n| k | n | d | one thread, s | {threads} threads, s | {half} | {threads} threads, times | medians |")
    print("|---|---|---|---|---|---|---|---|")
    for k, n, d in SIZES:
        measure(k, n, d, threads)


if __name__ == "__main__":
    main()
