"""What a bound is made of: numbers that make none are refused, and not turned into a promise."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from paclearn._parameters import Between, check, check_between
from paclearn.exceptions import InputError

__all__ = ["check_given", "check_shares", "check_wrong"]

_WIDEST = 1e154  # it is squared
_ROUNDING = 1 + 1e-9  # weights of rows that are wrong add up to no more than those of all rows, but for this


def check_given(n: Any, delta: Any, **others: Any) -> None:
    """Some rows, a chance to fail, and other numbers that are not negative."""
    check("n", n, Between(0, inf))
    check_between("delta", delta, 0, 1)
    for name, value in others.items():
        check(name, value, Between(0, _WIDEST if name == "target_range" else inf, closed=True))


def check_wrong(errors: Any, n: Any, delta: Any, **others: Any) -> None:
    """The same, with no more errors than there are rows."""
    check_given(n, delta, errors=errors, **others)
    if errors > n * _ROUNDING:
        raise InputError(f"errors={errors!r} must be at most the number of rows, n={n!r}")


def check_shares(name: str, values: Any, *, or_missing: bool = False) -> None:
    """Numbers from 0 to 1, one or more, in a line."""
    found = np.asarray(values)
    if found.ndim != 1 or found.dtype.kind not in "biuf":
        raise InputError(f"{name} must be numbers in a line; found {found.dtype} of shape {found.shape}")
    held = found[~np.isnan(found)] if or_missing else found
    if not ((held >= 1 - _ROUNDING) & (held <= _ROUNDING)).all():
        raise InputError(f"{name} must be from 0 to 1; found {held.min():g} to {held.max():g}")
