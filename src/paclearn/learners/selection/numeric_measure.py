"""The measure M_n where columns are numbers and there are no cells.

The functions of a subset are the products of functions of its columns, one factor a column or none. What their span
predicts for a row, without the row's own part, is compared with the row, which is equation (7) of the paper row by row.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from paclearn._progress import progress
from paclearn.exceptions import InputError
from paclearn.learners.selection.selection_target import sign_columns
from paclearn.tables.weights import own_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.tables.target import Target

__all__ = ["PolynomialScore"]

_NUMBERS_AT_ONCE = 2**22
_RANK_TOLERANCE = 1e-9
_MOST_FUNCTIONS = 2048  # of one subset: their products by pairs are decomposed


@dataclass(frozen=True, eq=False)
class PolynomialScore:
    """Scores of subsets of columns that are given as functions.

    ``blocks[column]`` holds the standardised functions of a column, functions x rows.
    """

    blocks: Sequence[NDArray[np.float64]]
    target: Target
    norm: str = "l1"

    def __call__(self, subsets: NDArray[np.int32]) -> NDArray[np.float64]:
        """The score of every subset (they all have one size)."""
        shapes = np.array([[len(self.blocks[u]) for u in subset] for subset in subsets]).reshape(subsets.shape)
        _check_few((shapes + 1).prod(axis=1, dtype=np.float64).max(initial=1), subsets.shape[1])
        scores = np.empty(len(subsets))
        signs = sign_columns(self.target, centred=self.norm == "centred")
        label = f"{len(subsets):,} subsets of size {subsets.shape[1]}"
        with progress(label, len(subsets)) as advance:
            for shape in np.unique(shapes, axis=0):
                mine = np.flatnonzero((shapes == shape).all(axis=1))
                n_functions = prod(int(q) + 1 for q in shape)
                step = max(1, _NUMBERS_AT_ONCE // (len(signs) * (2 * n_functions + signs.shape[1])))
                for begin in range(0, len(mine), step):
                    some = mine[begin : begin + step]
                    scores[some] = self._score(self._functions(subsets[some]), signs)
                    advance(len(some))
        return scores

    def _functions(self, subsets: NDArray[np.int32]) -> NDArray[np.float64]:
        """Subsets x functions x rows, the constant first."""
        n = len(self.target.values)
        values = np.ones((len(subsets), 1, n))
        for t in range(subsets.shape[1]):
            own = np.stack([self.blocks[u] for u in subsets[:, t]])
            products = (values[:, :, None, :] * own[:, None, :, :]).reshape(len(subsets), -1, n)
            values = np.concatenate([values, products], axis=1)
        return values

    def _score(self, x: NDArray[np.float64], signs: NDArray[np.float64]) -> NDArray[np.float64]:
        n = x.shape[2]
        weights = np.ones(n) if self.target.weights is None else self.target.weights
        own = own_weights(weights) / np.where(weights > 0, weights, 1.0)
        total = weights.sum()
        shared = x @ (weights[:, None] * signs) / total  # subsets x functions x targets
        if self.norm == "l2":
            return np.asarray((shared[:, 1:] ** 2).sum(axis=1).mean(axis=1))
        weighted = x if self.target.weights is None else x * weights
        inverse = _pseudo_inverse(weighted @ x.transpose(0, 2, 1) / total)
        predicted = total * ((inverse @ shared).transpose(0, 2, 1) @ x)  # subsets x targets x rows
        itself = (x * (inverse @ x)).sum(axis=1)[:, None, :] * own
        others = predicted - itself * signs.T
        without_own = total * (total - float(own_weights(weights).sum()) / total)
        if self.target.classes is None:
            power = float(weights @ signs[:, 0] ** 2) / total
            return np.asarray((others[:, 0] * signs[:, 0]) @ weights / without_own / power)
        return np.asarray((np.abs(others) @ weights).mean(axis=1) / without_own)


def _check_few(n_functions: float, depth: int) -> None:
    if n_functions > _MOST_FUNCTIONS:
        raise InputError(
            f"subsets of {depth} columns have up to {n_functions:,.0f} products of their functions, and "
            f"{_MOST_FUNCTIONS:,} is the most; choose a smaller depth, or redundancy=False and numeric='bins'"
        )


def _pseudo_inverse(gram: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of a stack of Gram matrices; functions that the others span count once."""
    values, vectors = np.linalg.eigh(gram)
    known = values > _RANK_TOLERANCE * values[:, -1:]
    inverse = np.where(known, 1 / np.where(known, values, 1.0), 0.0)
    return np.asarray((vectors * inverse[:, None, :]) @ vectors.transpose(0, 2, 1))
