"""Columns of a model file: what every code means, as plain data and back."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from paclearn.encoding.coordinates import NumberColumn
from paclearn.encoding.domain import BinColumn, Column, LevelColumn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paclearn.models.checked import Part

__all__ = ["column_from", "column_to_dict"]


def column_to_dict(column: Column) -> dict[str, Any]:
    """A column as plain data."""
    common = {"name": column.name, "position": column.position, "missing": column.missing}
    if isinstance(column, LevelColumn):
        levels = {"levels": list(column.levels), "other": column.other, "numeric": column.numeric}
        return {"kind": "levels", **common, **levels}
    if isinstance(column, NumberColumn):
        return {"kind": "numbers", **common, "mean": column.mean, "centre": column.centre, "scale": column.scale}
    assert isinstance(column, BinColumn)  # noqa: S101 - there are three kinds of columns
    return {"kind": "bins", **common, "thresholds": list(column.thresholds)}


def column_from(part: Part, n_features: int, names_of_all: Sequence[str] | None, kinds: Sequence[str]) -> Column:
    """A column from a file, of one of some kinds."""
    kind = part["kind"].one_of(*kinds)
    name, position = part["name"].text(), part["position"].whole(0, n_features)
    if names_of_all is not None:
        part["name"].need(name == names_of_all[position], f"the name at its position, {names_of_all[position]!r}")
    of_kind, read = _KINDS[kind]
    return of_kind(name, position, part["missing"].flag(), *read(part))


def _thresholds(part: Part) -> tuple[Any, ...]:
    thresholds = part["thresholds"]
    cuts = thresholds.each(lambda p: p.number())
    thresholds.need(bool(cuts) and all(a < b for a, b in pairwise(cuts)), "numbers, each larger than the last")
    return (cuts,)


def _levels(part: Part) -> tuple[Any, ...]:
    levels, numeric = part["levels"], part["numeric"].flag()
    names = levels.each(lambda p: p.number_in_words() if numeric else p.text())
    levels.need(len(set(names)) == len(names), "a list of different levels")
    return names, part["other"].flag(), numeric


def _scale(part: Part) -> tuple[Any, ...]:
    part["scale"].need(part["scale"].number() > 0, "a number above 0")
    return tuple(part[key].number() for key in ("mean", "centre", "scale"))


_KINDS: dict[str, tuple[type[Column], Callable[[Part], tuple[Any, ...]]]] = {
    "levels": (LevelColumn, _levels),
    "bins": (BinColumn, _thresholds),
    "numbers": (NumberColumn, _scale),
}
