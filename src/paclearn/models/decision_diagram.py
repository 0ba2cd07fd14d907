"""The same function in fewer nodes: a graph that asks its columns in one order, and joins nodes that say the same.

A graph that was grown asks in the order in which questions gained, merges leaves that are nearly alike and takes them
apart again: of the mean of twelve bits it makes 1861 nodes, where 91 are enough. With one order of the columns there is
only one smallest diagram of a function, and it is found by making one of nodes that are equal (Bryant 1986, for bits;
here columns have as many cells as the graph's questions tell apart).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from paclearn.encoding import BinColumn
from paclearn.encoding.bins import n_present
from paclearn.models.graph_assembly import Wiring

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.models.decision_graph import DecisionGraph

__all__ = ["smaller_wiring"]

_EFFORT = 200  # cells that are looked at for a node of the graph; a diagram that takes more hardly becomes small
_LEAST_EFFORT, _MOST_EFFORT = 5000, 500_000  # a second or two
_MOST_COLUMNS = 200  # levels of a recursion
_MANY_NODES, _MOST_CELLS = 1000, 2**18  # of graphs so large, functions of so few cells are written down cell by cell


class _TooLargeError(Exception):
    """The diagram of some order takes more than is worth the while."""


def smaller_wiring(graph: DecisionGraph) -> Wiring | None:
    """The smallest of a few diagrams of the same function, its leaves those of the graph; None if none is smaller.

    Codes that no row of the fit had go low: whoever knows the rows has to say where.
    """
    if graph.shape.n_inner < 2 or len(graph.columns) > _MOST_COLUMNS:
        return None
    effort = _Effort(min(max(_LEAST_EFFORT, _EFFORT * graph.n_nodes), _MOST_EFFORT))
    cells = [_cells(graph, column) for column in range(len(graph.columns))]
    smallest, size = None, graph.shape.n_inner
    for order in _orders(graph):
        wiring = _wired(graph, order, [cells[column] for column in order], effort, size)
        if wiring is not None and len(wiring.asks) < size:
            smallest, size = wiring, len(wiring.asks)
    return smallest


def _orders(graph: DecisionGraph) -> list[tuple[int, ...]]:
    """Orders of the columns: by what their questions gain, as they are first asked, and as they are."""
    gains = np.bincount(graph.asks, graph.shape.gain, len(graph.columns))
    by_gain = np.argsort(-gains, kind="stable").tolist()
    first_asked = dict.fromkeys(graph.asks.tolist())
    return list(dict.fromkeys([tuple(by_gain), tuple(first_asked), tuple(range(len(graph.columns)))]))


@dataclass
class _Effort:
    """What may still be spent, on all orders together."""

    left: int

    def spend(self, cells: int) -> None:
        """Take so much off."""
        self.left -= cells
        if self.left < 0:
            raise _TooLargeError


def _wired(
    graph: DecisionGraph, order: tuple[int, ...], columns: Sequence[_Cells], effort: _Effort, size: int
) -> Wiring | None:
    """That of one order of the columns; None where it has so many questions or more."""
    cells, firsts = [column.of_codes for column in columns], [column.firsts for column in columns]
    diagram = _Diagram(graph.n_leaves, [len(first) for first in firsts], effort)
    try:
        if graph.n_nodes > _MANY_NODES and prod(diagram.n_cells) <= _MOST_CELLS:
            root = diagram.function_of_cells(_leaves_of_cells(graph, order, firsts))
        else:
            root = diagram.function_of(graph, order, firsts)
    except _TooLargeError:
        return None
    if diagram.n_inner(root) >= size:  # a node is a function of its own, and takes a question at least
        return None
    return _Questions(graph, order, cells, diagram).wiring(root)


@dataclass(frozen=True, eq=False)
class _Cells:
    """The cell of every code that rows of the fit can have, and the first code of every cell."""

    of_codes: NDArray[np.intp]
    firsts: NDArray[np.intp]


def _cells(graph: DecisionGraph, column: int) -> _Cells:
    """Codes that no question tells apart share one."""
    answers = graph.goes_low[graph.asks == column, : graph.columns[column].n_codes]
    number: dict[bytes, int] = {}
    cells = np.array([number.setdefault(answer.tobytes(), len(number)) for answer in answers.T])
    return _Cells(cells, np.unique(cells, return_index=True)[1])


def _leaves_of_cells(
    graph: DecisionGraph, order: tuple[int, ...], firsts: Sequence[NDArray[np.intp]]
) -> NDArray[np.intp]:
    """The leaf of every combination of cells, the last column's cells side by side."""
    codes = np.zeros((len(graph.columns), prod(map(len, firsts))), dtype=np.uint8)
    for column, every in zip(order, np.meshgrid(*firsts, indexing="ij"), strict=True):
        codes[column] = every.ravel()
    return graph.leaf_of_codes(codes).astype(np.intp) - graph.shape.n_inner


# ---- the diagram ----


class _Diagram:
    """Nodes that ask for the cell of a column; equal ones are one. The leaves are the first nodes."""

    def __init__(self, n_leaves: int, n_cells: Sequence[int], effort: _Effort) -> None:
        self.n_cells, self.effort = n_cells, effort
        self.levels = [len(n_cells)] * n_leaves
        self.children: list[tuple[int, ...]] = [()] * n_leaves
        self._known: dict[tuple[int, tuple[int, ...]], int] = {}
        self._chosen: dict[tuple[int, bytes, int, int], int] = {}

    def node(self, level: int, children: tuple[int, ...]) -> int:
        """The one with these children, or the child where all are the same."""
        if children.count(children[0]) == len(children):
            return children[0]
        found = self._known.setdefault((level, children), len(self.levels))
        if found == len(self.levels):
            self.levels.append(level)
            self.children.append(children)
        return found

    def choose(self, level: int, is_low: bytes, low: int, high: int) -> int:
        """One function where the cell of a column is low, and another one where it is not."""
        if low == high:
            return low
        question = (level, is_low, low, high)
        found = self._chosen.get(question)
        if found is None:
            found = self._chosen[question] = self._choose(level, is_low, low, high)
        return found

    def _choose(self, level: int, is_low: bytes, low: int, high: int) -> int:
        top = min(level, self.levels[low], self.levels[high])
        self.effort.spend(self.n_cells[top])
        lows, highs = self._within(low, top), self._within(high, top)
        if top == level:
            return self.node(top, tuple([a if goes else b for goes, a, b in zip(is_low, lows, highs, strict=True)]))
        sides = zip(lows, highs, strict=True)
        return self.node(top, tuple([a if a == b else self.choose(level, is_low, a, b) for a, b in sides]))

    def _within(self, node: int, level: int) -> tuple[int, ...]:
        """What a function is in every cell of the column of a level."""
        return self.children[node] if self.levels[node] == level else (node,) * self.n_cells[level]

    def n_inner(self, root: int) -> int:
        """How many nodes, leaves apart, can be come to."""
        waiting, found = [root], set[int]()
        while waiting:
            node = waiting.pop()
            if self.children[node] and node not in found:
                found.add(node)
                waiting.extend(self.children[node])
        return len(found)

    def function_of(self, graph: DecisionGraph, order: Sequence[int], firsts: Sequence[NDArray[np.intp]]) -> int:
        """That of a graph, given the first code of every cell: leaves first, then whatever leads to them."""
        level_of = {column: level for level, column in enumerate(order)}
        inner = graph.shape.n_inner
        functions = [0] * inner + list(range(graph.n_leaves))
        for node in range(inner - 1, -1, -1):
            level = level_of[int(graph.asks[node])]
            is_low = graph.goes_low[node, firsts[level]].tobytes()
            low, high = graph.shape.children[node].tolist()
            functions[node] = self.choose(level, is_low, functions[low], functions[high])
        return functions[0]

    def function_of_cells(self, functions: NDArray[np.intp]) -> int:
        """That of the leaves of all combinations of cells: nodes of the last column first, equal ones once."""
        for level in range(len(self.n_cells) - 1, -1, -1):
            sides = functions.reshape(-1, self.n_cells[level])
            first, kind = _kinds(sides)
            self.effort.spend(sides[first].size)
            nodes = [self.node(level, tuple(children)) for children in sides[first].tolist()]
            functions = np.array(nodes, dtype=np.intp)[kind]
        return int(functions[0])


def _kinds(rows: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first row of every kind of equal ones, and the kind of every row."""
    kind = rows[:, 0]
    for column in rows.T[1:]:
        kind = np.unique(kind * (column.max() + 1) + column, return_inverse=True)[1]
    _, first, kind = np.unique(kind, return_index=True, return_inverse=True)
    return first, kind


# ---- back to questions with two answers ----


@dataclass(frozen=True, eq=False)
class _Asked:
    """A question of the new graph: a column, the codes that go low, and where either side leads."""

    column: int
    low: bytes
    sides: tuple[int, int]


class _Questions:
    """Questions with two answers in the places of nodes that ask for a cell. A leaf is as it was, and so is its number;
    questions come after them, in the order in which they are made.
    """

    def __init__(
        self, graph: DecisionGraph, order: Sequence[int], cells: Sequence[NDArray[np.intp]], diagram: _Diagram
    ) -> None:
        self._graph, self._order, self._cells, self._diagram = graph, order, cells, diagram
        self._asked: list[_Asked] = []
        self._number: dict[tuple[int, bytes, tuple[int, int]], int] = {}
        self._made: dict[int, int] = {leaf: leaf for leaf in range(graph.n_leaves)}

    def wiring(self, root: int) -> Wiring:
        """All of them, parents before children."""
        last = self._of(root)
        n_leaves, reached = self._graph.n_leaves, self._reached(last)
        place = {n_leaves + i: k for k, i in enumerate(reversed(reached))}
        place |= {leaf: len(reached) + leaf for leaf in range(n_leaves)}
        asked = [self._asked[i] for i in reversed(reached)]
        low = np.zeros((len(asked), 256), dtype=np.uint8)
        for node, question in enumerate(asked):
            low[node, : len(question.low)] = np.frombuffer(question.low, dtype=np.uint8)
        sides = [[place[side] for side in question.sides] for question in asked]
        asks = np.array([question.column for question in asked], dtype=np.int32)
        return Wiring(self._graph.columns, asks, low, np.array(sides, dtype=np.int32).reshape(-1, 2))

    def _reached(self, root: int) -> list[int]:
        """Questions that can be come to, in the order in which they were made: children before parents."""
        n_leaves, waiting, found = self._graph.n_leaves, [root], set[int]()
        while waiting:
            node = waiting.pop()
            if node >= n_leaves and node not in found:
                found.add(node)
                waiting.extend(self._asked[node - n_leaves].sides)
        return sorted(node - n_leaves for node in found)

    def _of(self, node: int) -> int:
        """The question that stands for a node of the diagram."""
        if node not in self._made:
            level = self._diagram.levels[node]
            children = [self._of(child) for child in self._diagram.children[node]]
            leads = [children[cell] for cell in self._cells[level].tolist()]
            column = self._order[level]
            numbers = isinstance(self._graph.columns[column], BinColumn)
            self._made[node] = self._of_numbers(column, leads) if numbers else self._of_levels(column, leads)
        return self._made[node]

    def _ask(self, column: int, low: bytes, sides: tuple[int, int]) -> int:
        if sides[0] == sides[1]:
            return sides[0]
        question = (column, low, sides)
        if question not in self._number:
            self._number[question] = self._graph.n_leaves + len(self._asked)
            self._asked.append(_Asked(*question))
        return self._number[question]

    def _of_levels(self, column: int, leads: list[int]) -> int:
        """One place after the other: is it one of the levels that lead there?"""
        places = list(dict.fromkeys(leads))
        found = places[-1]
        for place in reversed(places[:-1]):
            found = self._ask(column, bytes(lead == place for lead in leads), (place, found))
        return found

    def _of_numbers(self, column: int, leads: list[int]) -> int:
        """Thresholds, the middle one first; whether the value is missing goes along, or is asked at last."""
        present = n_present(self._graph.columns[column])
        cuts = [i for i in range(1, present) if leads[i] != leads[i - 1]]
        return self._between(column, leads[:present], cuts, (0, present), leads[present:])

    def _between(
        self, column: int, leads: list[int], cuts: list[int], ends: tuple[int, int], missing: list[int]
    ) -> int:
        """Of numbers in some bins, with the cuts between them, and of missing values where they come along."""
        first, last = ends
        if not cuts:
            is_present = bytes([1] * len(leads) + [0] * len(missing))
            return self._ask(column, is_present, (leads[first], missing[0])) if missing else leads[first]
        half = len(cuts) // 2
        cut = cuts[half]
        is_low = bool(missing) and (missing[0] in leads[first:cut] or missing[0] not in leads[first:last])
        low = self._between(column, leads, cuts[:half], (first, cut), missing if is_low else [])
        high = self._between(column, leads, cuts[half + 1 :], (cut, last), [] if is_low else missing)
        codes = bytes([*[1] * cut, *[0] * (len(leads) - cut), *[int(is_low)] * len(missing)])
        return self._ask(column, codes, (low, high))
