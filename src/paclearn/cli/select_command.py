"""What the command `select` finds and writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw

from paclearn._compat import need
from paclearn.learners.selection import FourierSelector
from paclearn.tables.batches import batch_writer
from paclearn.tables.files import open_table
from paclearn.tables.target import read_target_column

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["selected", "write_selected"]


def selected(table: Any, values: Any, target: str, task: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Names of the columns that were selected, and of those left out as redundant."""
    found = read_target_column(values, target, task)
    model = FourierSelector(task=found.task, **settings).fit(found.rows_of(table), found.y)
    return {"target": target, "selected": list(model.selected_), "redundant": list(model.redundant_)}


def write_selected(path: Path, names: Sequence[str], output: Path, missing: Sequence[str]) -> None:
    """Some columns of a table."""
    table = open_table(path, missing)
    arrow = need("pyarrow", "io", "writing tables")
    columns = {name: nw.Series.to_arrow(table.column(table.names.index(name))) for name in names}
    with batch_writer(output) as write:
        write(arrow.table(columns))
