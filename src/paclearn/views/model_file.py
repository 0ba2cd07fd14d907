"""Model files: JSON with a version and a checksum. Loading runs nothing that is in the file."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from importlib.metadata import version
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paclearn.exceptions import ModelFileError
from paclearn.models import KINDS
from paclearn.models.checked import Part
from paclearn.models.model import About, columns_of
from paclearn.tables.files import write_atomically

if TYPE_CHECKING:
    import os

    from paclearn.models import Model

__all__ = ["FORMAT", "VERSION", "file_content", "from_json", "load", "save", "to_json"]

FORMAT, VERSION = "paclearn model", 1


def file_content(model: Model) -> dict[str, Any]:
    """Plain data: what a model file holds, but for its checksum."""
    return {"format": FORMAT, "version": VERSION, "paclearn": _our_version(), **model.to_dict()}


@lru_cache
def _our_version() -> str:
    return version("paclearn")  # reads a file


def to_json(model: Model) -> str:
    """A model as the text of a model file."""
    content = file_content(model)
    return json.dumps({**content, "checksum": _checksum(content)}, ensure_ascii=True, allow_nan=False, indent=1) + "\n"


def save(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model to a file, whole or not at all."""
    write_atomically(path, to_json(model))


def load(path: str | os.PathLike[str]) -> Model:
    """Read a model from a file; whatever is not a model file of a version that is known is refused."""
    path = Path(path)
    if not path.is_file():
        raise ModelFileError(f"there is no model file {path}")
    try:
        return from_json(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise ModelFileError(f"{path} is not a model file: it is not text") from error
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {error}") from error


def from_json(text: str) -> Model:
    """A model from the text of a model file."""
    content = _parsed(text)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ModelFileError(f"not a model file: it does not say format: {FORMAT!r}")
    _check_version(content.get("version"))
    if content.pop("checksum", None) != _checksum(content):
        raise ModelFileError(
            "the file was changed after it was saved (its checksum does not fit); save the model again"
        )
    part = Part(content, "")
    about = About.read(part)
    kind = KINDS[part["kind"].one_of(*KINDS)]
    return kind.read(about, columns_of(part["columns"], about, kind.column_kinds), part["model"])


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except (ValueError, RecursionError) as error:  # a number of thousands of digits is a ValueError
        raise ModelFileError(f"not a model file, or cut off: {_first(error)}") from error


def _check_version(version: Any) -> None:
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise ModelFileError(f"not a model file: its version is {version!r}")
    if version > VERSION:
        raise ModelFileError(
            f"written by a later version of paclearn (file version {version}, this one reads up to {VERSION}); "
            "upgrade paclearn"
        )


def _checksum(content: dict[str, Any]) -> str:
    """Of all else in the file, however it is laid out."""
    try:
        plain = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    except RecursionError as error:
        raise ModelFileError("not a model file: lists and objects are nested too deeply in it") from error
    return hashlib.sha256(plain.encode()).hexdigest()


def _finite(word: str) -> float:
    number = float(word)
    return number if isfinite(number) else _no_number(word)


def _no_number(word: str) -> Any:
    raise ValueError(f"it holds {word}, which is no number that can be computed with")


def _first(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
