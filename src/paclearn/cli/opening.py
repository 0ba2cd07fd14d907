"""Files of the command line: what is asked of them, how they are opened, and the line that says how they were read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from paclearn._parameters import check_choice
from paclearn.cli.shared_options import Drop, Missing, Task
from paclearn.exceptions import InputError
from paclearn.tables.dialect import FileOptions, missing_words
from paclearn.tables.files import check_writable, read_file
from paclearn.tables.repeats import without_repeats_of
from paclearn.tables.row_roles import RoleNames, read_roles, split_roles
from paclearn.tables.target import read_target_column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paclearn.tables.dialect import Reading
    from paclearn.tables.row_roles import RowRoles
    from paclearn.tables.table import Table
    from paclearn.tables.target import Target

__all__ = ["CleanTableChoice", "FileChoice", "Opened", "TableChoice", "check_output", "opened"]


@dataclass(frozen=True)
class ColumnChoice:
    """Options on the columns of a table."""

    drop: Drop = None
    task: Task = "auto"


@dataclass(frozen=True)
class FileChoice:
    """Options of a command that reads rows of a file."""

    missing: Missing = None
    sheet: Annotated[Optional[str], typer.Option("--sheet", help="The sheet of a workbook; else the first.")] = None
    table_name: Annotated[Optional[str], typer.Option("--table", help="The table of a SQLite or DuckDB file.")] = None
    query: Annotated[Optional[str], typer.Option("--query", help="Rows of a SQLite or DuckDB file, by a query.")] = None

    def asked(self) -> FileOptions:
        """What the options ask of a file."""
        return FileOptions(missing_words(self.missing), self.sheet, self.table_name, self.query)


@dataclass(frozen=True)
class TableChoice(FileChoice, ColumnChoice):
    """Options of a command that explains a column of a table."""

    day_first: Annotated[
        Optional[bool],
        typer.Option("--day-first/--month-first", help="What 03/04/2025 means where its column does not tell."),
    ] = None
    weight: Annotated[Optional[str], typer.Option(help="The column that says how much a row counts.")] = None
    memory: Annotated[
        Optional[str],
        typer.Option(help="Use no more memory, as in 8GB: more goes to disk, and what cannot is refused."),
    ] = None

    def asked(self) -> FileOptions:
        return replace(super().asked(), day_first=self.day_first)

    def opened(self, path: Path, target: str) -> Opened:
        """The table of a file, with the column to explain apart from the others."""
        check_choice("task", self.task, ("auto", "classification", "regression"))
        whole, how = self.rows(path)
        columns, values = split_roles(whole, target, self.drop or (), self.roles)
        found, roles = read_roles(whole, self.roles, read_target_column(values, target, self.kind))
        return Opened(whole, columns, found, how, roles)

    @property
    def kind(self) -> str:
        """The task: what was said, or what follows from what was said."""
        return self.task

    @property
    def roles(self) -> RoleNames:
        """Columns that say something about the rows."""
        return RoleNames(weight=self.weight)

    def rows(self, path: Path) -> tuple[Table, Reading]:
        return opened(path, self.asked())


@dataclass(frozen=True)
class CleanTableChoice(TableChoice):
    """The same, of a command that can clean the table first, and knows what rows are to each other."""

    tidy: Annotated[bool, typer.Option("--tidy", help="Levels that differ by capitals or blanks only are one.")] = False
    drop_repeats: Annotated[bool, typer.Option("--drop-repeats", help="Of rows that are equal, keep one.")] = False
    group: Annotated[
        Optional[str],
        typer.Option(help="Rows that share a value of this column stay together: models are judged on new ones."),
    ] = None
    time: Annotated[
        Optional[str],
        typer.Option(help="When a row was: learn from the past, examine on the last quarter of the rows."),
    ] = None
    ordered: Annotated[
        Optional[str], typer.Option(help="Classes that have an order, as in 'low < mid < high': one set of effects.")
    ] = None

    @property
    def order(self) -> tuple[str, ...] | None:
        """The classes that were named, the lowest first; parted by < or, where there is none, by commas."""
        if self.ordered is None:
            return None
        named = tuple(part.strip() for part in self.ordered.split("<" if "<" in self.ordered else ","))
        if len(named) < 2 or not all(named):
            raise InputError(f"--ordered {self.ordered!r} names no order; write the classes as in 'low < mid < high'")
        return named

    @property
    def kind(self) -> str:
        return "classification" if self.ordered is not None and self.task == "auto" else self.task

    @property
    def roles(self) -> RoleNames:
        return RoleNames(self.group, self.time, self.weight)

    def asked(self) -> FileOptions:
        return replace(super().asked(), tidy=self.tidy)

    def rows(self, path: Path) -> tuple[Table, Reading]:
        table, how = super().rows(path)
        return without_repeats_of(table) if self.drop_repeats else table, how


@dataclass(frozen=True, eq=False)
class Opened:
    """A table, the columns beside the target and those that were dropped, the target, and how the file was read."""

    whole: Table
    columns: Table
    target: Target
    how: Reading
    roles: RowRoles

    @property
    def rows(self) -> Table:
        """The rows of the columns that have a target."""
        return self.target.rows_of(self.columns)


def opened(path: Path, asked: FileOptions) -> tuple[Table, Reading]:
    """A table, and a line to the terminal on how it was read, if there is anything to say."""
    table, how = read_file(path, asked)
    if not how.is_usual:
        typer.echo(f"paclearn: read {path.name}: {how.line()}", err=True)
    return table, how


def check_output(path: Path | None, endings: Sequence[str], in_words: str) -> None:
    """Refuse a file that nobody knows how to write, before anything is searched."""
    if path is None:
        return
    if path.suffix.lower() not in endings:
        raise InputError(f"{path.name}: a file to write must end in {in_words}")
    check_writable(path)
