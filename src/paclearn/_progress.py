"""A progress bar for whatever takes longer than a second, where somebody is watching."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PATIENCE_SECONDS = 1.0


def somebody_is_watching() -> bool:
    """True in a terminal or notebook, unless ``PACLEARN_PROGRESS=0``; ``PACLEARN_PROGRESS=1`` says always."""
    setting = os.environ.get("PACLEARN_PROGRESS", "auto")
    if setting in {"0", "1"}:
        return setting == "1"
    return sys.stderr.isatty() or "ipykernel" in sys.modules


@contextmanager
def progress(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """Yield a function to call with the number of steps just done; a bar appears after a second.

    Without rich, or with nobody watching, the function does nothing.
    """
    bar = _rich_bar() if somebody_is_watching() else None
    if bar is None:
        yield lambda _steps: None
        return
    task = bar.add_task(label, total=total)
    started = time.monotonic()
    shown = False

    def advance(steps: int) -> None:
        nonlocal shown
        bar.advance(task, steps)
        if not shown and time.monotonic() - started > _PATIENCE_SECONDS:
            bar.start()
            shown = True

    try:
        yield advance
    finally:
        bar.stop()


def _rich_bar() -> Any:
    try:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    except ImportError:
        return None
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


@contextmanager
def stage(label: str) -> Iterator[None]:
    """Say what is being done, and then how long it took, where somebody is watching."""
    watched = somebody_is_watching()
    started = time.monotonic()
    if watched:
        sys.stderr.write(f"{label} ...\n")
        sys.stderr.flush()
    yield
    if watched:
        sys.stderr.write(f"  {time.monotonic() - started:.1f} s\n")
