"""A table in blocks becomes a domain and codes: a few passes over the blocks, none of which keeps a row.

What is learned is what `learn_and_encode` learns of the same rows in one piece, to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from paclearn._progress import progress
from paclearn.encoding.column_pass import LearnedColumns
from paclearn.encoding.date_columns import DatePart, is_forward, pairs_of, parts_alone, signs_of
from paclearn.encoding.domain import BinColumn, Column, Domain
from paclearn.encoding.learning import ColumnRules, Distinct
from paclearn.encoding.quantile_slots import Slots, count_slots, numbers_in_gaps
from paclearn.encoding.set_aside import why_summary_set_aside
from paclearn.encoding.summaries import DateSummary, NumberSummary, Summary, merged, summary_of
from paclearn.encoding.value_weights import counts_of, is_counted, values_of, weights_of_values
from paclearn.tables.blocks import blocks_of
from paclearn.tables.memory import columns_at_once, room_for_scratch
from paclearn.tables.raw import read_any
from paclearn.tables.scratch import CodeStore, zeros
from paclearn.tables.table import WeighedRows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from paclearn.tables.dates import Dates
    from paclearn.tables.raw import RawColumn
    from paclearn.tables.table import RowBlock, Table

__all__ = ["Blocks", "FileBlocks", "encode_blocks", "encode_bytes", "learn_blocks"]


T = TypeVar("T")
_MOST_SLOTS = 2**12  # of which each then has a few thousandths of a percent of the rows


class Blocks(Protocol):
    """Blocks of rows, wherever they lie: something is done with each, and what comes of it is added up."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        ...

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        ...

    @property
    def weight(self) -> float | None:
        """What all rows weigh together; None where each counts once."""
        ...

    @property
    def at_once(self) -> int:
        """How many columns are learned together."""
        ...

    @property
    def named(self) -> bool:
        """Whether somebody named the columns; of a matrix of numbers, nobody called a column a key."""
        ...

    def summed(self, work: Callable[[Table], Any], positions: Sequence[int], add: Callable[[Any, Any], Any]) -> Any:
        """What comes of all blocks, of which some columns are looked at, added up in the order of the rows."""
        ...


class FileBlocks:
    """The blocks of a table, read one after the other in this process."""

    def __init__(self, table: Table, weights: NDArray[np.float64] | None = None) -> None:
        self.table, self.names, self.n_rows, self.named = table, table.names, table.n_rows, True
        self.weights, self.weight = weights, None if weights is None else float(weights.sum())
        self.at_once = columns_at_once()

    def summed(self, work: Callable[[Table], Any], positions: Sequence[int], add: Callable[[Any, Any], Any]) -> Any:
        with progress("reading blocks of rows", self.n_rows) as advance:
            blocks = blocks_of(self.table, positions)
            return reduce(add, (_told(work(self._weighed(block)), block.n_rows, advance) for block in blocks))

    def _weighed(self, block: RowBlock) -> Table:
        if self.weights is None:
            return block
        return WeighedRows(block, self.weights[block.start : block.start + block.n_rows])


def _told(found: Any, n_rows: int, advance: Callable[[int], None]) -> Any:
    advance(n_rows)
    return found


# ---- what is read of a block -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Source:
    """Where a column comes from: a position of the table, or something that dates say."""

    name: str
    position: int
    part: DatePart | None = None

    @property
    def positions(self) -> tuple[int, ...]:
        return (self.position,) if self.part is None else self.part.features

    def read(self, block: Table) -> RawColumn | Dates:
        return read_any(block, self.position) if self.part is None else self.part.read(block)

    def numbers(self, block: Table) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        """Those that are not missing (there is one nought), and the weights of their rows."""
        values = np.asarray(self.read(block).values, dtype=np.float64)  # type: ignore[union-attr]
        present = ~np.isnan(values)
        return values[present] + 0.0, block.weights[present] if isinstance(block, WeighedRows) else None


def _needed(sources: Iterable[Source]) -> list[int]:
    return sorted({position for source in sources for position in source.positions})


@dataclass(frozen=True)
class _Summarise:
    sources: tuple[Source, ...]

    def __call__(self, block: Table) -> list[Summary]:
        return [summary_of(source.read(block)) for source in self.sources]


def _add_summaries(one: list[Summary], other: list[Summary]) -> list[Summary]:
    return [merged(a, b) for a, b in zip(one, other, strict=True)]


def _summaries(blocks: Blocks, sources: Sequence[Source]) -> list[Summary]:
    """What is known of columns; where rows have weights, another pass says what each value weighs."""
    if not sources:
        return []
    found = list(blocks.summed(_Summarise(tuple(sources)), _needed(sources), _add_summaries))
    if blocks.weight is None:
        return found
    counted = [i for i, summary in enumerate(found) if is_counted(summary)]
    work = _Weigh(tuple((sources[i], values_of(found[i])) for i in counted))
    sums = blocks.summed(work, _needed(sources[i] for i in counted), _add_slots) if counted else []
    for i, weights in zip(counted, sums, strict=True):
        found[i] = replace(found[i], weights=weights)
    return found


@dataclass(frozen=True)
class _Weigh:
    """What the rows of every value weigh, the values in their order."""

    values: tuple[tuple[Source, Any], ...]

    def __call__(self, block: Table) -> list[NDArray[Any]]:
        weights: Any = block.weights  # type: ignore[attr-defined]
        return [weights_of_values(source.read(block), values, weights) for source, values in self.values]


@dataclass(frozen=True)
class _CountSigns:
    pairs: tuple[DatePart, ...]

    def __call__(self, block: Table) -> NDArray[np.int64]:
        return np.array([signs_of(pair.read(block)) for pair in self.pairs], dtype=np.int64)


# ---- the domain ------------------------------------------------------------------------------------------------------


def learn_blocks(blocks: Blocks, rules: ColumnRules) -> Domain:
    """The domain of a table in blocks, some columns at a time: of those nothing is kept but what their codes mean."""
    learned, dates = _Learned(rules, blocks.weight), list[tuple[str, int, DateSummary]]()
    for some in _in_groups([Source(name, position) for position, name in enumerate(blocks.names)], blocks.at_once):
        known = dict(zip(some, _summaries(blocks, some), strict=True))
        dates.extend((s.name, s.position, found) for s, found in known.items() if isinstance(found, DateSummary))
        others = {source: found for source, found in known.items() if not isinstance(found, DateSummary)}
        names = {source: source.name if blocks.named else None for source in others}
        learned.take(blocks, {s: (found, why_summary_set_aside(found, names[s])) for s, found in others.items()})
    _take_dates(blocks, dates, learned)
    return learned.finished(blocks)


def _in_groups(every: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (every[start : start + size] for start in range(0, len(every), size))


def _take_dates(blocks: Blocks, dates: Sequence[tuple[str, int, DateSummary]], learned: _Learned) -> None:
    parts = [*parts_alone(dates), *_turned(blocks, tuple(pairs_of(dates)))]
    for some in _in_groups([Source(part.name, len(blocks.names), part) for part in parts], blocks.at_once):
        learned.take(blocks, {s: (found, None) for s, found in zip(some, _summaries(blocks, some), strict=True)})


def _turned(blocks: Blocks, pairs: tuple[DatePart, ...]) -> list[DatePart]:
    """Days from one date to another, from the one that mostly comes first."""
    if not pairs:
        return []
    positions = sorted({i for pair in pairs for i in pair.features})
    signs = blocks.summed(_CountSigns(pairs), positions, np.add)
    return [pair if is_forward(*row) else pair.turned() for pair, row in zip(pairs, signs.tolist(), strict=True)]


@dataclass
class _Learned:
    """What is known of the columns so far, in their order."""

    rules: ColumnRules
    weight: float | None = None  # of all rows, where they do not count once each
    found: dict[Source, Column | str] = field(default_factory=dict)

    def take(self, blocks: Blocks, known: Mapping[Source, tuple[Summary, str | None]]) -> None:
        """Some columns, which are learned or dropped (the reason stands beside them); many numbers are cut."""
        waiting: dict[Source, NumberSummary] = {}
        for source, (summary, why_not) in known.items():
            self.found[source] = why_not or ""  # its place
            if why_not is None and isinstance(summary, NumberSummary) and summary.level:
                waiting[source] = summary
            elif why_not is None:
                distinct = _distinct(summary, self.weight)
                self.found[source] = self.rules.column(distinct, source.name, source.position)
        for source, cuts in _cuts(blocks, waiting, self.rules.n_bins).items():
            self.found[source] = BinColumn(source.name, source.position, waiting[source].n_missing > 0, cuts)

    def finished(self, blocks: Blocks) -> Domain:
        """The domain, once all cuts are found."""
        columns, reasons = LearnedColumns[Column](), dict[str, str]()
        position, taken = len(blocks.names), list(blocks.names)
        for source, column in self.found.items():
            if source.part is None and isinstance(column, str):
                columns.dropped.append((source.name, column))
            elif source.part is None:
                columns.columns.append(column)  # type: ignore[arg-type]
            elif isinstance(column, str):
                reasons.setdefault(source.part.of[0], column)
            else:
                name = source.part.name_beside(taken)
                columns.columns.append(replace(column, name=name, position=position, source=source.part))
                taken, position = [*taken, name], position + 1
        used = {name for column in columns.columns for name in column.read_from}
        columns.dropped.extend((name, why) for name, why in reasons.items() if name not in used)
        columns.refuse_none(blocks.n_rows)
        return Domain(tuple(columns.columns), tuple(columns.dropped))


def _distinct(summary: Summary, weight: float | None) -> Distinct:
    missing, n_rows = summary.n_missing > 0, float(summary.n_rows) if weight is None else weight
    words, values = not isinstance(summary, NumberSummary), values_of(summary)
    counts = counts_of(summary) if summary.weights is None else summary.weights  # type: ignore[union-attr]
    few = isinstance(summary, NumberSummary) and summary.few
    return Distinct(values, counts.astype(np.float64), missing, n_rows, words, few)


# ---- cuts of columns of many numbers ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _CountSlots:
    numbers: tuple[tuple[Source, NDArray[np.float64]], ...]

    def __call__(self, block: Table) -> list[NDArray[Any]]:
        return [_slots(source, numbers, block) for source, numbers in self.numbers]


@dataclass(frozen=True)
class _OpenGaps:
    gaps: tuple[tuple[Source, NDArray[np.float64], NDArray[np.intp]], ...]

    def __call__(self, block: Table) -> list[tuple[NDArray[np.float64], NDArray[Any]]]:
        return [_opened(source, numbers, gaps, block) for source, numbers, gaps in self.gaps]


def _slots(source: Source, numbers: NDArray[np.float64], block: Table) -> NDArray[Any]:
    values, weights = source.numbers(block)
    return count_slots(values, numbers, weights)


def _opened(
    source: Source, numbers: NDArray[np.float64], gaps: NDArray[np.intp], block: Table
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    values, weights = source.numbers(block)
    return numbers_in_gaps(values, numbers, gaps, weights)


def _add_slots(one: list[NDArray[Any]], other: list[NDArray[Any]]) -> list[NDArray[Any]]:
    return [a + b for a, b in zip(one, other, strict=True)]


def _add_numbers(one: list[Any], other: list[Any]) -> list[Any]:
    return [_together(a, b) for a, b in zip(one, other, strict=True)]


def _together(one: Any, other: Any) -> tuple[NDArray[np.float64], NDArray[Any]]:
    values, place = np.unique(np.concatenate([one[0], other[0]]), return_inverse=True)
    counts = np.zeros(len(values), dtype=one[1].dtype)
    np.add.at(counts, place, np.concatenate([one[1], other[1]]))
    return values, counts


def _cuts(blocks: Blocks, waiting: Mapping[Source, NumberSummary], n_bins: int) -> dict[Source, tuple[float, ...]]:
    """One pass counts how many lie between the numbers that are known; others look at gaps that have to be opened."""
    if not waiting:
        return {}
    numbers = {source: _ends(summary) for source, summary in waiting.items()}
    counts = blocks.summed(_CountSlots(tuple(numbers.items())), _needed(numbers), _add_slots)
    slots = {source: Slots(numbers[source], found) for source, found in zip(numbers, counts, strict=True)}
    while gaps := {s: open_ for s, one in slots.items() if len(open_ := one.to_open(n_bins))}:
        work = _OpenGaps(tuple((source, slots[source].numbers, open_) for source, open_ in gaps.items()))
        for source, found in zip(gaps, blocks.summed(work, _needed(gaps), _add_numbers), strict=True):
            slots[source] = slots[source].opened(gaps[source], *found)
    return {source: one.cuts(n_bins) for source, one in slots.items()}


def _ends(summary: NumberSummary) -> NDArray[np.float64]:
    """Numbers to count between: some thousand of those that are known, the smallest and the largest of all."""
    some = summary.values[:: -(-len(summary.values) // _MOST_SLOTS)]
    return np.unique(np.concatenate([some, [summary.low, summary.high]]))


# ---- codes -----------------------------------------------------------------------------------------------------------


def encode_blocks(columns: Sequence[Column], table: Table) -> CodeStore:
    """The codes of some columns of a table in blocks."""
    store = CodeStore([column.dtype for column in columns], table.n_rows)
    for place, start, codes in _coded(columns, table):
        store.write(place, start, codes)
    return store


def encode_bytes(columns: Sequence[Column], table: Table) -> NDArray[np.uint8]:
    """The same as a matrix of bytes, a row a column: in memory, or, where it takes more room, mapped from disk."""
    found = zeros((len(columns), table.n_rows), np.uint8, room_for_scratch())
    for place, start, codes in _coded(columns, table):
        found[place, start : start + len(codes)] = codes
    return found


def _coded(columns: Sequence[Column], table: Table) -> Iterator[tuple[int, int, NDArray[Any]]]:
    """The number of a column, the first row of a block, and the codes there."""
    groups = list(_in_groups(list(enumerate(columns)), columns_at_once()))
    with progress("encoding blocks of rows", table.n_rows * len(groups)) as advance:
        for some in groups:
            for block in blocks_of(table, sorted({position for _, column in some for position in column.features})):
                for place, column in some:
                    yield place, block.start, column.encode(column.read(block))
                advance(block.n_rows)
