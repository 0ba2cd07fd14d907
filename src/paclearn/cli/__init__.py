"""The command line. It calls the library and holds no algorithm."""

from __future__ import annotations

import sys
from pathlib import Path

__all__ = ["main"]

_ROOM = 400_000_000  # bytes of addresses that BLAS and Arrow take at their first call, a buffer and a stack a thread


def main() -> None:
    """Entry point of the ``paclearn`` command."""
    try:
        _check_addresses()
        _run()
    except MemoryError:  # wherever it was met: libraries that are loaded take more than most tables
        sys.exit("paclearn: error: there is not enough memory; take fewer rows, or raise the limit of the process")


def _check_addresses() -> None:
    """OpenBLAS, where the limit of the process leaves it no room for its buffers, asks for them again for ever."""
    left = _addresses_left()
    if left is not None and left < _ROOM:
        sys.exit(
            f"paclearn: error: the limit of the process leaves {max(left, 0) / 1e6:.0f} MB of addresses, of which its "
            f"libraries take {_ROOM / 1e6:.0f} MB when they start; raise it (ulimit -v)"
        )


def _addresses_left() -> int | None:
    """Bytes, or None where there is no limit, or the system does not say."""
    try:
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return None
    return None if most == resource.RLIM_INFINITY else most - taken


def _run() -> None:
    try:
        from paclearn.cli.app import run
    except ModuleNotFoundError as error:
        sys.exit(f"the paclearn command needs {error.name}; `pip install 'paclearn[cli]'` brings it")
    except ImportError as error:  # it is there: memory is short, or a library of the system is missing
        sys.exit(f"paclearn: error: {error.name} cannot be loaded: {error}")
    run()
