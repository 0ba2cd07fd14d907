"""Effects in words: one block an effect, one line a group, with what it adds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paclearn.views.effect_pieces import pieces_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paclearn.models.additive import AdditiveModel

__all__ = ["effect_rows", "more_effects"]

_LONG = 9  # bins of a line or a curve that are told, of many


def effect_rows(model: AdditiveModel, most: int) -> Iterator[list[str]]:
    """A head, the start, and the weightiest effects: of lines and curves some places on the way."""
    yield ["effect", *_outputs(model)]
    yield ["(start)", *(f"{value:+.3f}" for value in model.start)]
    for table, shape in list(zip(model.tables, model.shapes, strict=True))[:most]:
        yield [f"{model.title(table)} ({shape})", *[""] * model.n_scores]
        pieces = pieces_of(model, table)
        for place in _shown(len(pieces), shape):
            yield [f"  {pieces[place].name}", *(f"{value:+.3f}" for value in pieces[place].values)]


def more_effects(model: AdditiveModel, most: int) -> list[str]:
    """What was left out."""
    left = len(model.tables) - most
    return [f"and {left} more effect{'s' if left > 1 else ''}"] if left > 0 else []


def _shown(n_cells: int, shape: str) -> list[int]:
    """All cells, or, of a line or curve over many bins, the ends and some between."""
    if n_cells <= _LONG or not shape.startswith(("line", "curve")):
        return list(range(n_cells))
    few = 3 if shape == "line" else _LONG
    return sorted(set(np.linspace(0, n_cells - 1, few).round().astype(int).tolist()))


def _outputs(model: AdditiveModel) -> list[str]:
    return ["adds"] if model.n_scores == 1 else [f"adds[{name}]" for name in model.output_names]
