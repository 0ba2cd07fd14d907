"""Commands on the workers of a Dask cluster: rows stay where they are read, and nothing is collected."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from paclearn._parameters import hint
from paclearn.exceptions import InputError
from paclearn.tables.remote_files import parts_on_workers, scheduler_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from paclearn.cli.opening import Opened, TableChoice
    from paclearn.tables.dialect import Reading

__all__ = ["OnWorkers", "Scheduler", "opened_here_or_there"]

Scheduler = Annotated[
    Optional[str],
    typer.Option("--scheduler", help="Learn on the workers of a Dask scheduler: tcp://host:port, or local:4 for here."),
]
_CLASSES = ("string", "large_string", "bool", "dictionary")


@dataclass(frozen=True, eq=False)
class OnWorkers:
    """Delayed parts of the columns and of the target, and how the files were read."""

    columns: list[Any]
    target: list[Any]
    how: Reading


@contextmanager
def opened_here_or_there(
    choice: TableChoice, path: Path, target: str, scheduler: str | None
) -> Iterator[Opened | OnWorkers]:
    """The table of a file, read here, or by the workers of a scheduler as long as they are asked."""
    if scheduler is None:
        yield choice.opened(path, target)
        return
    with scheduler_at(scheduler):
        yield _on_workers(path, target, choice)


def _on_workers(path: Path, target: str, choice: TableChoice) -> OnWorkers:
    """What looks at single rows is refused."""
    for role in choice.roles.given:
        raise InputError(
            f"--{role} looks at single rows, which --scheduler leaves on the workers; leave out one of them"
        )
    table, how = choice.rows(path)
    for name in (target, *(choice.drop or ())):
        if name not in table.names:
            raise InputError(f"{path} has no column {name!r}{hint(name, table.names)}")
    names = [name for name in table.names if name != target and name not in (choice.drop or ())]
    columns, values = parts_on_workers(table, path, target, names)
    kind = str(table.types[target]).partition("<")[0]  # type: ignore[attr-defined]
    if choice.kind == "regression" or (choice.kind == "auto" and kind not in _CLASSES):
        raise InputError(
            f"{target!r} holds numbers, and workers learn classes; say --task classification if they are classes, "
            "or leave out --scheduler"
        )
    return OnWorkers(columns, values, how)
