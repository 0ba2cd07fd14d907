"""Queries as trees: selects inside selects. Text is made once, at the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from paclearn.views import sql_words as words

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Node", "Select", "Table", "Walk", "WalkedGraph"]


@dataclass(frozen=True)
class Table:
    """A table of the database, and those of its columns that have to be called otherwise inside a query."""

    name: str
    renamed: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, columns: Iterable[str]) -> Table:
        """A table of which some columns are read."""
        return cls(name, tuple(c for c in dict.fromkeys(columns) if words.is_taken_for_a_value(c)))

    def source(self) -> str:
        """What comes after FROM."""
        table = words.given(self.name)
        again = "".join(f", {words.given(c)} AS {words.identifier(c)}" for c in self.renamed)
        return f"(SELECT *{again} FROM {table}) AS step" if again else table  # noqa: S608 - quoted


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

    def text(self, *, last: bool = True) -> str:
        """The statement, whose columns have the names that their owner knows if it is the last."""
        columns = _columns(self.passed, self.made, last=last)
        chosen = ",\n  ".join(columns) or "1 AS nothing"  # rows without a column are not to be had
        return f"SELECT {chosen}\nFROM {self.origin.source()}"

    def source(self) -> str:
        """What comes after FROM."""
        return f"(\n{self.text(last=False)}\n) AS step"


@dataclass(frozen=True)
class WalkedGraph:
    """One graph: for every inner node its question and where yes and no lead, what its leaves say, and of what.

    The numbers of the leaves follow those of the inner nodes. What they say is added to a column of that name, or is
    a new one.
    """

    steps: tuple[tuple[str, int, int], ...]
    values: tuple[str, ...]
    name: str


@dataclass(frozen=True)
class Walk:
    """Rows that step from node to node until they are at a leaf, of one graph after the other.

    Recursive queries in a row, as long as the graphs; not inside each other, which parsers would not bear.

    Parameters
    ----------
    origin : node of the tree
        Where the rows come from.
    passed, asked : tuple of str
        Columns that are passed on, and columns that questions are about.
    graphs : tuple of WalkedGraph
        The graphs.
    starts : tuple of (str, str)
        Expressions and names of columns that graphs add to.
    """

    origin: Node
    passed: tuple[str, ...]
    asked: tuple[str, ...]
    graphs: tuple[WalkedGraph, ...]
    starts: tuple[tuple[str, str], ...] = ()

    def text(self, *, last: bool = True) -> str:
        """The statement, whose columns have the names that their owner knows if it is the last."""
        wished = [*self.passed, *self.asked, *(graph.name for graph in self.graphs), *(name for _, name in self.starts)]
        table = [self.origin.name] if isinstance(self.origin, Table) else []
        (node,) = map(words.identifier, words.fresh("node", 1, wished))
        walks = list(map(words.identifier, words.fresh("walk", len(self.graphs), [*table, *wished])))
        made = {name: start for start, name in self.starts}
        source, parts = self.origin.source(), []
        for graph, walk in zip(self.graphs, walks, strict=True):
            parts.append(self._part(graph, walk, node, made, source))
            made = {name: words.identifier(name) for name in made}
            made[graph.name] = _said(graph, node, made.get(graph.name))
            source = f"{walk} WHERE {node} >= {len(graph.steps)}"
        columns = _columns(self.passed, ((said, name) for name, said in made.items()), last=last)
        return "WITH RECURSIVE " + ",\n".join(parts) + f"\nSELECT {', '.join(columns)}\nFROM {source}"

    def _part(self, graph: WalkedGraph, walk: str, node: str, made: dict[str, str], source: str) -> str:
        """One recursive query: all rows at the root of a graph, and then a step at a time."""
        carried = [words.identifier(name) for name in dict.fromkeys([*self.passed, *self.asked])]
        names = [*carried, *map(words.identifier, made)]
        lines = [
            f"{walk} ({', '.join([*names, node])}) AS (",
            f"  SELECT {', '.join([*carried, *made.values(), '0'])} FROM {source}",  # noqa: S608 - quoted
        ]
        if graph.steps:
            lines += [
                "  UNION ALL",
                f"  SELECT {''.join(f'{name}, ' for name in names)}CASE {node}",
                *(
                    f"      WHEN {i} THEN CASE WHEN {asked} THEN {yes} ELSE {no} END"
                    for i, (asked, yes, no) in enumerate(graph.steps)
                ),
                "    END",
                f"  FROM {walk} WHERE {node} < {len(graph.steps)}",
            ]
        return "\n".join([*lines, ")"])

    def source(self) -> str:
        """What comes after FROM."""
        return f"(\n{self.text(last=False)}\n) AS step"


def _columns(passed: Iterable[str], made: Iterable[tuple[str, str]], *, last: bool) -> list[str]:
    """Columns of a select: those that are passed on, and others by their expressions."""
    called = words.given if last else words.identifier
    kept = [(words.identifier(name), called(name)) for name in passed]
    new = [f"{expression} AS {called(name)}" for expression, name in made]
    return [inside if inside == name else f"{inside} AS {name}" for inside, name in kept] + new


def _said(graph: WalkedGraph, node: str, before: str | None) -> str:
    """What the leaf of a row says, added to what was said before."""
    inner = len(graph.steps)
    cases = "\n".join(f"  WHEN {inner + i} THEN {value}" for i, value in enumerate(graph.values))
    leaf = f"CASE {node}\n{cases}\nEND"
    return leaf if before is None else f"{before} + {leaf}"


Node = Table | Select | Walk
