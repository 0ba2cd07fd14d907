"""Which function is a copy of another one, or a polynomial of two others: by moments that matrix products give.

Groups would miss most of these, because the members of a pair or a triple seldom fall into one group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paclearn._progress import progress
from paclearn.learners.selection.column_functions import standardise

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["copies", "explained_by_pairs"]

_ROWS = 1024  # enough to rule nearly everything out; what is left is looked at on all rows
_SLACK = 3.0
_COLUMNS_AT_ONCE = 256


def copies(standard: NDArray[np.float64], threshold: float) -> list[int]:
    """Functions that are, but for scale and sign, an earlier one that is no copy itself."""
    n, p = standard.shape
    gone = np.zeros(p, dtype=bool)
    for begin in range(0, p, _COLUMNS_AT_ONCE):
        block = standard[:, begin : begin + _COLUMNS_AT_ONCE]
        left = 1 - (block.T @ standard / n) ** 2
        for i in range(block.shape[1]):
            if not gone[begin + i]:
                gone[begin + i + 1 :] |= left[i, begin + i + 1 :] <= threshold**2
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
    candidates = _screen(standardise(standard[rows]).astype(np.float32), _SLACK * threshold**2 + 1e-3)
    found: dict[int, list[tuple[int, int]]] = {}
    for i, j, k in candidates:
        if _residual(standard, i, j, k) <= threshold:
            found.setdefault(k, []).append((i, j))
    return {k: sorted(pairs) for k, pairs in found.items()} if p > 2 else {}


def _screen(z: NDArray[np.float32], most: float) -> list[tuple[int, int, int]]:
    """Triples (i, j, k) with i < j whose pair leaves at most this share of the variance of k, on these rows."""
    n, p = z.shape
    correlation, squares = z.T @ z / n, z * z
    third, fourth = squares.T @ z / n, squares.T @ squares / n  # E[z_i^2 z_j], E[z_i^2 z_j^2]
    found = []
    with progress(f"{p:,} functions against all pairs", p) as advance:
        for i in range(p):
            j = np.arange(i + 1, p)
            left = 1 - _explained(z, i, j, correlation, third, fourth)
            left[:, i] = left[j - i - 1, j] = np.inf  # that a pair explains its own members is no news
            for row, k in zip(*np.nonzero(left <= most), strict=True):
                found.append((i, int(j[row]), int(k)))
            advance(1)
    return found


def _explained(
    z: NDArray[np.float32],
    i: int,
    j: NDArray[np.intp],
    correlation: NDArray[np.float32],
    third: NDArray[np.float32],
    fourth: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Share of the variance of every k that 1, z_i, z_j and z_i z_j explain: pairs x functions."""
    r = correlation[i, j][:, None]
    with_i, with_j = correlation[i][None, :], correlation[j]
    free = np.maximum(1 - r * r, 1e-6)
    linear = (with_i**2 + with_j**2 - 2 * r * with_i * with_j) / free
    # the product less its projection on 1, z_i, z_j
    triple = (z[:, j] * z[:, i : i + 1]).T @ z / len(z)
    p_i, p_j = third[i, j][:, None], third[j, i][:, None]  # E[z_i z_j z_i], E[z_i z_j z_j]
    b_i, b_j = (p_i - r * p_j) / free, (p_j - r * p_i) / free
    norm = fourth[i, j][:, None] - r * r - b_i * p_i - b_j * p_j
    shared = triple - b_i * with_i - b_j * with_j
    return linear + np.where(norm > 1e-4, shared**2 / np.maximum(norm, 1e-4), 0)


def _residual(standard: NDArray[np.float64], i: int, j: int, k: int) -> float:
    x, y = standard[:, i], standard[:, j]
    basis = np.column_stack([np.ones(len(x)), x, y, x * y])
    weights, *_ = np.linalg.lstsq(basis, standard[:, k], rcond=None)
    return float(np.sqrt(np.mean((standard[:, k] - basis @ weights) ** 2)))
