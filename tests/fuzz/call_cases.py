"""Calls of the compiled core with good, bad and hostile arguments.

A good call must say what the numpy twin says; a bad one is refused with an error of Python. Nothing else may happen.
"""

import signal
from dataclasses import fields, is_dataclass

import numpy as np

from fuzz.pool import DisagreementError
from paclearn.kernels import dispatch, numpy_conjunctions, numpy_counting, numpy_graphs, numpy_halfspaces

CALLS_A_CASE = 200
SOON = 0.2  # seconds
REFUSALS = (ValueError, TypeError, OverflowError, IndexError, MemoryError)
TYPES = [np.uint8, np.uint16, np.int32, np.int64, np.uint64, np.float64, np.float32, object, bool]
EXTREMES = [0, 1, -1, 2, 7, 255, 256, 2**31 - 1, 2**31, -(2**31), 2**62, -(2**63), 2**64]
SCALARS = [*EXTREMES, 0.0, -0.0, 0.5, float("nan"), float("inf"), -float("inf"), 1e308, None, "x", b"x", [], True]


def try_calls(seed: int) -> int:
    """Some hundred calls."""
    rng = np.random.default_rng(seed)
    for _ in range(CALLS_A_CASE):
        name = str(rng.choice(list(MAKERS)))
        _call(name, MAKERS[name](rng), rng)
    return CALLS_A_CASE


def _call(name, arguments, rng):
    """As they are in one call of four, otherwise with one to three of them spoiled."""
    if rng.random() < 0.25:
        _agree(name, arguments)
        return
    for _ in range(int(rng.integers(1, 4))):
        place = int(rng.integers(len(arguments)))
        arguments[place] = spoiled(arguments[place], rng)
    signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, SOON)  # a count of 2**62 is no mistake; but it must be possible to stop it
    try:
        CORE[name](*arguments)
    except TimeoutError:
        return
    except REFUSALS as error:
        if isinstance(error, ValueError) and "\n" in str(error):
            raise DisagreementError(f"{name}: an error of several lines: {error}") from error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _ring(*_):
    raise TimeoutError


def _agree(name, arguments):
    ours, theirs = CORE[name](*_copies(arguments)), TWINS[name](*_copies(arguments))
    if ours is None:
        return
    names = [field.name for field in fields(theirs)] if is_dataclass(theirs) else None
    for one, other in zip(_parts(ours, names), _parts(theirs, names), strict=True):
        if not np.allclose(one, other, rtol=1e-9, atol=1e-9, equal_nan=True):
            raise DisagreementError(f"{name} says {one!r}, numpy {other!r}")


def _parts(answer, names):
    if names is not None:
        return [getattr(answer, name) for name in names]
    return answer if isinstance(answer, tuple) else (answer,)


def _copies(arguments):
    """Words begin where a line of memory does."""
    return [_copy(a) if isinstance(a, np.ndarray) else a for a in arguments]


def _copy(array):
    if array.dtype != np.uint64:
        return array.copy()
    made = _aligned(array.shape)
    made[...] = array
    return made


# ---- spoiling --------------------------------------------------------------------------------------------------------


def spoiled(value, rng):
    """Something else in its place: of another size, type, shape or order, misaligned, or with numbers out of range."""
    if not isinstance(value, np.ndarray):
        return SCALARS[int(rng.integers(len(SCALARS)))]
    return SPOILERS[int(rng.integers(len(SPOILERS)))](value, rng)


def _extreme(value, rng):
    if not value.size or value.dtype.kind not in "iuf":
        return None
    out = value.copy()
    number = EXTREMES[int(rng.integers(len(EXTREMES)))]
    if value.dtype.kind == "f":
        number = float(rng.choice([np.nan, np.inf, -np.inf, np.finfo(value.dtype).max, -1.0]))
    else:
        least, most = _range(value.dtype)
        number = min(max(number, least), most)
    out.reshape(-1)[int(rng.integers(value.size))] = number
    return out


def _range(dtype):
    return np.iinfo(dtype).min, np.iinfo(dtype).max


def _retyped(value, rng):
    kind = TYPES[int(rng.integers(len(TYPES)))]
    with np.errstate(all="ignore"):
        return np.nan_to_num(value.astype(float)).astype(kind) if value.dtype.kind == "f" else value.astype(kind)


def _misaligned(value, rng):
    if value.dtype.hasobject:
        return None
    room = np.zeros(value.nbytes + 64, dtype=np.uint8)
    start = int(rng.integers(1, 64))
    room[start : start + value.nbytes] = np.frombuffer(value.tobytes(), dtype=np.uint8)
    return room[start : start + value.nbytes].view(value.dtype).reshape(value.shape)


SPOILERS = [
    _extreme,
    _extreme,
    _extreme,
    _retyped,
    _misaligned,
    lambda value, rng: value[: int(rng.integers(0, len(value) + 1))] if value.ndim else value,
    lambda value, rng: np.concatenate([value, value]) if value.ndim else value,
    lambda value, rng: np.asfortranarray(value),
    lambda value, rng: value[..., ::2],
    lambda value, rng: value[..., ::-1],
    lambda value, rng: value.reshape(-1),
    lambda value, rng: value[None],
    lambda value, rng: value[..., :0],
    lambda value, rng: SCALARS[int(rng.integers(len(SCALARS)))],
    lambda value, rng: value.tolist(),
    lambda value, rng: np.broadcast_to(value, (2, *value.shape)),
]


# ---- good arguments --------------------------------------------------------------------------------------------------


def _packed(rng):
    """Words of a table, its sizes, and where its classes are."""
    n, n_classes = int(rng.integers(1, 80)), int(rng.integers(1, 4))
    sizes = rng.integers(2, 4, int(rng.integers(2, 6))).astype(np.int64)
    packer = numpy_counting.Packer(rng.integers(0, n_classes, n).astype(np.int32), n_classes)
    words = _aligned((int((sizes - 1).sum()), int(packer.class_starts[-1])))
    codes = [rng.integers(0, q, n).astype(np.uint8) for q in sizes]
    first = np.concatenate([[0], np.cumsum(sizes - 1)])
    for code, begin, end in zip(codes, first, first[1:], strict=False):
        packer.pack(code, words[begin:end])
    return words, sizes, np.asarray(packer.class_starts), np.asarray(packer.class_rows)


def _aligned(shape):
    room = np.zeros(int(np.prod(shape)) + 8, dtype=np.uint64)
    skip = -room.ctypes.data // 8 % 8
    return room[skip : skip + int(np.prod(shape))].reshape(shape)


def _subsets(n_units, rng):
    k = int(rng.integers(1, min(n_units, 3) + 1))
    picked = [np.sort(rng.choice(n_units, k, replace=False)) for _ in range(int(rng.integers(1, 4)))]
    return np.array(picked, dtype=np.int32)


def _of_count_cells(rng):
    words, sizes, starts, rows = _packed(rng)
    return [words, sizes, starts, rows, _subsets(len(sizes), rng), int(rng.integers(1, 3))]


def _of_sum_cells(rng):
    n, n_classes = int(rng.integers(1, 40)), int(rng.integers(1, 3))
    sizes = rng.integers(2, 5, int(rng.integers(2, 5))).astype(np.int64)
    codes = np.stack([rng.integers(0, q, n) for q in sizes]).astype(np.uint16)
    classes = rng.integers(0, n_classes, n).astype(np.int32)
    return [codes, sizes, classes, n_classes, rng.random((n, 2)), _subsets(len(sizes), rng), 1]


def _of_scan(rng):
    words, sizes, starts, rows = _packed(rng)
    k = int(rng.integers(2, min(len(sizes), 4) + 1))
    begin, end = np.sort(rng.integers(0, len(sizes) - k + 2, 2)).tolist()
    kind = str(rng.choice(["empirical", "l2"]))
    return [words, sizes, starts, rows, kind, 1.0, None, 1, k, begin, end, int(rng.integers(1, 6))]


def _of_conjunctions(rng):
    words, _, starts, rows = _packed(rng)
    while rows.min() == 0 or len(rows) < 2:  # of one class alone there is nothing to find
        words, _, starts, rows = _packed(rng)
    n = len(words)
    numbers = np.arange(2 * n, dtype=np.int32).reshape(n, 2)
    layers = len(rows)
    kind = str(rng.choice(["accuracy", "precision", "chi_square", "likelihood_ratio", "shift"]))
    weights = [np.ones(layers), (np.arange(layers) == layers - 1).astype(float)]
    ends = [kind, float(rng.random() * 50 + 0.1), bool(rng.integers(2)), bool(rng.integers(2)), 1.0, 1]
    return [words, starts, rows, np.arange(n), numbers, *weights, *ends, int(rng.integers(1, 4)), 0, n, 5, -1e200]


def _of_packer(rng):
    n, n_classes, q = int(rng.integers(1, 80)), int(rng.integers(1, 4)), int(rng.integers(2, 5))
    classes = rng.integers(0, n_classes, n).astype(np.int32)
    width = int(numpy_counting.Packer(classes, n_classes).class_starts[-1])
    return [classes, n_classes, rng.integers(0, q, n).astype(np.uint8), _aligned((q - 1, width))]


def _layout(rng, n_columns):
    sizes = rng.integers(2, 6, n_columns)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return np.array([[s, q, q - 1, rng.integers(0, 2)] for s, q in zip(starts, sizes, strict=True)], dtype=np.int64)


def _of_histogram(rng):
    n, layout = int(rng.integers(1, 30)), _layout(rng, int(rng.integers(1, 4)))
    codes = np.stack([rng.integers(0, q, n) for q in layout[:, 1]]).astype(np.uint8)
    rows = np.sort(rng.choice(n, int(rng.integers(1, n + 1)), replace=False)).astype(np.int32)
    return [codes, layout, rows, rng.integers(1, 4, n).astype(float), rng.random(n)]


def _of_split(rng):
    layout = _layout(rng, int(rng.integers(1, 4)))
    bins = rng.integers(0, 4, (int(layout[:, 1].sum()), 2)).astype(float)
    weight, total = float(bins[: layout[0, 1], 0].sum()), float(bins[: layout[0, 1], 1].sum())
    return [bins, layout, np.array([0], dtype=np.int32), weight, total, 1.0]


def _of_partition(rng):
    n = int(rng.integers(1, 30))
    rows = np.sort(rng.choice(n, int(rng.integers(1, n + 1)), replace=False)).astype(np.int32)
    return [rng.integers(0, 4, n).astype(np.uint8), rng.integers(0, 2, 256).astype(np.uint8), rows]


def _of_route(rng):
    """A graph whose children come after their parents."""
    inner = int(rng.integers(0, 5))
    nodes = inner + 2
    low, high = (np.full(nodes, -1, dtype=np.int32) for _ in range(2))
    for i in range(inner):
        low[i], high[i] = rng.integers(i + 1, nodes, 2)
    column = np.where(np.arange(nodes) < inner, 0, -1).astype(np.int32)
    codes = rng.integers(0, 4, (1, int(rng.integers(1, 20)))).astype(np.uint8)
    return [codes, column, low, high, rng.integers(0, 2, (nodes, 256)).astype(np.uint8)]


def _of_walk(rng):
    n, outputs = int(rng.integers(1, 5)), int(rng.integers(1, 3))
    points = rng.normal(size=(n, 3))
    targets, counts = rng.integers(0, 2, (n, outputs)).astype(float), rng.integers(1, 4, n).astype(float)
    ends = [np.ones(outputs), np.full(outputs, 0.5), np.zeros(outputs)]
    return [points @ points.T, np.zeros((n, outputs)), targets, counts, *ends]


def _of_expand(rng):
    n, m = int(rng.integers(1, 6)), int(rng.integers(1, 6))
    return [rng.random((n, m)), 0.25, 1.0, rng.normal(size=(m, 2))]


MAKERS = {
    "count_cells": _of_count_cells,
    "sum_cells": _of_sum_cells,
    "Scan": _of_scan,
    "ConjunctionScan": _of_conjunctions,
    "Packer": _of_packer,
    "fill_histogram": _of_histogram,
    "best_split": _of_split,
    "partition_rows": _of_partition,
    "route_rows": _of_route,
    "walk": _of_walk,
    "expand": _of_expand,
}


# ---- whom to call ----------------------------------------------------------------------------------------------------


def _packed_by(module):
    def call(row_class, n_classes, codes, planes):
        packer = module.Packer(row_class, n_classes)
        packer.pack(codes, planes)
        return planes, np.asarray(packer.class_starts)

    return call


def _scanned(*arguments):
    """Its twin is `count_cells`, which other tests hold it to."""
    dispatch._core.Scan(*arguments[:8]).best(*arguments[8:])


def _conjoined_by(module):
    return lambda *arguments: module.ConjunctionScan(*arguments[:13]).best(*arguments[13:])


PLAIN = {
    "count_cells": numpy_counting,
    "sum_cells": numpy_counting,
    "fill_histogram": numpy_graphs,
    "best_split": numpy_graphs,
    "partition_rows": numpy_graphs,
    "route_rows": numpy_graphs,
    "walk": numpy_halfspaces,
    "expand": numpy_halfspaces,
}
CORE = {name: getattr(dispatch._core, name, None) for name in PLAIN}
TWINS = {name: getattr(module, name) for name, module in PLAIN.items()}
CORE |= {"Scan": _scanned, "ConjunctionScan": _conjoined_by(dispatch._core), "Packer": _packed_by(dispatch._core)}
TWINS |= {"Scan": _scanned, "ConjunctionScan": _conjoined_by(numpy_conjunctions), "Packer": _packed_by(numpy_counting)}
