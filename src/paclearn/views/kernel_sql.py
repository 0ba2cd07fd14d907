"""A kernel expansion over a linear base kernel as SQL: sums, products, quotients and one square root a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paclearn.encoding.coordinates import NumberColumn
from paclearn.exceptions import InputError
from paclearn.models.kernel_functions import Linear
from paclearn.views import sql_words as words
from paclearn.views.sql_columns import condition
from paclearn.views.sql_tree import Select

_FARTHEST = Linear().farthest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.models.kernel_model import KernelModel
    from paclearn.views.sql_tree import Node

__all__ = ["scored_by_kernel"]

_MOST_PRODUCTS = 10_000
_MOST_COLUMNS = 1000  # of a step: databases limit them
_WIDTH = 50  # terms of a sum that stand side by side; databases limit how deeply an expression may nest
_OUTSIDE = words.number(1 + 1e-9)


def scored_by_kernel(
    model: KernelModel, origin: Node, keys: list[str], fresh: Callable[[str, int], list[str]]
) -> tuple[Select, list[str]]:
    """The scores of every row, and what their columns are called: coordinates, their length, kernel values, sums."""
    _refuse_large(model)
    kernel, (n, d) = model.kernel, model.anchors.shape
    at, size, back = fresh("at", d), *fresh("size", 1), *fresh("back", 1)
    values, scores = fresh("kernel", n), fresh("score", model.n_scores)
    coordinates, squares = zip(*_coordinates(model.columns, at), strict=True)
    placed = Select.of(origin, keys, zip(coordinates, at, strict=True))
    measured = Select.of(placed, [*keys, *at], [(f"({_added(squares)}) / {words.number(kernel.scale)}", size)])
    length = words.identifier(size)
    pulled = f"CASE WHEN {length} > {_OUTSIDE} THEN 1e0 / SQRT({length}) ELSE 1e0 END"
    inside = Select.of(measured, [*keys, *at], [(pulled, back)])
    start, by = words.number(kernel.offset), words.identifier(back)
    inner = (f"1e0 / ({start} - {by} * ({_weighted(a, at)}))" for a in kernel.slope * model.anchors)
    expanded = Select.of(inside, keys, zip(inner, values, strict=True))
    sums = (_weighted(weights, values) for weights in model.weights.T)
    return Select.of(expanded, keys, zip(sums, scores, strict=True)), scores


def _refuse_large(model: KernelModel) -> None:
    if not isinstance(model.kernel.base, Linear):
        raise InputError(
            f"a model of kernel={model.kernel.base.name!r} cannot be written in SQL, which has sums and products of "
            "columns only; kernel='linear' can be, and to_python and a model file serve the others"
        )
    n, d = model.anchors.shape
    if n * d > _MOST_PRODUCTS or max(n, d) > _MOST_COLUMNS:
        raise InputError(
            f"in SQL the model would take {n:,} x {d:,} products of rows of the fit and coordinates (at most "
            f"{_MOST_PRODUCTS:,}, and {_MOST_COLUMNS:,} of either); solver='features' with fewer landmarks, such as "
            "n_landmarks=50, makes a smaller one"
        )


def _coordinates(columns: Sequence[Column], at: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Every coordinate, and its square in terms of its name: noughts and ones are their own squares."""
    names = map(words.identifier, at)
    for column in columns:
        value = words.identifier(column.own_name)
        flags = [condition(column, (i,)) for i in range(column.n_codes)]
        if isinstance(column, NumberColumn):
            name, present = next(names), f"COALESCE(CAST({value} AS DOUBLE PRECISION), {words.number(column.mean)})"
            place = f"({present} - {words.number(column.centre)}) / {words.number(column.scale)}"
            yield words.between(place, (-_FARTHEST, _FARTHEST)), f"{name} * {name}"
            flags = [f"{value} IS NULL"] * column.missing
        yield from ((f"CASE WHEN {flag} THEN 1 ELSE 0 END", next(names)) for flag in flags)


def _weighted(weights: NDArray[np.float64], names: Sequence[str]) -> str:
    terms = [f"{words.number(w)} * {words.identifier(x)}" for w, x in zip(weights, names, strict=True) if w != 0]
    return _added(terms)


def _added(terms: Sequence[str]) -> str:
    """Sums of sums, so that no expression nests deeply."""
    while len(terms) > _WIDTH:
        terms = [f"({' + '.join(terms[i : i + _WIDTH])})" for i in range(0, len(terms), _WIDTH)]
    return " + ".join(terms) or "0e0"
