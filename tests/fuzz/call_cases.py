"""Calls of the compiled core with good, bad and hostile arguments.

A good call must say what the numpy twin says; a bad one is refused with an error of Python. Nothing else may happen.
"""

import contextlib
import signal
from dataclasses import fields, is_dataclass

import numpy as np

from fuzz.good_calls import CORE, MAKERS, PACKING, TWINS, aligned, one_of
from fuzz.pool import DisagreementError

ARGUMENTS_A_CASE = 50
SPOILED_EACH = 3  # of four calls with the same arguments, one has them as they are
SOON = 0.2  # seconds
LARGE = 1e100
MOST_NUMBERS = 10**7
WRITING = (*PACKING, "walk")  # into what they are given
BELIEVED = {"count_cells": 2, "ConjunctionScan": 3}  # words, and what they are said to hold
REFUSALS = (ValueError, TypeError, OverflowError, IndexError, MemoryError)
TYPES = [np.uint8, np.uint16, np.int32, np.int64, np.uint64, np.float64, np.float32, object, bool]
EXTREMES = [0, 1, -1, 2, 7, 255, 256, 2**31 - 1, 2**31, -(2**31), 2**62, -(2**63), 2**64]
SCALARS = [*EXTREMES, 0.0, -0.0, 0.5, float("nan"), float("inf"), -float("inf"), 1e308, None, "x", b"x", [], True]


def try_calls(seed: int) -> int:
    """Some hundred calls; good arguments are dear, so that each serves several of them."""
    rng, names = np.random.default_rng(seed), list(MAKERS)
    signal.signal(signal.SIGALRM, _ring)
    for _ in range(ARGUMENTS_A_CASE):
        name = one_of(names, rng)
        _calls(name, MAKERS[name](rng), rng)
    return ARGUMENTS_A_CASE * (1 + SPOILED_EACH)


def _calls(name, arguments, rng):
    """As they are, and with one to three of them spoiled."""
    _agree(name, arguments)
    for _ in range(SPOILED_EACH):
        bad = _copies(arguments) if name in WRITING else list(arguments)
        for _ in range(int(rng.integers(1, 4))):
            place = int(rng.integers(len(bad)))
            bad[place] = spoiled(bad[place], rng)
        with contextlib.suppress(TimeoutError):
            _judge(name, bad, _copies(bad), arguments)


def _judge(name, arguments, copies, known):
    """A count of 2**62 is no mistake; but it must be possible to stop it."""
    try:
        said = _in_time(CORE[name], arguments)
    except REFUSALS as error:
        if isinstance(error, ValueError) and "\n" in str(error):
            raise DisagreementError(f"{name}: an error of several lines: {error}") from error
        return
    if _makes_sense(name, copies, known):
        _agree_if_both_answer(name, said, copies)


def _in_time(call, arguments):
    signal.setitimer(signal.ITIMER_REAL, SOON)
    try:
        with np.errstate(all="ignore"):
            return call(*arguments)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _makes_sense(name, arguments, known):
    """A row has one code and one class, planes must be zero before, weights are not negative, and scores are made of
    probabilities: nobody checks that.
    """
    if name in {"Scan", "SumScan"} or (name in PACKING and np.any(arguments[-1])):
        return False
    if not all(map(np.array_equal, arguments[: BELIEVED.get(name, 0)], known)):
        return False
    if name == "best_split" and np.any(np.asarray(arguments[0], dtype=float) < 0):
        return False
    return all(map(_is_finite, arguments)) and not (name == "expand" and _divides_by_rounding(*arguments[:3]))


def _divides_by_rounding(base, slope, offset):
    """Whether differences are so small that it shows which of them was rounded, and when."""
    slope, offset = np.float64(slope), np.float64(offset)
    with np.errstate(all="ignore"):
        return bool((np.abs(offset - slope * base) < 1e-4 * np.maximum(abs(offset), np.abs(slope * base))).any())


def _is_finite(value):
    return not isinstance(value, float | np.ndarray) or _numbers_are_small(np.asarray(value))


def _numbers_are_small(values):
    """Sums and squares of them do not overflow."""
    return values.dtype.kind != "f" or bool((np.abs(values.astype(float)) < LARGE).all())


def _agree_if_both_answer(name, said, arguments):
    """What the core takes it must have taken for what it is. The twins take less: they check nothing, and write down
    all the cells of a table of which the core, where memory is promised before it is there, touches few.
    """
    if sum(np.size(part) for part in _parts(said, None)) > MOST_NUMBERS:
        return
    try:
        theirs = _in_time(TWINS[name], arguments)
    except Exception:  # noqa: BLE001 - whatever it is that numpy has to say
        return
    if not any(np.asarray(part).dtype.hasobject for part in _parts(theirs, None)):
        _compare(name, said, theirs)


def _ring(*_):
    raise TimeoutError


def _agree(name, arguments):
    _compare(name, CORE[name](*_copies(arguments)), TWINS[name](*_copies(arguments)))


def _compare(name, ours, theirs):
    names = [field.name for field in fields(theirs)] if is_dataclass(theirs) else None
    for one, other in zip(_parts(ours, names), _parts(theirs, names), strict=True):
        if not np.shape(one) == np.shape(other) or not np.allclose(one, other, rtol=1e-9, atol=1e-9, equal_nan=True):
            raise DisagreementError(f"{name} says {one!r}, numpy {other!r}")


def _parts(answer, names):
    if names is not None:
        return [getattr(answer, name) for name in names]
    return answer if isinstance(answer, tuple) else (answer,)


def _copies(arguments):
    """Words begin where a line of memory does."""
    return [_copy(np.asarray(a)) if isinstance(a, np.ndarray | list) else a for a in arguments]


def _copy(array):
    if array.dtype != np.uint64:
        return array.astype(float) if array.dtype == np.float32 else array.copy()
    made = aligned(array.shape)
    made[...] = array
    return made


# ---- spoiling --------------------------------------------------------------------------------------------------------


def spoiled(value, rng):
    """Something else in its place: of another size, type, shape or order, misaligned, or with numbers out of range."""
    if not isinstance(value, np.ndarray):
        return one_of(SCALARS, rng)
    return one_of(SPOILERS, rng)(value, rng)


def _extreme(value, rng):
    if not value.size or value.dtype.kind not in "iuf":
        return None
    out = value.copy()
    number = one_of(EXTREMES, rng)
    if value.dtype.kind == "f":
        number = float(one_of([np.nan, np.inf, -np.inf, np.finfo(value.dtype).max, -1.0], rng))
    else:
        least, most = _range(value.dtype)
        number = min(max(number, least), most)
    out.reshape(-1)[int(rng.integers(value.size))] = number
    return out


def _range(dtype):
    return np.iinfo(dtype).min, np.iinfo(dtype).max


def _retyped(value, rng):
    kind = one_of(TYPES, rng)
    if value.dtype.hasobject:
        return value.tolist()
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
    lambda value, rng: one_of(SCALARS, rng),
    lambda value, rng: value.tolist(),
    lambda value, rng: np.broadcast_to(value, (2, *value.shape)),
]
