"""The command `rules`: the conjunctions of conditions that say most about a column."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from paclearn._parameters import check_choice
from paclearn.cli.opening import DayFirst, Query, Sheet, TableName, opened, wanted
from paclearn.cli.shared_options import AsJson, Drop, Jobs, Missing, OneTarget, TableFile, Task
from paclearn.cli.terminal import json_text
from paclearn.exceptions import InputError
from paclearn.tables.files import check_writable, split_target, write_atomically
from paclearn.tables.target import read_target_column

if TYPE_CHECKING:
    from paclearn.learners.rules.rule_discovery import RuleDiscovery

__all__ = ["rules"]


def rules(
    table: TableFile,
    target: OneTarget,
    n_rules: Annotated[int, typer.Option("--rules", "-n", help="How many rules at most.")] = 20,
    conditions: Annotated[int, typer.Option(help="Conditions a rule may have: 1, 2 or 3.")] = 3,
    quality: Annotated[
        str, typer.Option(help="What rules are ranked by: likelihood_ratio, chi_square, wracc, precision, lift, shift.")
    ] = "auto",
    min_rows: Annotated[float, typer.Option(help="Rows that a rule holds for at least; below 1, a share.")] = 0.01,
    fdr: Annotated[float, typer.Option(help="Share of false rules that is allowed on average.")] = 0.1,
    output: Annotated[
        Optional[Path], typer.Option("--output", "-o", help="A .json or .csv file to write.", show_default=False)
    ] = None,
    as_json: AsJson = False,
    drop: Drop = None,
    task: Task = "auto",
    time_limit: Annotated[
        Optional[float], typer.Option(help="Seconds, after which what was found is told.", show_default=False)
    ] = None,
    missing: Missing = None,
    sheet: Sheet = None,
    table_name: TableName = None,
    query: Query = None,
    day_first: DayFirst = None,
    jobs: Jobs = -1,
) -> None:
    """Find the rules that say most about a column, out of every conjunction of up to three conditions.

    Examples:

        paclearn rules churn.csv --target churn

        paclearn rules churn.csv --target churn --conditions 2 -o rules.csv
    """
    if output is not None:
        _check_ending(output)
        check_writable(output)
    from paclearn.learners.rules.rule_discovery import discover_rules

    check_choice("task", task, ("auto", "classification", "regression"))
    source, _ = opened(table, wanted(missing, sheet, table_name, query, day_first))
    columns, values = split_target(source, target, drop or ())
    column = read_target_column(values, target, task)
    found = discover_rules(
        column.rows_of(columns), column.y, n_rules=n_rules, max_conditions=conditions, quality=quality,
        min_rows=min_rows, fdr=fdr, task="classification" if column.classify else "regression",
        time_limit=time_limit, n_jobs=jobs,
    )  # fmt: skip
    typer.echo(json_text(found.facts(target)) if as_json else found.to_text(target))
    if output is not None:
        _write(found, target, output)
        if not as_json:
            typer.echo(f"\nWritten: {output.resolve()}")


def _check_ending(path: Path) -> None:
    """Refuse a file that nobody knows how to write, before anything is searched."""
    if path.suffix.lower() not in {".json", ".csv"}:
        raise InputError(f"{path.name}: a file to write must end in .json or .csv")


def _write(found: RuleDiscovery, target: str, path: Path) -> None:
    if path.suffix.lower() == ".json":
        write_atomically(path, json_text(found.facts(target)) + "\n")
        return
    columns, text = found.columns(), io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    write_atomically(path, text.getvalue())
