"""Ctrl-C: what comes of it before a command, in it and behind it. It needs nothing, for it is there first."""

from __future__ import annotations

import os
import signal
import sys
from _thread import interrupt_main
from contextlib import contextmanager
from functools import partial
from threading import Timer
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["NOTHING_WRITTEN", "end_at_once", "raised_here", "too_late"]

NOTHING_WRITTEN = "interrupted; nothing was written"

_SOON = 0.01  # seconds
_raised = False  # whether this process is a command that hears interrupts


def end_at_once() -> None:
    """An interrupt ends the process with a line: libraries that are imported would show where they are."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


@contextmanager
def raised_here() -> Iterator[None]:
    """Within it an interrupt is an exception again; behind it all is done, and one is too late."""
    global _raised
    if signal.getsignal(signal.SIGINT) is not _end:  # nobody asked for another way
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _raised, before = True, sys.unraisablehook
    sys.unraisablehook = partial(_raise_again, before)
    try:
        yield
    finally:
        too_late()
        sys.unraisablehook = before


def _raise_again(before: Callable[[Any], Any], lost: Any) -> None:
    """An interrupt that comes while Python tidies up is swallowed there, so it is raised once more, soon after that."""
    if _raised and isinstance(lost.exc_value, KeyboardInterrupt):
        again = Timer(_SOON, interrupt_main, [signal.SIGINT])
        again.daemon = True
        again.start()
    else:
        before(lost)


def too_late() -> None:
    """The file is in its place, and what is left is to say so: a line that nothing was written would be a lie."""
    global _raised  # noqa: PLW0603
    if _raised:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    _raised = False


def _end(number: int, _frame: object) -> NoReturn:
    sys.stderr.write(f"paclearn: error: {NOTHING_WRITTEN}\n")
    sys.stderr.flush()
    os._exit(128 + number)
