"""Many files that are one table: a folder, a pattern such as ``sales/*.parquet``, or a list of files."""

from __future__ import annotations

from glob import glob, has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw

from paclearn._compat import need
from paclearn.exceptions import TableFileError
from paclearn.tables.table import FrameTable

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from paclearn.tables.arrow_tables import ArrowTable, ParquetTable
    from paclearn.tables.named_folders import PlacedTable
    from paclearn.tables.table import Table

    Part = ArrowTable | ParquetTable | PlacedTable

__all__ = ["JoinedTable", "files_at"]

_HIDDEN = (".", "_")
_SHOWN = 5


def files_at(place: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[Path]:
    """The files of a list, of a folder or of a pattern, those in order of their names; one file is a list of one."""
    if isinstance(place, list | tuple):
        if not place:
            raise TableFileError("no files were named; a list of files has one at the least")
        return [file for one in place for file in files_at(one)]
    path = Path(place)  # type: ignore[arg-type]
    if path.is_dir():
        return _files_in(path)
    if not path.exists() and has_magic(str(path)):
        found = sorted(Path(name) for name in glob(str(path), recursive=True))  # noqa: PTH207 - a pattern of several folders
        if not found:
            raise TableFileError(f"no file is called {path}")
        return [file for one in found for file in (_files_in(one) if one.is_dir() else [one])]
    return [path]


def _files_in(folder: Path) -> list[Path]:
    """All but hidden ones, which other programs put beside tables; folders in it are looked into as well."""
    inner = (path for path in sorted(folder.rglob("*")) if path.is_file())
    found = [path for path in inner if not any(part.startswith(_HIDDEN) for part in path.relative_to(folder).parts)]
    endings = sorted({path.suffix.lower() for path in found})
    if not found:
        raise TableFileError(f"the folder {folder} holds no files")
    if len(endings) > 1:
        raise TableFileError(
            f"the folder {folder} holds files of several kinds ({', '.join(endings[:_SHOWN])}); "
            f"say which are meant, as in {folder / ('*' + endings[0])}"
        )
    return found


class JoinedTable:
    """Tables of Arrow or Parquet one behind the other: the same columns, each of one kind in all of them.

    Parameters
    ----------
    parts : sequence of ParquetTable, ArrowTable or PlacedTable
        The tables.
    paths : sequence of Path
        What they are called in error texts.
    """

    def __init__(self, parts: Sequence[Part], paths: Sequence[Path]) -> None:
        self.parts, self.names = tuple(parts), parts[0].names
        self.n_rows = sum(part.n_rows for part in parts)
        self.open_bytes = max(part.open_bytes for part in parts)
        for part, path in zip(self.parts, paths, strict=True):
            _check_names(part.names, path, self.names, paths[0])
        self.types = {name: _common_type(name, self.parts, paths) for name in self.names}

    def column(self, position: int) -> nw.Series[Any]:
        """All rows of a column; words are kept once each."""
        arrow, name = need("pyarrow", "io", "reading tables"), self.names[position]
        found = [self._cast(part.column(part.names.index(name)).to_native(), name) for part in self.parts]
        if arrow.types.is_string(self.types[name]):
            found = [column.dictionary_encode() for column in found]
        chunks = [chunk for column in found for chunk in column.chunks]
        whole = arrow.chunked_array(chunks, found[0].type)
        whole = whole.unify_dictionaries() if arrow.types.is_dictionary(whole.type) else whole
        return nw.from_native(whole, series_only=True)

    @property
    def is_long(self) -> bool:
        """Files are read one after the other, however few rows they have."""
        return True

    def blocks(self, positions: Sequence[int]) -> Iterator[Table]:
        """Some columns, a block of rows of one part at a time."""
        names = tuple(self.names[i] for i in positions)
        for part in self.parts:
            for block in part.blocks([part.names.index(name) for name in names]):
                native = (self._cast(block.column(i).to_native(), name) for i, name in enumerate(names))
                yield FrameTable(tuple(nw.from_native(column, series_only=True) for column in native), names)

    def _cast(self, column: Any, name: str) -> Any:
        return column if column.type == self.types[name] else column.cast(self.types[name])


def _check_names(found: Sequence[str], path: Path, wanted: Sequence[str], first: Path) -> None:
    for name in wanted:
        if name not in found:
            raise TableFileError(f"{path} has no column {name!r}, which {first} has; files of one table share columns")
    for name in found:
        if name not in wanted:
            raise TableFileError(f"{path} has a column {name!r}, which {first} has not; files of one table share them")


def _common_type(name: str, parts: Sequence[Part], paths: Sequence[Path]) -> Any:
    """The type of a column in all parts: that of the first, or one that holds all of them."""
    arrow = need("pyarrow", "io", "reading tables")
    types = [part.types[name] for part in parts]
    if all(one == types[0] for one in types):
        return types[0]
    kinds = [(_kind(one, arrow), path) for one, path in zip(types, paths, strict=True)]
    known = [(kind, path) for kind, path in kinds if kind != "nothing"]
    for kind, path in known:
        if kind != known[0][0]:
            raise TableFileError(
                f"column {name!r} holds {kind} in {path} and {known[0][0]} in {known[0][1]}; "
                "a column is of one kind in all files of a table"
            )
    if known[0][0] == "numbers":
        return arrow.int64() if all(map(arrow.types.is_signed_integer, types)) else arrow.float64()
    return arrow.string() if known[0][0] == "text" else next(t for t in types if _kind(t, arrow) != "nothing")


def _kind(found: Any, arrow: Any) -> str:
    types = arrow.types
    if types.is_null(found):
        return "nothing"
    if types.is_dictionary(found):
        return _kind(found.value_type, arrow)
    if types.is_boolean(found):
        return "flags"
    if types.is_integer(found) or types.is_floating(found) or types.is_decimal(found):
        return "numbers"
    if types.is_string(found) or types.is_large_string(found):
        return "text"
    return "dates" if types.is_timestamp(found) or types.is_date(found) else str(found)
