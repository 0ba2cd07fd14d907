"""TruthTable: the model itself. One row a cell, with what was counted there and what is predicted.

A cell that is empty, or where classes tie, asks the table without its least informative member, and so on down to the
table of no members, the class prior. So does a row with a code training never saw, for which every axis has one place
more than it has codes. All of that is worked out once, here; a prediction is one look-up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.counting import Counts
from paclearn.encoding.domain import without_repeats

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from paclearn.search import Score

__all__ = ["Cell", "TruthTable", "backoff_order", "class_table", "mean_table"]


@dataclass(frozen=True)
class Cell:
    """One cell of a truth table; share and probability are those of the predicted class."""

    codes: tuple[str, ...]
    rows: float
    prediction: Any
    share: float | None
    probability: float | None
    depth: int


@dataclass(frozen=True, eq=False)
class TruthTable:
    """Cells of a few units and what is predicted in each.

    Parameters
    ----------
    members : tuple of str
        Names of the units.
    code_names : tuple of tuple of str
        Names of their codes.
    counts : ndarray, one axis a member, then channels
        What was counted: rows of every class; or weight, sum and sum of squares of a numeric target.
    predictions : ndarray, one axis a member with a place for the unseen code at its end, then outputs
        Probabilities of the classes, or the mean of the target.
    depth : ndarray, like ``predictions`` without the outputs
        From how many members the prediction comes: fewer than there are where the cell itself could not say.
    order : tuple of int
        Positions of the members in the order in which they are given up.
    classes : tuple or None
        The class labels; None for a numeric target.
    """

    members: tuple[str, ...]
    code_names: tuple[tuple[str, ...], ...]
    counts: NDArray[np.float64]
    predictions: NDArray[np.float64]
    depth: NDArray[np.int64]
    order: tuple[int, ...]
    classes: tuple[Any, ...] | None

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.counts.shape[:-1]

    @property
    def n_cells(self) -> int:
        return int(np.prod(self.sizes))

    @property
    def cell_rows(self) -> NDArray[np.float64]:
        """Rows (or their weight) in every cell."""
        return self.counts.sum(axis=-1) if self.classes is not None else self.counts[..., 0]

    @property
    def seen_predictions(self) -> NDArray[np.float64]:
        """Predictions without the places of the unseen codes."""
        return self.predictions[tuple(slice(q) for q in self.sizes)]

    def lookup(self, codes: Sequence[NDArray[np.integer[Any]]]) -> NDArray[np.float64]:
        """Predictions for rows given by the codes of the members."""
        return self.predictions[tuple(np.asarray(c, dtype=np.intp) for c in codes)]

    def cell(self, number: int) -> Cell:
        """One cell, by its number in the order of the table."""
        place = np.unravel_index(number, self.sizes)
        n, outputs = self.cell_rows[place], self.predictions[place]
        codes = tuple(names[code] for names, code in zip(self.code_names, place, strict=True))
        depth = int(self.depth[place])
        if self.classes is None:
            return Cell(codes, _whole(n), float(outputs[0]), None, None, depth)
        best = int(outputs.argmax())
        share = float(self.counts[place][best] / n) if n else None
        return Cell(codes, _whole(n), self.classes[best], share, float(outputs[best]), depth)

    def rows(self) -> dict[str, list[Any]]:
        """The table as columns of a data frame: members, rows, what was counted, what is predicted."""
        cells = [self.cell(i) for i in range(self.n_cells)]
        members = without_repeats(self.members)
        columns: dict[str, list[Any]] = {name: [cell.codes[i] for cell in cells] for i, name in enumerate(members)}
        facts: dict[str, list[Any]] = {"rows": [cell.rows for cell in cells]}
        for i, label in enumerate(self.classes or ()):
            facts[f"rows of {label}"] = [_whole(n) for n in self.counts[..., i].ravel()]
        facts["prediction"] = [cell.prediction for cell in cells]
        if self.classes is not None:
            facts["probability"] = [cell.probability for cell in cells]
        facts["members used"] = [cell.depth for cell in cells]
        # a column of the user's may be called "rows"
        return columns | dict(zip(without_repeats(facts, taken=members), facts.values(), strict=True))


def _whole(value: float) -> float:
    return int(value) if value == round(value) else float(value)


def backoff_order(counts: Counts, score: Score) -> tuple[int, ...]:
    """Positions of the members in the order in which to give them up: each time the one whose loss costs least.

    ``counts`` holds one subset. The tables of its subsets are sums of its own.
    """
    left = list(range(counts.subsets.shape[1]))
    table, order = counts.table(0), []
    while len(left) > 1:
        without = [_marginal(counts, table, [m for m in left if m != out], left) for out in left]
        scores = np.round([float(score(c)[0]) for c in without], 12)
        # among equals the last member goes first
        loser = len(left) - 1 - int(np.argmax(scores[::-1]))
        table = table.sum(axis=loser)
        order.append(left.pop(loser))
    return (*order, *left)


def _marginal(counts: Counts, table: NDArray[Any], keep: list[int], left: list[int]) -> Counts:
    axes = tuple(i for i, member in enumerate(left) if member not in keep)
    values = table.sum(axis=axes).reshape(1, -1, table.shape[-1])
    return Counts(counts.subsets[:, keep], counts.sizes[:, keep], values)


def class_table(
    members: tuple[str, ...],
    code_names: tuple[tuple[str, ...], ...],
    counts: NDArray[np.float64],
    order: tuple[int, ...],
    classes: Sequence[Any],
) -> TruthTable:
    """Majority votes with back-off; probabilities are cell frequencies with one row of every class added."""

    def decide(rows: NDArray[np.float64], below: NDArray[np.float64]) -> tuple[Any, Any]:
        n = rows.sum(axis=-1, keepdims=True)
        top = rows.max(axis=-1, keepdims=True)
        # sums of relative weights may miss a tie by a rounding error
        clear = (n > 0) & ((rows >= top * (1 - 1e-12)).sum(axis=-1, keepdims=True) == 1)
        own = (rows + 1) / (n + len(classes))
        return np.where(clear, own, (rows + below) / (n + 1)), clear[..., 0]

    uniform = np.full(len(classes), 1 / len(classes))
    return TruthTable(
        members, code_names, counts, *_with_backoff(counts, order, decide, uniform), order, tuple(classes)
    )


def mean_table(
    members: tuple[str, ...],
    code_names: tuple[tuple[str, ...], ...],
    counts: NDArray[np.float64],
    order: tuple[int, ...],
    centre: float,
) -> TruthTable:
    """Cell means with back-off. ``counts`` holds weight, sum and sum of squares of the target less ``centre``."""

    def decide(sums: NDArray[np.float64], below: NDArray[np.float64]) -> tuple[Any, Any]:
        weight = sums[..., :1]
        filled = weight > 0
        means = centre + np.divide(sums[..., 1:2], weight, out=np.zeros_like(weight), where=filled)
        return np.where(filled, means, below), filled[..., 0]

    start = np.array([centre])
    return TruthTable(members, code_names, counts, *_with_backoff(counts, order, decide, start), order, None)


def _with_backoff(
    counts: NDArray[np.float64],
    order: tuple[int, ...],
    decide: Callable[[NDArray[np.float64], NDArray[np.float64]], tuple[Any, Any]],
    start: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """From the table of no members to the full one: each fills in what the ones before it could not decide better."""
    k = len(order)
    predictions = start.reshape((1,) * k + (-1,))
    depth: NDArray[np.int64] = np.zeros((1,) * k, dtype=np.int64)
    for used in range(k + 1):
        given_up = order[: k - used]
        table = counts.sum(axis=given_up, keepdims=True)
        unseen = [(0, 0 if axis in given_up else 1) for axis in range(k)]
        predictions, decided = decide(np.pad(table, [*unseen, (0, 0)]), predictions)
        depth = np.where(decided, used, depth)
    return predictions, depth
