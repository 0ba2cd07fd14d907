"""How much memory a fit takes, and who learns from tables of any size; a fit that would not fit is refused in time."""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from paclearn.exceptions import TooLargeError
from paclearn.tables.blocks import bytes_to_open, comes_in_blocks
from paclearn.tables.memory import BYTES_OF_A_PROCESS, allowed_bytes, in_words

if TYPE_CHECKING:
    from paclearn.tables.table import Table

__all__ = ["FOOTPRINTS", "Footprint", "check_room"]

_PAGES_OF_A_COLUMN = 2e6  # bytes that a reader keeps of a column in a Parquet file


@dataclass(frozen=True)
class Footprint:
    """What a fit takes at its peak, as `benchmarks/speed/memory.py` measures it, rounded up.

    What readers know of a file comes besides.

    Parameters
    ----------
    how : str
        How it learns from tables larger than memory.
    per_cell : float
        Bytes a cell of the table; those of bits that may be mapped from disk are not counted.
    per_row : float, default=0.0
        Bytes a row besides.
    rows : float, default=inf
        How many rows are looked at closely; codes of all others may lie on disk.
    per_column : float, default=0.0
        Bytes a column, however many rows there are.
    """

    how: str
    per_cell: float
    per_row: float = 0.0
    rows: float = inf
    per_column: float = 0.0

    def bytes_for(self, n_rows: int, n_columns: int) -> float:
        """At the peak of a fit."""
        a_column = min(n_rows, self.rows) * self.per_cell + self.per_column
        return BYTES_OF_A_PROCESS + n_rows * self.per_row + n_columns * a_column


_DASK, _WHOLE = "exactly, in blocks and on Dask", "in memory"
_JOINED = "exactly, in blocks and on one worker of Dask"
_HELD = "equations by a sample of rows, held against all: in blocks and on Dask"
_CLOSELY = "cells exactly, numbers and redundancy by a sample of rows: in blocks and on Dask"
_SOME = "terms by a sample of rows, weights by all: in blocks and on Dask"
FOOTPRINTS: dict[str, Footprint] = {
    "JuntaClassifier": Footprint(_DASK, 0.0, 70),
    "discover": Footprint(_DASK, 0.0, 60),
    "FourierSelector(redundancy=False, numeric='bins')": Footprint(_DASK, 0.0, 60),
    "JuntaRegressor": Footprint(_DASK, 0.0, 120),
    "find_rules": Footprint(_JOINED, 0.0, 200),
    "SpectralClassifier": Footprint(_SOME, 100, 60, 50_000),
    "SpectralRegressor": Footprint(_SOME, 100, 60, 50_000),
    "RedundancyFilter": Footprint(_HELD, 100, 20, 50_000, _PAGES_OF_A_COLUMN),
    "RegressionGraphClassifier": Footprint(_DASK, 0.0, 120),
    "RegressionGraphRegressor": Footprint(_DASK, 0.0, 120),
    "FourierSelector": Footprint(_CLOSELY, 100, 60, 50_000, _PAGES_OF_A_COLUMN),
    "RuleClassifier": Footprint(_WHOLE, 200),
}

_OTHERS = Footprint(_WHOLE, 100)
_SCALING = ", ".join(name for name, found in FOOTPRINTS.items() if found.how != _WHOLE)


def check_room(name: str, table: Table) -> None:
    """Refuse a fit that would take more memory than there is: of tables in blocks, or where a limit was set.

    Parameters
    ----------
    name : str
        Who is to learn.
    table : Table
        The table.
    """
    if not (comes_in_blocks(table) or "PACLEARN_MEMORY" in os.environ):
        return
    found, n_rows, n_columns = FOOTPRINTS.get(name, _OTHERS), table.n_rows, len(table.names)
    wanted, allowed = found.bytes_for(n_rows, n_columns) + bytes_to_open(table), allowed_bytes()
    if wanted <= allowed:
        return
    remedy = "allow more, or take some of the rows"
    if found.how == _WHOLE:
        remedy += f"; in blocks and with less learn {_SCALING}"
    raise TooLargeError(
        f"{name} would take about {in_words(wanted)} for {n_rows:,} rows and {n_columns:,} columns, and "
        f"{in_words(allowed)} may be used; {remedy}"
    )
