"""Queries as trees: selects inside selects. Text is made once, at the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paclearn.views import sql_words as words

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Node", "Select", "Table", "Walk"]


@dataclass(frozen=True)
class Table:
    """A table of the database."""

    name: str

    def source(self) -> str:
        """What comes after FROM."""
        return words.identifier(self.name)


@dataclass(frozen=True)
class Select:
    """Columns that are passed on by name, and others by their expressions."""

    origin: Node
    passed: tuple[str, ...]
    made: tuple[tuple[str, str], ...]  # expression and name

    @classmethod
    def of(cls, origin: Node, passed: Iterable[str], made: Iterable[tuple[str, str]]) -> Select:
        """With any iterables."""
        return cls(origin, tuple(passed), tuple(made))

    def text(self) -> str:
        """The statement."""
        columns = [words.identifier(name) for name in self.passed]
        columns += [f"{expression} AS {words.identifier(name)}" for expression, name in self.made]
        chosen = ",\n  ".join(columns) or "1 AS nothing"  # rows without a column are not to be had
        return f"SELECT {chosen}\nFROM {self.origin.source()}"

    def source(self) -> str:
        """What comes after FROM."""
        return f"(\n{self.text()}\n) AS step"


@dataclass(frozen=True)
class Walk:
    """Rows that step from node to node until they are at a leaf: a recursive query, as long as the graph.

    Parameters
    ----------
    origin : node of the tree
        Where the rows come from.
    passed, asked : tuple of str
        Columns that are passed on, and columns that questions are about.
    steps : tuple of (str, int, int)
        For every inner node its question, and where yes and no lead.
    values : tuple of str
        What the leaves say, whose numbers follow those of the inner nodes.
    name : str
        What to call it.
    """

    origin: Node
    passed: tuple[str, ...]
    asked: tuple[str, ...]
    steps: tuple[tuple[str, int, int], ...]
    values: tuple[str, ...]
    name: str
    taken: tuple[str, ...] = field(default=())

    def text(self) -> str:
        """The statement."""
        carried = list(dict.fromkeys([*self.passed, *self.asked]))
        node, walk = (
            words.identifier(*words.fresh(wish, 1, [*self.taken, self.name, *carried])) for wish in ("node", "walk")
        )
        names = "".join(f"{words.identifier(column)}, " for column in carried)
        inner = len(self.steps)
        lines = [
            f"WITH RECURSIVE {walk} ({names}{node}) AS (",
            f"  SELECT {names}0 FROM {self.origin.source()}",  # noqa: S608 - quoted
            *self._step(names, node, walk),
            ")",
            f"SELECT {''.join(f'{words.identifier(key)}, ' for key in self.passed)}CASE {node}",
            *(f"  WHEN {inner + i} THEN {value}" for i, value in enumerate(self.values)),
            f"END AS {words.identifier(self.name)}",
            f"FROM {walk} WHERE {node} >= {inner}",
        ]
        return "\n".join(lines)

    def _step(self, names: str, node: str, walk: str) -> list[str]:
        if not self.steps:  # nothing is asked
            return []
        cases = [
            f"      WHEN {i} THEN CASE WHEN {asked} THEN {yes} ELSE {no} END"
            for i, (asked, yes, no) in enumerate(self.steps)
        ]
        inner = len(self.steps)
        return [
            "  UNION ALL",
            f"  SELECT {names}CASE {node}",
            *cases,
            "    END",
            f"  FROM {walk} WHERE {node} < {inner}",
        ]

    def source(self) -> str:
        """What comes after FROM."""
        return f"(\n{self.text()}\n) AS step"


Node = Table | Select | Walk
