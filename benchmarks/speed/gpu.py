"""Pairs, triples and sets of four, by counts and by sums, on the graphics card beside all cores of the same machine:
the same list, and how long each takes.

Times are from packed bits on the host to the hundred best in Python, after one call that starts the card and
compiles; "useful" counts every triple once, times the rows. The processor scans fewer columns where all of them would
take minutes; its time is then scaled by the number of triples, and marked.

usage: python -m benchmarks.speed.gpu [--quick]
"""

from __future__ import annotations

import argparse
import time
from math import comb
from unittest.mock import patch

import numpy as np

from paclearn.counting import BitTable, CodeTable, NativeEngine, gpu_engine
from paclearn.counting.gpu_engine import GpuEngine
from paclearn.kernels.gpu_card import card, why_no_card
from paclearn.search import exhaustive
from paclearn.search.scores import SquaredErrorScore, ZeroOneScore
from paclearn.tables.weights import summable

SIZES = ((10_000, 1024), (100_000, 1024), (10_000, 3008), (100_000, 3008), (1_000_000, 1024))
SMALL = ((3_000, 130), (20_000, 400), (777, 65), (64, 3), (50, 64))
SMALL_FOURS = ((3_000, 70), (20_000, 150), (777, 33), (64, 4), (50, 40))
FOURS = ((10_000, 400), (100_000, 400))
SMALL_LEVELS = ((700, 20, 5, 2, 3), (900, 17, 4, 3, 3), (3_000, 40, 7, 4, 3), (5_000, 200, 2, 2, 2), (900, 60, 6, 3, 2))
LEVELS = (
    (100_000, 3000, 2, 2, 2),
    (100_000, 600, 2, 3, 3),
    (100_000, 300, 4, 2, 3),
)  # rows, columns, levels, classes, k
SMALL_SUMS = ((700, 20, 5, 3), (3_000, 60, 2, 2), (900, 17, 4, 2), (20_000, 130, 2, 3), (70_000, 20, 3, 3))
SUMS = ((100_000, 1000, 2, 2), (10_000, 300, 2, 3), (100_000, 150, 2, 3), (100_000, 300, 2, 3), (100_000, 600, 2, 3))
STREAMED = (200_000, 500, 3)  # rows, columns, k
LONGEST = 40.0  # seconds of the processor


def table_of(n, d, seed=0):
    """Bits with three that decide, nine times of ten."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2, (d, n), dtype=np.uint8)
    target = (bits[0] ^ bits[d // 2] ^ bits[-1] ^ (rng.random(n) < 0.4)).astype(int)
    return BitTable.pack(bits, [2] * d, target, 2)


def table_of_levels(n, d, levels, classes, seed=0):
    """Columns of up to so many levels, three of which decide."""
    rng = np.random.default_rng(seed)
    sizes = [2] * d if levels == 2 else rng.integers(1, levels + 1, d).tolist()
    codes = [rng.integers(0, size, n).astype(np.uint8) for size in sizes]
    target = (codes[0].astype(int) + codes[d // 2] + (codes[-1] > 0) + (rng.random(n) < 0.3)) % classes
    return BitTable.pack(codes, sizes, target, classes)


def tables_of_sums(n, d, levels, seed=0):
    """A target, and weights of two classes; numbers with tails, so that some have thirty bits."""
    rng = np.random.default_rng(seed)
    sizes = [2] * d if levels == 2 else rng.integers(1, levels + 1, d).tolist()
    codes = [rng.integers(0, size, n).astype(np.uint8) for size in sizes]
    y = rng.normal(size=n) + 0.3 * ((codes[0] > 0) ^ (codes[-1] > 0))
    y -= y.mean()
    weights, classes = rng.exponential(size=n), (y + rng.normal(size=n) > 0).astype(int)
    squares = CodeTable.of(codes, sizes, summable(np.column_stack([np.ones(n), y, y * y])))
    votes = CodeTable.of(codes, sizes, summable(np.column_stack([weights, weights**2])), classes, 2)
    return {"squared error": (squares, SquaredErrorScore()), "weighted votes": (votes, ZeroOneScore(2))}


def search(engine, k=3, score=None):
    """The result and the seconds it took."""
    start = time.perf_counter()
    found = exhaustive(engine, score or ZeroOneScore(engine.n_channels), k, n_best=100)
    return found, time.perf_counter() - start


def measure_sums(n, d, levels, k):
    """Numbers and weights, all cores beside the card."""
    for name, (table, score) in tables_of_sums(n, d, levels).items():
        _, seconds = min((search(GpuEngine(table, 16), k, score) for _ in range(3)), key=lambda pair: pair[1])
        _, slow = search(NativeEngine(table, 16), k, score)
        if slow < LONGEST / 10:
            slow = min(slow, search(NativeEngine(table, 16), k, score)[1])
        what = f"{name}, {k} of {d} bits, n={n:,}"
        print(f"{what}: card {seconds:.3f} s, sixteen cores {slow:.3f} s, {slow / seconds:.1f} times", flush=True)


def measure_streamed(n, d, k):
    """Bits that the card is told not to have the memory for."""
    table = table_of(n, d)
    _, whole = min((search(GpuEngine(table), k) for _ in range(3)), key=lambda pair: pair[1])
    with patch.object(gpu_engine, "memory_of_card", lambda: table.nbytes):
        found, seconds = search(GpuEngine(table), k)
    truth, _ = search(NativeEngine(table, 16), k)
    same = np.array_equal(found.subsets, truth.subsets) and np.array_equal(found.scores, truth.scores)
    what = f"streamed, {k} of {d} bits, n={n:,}, memory of {table.nbytes / 1e6:.0f} MB"
    print(f"{what}: {'the same' if same else 'DIFFERENT'}, {seconds:.3f} s; whole {whole:.3f} s", flush=True)


def measure_levels(n, d, levels, classes, k):
    """Columns of levels and rows of several classes, all cores beside the card."""
    table = table_of_levels(n, d, levels, classes)
    search(GpuEngine(table_of_levels(1000, 20, levels, classes)), k)
    _, seconds = min((search(GpuEngine(table), k) for _ in range(3)), key=lambda pair: pair[1])
    _, slow = search(NativeEngine(table, 16), k)
    what = f"{k} columns of {levels} levels, {classes} classes, n={n:,} d={d}"
    print(f"{what}: card {seconds:.3f} s, sixteen cores {slow:.3f} s, {slow / seconds:.1f} times", flush=True)


def compare(n, d, k=3):
    """Whether both find the same, to the last bit of the scores, of bits in two classes."""
    compare_tables(table_of(n, d), k)


def compare_tables(table, k, score=None):
    """The same of any table."""
    n, d = int(table.class_rows.sum()) if isinstance(table, BitTable) else len(table.values), table.n_units
    ours, _ = search(GpuEngine(table), k, score)
    theirs, _ = search(NativeEngine(table, 16), k, score)
    same = np.array_equal(ours.subsets, theirs.subsets) and np.array_equal(ours.scores, theirs.scores)
    print(f"n={n:,} d={d} k={k}: {'the same' if same else 'DIFFERENT'} {len(ours.scores)} best", flush=True)


def measure_fours(n, d):
    """Sets of four, all cores beside the card."""
    table = table_of(n, d)
    search(GpuEngine(table_of(1000, 64)), 4)
    ours, seconds = min((search(GpuEngine(table), 4) for _ in range(3)), key=lambda pair: pair[1])
    engine = GpuEngine(table)
    fours = engine.scan(ZeroOneScore(2).fused(n)).lists[4]
    kernel = kernel_seconds(fours, ours.scores[-1])
    fewer = d
    while comb(fewer, 4) * n > 1e9 * 16 * 64 * LONGEST:
        fewer = fewer * 7 // 8
    _, slow = search(NativeEngine(table if fewer == d else table_of(n, fewer), 16), 4)
    slow *= comb(d, 4) / comb(fewer, 4)
    print(
        f"sets of four, n={n:,} d={d}: card {seconds:.3f} s (kernel {kernel:.3f} s, {comb(d, 4) / kernel / 1e9:.1f} G "
        f"a second; {comb(d, 4) / seconds / 1e9:.1f} G from bits to list), sixteen cores {slow:.2f} s"
        f"{' (scaled)' if fewer < d else ''}, {slow / seconds:.0f} times",
        flush=True,
    )


def measure(n, d):
    """Times of both."""
    table = table_of(n, d)
    search(GpuEngine(table_of(1000, 64)))
    ours, seconds = min((search(GpuEngine(table)) for _ in range(3)), key=lambda pair: pair[1])
    engine = GpuEngine(table)
    triples = engine.scan(ZeroOneScore(2).fused(n)).lists[3]
    kernel = kernel_seconds(triples, ours.scores[-1])
    fewer = d
    while comb(fewer, 3) * n > 2.5e9 * 16 * 64 * LONGEST:
        fewer = fewer * 3 // 4
    _, slow = search(NativeEngine(table if fewer == d else table_of(n, fewer), 16))
    slow *= comb(d, 3) / comb(fewer, 3)
    print(
        f"n={n:,} d={d}: card {seconds:.3f} s (kernel {kernel:.3f} s, {comb(d, 3) / kernel / 1e9:.1f} G triples/s, "
        f"{comb(d, 3) * n / kernel / 1e12:.0f} T useful bit-ANDs/s), sixteen cores {slow:.2f} s"
        f"{' (scaled)' if fewer < d else ''}, {slow / seconds:.0f} times",
        flush=True,
    )


def kernel_seconds(triples, floor):
    """One pass over all subsets with the floor known."""
    cp, d = card(), len(triples.words)
    tiles = triples.tiles_of(0, d)
    least = int(floor / triples.scale) - triples.n_cells
    times = []
    for _ in range(3):
        start, stop = cp.cuda.Event(), cp.cuda.Event()
        start.record()
        triples.launch(tiles, 0, d, least, probe=False)
        stop.record()
        stop.synchronize()
        times.append(cp.cuda.get_elapsed_time(start, stop) / 1e3)
    return min(times)


def compare_all():
    """Small tables of all kinds."""
    for n, d in SMALL:
        compare(n, d)
    for n, d in SMALL_FOURS:
        compare(n, d, 4)
    for *shape, k in SMALL_LEVELS:
        compare_tables(table_of_levels(*shape), k)
    for *shape, k in SMALL_SUMS:
        for table, score in tables_of_sums(*shape).values():
            compare_tables(table, k, score)


def main():
    """Compare, then measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    if why_no_card():
        print(f"Nothing to measure: {why_no_card()}")
        return
    compare_all()
    measure_streamed(*STREAMED)
    for n, d in SIZES[:2] if quick else SIZES:
        measure(n, d)
    for shape in SUMS[:2] if quick else SUMS:
        measure_sums(*shape)
    for shape in LEVELS[:1] if quick else LEVELS:
        measure_levels(*shape)
    for n, d in FOURS[:1] if quick else FOURS:
        measure_fours(n, d)


if __name__ == "__main__":
    main()
