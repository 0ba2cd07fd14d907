"""What the command `discover` writes: files by their endings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paclearn.exceptions import InputError
from paclearn.tables.files import write_atomically

if TYPE_CHECKING:
    from pathlib import Path

    from paclearn.learners.selection import Discovery

__all__ = ["check_ending", "write_discovery"]

_ENDINGS = (".json", ".md", ".markdown", ".csv", ".svg", ".png", ".pdf")


def check_ending(path: Path) -> None:
    """Refuse a file that nobody knows how to write, before anything is searched."""
    if path.suffix.lower() not in _ENDINGS:
        raise InputError(f"{path.name}: a file to write must end in .json, .md, .csv, .svg, .png or .pdf")


def write_discovery(found: Discovery, path: Path) -> None:
    """Write findings as the ending of the file says."""
    ending = path.suffix.lower()
    if ending == ".json":
        write_atomically(path, found.to_json() + "\n")
    elif ending in {".md", ".markdown"}:
        write_atomically(path, found.to_markdown() + "\n")
    elif ending == ".csv":
        write_atomically(path, found.to_csv())
    else:
        found.plot().figure_.savefig(path)
