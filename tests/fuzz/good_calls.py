"""Good arguments for every kernel of the compiled core, at random, and whom to call with them: the core or its twin."""

from itertools import combinations
from math import prod
from unittest import mock

import numpy as np

from paclearn.counting import BitTable, CodeTable, NumpyEngine, sum_scans
from paclearn.kernels import dispatch, numpy_conjunctions, numpy_counting, numpy_graphs, numpy_halfspaces
from paclearn.search import L2Score, SquaredErrorScore, ZeroOneScore
from paclearn.search.scores import product_marginals

PACKING = ("pack", "pack_matrix", "sort")
ROWS = [1, 2, 7, 30, 64, 65, 128, 511, 513, 1500]
CLASSES = [1, 1, 2, 2, 2, 3, 3, 5, 70]


def one_of(options, rng):
    """As `rng.choice` does, which takes ten times as long."""
    return options[int(rng.integers(len(options)))]


def aligned(shape):
    """Zeros whose words begin where a line of memory does."""
    size = prod(shape)
    room = np.zeros(size + 8, dtype=np.uint64)
    skip = -room.ctypes.data // 8 % 8
    return room[skip : skip + size].reshape(shape)


# ---- tables ----------------------------------------------------------------------------------------------------------


def _columns(rng, most=6, levels=(1, 2, 2, 2, 3, 4, 9)):
    """Codes of some columns, a row each, and how many each has."""
    n, sizes = one_of(ROWS, rng), rng.choice(levels, int(rng.integers(2, most))).astype(np.int64)
    return np.stack([rng.integers(0, q, n) for q in sizes]), sizes


def _classes(rng, n):
    n_classes = one_of(CLASSES, rng)
    return rng.integers(0, n_classes, n).astype(np.int32), n_classes


def _table(rng, **more):
    codes, sizes = _columns(rng, **more)
    return BitTable.pack(list(codes.astype(np.uint8)), sizes, *_classes(rng, codes.shape[1]))


def _subsets(n_units, rng):
    k, count = int(rng.integers(1, 5)), int(rng.integers(0, 5))
    return rng.integers(0, n_units, (count, k)).astype(np.int32)


def _threads(rng):
    return one_of([1, 1, 1, 1, 1, 2, 3], rng)


def _parts(table):
    return [table.words, table.sizes, table.class_starts, table.class_rows]


def _of_count_cells(rng):
    table = _table(rng)
    return [*_parts(table), _subsets(table.n_units, rng), _threads(rng)]


def _of_sum_cells(rng):
    codes, sizes = _columns(rng)
    n, kind = codes.shape[1], one_of([np.uint8, np.uint16], rng)
    values = rng.normal(size=(n, int(rng.integers(1, 4))))
    return [codes.astype(kind), sizes, *_classes(rng, n), values, _subsets(len(sizes), rng), _threads(rng)]


def _of_scan(rng):
    table = _table(rng, most=9)
    engine, n_classes, n_rows = NumpyEngine(table), table.n_channels, float(table.class_rows.sum())
    marginals = product_marginals(engine, n_classes)
    scores = [ZeroOneScore(n_classes), ZeroOneScore(n_classes, marginals), L2Score(n_classes, marginals)]
    fused = scores[int(rng.integers(3))].fused(n_rows)
    k = int(rng.integers(2, min(table.n_units, 4) + 1))
    begin, end = np.sort(rng.integers(0, table.n_units - k + 2, 2)).tolist()
    ends = [k, begin, end, one_of([1, 2, 5, 1000], rng)]
    return [*_parts(table), fused.kind, fused.scale, fused.inverse, _threads(rng), *ends]


def _of_sum_pairs(rng):
    table = _table(rng)
    largest, n_channels = one_of([3, 2**15 - 1, 2**30 - 1], rng), int(rng.integers(1, 4))
    numbers = rng.integers(-largest, largest + 1, (n_channels, 64 * table.words.shape[1]))
    return [table.words, numbers.astype(np.int32), _threads(rng)]


def _of_sum_scan(rng):
    """What the library hands over for a target of numbers, or for classes with weights."""
    codes, sizes = _columns(rng, most=9)
    (classes, n_classes), kind, n = _classes(rng, codes.shape[1]), one_of([np.uint8, np.uint16], rng), codes.shape[1]
    weights, y = rng.choice([0.5, 1.0, 2.0], n), rng.normal(size=n)
    squares, weighted = bool(rng.integers(2)), bool(rng.integers(2))
    once = [np.ones(n), y, y * y] if not weighted else [weights, weights * y, weights * y * y, weights, weights * y * y]
    values = np.column_stack(once if squares else [weights, weights])
    labels = () if squares else (classes, n_classes)
    table = CodeTable.of(list(codes.astype(kind)), sizes, values, *labels)
    with mock.patch.object(sum_scans.native, "SumScan", lambda *arguments: list(arguments)):
        score = SquaredErrorScore(weighted=weighted) if squares else ZeroOneScore(n_classes)
        sums = sum_scans.RoundedSums.of(table, score.fused(1.0))
        made = None if sums is None else sums.scan(1)
    if made is None:
        return _of_sum_scan(rng)
    k = int(rng.integers(2, min(len(sizes), 4) + 1))
    begin, end = np.sort(rng.integers(0, len(sizes) - k + 2, 2)).tolist()
    return [*made[:-1], _threads(rng), k, begin, end, one_of([1, 2, 5, 1000], rng)]


def _of_conjunctions(rng):
    table = _table(rng, levels=(2, 2, 3, 4))
    while table.class_rows.min() == 0 or len(table.class_rows) < 2:  # of one class alone there is nothing to find
        table = _table(rng, levels=(2, 2, 3, 4))
    n, layers = len(table.words), len(table.class_rows)
    groups = np.sort(rng.integers(0, n, n)) if rng.random() < 0.5 else np.arange(n)
    numbers = np.arange(2 * n, dtype=np.int32).reshape(n, 2)
    numbers[rng.random((n, 2)) < 0.1] = -1
    kind = one_of(["accuracy", "precision", "chi_square", "likelihood_ratio", "shift"], rng)
    weights = [np.ones(layers), (np.arange(layers) == layers - 1).astype(float)]
    mine, rows = table.class_rows[-1], table.class_rows.sum()
    squares = float(mine * (rows - mine) / rows * rng.choice([1.0, 3.0]))  # qualities lie between -1 and 1
    ends = [kind, squares, bool(rng.integers(2)), bool(rng.integers(2))]
    begin, end = np.sort(rng.integers(0, n + 1, 2)).tolist()
    last = [one_of([0.0, 1.0, 3.0], rng), _threads(rng), int(rng.integers(1, 4)), begin, end, 5, -1e200]
    return [table.words, table.class_starts, table.class_rows, groups, numbers, *weights, *ends, *last]


def _of_packer(rng):
    n, q = one_of(ROWS, rng), one_of([1, 2, 3, 5, 17, 18, 40, 200], rng)
    classes, n_classes = _classes(rng, n)
    width = int(numpy_counting.Packer(classes, n_classes).class_starts[-1])
    codes = rng.integers(0, q, n).astype(one_of([np.uint8, np.uint16], rng))
    return [classes, n_classes, codes, aligned((q - 1, width))]


def _of_matrix(rng):
    codes, sizes = _columns(rng, most=one_of([3, 9, 70], rng), levels=(1, 2, 2, 3, 5, 19))
    classes, n_classes = _classes(rng, codes.shape[1])
    width = int(numpy_counting.Packer(classes, n_classes).class_starts[-1])
    planes = aligned((int((sizes - 1).sum()), width))
    return [classes, n_classes, np.ascontiguousarray(codes.T.astype(np.uint8)), sizes, planes]


def _of_sort(rng):
    codes, sizes = _columns(rng)
    table = BitTable.pack(list(codes.astype(np.uint8)), sizes, np.zeros(codes.shape[1], dtype=int), 1)
    classes, n_classes = _classes(rng, codes.shape[1])
    width = int(numpy_counting.Packer(classes, n_classes).class_starts[-1])
    return [classes, n_classes, table.words, aligned((len(table.words), width))]


# ---- graphs and halfspaces -------------------------------------------------------------------------------------------


def _layout(rng, n_columns):
    sizes = rng.choice([1, 2, 3, 5, 30, 256], n_columns)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return np.array([[s, q, q - 1, rng.integers(0, 2)] for s, q in zip(starts, sizes, strict=True)], dtype=np.int64)


def _of_histogram(rng):
    n, layout = one_of(ROWS, rng), _layout(rng, int(rng.integers(1, 4)))
    codes = np.stack([rng.integers(0, q, n) for q in layout[:, 1]]).astype(np.uint8)
    rows = np.sort(rng.choice(n, int(rng.integers(1, n + 1)), replace=False)).astype(np.int32)
    return [codes, layout, rows, rng.integers(1, 4, n).astype(float), rng.integers(-8, 8, n) / 8]


def _of_split(rng):
    layout = _layout(rng, int(rng.integers(1, 4)))
    bins = rng.integers(0, 4, (int(layout[:, 1].sum()), 2)).astype(float)
    weight, total = float(bins[: layout[0, 1], 0].sum()), float(bins[: layout[0, 1], 1].sum())
    return [bins, layout, np.array([0], dtype=np.int32), weight, total, 1.0, 0.1]


def _of_partition(rng):
    n = one_of(ROWS, rng)
    rows = np.sort(rng.choice(n, int(rng.integers(1, n + 1)), replace=False)).astype(np.int32)
    return [rng.integers(0, 4, n).astype(np.uint8), rng.integers(0, 2, 256).astype(np.uint8), rows]


def _of_route(rng):
    """A graph whose children come after their parents."""
    inner, n_columns = int(rng.integers(0, 7)), int(rng.integers(1, 4))
    nodes = inner + 2
    low, high = (np.full(nodes, -1, dtype=np.int32) for _ in range(2))
    for i in range(inner):
        low[i], high[i] = rng.integers(i + 1, nodes, 2)
    column = np.where(np.arange(nodes) < inner, rng.integers(0, n_columns, nodes), -1).astype(np.int32)
    codes = rng.integers(0, 256, (n_columns, one_of(ROWS, rng))).astype(np.uint8)
    return [codes, column, low, high, rng.integers(0, 2, (nodes, 256)).astype(np.uint8)]


def _of_walk(rng):
    n, outputs = int(rng.integers(1, 9)), int(rng.integers(1, 4))
    points = rng.normal(size=(n, 3))
    targets, counts = rng.integers(0, 2, (n, outputs)).astype(float), rng.choice([0.5, 1.0, 2.0, 3.0], n)
    ends = [np.ones(outputs), np.full(outputs, 0.5), np.zeros(outputs), bool(rng.integers(2))]
    return [points @ points.T, np.zeros((n, outputs)), targets, counts, *ends]


def _of_expand(rng):
    n, m = int(rng.integers(0, 20)), int(rng.integers(1, 40))
    return [rng.random((n, m)), 0.25, 1.0, rng.normal(size=(m, int(rng.integers(1, 4))))]


MAKERS = {
    "count_cells": _of_count_cells,
    "sum_cells": _of_sum_cells,
    "sum_pairs": _of_sum_pairs,
    "Scan": _of_scan,
    "SumScan": _of_sum_scan,
    "ConjunctionScan": _of_conjunctions,
    "pack": _of_packer,
    "pack_matrix": _of_matrix,
    "sort": _of_sort,
    "fill_histogram": _of_histogram,
    "best_split": _of_split,
    "partition_rows": _of_partition,
    "route_rows": _of_route,
    "walk": _of_walk,
    "expand": _of_expand,
}


# ---- whom to call ----------------------------------------------------------------------------------------------------


def _packed_by(module, method):
    def call(row_class, n_classes, *rest):
        packer = module.Packer(row_class, n_classes)
        getattr(packer, method)(*rest)
        return rest[-1], np.asarray(packer.class_starts), np.asarray(packer.class_rows)

    return call


def _scanned(*arguments):
    return dispatch._core.Scan(*arguments[:8]).best(*arguments[8:])[1]


def _every_score(words, sizes, starts, rows, kind, scale, inverse, n_threads, k, begin, end, n_best):
    """The scores of all subsets, one after another, and the best of them."""
    subsets = [s for s in combinations(range(len(sizes)), k) if begin <= s[0] < end]
    if not subsets:
        return np.empty(0)
    marginals = None if inverse is None else np.divide(1, inverse, out=np.zeros_like(inverse), where=inverse > 0)
    score = L2Score(len(rows), marginals) if kind == "l2" else ZeroOneScore(len(rows), marginals)
    with np.errstate(all="ignore"):
        own = score.fused(float(rows.sum())).scale
        found = score(NumpyEngine(BitTable(words, sizes, starts, rows), n_threads).counts(subsets))
    return np.sort(found * (scale / own))[::-1][:n_best]


def _summed(*arguments):
    return dispatch._core.SumScan(*arguments[:15]).best(*arguments[15:])[1]


def _every_sum_score(*arguments):
    """The same from sums over the rows of all subsets."""
    sizes, (codes, row_class, values, kind) = arguments[1], arguments[9:13]
    k, begin, end, n_best = arguments[15:]
    subsets = [s for s in combinations(range(len(sizes)), k) if begin <= s[0] < end]
    if not subsets:
        return np.empty(0)
    n_classes = len(arguments[3])
    score = SquaredErrorScore(weighted=values.shape[1] > 3) if kind == "squares" else ZeroOneScore(n_classes)
    table = CodeTable(codes, sizes, row_class, n_classes, values)
    return np.sort(score(NumpyEngine(table).counts(subsets)))[::-1][:n_best]


def _of_numbers(twin):
    """The core turns whatever it is given into numbers with a point first; integers of numpy would wrap around."""
    return lambda *arguments: twin(*(a if isinstance(a, bool) else np.asarray(a, dtype=float) for a in arguments))


def _conjoined_by(module):
    return lambda *arguments: module.ConjunctionScan(*arguments[:13]).best(*arguments[13:])


PLAIN = {
    "count_cells": numpy_counting,
    "sum_cells": numpy_counting,
    "sum_pairs": numpy_counting,
    "fill_histogram": numpy_graphs,
    "best_split": numpy_graphs,
    "partition_rows": numpy_graphs,
    "route_rows": numpy_graphs,
    "walk": numpy_halfspaces,
    "expand": numpy_halfspaces,
}
CORE = {name: getattr(dispatch._core, name, None) for name in PLAIN}
TWINS = {name: getattr(module, name) for name, module in PLAIN.items()}
TWINS |= {name: _of_numbers(TWINS[name]) for name in ("walk", "expand")}
CORE |= {method: _packed_by(dispatch._core, method) for method in PACKING}
TWINS |= {method: _packed_by(numpy_counting, method) for method in PACKING}
CORE |= {"Scan": _scanned, "SumScan": _summed, "ConjunctionScan": _conjoined_by(dispatch._core)}
TWINS |= {"Scan": _every_score, "SumScan": _every_sum_score, "ConjunctionScan": _conjoined_by(numpy_conjunctions)}
