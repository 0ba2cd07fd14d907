"""The command `export`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from paclearn._parameters import check_choice
from paclearn.cli.opening import opened
from paclearn.cli.predict_commands import names_of_fit
from paclearn.cli.shared_options import Missing, ModelFile, to_file
from paclearn.exceptions import InputError
from paclearn.export import load, to_json, to_markdown, to_python, to_scorecard, to_sql
from paclearn.tables.dialect import FileOptions, missing_words
from paclearn.tables.files import split_target, write_atomically
from paclearn.tables.table import NamedColumns
from paclearn.tables.target import read_target_column

if TYPE_CHECKING:
    from paclearn.export import PortableModel

__all__ = ["export"]

_WAYS_OUT = ("json", "sql", "python", "markdown", "scorecard")


def export(
    model: ModelFile,
    way: Annotated[str, typer.Option("--to", help="sql, python, markdown, scorecard or json.", show_default=False)],
    output: Annotated[Optional[Path], to_file("The file to write; the terminal if not given.")] = None,
    table: Annotated[str, typer.Option("--table", help="sql: the table to read.")] = "data",
    key: Annotated[
        Optional[list[str]], typer.Option("--key", help="sql: a column to pass on; may be repeated.")
    ] = None,
    data: Annotated[
        Optional[Path], typer.Option("--data", help="scorecard: rows to measure its loss on.", show_default=False)
    ] = None,
    most_points: Annotated[int, typer.Option(min=1, help="scorecard: the most points a question may give.")] = 10,
    missing: Missing = None,
) -> None:
    """Write a model as SQL, as Python without dependencies, as Markdown or as a scorecard.

    Examples:

        paclearn export churn.json --to sql --table customers --key customer_id

        paclearn export churn.json --to scorecard --data held_out.csv -o card.md
    """
    check_choice("to", way, _WAYS_OUT)
    known = load(model)
    if way == "sql":
        text = to_sql(known, table, keys=key or ()) + "\n"
    elif way == "scorecard":
        text = _scorecard(known, data, most_points, FileOptions(missing_words(missing)))
    else:
        text = {"json": to_json, "python": to_python, "markdown": to_markdown}[way](known)
    if output is None:
        typer.echo(text, nl=False)
        return
    write_atomically(output, text)
    typer.echo(f"Written: {output.resolve()}", err=True)


def _scorecard(model: PortableModel, data: Path | None, most_points: int, asked: FileOptions) -> str:
    if data is None:
        raise InputError("a scorecard needs rows to measure its loss on: --data TABLE")
    if model.about.target is None:
        raise InputError("this model does not say what its target is called; make its scorecard from Python")
    columns, values = split_target(opened(data, asked)[0], model.about.target)
    task = "regression" if model.about.classes is None else "classification"
    column = read_target_column(values, model.about.target, task)
    rows = column.rows_of(NamedColumns(columns, names_of_fit(model.model_, columns.names)))
    return to_scorecard(model, rows, column.y, most_points=most_points).to_markdown()
