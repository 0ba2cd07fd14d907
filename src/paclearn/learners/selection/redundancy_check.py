"""Equations that some rows showed, held against all of them: what each leaves there, and which columns never vary.

What a row adds to a sum is rounded to a multiple of one power of two, so sums are exact in any blocks and in any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from paclearn.encoding.encoded_rows import exact_step
from paclearn.tables.raw import Labels, format_number, read_any
from paclearn.tables.weights import multiples

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from paclearn.learners.selection.column_functions import Functions, Recipe
    from paclearn.learners.selection.equations import Equation
    from paclearn.tables.table import Table

__all__ = ["RowPasses", "WholeTable", "residuals_of", "still_constant"]


class RowPasses(Protocol):
    """Rows that are gone through a block at a time, here or elsewhere."""

    n_rows: int

    def summed(self, work: Callable[[Table], Any], positions: Sequence[int], add: Callable[[Any, Any], Any]) -> Any:
        """What comes of all blocks, added up."""


class WholeTable:
    """A table in memory as one block."""

    def __init__(self, table: Table) -> None:
        self.table, self.n_rows = table, table.n_rows

    def summed(self, work: Callable[[Table], Any], positions: Sequence[int], add: Callable[[Any, Any], Any]) -> Any:  # noqa: ARG002
        return work(self.table)


@dataclass(frozen=True, eq=False)
class _Leaves:
    """Per equation: the squared residual, the function less its mean among some rows, and the square of that."""

    equations: tuple[Equation, ...]
    recipes: Mapping[str, Recipe]
    means: tuple[float, ...]
    steps: NDArray[np.float64] | None = None

    def __call__(self, block: Table) -> NDArray[np.float64]:
        """The largest numbers, or the sums of multiples of the steps: equations x three."""
        read = {recipe.position: read_any(block, recipe.position) for recipe in self.recipes.values()}
        values = {name: recipe.values(read[recipe.position]) for name, recipe in self.recipes.items()}
        found = np.zeros((len(self.equations), 3))
        for i, (equation, mean) in enumerate(zip(self.equations, self.means, strict=True)):
            above = values[equation.name] - mean
            numbers = np.column_stack([(values[equation.name] - equation.predict(values)) ** 2, above, above**2])
            if self.steps is None:
                found[i] = np.abs(numbers).max(axis=0, initial=0.0)
            else:
                found[i] = multiples(numbers, self.steps[i]).sum(axis=0)
        return found


def residuals_of(equations: Sequence[Equation], functions: Functions, rows: RowPasses) -> list[float]:
    """What each equation leaves of its function in all rows, as a share of its standard deviation there."""
    if not equations:
        return []
    number = {name: i for i, name in reversed([*enumerate(functions.names)])}
    needed = {e.name for e in equations} | {name for e in equations for _, names in e.terms for name in names}
    recipes = {name: functions.recipes[number[name]] for name in sorted(needed)}
    means = tuple(float(functions.values[:, number[e.name]].mean()) for e in equations)
    positions = sorted({recipe.position for recipe in recipes.values()})
    largest = rows.summed(_Leaves(tuple(equations), recipes, means), positions, np.maximum)
    steps = exact_step(largest, rows.n_rows)
    sums = rows.summed(_Leaves(tuple(equations), recipes, means, steps), positions, np.add) / rows.n_rows
    left, mean, square = sums.T
    variance = np.maximum(square - mean**2, np.finfo(float).tiny)
    return np.sqrt(left / variance).tolist()


@dataclass(frozen=True)
class _Values:
    """Of every column, two of its values at the most."""

    positions: tuple[int, ...]

    def __call__(self, block: Table) -> list[frozenset[str | None]]:
        return [_two_of(read_any(block, position)) for position in self.positions]


def _two_of(raw: Any) -> frozenset[str | None]:
    if isinstance(raw, Labels):
        found: list[str | None] = [
            raw.labels[code] if code >= 0 else None for code in np.unique(raw.codes)[:2].tolist()
        ]
        return frozenset(found)
    absent = raw.missing
    some = np.unique(raw.values[~absent])[:2].tolist()
    return frozenset(
        [*(format_number(v) if isinstance(v, float) else str(v) for v in some), *([None] * bool(absent.any()))]
    )


def _two_of_both(one: list[frozenset[Any]], other: list[frozenset[Any]]) -> list[frozenset[Any]]:
    return [frozenset(islice(a | b, 2)) if len(a | b) > 2 else a | b for a, b in zip(one, other, strict=True)]


def still_constant(positions: Sequence[int], rows: RowPasses) -> list[int]:
    """The columns that are the same in all rows, or missing in all of them."""
    if not positions:
        return []
    found = rows.summed(_Values(tuple(positions)), list(positions), _two_of_both)
    return [position for position, values in zip(positions, found, strict=True) if len(values) <= 1]
