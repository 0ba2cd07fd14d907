"""The command `select`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional, TypedDict

import narwhals as nw
import typer

from paclearn._compat import need
from paclearn.cli.cluster import OnWorkers, Scheduler, given, opened_here_or_there
from paclearn.cli.interrupts import too_late
from paclearn.cli.opening import TableChoice
from paclearn.cli.shared_options import AsJson, Jobs, OneTarget, Seed, TableFile, to_file
from paclearn.cli.terminal import json_text
from paclearn.exceptions import InputError
from paclearn.tables.batches import batch_writer
from paclearn.tables.files import check_writable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paclearn.cli.opening import Opened
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
        Optional[Path], to_file("Write the selected columns and the target to this .csv, .parquet or .arrow.")
    ] = None,
    as_json: AsJson = False,
    *,
    choice: TableChoice,
    scheduler: Scheduler = None,
    jobs: Jobs = -1,
    seed: Seed = 0,
) -> None:
    """Select the columns that together say most about a column, and say which others are redundant.

    Examples:

        paclearn select churn.csv --target churn -n 5

        paclearn select wide.parquet --target y -n 20 -o narrow.parquet

        paclearn select sales/ --target returned --scheduler local:4
    """
    if output is not None:
        _check_output(output, scheduler)
    settings = {"n_features": n_features, "depth": depth, "n_jobs": jobs, "random_state": seed}
    with opened_here_or_there(choice, table, target, scheduler) as source:
        found = _selected(source, target, settings)
        if output is not None and not isinstance(source, OnWorkers):
            _write(source.whole, [*found["columns"], target], output)
            too_late()
    if as_json:
        typer.echo(json_text(found))
        return
    for place, name in enumerate(found["selected"], 1):
        typer.echo(f"{place:4d}  {name}")
    if found["redundant"]:
        typer.echo(f"\nRedundant: {', '.join(found['redundant'])}")
    if output is not None:
        typer.echo(f"\nWritten: {output.resolve()}")


def _check_output(output: Path, scheduler: str | None) -> None:
    if scheduler is not None:
        raise InputError("--output writes rows, which --scheduler leaves on the workers; leave out one of them")
    check_writable(output)


def _selected(source: Opened | OnWorkers, target: str, settings: dict[str, Any]) -> _Selected:
    """Names of the columns that were selected, and of those left out as redundant."""
    from paclearn.learners.selection import FourierSelector  # a quarter of a second that other commands need not wait

    rows, y, task, weights = given(source)
    model = FourierSelector(task=task, **settings).fit(rows, y, sample_weight=weights)
    kept = model.feature_names_in_[model.support_].tolist()
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
