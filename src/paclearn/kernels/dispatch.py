"""The one module that reaches the compiled core: every kernel is the compiled one where that is to be used, and its
numpy twin elsewhere. Both take the same arguments and give the same answers.
"""

from __future__ import annotations

import os
import warnings
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from paclearn.exceptions import InputError, SlowEngineWarning
from paclearn.kernels import numpy_conjunctions, numpy_counting, numpy_graphs, numpy_halfspaces

_core: Any
try:
    from paclearn.kernels import _core
except ImportError:  # installed where no compiler was found
    _core = None

if TYPE_CHECKING:
    from collections.abc import Callable

    from paclearn.kernels._core import Scan, SumScan
elif _core is not None:
    Scan, SumScan = _core.Scan, _core.SumScan  # numpy has none

__all__ = [
    "ConjunctionScan",
    "Packer",
    "Scan",
    "SumScan",
    "available",
    "best_split",
    "compiled",
    "expand",
    "fill_histogram",
    "instruction_set",
    "partition_rows",
    "route_rows",
    "sum_pairs",
    "walk",
]

_Kernel = TypeVar("_Kernel", bound="Callable[..., Any]")
_Arguments = ParamSpec("_Arguments")
_Answer = TypeVar("_Answer")

_said = False
_INSTRUCTION_SETS = ("", "avx512", "avx2", "popcnt", "plain", "neon")


def available() -> bool:
    """Whether the compiled core is to be used; ``PACLEARN_ENGINE`` (numpy, native or gpu) forces the answer."""
    choice = os.environ.get("PACLEARN_ENGINE", "auto")
    if choice not in {"auto", "numpy", "native", "gpu"}:
        raise InputError(f"PACLEARN_ENGINE={choice!r} is not known; it can be 'auto', 'numpy', 'native', 'gpu'")
    isa = os.environ.get("PACLEARN_ISA", "")
    if isa not in _INSTRUCTION_SETS:
        raise InputError(f"PACLEARN_ISA={isa!r} is not known; it can be {', '.join(map(repr, _INSTRUCTION_SETS[1:]))}")
    if choice in {"native", "gpu"} and _core is None:
        raise InputError(f"PACLEARN_ENGINE={choice!r} was asked for, but paclearn was installed without its C++ core")
    if choice == "auto" and _core is None:
        _say_once()
    return _core is not None and choice != "numpy"


def instruction_set() -> str:
    """What the compiled core counts with: avx512, avx2, popcnt, neon or plain; none without it."""
    return "none" if _core is None else str(_core.instruction_set())


def _say_once() -> None:
    global _said  # noqa: PLW0603 - once a process is the point
    if not _said:
        _said = True
        warnings.warn(
            "paclearn was installed without its C++ core (no working compiler), so numpy counts: the results are the "
            "same, the speed is not. Reinstall with a C++20 compiler to change that.",
            SlowEngineWarning,
            stacklevel=2,
        )


def compiled(twin: _Kernel) -> _Kernel:
    """The compiled kernel that does what a numpy one does."""
    if _core is None:
        raise InputError("paclearn was installed without its C++ core; NumpyEngine does without it")
    return getattr(_core, twin.__name__)


def _fastest(twin: Callable[_Arguments, _Answer]) -> Callable[_Arguments, _Answer]:
    """The compiled kernel or its numpy twin; which of them is asked at every call, for the environment may change."""

    @wraps(twin)
    def kernel(*arguments: _Arguments.args, **named: _Arguments.kwargs) -> _Answer:
        return (compiled(twin) if available() else twin)(*arguments, **named)

    return kernel


Packer = _fastest(numpy_counting.Packer)
ConjunctionScan = _fastest(numpy_conjunctions.ConjunctionScan)
sum_pairs = _fastest(numpy_counting.sum_pairs)
fill_histogram = _fastest(numpy_graphs.fill_histogram)
best_split = _fastest(numpy_graphs.best_split)
partition_rows = _fastest(numpy_graphs.partition_rows)
route_rows = _fastest(numpy_graphs.route_rows)
walk = _fastest(numpy_halfspaces.walk)
expand = _fastest(numpy_halfspaces.expand)
