"""The command line. It calls the library and holds no algorithm."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Entry point of the ``paclearn`` command."""
    try:
        from paclearn.cli.app import run
    except ImportError as error:
        sys.exit(f"the paclearn command needs {error.name}; `pip install 'paclearn[cli]'` brings it")
    run()
