"""What a generator is asked for, refused in one line where there is no such table."""

from __future__ import annotations

from typing import Any

from paclearn._parameters import Whole, check
from paclearn.exceptions import InputError

__all__ = ["check_chances", "check_sizes"]

_MOST = 2**31 - 1


def check_sizes(least: int = 1, /, **sizes: Any) -> None:
    """Refuse what is no number of rows, columns or whatever there are many of."""
    for name, value in sizes.items():
        check(name, value, Whole(least, _MOST))


def check_chances(most: float = 1, /, **chances: Any) -> None:
    """Refuse what is no probability, or a larger one than makes sense."""
    for name, value in chances.items():
        try:
            fits = bool(0 <= value <= most)
        except (TypeError, ValueError):
            fits = False
        if not fits:
            raise InputError(f"{name}={value!r} must lie between 0 and {most:g}")
