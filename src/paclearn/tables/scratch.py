"""Columns of codes that are written a block of rows at a time: in memory while they are few, otherwise on disk."""

from __future__ import annotations

import os
import tempfile
import weakref
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.exceptions import ScratchError
from paclearn.tables.lazy_columns import LazyColumns
from paclearn.tables.memory import in_words, room_for_scratch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["CodeStore", "scratch_file", "zeros"]


class CodeStore(LazyColumns):
    """Columns of codes, filled block by block; a column is read as a whole when it is asked for.

    On disk they lie in a file without a name, which is gone as soon as nobody holds it, however the process ends.

    Parameters
    ----------
    dtypes : sequence of dtype
        The kind of code of every column.
    n_rows : int
        Rows of the table.
    """

    def __init__(self, dtypes: Sequence[Any], n_rows: int) -> None:
        super().__init__(len(dtypes), self._read)
        self._dtypes, self.n_rows = [np.dtype(dtype) for dtype in dtypes], n_rows
        self._starts = np.concatenate([[0], np.cumsum([d.itemsize * n_rows for d in self._dtypes])]).tolist()
        n_bytes = int(self._starts[-1])
        self._file = None if n_bytes <= room_for_scratch() else scratch_file(n_bytes)
        if self._file is not None:
            weakref.finalize(self, self._file.close)
        self._kept = [np.empty(n_rows, dtype) for dtype in self._dtypes] if self._file is None else []

    def write(self, column: int, start: int, codes: NDArray[Any]) -> None:
        """The codes of a block of rows."""
        if self._file is None:
            self._kept[column][start : start + len(codes)] = codes
            return
        plain = np.ascontiguousarray(codes, self._dtypes[column])
        self._file.seek(self._starts[column] + start * plain.itemsize)
        self._file.write(plain)

    def part(self, some: slice, column: int) -> NDArray[Any]:
        """The codes of some rows, from the first to the last of a slice."""
        if self._file is None:
            return self._kept[column][some]
        dtype = self._dtypes[column]
        self._file.seek(self._starts[column] + some.start * dtype.itemsize)
        return np.fromfile(self._file, dtype, some.stop - some.start)

    def _read(self, column: int) -> NDArray[Any]:
        return self._kept[column] if self._file is None else self.part(slice(0, self.n_rows), column)


def zeros(shape: tuple[int, ...], dtype: Any, room: int) -> NDArray[Any]:
    """Zeros: in memory, or, where they take more room than that, mapped from a file without a name."""
    n_bytes = prod(shape) * np.dtype(dtype).itemsize
    if n_bytes <= room:
        return np.zeros(shape, dtype)
    with scratch_file(n_bytes) as file:
        return np.asarray(np.memmap(file, dtype, "r+", shape=shape))


def scratch_file(n_bytes: int) -> Any:
    """A file without a name, with room for so many bytes."""
    folder = tempfile.gettempdir()
    file = tempfile.TemporaryFile(dir=folder, prefix="paclearn-", buffering=0)  # noqa: SIM115 - goes with its last holder
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, n_bytes)
        else:
            file.truncate(n_bytes)
    except OSError as error:
        file.close()
        raise ScratchError(
            f"a scratch file of {in_words(n_bytes)} does not fit in {folder} ({error.strerror}); set TMPDIR to a "
            "folder with more room, or allow more memory"
        ) from error
    return file
