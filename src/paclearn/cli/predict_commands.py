"""The commands `predict` and `explain`: models at work on the rows of a file, some at a time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from paclearn._compat import need
from paclearn._parameters import hint
from paclearn._text import figures
from paclearn.cli.opening import FileChoice
from paclearn.cli.shared_options import AsJson, ModelFile, to_file
from paclearn.cli.terminal import json_text
from paclearn.encoding.domain import LevelColumn
from paclearn.exceptions import InputError
from paclearn.export import load
from paclearn.models.asked_class import of_asked_class
from paclearn.tables.batches import batch_writer, read_batches
from paclearn.tables.csv_files import STANDARD
from paclearn.tables.folders import files_at
from paclearn.tables.named_folders import folder_values
from paclearn.views.explanation_words import explanation_in_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.export import PortableModel
    from paclearn.models import Explanation, Model
    from paclearn.tables.dialect import FileOptions

__all__ = ["explain", "names_of_fit", "predict"]

RowsFile = Annotated[
    Path,
    typer.Argument(
        help="A file, or a folder or pattern of files that are one table; - reads CSV from a pipe.", show_default=False
    ),
]


def predict(
    model: ModelFile,
    table: RowsFile,
    output: Annotated[
        Optional[Path], to_file("A .csv, .parquet or .arrow file; CSV to the terminal if not given.")
    ] = None,
    keep: Annotated[Optional[list[str]], typer.Option("--keep", help="A column to pass on; may be repeated.")] = None,
    chances: Annotated[
        bool, typer.Option("--probabilities", "-p", help="Also the probability of every class.")
    ] = False,
    *,
    choice: FileChoice,
) -> None:
    """Predict the rows of a table, however large: it is read and written some rows at a time.

    Examples:

        paclearn predict churn.json customers.parquet --keep customer_id -o predictions.csv

        cat customers.csv | paclearn predict churn.json - --probabilities | head
    """
    known = load(model)
    arrow = need("pyarrow", "io", "reading tables")
    done = 0
    with batch_writer(output) as write:
        for batch in _batches(known.model_, table, choice.asked()):
            if batch.num_rows:
                write(arrow.table(_predicted(known, batch, keep or (), chances=chances)))
            done += batch.num_rows
    if not done:
        raise InputError(f"{table} has no rows to predict")
    if output is not None:
        typer.echo(f"{done:,} rows: {output.resolve()}", err=True)


def explain(
    model: ModelFile,
    table: RowsFile,
    row: Annotated[
        Optional[list[int]], typer.Option("--row", "-r", help="Which row, from 1; may be repeated.", show_default="1")
    ] = None,
    most: Annotated[int, typer.Option(min=1, help="At most this many parts.")] = 10,
    as_json: AsJson = False,
    *,
    choice: FileChoice,
) -> None:
    """Say why a row is predicted as it is.

    Examples:

        paclearn explain churn.json customers.csv --row 17
    """
    numbers = row or [1]
    if any(number < 1 for number in numbers):
        raise InputError(f"--row {min(numbers)}: rows are counted from 1")
    loaded = load(model)
    found = dict(_explained(loaded, table, set(numbers), choice.asked()))
    absent = [number for number in numbers if number not in found]
    if absent:
        raise InputError(f"there is no row {absent[0]} in {table}")
    shown = [(found[number][0], found[number][1].top(most)) for number in numbers]
    if as_json:
        typer.echo(json_text([facts | explanation.to_dict() for facts, explanation in shown]))
    else:
        typer.echo("\n\n".join(_in_words(facts, explanation_in_words(loaded.model_, why)) for facts, why in shown))


# ---- rows of files ----


def _batches(model: Model, path: Path, asked: FileOptions) -> Iterator[Any]:
    """Rows of a file, or of several, columns that the model reads as what they were in its fit."""
    kinds = {name: _kind_of(column) for column in model.columns for name in column.read_from}
    files = [path] if str(path) == STANDARD else files_at(path)
    for file, said in zip(files, folder_values(files), strict=True):
        for batch in read_batches(file, kinds, asked, model.about.reading):
            yield _with_columns(batch, {name: value for name, value in said.items() if name not in batch.column_names})


def _with_columns(batch: Any, values: Mapping[str, Any]) -> Any:
    """What the names of folders say of all rows of their files."""
    repeat = need("pyarrow", "io", "reading tables").repeat
    for name, value in values.items():
        batch = batch.append_column(name, repeat(value, batch.num_rows))
    return batch


def _kind_of(column: Column) -> str:
    if column.source is not None:
        return "date"
    if not isinstance(column, LevelColumn) or column.numeric:
        return "number"
    return "flag" if set(column.levels) <= {"True", "False"} else "text"


def _codes(model: Model, batch: Any) -> list[NDArray[Any]]:
    """Codes of the columns that the model reads; whatever else it was fitted on need not be there."""
    arrow = need("pyarrow", "io", "reading tables")
    nothing = arrow.nulls(batch.num_rows)
    names = names_of_fit(model, batch.column_names)
    whole = arrow.table({name: batch[name] if name in batch.column_names else nothing for name in names})
    return model.encode(model.table(whole))


def names_of_fit(model: Model, given: Sequence[str]) -> tuple[str, ...]:
    """All columns that the model was fitted on, of which those that it reads have to be given."""
    if model.about.feature_names is None:
        raise InputError("this model was fitted on a table without column names; use it from Python")
    absent = [name for column in model.columns for name in column.read_from if name not in given]
    if absent:
        raise InputError(f"there is no column {absent[0]!r}, which the model reads{hint(absent[0], given)}")
    return model.about.feature_names


# ---- predictions ----


def _predicted(model: PortableModel, batch: Any, keep: Sequence[str], *, chances: bool) -> dict[str, Any]:
    """Columns to write; the rows are encoded once, whatever is asked for."""
    for name in keep:
        if name not in batch.column_names:
            raise InputError(f"there is no column {name!r} to keep{hint(name, batch.column_names)}")
    scores = model.model_.scores(_codes(model.model_, batch))
    columns = {name: batch[name] for name in keep}
    columns[_free("prediction", columns)] = model.said(scores).tolist()
    if chances:
        columns |= {_free(f"probability of {name}", columns): share for name, share in _shares(model, scores).items()}
    return columns


def _shares(model: PortableModel, scores: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Probabilities by class."""
    if model.about.classes is None:
        raise InputError("this model predicts a number, not a class; leave --probabilities out")
    return dict(zip(map(str, model.about.classes), model.model_.from_scores(scores).T, strict=True))


def _free(name: str, taken: Collection[str]) -> str:
    while name in taken:
        name += "_"
    return name


# ---- explanations ----


def _explained(
    model: PortableModel, path: Path, wanted: set[int], asked: FileOptions
) -> Iterator[tuple[int, tuple[dict[str, Any], Explanation]]]:
    """For the rows that are wanted (counted from 1), what is predicted and why."""
    first = 1
    for batch in _batches(model.model_, path, asked):
        for number in sorted(n for n in wanted if first <= n < first + batch.num_rows):
            codes = _codes(model.model_, batch.slice(number - first, 1))
            why = of_asked_class(model.model_).explain(codes)[0]
            yield number, ({"row": number, **_facts(model, codes)}, why)
        first += batch.num_rows
        if first > max(wanted):
            return


def _facts(model: PortableModel, codes: list[NDArray[Any]]) -> dict[str, Any]:
    scores = model.model_.scores(codes)
    facts = {"prediction": model.said(scores).tolist()[0]}
    if model.about.classes is not None:
        facts["probabilities"] = {name: float(share[0]) for name, share in _shares(model, scores).items()}
    return facts


def _in_words(facts: dict[str, Any], explanation: str) -> str:
    """What is predicted of a row, and why, for a terminal."""
    said = facts["prediction"]
    lines = [f"Row {facts['row']}: {figures(said, 6) if isinstance(said, float) else said}"]
    lines += [f"  probability of {name}: {share:.3f}" for name, share in facts.get("probabilities", {}).items()]
    return "\n".join([*lines, "", *("  " + line for line in explanation.splitlines())])
