"""The command `rules`: the conjunctions of conditions that say most about a column."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from paclearn.cli.cluster import Scheduler, given, opened_here_or_there
from paclearn.cli.interrupts import too_late
from paclearn.cli.opening import TableChoice, check_output
from paclearn.cli.shared_options import AsJson, Jobs, OneTarget, TableFile, to_file
from paclearn.cli.terminal import json_text
from paclearn.tables.files import write_atomically

if TYPE_CHECKING:
    from paclearn.learners.rules.rule_settings import RuleDiscovery

__all__ = ["rules"]


def rules(
    table: TableFile,
    target: OneTarget,
    n_rules: Annotated[int, typer.Option("--rules", "-n", help="How many rules at most.")] = 20,
    conditions: Annotated[int, typer.Option(help="Conditions a rule may have: 1 to 4.")] = 3,
    quality: Annotated[
        str, typer.Option(help="What rules are ranked by: likelihood_ratio, chi_square, wracc, precision, lift, shift.")
    ] = "auto",
    min_rows: Annotated[float, typer.Option(help="Rows that a rule holds for at least; below 1, a share.")] = 0.01,
    fdr: Annotated[float, typer.Option(help="Share of false rules that is allowed on average.")] = 0.1,
    output: Annotated[Optional[Path], to_file("A .json or .csv file to write.")] = None,
    as_json: AsJson = False,
    *,
    time_limit: Annotated[
        Optional[float], typer.Option(help="Seconds, after which what was found is told.", show_default=False)
    ] = None,
    choice: TableChoice,
    scheduler: Scheduler = None,
    jobs: Jobs = -1,
) -> None:
    """Find the rules that say most about a column, out of every conjunction of up to three conditions, or four.

    Examples:

        paclearn rules churn.csv --target churn

        paclearn rules churn.csv --target churn --conditions 2 -o rules.csv

        paclearn rules sales/ --target returned --scheduler local:4
    """
    check_output(output, (".json", ".csv"), ".json or .csv")
    from paclearn.learners.rules.rule_discovery import discover_rules
    from paclearn.learners.rules.rule_settings import RuleSettings

    with opened_here_or_there(choice, table, target, scheduler) as source:
        rows, y, task, weights = given(source)
        asked = RuleSettings(n_rules, conditions, quality, min_rows, fdr, task, time_limit=time_limit, n_jobs=jobs)
        found = discover_rules(rows, y, asked, weights)
    try:
        if output is not None:
            _write(found, target, output)
            too_late()
    finally:  # a disk that is full loses no words, and words that nobody reads lose no file
        typer.echo(json_text(found.facts(target)) if as_json else found.to_text(target))
    if output is not None and not as_json:
        typer.echo(f"\nWritten: {output.resolve()}")


def _write(found: RuleDiscovery, target: str, path: Path) -> None:
    if path.suffix.lower() == ".json":
        write_atomically(path, json_text(found.facts(target)) + "\n")
        return
    columns, text = found.columns(), io.StringIO()
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    write_atomically(path, text.getvalue())
