"""The command `discover`, which writes files by their endings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from paclearn.cli.cluster import Scheduler, given, opened_here_or_there
from paclearn.cli.interrupts import too_late
from paclearn.cli.opening import TableChoice, check_output
from paclearn.cli.shared_options import AsJson, Jobs, OneTarget, Seed, TableFile, to_file
from paclearn.tables.files import write_atomically, writing

if TYPE_CHECKING:
    from paclearn.learners.selection import Discovery

__all__ = ["discover"]

_ENDINGS = (".json", ".md", ".markdown", ".csv", ".svg", ".png", ".pdf")


def discover(
    table: TableFile,
    target: OneTarget,
    order: Annotated[int, typer.Option(min=1, max=4, help="Columns together: 1, 2 (pairs), 3 or 4.")] = 2,
    fdr: Annotated[float, typer.Option(help="Share of false reports that is allowed on average.")] = 0.1,
    output: Annotated[Optional[Path], to_file("A .json, .md, .csv, .svg or .png file to write.")] = None,
    as_json: AsJson = False,
    *,
    permutations: Annotated[
        int, typer.Option(help="Shuffle the target so many times instead of controlling the false discovery rate.")
    ] = 0,
    choice: TableChoice,
    scheduler: Scheduler = None,
    most: Annotated[int, typer.Option(min=1, help="Print at most this many findings.")] = 20,
    jobs: Jobs = -1,
    seed: Seed = 0,
) -> None:
    """Find the columns, and the combinations of columns, that a column depends on.

    Examples:

        paclearn discover churn.csv --target churn

        paclearn discover churn.csv --target churn --order 3 -o network.svg

        paclearn discover sales/ --target returned --scheduler local:4
    """
    check_output(output, _ENDINGS, ".json, .md, .csv, .svg, .png or .pdf")
    from paclearn.learners import selection  # a quarter of a second that other commands need not wait

    with opened_here_or_there(choice, table, target, scheduler) as source:
        rows, y, task, weights = given(source)
        found = selection.discover(
            rows, y, order, fdr, task=task, method="permutation" if permutations else "fdr",
            n_permutations=permutations or 1, sample_weight=weights, target_name=target, n_jobs=jobs, random_state=seed,
        )  # fmt: skip
    try:
        if output is not None:
            _write(found, output)
            too_late()
    finally:  # a disk that is full loses no words, and words that nobody reads lose no file
        typer.echo(found.to_json() if as_json else found.to_text(most))
    if output is not None and not as_json:
        typer.echo(f"\nWritten: {output.resolve()}")


def _write(found: Discovery, path: Path) -> None:
    ending = path.suffix.lower()
    if ending == ".json":
        write_atomically(path, found.to_json() + "\n")
    elif ending in {".md", ".markdown"}:
        write_atomically(path, found.to_markdown() + "\n")
    elif ending == ".csv":
        write_atomically(path, found.to_csv())
    else:
        with writing(path) as file:
            found.plot().figure_.savefig(file, format=ending[1:])
