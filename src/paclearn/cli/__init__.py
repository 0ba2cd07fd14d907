"""The command line. It calls the library and holds no algorithm."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Entry point of the ``paclearn`` command."""
    try:
        _run()
    except MemoryError:  # wherever it was met: libraries that are loaded take more than most tables
        sys.exit("paclearn: error: there is not enough memory; take fewer rows, or raise the limit of the process")


def _run() -> None:
    try:
        from paclearn.cli.app import run
    except ModuleNotFoundError as error:
        sys.exit(f"the paclearn command needs {error.name}; `pip install 'paclearn[cli]'` brings it")
    except ImportError as error:  # it is there: memory is short, or a library of the system is missing
        sys.exit(f"paclearn: error: {error.name} cannot be loaded: {error}")
    run()
