"""Sets of codes of a column in words, such as ``age <= 41`` or ``city in {Oslo, Rome}``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paclearn.encoding import BinColumn
from paclearn.encoding.bins import n_present

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from paclearn.encoding import Column

__all__ = ["answer_in_words", "condition", "cut_of", "level_condition"]


def cut_of(column: Column, low: NDArray[np.uint8]) -> int:
    """How many bins of a numeric column go low."""
    return int(low[: n_present(column)].sum())


def condition(column: Column, low: NDArray[np.uint8]) -> str:
    """What is true of the codes that go low, such as ``age <= 41`` or ``city in {Oslo, Rome}``."""
    if not isinstance(column, BinColumn):
        return level_condition(column, low)
    present, missing_low = n_present(column), bool(low[n_present(column)])
    cut = cut_of(column, low)
    if cut in {0, present}:
        return f"{column.name} is {'missing' if cut == 0 else 'present'}"
    text = f"{column.name} <= {column.cuts[cut - 1]}"
    return f"{text} or missing" if column.missing and missing_low else text


def level_condition(column: Column, low: NDArray[np.uint8], most: int | None = None) -> str:
    """What is true of the levels that go low; of the shorter list, at most so many are named."""
    names = column.code_names
    inside = [name for name, is_low in zip(names, low, strict=False) if is_low]
    outside = [name for name, is_low in zip(names, low, strict=False) if not is_low]
    if len(inside) == 1:
        return f"{column.name} = {inside[0]}"
    if len(outside) == 1:
        return f"{column.name} is not {outside[0]}"
    shorter, verb = (inside, "in") if len(inside) <= len(outside) else (outside, "not in")
    more = f", … ({len(shorter)})" if most is not None and len(shorter) > most else ""
    return f"{column.name} {verb} {{{', '.join(shorter[:most])}{more}}}"


def answer_in_words(column: Column, low: NDArray[np.uint8], *, goes_low: bool) -> str:
    """What is true of the codes on one side."""
    if goes_low:
        return condition(column, low)
    if not isinstance(column, BinColumn):
        return condition(column, 1 - low)
    present, missing_low = n_present(column), bool(low[n_present(column)])
    cut = cut_of(column, low)
    if cut in {0, present}:
        return f"{column.name} is {'present' if cut == 0 else 'missing'}"
    text = f"{column.name} > {column.cuts[cut - 1]}"
    return f"{text} or missing" if column.missing and not missing_low else text
