"""Columns of a model file: what every code means, and how words are read, as plain data and back."""

from __future__ import annotations

from datetime import date
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from paclearn.encoding.coordinates import NumberColumn
from paclearn.encoding.date_columns import PARTS, DatePart
from paclearn.encoding.domain import BinColumn, Column, LevelColumn
from paclearn.tables.dialect import ENCODINGS, ColumnFormat, Dialect

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paclearn.models.checked import Part

__all__ = ["column_from", "column_to_dict", "read_dialect"]


def column_to_dict(column: Column) -> dict[str, Any]:
    """A column as plain data."""
    common: dict[str, Any] = {"name": column.name, "position": column.position, "missing": column.missing}
    if column.source is not None:
        of = {"of": list(column.source.of), "features": list(column.source.features)}
        common["source"] = {"part": column.source.part, **of, "first": column.source.first}
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
    of_kind, read = _KINDS[kind]
    source = _source(part["source"], n_features, names_of_all) if "source" in part.value else None
    name, lowest = part["name"].text(), 0 if source is None else n_features
    position = part["position"].whole(lowest, n_features if source is None else 2**31)
    if names_of_all is not None and source is None:
        part["name"].need(name == names_of_all[position], f"the name at its position, {names_of_all[position]!r}")
    return of_kind(name, position, part["missing"].flag(), *read(part), source=source)


def _source(part: Part, n_features: int, names_of_all: Sequence[str] | None) -> DatePart:
    """Which dates a column is made of, and how."""
    kind = part["part"].one_of(*PARTS)
    of, features = part["of"].each(lambda p: p.text()), part["features"].each(lambda p: p.whole(0, n_features))
    n = 2 if kind == "days between" else 1
    part["of"].need(len(of) == len(features) == n, f"{n} name(s), as many as there are features")
    if names_of_all is not None:
        part["of"].need(all(names_of_all[i] == name for i, name in zip(features, of, strict=True)), "names of features")
    first = part["first"]
    first.need((first.text() != "") == (kind == "days since") and _is_day(first.text()), "a day such as 2025-01-31")
    return DatePart(kind, of, features, first.text())


def _is_day(text: str) -> bool:
    try:
        return not text or date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


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


def read_dialect(part: Part) -> Dialect:
    """How a file was read."""
    marks = {key: part[key].text() for key in ("delimiter", "decimal", "encoding", "place")}
    part["delimiter"].need(len(marks["delimiter"]) == 1, "one letter")
    part["decimal"].need(marks["decimal"] in {".", ","}, "a point or a comma")
    part["encoding"].need(marks["encoding"] in ENCODINGS, "one of " + ", ".join(ENCODINGS))
    return Dialect(**marks, formats=part["formats"].each(_format), tidy=part["tidy"].flag())


def _format(part: Part) -> ColumnFormat:
    return ColumnFormat(
        part["name"].text(),
        part["kind"].one_of("text", "number", "percent", "date", "clock"),
        part["pattern"].text(),
        part["decimal"].one_of(".", ","),
        part["odd"].each(lambda p: p.text()),
        part["like"].text(),
        part["unsure"].flag(),
    )
