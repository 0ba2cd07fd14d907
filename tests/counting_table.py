"""A table that counts how often each of its columns is read."""

from collections import Counter
from dataclasses import dataclass, field

import narwhals as nw

from paclearn.tables.table import FrameTable


@dataclass
class CountingTable:
    """A `Table` like any other; ``reads`` says how many times a column was asked for, by its name."""

    table: FrameTable
    reads: Counter = field(default_factory=Counter)

    @classmethod
    def of(cls, frame):
        return cls(FrameTable.of(nw.from_native(frame)))

    @property
    def names(self):
        return self.table.names

    @property
    def n_rows(self):
        return self.table.n_rows

    def column(self, position):
        self.reads[self.names[position]] += 1
        return self.table.column(position)

    def each_once(self):
        return set(self.reads) == set(self.names) and set(self.reads.values()) == {1}
