"""Commands, and how errors leave them: what the user can mend is one line and exit code 2."""

from __future__ import annotations

import json
import os
import sys
import warnings
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from paclearn import __version__
from paclearn.cli.dataset_commands import print_catalogue, write_dataset
from paclearn.cli.discover_command import check_ending, write_discovery
from paclearn.cli.model_commands import explained, export_text, fitted, in_words, predict_file
from paclearn.cli.shared_options import (
    LARGEST_SEED,
    AsJson,
    Drop,
    Jobs,
    Missing,
    ModelFile,
    OneTarget,
    Seed,
    TableFile,
    Task,
)
from paclearn.exceptions import MissingDependencyError, PaclearnError, PaclearnWarning
from paclearn.export import load, to_json
from paclearn.report import ReportOptions, command_line, summarise, to_html
from paclearn.report.sentences import shorten
from paclearn.tables.files import check_writable, missing_words, open_table, split_target, write_atomically
from paclearn.tables.target import read_target_column

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
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
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
    table: TableFile,
    target: OneTarget,
    output: Annotated[
        Optional[Path], typer.Option("--output", "-o", help="The page to write.", show_default="report.html")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the facts as JSON (no page unless -o is given).")
    ] = False,
    drop: Drop = None,
    task: Task = "auto",
    max_k: Annotated[int, typer.Option("--max-k", help="Look at subsets of up to this many columns.")] = 3,
    missing: Missing = None,
    time_limit: Annotated[float, typer.Option(help="Seconds for each size of subsets.")] = 60.0,
    delta: Annotated[float, typer.Option(help="Probability with which the certificate may fail.")] = 0.05,
    jobs: Jobs = -1,
    seed: Seed = 0,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer rows in the comparison; no pairs, no redundant columns.")
    ] = False,
) -> None:
    """Read a table, find what decides a column, and write one page about it.

    Examples:

        paclearn report churn.csv --target churn -o churn.html

        paclearn report sales.parquet --target revenue --drop customer_id --json
    """
    page = output or (None if as_json else Path("report.html"))
    if page is not None:
        check_writable(page)
    options = ReportOptions(task, max_k, delta=delta, time_limit=time_limit, n_jobs=jobs, seed=seed, quick=quick)
    options = replace(options, command=command_line(table.name, target, options, drop or (), missing or ()))
    columns, values = split_target(open_table(table, missing_words(missing)), target, drop or ())
    facts = summarise(columns, values, target, options, table.name)
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
    promise = facts["certificate"]
    typer.echo(f"\nOf the {shorten(promise['of'], 120)}: {promise['sentence']}")
    if page is not None:
        typer.echo(f"\nThe page: {page.resolve()}")


@app.command()
@_interruptible
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
        check_ending(output)
        check_writable(output)
    from paclearn.learners.selection import (
        discover as discover_in,  # a quarter of a second that other commands need not wait
    )

    columns, values = split_target(open_table(table, missing_words(missing)), target, drop or ())
    column = read_target_column(values, target, task)
    method = "permutation" if permutations else "fdr"
    found = discover_in(
        column.rows_of(columns), column.y, order, fdr, task=column.task, method=method,
        n_permutations=permutations or 1, target_name=target, n_jobs=jobs, random_state=seed,
    )  # fmt: skip
    typer.echo(found.to_json() if as_json else found.to_text(most))
    if output is not None:
        write_discovery(found, output)
    if output is not None and not as_json:
        typer.echo(f"\nWritten: {output.resolve()}")


@app.command()
@_interruptible
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
    from paclearn.cli.select_command import selected, write_selected

    columns, values = split_target(open_table(table, missing_words(missing)), target, drop or ())
    found = selected(
        columns, values, target, task, {"n_features": n_features, "depth": depth, "n_jobs": jobs, "random_state": seed}
    )
    if output is not None:
        write_selected(table, [*found["selected"], target], output, missing_words(missing))
    if as_json:
        typer.echo(_as_json(found))
        return
    for place, name in enumerate(found["selected"], 1):
        typer.echo(f"{place:4d}  {name}")
    if found["redundant"]:
        typer.echo(f"\nRedundant: {', '.join(found['redundant'])}")
    if output is not None:
        typer.echo(f"\nWritten: {output.resolve()}")


@app.command()
@_interruptible
def fit(
    table: TableFile,
    target: OneTarget,
    output: Annotated[
        Optional[Path], typer.Option("--output", "-o", help="The model file to write.", show_default="model.json")
    ] = None,
    model: Annotated[str, typer.Option("--model", "-m", help="spectral, junta or graph.")] = "spectral",
    max_terms: Annotated[Optional[int], typer.Option(min=1, help="spectral: at most this many terms.")] = None,
    degree: Annotated[Optional[int], typer.Option(min=1, max=3, help="spectral: bits a term may have.")] = None,
    k: Annotated[Optional[int], typer.Option("--columns", "-k", min=1, help="junta: how many columns.")] = None,
    max_leaves: Annotated[Optional[int], typer.Option(min=2, help="graph: at most this many leaves.")] = None,
    holdout: Annotated[
        Optional[float], typer.Option(help="Keep this share of the rows aside to bound the error.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the model file instead of the model in words.")
    ] = False,
    drop: Drop = None,
    task: Task = "auto",
    missing: Missing = None,
    seed: Seed = 0,
) -> None:
    """Learn a readable model of a column and save it.

    Examples:

        paclearn fit churn.csv --target churn --max-terms 10 -o churn.json

        paclearn fit boards.csv --target "x wins" --model junta --columns 3
    """
    path = output or (None if as_json else Path("model.json"))
    if path is not None:
        check_writable(path)
    columns, values = split_target(open_table(table, missing_words(missing)), target, drop or ())
    settings = {
        "max_terms": max_terms,
        "degree": degree,
        "k": k,
        "max_leaves": max_leaves,
        "holdout": holdout,
        "random_state": seed,
    }
    learned = fitted(columns, values, target, task, model, settings)
    text = to_json(learned, target)
    if path is not None:
        write_atomically(path, text)
    typer.echo(text.rstrip() if as_json else f"{learned.to_text()}\n\nThe model: {path.resolve() if path else ''}")


@app.command()
@_interruptible
def predict(
    model: ModelFile,
    table: Annotated[
        Path, typer.Argument(help="A CSV, Parquet or Arrow file; - reads CSV from a pipe.", show_default=False)
    ],
    output: Annotated[
        Optional[Path],
        typer.Option(
            "--output",
            "-o",
            help="A .csv, .parquet or .arrow file; CSV to the terminal if not given.",
            show_default=False,
        ),
    ] = None,
    keep: Annotated[Optional[list[str]], typer.Option("--keep", help="A column to pass on; may be repeated.")] = None,
    chances: Annotated[
        bool, typer.Option("--probabilities", "-p", help="Also the probability of every class.")
    ] = False,
    missing: Missing = None,
) -> None:
    """Predict the rows of a table, however large: it is read and written some rows at a time.

    Examples:

        paclearn predict churn.json customers.parquet --keep customer_id -o predictions.csv

        cat customers.csv | paclearn predict churn.json - --probabilities | head
    """
    rows = predict_file(load(model), table, output, keep or (), chances=chances, missing=missing_words(missing))
    if output is not None:
        typer.echo(f"{rows:,} rows: {output.resolve()}", err=True)


@app.command()
@_interruptible
def explain(
    model: ModelFile,
    table: Annotated[
        Path, typer.Argument(help="A CSV, Parquet or Arrow file; - reads CSV from a pipe.", show_default=False)
    ],
    row: Annotated[
        Optional[list[int]], typer.Option("--row", "-r", help="Which row, from 1; may be repeated.", show_default="1")
    ] = None,
    most: Annotated[int, typer.Option(min=1, help="At most this many terms.")] = 10,
    as_json: AsJson = False,
    missing: Missing = None,
) -> None:
    """Say why a row is predicted as it is.

    Examples:

        paclearn explain churn.json customers.csv --row 17
    """
    found = explained(load(model), table, row or [1], most, missing_words(missing))
    typer.echo(_as_json(found) if as_json else "\n\n".join(map(in_words, found)))


@app.command()
@_interruptible
def export(
    model: ModelFile,
    way: Annotated[str, typer.Option("--to", help="sql, python, markdown, scorecard or json.", show_default=False)],
    output: Annotated[
        Optional[Path],
        typer.Option("--output", "-o", help="The file to write; the terminal if not given.", show_default=False),
    ] = None,
    table: Annotated[str, typer.Option("--table", help="sql: the table to read.")] = "data",
    key: Annotated[
        Optional[list[str]], typer.Option("--key", help="sql: a column to pass on; may be repeated.")
    ] = None,
    data: Annotated[
        Optional[Path], typer.Option("--data", help="scorecard: rows to measure its loss on.", show_default=False)
    ] = None,
    most_points: Annotated[int, typer.Option(min=1, help="scorecard: the most points a question may give.")] = 20,
    missing: Missing = None,
) -> None:
    """Write a model as SQL, as Python without dependencies, as Markdown or as a scorecard.

    Examples:

        paclearn export churn.json --to sql --table customers --key customer_id

        paclearn export churn.json --to scorecard --data held_out.csv -o card.md
    """
    text = export_text(
        model, way, table=table, keys=key or (), data=data, most_points=most_points, missing=missing_words(missing)
    )
    if output is None:
        typer.echo(text, nl=False)
        return
    write_atomically(output, text)
    typer.echo(f"Written: {output.resolve()}", err=True)


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
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Seed of the generated ones.")] = 0,
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
