"""Parquet files whose rows the workers of a Dask cluster read, each the row groups that fall to it."""

from __future__ import annotations

import logging
import re
import signal
import tempfile
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing import resource_tracker
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._compat import need
from paclearn.exceptions import InputError
from paclearn.tables.arrow_tables import CHECKED, ParquetTable, reading
from paclearn.tables.folders import JoinedTable
from paclearn.tables.named_folders import PlacedTable
from paclearn.tables.remote import delayed_by_dask, using
from paclearn.tables.target import text_labels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paclearn.tables.table import Table

__all__ = ["LOCAL", "FileParts", "parts_on_workers", "scheduler_at", "text_on_workers"]

_WHAT = "learning on a cluster"
_ROWS_A_PART = 2**20
_SECONDS = 10.0  # that a scheduler has to answer in
LOCAL = {  # one thread a process, no page about it, and any port that is free: another cluster may have the usual one
    "threads_per_worker": 1,
    "dashboard_address": None,
    "scheduler_kwargs": {"dashboard_address": ":0"},
}
_LOCAL = re.compile(r"local:([1-9]\d{0,3})")


@contextmanager
def scheduler_at(address: str) -> Iterator[Any]:
    """Within it, tables of Dask are learned from by the workers of a scheduler; ``local:4`` starts four here.

    Parameters
    ----------
    address : str
        ``tcp://host:port`` or ``local:N``.
    """
    distributed = need("distributed", "dask", _WHAT)
    for speaker in ("distributed", "asyncio", "tornado"):  # what they have to say of an interrupt, we say in one line
        logging.getLogger(speaker).setLevel(logging.CRITICAL)
    local = _LOCAL.fullmatch(address)
    if local is None and "://" not in address:
        raise InputError(f"--scheduler {address!r} is no address; write tcp://host:port, or local:4 for this machine")
    if local is not None:
        with _workers(distributed, int(local[1])) as cluster, distributed.Client(cluster) as client, using(client):
            yield client
        return
    try:
        client = distributed.Client(address, timeout=_SECONDS)
    except (OSError, TimeoutError, ValueError) as error:
        raise InputError(
            f"no Dask scheduler answers at {address}; start one with `dask scheduler`, or say --scheduler local:4"
        ) from error
    with client, using(client):
        yield client


@contextmanager
def _workers(distributed: Any, n: int) -> Iterator[Any]:
    """Processes of this machine; an interrupt of the terminal is for us alone, and we then end them."""
    scratch = tempfile.TemporaryDirectory(prefix="paclearn-", ignore_cleanup_errors=True)
    with scratch as folder, need("dask.config", "dask", _WHAT).set({"temporary-directory": folder}):
        with _without_interrupts() as interrupted:
            cluster = distributed.LocalCluster(n_workers=n, silence_logs=logging.CRITICAL, **LOCAL)
        with cluster:
            if interrupted:
                raise KeyboardInterrupt
            yield cluster


@contextmanager
def _without_interrupts() -> Iterator[list[int]]:
    """Interrupts that come meanwhile are noted, for later."""
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        with _held_back() if hasattr(signal, "pthread_sigmask") else nullcontext():
            yield heard
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _held_back() -> Iterator[None]:
    """Processes that are started within it never hear of an interrupt: signals that are held back stay so in them."""
    resource_tracker.ensure_running()  # which would let them through again when it is first wanted
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@dataclass(frozen=True)
class _RowGroups:
    """Some row groups of a file, what its folders say, and the type of every column that is wanted."""

    path: str
    groups: tuple[int, ...]
    values: dict[str, Any]
    types: tuple[tuple[str, Any], ...]
    target: str

    def rows(self) -> Any:
        """Those that have a target."""
        arrow = need("pyarrow", "io", "reading Parquet")
        parquet, compute = need("pyarrow.parquet", "io", "reading Parquet"), need("pyarrow.compute", "io", "reading")
        with reading(Path(self.path), "is damaged", OSError), parquet.ParquetFile(self.path, **CHECKED) as file:
            asked = [name for name, _ in self.types if name not in self.values]
            table = file.read_row_groups(list(self.groups), columns=asked)
        for name, value in self.values.items():
            table = table.append_column(name, arrow.repeat(value, table.num_rows))
        table = table.select([name for name, _ in self.types]).cast(arrow.schema(list(self.types)))
        return table.filter(compute.is_valid(table[self.target]))


@dataclass(frozen=True, eq=False)
class FileParts:
    """Delayed parts of the columns to learn from, and of other columns by their names."""

    columns: list[Any]
    others: dict[str, list[Any]]


def parts_on_workers(table: Table, path: Path, target: str, names: Sequence[str], others: Sequence[str]) -> FileParts:
    """Delayed parts of the rows of Parquet files that have a target.

    Parameters
    ----------
    table : Table
        The files as they were opened.
    path : Path
        What they are called in error texts.
    target : str
        The column to explain.
    names, others : sequences of str
        The columns to learn from, and those that are wanted each for itself.
    """
    files = [_file_and_values(part) for part in (table.parts if isinstance(table, JoinedTable) else (table,))]
    if not all(isinstance(file, ParquetTable) for file, _ in files):
        raise InputError(f"--scheduler: workers read Parquet files, and {path} is none; write it as Parquet first")
    types = table.types  # type: ignore[attr-defined]
    wanted = tuple((name, types[name]) for name in (*names, *others))
    delayed = delayed_by_dask()
    parts = [
        delayed(_RowGroups.rows, pure=False)(_RowGroups(str(file.path.resolve()), groups, values, wanted, target))
        for file, values in files
        for groups in _shared_out(file)
    ]
    columns = [delayed(_but)(part, list(others)) for part in parts]
    return FileParts(columns, {name: [delayed(_only)(part, name) for part in parts] for name in others})


def _file_and_values(part: Any) -> tuple[Any, dict[str, Any]]:
    return (part.file, part.values) if isinstance(part, PlacedTable) else (part, {})


def text_on_workers(parts: Sequence[Any]) -> list[Any]:
    """Delayed parts of classes as the command line knows them, whatever they are in the file: text."""
    delayed = delayed_by_dask()
    return [delayed(_labels)(part) for part in parts]


def _labels(part: Any) -> Any:
    return text_labels(part, "target") if len(part) else np.empty(0, dtype=object)


def _but(part: Any, others: list[str]) -> Any:
    return part.drop_columns(others)


def _only(part: Any, name: str) -> Any:
    return part[name]


def _shared_out(file: ParquetTable) -> Iterator[tuple[int, ...]]:
    """Row groups one behind the other, about a million rows at a time."""
    parquet = need("pyarrow.parquet", "io", "reading Parquet")
    known = parquet.read_metadata(file.path)
    rows, edges = 0, [0]
    for i in range(known.num_row_groups):
        rows += known.row_group(i).num_rows
        if rows >= _ROWS_A_PART:
            rows, edges = 0, [*edges, i + 1]
    edges = edges if edges[-1] == known.num_row_groups else [*edges, known.num_row_groups]
    return (tuple(range(a, b)) for a, b in pairwise(edges))
