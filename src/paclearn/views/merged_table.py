"""A truth table with levels that vote alike in one line: fewer lines, the same answers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.views.effect_sentences import condition_in_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from paclearn.models.table_model import TableModel
    from paclearn.models.truth_table import TruthTable

__all__ = ["MergedLine", "merged_lines"]

_MOST_ORDERS = 24


@dataclass(frozen=True)
class MergedLine:
    """Cells of a truth table that say the same."""

    said: tuple[str, ...]  # for every member in words which codes it may have; "any" where that is of no account
    codes: tuple[tuple[int, ...], ...]  # the same in codes
    rows: float
    prediction: Any  # the class that all of them predict
    share: float | None  # of that class among these rows


def merged_lines(model: TableModel) -> list[MergedLine]:
    """The lines of a table of classes, members in whichever order needs the fewest."""
    table = model.counted
    if table is None or table.classes is None:
        return []
    votes = table.seen_predictions.argmax(axis=-1)
    orders = list(permutations(range(votes.ndim)))[:_MOST_ORDERS]
    found = min((_boxes(votes, order) for order in orders), key=len)
    return [_line(model, table, votes, box) for box in found]


Box = tuple[tuple[int, ...], ...]


def _boxes(votes: NDArray[np.intp], order: tuple[int, ...]) -> list[Box]:
    """Boxes of codes within which all cells vote alike; together they are the table."""
    everything = [tuple(range(size)) for size in votes.shape]
    return list(_parted(votes, order, everything))


def _parted(votes: NDArray[np.intp], order: tuple[int, ...], box: list[tuple[int, ...]]) -> Iterator[Box]:
    inside = votes[np.ix_(*box)]
    if (inside == inside.flat[0]).all() or not order:
        yield tuple(box)
        return
    axis, *rest = order
    alike: dict[bytes, list[int]] = {}
    for place, code in enumerate(box[axis]):
        alike.setdefault(inside.take(place, axis=axis).tobytes(), []).append(code)
    for codes in alike.values():
        yield from _parted(votes, tuple(rest), [tuple(codes) if a == axis else own for a, own in enumerate(box)])


def _line(model: TableModel, table: TruthTable, votes: NDArray[np.intp], box: Box) -> MergedLine:
    cells = np.ix_(*box)
    vote = int(votes[cells].flat[0])
    counts = table.counts[cells].reshape(-1, table.counts.shape[-1]).sum(axis=0)
    rows, share = float(counts.sum()), None
    if rows:
        share = float(counts[vote] / rows)
    said = tuple(_said(model, table, axis, codes) for axis, codes in enumerate(box))
    assert table.classes is not None  # noqa: S101 - a table of classes
    return MergedLine(said, box, int(rows) if rows == round(rows) else rows, table.classes[vote], share)


def _said(model: TableModel, table: TruthTable, axis: int, codes: tuple[int, ...]) -> str:
    if len(codes) == table.sizes[axis]:
        return "any"
    column, yes = model.members[axis]
    if yes is not None:
        return " or ".join(table.code_names[axis][code] for code in codes)
    return condition_in_words(model.columns[column], codes).removeprefix("being ")
