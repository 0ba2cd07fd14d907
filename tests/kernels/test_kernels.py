"""The boundary of the compiled core: bad arguments get one clear line; copies of tables count what the tables did."""

import copy
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import hostile_calls
import joblib
import numpy as np
import pytest
from instruction_sets import INSTRUCTION_SETS
from search.test_conjunctions import scans_of_many_planes

from paclearn.counting import BitTable, CodeTable, NativeEngine, NumpyEngine
from paclearn.exceptions import InputError
from paclearn.kernels import dispatch, numpy_counting
from paclearn.search import ZeroOneScore

if dispatch._core is None:
    pytest.skip("needs the compiled core", allow_module_level=True)

SRC = Path(dispatch.__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SRC), *sys.path])}


# ---- bad arguments ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def answers():
    """What every hostile call was answered, in a process of its own; where that dies, another goes on behind it."""
    found = {}
    while len(found) < len(hostile_calls.CASES):
        command = [sys.executable, hostile_calls.__file__, str(len(found))]
        done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=300)
        for number, *answer in map(json.loads, done.stdout.splitlines()):
            found[number] = answer or [f"exit code {done.returncode}", done.stderr]
    return found


@pytest.mark.parametrize("number", range(len(hostile_calls.CASES)), ids=lambda n: hostile_calls.CASES[n].name)
def test_bad_arguments_get_one_clear_line(answers, number):
    case = hostile_calls.CASES[number]
    error, message = answers[number]
    assert error == case.error, message
    assert case.message in message
    assert "\n" not in message


def test_a_missing_core_is_missing(monkeypatch):
    monkeypatch.setattr(dispatch, "_core", None)
    table = BitTable.pack([np.array([0, 1], dtype=np.uint8)], [2], np.array([0, 1]), 2)
    with pytest.raises(InputError, match="installed without its C\\+\\+ core"):
        NativeEngine(table).counts([[0]])


# ---- where words may lie ---------------------------------------------------------------------------------------------


def at_offset(words, folder):
    """The same words in a file, eight bytes behind its beginning."""
    path = folder / "words"
    path.write_bytes(b"eight by" + words.tobytes())
    return np.memmap(path, dtype=np.uint64, mode="r", offset=8, shape=words.shape)


def off_by(words, n_bytes):
    room = np.zeros(words.nbytes + 128, dtype=np.uint8)
    begin = -room.ctypes.data % 64 + n_bytes
    room[begin : begin + words.nbytes] = words.reshape(-1).view(np.uint8)
    return room[begin : begin + words.nbytes].view(np.uint64).reshape(words.shape)


def by_joblib(table, folder):
    joblib.dump(table, folder / "table")
    return joblib.load(folder / "table", mmap_mode="r")


COPIES = {
    "pickle": lambda table, folder: pickle.loads(pickle.dumps(table)),
    "pickle within": lambda table, folder: pickle.loads(pickle.dumps([b"x", table, NativeEngine(table)]))[2].table,
    "deepcopy": lambda table, folder: copy.deepcopy(table),
    "copy": lambda table, folder: copy.copy(table),
    "joblib": by_joblib,
    "memmap": lambda table, folder: replace(table, words=at_offset(table.words, folder)),
    "fortran": lambda table, folder: replace(table, words=np.asfortranarray(table.words)),
    "every other": lambda table, folder: replace(table, words=np.repeat(table.words, 2, axis=1)[:, ::2]),
    **{
        f"off by {n}": partial(lambda table, folder, n: replace(table, words=off_by(table.words, n)), n=n)
        for n in (1, 8, 16, 32, 56)
    },
}


def bits_of_noise():
    rng = np.random.default_rng(7)
    columns = rng.integers(0, 2, (30, 3000)).astype(np.uint8)
    return BitTable.pack(columns, [2] * 30, rng.integers(0, 2, 3000), 2)


@pytest.fixture(scope="module")
def table():
    return bits_of_noise()


def everything(table):
    scan = NativeEngine(table).scan(ZeroOneScore(2).fused(3000.0))
    parts = [part for k in (2, 3, 4) for part in scan.best(k, 0, 31 - k, 20)]
    return [*parts, NativeEngine(table).counts([[0, 1, 2], [3, 4, 29]]).values]


@pytest.mark.parametrize("how", COPIES)
def test_copies_of_a_table_count_what_it_did(table, how, tmp_path):
    copied = COPIES[how](table, tmp_path)
    assert copied.words.ctypes.data % 64 == 0
    assert copied.words.flags.c_contiguous
    for ours, theirs in zip(everything(copied), everything(table), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def counts_of_both_engines():
    """Of columns of two, three and four levels, in rows that are no multiple of a word."""
    rng = np.random.default_rng(6)
    codes = [rng.integers(0, q, 1300).astype(np.uint8) for q in (2, 3, 4)]
    table = BitTable.pack(codes, [2, 3, 4], rng.integers(0, 2, 1300), 2)
    return [engine(table).counts([[0, 1, 2]]).values for engine in (NativeEngine, NumpyEngine)]


@pytest.fixture(scope="module")
def conjunctions_found():
    return str(list(scans_of_many_planes(dispatch._core.ConjunctionScan)))


def what_is_counted():
    """By the instruction set of this process: copies of tables, against numpy; and the conjunctions that it finds."""
    assert np.array_equal(*counts_of_both_engines())
    with tempfile.TemporaryDirectory() as folder:
        for how in COPIES:
            test_copies_of_a_table_count_what_it_did(bits_of_noise(), how, Path(folder))
    return str(list(scans_of_many_planes(dispatch._core.ConjunctionScan)))


@pytest.mark.parametrize("isa", INSTRUCTION_SETS)
def test_every_instruction_set_counts_copies_and_finds_conjunctions_as_the_others_do(isa, found_by, conjunctions_found):
    found = found_by(isa)
    assert found["counted"] == conjunctions_found, found["errors"]
    assert found["used"] in {isa, "plain"}  # without the hardware, plain is what runs


def test_words_on_a_line_are_not_copied(table):
    assert replace(table).words is table.words
    assert np.shares_memory(copy.copy(table).words, table.words)


def test_copies_of_a_code_table(table):
    rng = np.random.default_rng(8)
    codes = [rng.integers(0, 3, 500).astype(np.uint8) for _ in range(3)]
    sums = CodeTable.of(codes, [3] * 3, rng.normal(size=(500, 2)), rng.integers(0, 2, 500), 2)
    shifted = off_by(sums.values.view(np.uint64), 1).view(np.float64)
    copies = [pickle.loads(pickle.dumps(sums)), replace(sums, values=shifted), replace(sums, codes=sums.codes[:, ::1])]
    for other in copies:
        np.testing.assert_array_equal(
            NativeEngine(other).counts([[0, 2]]).values, NativeEngine(sums).counts([[0, 2]]).values
        )


# ---- twins -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [1, 3, 300])
@pytest.mark.parametrize("code_type", [np.uint8, np.uint16])
@pytest.mark.parametrize("q", [2, 5, 40])
def test_packers_agree(n_classes, code_type, q):
    rng = np.random.default_rng(q)
    row_class = rng.integers(0, n_classes, 1000).astype(np.int32)
    codes = rng.integers(0, q, 1000).astype(code_type)
    packers = [kind(row_class, n_classes) for kind in (numpy_counting.Packer, dispatch._core.Packer)]
    planes = [np.zeros((q - 1, int(packer.class_starts[-1])), dtype=np.uint64) for packer in packers]
    for packer, out in zip(packers, planes, strict=True):
        packer.pack(codes, out)
    np.testing.assert_array_equal(*planes)
    for name in ("class_starts", "class_rows"):
        np.testing.assert_array_equal(*(getattr(packer, name) for packer in packers))


def test_no_rows_and_no_subsets_at_all():
    nothing = np.empty(0, dtype=np.int64)
    bits = BitTable.pack([nothing.astype(np.uint8)] * 3, [2, 2, 3], nothing, 2)
    sums = CodeTable.of([nothing.astype(np.uint8)] * 3, [2, 2, 3], np.empty((0, 2)), nothing, 2)
    for table in (bits, sums):
        for engine in (NativeEngine(table), NumpyEngine(table)):
            assert not engine.counts([[0, 2]]).values.any()
            assert engine.counts(np.empty((0, 2), dtype=np.int32)).values.shape == (0, 1, table.n_channels)
    assert len(NativeEngine(bits).scan(ZeroOneScore(2).fused(1.0)).best(2, 0, 2, 5)[1]) <= 3


@pytest.mark.parametrize("engine", ["numpy", "native"])
def test_graphs_that_go_round_in_circles(engine, monkeypatch):
    monkeypatch.setenv("PACLEARN_ENGINE", engine)
    with pytest.raises(ValueError, match="a way through the graph must end at a leaf"):
        hostile_calls.route([0, 0, -1], [1, 0, -1], [1, 2, -1])
    assert hostile_calls.route([0, 0, -1], [1, 2, -1], [2, 2, -1]).tolist() == [2] * 5
    assert hostile_calls.route([-1], [-1], [-1]).tolist() == [0] * 5


def test_numbers_that_lie_askew_are_copied():
    rng = np.random.default_rng(0)
    base, weights = rng.random((6, 4)), rng.random((4, 2))
    room = np.zeros(base.nbytes + 8, dtype=np.uint8)
    askew = room[1 : 1 + base.nbytes].view(np.float64).reshape(base.shape)
    askew[...] = base
    assert not askew.flags.aligned
    np.testing.assert_array_equal(
        dispatch._core.expand(askew, 0.25, 1.0, weights), dispatch._core.expand(base, 0.25, 1.0, weights)
    )


@pytest.mark.parametrize("end", [-(2**63), 2**63 - 1])
def test_ranges_that_end_nowhere(table, end):
    with pytest.raises(ValueError, match="found a range from 0 to"):
        NativeEngine(table).scan(ZeroOneScore(2).fused(3000.0)).best(2, 0, end, 5)


def test_more_threads_than_any_machine_has(table):
    words = (table.words, table.sizes, table.class_starts, table.class_rows)
    many, few = (dispatch._core.Scan(*words, "empirical", 1.0, None, n).best(2, 0, 29, 5) for n in (2**62, 1))
    np.testing.assert_array_equal(many[0], few[0])


@pytest.mark.skipif(not hasattr(signal, "ITIMER_VIRTUAL"), reason="needs a timer")
def test_packing_can_be_interrupted():
    """A second or two in one call: the column of many codes makes all others be read as many times."""
    codes, sizes = np.zeros((1_000_000, 200), dtype=np.uint8), np.array([17] + [2] * 199)
    packer = dispatch._core.Packer(np.zeros(1_000_000, dtype=np.int32), 1)
    planes = np.zeros((int((sizes - 1).sum()), int(packer.class_starts[-1])), dtype=np.uint64)
    before = signal.signal(signal.SIGVTALRM, hostile_calls.ring)
    started = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.05)
    try:
        with pytest.raises(TimeoutError):
            packer.pack_matrix(codes, sizes, planes)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    assert time.process_time() - started < 0.4
