"""A graph in words: questions, the graph as a list, the way of a row, and rules."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from paclearn._text import aligned
from paclearn.encoding import BinColumn
from paclearn.encoding.bins import n_present
from paclearn.exceptions import InputError
from paclearn.models.questions import answer_in_words, condition, cut_of, level_condition

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Column
    from paclearn.models.decision_graph import DecisionGraph
    from paclearn.models.graph_sum import GraphSum

__all__ = [
    "Rule",
    "graph_to_text",
    "node_name",
    "path_to_text",
    "rules_of",
    "short_question",
    "sum_in_words",
    "sum_table",
]

_MOST_LEVELS = 4
_DIGITS = 4


def short_question(graph: DecisionGraph, node: int) -> str:
    """A question for a picture: few digits, few levels."""
    column, low = graph.columns[graph.asks[node]], graph.goes_low[node]
    if isinstance(column, BinColumn):
        present, cut = n_present(column), cut_of(column, low)
        if cut in {0, present}:
            return condition(column, low)
        return f"{column.name} ≤ {column.short_cuts[cut - 1]}"
    return level_condition(column, low, _MOST_LEVELS)


def node_name(graph: DecisionGraph, node: int) -> str:
    """Inner nodes are numbered from 1, leaves from L1, the lowest value first."""
    inner = graph.shape.n_inner
    return str(node + 1) if node < inner else f"L{node - inner + 1}"


def graph_to_text(graph: DecisionGraph) -> str:
    """One line a node."""
    shape = graph.shape
    head = f"{shape.n_inner} questions, {shape.n_leaves} leaves, at most {shape.depth} questions a row"
    inner = [["node", "question", "yes", "no", "rows", "mean"]]
    for node, (low, high) in enumerate(shape.children):
        text = condition(graph.columns[graph.asks[node]], graph.goes_low[node])
        ways = (f"-> {node_name(graph, low)}", f"-> {node_name(graph, high)}")
        inner.append([node_name(graph, node), text, *ways, *_rows_and_mean(graph, node)])
    leaves = [["leaf", "ways in", "rows", "value"]]
    ways_in = shape.n_parents
    leaves += [
        [node_name(graph, node), str(ways_in[node]), *_rows_and_mean(graph, node)]
        for node in range(shape.n_inner, shape.n_nodes)
    ]
    parts = [[head], aligned(inner, right=(4, 5)) if shape.n_inner else [], aligned(leaves, right=(1, 2, 3))]
    return "\n\n".join("\n".join(part) for part in parts if part)


def _rows_and_mean(graph: DecisionGraph, node: int) -> tuple[str, str]:
    return f"{graph.shape.weight[node]:,.0f}", f"{graph.shape.value[node]:.{_DIGITS}g}"


def path_to_text(graph: DecisionGraph, path: Sequence[int]) -> str:
    """For example ``age > 41, then city = Oslo: 0.83 (the mean of 120 rows)``."""
    answers = []
    for node, then in pairwise(path):
        is_low = bool(graph.shape.children[node, 0] == then)
        answers.append(answer_in_words(graph.columns[graph.asks[node]], graph.goes_low[node], goes_low=is_low))
    rows, mean = _rows_and_mean(graph, path[-1])
    return f"{', then '.join(answers) or 'no question asked'}: {mean} (the mean of {rows} rows)"


# ---- sums of graphs ----


def sum_in_words(total: GraphSum) -> str:
    """For example ``The mean of 50 graphs with 8 to 12 leaves``."""
    if not total.graphs:
        return f"The number {total.base:.{_DIGITS}g}, whatever the row"
    leaves = [graph.n_leaves for graph in total.graphs]
    sizes = f"{min(leaves)} to {max(leaves)} leaves" if min(leaves) < max(leaves) else f"{leaves[0]} leaves"
    graphs = f"{len(leaves)} graph{'s' if len(leaves) > 1 else ''} with {sizes}"
    if total.is_mean:
        return f"The mean of {graphs}"
    start, share = f"{total.base:.{_DIGITS}g}", f"{total.share:.{_DIGITS}g}"
    ends = f"from {total.low:.{_DIGITS}g} to {total.high:.{_DIGITS}g}"
    return f"The sum of {start} and {share} times what each of {graphs} says, kept {ends}"


def sum_table(total: GraphSum) -> list[list[str]]:
    """A line a column, the one whose questions gain most first: share of the gain, questions, and graphs that ask."""
    columns = total.graphs[0].columns if total.graphs else ()
    gain, asked, graphs = np.zeros(len(columns)), np.zeros(len(columns), int), np.zeros(len(columns), int)
    for graph in total.graphs:
        np.add.at(gain, graph.asks, graph.shape.gain)
        np.add.at(asked, graph.asks, 1)
        graphs[np.unique(graph.asks)] += 1
    order = np.argsort(-gain, kind="stable")
    shares = gain / (gain.sum() or 1.0)
    rows = [[columns[i].name, f"{shares[i]:.3f}", f"{asked[i]:,}", f"{graphs[i]:,}"] for i in order if asked[i]]
    return [["column", "share of gain", "questions", "graphs"], *rows]


# ---- rules ----


@dataclass(frozen=True)
class Rule:
    """Conditions that all hold on one way through the graph, the leaf it leads to, and that leaf's value."""

    conditions: tuple[str, ...]
    leaf: str
    value: float

    def __str__(self) -> str:
        return f"IF {' AND '.join(self.conditions) or 'anything'} THEN {self.value:.{_DIGITS}g}"


def rules_of(graph: DecisionGraph, most: int) -> list[Rule]:
    """All ways that some row can take; what a column was asked twice is said once."""
    n_ways = _count_ways(graph)
    if n_ways > most:
        raise InputError(
            f"the graph has {n_ways:,} ways from its root to its leaves, more than most={most}; prune it, raise most, "
            "or read to_text() or to_sql(), which are as long as the graph"
        )
    rules: list[Rule] = []
    start = [np.ones(256, dtype=np.uint8) for _ in graph.columns]
    waiting = [(0, start)]
    while waiting:
        node, allowed = waiting.pop()
        if node >= graph.shape.n_inner:
            said = tuple(_said(column, codes) for column, codes in zip(graph.columns, allowed, strict=True))
            rules.append(Rule(tuple(filter(None, said)), node_name(graph, node), float(graph.shape.value[node])))
            continue
        for is_high, then in enumerate(graph.shape.children[node]):
            fewer = _narrowed(graph, node, allowed, is_high=bool(is_high))
            if fewer is not None:
                waiting.append((int(then), fewer))
    return sorted(rules, key=lambda rule: rule.value)


def _count_ways(graph: DecisionGraph) -> int:
    ways = [0] * graph.shape.n_inner + [1] * graph.shape.n_leaves
    for node in range(graph.shape.n_inner - 1, -1, -1):
        ways[node] = sum(ways[then] for then in graph.shape.children[node])
    return ways[0]


def _narrowed(
    graph: DecisionGraph, node: int, allowed: list[NDArray[np.uint8]], *, is_high: bool
) -> list[NDArray[np.uint8]] | None:
    """The codes that are left of every column, or None where none is."""
    asked = graph.asks[node]
    left = allowed[asked] & (graph.goes_low[node] ^ is_high)
    if not left[: graph.columns[asked].n_codes].any():
        return None
    return [left if column == asked else codes for column, codes in enumerate(allowed)]


def _said(column: Column, codes: NDArray[np.uint8]) -> str:
    if codes[: column.n_codes].all():
        return ""
    if not isinstance(column, BinColumn):
        return level_condition(column, codes)
    return _interval(column, codes)


def _interval(column: BinColumn, codes: NDArray[np.uint8]) -> str:
    present = n_present(column)
    inside = np.flatnonzero(codes[:present])
    missing = column.missing and bool(codes[present])
    if len(inside) == 0:
        return f"{column.name} is missing"
    cuts = column.cuts
    low = "" if inside[0] == 0 else cuts[inside[0] - 1]
    high = "" if inside[-1] == present - 1 else cuts[inside[-1]]
    if not low and not high:
        return f"{column.name} is present"
    if low and high:
        text = f"{low} < {column.name} <= {high}"
    else:
        text = f"{column.name} > {low}" if low else f"{column.name} <= {high}"
    return f"{text} or missing" if missing else text
