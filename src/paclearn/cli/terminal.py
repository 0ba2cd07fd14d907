"""How commands end: errors in one line, interrupts with a word, JSON that the terminal can take."""

from __future__ import annotations

import json
import sys
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from paclearn.cli.interrupts import NOTHING_WRITTEN, raised_here
from paclearn.exceptions import PaclearnWarning

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["fail", "interruptible", "json_text", "show_warning"]


def fail(message: str, code: int) -> NoReturn:
    """One line, and an exit code."""
    typer.echo(f"paclearn: error: {message}", err=True)
    sys.exit(code)


def interruptible(command: Callable[..., None]) -> Callable[..., None]:
    """Say what an interrupt means; the command line library would end without a word."""

    @wraps(command)
    def guarded(*arguments: Any, **options: Any) -> None:
        try:
            with raised_here():
                command(*arguments, **options)
        except KeyboardInterrupt:
            fail(NOTHING_WRITTEN, 130)

    return guarded


def show_warning(message: Warning | str, category: type[Warning], *_rest: Any, **_more: Any) -> None:
    """Our own warnings in one line; those of others are none of the user's business."""
    if issubclass(category, PaclearnWarning):
        typer.echo(f"paclearn: note: {message}", err=True)


def json_text(facts: Any) -> str:
    """JSON that the terminal or pipe at hand can take."""
    text = json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False)
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return json.dumps(facts, indent=2, allow_nan=False)
    return text
