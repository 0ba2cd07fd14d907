"""The command `select`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional, TypedDict

import narwhals as nw
import typer

from paclearn._compat import need
from paclearn._parameters import check_choice
from paclearn.cli.opening import DayFirst, Query, Sheet, TableName, opened, wanted
from paclearn.cli.shared_options import AsJson, Drop, Jobs, Missing, OneTarget, Seed, TableFile, Task
from paclearn.cli.terminal import json_text
from paclearn.tables.batches import batch_writer
from paclearn.tables.files import check_writable, split_target
from paclearn.tables.target import read_target_column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paclearn.tables.table import Table

__all__ = ["select"]


class _Selected(TypedDict):
    """What `select` prints as JSON."""

    target: str
    selected: list[str]
    columns: list[str]  # of the table: days from one date to another are made of two
    redundant: list[str]


def select(
    table: TableFile,
    target: OneTarget,
    n_features: Annotated[int, typer.Option("--number", "-n", min=1, help="How many columns to select.")] = 10,
    depth: Annotated[int, typer.Option(min=1, max=3, help="Columns that are looked at together.")] = 2,
    output: Annotated[
        Optional[Path],
        typer.Option(
            "--output",
            "-o",
            help="Write the selected columns and the target to this .csv, .parquet or .arrow.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
    drop: Drop = None,
    task: Task = "auto",
    missing: Missing = None,
    sheet: Sheet = None,
    table_name: TableName = None,
    query: Query = None,
    day_first: DayFirst = None,
    jobs: Jobs = -1,
    seed: Seed = 0,
) -> None:
    """Select the columns that together say most about a column, and say which others are redundant.

    Examples:

        paclearn select churn.csv --target churn -n 5

        paclearn select wide.parquet --target y -n 20 -o narrow.parquet
    """
    if output is not None:
        check_writable(output)
    source, _ = opened(table, wanted(missing, sheet, table_name, query, day_first))
    columns, values = split_target(source, target, drop or ())
    settings = {"n_features": n_features, "depth": depth, "n_jobs": jobs, "random_state": seed}
    found = _selected(columns, values, target, task, settings)
    if output is not None:
        _write(source, [*found["columns"], target], output)
    if as_json:
        typer.echo(json_text(found))
        return
    for place, name in enumerate(found["selected"], 1):
        typer.echo(f"{place:4d}  {name}")
    if found["redundant"]:
        typer.echo(f"\nRedundant: {', '.join(found['redundant'])}")
    if output is not None:
        typer.echo(f"\nWritten: {output.resolve()}")


def _selected(table: Table, values: Any, target: str, task: str, settings: dict[str, Any]) -> _Selected:
    """Names of the columns that were selected, and of those left out as redundant."""
    from paclearn.learners.selection import FourierSelector  # a quarter of a second that other commands need not wait

    check_choice("task", task, ("auto", "classification", "regression"))
    column = read_target_column(values, target, task)
    known = "classification" if column.classify else "regression"
    model = FourierSelector(task=known, **settings).fit(column.rows_of(table), column.y)
    kept = [name for name, keep in zip(table.names, model.support_, strict=True) if keep]
    found = [name for name in model.selected_ if name in kept]
    return {
        "target": target,
        "selected": list(model.selected_),
        "columns": [*found, *(name for name in kept if name not in found)],
        "redundant": list(model.redundant_),
    }


def _write(table: Table, names: Sequence[str], output: Path) -> None:
    """Some columns of a table."""
    arrow = need("pyarrow", "io", "writing tables")
    columns = {name: nw.Series.to_arrow(table.column(table.names.index(name))) for name in names}
    with batch_writer(output) as write:
        write(arrow.table(columns))
