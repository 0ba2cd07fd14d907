"""Listing and writing the embedded datasets."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import typer

from paclearn._compat import need
from paclearn.datasets.catalogue import CATALOGUE, columns_of
from paclearn.tables.files import write_atomically

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["print_catalogue", "write_dataset"]


def print_catalogue(*, as_json: bool) -> None:
    """One line a dataset."""
    if as_json:
        entries = [{"name": e.name, "about": e.about, "target": e.target} for e in CATALOGUE.values()]
        typer.echo(json.dumps(entries, indent=2))
        return
    width = max(map(len, CATALOGUE))
    for entry in CATALOGUE.values():
        typer.echo(f"{entry.name.ljust(width)}  {entry.about} (target: {entry.target!r})")


def write_dataset(name: str, output: Path | None, seed: int) -> None:
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
