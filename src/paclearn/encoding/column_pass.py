"""One pass over the columns of a table: each is read once, learned, encoded, and let go."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from paclearn._progress import progress
from paclearn.exceptions import EmptyTableError
from paclearn.tables.raw import read_column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from paclearn.tables.raw import RawColumn
    from paclearn.tables.table import Table

__all__ = ["LearnedColumns", "encode_each", "learn_each"]


class _Encodes(Protocol):
    @property
    def position(self) -> int: ...

    def encode(self, raw: RawColumn) -> NDArray[Any]: ...


C = TypeVar("C", bound=_Encodes)


def encode_each(columns: Iterable[_Encodes], table: Table) -> Iterator[NDArray[Any]]:
    """The codes of some columns of a table, one column at a time."""
    for column in columns:
        yield column.encode(read_column(table, column.position))


@dataclass(frozen=True)
class LearnedColumns(Generic[C]):
    """Columns that questions can be asked of, the codes of their rows, and which others were dropped and why."""

    columns: list[C] = field(default_factory=list)
    codes: list[NDArray[Any]] = field(default_factory=list)
    dropped: list[tuple[str, str]] = field(default_factory=list)

    def refuse_none(self, table: Table) -> None:
        """Refuse a table of which no column is left."""
        if self.columns:
            return
        reasons = "; ".join(f"{name}: {why}" for name, why in self.dropped[:3])
        raise EmptyTableError(
            f"no column varies in {table.n_rows} row(s) (n_samples={table.n_rows}), so there is nothing to learn "
            f"from ({reasons}{'; ...' if len(self.dropped) > 3 else ''})"
        )


def learn_each(
    table: Table, learn: Callable[[RawColumn, str, int], C | str], *, keep_codes: bool = True
) -> LearnedColumns[C]:
    """Learn every column of a table by a function that returns it, or a reason to drop it."""
    found = LearnedColumns[C]()
    with progress("reading columns", len(table.names)) as advance:
        for position, name in enumerate(table.names):
            raw = read_column(table, position)
            column = learn(raw, name, position)
            advance(1)
            if isinstance(column, str):
                found.dropped.append((name, column))
                continue
            found.columns.append(column)
            if keep_codes:
                found.codes.append(column.encode(raw))
    return found
