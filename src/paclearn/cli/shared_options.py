"""Arguments and options that several commands have, and how groups of them are unfolded."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional, get_type_hints

import typer

from paclearn.report.report_options import LARGEST_SEED
from paclearn.tables.memory import at_most

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = [
    "LARGEST_SEED",
    "AsJson",
    "Drop",
    "Jobs",
    "Missing",
    "ModelFile",
    "OneTarget",
    "Seed",
    "TableFile",
    "Task",
    "to_file",
    "unfolded",
]

TableFile = Annotated[
    Path, typer.Argument(help="A CSV, Parquet or Arrow file with a header, or a folder of them.", show_default=False)
]
ModelFile = Annotated[Path, typer.Argument(help="A model that `paclearn fit` wrote.", show_default=False)]
OneTarget = Annotated[str, typer.Option("--target", "-t", help="The column to explain.", show_default=False)]
Drop = Annotated[Optional[list[str]], typer.Option("--drop", help="Leave a column out; may be repeated.")]
Task = Annotated[str, typer.Option(help="auto, classification or regression.")]
Missing = Annotated[
    Optional[list[str]], typer.Option("--missing", help="One more word for missing in a CSV file; may be repeated.")
]
Jobs = Annotated[int, typer.Option("--jobs", "-j", help="Threads; -1 is all cores.")]
Seed = Annotated[
    int, typer.Option(min=0, max=LARGEST_SEED, help="Draws folds, simulations and rows that are kept aside.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print everything as JSON.")]


def to_file(help_text: str, default: str | bool = False) -> Any:
    """Whereto a command writes."""
    return typer.Option("--output", "-o", help=help_text, show_default=default)


def unfolded(command: Callable[..., None]) -> Callable[..., None]:
    """A command as the command line calls it: the fields of a group of options are options in the group's place."""
    hints = get_type_hints(command, include_extras=True)
    groups = {name: kind for name, kind in hints.items() if isinstance(kind, type) and is_dataclass(kind)}

    @wraps(command)
    def called(**given: Any) -> None:
        memory = given.get("memory")
        made = {name: kind(**{f.name: given.pop(f.name) for f in fields(kind)}) for name, kind in groups.items()}
        with at_most(memory):
            command(**given, **made)

    flat = [option for parameter in signature(command).parameters.values() for option in _options(parameter, hints)]
    called.__signature__ = Signature(flat)  # type: ignore[attr-defined]
    return called


def _options(parameter: Parameter, hints: dict[str, Any]) -> Iterator[Parameter]:
    """A parameter, or the fields of the group that it is; each has a default."""
    kind = hints[parameter.name]
    if not is_dataclass(kind):
        yield Parameter(parameter.name, Parameter.KEYWORD_ONLY, default=parameter.default, annotation=kind)
        return
    types = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        yield Parameter(field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=types[field.name])
