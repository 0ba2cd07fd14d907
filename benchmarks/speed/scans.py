"""How fast subsets are scanned: as a share of the machine's ceiling, and beside peers, all in one run.

usage: python -m benchmarks.speed.scans [--full] [--plot FILE]

A scan of n rows counts ``subsets * words`` words, a word being 64 rows: that, per second, over what the registers
could do (AND + popcount + add) is the share of the ceiling. Scans of triples and more count fewer words than that, so
their share may exceed 100 %. Peers are left out where they are not installed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from functools import partial
from math import comb
from pathlib import Path

import numpy as np

from benchmarks.speed import ceiling
from benchmarks.speed.foundation import best_of
from paclearn import JuntaClassifier
from paclearn.counting import BitTable, CodeTable, NativeEngine, NumpyEngine
from paclearn.kernels import dispatch as native
from paclearn.search import SquaredErrorScore, ZeroOneScore, permutation_test, subsets_between


def table(n, d, levels=2, seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, levels, (d, n)).astype(np.uint8)
    return codes, BitTable.pack(codes, [levels] * d, rng.integers(0, 2, n), 2)


def scanner(bits, k, threads=1):
    """One fused scan of all k-subsets; the pair table of triples is part of it."""
    engine, n = NativeEngine(bits, threads), float(bits.class_rows.sum())
    return lambda: engine.scan(ZeroOneScore(2).fused(n)).best(k, 0, bits.n_units - k + 1, 100)


def side_by_side(*works, seconds=1.5, least=2, clock=time.perf_counter):
    """The best time of each, taken in turns for a while: neighbours on the machine come and go."""
    times, started = [], time.perf_counter()
    while len(times) < least or time.perf_counter() - started < seconds:
        times.append([best_of(1, work, clock) for work in works])
    return np.min(times, axis=0)


def scan_seconds(bits, k):
    return best_of(3, scanner(bits, k))


def numpy_seconds(bits, k, subsets=100):
    """Seconds a subset of the numpy engine with the score in numpy."""
    some = subsets_between(bits.n_units, k, 0, subsets)
    return best_of(1, lambda: ZeroOneScore(2)(NumpyEngine(bits).counts(some))) / subsets


def report_scans(sizes):
    print("\n| k | n | d | subsets/s, 1 thread | G words/s | ceiling | share | 2 threads | times numpy |")
    print("|---|---|---|---|---|---|---|---|---|")
    measured = []
    for k, n, d in sizes:
        _, bits = table(n, d)
        words = comb(d, k) * bits.words.shape[1] / 1e9
        top = ceiling.words_per_second()  # before and after, so that it sees what the scans see
        one, two = side_by_side(scanner(bits, k), scanner(bits, k, 2))
        top = max(top, ceiling.words_per_second()) / 1e9
        rate, slow = comb(d, k) / one, numpy_seconds(bits, k)
        print(
            f"| {k} | {n:,} | {d:,} | {rate:.3g} | {words / one:.1f} | {top:.1f} | {words / one / top:.0%} "
            f"| {one / two:.2f} x | {slow * rate:,.0f} |",
            flush=True,
        )
        measured.append((k, n, d, rate))
    return measured


def report_fours():
    for n in (10_000, 100_000):
        _, bits = table(n, 100)
        three, four = side_by_side(scanner(bits, 3), scanner(bits, 4))
        ratio = four / comb(100, 4) / (three / comb(100, 3))
        print(f"4-subsets take {ratio:.2f} times as long each as triples at n = {n:,}, d = 100")


def report_packing():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100_000)
    matrix = np.asfortranarray(rng.integers(0, 2, (100_000, 1000)).astype(np.uint8))
    by_rows = np.ascontiguousarray(matrix)
    scan, *packing = side_by_side(
        scanner(table(100_000, 1000)[1], 2),
        *(lambda X=X: BitTable.pack(X.T, [2] * 1000, y, 2) for X in (matrix, by_rows)),
    )
    for order, seconds in zip(("column by column", "row by row"), packing, strict=True):
        print(f"packing 100,000 x 1,000 bytes stored {order} takes {seconds / scan:.2f} of the pair scan's time")


def report_levels():
    for n in (10_000, 100_000):
        _, bits = table(n, 200)
        _, levels = table(n, 80, levels=5)
        two, five = side_by_side(scanner(bits, 2), scanner(levels, 2))
        ratio = five / comb(80, 2) / (two / comb(200, 2))
        print(
            f"n = {n:,}: a pair of columns of 5 levels takes {ratio:.1f} times as long as a pair of bits: "
            f"{ratio / (25 / 4):.2f} per cell, {ratio / 16:.2f} per counted cell"
        )


def report_slow_paths(n=10_000, d=100):
    """Numbers and weights are summed row by row, not counted in words."""
    rng = np.random.default_rng(0)
    codes, bits = table(n, d)
    y = rng.normal(size=n)
    sums = CodeTable.of(codes, [2] * d, np.stack([np.ones(n), y, y * y], axis=1))
    weighted = CodeTable.of(codes, [2] * d, rng.random((n, 1)), rng.integers(0, 2, n), 2)
    pairs = subsets_between(d, 2, 0, comb(d, 2))
    counted, squared, weights = side_by_side(
        scanner(bits, 2),
        lambda: SquaredErrorScore(False)(NativeEngine(sums).counts(pairs)),
        lambda: ZeroOneScore(2)(NativeEngine(weighted).counts(pairs)),
    )
    print(f"pairs with a numeric target take {squared / counted:,.0f} times as long as with two classes")
    print(f"pairs of weighted rows take {weights / counted:,.0f} times as long as of rows that count once")


def report_permutations(n=10_000, d=300, shuffles=50):
    codes, bits = table(n, d)
    y = np.random.default_rng(0).integers(0, 2, n)
    scan, test = side_by_side(scanner(bits, 2), lambda: permutation_test(codes, [2] * d, y, 2, n_permutations=shuffles))
    print(f"each shuffle of a permutation test over pairs takes {test / scan / (shuffles + 1):.2f} of a scan's time")


def report_instruction_sets():
    """Each in a process of its own: the choice is made when the core is loaded."""
    code = (
        "from benchmarks.speed.scans import *; b = table(10_000, 300)[1]; p = table(100_000, 300)[1];"
        "print(native.instruction_set(), comb(300, 3) / scan_seconds(b, 3), comb(300, 2) / scan_seconds(p, 2))"
    )
    rates = {}
    for isa in ("avx512", "avx2", "popcnt", "plain"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PACLEARN_ISA": isa},
            capture_output=True,
            text=True,
            check=True,
        )
        name, *numbers = done.stdout.split()
        rates[name] = [float(number) for number in numbers]
    best = next(iter(rates))
    for name, (triples, pairs) in rates.items():
        print(f"{name}: triples {triples / rates[best][0]:.2f}, pairs {pairs / rates[best][1]:.2f} of {best}")


def report_fit():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (10_000, 300)).astype(np.uint8), rng.integers(0, 2, 10_000)
    JuntaClassifier(k=2).fit(X, y)
    shares = []
    for _ in range(5):
        started = time.perf_counter()
        model = JuntaClassifier(k=3).fit(X, y)
        shares.append((model.search_.seconds / (time.perf_counter() - started), model.search_.seconds))
    share, seconds = sorted(shares)[2]
    print(f"JuntaClassifier(k=3).fit on 10,000 x 300: {seconds / share:.3f} s, {share:.0%} of it in the search")


def report_fit_of_pairs(n=10_000, d=1000):
    """A whole fit beside the bare scan of its pairs, from a matrix of one byte or of eight a number."""
    codes, bits = table(n, d)
    y = np.random.default_rng(1).integers(0, 2, n)
    for kind in (bool, np.int64):
        X = np.ascontiguousarray(codes.T).astype(kind)
        scan, fit = side_by_side(scanner(bits, 2), lambda X=X: JuntaClassifier(k=2).fit(X, y))
        name = np.dtype(kind).name
        print(f"JuntaClassifier(k=2).fit on {n:,} x {d:,} {name}: {1e3 * fit:.0f} ms, {fit / scan:.1f} times the scan")


def report_plink(n=10_000, d=1000):
    program = shutil.which("plink1.9")
    if program is None:
        print("plink1.9 is not installed (Debian package plink1.9)")
        return
    rng = np.random.default_rng(0)
    bits, y = rng.integers(0, 2, (n, d)), rng.integers(0, 2, n)
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder) / "t"
        alleles = np.where(bits[:, :, None] == 1, "A A", "B B")[:, :, 0]
        with base.with_suffix(".ped").open("w") as ped:
            for i in range(n):
                ped.write(f"p{i} p{i} 0 0 1 {y[i] + 1} " + " ".join(alleles[i]) + "\n")
        base.with_suffix(".map").write_text("".join(f"1 s{j} 0 {1000 * (j + 1)}\n" for j in range(d)))
        run = partial(subprocess.run, check=True, capture_output=True)
        run([program, "--file", base, "--make-bed", "--out", base])
        command = f"{program} --bfile {base} --fast-epistasis boost --epi1 1e-12 --threads 1 --out {base}".split()
        loaded = best_of(2, lambda: run([program, "--bfile", base, "--freq", "--threads", "1", "--out", base]))
        theirs = best_of(2, lambda: run(command)) - loaded
    ours = scan_seconds(table(n, d)[1], 2)
    print(
        f"pairs, n = {n:,}, d = {d:,}, one thread: {theirs / ours:.0f} times PLINK 1.9 boost "
        "(its tables are 3 x 3, ours 2 x 2)"
    )


def report_ebm(n=10_000, d=60):
    try:
        from interpret.utils import measure_interactions
    except ImportError:
        print("interpret-core is not installed")
        return
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (n, d)), rng.integers(0, 2, n)
    theirs = best_of(1, lambda: measure_interactions(X, y, feature_types=["nominal"] * d)) / comb(d, 2)
    ours = scan_seconds(table(n, 1000)[1], 2) / comb(1000, 2)
    print(f"pairs, n = {n:,}: {theirs / ours:,.0f} times EBM's FAST (measure_interactions, d = {d})")


def report_mutual_information(n=10_000, d=200):
    from sklearn.feature_selection import mutual_info_classif

    codes, bits = table(n, d)
    y = np.random.default_rng(0).integers(0, 2, n)
    theirs = best_of(1, lambda: mutual_info_classif(codes.T, y, discrete_features=True)) / d
    ours = scan_seconds(bits, 2) / comb(d, 2)
    print(
        f"a pair costs us {theirs / ours:,.0f} times less than a single column costs scikit-learn's mutual_info_classif"
    )


def plot(measured, path):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(12, 5.5), layout="constrained")
    for axis, (name, place) in zip(axes, (("rows", 1), ("columns", 2), ("size of the subsets", 0)), strict=True):
        rest = [i for i in (0, 1, 2) if i != place]
        groups = {}
        for row in measured:
            groups.setdefault(tuple(row[i] for i in rest), []).append((row[place], 1e9 / row[3]))
        for key, points in sorted(groups.items()):
            if len(points) > 1:
                labels = ("k", "n", "d")
                axis.loglog(
                    *zip(*sorted(points), strict=True),
                    "o-",
                    label=", ".join(f"{labels[i]} = {v:,}" for i, v in zip(rest, key, strict=True)),
                )
        axis.set(xlabel=name, ylabel="nanoseconds a subset, one thread")
        axis.legend(fontsize=7, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.15))
        if place == 0:
            axis.set_xticks([2, 3, 4], ["2", "3", "4"])
            axis.minorticks_off()
    figure.savefig(path)
    print(f"plot: {path}")


SHORT = [
    *[(2, n, 1000) for n in (10_000, 100_000, 1_000_000)],
    *[(3, n, 300) for n in (10_000, 100_000)],
    (4, 10_000, 100),
]
FULL = [
    *[(2, n, d) for n in (1000, 10_000, 100_000, 1_000_000) for d in (30, 100, 300, 1000)],
    (2, 10_000, 3000),
    *[(3, n, d) for n in (1000, 10_000, 100_000) for d in (30, 100, 300)],
    (3, 1_000_000, 100),
    *[(4, n, d) for n in (1000, 10_000, 100_000) for d in (30, 100)],
]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--full", action="store_true", help="all sizes; ten minutes")
    arguments.add_argument("--plot", help="draw how cost grows into this file")
    chosen = arguments.parse_args()
    print(f"{ceiling.cpu()}, {os.cpu_count()} cores, instruction set {native.instruction_set()}")
    print(f"memory: {ceiling.bytes_per_second(2**28) / 1e9:.1f} GB/s")
    measured = report_scans(FULL if chosen.full else SHORT)
    print()
    for part in (
        report_fours,
        report_packing,
        report_levels,
        report_slow_paths,
        report_permutations,
        report_instruction_sets,
        report_fit,
        report_fit_of_pairs,
    ):
        part()
    for peer in (report_plink, report_ebm, report_mutual_information):
        peer()
    if chosen.plot:
        plot(measured, chosen.plot)


if __name__ == "__main__":
    main()
