"""How fast halfspaces are learned: the online solver beside the kernel evaluations it cannot do without, the gap of the
batch solver, and a million rows by explicit features.

usage: python -m benchmarks.speed.halfspaces [--rows 10000] [--columns 30] [--million]
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

import numpy as np
from threadpoolctl import threadpool_limits

from paclearn import HalfspaceClassifier
from paclearn.datasets import make_halfspace
from paclearn.learners.halfspaces.halfspace_loss import LOSSES
from paclearn.learners.halfspaces.halfspace_tuning import TUNING
from paclearn.learners.halfspaces.subgradient import one_pass
from paclearn.learners.halfspaces.training_points import Points, Sample
from paclearn.models.kernel_functions import Kernel, Linear

BLOCK = TUNING.block


def seconds(work, repeats=3):
    """The best of a few runs."""
    found = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        found.append(time.perf_counter() - started)
    return min(found)


def bare_products(rows):
    """m^2/2 inner products, nothing else: block by block, each with all rows before it."""
    for first in range(0, len(rows), BLOCK):
        block = rows[first : first + BLOCK]
        for begin in range(0, first + len(block), 4096):
            block @ rows[begin : min(begin + 4096, first + len(block))].T


def bare_kernel(rows, nu=0.5):
    """The same with the kernel 1 / (1 - nu <x, x'>) in place."""
    for first in range(0, len(rows), BLOCK):
        block = rows[first : first + BLOCK]
        for begin in range(0, first + len(block), 4096):
            values = block @ rows[begin : min(begin + 4096, first + len(block))].T
            values *= -nu
            values += 1
            np.reciprocal(values, out=values)


def online(m, d):
    data = make_halfspace(m, d, random_state=0)
    kernel, targets = Kernel(Linear(), 0.5, bias=False), data.target[:, None].astype(float)
    sample = Sample(Points(data.data, data.data), targets, np.ones(m), np.array([10.0]), LOSSES["one-sided"])
    absolute = replace(sample, loss=LOSSES["absolute"])
    with threadpool_limits(limits=1, user_api="blas"):
        ours, letter = seconds(lambda: one_pass(kernel, sample)), seconds(lambda: one_pass(kernel, absolute))
        products, values = seconds(lambda: bare_products(data.data)), seconds(lambda: bare_kernel(data.data))
    print(
        f"online, one pass over {m:,} rows of {d} columns: {ours:.2f} s; its {m * m / 2:.1e} kernel values in a bare "
        f"loop {values:.2f} s (speed {values / ours:.2f} of that), their inner products alone {products:.2f} s "
        f"({products / ours:.2f}); the absolute loss takes {letter / ours:.2f} times as long"
    )


def batch(m=2000):
    data = make_halfspace(m, random_state=0)
    for B in (10, 1000):
        started = time.perf_counter()
        model = HalfspaceClassifier(B=B, solver="batch").fit(data.data, data.target)
        took = time.perf_counter() - started
        print(f"batch, {m:,} rows, B = {B}: {took:.1f} s, {model.n_iter_} steps, gap {model.gap_:.1e}")
    started = time.perf_counter()
    model = HalfspaceClassifier(solver="batch", random_state=0).fit(data.data, data.target)
    print(f"batch, {m:,} rows, B by validation ({model.B_:g}): {time.perf_counter() - started:.1f} s in all")


def million(m=1_000_000, d=30, solvable=3000, n_test=50_000):
    data = make_halfspace(m + n_test, d, beyond=0.25, random_state=0)
    train, test = slice(0, m), slice(m, None)
    started = time.perf_counter()
    many = HalfspaceClassifier(solver="features", random_state=0).fit(data.data[train], data.target[train])
    took = time.perf_counter() - started
    few = HalfspaceClassifier(solver="batch", random_state=0).fit(data.data[:solvable], data.target[:solvable])
    same = HalfspaceClassifier(B=few.B_, solver="features", random_state=0)
    same.fit(data.data[:solvable], data.target[:solvable])
    errors = [np.mean(model.predict(data.data[test]) != data.target[test]) for model in (many, few, same)]
    best = np.mean(data.clean[test] != data.target[test])
    print(
        f"features, {m:,} rows of {d} columns: {took:.0f} s, B = {many.B_:g}, error {errors[0]:.2%}; on {solvable} "
        f"rows features {errors[2]:.2%}, exact {errors[1]:.2%}; the halfspace itself {best:.2%}"
    )


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rows", type=int, default=10_000)
    arguments.add_argument("--columns", type=int, nargs="+", default=[10, 30])
    arguments.add_argument("--million", action="store_true", help="and a million rows, a minute or two")
    options = arguments.parse_args()
    for d in options.columns:
        online(options.rows, d)
    batch()
    if options.million:
        million()


if __name__ == "__main__":
    main()
