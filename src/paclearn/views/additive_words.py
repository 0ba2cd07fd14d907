"""Effects in words: one block an effect, one line a group, with what it adds."""

from __future__ import annotations

from math import floor, log10
from typing import TYPE_CHECKING

import numpy as np

from paclearn._text import figures
from paclearn.encoding.domain import BinColumn
from paclearn.views.effect_pieces import pieces_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paclearn.models.additive_model import AdditiveModel
    from paclearn.models.effects import Effect
    from paclearn.views.effect_pieces import Piece

__all__ = ["effect_rows"]

_LONG = 9  # bins of a line or a curve that are told, of many
_MANY_CELLS = 25  # of several columns, of which no more than these are all told


def effect_rows(model: AdditiveModel, most: int) -> Iterator[list[str]]:
    """A head, the start, and the weightiest effects: of lines and curves some places on the way."""
    yield ["effect", *_outputs(model)]
    yield ["(start)", *(f"{value:+.3f}" for value in model.start)]
    silent = False
    for table, shape in list(zip(model.tables, model.shapes, strict=True))[:most]:
        every = pieces_of(model, table)
        pieces = [piece for piece in every if not _says_nothing(piece)]
        silent |= len(pieces) < len(every)
        shown = _shown(model, table, pieces, shape)
        where = "places" if len(table.columns) == 1 else "cells, the weightiest"
        some = f", {len(shown)} of {len(pieces)} {where}" if shape != "line" and len(shown) < len(pieces) else ""
        yield [f"{model.title(table)} ({shape}{some})", *[""] * model.n_scores]
        between = _rise(model, table, pieces) if shape == "line" and len(shown) < len(pieces) else []
        for place, piece in enumerate(shown):
            yield [f"  {piece.name}", *(f"{value:+.3f}" for value in piece.values)]
            yield from between if place == 0 else []
    if silent:
        yield ["(missing or never seen, where no line says so)", *["+0.000"] * model.n_scores]


def _says_nothing(piece: Piece) -> bool:
    """Whether no row of the fit was there, and nothing is added: most often what was never missing."""
    return piece.rows == 0 and not piece.values.any()


def _shown(model: AdditiveModel, table: Effect, pieces: list[Piece], shape: str) -> list[Piece]:
    """All pieces; of a line over many bins its ends, of a curve some places too, and what is missing; of cells the few
    that matter most to most rows.
    """
    if len(table.columns) > 1:
        return pieces if len(pieces) <= _MANY_CELLS else sorted(pieces, key=_weight)[:_LONG]
    column = model.columns[table.columns[0]]
    if len(pieces) <= _LONG or not isinstance(column, BinColumn) or not shape.startswith(("line", "curve")):
        return pieces
    bins = _bins(column, pieces)
    places = np.linspace(0, len(bins) - 1, 2 if shape == "line" else _LONG).round().astype(int)
    return [*(bins[place] for place in sorted(set(places.tolist()))), *pieces[len(bins) :]]


def _bins(column: BinColumn, pieces: list[Piece]) -> list[Piece]:
    return [piece for piece in pieces if piece.codes[0][0] <= len(column.thresholds)]


def _rise(model: AdditiveModel, table: Effect, pieces: list[Piece]) -> list[list[str]]:
    """What a line adds for every so much more, by the middles of its bins but the outermost, which have no end."""
    column = model.columns[table.columns[0]]
    assert isinstance(column, BinColumn)  # noqa: S101 - of few numbers all are told
    inner, cuts = _bins(column, pieces)[1:-1], column.thresholds
    ends = np.array([[cuts[codes[0] - 1], cuts[codes[-1]]] for (codes,) in (piece.codes for piece in inner)])
    if len(inner) < 2 or not np.isfinite(np.ptp(ends)):
        return []
    middles = ends.mean(axis=1) - ends.mean()
    unit = 10.0 ** floor(log10(np.ptp(ends) / 2))
    slopes = middles @ np.array([piece.values for piece in inner]) / (middles @ middles)
    more = f"{figures(unit)} days later" if column.holds_dates else f"{figures(unit)} more"
    return [[f"  in between, for every {more}", *(f"{unit * slope:+.3f}" for slope in slopes)]]


def _weight(piece: Piece) -> float:
    """The most first: how much is added, and to how many rows."""
    return -float(np.abs(piece.values).max()) * np.sqrt(1.0 if piece.rows is None else piece.rows)


def _outputs(model: AdditiveModel) -> list[str]:
    return ["adds"] if model.n_scores == 1 else [f"adds[{name}]" for name in model.output_names]
