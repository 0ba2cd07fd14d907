"""The command `report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from paclearn.cli.interrupts import too_late
from paclearn.cli.opening import CleanTableChoice
from paclearn.cli.shared_options import Jobs, OneTarget, Seed, TableFile, to_file
from paclearn.cli.terminal import json_text
from paclearn.exceptions import InputError
from paclearn.report import Report
from paclearn.tables.files import check_writable

__all__ = ["report"]

_TimeLimit = Annotated[
    Optional[float],
    typer.Option(help="Seconds for each size of subsets, and for rules.", show_default="what is counted is limited"),
]
_Quick = Annotated[bool, typer.Option("--quick", help="Fewer rows in the comparison; no pairs, no redundant columns.")]


def report(
    table: TableFile,
    target: OneTarget,
    output: Annotated[Optional[Path], to_file("The page to write.", "report.html")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the facts as JSON (no page unless -o is given).")
    ] = False,
    max_k: Annotated[int, typer.Option("--max-k", help="Look at subsets of up to this many columns.")] = 3,
    positive: Annotated[
        Optional[str], typer.Option(help="The class that is looked for.", show_default="the rarer of two, if rare")
    ] = None,
    cost: Annotated[
        Optional[str], typer.Option(help="What a miss and a false alarm cost, as in miss=10,alarm=1: when to raise it.")
    ] = None,
    *,
    choice: CleanTableChoice,
    time_limit: _TimeLimit = None,
    delta: Annotated[float, typer.Option(help="Probability with which the certificate may fail.")] = 0.05,
    jobs: Jobs = -1,
    seed: Seed = 0,
    quick: _Quick = False,
) -> None:
    """Read a table, find what decides a column, and write one page about it.

    Examples:

        paclearn report churn.csv --target churn -o churn.html

        paclearn report sales.parquet --target revenue --drop customer_id --json

        paclearn report visits.csv --target flare --group patient

        paclearn report sales.csv --target returned --time sold_on --weight pieces
    """
    page = output or (None if as_json else Path("report.html"))
    if page is not None:
        check_writable(page)
    made = Report(
        table, target, drop=choice.drop or (), task=choice.kind, max_k=max_k, missing=choice.missing or (),
        time_limit=time_limit, delta=delta, quick=quick, positive=positive, cost=_costs(cost), ordered=choice.order,
        sheet=choice.sheet, file_table=choice.table_name, query=choice.query, day_first=choice.day_first,
        tidy=choice.tidy, drop_repeats=choice.drop_repeats, group=choice.group, time=choice.time,
        weight=choice.weight, n_jobs=jobs, random_state=seed,
    )  # fmt: skip
    if page is not None:
        made.save(page)
        too_late()
    if as_json:
        typer.echo(json_text(made.facts))
    else:
        typer.echo(made.to_text() + (f"\n\nThe page: {page.resolve()}" if page is not None else ""))


def _costs(text: str | None) -> tuple[float, float] | None:
    """From ``miss=10,alarm=1``, in either order."""
    if text is None:
        return None
    parts = dict(part.strip().partition("=")[::2] for part in text.split(","))
    try:
        return float(parts.pop("miss")), float(parts.pop("alarm"))
    except (KeyError, ValueError):
        raise InputError(f"--cost {text!r} cannot be read; write two numbers as in --cost miss=10,alarm=1") from None
