"""The command `discover`, which writes files by their endings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from paclearn._parameters import check_choice
from paclearn.cli.opening import DayFirst, Query, Sheet, TableName, opened, wanted
from paclearn.cli.shared_options import AsJson, Drop, Jobs, Missing, OneTarget, Seed, TableFile, Task
from paclearn.exceptions import InputError
from paclearn.tables.files import check_writable, split_target, write_atomically
from paclearn.tables.target import read_target_column

if TYPE_CHECKING:
    from paclearn.learners.selection import Discovery

__all__ = ["discover"]

_ENDINGS = (".json", ".md", ".markdown", ".csv", ".svg", ".png", ".pdf")


def discover(
    table: TableFile,
    target: OneTarget,
    order: Annotated[int, typer.Option(min=1, max=4, help="Columns together: 1, 2 (pairs), 3 or 4.")] = 2,
    fdr: Annotated[float, typer.Option(help="Share of false reports that is allowed on average.")] = 0.1,
    output: Annotated[
        Optional[Path],
        typer.Option("--output", "-o", help="A .json, .md, .csv, .svg or .png file to write.", show_default=False),
    ] = None,
    as_json: AsJson = False,
    drop: Drop = None,
    task: Task = "auto",
    permutations: Annotated[
        int, typer.Option(help="Shuffle the target so many times instead of controlling the false discovery rate.")
    ] = 0,
    missing: Missing = None,
    sheet: Sheet = None,
    table_name: TableName = None,
    query: Query = None,
    day_first: DayFirst = None,
    most: Annotated[int, typer.Option(min=1, help="Print at most this many findings.")] = 20,
    jobs: Jobs = -1,
    seed: Seed = 0,
) -> None:
    """Find the columns, and the combinations of columns, that a column depends on.

    Examples:

        paclearn discover churn.csv --target churn

        paclearn discover churn.csv --target churn --order 3 -o network.svg
    """
    if output is not None:
        _check_ending(output)
        check_writable(output)
    from paclearn.learners import selection  # a quarter of a second that other commands need not wait

    check_choice("task", task, ("auto", "classification", "regression"))
    source, _ = opened(table, wanted(missing, sheet, table_name, query, day_first))
    columns, values = split_target(source, target, drop or ())
    column = read_target_column(values, target, task)
    known = "classification" if column.classify else "regression"
    method = "permutation" if permutations else "fdr"
    found = selection.discover(
        column.rows_of(columns), column.y, order, fdr, task=known, method=method,
        n_permutations=permutations or 1, target_name=target, n_jobs=jobs, random_state=seed,
    )  # fmt: skip
    typer.echo(found.to_json() if as_json else found.to_text(most))
    if output is not None:
        _write(found, output)
        if not as_json:
            typer.echo(f"\nWritten: {output.resolve()}")


def _check_ending(path: Path) -> None:
    """Refuse a file that nobody knows how to write, before anything is searched."""
    if path.suffix.lower() not in _ENDINGS:
        raise InputError(f"{path.name}: a file to write must end in .json, .md, .csv, .svg, .png or .pdf")


def _write(found: Discovery, path: Path) -> None:
    ending = path.suffix.lower()
    if ending == ".json":
        write_atomically(path, found.to_json() + "\n")
    elif ending in {".md", ".markdown"}:
        write_atomically(path, found.to_markdown() + "\n")
    elif ending == ".csv":
        write_atomically(path, found.to_csv())
    else:
        found.plot().figure_.savefig(path)
