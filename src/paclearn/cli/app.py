"""Commands, and how errors leave them: what the user can mend is one line and exit code 2."""

from __future__ import annotations

import json
import sys
import warnings
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from paclearn import __version__
from paclearn._files import MISSING_WORDS, open_table, split_target, write_atomically
from paclearn._validation import check_choice
from paclearn.cli.datasets import print_catalogue, write_dataset
from paclearn.cli.discover import check_ending, write_discovery
from paclearn.encoding import read_target_column
from paclearn.exceptions import MissingDependencyError, PaclearnError, PaclearnWarning
from paclearn.report import ReportOptions, command_line, summarise, to_html

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["app", "run"]

app = typer.Typer(
    name="paclearn",
    help="Models a person can read, learned from tables of categories, with a bound on their error attached.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


def run() -> None:
    """Run a command; errors in the input end with one line and exit code 2."""
    warnings.showwarning = _show_warning
    warnings.simplefilter("always", PaclearnWarning)
    try:
        app(standalone_mode=True)
    except MissingDependencyError as error:
        _fail(str(error), 1)
    except PaclearnError as error:
        _fail(str(error), 2)
    except OSError as error:
        _fail(f"{error.strerror}: {error.filename}" if error.filename else str(error), 2)


def _interruptible(command: Callable[..., None]) -> Callable[..., None]:
    """Say what an interrupt means; the command line library would end without a word."""

    @wraps(command)
    def guarded(*arguments: Any, **options: Any) -> None:
        try:
            command(*arguments, **options)
        except KeyboardInterrupt:
            _fail("interrupted; nothing was written", 130)

    return guarded


def _fail(message: str, code: int) -> None:
    typer.echo(f"paclearn: error: {message}", err=True)
    sys.exit(code)


def _show_warning(message: Warning | str, category: type[Warning], *_rest: Any, **_more: Any) -> None:
    if issubclass(category, PaclearnWarning):
        typer.echo(f"paclearn: note: {message}", err=True)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"paclearn {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    pass


@app.command()
@_interruptible
def report(
    table: Annotated[Path, typer.Argument(help="A CSV or Parquet file with a header.", show_default=False)],
    target: Annotated[str, typer.Option("--target", "-t", help="The column to explain.", show_default=False)],
    output: Annotated[
        Optional[Path], typer.Option("--output", "-o", help="The page to write.", show_default="report.html")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the facts as JSON (no page unless -o is given).")
    ] = False,
    drop: Annotated[Optional[list[str]], typer.Option("--drop", help="Leave a column out; may be repeated.")] = None,
    task: Annotated[str, typer.Option(help="auto, classification or regression.")] = "auto",
    max_k: Annotated[int, typer.Option("--max-k", help="Look at subsets of up to this many columns.")] = 3,
    missing: Annotated[
        Optional[list[str]], typer.Option("--missing", help="A word that means missing in a CSV file; may be repeated.")
    ] = None,
    time_limit: Annotated[float, typer.Option(help="Seconds for each size of subsets.")] = 60.0,
    delta: Annotated[float, typer.Option(help="Probability with which the certificate may fail.")] = 0.05,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Threads; -1 is all cores.")] = -1,
    seed: Annotated[int, typer.Option(min=0, help="Draws the rows that are kept aside.")] = 0,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer rows in the comparison; no pairs, no redundant columns.")
    ] = False,
) -> None:
    """Read a table, find what decides a column, and write one page about it.

    Examples:

        paclearn report churn.csv --target churn -o churn.html

        paclearn report sales.parquet --target revenue --drop customer_id --json
    """
    options = ReportOptions(task, max_k, delta=delta, time_limit=time_limit, n_jobs=jobs, seed=seed, quick=quick)
    options = replace(options, command=command_line(table.name, target, options, drop or (), missing or ()))
    columns, values = split_target(open_table(table, missing or MISSING_WORDS), target, drop or ())
    facts = summarise(columns, values, target, options, table.name)
    page = output or (None if as_json else Path("report.html"))
    if page is not None:
        write_atomically(page, to_html(facts))
    if as_json:
        typer.echo(_as_json(facts))
    else:
        _print_findings(facts, page)


def _as_json(facts: Any) -> str:
    """JSON that the terminal or pipe at hand can take."""
    text = json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False)
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return json.dumps(facts, indent=2, allow_nan=False)
    return text


def _print_findings(facts: dict[str, Any], page: Path | None) -> None:
    for row in facts["comparison"]:
        typer.echo(f"{100 * row['value']:6.1f} %  {row['metric']} of {row['name']}")
    typer.echo(f"\n{facts['certificate']['sentence']}")
    if page is not None:
        typer.echo(f"\nThe page: {page.resolve()}")


@app.command()
@_interruptible
def discover(
    table: Annotated[Path, typer.Argument(help="A CSV or Parquet file with a header.", show_default=False)],
    target: Annotated[str, typer.Option("--target", "-t", help="The column to explain.", show_default=False)],
    order: Annotated[int, typer.Option(min=1, max=4, help="Columns together: 1, 2 (pairs), 3 or 4.")] = 2,
    fdr: Annotated[float, typer.Option(help="Share of false reports that is allowed on average.")] = 0.1,
    output: Annotated[
        Optional[Path],
        typer.Option("--output", "-o", help="A .json, .md, .csv, .svg or .png file to write.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    drop: Annotated[Optional[list[str]], typer.Option("--drop", help="Leave a column out; may be repeated.")] = None,
    task: Annotated[str, typer.Option(help="auto, classification or regression.")] = "auto",
    permutations: Annotated[
        int, typer.Option(help="Shuffle the target so many times instead of controlling the false discovery rate.")
    ] = 0,
    missing: Annotated[
        Optional[list[str]], typer.Option("--missing", help="A word that means missing in a CSV file; may be repeated.")
    ] = None,
    most: Annotated[int, typer.Option(min=1, help="Print at most this many findings.")] = 20,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Threads; -1 is all cores.")] = -1,
    seed: Annotated[int, typer.Option(min=0, help="Draws simulations and shuffles.")] = 0,
) -> None:
    """Find the columns, and the combinations of columns, that a column depends on.

    Examples:

        paclearn discover churn.csv --target churn

        paclearn discover churn.csv --target churn --order 3 -o network.svg
    """
    if output is not None:
        check_ending(output)
    from paclearn.selection import discover as discover_in  # a quarter of a second that other commands need not wait

    check_choice("task", task, ("auto", "classification", "regression"))
    columns, values = split_target(open_table(table, missing or MISSING_WORDS), target, drop or ())
    column = read_target_column(values, target, task)
    known = "classification" if column.classify else "regression"
    method = "permutation" if permutations else "fdr"
    found = discover_in(
        column.rows_of(columns), column.values, order, fdr, task=known, method=method,
        n_permutations=permutations or 1, target_name=target, n_jobs=jobs, random_state=seed,
    )  # fmt: skip
    typer.echo(found.to_json() if as_json else found.to_text(most))
    if output is not None:
        write_discovery(found, output)
    if output is not None and not as_json:
        typer.echo(f"\nWritten: {output.resolve()}")


@app.command()
@_interruptible
def datasets(
    name: Annotated[Optional[str], typer.Argument(help="The dataset to write; without it, list them.")] = None,
    output: Annotated[
        Optional[Path],
        typer.Option(
            "--output", "-o", help="A .csv or .parquet file; CSV to the terminal if not given.", show_default=False
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the generated ones.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="List as JSON.")] = False,
) -> None:
    """List the embedded datasets, or write one to a file.

    Examples:

        paclearn datasets

        paclearn datasets tic-tac-toe -o boards.csv
    """
    if name is None:
        print_catalogue(as_json=as_json)
    else:
        write_dataset(name, output, seed)
