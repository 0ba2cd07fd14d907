"""Calls that once crashed or hung the interpreter, or counted what was not there; see test_kernels.py.

A case is a function of a `Stage`, what it must raise and what the message must say. Run as a script, this file takes
the cases from a number on, one after another, and writes a line of JSON when a case begins and when it ends: if the
process dies, the last line says where.
"""

import json
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from paclearn.counting import BitTable, CodeTable, NativeEngine
from paclearn.kernels import dispatch
from paclearn.search import SquaredErrorScore, ZeroOneScore, exhaustive, greedy, permutation_test

LONGEST = 60  # seconds that a case may take before the alarm rings, on a busy machine; most take a hundredth
SOON = 10  # seconds of the processor in which an interrupt must be heard, with a core that is watched


class Stage:
    """What the cases play with: 200 rows, eight bits and a column of three levels, two classes."""

    def __init__(self):
        rng = np.random.default_rng(0)
        self.sizes = [2] * 8 + [3]
        self.codes = [rng.integers(0, q, 200).astype(np.uint8) for q in self.sizes]
        self.y = rng.integers(0, 2, 200)

    @cached_property
    def table(self):
        return BitTable.pack(self.codes, self.sizes, self.y, 2)

    @cached_property
    def engine(self):
        return NativeEngine(self.table)

    def parts(self, **others):
        """The arguments of the core's kernels that take words."""
        names = ("words", "sizes", "class_starts", "class_rows")
        return [others.get(name, getattr(self.table, name)) for name in names]

    def count(self, subsets=((0, 1),), threads=1, **others):
        return dispatch._core.count_cells(*self.parts(**others), np.array(subsets, dtype=np.int32), threads)

    def scan(self, kind="empirical", inverse=None, **others):
        return dispatch._core.Scan(*self.parts(**others), kind, 1.0, inverse, 1)

    def conjunctions(self, k=2, begin=0, end=10, n_best=5, **others):
        """A scan of the conjunctions of all planes, each a group of its own."""
        table, numbers = self.table, np.arange(20, dtype=np.int32).reshape(10, 2)
        given = {
            "words": table.words,
            "class_starts": table.class_starts,
            "class_rows": table.class_rows,
            "groups": np.arange(10),
            "conditions": numbers,
            "row_weights": np.ones(2),
            "target_weights": np.array([0.0, 1.0]),
            "kind": "accuracy",
            "squares": 50.0,
            "two_sided": False,
            "minimal": False,
            "min_rows": 1.0,
            "n_threads": 1,
            **others,
        }
        return dispatch._core.ConjunctionScan(**given).best(k, begin, end, n_best)

    def sum_scan(self, k=2, begin=0, end=1, n_best=5, **others):
        """The best of a scan of a target of noise, all rows of one class."""
        return self.scan_of_sums(**others).best(k, begin, end, n_best)

    def scan_of_sums(self, **others):
        """Such a scan."""
        table = BitTable.pack(self.codes, self.sizes, 0 * self.y, 1)
        given = {
            "words": table.words,
            "sizes": table.sizes,
            "class_starts": table.class_starts,
            "class_rows": table.class_rows,
            "numbers": np.ones((2, 512), dtype=np.int32),
            "steps": np.ones(2),
            "errors": np.ones(2),
            "own": 1.0,
            "peak": 1.0,
            "codes": np.stack(self.codes),
            "row_class": np.zeros(200, dtype=np.int32),
            "values": np.ones((200, 3)),
            "kind": "squares",
            "scale": 1.0,
            "n_threads": 1,
            **others,
        }
        return dispatch._core.SumScan(**given)

    def lines(self, shape):
        """Zeros that begin where a line of memory does."""
        room = np.zeros(int(np.prod(shape)) + 8, dtype=np.uint64)
        skip = -room.ctypes.data // 8 % 8
        return room[skip : skip + int(np.prod(shape))].reshape(shape)

    def packed(self, codes):
        packer = dispatch._core.Packer(self.y.astype(np.int32), 2)
        planes = np.zeros((1, int(packer.class_starts[-1])), dtype=np.uint64)
        if codes.ndim > 1:
            return packer.pack_matrix(codes, np.array([2]), planes)
        return packer.pack(codes, planes)

    def shifted(self):
        """The words, eight bytes past a cache line."""
        room = np.zeros(self.table.words.size + 9, dtype=np.uint64)
        skip = -room.ctypes.data // 8 % 8 + 1
        words = room[skip : skip + self.table.words.size].reshape(self.table.words.shape)
        words[:] = self.table.words
        return words

    def sums(self, **others):
        values = np.ones((200, 1))
        table = CodeTable.of(self.codes, self.sizes, values, self.y, 2)
        given = {
            "codes": table.codes,
            "sizes": table.sizes,
            "classes": table.row_class,
            "values": table.values,
            **others,
        }
        subsets = np.array([[0, 8]], dtype=np.int32)
        return dispatch._core.sum_cells(
            given["codes"], given["sizes"], given["classes"], 2, given["values"], subsets, 1
        )


def layout(n_columns=2, bins=4, levels=0):
    return np.array([[i * bins, bins, bins - 1, levels] for i in range(n_columns)], dtype=np.int64)


def fill(rows=(0, 1), codes=None, n=10, given=None):
    codes = np.zeros((2, n), dtype=np.uint8) if codes is None else codes
    return dispatch.fill_histogram(
        codes, layout() if given is None else given, np.array(rows, dtype=np.int32), np.ones(n), np.ones(n)
    )


def split(bins, columns, tried=(0,)):
    return dispatch.best_split(np.ones((bins, 2)), columns, np.array(tried, dtype=np.int32), 10.0, 5.0, 1.0, 0.1)


def route(column, low, high, n_columns=1, tables=None):
    nodes = [np.array(part, dtype=np.int32) for part in (column, low, high)]
    tables = np.ones((len(column), 256), dtype=np.uint8) if tables is None else tables
    return dispatch.route_rows(np.zeros((n_columns, 5), dtype=np.uint8), *nodes, tables)


def walk(n=3, outputs=1, **others):
    given = {
        "gram": np.eye(n),
        "before": np.zeros((n, outputs)),
        "targets": np.ones((n, outputs)),
        "counts": np.ones(n),
        "radius": np.ones(outputs),
        "rate": np.ones(outputs),
        "norm": np.zeros(outputs),
        **others,
    }
    return dispatch.walk(*given.values())


def interrupted(call, *arguments, **named):
    """The call, with an alarm soon after it began, which must end it before it is done."""
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    started = time.process_time()
    try:
        return call(*arguments, **named)
    except TimeoutError:
        if time.process_time() - started > SOON:
            raise RuntimeError("nobody heard the alarm") from None
        raise


def slow_sums():
    """A minute of sums."""
    codes = [np.zeros(200_000, dtype=np.uint8)] * 3  # sums of pairs are found all at once
    engine = NativeEngine(CodeTable.of(codes, [2] * 3, np.ones((200_000, 5))))
    return lambda: engine.counts(np.tile([[0, 1, 2]], (100_000, 1)))


def slow_scan():
    """A minute of subsets of four; those that share their first member, two seconds of them, are one job."""
    rng = np.random.default_rng(0)
    columns, y = rng.integers(0, 2, (300, 100_000), dtype=np.uint8), rng.integers(0, 2, 100_000)
    scan = NativeEngine(BitTable.pack(columns, [2] * 300, y, 2), 2).scan(SCORE.fused(100_000.0))
    return lambda: scan.best(4, 0, 40, 10)


def slow_sum_scan():
    """A minute of subsets of four by sums."""
    rng = np.random.default_rng(0)
    columns, y = rng.integers(0, 2, (100, 50_000), dtype=np.uint8), rng.normal(size=50_000)
    table = CodeTable.of(columns, [2] * 100, np.column_stack([np.ones(50_000), y, y * y]))
    scan = NativeEngine(table, 2).scan(SquaredErrorScore().fused(1.0))
    return lambda: scan.best(4, 0, 40, 10)


def slow_conjunctions():
    """Half a minute of conjunctions of three."""
    rng = np.random.default_rng(0)
    columns, y = rng.integers(0, 2, (800, 50_000), dtype=np.uint8), rng.integers(0, 2, 50_000)
    table, numbers = BitTable.pack(columns, [2] * 800, y, 2), np.arange(1600, dtype=np.int32).reshape(800, 2)
    parts = (table.words, table.class_starts, table.class_rows, np.arange(800), numbers)
    ends = np.ones(2), np.array([0.0, 1.0]), "accuracy", 1e4, False, False, 1.0, 2
    return lambda: dispatch._core.ConjunctionScan(*parts, *ends).best(3, 0, 800, 10)


def shared_scans():
    """Threads that share a scan of triples: one of them makes its table of pairs, and the others wait for it."""
    rng = np.random.default_rng(0)
    columns, y = rng.integers(0, 2, (300, 20_000), dtype=np.uint8), rng.integers(0, 2, 20_000)
    engine, fused = NativeEngine(BitTable.pack(columns, [2] * 300, y, 2)), SCORE.fused(20_000.0)
    expected = engine.scan(fused).best(3, 0, 1, 20)[1]
    for _ in range(10):
        scan, start = engine.scan(fused), threading.Barrier(8)
        with ThreadPoolExecutor(8) as pool:
            found = [pool.submit(lambda: (start.wait(), scan.best(3, 0, 1, 20))[1][1]) for _ in range(8)]  # noqa: B023
        assert all(np.array_equal(scores.result(), expected) for scores in found)


@dataclass(frozen=True)
class Case:
    name: str
    call: object
    error: str
    message: str


SCORE = ZeroOneScore(2)

CASES = [
    # documented calls with bad arguments
    Case(
        "subsets of none", lambda s: exhaustive(s.engine, SCORE, 0), "InputError", "k=0 must be a whole number from 1"
    ),
    Case("subsets of more than all", lambda s: exhaustive(s.engine, SCORE, 10), "InputError", "from 1 to 9"),
    Case("none to keep", lambda s: exhaustive(s.engine, SCORE, 2, n_best=0), "InputError", "n_best=0 must be"),
    Case("greedy for none", lambda s: greedy(s.engine, SCORE, 0), "InputError", "k=0 must be"),
    Case("greedy for more than all", lambda s: greedy(s.engine, SCORE, 10), "InputError", "from 1 to 9"),
    Case(
        "shuffles of no subsets",
        lambda s: permutation_test(s.codes, s.sizes, s.y, 0, n_permutations=1),
        "InputError",
        "k=0 must be",
    ),
    Case("counts of no members", lambda s: s.engine.counts(np.empty((1, 0))), "InputError", "must have a member"),
    Case(
        "cells beyond all numbers",
        lambda s: NativeEngine(BitTable.pack([s.codes[0]] * 70, [2] * 70, s.y, 2)).counts([range(70)]),
        "TooManyCellsError",
        "a subset of 70 units has 1.18e+21 cells",
    ),
    Case("members that are no numbers", lambda s: s.engine.counts([[0.5]]), "InputTypeError", "found float64"),
    Case("members that wrap around", lambda s: s.engine.counts([[2**32]]), "InputError", "unit numbers from 0 to 8"),
    Case("no columns", lambda s: BitTable.pack([], [], s.y, 2), "EmptyTableError", "must have a column"),
    Case(
        "a matrix of no columns",
        lambda s: BitTable.pack(np.empty((200, 0), dtype=np.uint8).T, [], s.y, 2),
        "EmptyTableError",
        "must have a column",
    ),
    Case(
        "columns shorter than the classes",
        lambda s: BitTable.pack([c[:100] for c in s.codes], s.sizes, s.y, 2),
        "InputError",
        "of 200 codes were expected",
    ),
    Case(
        "columns longer than the classes",
        lambda s: BitTable.pack([np.tile(c, 1000) for c in s.codes], s.sizes, s.y, 2),
        "InputError",
        "shape (200000,)",
    ),
    Case(
        "a matrix longer than the classes",
        lambda s: BitTable.pack(np.zeros((20_000, 9), dtype=np.uint8).T, s.sizes, s.y, 2),
        "InputError",
        "shape (20000,)",
    ),
    Case(
        "more sizes than columns",
        lambda s: BitTable.pack(s.codes[:5], s.sizes, s.y, 2),
        "InputError",
        "9 columns were expected, one for each of sizes; found 5",
    ),
    Case(
        "more sizes than a matrix has columns",
        lambda s: BitTable.pack(np.zeros((200, 2), dtype=np.uint8).T, [2] * 300, s.y, 2),
        "InputError",
        "300 columns were expected",
    ),
    Case(
        "more columns than sizes",
        lambda s: BitTable.pack(s.codes, s.sizes[:5], s.y, 2),
        "InputError",
        "5 columns of 200 codes were expected",
    ),
    Case("columns of no codes", lambda s: BitTable.pack(s.codes, [0] * 9, s.y, 2), "InputError", "from 1 to 65,536"),
    Case(
        "codes that are no bytes",
        lambda s: BitTable.pack([c.astype(float) for c in s.codes], s.sizes, s.y, 2),
        "InputTypeError",
        "found float64 for column 0",
    ),
    Case(
        "codes that have no plane",
        lambda s: BitTable.pack([c + 1 for c in s.codes], s.sizes, s.y, 2),
        "ValueError",
        "codes must be at least 0 and less than 2; found 2",
    ),
    Case(
        "a matrix of codes that have no plane",
        lambda s: BitTable.pack(np.full((200, 9), 2, dtype=np.uint8).T, s.sizes, s.y, 2),
        "ValueError",
        "codes must be at least 0 and less than 2; found 2",
    ),
    Case("half a class", lambda s: BitTable.pack(s.codes, s.sizes, s.y, 2.5), "InputError", "n_classes=2.5 must be"),
    Case(
        "classes without end",
        lambda s: CodeTable.of(s.codes, s.sizes, np.ones((200, 1)), s.y, 2**62),
        "InputError",
        "must be a whole number from 1 to 16777216",
    ),
    Case("threads without end", lambda s: NativeEngine(s.table, 2**70), "InputError", "must be a whole number from 1"),
    Case("members that are not as many", lambda s: s.engine.counts([[0, 1], [2]]), "InputError", "several lengths"),
    Case(
        "all of them, and more than any number",
        lambda s: exhaustive(s.engine, SCORE, 2, n_best=2**70),
        "nothing",
        "no error at all",
    ),
    Case("too few classes", lambda s: BitTable.pack(s.codes, s.sizes, s.y, 1), "InputError", "found 0 to 1"),
    Case("negative classes", lambda s: BitTable.pack(s.codes, s.sizes, s.y - 1, 2), "InputError", "found -1 to 0"),
    Case(
        "sorted by other rows",
        lambda s: BitTable.pack(s.codes, s.sizes, 0 * s.y, 1).sorted_by(np.tile(s.y, 100), 2),
        "InputError",
        "1 classes of 200 rows, to be sorted by 20000",
    ),
    Case("sorted twice", lambda s: s.table.sorted_by(s.y, 2), "InputError", "found 2 classes of 200 rows"),
    Case(
        "sums of classes that are not there",
        lambda s: CodeTable.of(s.codes, s.sizes, np.ones((200, 1)), s.y + 10_000_000, 2),
        "InputError",
        "found 10000000 to 10000001",
    ),
    Case(
        "sums of negative classes",
        lambda s: CodeTable.of(s.codes, s.sizes, np.ones((200, 1)), s.y - 1, 2),
        "InputError",
        "found -1 to 0",
    ),
    Case(
        "sums of too few classes",
        lambda s: CodeTable.of(s.codes, s.sizes, np.ones((200, 1)), s.y[:10], 2),
        "InputError",
        "of 10 codes were expected",
    ),
    Case(
        "sums of too few values",
        lambda s: CodeTable.of(s.codes, s.sizes, np.ones((10, 1)), s.y, 2),
        "InputError",
        "found shapes (9, 200) and (10, 1)",
    ),
    Case("sums of a list", lambda s: CodeTable.of(s.codes, s.sizes, np.ones(200)), "InputError", "and (200,)"),
    Case(
        "words that are no words",
        lambda s: BitTable(s.table.words.astype(float), *s.parts()[1:]),
        "InputTypeError",
        "words must be an array of uint64 with 2 dimensions; found float64",
    ),
    Case(
        "words of another table",
        lambda s: BitTable(s.table.words[:3], *s.parts()[1:]),
        "InputError",
        "words must have shape (10, 16)",
    ),
    # conjunctions, straight to the core
    Case("conjunctions of four", lambda s: s.conjunctions(k=4), "ValueError", "k must be 1, 2 or 3; found 4"),
    Case("conjunctions of none", lambda s: s.conjunctions(k=0), "ValueError", "k must be 1, 2 or 3; found 0"),
    Case(
        "planes that are not there", lambda s: s.conjunctions(end=11), "ValueError", "from 0 to 9; found a range from 0"
    ),
    Case("planes that go back", lambda s: s.conjunctions(begin=5, end=4), "ValueError", "found a range from 5 to 3"),
    Case("no conjunctions to keep", lambda s: s.conjunctions(n_best=0), "ValueError", "n_best must be 1 or more"),
    Case(
        "conjunctions off the line",
        lambda s: s.conjunctions(words=s.shifted()),
        "ValueError",
        "a multiple of 64 bytes; found a start 8",
    ),
    Case("no planes", lambda s: s.conjunctions(words=s.table.words[:0]), "ValueError", "must have a plane; found none"),
    Case("groups of other planes", lambda s: s.conjunctions(groups=np.arange(9)), "ValueError", "found 9 and (10, 2)"),
    Case(
        "groups that go down", lambda s: s.conjunctions(groups=np.arange(10)[::-1].copy()), "ValueError", "must go up"
    ),
    Case(
        "conditions of three answers",
        lambda s: s.conjunctions(conditions=np.zeros((10, 3), dtype=np.int32)),
        "ValueError",
        "found 10 and (10, 3)",
    ),
    Case(
        "conditions below none",
        lambda s: s.conjunctions(conditions=np.full((10, 2), -2, dtype=np.int32)),
        "ValueError",
        "conditions must be at least -1",
    ),
    Case("weights of other layers", lambda s: s.conjunctions(row_weights=np.ones(3)), "ValueError", "of the 2 layers"),
    Case(
        "weights that are no numbers",
        lambda s: s.conjunctions(target_weights=np.array([0, np.nan])),
        "ValueError",
        "target_weights must be finite and not negative",
    ),
    Case("a quality nobody knows", lambda s: s.conjunctions(kind="gini"), "ValueError", "kind must be 'accuracy'"),
    Case("no squares", lambda s: s.conjunctions(squares=0.0), "ValueError", "squares must be finite and more than 0"),
    Case("rows below none", lambda s: s.conjunctions(min_rows=-1.0), "ValueError", "min_rows must be 0 or more"),
    Case(
        "rows that are no number", lambda s: s.conjunctions(min_rows=np.nan), "ValueError", "min_rows must be 0 or more"
    ),
    Case(
        "no threads for conjunctions",
        lambda s: s.conjunctions(n_threads=0),
        "ValueError",
        "n_threads must be 1 or more",
    ),
    # codes, straight to the core
    *[
        Case(f"a column of {len(codes)} codes", lambda s, codes=codes: s.packed(codes), "ValueError", "of the 200 rows")
        for codes in (np.ones(100, dtype=np.uint8), np.ones(200_000, dtype=np.uint16))
    ],
    Case(
        "a matrix of fewer rows",
        lambda s: s.packed(np.ones((100, 1), dtype=np.uint8)),
        "ValueError",
        "codes must have shape (200, 1)",
    ),
    # words, straight to the core
    Case(
        "words off the line",
        lambda s: s.count(words=s.shifted()),
        "ValueError",
        "a multiple of 64 bytes; found a start 8",
    ),
    Case(
        "a scan off the line",
        lambda s: s.scan(words=s.shifted()),
        "ValueError",
        "a multiple of 64 bytes; found a start 8",
    ),
    Case(
        "words by columns",
        lambda s: s.count(words=np.asfortranarray(s.table.words)),
        "ValueError",
        "found uint64 of shape (10, 16), not C-contiguous",
    ),
    Case(
        "words of floats",
        lambda s: s.count(words=s.table.words.astype(float)),
        "TypeError",
        "found float64 of shape (10, 16)",
    ),
    Case("words that are none", lambda s: s.scan(words=None), "TypeError", "found an object of type NoneType"),
    Case("too few planes", lambda s: s.count(words=s.table.words[:3]), "ValueError", "must have shape (10, 16)"),
    Case(
        "classes out of the words",
        lambda s: s.count(class_starts=np.array([0, 8, 10**6 * 8])),
        "ValueError",
        "must have shape (10, 8000000)",
    ),
    Case("classes that go back", lambda s: s.count(class_starts=np.array([0, -8, 16])), "ValueError", "must go up"),
    Case(
        "classes off the line",
        lambda s: s.count(class_starts=np.array([0, 4, 16])),
        "ValueError",
        "multiples of 8 words",
    ),
    Case("too many rows", lambda s: s.count(class_rows=np.array([10**9, 1])), "ValueError", "rows of a class must fit"),
    Case("no classes", lambda s: s.count(class_rows=np.zeros(0, dtype=np.int64)), "ValueError", "one number more than"),
    Case(
        "a unit of no codes",
        lambda s: s.count(sizes=np.zeros(9, dtype=np.int64)),
        "ValueError",
        "sizes must be at least 1",
    ),
    Case(
        "units that are not there",
        lambda s: s.count([[0, 9]]),
        "ValueError",
        "subsets must be at least 0 and less than 9; found 9",
    ),
    Case("negative units", lambda s: s.count([[-1, 0]]), "ValueError", "found -1"),
    Case("no members", lambda s: s.count(np.empty((1, 0))), "ValueError", "a subset must have a member"),
    Case("cells without address", lambda s: s.count([[0] * 70]), "ValueError", "found a subset of 70 units"),
    Case("no threads", lambda s: s.count(threads=0), "ValueError", "n_threads must be 1 or more; found 0"),
    Case("a scan for one member", lambda s: s.scan().best(1, 0, 8, 5), "ValueError", "k must be at least 2"),
    Case(
        "a scan for too many members",
        lambda s: s.scan().best(10, 0, 1, 5),
        "ValueError",
        "number of units, 9; found 10",
    ),
    Case(
        "a scan beyond the end",
        lambda s: s.scan().best(2, 0, 100, 5),
        "ValueError",
        "must come from 0 to 7; found a range from 0 to 99",
    ),
    Case("a scan that goes back", lambda s: s.scan().best(2, 5, 2, 5), "ValueError", "found a range from 5 to 1"),
    Case("a scan for nothing", lambda s: s.scan().best(2, 0, 8, 0), "ValueError", "n_best must be 1 or more; found 0"),
    Case("a score nobody knows", lambda s: s.scan("entropy"), "ValueError", "found 'entropy'"),
    Case(
        "too few probabilities", lambda s: s.scan("l2", np.ones((9, 2))), "ValueError", "each of the 3 codes of unit 8"
    ),
    Case(
        "probabilities of others",
        lambda s: s.scan("l2", np.ones((2, 3))),
        "ValueError",
        "a row for each of the 9 units",
    ),
    # sums, straight to the core
    Case(
        "sums of codes out of range",
        lambda s: s.sums(codes=np.full((9, 200), 77, dtype=np.uint8)),
        "ValueError",
        "codes of unit 0 must be at least 0 and less than 2; found 77",
    ),
    Case("sums of bad classes", lambda s: s.sums(classes=np.full(200, 99, dtype=np.int32)), "ValueError", "found 99"),
    Case("sums of few classes", lambda s: s.sums(classes=np.zeros(9, dtype=np.int32)), "ValueError", "found 9 and 200"),
    Case("sums of few values", lambda s: s.sums(values=np.ones((3, 1))), "ValueError", "found 200 and 3"),
    Case("sums of nothing", lambda s: s.sums(values=np.ones((200, 0))), "ValueError", "values must have a column"),
    Case("sums of wide codes", lambda s: s.sums(codes=np.zeros((9, 200), dtype=np.int64)), "TypeError", "found int64"),
    # graphs
    Case(
        "more bins than bytes", lambda s: split(5000, layout(1, 5000, 1)), "ValueError", "at most 256 bins; found 5000"
    ),
    Case("bins out of the histogram", lambda s: split(4, layout()), "ValueError", "must end within the 4"),
    Case(
        "a column that is not there",
        lambda s: split(8, layout(), (7,)),
        "ValueError",
        "tried must be at least 0 and less than 2",
    ),
    Case(
        "rows that are not there",
        lambda s: fill((0, 10**8)),
        "ValueError",
        "rows must be at least 0 and less than 10; found 100000000",
    ),
    Case("negative rows", lambda s: fill((-(10**8), 1)), "ValueError", "found -100000000"),
    Case(
        "codes that have no bin",
        lambda s: fill(codes=np.full((2, 10), 200, dtype=np.uint8)),
        "ValueError",
        "codes of column 0 must be less than its 4 bins; found 200",
    ),
    Case(
        "bins far away",
        lambda s: fill(given=np.array([[10**9, 4, 3, 0], [4, 4, 3, 0]])),
        "ValueError",
        "bins of column 0 must end within the 8",
    ),
    Case(
        "bins of two columns",
        lambda s: fill(given=np.array([[0, 4, 3, 0], [0, 4, 3, 0]])),
        "ValueError",
        "bins of column 1 must start at 4, behind those before them; found a start of 0",
    ),
    Case("a layout of another table", lambda s: fill(given=layout(5)), "ValueError", "each of the 2 columns; found 5"),
    Case(
        "sides of rows that are not there",
        lambda s: dispatch.partition_rows(
            np.zeros(10, dtype=np.uint8), np.ones(256, dtype=np.uint8), np.array([10**8], dtype=np.int32)
        ),
        "ValueError",
        "found 100000000",
    ),
    Case(
        "sides of few codes",
        lambda s: dispatch.partition_rows(
            np.full(10, 200, dtype=np.uint8), np.ones(3, dtype=np.uint8), np.arange(10, dtype=np.int32)
        ),
        "ValueError",
        "each of 256 codes; found 3",
    ),
    Case("round and round", lambda s: route([0, 0], [1, 0], [1, 0]), "ValueError", "found one that comes back"),
    Case(
        "a node that is not there",
        lambda s: route([0, -1], [10**8, -1], [1, -1]),
        "ValueError",
        "found 100000000 and 1",
    ),
    Case("a negative node", lambda s: route([0, -1], [-5, -1], [1, -1]), "ValueError", "found -5 and 1"),
    Case("asking for nothing", lambda s: route([10**6, -1], [1, -1], [1, -1]), "ValueError", "found column 1000000"),
    Case("no root", lambda s: route([], [], []), "ValueError", "a graph must have a root"),
    Case(
        "few answers",
        lambda s: route([0, -1], [1, -1], [1, -1], tables=np.ones((2, 3), dtype=np.uint8)),
        "ValueError",
        "2 of 3",
    ),
    # halfspaces
    Case(
        "targets of others",
        lambda s: walk(targets=np.ones((100_000, 1))),
        "ValueError",
        "targets must have a row for each of the 3",
    ),
    Case("too few targets", lambda s: walk(targets=np.ones((1, 1))), "ValueError", "targets must have a row for each"),
    Case("outputs of others", lambda s: walk(before=np.ones((3, 7))), "ValueError", "found 7 and 1"),
    Case(
        "rates of others",
        lambda s: walk(2000, 50, rate=np.ones(1)),
        "ValueError",
        "rate must have a row for each of the 50",
    ),
    Case("a gram of others", lambda s: walk(gram=np.eye(1)), "ValueError", "each of the 1 rows of gram; found 3"),
    Case(
        "endless counts", lambda s: walk(counts=np.full(3, np.inf)), "ValueError", "counts must be finite and 0 or more"
    ),
    Case(
        "weights of others",
        lambda s: dispatch.expand(np.ones((3, 1000)), 0.5, 1.0, np.ones((2, 1))),
        "ValueError",
        "each of the 1000 columns of base; found 2",
    ),
    # scans by sums, straight to the core
    Case(
        "numbers of other rows",
        lambda s: s.sum_scan(numbers=np.ones((2, 64), dtype=np.int32)),
        "ValueError",
        "of 512 numbers",
    ),
    Case(
        "numbers too large",
        lambda s: s.sum_scan(numbers=np.full((2, 512), 2**30, dtype=np.int32)),
        "ValueError",
        "found 1073741824",
    ),
    Case("numbers that are floats", lambda s: s.sum_scan(numbers=np.ones((2, 512))), "TypeError", "found float64"),
    Case(
        "a step too few",
        lambda s: s.sum_scan(steps=np.ones(1)),
        "ValueError",
        "steps must have a number for each of the 2",
    ),
    Case(
        "an error too many",
        lambda s: s.sum_scan(errors=np.ones(3)),
        "ValueError",
        "errors must have a number for each of the 2",
    ),
    Case(
        "codes beyond their sizes",
        lambda s: s.sum_scan(codes=np.full((9, 200), 3, dtype=np.uint8)),
        "ValueError",
        "codes of unit 0",
    ),
    Case(
        "codes of other rows",
        lambda s: s.sum_scan(codes=np.zeros((9, 7), dtype=np.uint8)),
        "ValueError",
        "each of the 7 rows of codes",
    ),
    Case("values of other rows", lambda s: s.sum_scan(values=np.ones((7, 3))), "ValueError", "found 200 and 7"),
    Case(
        "too few values",
        lambda s: s.sum_scan(values=np.ones((200, 4))),
        "ValueError",
        "three columns of values, or five or more; found 4",
    ),
    Case(
        "votes of three numbers",
        lambda s: s.sum_scan(kind="votes", numbers=np.ones((3, 512), dtype=np.int32)),
        "ValueError",
        "votes have one or two rows of numbers; found 3",
    ),
    Case(
        "sums of a kind unknown",
        lambda s: s.sum_scan(kind="cubes"),
        "ValueError",
        "must be 'squares' or 'votes'; found 'cubes'",
    ),
    Case("sums of one", lambda s: s.sum_scan(k=1), "ValueError", "k must be at least 2"),
    Case("sums of none", lambda s: s.sum_scan(n_best=0), "ValueError", "n_best must be 1 or more"),
    Case(
        "sums of more rows than are packed",
        lambda s: s.sum_scan(
            codes=np.zeros((9, 300), dtype=np.uint8), row_class=np.zeros(300, dtype=np.int32), values=np.ones((300, 3))
        ),
        "ValueError",
        "must have the 200 rows of class 0 that class_rows has; found 300",
    ),
    Case(
        "scores of units that are not there",
        lambda s: s.scan_of_sums().scores(np.array([[0, 9]], dtype=np.int32)),
        "ValueError",
        "subsets must be at least 0 and less than 9; found 9",
    ),
    Case(
        "scores of subsets of none",
        lambda s: s.scan_of_sums().scores(np.zeros((2, 0), dtype=np.int32)),
        "ValueError",
        "a subset must have a member",
    ),
    Case(
        "pairs of planes of odd lengths",
        lambda s: dispatch._core.sum_pairs(s.lines((2, 7)), np.ones((1, 448), dtype=np.int32), 1),
        "ValueError",
        "a multiple of 8 words; found 7",
    ),
    # what takes long can be interrupted
    Case("a walk of a year", lambda s: interrupted(walk, counts=np.full(3, 1e15)), "TimeoutError", "the alarm"),
    Case("a minute of sums", lambda s: interrupted(slow_sums()), "TimeoutError", "the alarm"),
    Case("half a minute of conjunctions", lambda s: interrupted(slow_conjunctions()), "TimeoutError", "the alarm"),
    Case("a minute of sums over fours", lambda s: interrupted(slow_sum_scan()), "TimeoutError", "the alarm"),
    Case("a minute of fours", lambda s: interrupted(slow_scan()), "TimeoutError", "the alarm"),
    # and what is allowed
    Case("threads that share a scan", lambda s: shared_scans(), "nothing", "no error at all"),
]


def ring(*_):
    raise TimeoutError("the alarm")


def attempt(case):
    try:
        case.call(Stage())
    except Exception as error:  # noqa: BLE001 - whatever it is, the parent looks at it
        return [type(error).__name__, str(error)]
    return ["nothing", "no error at all"]


def main(begin):
    signal.signal(signal.SIGALRM, ring)
    for number in range(begin, len(CASES)):
        sys.stdout.write(json.dumps([number]) + "\n")
        sys.stdout.flush()
        signal.setitimer(signal.ITIMER_REAL, LONGEST)
        answer = attempt(CASES[number])
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.stdout.write(json.dumps([number, *answer]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]))
