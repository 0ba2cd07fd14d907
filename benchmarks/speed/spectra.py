"""How fast spectra are, beside the matrix products they need.

usage: PACLEARN_DATA=folder python -m benchmarks.speed.spectra
"""

from __future__ import annotations

import gzip
import os
import resource
import time
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.speed.foundation import best_of
from paclearn import BooleanEncoder
from paclearn.measures import ChainMeasure, ProductMeasure, TreeMeasure, UniformMeasure
from paclearn.spectra import Spectrum, transform


def idx(path):
    raw = gzip.decompress(path.read_bytes())
    shape = np.frombuffer(raw, ">i4", raw[3], 4)
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * raw[3]).reshape(shape)


def report_transforms(d=20):
    rng = np.random.default_rng(0)
    values, bits = rng.normal(size=2**d), rng.choice([-1, 1], (1000, d))
    for measure in (UniformMeasure(), ChainMeasure()):
        network = measure.fit(bits).network_
        seconds = best_of(3, lambda network=network: transform(values, network))
        print(f"exact transform of {d} bits, {type(measure).__name__}: {seconds:.2f} s")


def report_trees(n=100_000, d=500):
    bits = np.random.default_rng(0).choice([-1, 1], (n, d)).astype(np.int8)
    print(f"Chow-Liu on {n:,} x {d}: {best_of(1, lambda: TreeMeasure().fit(bits)):.1f} s")


def report_digits(folder):
    X = idx(folder / "train-images-idx3-ubyte.gz").reshape(-1, 784) > 127
    labels = idx(folder / "train-labels-idx1-ubyte.gz")
    X = np.where(X[:, X.any(axis=0) & ~X.all(axis=0)], 1, -1).astype(np.int8)
    y = np.where(labels[:, None] == np.arange(10), 1.0, -1.0)
    measure = ProductMeasure().fit(X)
    started = time.perf_counter()
    spectrum = Spectrum.estimate(X, y, measure, degree=2)
    ours = time.perf_counter() - started
    # what it needs: one product of the basis with itself for the rows of each class; squares follow from these
    basis = measure.basis(X)
    parts = [basis[labels == c] for c in range(10)]
    products = best_of(2, lambda: [part.T @ part for part in parts])
    naive = 10 * best_of(1, lambda: basis.T @ (basis * y[:, :1]))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    size = f"{X.shape[0]:,} digits, {X.shape[1]} bits, 10 classes ({len(spectrum.subsets):,} subsets)"
    print(
        f"degree 2 of {size}: {ours:.1f} s, {products / ours:.0%} of the speed of the products of each class's rows, "
        f"{naive / ours:.1f} times that of one product of all rows a class; peak {peak:.1f} GB"
    )


def report_degree_three(folder):
    """All triples of a table of chess endgames."""
    frame = pd.read_parquet(folder / "kr_vs_kp.parquet")
    bits = 2 * BooleanEncoder().fit_transform(frame.drop(columns="target")).astype(np.int8) - 1
    y = np.where(frame["target"] == frame["target"].iloc[0], 1.0, -1.0)
    measure = ProductMeasure().fit(bits)
    seconds = best_of(2, lambda: Spectrum.estimate(bits, y, measure, degree=3))
    print(f"degree 3 of kr_vs_kp, {len(bits):,} rows and {bits.shape[1]} bits: {seconds:.1f} s")


def main():
    report_transforms()
    report_trees()
    if "PACLEARN_DATA" in os.environ:
        report_degree_three(Path(os.environ["PACLEARN_DATA"]))
        report_digits(Path(os.environ["PACLEARN_DATA"]) / "mnist")


if __name__ == "__main__":
    main()
