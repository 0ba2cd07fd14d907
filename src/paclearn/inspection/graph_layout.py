"""Where the nodes of a regression graph stand, for every picture of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["graph_places"]

_SWEEPS = 24


def graph_places(
    children: Sequence[Sequence[int]], edge_weights: Sequence[Sequence[float]], n_nodes: int
) -> NDArray[np.float64]:
    """Across and up, for every node: leaves by value in the lowest layer, questions between what they lead to.

    The unit across is the least distance of two questions, the unit up is a layer; the root has height 0.
    """
    n_inner, layers = len(children), _layers(children, n_nodes)
    n_leaves = n_nodes - n_inner
    widest = max(n_leaves, int(np.bincount(layers).max()))
    places = np.zeros((n_nodes, 2))
    places[:, 1] = -layers
    places[n_inner:, 0] = (np.arange(n_leaves) + 0.5) * widest / n_leaves
    for _ in range(_SWEEPS):
        for layer in range(int(layers.max()) - 1, -1, -1):
            mine = np.flatnonzero(layers[:n_inner] == layer).tolist()
            wish = np.array([_between(places[list(children[i]), 0], edge_weights[i]) for i in mine])
            places[mine, 0] = _apart(wish)
    return places


def _layers(children: Sequence[Sequence[int]], n_nodes: int) -> NDArray[np.int64]:
    """Of every node: below all its parents; leaves below everything."""
    layers = np.zeros(n_nodes, dtype=np.int64)
    for node, sides in enumerate(children):
        for side in sides:
            layers[side] = max(layers[side], layers[node] + 1)
    layers[len(children) :] = layers.max()
    return layers


def _between(places: NDArray[np.float64], rows: Sequence[float]) -> float:
    """Where a question would best stand: in the middle of its children, nearer to the one that more rows go to."""
    return float(np.average(places, weights=np.asarray(rows, dtype=float) + 1e-9))


def _apart(wish: NDArray[np.float64]) -> NDArray[np.float64]:
    """Places at least one apart, as near to the wishes as can be: neighbours in each other's way move as a block."""
    order = np.argsort(wish, kind="stable")
    blocks: list[tuple[float, int]] = []  # middle of the shifted wishes, and how many
    for rank, number in enumerate(order):
        middle, size = float(wish[number]) - rank, 1
        while blocks and blocks[-1][0] >= middle:
            before, count = blocks.pop()
            middle, size = (before * count + middle * size) / (count + size), count + size
        blocks.append((middle, size))
    shifted = np.concatenate([np.full(size, middle) for middle, size in blocks]) if blocks else np.empty(0)
    places = np.empty(len(wish))
    places[order] = shifted + np.arange(len(wish))
    return places
