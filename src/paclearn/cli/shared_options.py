"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from paclearn.report.report_options import LARGEST_SEED

__all__ = ["LARGEST_SEED", "AsJson", "Drop", "Jobs", "Missing", "ModelFile", "OneTarget", "Seed", "TableFile", "Task"]

TableFile = Annotated[Path, typer.Argument(help="A CSV, Parquet or Arrow file with a header.", show_default=False)]
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
