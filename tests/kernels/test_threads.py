"""Threads that help scans wait a while for more, and a forked process has its own."""

import os
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from paclearn.counting import BitTable, NativeEngine
from paclearn.kernels import dispatch
from paclearn.search import ZeroOneScore

pytestmark = [
    pytest.mark.skipif(not dispatch.available(), reason="numpy has no threads"),
    pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc"),
]


def scan_of(n_threads):
    rng = np.random.default_rng(0)
    table = BitTable.pack(rng.integers(0, 2, (300, 900)).astype(np.uint8), [2] * 300, rng.integers(0, 2, 900), 2)
    return NativeEngine(table, n_threads).scan(ZeroOneScore(2).fused(900.0))


def threads_here():
    return {thread.name for thread in Path("/proc/self/task").iterdir()}


def test_the_same_threads_help_again():
    scan, before = scan_of(3), threads_here()
    found = scan.best(2, 0, 299, 10)
    helpers = threads_here() - before
    assert len(helpers) <= 2
    for _ in range(5):
        again = scan.best(2, 0, 299, 10)
        np.testing.assert_array_equal(again[0], found[0])
        np.testing.assert_array_equal(again[1], found[1])
    assert len(threads_here() - before) <= 2


def test_a_forked_process_has_helpers_of_its_own():
    scan = scan_of(3)
    expected = scan.best(2, 0, 299, 10)[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons mind a fork beside other threads
        child = os.fork()
    if child == 0:
        same = np.array_equal(scan.best(2, 0, 299, 10)[0], expected)
        os._exit(0 if same and 1 < len(threads_here()) <= 3 else 1)
    assert os.waitpid(child, 0)[1] == 0
