"""What the command `discover` needs besides the library: rows without a target, and files by their endings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._files import write_atomically
from paclearn._validation import RowSubset
from paclearn.encoding import read_column
from paclearn.encoding.raw import Labels
from paclearn.exceptions import InputError, TargetError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from paclearn._validation import Table
    from paclearn.selection import Discovery

__all__ = ["check_ending", "rows_with_target", "write_discovery"]

_ENDINGS = (".json", ".md", ".markdown", ".csv", ".svg", ".png", ".pdf")


def rows_with_target(table: Table, target: Any, name: str, task: str) -> tuple[Table, NDArray[Any]]:
    """Leave out the rows whose target is missing."""
    raw = read_column(target, name)
    present = np.flatnonzero(~raw.missing)
    if len(present) == 0:
        raise TargetError(f"the target {name!r} is missing in every row")
    if isinstance(raw, Labels):
        if task == "regression":
            raise TargetError(f"the target {name!r} holds text such as {raw.labels[0]!r}; regression needs numbers")
        values = np.array(raw.labels, dtype=object)[raw.codes[present]].astype(str)
    else:
        values = raw.values[present]
        values = values.astype(np.int64) if np.array_equal(values, np.round(values)) else values
    return (table if len(present) == table.n_rows else RowSubset(table, present)), values


def check_ending(path: Path) -> None:
    """Refuse a file that nobody knows how to write, before anything is searched."""
    if path.suffix.lower() not in _ENDINGS:
        raise InputError(f"{path.name}: a file to write must end in .json, .md, .csv, .svg, .png or .pdf")


def write_discovery(found: Discovery, path: Path) -> None:
    """Write findings as the ending of the file says."""
    ending = path.suffix.lower()
    if ending == ".json":
        write_atomically(path, found.to_json() + "\n")
    elif ending in {".md", ".markdown"}:
        write_atomically(path, found.to_markdown() + "\n")
    elif ending == ".csv":
        write_atomically(path, found.to_csv())
    else:
        found.plot().figure_.savefig(path)
