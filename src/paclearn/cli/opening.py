"""Files of the command line: what is asked of them, how they are opened, and the line that says how they were read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from paclearn.tables.dialect import FileOptions, missing_words
from paclearn.tables.files import read_file
from paclearn.tables.repeats import without_repeats_of

if TYPE_CHECKING:
    from paclearn.tables.dialect import Reading
    from paclearn.tables.table import Table

__all__ = ["DayFirst", "DropRepeats", "Query", "Sheet", "TableName", "Tidy", "opened", "wanted"]

Sheet = Annotated[Optional[str], typer.Option("--sheet", help="The sheet of a workbook; else the first.")]
TableName = Annotated[Optional[str], typer.Option("--table", help="The table of a SQLite or DuckDB file.")]
Query = Annotated[Optional[str], typer.Option("--query", help="Rows of a SQLite or DuckDB file, by a query.")]
Tidy = Annotated[bool, typer.Option("--tidy", help="Levels that differ by capitals or blanks only are one.")]
DropRepeats = Annotated[bool, typer.Option("--drop-repeats", help="Of rows that are equal, keep one.")]
DayFirst = Annotated[
    Optional[bool],
    typer.Option("--day-first/--month-first", help="What 03/04/2025 means where its column does not tell."),
]


def wanted(
    missing: list[str] | None,
    sheet: str | None = None,
    table: str | None = None,
    query: str | None = None,
    day_first: bool | None = None,
    tidy: bool = False,
) -> FileOptions:
    """What the options ask of a file."""
    return FileOptions(missing_words(missing), sheet, table, query, day_first, tidy=tidy)


def opened(path: Path, asked: FileOptions, *, drop_repeats: bool = False) -> tuple[Table, Reading]:
    """A table, and a line to the terminal on how it was read, if there is anything to say."""
    table, how = read_file(path, asked)
    if not how.is_usual:
        typer.echo(f"paclearn: read {path.name}: {how.line()}", err=True)
    return without_repeats_of(table) if drop_repeats else table, how
