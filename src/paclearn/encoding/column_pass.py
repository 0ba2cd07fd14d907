"""One pass over the columns of a table: each is read once, learned, encoded, and let go."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from paclearn._progress import progress
from paclearn.encoding.date_columns import DateColumn, parts_of
from paclearn.encoding.set_aside import why_set_aside
from paclearn.exceptions import EmptyTableError
from paclearn.tables.raw import Dates, read_any
from paclearn.tables.table import is_plain_matrix

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.tables.raw import RawColumn
    from paclearn.tables.table import Table

__all__ = ["LearnedColumns", "encode_each", "learn_each"]


class _Encodes(Protocol):
    @property
    def position(self) -> int: ...

    @property
    def read_from(self) -> tuple[str, ...]: ...

    def read(self, table: Table) -> RawColumn: ...

    def encode(self, raw: RawColumn) -> NDArray[Any]: ...


C = TypeVar("C", bound=_Encodes)


def encode_each(columns: Iterable[_Encodes], table: Table) -> Iterator[NDArray[Any]]:
    """The codes of some columns of a table, one column at a time."""
    for column in columns:
        yield column.encode(column.read(table))


@dataclass(frozen=True)
class LearnedColumns(Generic[C]):
    """Columns that questions can be asked of, the codes of their rows, and which others were dropped and why."""

    columns: list[C] = field(default_factory=list)
    codes: list[NDArray[Any]] = field(default_factory=list)
    dropped: list[tuple[str, str]] = field(default_factory=list)

    def keep(self, column: C, raw: RawColumn, *, keep_codes: bool) -> None:
        """One more column, with the codes of its rows."""
        self.columns.append(column)
        if keep_codes:
            self.codes.append(column.encode(raw))

    def refuse_none(self, n_rows: int) -> None:
        """Refuse a table of which no column is left."""
        if self.columns:
            return
        reasons = "; ".join(f"{name}: {why}" for name, why in self.dropped[:3])
        raise EmptyTableError(
            f"no column varies in {n_rows} row(s) (n_samples={n_rows}), so there is nothing to learn "
            f"from ({reasons}{'; ...' if len(self.dropped) > 3 else ''})"
        )


def learn_each(
    table: Table, learn: Callable[[RawColumn, str, int], C | str], *, keep_codes: bool = True
) -> LearnedColumns[C]:
    """Learn every column of a table by a function that returns it, or a reason to drop it."""
    found = LearnedColumns[C]()
    dates: list[DateColumn] = []
    named = not is_plain_matrix(table)  # of a matrix of numbers, nobody called a column a key
    with progress("reading columns", len(table.names)) as advance:
        for position, name in enumerate(table.names):
            raw = read_any(table, position)
            advance(1)
            if isinstance(raw, Dates):
                dates.append(DateColumn(name, position, raw))
                continue
            column = why_set_aside(raw, name if named else None) or learn(raw, name, position)
            if isinstance(column, str):
                found.dropped.append((name, column))
            else:
                found.keep(column, raw, keep_codes=keep_codes)
    _learn_dates(table, dates, learn, found, keep_codes=keep_codes)
    return found


def _learn_dates(
    table: Table,
    dates: Sequence[DateColumn],
    learn: Callable[[RawColumn, str, int], C | str],
    found: LearnedColumns[C],
    *,
    keep_codes: bool,
) -> None:
    """What columns of dates say, each a column of its own; a date of which nothing varies is dropped by its name."""
    position, taken, reasons = len(table.names), list(table.names), dict[str, str]()
    for part, raw in parts_of(dates):
        name = part.name_beside(taken)
        column = learn(raw, name, position)
        if isinstance(column, str):
            reasons.setdefault(part.of[0], column)
            continue
        found.keep(replace(column, source=part), raw, keep_codes=keep_codes)  # type: ignore[type-var]
        taken.append(name)
        position += 1
    used = {name for column in found.columns for name in column.read_from}
    found.dropped.extend((name, why) for name, why in reasons.items() if name not in used)
