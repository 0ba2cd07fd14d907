"""Tables on a Dask cluster: parts that lie on workers, where what is to be done with them is sent.

Nothing is scattered and nothing is collected: what goes there is a piece of work and a part of the user's own graph,
what comes back are summaries that add up. A part that is lost with its worker is made again from that graph.
"""

from __future__ import annotations

import pickle
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from operator import add
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from paclearn._compat import need
from paclearn.exceptions import InputError, InputTypeError
from paclearn.tables.table import (
    ArrayTable,
    FrameTable,
    RowSubset,
    WeighedRows,
    check_unique_names,
    cluster_package,
    refuse_no_rows,
    uncollected,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.tables.remote_numbers import RemoteWeights
    from paclearn.tables.table import Table

__all__ = ["RemoteTable", "active_client", "count_rows", "delayed_by_dask", "is_remote", "part_rows", "part_table"]
__all__ += ["refuse_elsewhere", "remote_parts", "remote_table", "summed", "unlike", "using"]

_CLIENT: ContextVar[Any] = ContextVar("client", default=None)
_WHAT = "learning where the rows are"


@contextmanager
def using(client: Any) -> Iterator[Any]:
    """Within it, tables of Dask are learned from by the workers of this client.

    Parameters
    ----------
    client : distributed.Client
        Of a cluster on whose workers paclearn is installed.
    """
    token = _CLIENT.set(client)
    try:
        yield client
    finally:
        _CLIENT.reset(token)


def active_client() -> Any:
    """The client of `using`, or the one that was made last."""
    given = _CLIENT.get()
    if given is not None:
        return given
    try:
        return need("distributed", "dask", _WHAT).default_client()
    except ValueError:
        raise InputError(
            "a table of Dask is learned from by workers, and no client is active; make one with "
            "distributed.Client(address), or with distributed.LocalCluster for this machine"
        ) from None


def is_remote(data: Any) -> bool:
    """Whether something is an array or a frame of Dask, or a list of delayed parts."""
    return cluster_package(data) is not None


def remote_parts(data: Any) -> tuple[Any, ...]:
    """The parts of something of Dask, row behind row, each as delayed work."""
    if isinstance(data, list | tuple):
        return tuple(data)
    if getattr(data, "ndim", 1) == 2 and hasattr(data, "rechunk"):
        data = data.rechunk({1: -1})  # rows stay whole
    return tuple(np.ravel(np.asarray(data.to_delayed(), dtype=object)).tolist())


def remote_table(X: Any, n_rows: int, weights: RemoteWeights | None = None) -> RemoteTable:
    """A table on a cluster, of which so many rows count."""
    refuse_no_rows(n_rows)
    parts = remote_parts(X)
    names, plain = _call(_names_of, parts[0]) if isinstance(X, list | tuple) else _names(X)
    return RemoteTable(names, parts, n_rows, plain, weights)


def _names(X: Any) -> tuple[tuple[str, ...], bool]:
    if hasattr(X, "columns"):
        return tuple(map(str, X.columns)), False
    if X.ndim != 2:
        raise InputError(f"X has shape {X.shape}; a table has rows and columns")
    return tuple(f"x{i}" for i in range(X.shape[1])), True


def _names_of(part: Any) -> tuple[tuple[str, ...], bool]:
    table = part_table(part)
    return table.names, isinstance(table, ArrayTable)


def part_table(part: Any) -> Table:
    """A part as a table, where it lies."""
    frame = nw.from_native(part, pass_through=True, eager_only=True)
    if isinstance(frame, nw.DataFrame):
        return FrameTable.of(frame)
    values = np.asarray(part)
    if values.ndim != 2:
        raise InputTypeError(f"a part of a table is a frame or an array of two dimensions; found {type(part).__name__}")
    return ArrayTable(values, tuple(f"x{i}" for i in range(values.shape[1])))


def part_rows(part: Any, weights: NDArray[np.float64] | None = None) -> Table:
    """The rows of a part that count, where it lies."""
    table = part_table(part)
    if weights is None:
        return table
    if table.n_rows != len(weights):
        raise unlike(table.n_rows, "sample_weight", len(weights))
    return WeighedRows(RowSubset(table, np.flatnonzero(weights)), weights[weights > 0])


def unlike(n_rows: int, name: str, found: int) -> InputError:
    """The error of a column whose partitions are not those of the table."""
    return InputError(f"a partition of X has {n_rows} rows and that of {name} {found}; take both from one table")


@dataclass(frozen=True, eq=False)
class RemoteTable:
    """A table whose parts lie on workers. ``plain`` says that it is a matrix, whose columns nobody named."""

    names: tuple[str, ...]
    parts: tuple[Any, ...]
    n_rows: int
    plain: bool = False
    weights: RemoteWeights | None = None

    def column(self, position: int) -> Any:
        """It has to be brought here first, which is never done unasked."""
        raise uncollected(f"column {self.names[position]!r}", "dask")

    def remembered_by(self, estimator: Any) -> RemoteTable:
        """The same, once an estimator knows the names and the number of its columns."""
        for name in ("feature_names_in_", "_column_names"):
            vars(estimator).pop(name, None)  # of an earlier fit
        estimator.n_features_in_ = len(self.names)
        if not self.plain:
            check_unique_names(self.names)
            estimator.feature_names_in_ = np.array(self.names, dtype=object)
        return self

    @cached_property
    def client(self) -> Any:
        return active_client()

    def summed(self, work: Callable[[Table], Any], add: Callable[[Any, Any], Any]) -> Any:
        """What comes of all parts, added up in their order on the workers."""
        return summed(lambda given: (_on_rows, pickle.dumps(work), *given), self.with_weights(), add, self.client)

    def with_weights(self) -> list[tuple[Any, ...]]:
        """Every part, and the weights of its rows where they have any."""
        beside = () if self.weights is None else (self.weights.arrays.parts,)
        return list(zip(self.parts, *beside, strict=True))


def summed(task: Callable[[Any], Any], parts: Sequence[Any], add: Callable[[Any, Any], Any], client: Any = None) -> Any:
    """What tasks (a function and its arguments) make of the parts, added up in pairs, so that no worker has all."""
    delayed = delayed_by_dask()
    found = []
    for part in parts:
        function, *arguments = task(part)
        found.append(delayed(function, pure=False)(*arguments))
    how = pickle.dumps(add)
    while len(found) > 1:
        pairs = [found[i : i + 2] for i in range(0, len(found), 2)]
        found = [delayed(_added, pure=False)(how, *pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return (client or active_client()).compute(found[0]).result()


def count_rows(data: Any) -> int:
    """Of all parts of something of Dask."""
    return int(summed(lambda part: (_rows_of, part), remote_parts(data), add))


def _rows_of(part: Any) -> int:
    return part_table(part).n_rows


def delayed_by_dask() -> Any:
    """`dask.delayed`."""
    return need("dask", "dask", _WHAT).delayed


def refuse_elsewhere(what: str, is_asked: bool) -> None:
    """Refuse what has to look at single rows."""
    if is_asked:
        raise InputError(
            f"{what} looks at single rows, and those of a Dask table are not brought here; leave it out, "
            "or write the table to Parquet files and pass open_table(folder)"
        )


def _call(function: Callable[[Any], Any], part: Any) -> Any:
    return active_client().compute(delayed_by_dask()(function, pure=False)(part)).result()


def _on_rows(work: bytes, *given: Any) -> Any:
    return pickle.loads(work)(part_rows(*given))  # noqa: S301 - from our own client


def _added(add: bytes, one: Any, other: Any) -> Any:
    return pickle.loads(add)(one, other)  # noqa: S301 - from our own client
