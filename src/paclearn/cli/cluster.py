"""Commands on the workers of a Dask cluster: rows stay where they are read, and nothing is collected."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from paclearn._parameters import hint
from paclearn.encoding.remote_columns import are_classes
from paclearn.exceptions import InputError
from paclearn.tables.remote_files import parts_on_workers, scheduler_at, text_on_workers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from paclearn.cli.opening import Opened, TableChoice
    from paclearn.tables.dialect import Reading

__all__ = ["OnWorkers", "Scheduler", "given", "opened_here_or_there"]

Scheduler = Annotated[
    Optional[str],
    typer.Option("--scheduler", help="Learn on the workers of a Dask scheduler: tcp://host:port, or local:4 for here."),
]


@dataclass(frozen=True, eq=False)
class OnWorkers:
    """Delayed parts of the columns, of the target and of the weights, and how the files were read."""

    columns: list[Any]
    target: list[Any]
    weights: list[Any] | None
    classify: bool
    how: Reading

    @property
    def task(self) -> str:
        return "classification" if self.classify else "regression"


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


def given(source: Opened | OnWorkers) -> tuple[Any, Any, str, Any]:
    """Rows, target, task and weights."""
    if isinstance(source, OnWorkers):
        return source.columns, source.target, source.task, source.weights
    return source.rows, source.target.y, source.target.task, source.roles.weights


def _on_workers(path: Path, target: str, choice: TableChoice) -> OnWorkers:
    """What looks at single rows is refused."""
    for role in choice.roles.given:
        if role != "weight":
            raise InputError(
                f"--{role} looks at single rows, which --scheduler leaves on the workers; leave out one of them"
            )
    table, how = choice.rows(path)
    others = [target, *([] if choice.weight is None else [choice.weight])]
    for name in (*others, *(choice.drop or ())):
        if name not in table.names:
            raise InputError(f"{path} has no column {name!r}{hint(name, table.names)}")
    if choice.weight == target:
        raise InputError(f"the target {target!r} cannot be the weight as well; name another column")
    names = [name for name in table.names if name not in {*others, *(choice.drop or ())}]
    parts = parts_on_workers(table, path, target, names, others)
    values, weights = parts.others[target], None if choice.weight is None else parts.others[choice.weight]
    classify = choice.kind == "classification" or (choice.kind == "auto" and are_classes(values))
    return OnWorkers(parts.columns, text_on_workers(values) if classify else values, weights, classify, how)
