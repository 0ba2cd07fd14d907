"""Split the leaf that gains most, merge the neighbours that cost least, and again (Kalai, 2005, Figures 3 and 4)."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from paclearn.learners.graphs.graph_tuning import TUNING
from paclearn.models.graph_shape import GraphShape
from paclearn.models.leaf_merges import plan_merges

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from paclearn.models.leaf_merges import MergePlan

__all__ = ["Branching", "Growth", "GrowthRules", "HeldOutRows", "Leaf", "Round"]

_NEVER = np.iinfo(np.int64).max


class Leaf(Protocol):
    """What the growth of a graph knows of a leaf."""

    weight: float
    total: float
    gain: float
    question: Any


class Branching(Protocol):
    """How leaves are split and merged: on histograms, or by a weak regressor."""

    def root(self) -> Any:
        """The leaf of all rows."""

    def look(self, leaf: Any) -> None:
        """Look for its best split: set ``gain`` and ``question``."""

    def children(self, leaf: Any) -> tuple[Any, Any]:
        """The two sides of the best split."""

    def joined(self, leaves: list[Any]) -> Any:
        """One leaf with the rows of all."""


@dataclass(frozen=True)
class GrowthRules:
    """When to stop, and how much of a split's gain merging may cost."""

    max_splits: int
    max_leaves: int | None = None
    merge: float = 1 / 3


@dataclass(eq=False)
class _Node:
    """A node as it came to be: when it was split, and when it became part of a merged one."""

    weight: float
    total: float
    question: Any = None
    low: int = -1
    high: int = -1
    low_weight: float = 0.0
    split_at: int = _NEVER
    merged_into: int = -1
    merged_at: int = _NEVER


@dataclass(frozen=True)
class Round:
    """What a split gained, what its merges cost, which node was split, and which ones were merged into which."""

    gain: float
    cost: float
    split: int
    merges: list[tuple[list[int], int]]


@dataclass(frozen=True, eq=False)
class _LeafRow:
    """The leaves sorted by value: their numbers, weights and sums."""

    numbers: NDArray[np.intp]
    weights: NDArray[np.float64]
    sums: NDArray[np.float64]

    def with_sides(self, number: int, sides: tuple[Leaf, Leaf]) -> _LeafRow:
        """The sides of a leaf, -1 and -2, in their places instead of it; behind those of the same value."""
        kept = self.numbers != number
        numbers = np.concatenate([self.numbers[kept], [-1, -2]])
        weights = np.concatenate([self.weights[kept], [side.weight for side in sides]])
        sums = np.concatenate([self.sums[kept], [side.total for side in sides]])
        order = np.argsort(sums / weights, kind="stable")
        return _LeafRow(numbers[order], weights[order], sums[order])


class Growth:
    """A graph as it grows. Nothing is forgotten: the graph after any earlier round can still be had."""

    def __init__(self, branching: Branching, rules: GrowthRules) -> None:
        self.branching, self.rules = branching, rules
        self.nodes: list[_Node] = []
        self.leaves: dict[int, Leaf] = {}
        self.rounds: list[Round] = []
        self._heap: list[tuple[float, int]] = []
        root = branching.root()
        self._add(root, look=True)
        self._row = _LeafRow(np.array([0]), np.array([root.weight]), np.array([root.total]))
        self._least = TUNING.least_gain * self.nodes[0].weight

    @property
    def n_rounds(self) -> int:
        return len(self.rounds)

    def run(self) -> Growth:
        """Grow until a rule says stop."""
        while self.n_rounds < self.rules.max_splits and self.round():
            pass
        return self

    def round(self) -> bool:
        """One split and the merges it pays for; says whether there was anything to split."""
        chosen = self._best()
        if chosen is None:
            return False
        leaf = self.leaves[chosen]
        sides = self.branching.children(leaf)
        row = self._row.with_sides(chosen, sides)
        plan = plan_merges(row.weights, row.sums, self.rules.merge * leaf.gain, leaf.gain, self.rules.max_leaves)
        if plan is None:
            return False
        happened = Round(leaf.gain, plan.cost, chosen, [])
        self.rounds.append(happened)
        new = self._split(chosen, sides)
        numbers = np.where(row.numbers == -1, new[0], np.where(row.numbers == -2, new[1], row.numbers))
        self._row = self._merge(numbers, plan, happened)
        for number in new:
            if number in self.leaves:
                self._look(number)
        return True

    def _best(self) -> int | None:
        while self._heap:
            gain, number = self._heap[0]
            if number not in self.leaves:
                heappop(self._heap)
                continue
            return number if -gain > self._least else None
        return None

    def _add(self, leaf: Leaf, *, look: bool) -> int:
        number = len(self.nodes)
        self.nodes.append(_Node(leaf.weight, leaf.total))
        self.leaves[number] = leaf
        if look:
            self._look(number)
        return number

    def _look(self, number: int) -> None:
        leaf = self.leaves[number]
        self.branching.look(leaf)
        heappush(self._heap, (-leaf.gain, number))

    def _split(self, chosen: int, sides: tuple[Leaf, Leaf]) -> tuple[int, int]:
        node, leaf = self.nodes[chosen], self.leaves.pop(chosen)
        node.question, node.split_at, node.low_weight = leaf.question, self.n_rounds, sides[0].weight
        node.low, node.high = (self._add(side, look=False) for side in sides)
        return node.low, node.high

    def _merge(self, numbers: NDArray[np.intp], plan: MergePlan, happened: Round) -> _LeafRow:
        merged = numbers[plan.starts]
        ends = np.append(plan.starts[1:], len(numbers))
        for run in np.flatnonzero(ends - plan.starts > 1):
            members = numbers[plan.starts[run] : ends[run]].tolist()
            new = self._add(self.branching.joined([self.leaves.pop(number) for number in members]), look=True)
            happened.merges.append((members, new))
            merged[run] = new
            for number in members:
                self.nodes[number].merged_into, self.nodes[number].merged_at = new, self.n_rounds
        return _LeafRow(merged, plan.weights, plan.sums)

    # ---- the graph after some round ----

    def graph(self, rounds: int | None = None) -> tuple[GraphShape, list[Any]]:
        """Its shape, with values in units of the scaled target, and the questions of its inner nodes.

        Children come after parents: they were made later, and so was what they were merged into.
        """
        rounds = self.n_rounds if rounds is None else rounds
        stands_for = self._settled(rounds)
        reached = self._reached(stands_for, rounds)
        split = [number for number in reached if self.nodes[number].split_at <= rounds]
        leaves = [number for number in reached if self.nodes[number].split_at > rounds]
        leaves.sort(key=lambda number: self.nodes[number].total / self.nodes[number].weight)
        place = {number: i for i, number in enumerate([*split, *leaves])}
        return self._shape(split, leaves, place, stands_for), [self.nodes[number].question for number in split]

    def _settled(self, rounds: int) -> list[int]:
        """What every node has become: a merged one, or, where both its sides are the same, that."""
        stands_for = list(range(len(self.nodes)))
        for number in reversed(range(len(self.nodes))):
            node = self.nodes[number]
            if node.merged_at <= rounds:
                stands_for[number] = stands_for[node.merged_into]
            elif node.split_at <= rounds and stands_for[node.low] == stands_for[node.high]:
                stands_for[number] = stands_for[node.low]
        return stands_for

    def _reached(self, stands_for: list[int], rounds: int) -> list[int]:
        found, waiting = {stands_for[0]}, [stands_for[0]]
        while waiting:
            node = self.nodes[waiting.pop()]
            if node.split_at <= rounds:
                fresh = {stands_for[node.low], stands_for[node.high]} - found
                found |= fresh
                waiting.extend(fresh)
        return sorted(found)

    def _shape(self, split: list[int], leaves: list[int], place: dict[int, int], stands_for: list[int]) -> GraphShape:
        every = [self.nodes[number] for number in (*split, *leaves)]
        inner = every[: len(split)]
        children = [[place[stands_for[node.low]], place[stands_for[node.high]]] for node in inner]
        weight: NDArray[np.float64] = np.array([node.weight for node in every])
        low_weight = np.array([node.low_weight for node in inner])
        edges = np.column_stack([low_weight, weight[: len(inner)] - low_weight]).reshape(-1, 2)
        value = np.array([node.total for node in every]) / weight
        gain = np.array([self.rounds[node.split_at - 1].gain for node in inner])
        return GraphShape(np.array(children, dtype=np.int32).reshape(-1, 2), value, weight, edges, gain)


# ---- rows left out ----


class HeldOutRows:
    """What a growing graph says of rows it does not learn from, round by round.

    Parameters
    ----------
    growth : Growth
        The graph.
    goes_low : callable
        Takes a question and row numbers, and says which of them go low.
    targets, weights : ndarray of shape (n_rows,)
        Scaled targets, and how much each row counts.
    """

    def __init__(
        self,
        growth: Growth,
        goes_low: Callable[[Any, NDArray[np.intp]], NDArray[np.bool_]],
        targets: NDArray[np.float64],
        weights: NDArray[np.float64],
    ) -> None:
        self._growth, self._goes_low = growth, goes_low
        self._targets, self._weights = targets, weights
        self._rows: dict[int, NDArray[np.intp]] = {0: np.arange(len(targets))}
        self.predictions = np.full(len(targets), self._value(0))
        self.error = self._error(self._rows[0])
        self.seen = 0

    def _value(self, node: int) -> float:
        return self._growth.nodes[node].total / self._growth.nodes[node].weight

    def _error(self, rows: NDArray[np.intp]) -> float:
        return float(self._weights[rows] @ (self._targets[rows] - self.predictions[rows]) ** 2)

    @property
    def gains(self) -> tuple[float, float]:
        """By how much rows are predicted better than by a constant: the weighted sum, and that of squares."""
        gains = (self._targets - self._value(0)) ** 2 - (self._targets - self.predictions) ** 2
        return float(self._weights @ gains), float(self._weights @ gains**2)

    def advance(self) -> bool:
        """Let the graph grow by a round and follow; says whether it did grow."""
        if not self._growth.round():
            return False
        self.follow()
        return True

    def advance_to(self, rounds: int) -> None:
        """Let the graph grow to so many rounds, if it can, and follow."""
        while self._growth.n_rounds < rounds and self.advance():
            pass

    def follow(self) -> None:
        """Take the next round."""
        happened = self._growth.rounds[self.seen]
        self.seen += 1
        node, rows = self._growth.nodes[happened.split], self._rows.pop(happened.split)
        low = self._goes_low(node.question, rows)
        self._move(node.low, rows[low])
        self._move(node.high, rows[~low])
        for members, merged in happened.merges:
            self._move(merged, np.concatenate([self._rows.pop(member) for member in members]))

    def _move(self, node: int, rows: NDArray[np.intp]) -> None:
        self.error -= self._error(rows)
        self.predictions[rows] = self._value(node)
        self.error += self._error(rows)
        self._rows[node] = rows
