"""The command line. It calls the library and holds no algorithm."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from paclearn.cli.interrupts import end_at_once

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["main"]

_LIBRARIES = 600_000_000  # bytes of addresses that numpy, scipy, scikit-learn and narwhals take when they are imported
_ROOM = 400_000_000  # and BLAS and Arrow at their first call, for two threads
_THREAD = 250_000_000  # and for one more: a buffer, a stack, and what it keeps for itself


def main() -> None:
    """Entry point of the ``paclearn`` command."""
    try:
        end_at_once()
        _check_addresses(_LIBRARIES + _ROOM)
        _limit_threads()
        run = _imported()
        _check_addresses(_ROOM)
        run()
    except MemoryError:  # wherever it was met: libraries that are loaded take more than most tables
        sys.exit("paclearn: error: there is not enough memory; take fewer rows, or raise the limit of the process")


def _check_addresses(needed: int) -> None:
    """OpenBLAS, where the limit of the process leaves it no room for its buffers, asks for them again for ever."""
    left = _addresses_left()
    if left is not None and left < needed:
        sys.exit(
            f"paclearn: error: the limit of the process leaves {max(left, 0) / 1e6:.0f} MB of addresses, of which its "
            f"libraries take {needed / 1e6:.0f} MB when they start; raise it (ulimit -v)"
        )


def _limit_threads() -> None:
    """BLAS and Arrow take a thread for every core, and end the process where the addresses do not suffice for that."""
    left = _addresses_left()
    threads = os.cpu_count() or 1
    if left is not None and (most := 2 + (left - _LIBRARIES - _ROOM) // _THREAD) < threads:
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
            os.environ.setdefault(name, str(most))


def _addresses_left() -> int | None:
    """Bytes, or None where there is no limit, or the system does not say."""
    try:
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return None
    return None if most == resource.RLIM_INFINITY else most - taken


def _imported() -> Callable[[], None]:
    """The command, whose import brings all libraries with it."""
    try:
        from paclearn.cli.app import run
    except ModuleNotFoundError as error:
        sys.exit(f"the paclearn command needs {error.name}; `pip install 'paclearn[cli]'` brings it")
    except ImportError as error:  # it is there: memory is short, or a library of the system is missing
        why = str(error).strip().rpartition("\n")[2]  # numpy writes forty lines, and the cause into the last
        sys.exit(f"paclearn: error: {error.name or 'a library'} cannot be loaded: {why}")
    return run
