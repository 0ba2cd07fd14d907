"""Columns of a model file: what every code means, as plain data and back."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from paclearn.encoding.domain import BinColumn, Column, LevelColumn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paclearn.models.checked import Part

__all__ = ["column_from", "column_to_dict"]


def column_to_dict(column: Column) -> dict[str, Any]:
    """A column as plain data."""
    common = {"name": column.name, "position": column.position, "missing": column.missing}
    if isinstance(column, LevelColumn):
        return {
            "kind": "levels",
            **common,
            "levels": list(column.levels),
            "other": column.other,
            "numeric": column.numeric,
        }
    assert isinstance(column, BinColumn)  # noqa: S101 - there are two kinds of columns
    return {"kind": "bins", **common, "thresholds": list(column.thresholds)}


def column_from(part: Part, n_features: int, names_of_all: Sequence[str] | None) -> Column:
    """A column from a file."""
    kind = part["kind"].one_of("levels", "bins")
    name, position = part["name"].text(), part["position"].whole(0, n_features)
    if names_of_all is not None:
        part["name"].need(name == names_of_all[position], f"the name at its position, {names_of_all[position]!r}")
    missing = part["missing"].flag()
    if kind == "bins":
        thresholds = part["thresholds"]
        cuts = thresholds.each(lambda p: p.number())
        thresholds.need(bool(cuts) and all(a < b for a, b in pairwise(cuts)), "numbers, each larger than the last")
        return BinColumn(name, position, missing, cuts)
    levels, numeric = part["levels"], part["numeric"].flag()
    names = levels.each(lambda p: p.number_in_words() if numeric else p.text())
    levels.need(len(set(names)) == len(names), "a list of different levels")
    return LevelColumn(name, position, missing, names, part["other"].flag(), numeric)
