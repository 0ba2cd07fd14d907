r"""Which codes go together: the best few groups of codes in a row, exactly, by dynamic programming (Fisher 1958).

With sums G of what is left to explain and H of second derivatives, a group of codes that shares one weight lowers the
loss by :math:`G^2 / 2(H + \lambda)`; gains of groups add up, so the best k groups follow from the best k - 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.learners.spectral.effect_columns import EffectColumn

__all__ = ["best_runs", "grown_grids", "order_of_codes"]

_PASSES = 8


def best_runs(
    G: NDArray[np.float64], H: NDArray[np.float64], most: int, strength: float
) -> dict[int, NDArray[np.intp]]:
    """For each number of groups of neighbours up to ``most``, the group of every code (a row of G and of H)."""
    n = len(G)
    gains = _gains_of_runs(G, H, strength)
    best = gains[0].copy()
    best[0] = -np.inf
    starts: list[NDArray[np.intp]] = []
    found = {}
    for k in range(2, min(most, n) + 1):
        options = np.where(np.tri(n + 1, n + 1, -1, dtype=bool).T, best[:, None] + gains, -np.inf)
        starts.append(options.argmax(axis=0))
        best = options.max(axis=0)
        found[k] = _traced(starts, n)
    return found


def _gains_of_runs(G: NDArray[np.float64], H: NDArray[np.float64], strength: float) -> NDArray[np.float64]:
    """Of the group of codes from s to e - 1, at [s, e]."""
    g, h = _prefix(G), _prefix(H)
    total, weight = g[None] - g[:, None], h[None] - h[:, None]
    return np.asarray((total**2 / (np.maximum(weight, 0) + strength)).sum(axis=2))


def _prefix(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.concatenate([np.zeros((1, *sums.shape[1:])), np.cumsum(sums, axis=0)])


def _traced(starts: Sequence[NDArray[np.intp]], n: int) -> NDArray[np.intp]:
    """Back from the end: where the last group begins, and so on."""
    group, end = np.zeros(n, dtype=np.intp), n
    for start in reversed(starts):
        end = int(start[end])
        group[end:] += 1
    return group


def order_of_codes(
    column: EffectColumn, G: NDArray[np.float64], H: NDArray[np.float64], strength: float
) -> NDArray[np.intp]:
    """Numbers in order, then what is missing; levels along the direction in which what they say differs most."""
    if column.means is not None:
        return np.arange(column.n_codes)
    said = G / (H + strength)
    if said.shape[1] > 1:
        said = said * np.sqrt(H + strength)
        _, _, directions = np.linalg.svd(said - said.mean(axis=0), full_matrices=False)
        said = said / np.sqrt(H + strength) @ directions[:1].T
    return np.argsort(said[:, 0], kind="stable")


# ---- grids -----------------------------------------------------------------------------------------------------------


def grown_grids(
    columns: tuple[EffectColumn, EffectColumn],
    G: NDArray[np.float64],
    H: NDArray[np.float64],
    cuts: int,
    strength: float,
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Grids of two columns with two cuts, three, ...: each with the further cut that tells most.

    G and H have a place for every pair of codes, and outputs; what each column says alone is taken out first.
    """
    pure = _without_margins(G, H, strength)
    orders = [_order_within(c, np.moveaxis(pure, a, 0), np.moveaxis(H, a, 0), strength) for a, c in enumerate(columns)]
    pure, H = (m[orders[0]][:, orders[1]] for m in (pure, H))
    if min(pure.shape[:2]) < 2:
        return []
    inner: list[list[int]] = [[cut] for cut in _first_cuts(pure, H, strength)]
    found = [_as_groups(inner, orders)]
    for _ in range(cuts - 2):
        gain, axis, cut = max(_next_cut(pure, H, inner, axis, strength) for axis in (0, 1))
        if not np.isfinite(gain):
            break
        inner[axis] = sorted([*inner[axis], cut])
        found.append(_as_groups(inner, orders))
    return found


def _without_margins(G: NDArray[np.float64], H: NDArray[np.float64], strength: float) -> NDArray[np.float64]:
    """What is left of G beside the best sum of a function of one column and one of the other."""
    left = G.copy()
    for _ in range(_PASSES):
        for axis in (0, 1):
            step = left.sum(axis=axis, keepdims=True) / (H.sum(axis=axis, keepdims=True) + strength)
            left = left - H * step
    return left


def _order_within(
    column: EffectColumn, pure: NDArray[np.float64], H: NDArray[np.float64], strength: float
) -> NDArray[np.intp]:
    """Levels along the direction in which their interactions differ most."""
    if column.means is not None:
        return np.arange(column.n_codes)
    scaled = (pure / np.sqrt(H + strength)).reshape(len(pure), -1)
    directions, sizes, _ = np.linalg.svd(scaled, full_matrices=False)
    heavy = np.sqrt(H.reshape(len(H), -1).sum(axis=1) + strength)
    return np.argsort(directions[:, 0] * sizes[0] / heavy, kind="stable")


def _first_cuts(pure: NDArray[np.float64], H: NDArray[np.float64], strength: float) -> tuple[int, int]:
    """The cut of each column that makes the best four cells."""
    g, h = (np.cumsum(np.cumsum(m, axis=0), axis=1) for m in (pure, H))
    gain = np.zeros((pure.shape[0] - 1, pure.shape[1] - 1))
    for low_a in (True, False):
        for low_b in (True, False):
            total, weight = (_corner(m, low_a=low_a, low_b=low_b) for m in (g, h))
            gain += (total**2 / (np.maximum(weight, 0) + strength)).sum(axis=2)
    a, b = np.unravel_index(int(gain.argmax()), gain.shape)
    return int(a) + 1, int(b) + 1


def _corner(sums: NDArray[np.float64], *, low_a: bool, low_b: bool) -> NDArray[np.float64]:
    """Sums of a corner for every pair of cuts, from sums of the lower corner."""
    low, left, below, all_of_it = sums[:-1, :-1], sums[:-1, -1:], sums[-1:, :-1], sums[-1:, -1:]
    if low_a:
        return low if low_b else left - low
    return below - low if low_b else all_of_it - left - below + low


def _next_cut(
    pure: NDArray[np.float64], H: NDArray[np.float64], inner: list[list[int]], axis: int, strength: float
) -> tuple[float, int, int]:
    """The best further cut of one column: its gain, the column, and before which code."""
    edges = np.array([0, *inner[1 - axis]])
    g, h = (_prefix(np.add.reduceat(np.moveaxis(m, axis, 0), edges, axis=1)) for m in (pure, H))
    n = len(g) - 1
    ends = np.array([0, *inner[axis], n])
    places = np.setdiff1d(np.arange(1, n), ends)
    if len(places) == 0:
        return -np.inf, axis, 0
    after = ends[np.searchsorted(ends, places)]
    before = ends[np.searchsorted(ends, places) - 1]

    def gain(s: NDArray[np.intp], e: NDArray[np.intp]) -> NDArray[np.float64]:
        return np.asarray(((g[e] - g[s]) ** 2 / (np.maximum(h[e] - h[s], 0) + strength)).sum(axis=(1, 2)))

    gains = gain(before, places) + gain(places, after) - gain(before, after)
    best = int(gains.argmax())
    return float(gains[best]), axis, int(places[best])


def _as_groups(inner: list[list[int]], orders: list[NDArray[np.intp]]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    found = []
    for cuts, order in zip(inner, orders, strict=True):
        group = np.empty(len(order), dtype=np.intp)
        group[order] = np.searchsorted(np.array(cuts), np.arange(len(order)), side="right")
        found.append(group)
    return found[0], found[1]
