"""The command `datasets`: listing and writing the embedded ones."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from paclearn._compat import need
from paclearn.cli.shared_options import LARGEST_SEED, to_file
from paclearn.datasets.catalogue import CATALOGUE, columns_of
from paclearn.tables.files import write_atomically

__all__ = ["datasets"]


def datasets(
    name: Annotated[Optional[str], typer.Argument(help="The dataset to write; without it, list them.")] = None,
    output: Annotated[
        Optional[Path],
        to_file("A .csv or .parquet file; CSV to the terminal if not given."),
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
        _print_catalogue(as_json=as_json)
    else:
        _write_dataset(name, output, seed)


def _print_catalogue(*, as_json: bool) -> None:
    """One line a dataset."""
    if as_json:
        entries = [{"name": e.name, "about": e.about, "target": e.target} for e in CATALOGUE.values()]
        typer.echo(json.dumps(entries, indent=2))
        return
    width = max(map(len, CATALOGUE))
    for entry in CATALOGUE.values():
        typer.echo(f"{entry.name.ljust(width)}  {entry.about} (target: {entry.target!r})")


def _write_dataset(name: str, output: Path | None, seed: int) -> None:
    """CSV, or Parquet by the ending of the file; CSV to standard output without a file."""
    columns = columns_of(name, seed)
    if output is None:
        typer.echo(_csv(columns), nl=False)
        return
    write_atomically(output, _parquet(columns) if output.suffix.lower() in {".parquet", ".pq"} else _csv(columns))
    n_rows = len(next(iter(columns.values())))
    typer.echo(f"{n_rows:,} rows, {len(columns)} columns: {output}", err=True)


def _csv(columns: dict[str, list[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def _parquet(columns: dict[str, list[Any]]) -> bytes:
    arrow = need("pyarrow", "io", "writing Parquet")
    sink = io.BytesIO()
    need("pyarrow.parquet", "io", "writing Parquet").write_table(arrow.table(columns), sink)
    return sink.getvalue()
