"""Which function is a copy of another one, or a polynomial of two others: by moments that matrix products give.

Groups would miss most of these, because the members of a pair or a triple seldom fall into one group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._progress import progress
from paclearn.learners.selection.column_functions import standardise

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["copies", "explained_by_pairs"]

_ROWS = 1024  # enough to rule nearly everything out; what is left is looked at on all rows
_SLACK = 3.0
_COLUMNS_AT_ONCE = 256
_EXACT = 1e-12  # of a share of variance
_ROUNDING = 1e-8  # of a share of variance, by moments of all rows
_SOUND = 1e-3  # pairs that are nearer to collinear are fitted


def copies(standard: NDArray[np.float64], threshold: float, excludes_chance: Callable[[int, float], bool]) -> list[int]:
    """Functions that are, but for scale and sign, an earlier one that is no copy itself.

    Of a function that is not quite the same, the share of the variance that is left must exclude that it is chance.
    One that is the same in all rows says nothing besides the other, be it by chance.
    """
    n, p = standard.shape
    gone = np.zeros(p, dtype=bool)
    for begin in range(0, p, _COLUMNS_AT_ONCE):
        block = standard[:, begin : begin + _COLUMNS_AT_ONCE]
        left = 1 - (block.T @ standard / n) ** 2
        for i in range(begin, begin + block.shape[1]):
            if not gone[i]:
                near = i + 1 + np.flatnonzero(~gone[i + 1 :] & (left[i - begin, i + 1 :] <= max(threshold**2, _EXACT)))
                shares = left[i - begin, near]
                gone[
                    near[[s <= _EXACT or excludes_chance(int(k), float(s)) for k, s in zip(near, shares, strict=True)]]
                ] = True
    return np.flatnonzero(gone).tolist()


def explained_by_pairs(
    standard: NDArray[np.float64], threshold: float, rng: np.random.RandomState
) -> dict[int, list[tuple[int, int]]]:
    """For every function, the pairs of others whose four monomials leave a residual of norm at most the threshold.

    Parameters
    ----------
    standard : ndarray of shape (n_rows, n_functions)
        Standardised functions.
    threshold : float
        Largest norm of a residual.
    rng : RandomState
        Draws the rows of the first look.

    Returns
    -------
    dict
        Function -> pairs, in order; functions that no pair explains are missing.
    """
    n, p = standard.shape
    rows = rng.permutation(n)[:_ROWS] if n > _ROWS else np.arange(n)
    some, every = _Moments(standardise(standard[rows]).astype(np.float32)), _Moments(standard)
    found: dict[int, list[tuple[int, int]]] = {}
    with progress(f"{p:,} functions against all pairs", p) as advance:
        for i in range(p):
            for j, k in _pairs_of(i, some, every, threshold):
                found.setdefault(k, []).append((i, j))
            advance(1)
    return {k: sorted(pairs) for k, pairs in found.items()} if p > 2 else {}


def _pairs_of(i: int, some: _Moments, every: _Moments, threshold: float) -> list[tuple[int, int]]:
    """All (j, k) with j > i such that i and j explain k: first by some rows, then by the moments of all rows.

    Only what those moments leave open, within rounding, is fitted.
    """
    j = np.arange(i + 1, some.z.shape[1])
    left, _ = some.left(i, j)
    left[:, i] = left[j - i - 1, j] = np.inf  # that a pair explains its own members is no news
    near = left <= _SLACK * threshold**2 + 1e-3
    j, near = j[near.any(axis=1)], near[near.any(axis=1)]
    left, sound = every.left(i, j)
    clear = sound & (left < threshold**2 - _ROUNDING)
    open_ = ~clear & (~sound | (left < threshold**2 + _ROUNDING))
    found = [(int(j[row]), int(k)) for row, k in zip(*np.nonzero(near & clear), strict=True)]
    asked = [(int(j[row]), int(k)) for row, k in zip(*np.nonzero(near & open_), strict=True)]
    return found + [(b, k) for b, k in asked if _residual(every.z, i, b, k) <= threshold]


class _Moments:
    """Moments of standardised functions, which say what two of them explain of a third."""

    def __init__(self, z: NDArray[np.floating[Any]]) -> None:
        squares = z * z
        self.z, self.correlation = z, z.T @ z / len(z)
        self.third, self.fourth = squares.T @ z / len(z), squares.T @ squares / len(z)  # E[z_i^2 z_j], E[z_i^2 z_j^2]

    def left(self, i: int, j: NDArray[np.intp]) -> tuple[NDArray[np.floating[Any]], NDArray[np.bool_]]:
        """Share of the variance of every k that 1, z_i, z_j and z_i z_j leave, and which pairs are far from collinear.

        Pairs x functions, and pairs x 1.
        """
        r = self.correlation[i, j][:, None]
        with_i, with_j = self.correlation[i][None, :], self.correlation[j]
        free = np.maximum(1 - r * r, 1e-6)
        linear = (with_i**2 + with_j**2 - 2 * r * with_i * with_j) / free
        # the product less its projection on 1, z_i, z_j
        triple = (self.z[:, j] * self.z[:, i : i + 1]).T @ self.z / len(self.z)
        p_i, p_j = self.third[i, j][:, None], self.third[j, i][:, None]  # E[z_i z_j z_i], E[z_i z_j z_j]
        b_i, b_j = (p_i - r * p_j) / free, (p_j - r * p_i) / free
        norm = self.fourth[i, j][:, None] - r * r - b_i * p_i - b_j * p_j
        shared = triple - b_i * with_i - b_j * with_j
        explained = linear + np.where(norm > 1e-4, shared**2 / np.maximum(norm, 1e-4), 0)
        return 1 - explained, (free > _SOUND) & (norm > _SOUND)


def _residual(standard: NDArray[np.floating[Any]], i: int, j: int, k: int) -> float:
    x, y = standard[:, i], standard[:, j]
    basis = np.column_stack([np.ones(len(x)), x, y, x * y])
    weights, *_ = np.linalg.lstsq(basis, standard[:, k], rcond=None)
    return float(np.sqrt(np.mean((standard[:, k] - basis @ weights) ** 2)))
