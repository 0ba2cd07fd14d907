r"""Terms that an absolute-value penalty leaves: few of very many, all weighed against each other at once.

Growing takes one term after the other, and what a set of terms says together may be seen in none of them: the lines of
a game board are products of three bits that must all be there. Here all candidates stand side by side:
:math:`\min_W \sum_i v_i\,\ell(y_i, b + x_i'W) + \lambda \sum_j \lVert W_j \rVert_2`, where :math:`W_j` are the
weights of a term in all outputs (Tibshirani 1996; Yuan and Lin 2006), for a penalty that falls. Of each size the terms
with weights are kept, and fitted again with a ridge penalty, which does not draw large weights toward nought as much.

Solved on the terms that have weights or want some, by FISTA (Beck and Teboulle 2009, equations 4.1 to 4.3).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from paclearn.learners.spectral.fitted_terms import FittedTerms
from paclearn.learners.spectral.forward import ranked
from paclearn.learners.spectral.losses import LogLoss, SoftmaxLoss, SquaredLoss

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.learners.spectral.forward import Design
    from paclearn.learners.spectral.losses import Loss
    from paclearn.models.terms import Term

__all__ = ["Lasso", "grow_lasso", "has_steps"]

_CANDIDATES, _CELLS = 3000, 4_000_000  # terms, and rows times terms
_FALL = 0.75  # of the penalty, from step to step
_LEAST = 0.003  # of the penalty at which the first term comes
_AT_ONCE = 30  # terms that come to the working set together
_ROUNDS = 6  # of them, for each penalty
_STEPS = 200
_SMALL_STEP = 1e-3


_CURVATURES: dict[type, float] = {SquaredLoss: 1.0, LogLoss: 0.25, SoftmaxLoss: 0.5}  # at most


def has_steps(loss: Loss) -> bool:
    """Whether it is known how long a step may be: second derivatives of this loss are bounded."""
    return type(loss) in _CURVATURES


def grow_lasso(design: Design, penalty: float, sizes: Sequence[int]) -> Iterator[FittedTerms]:
    """Models of at most so many terms, chosen with a falling absolute penalty and fitted with a ridge penalty."""
    terms = _candidates(design)
    path = Lasso(design.products(terms), design).path() if terms else iter(())
    last: list[int] = []
    following = next(path, None)
    for size in sizes:
        while following is not None and len(following) <= size:
            last, following = following, next(path, None)
        chosen = tuple(terms[i] for i in last)
        problem = design.problem(chosen)
        yield FittedTerms(chosen, problem, problem.solve(penalty))


def _candidates(design: Design) -> list[Term]:
    """All single bits that vary, and the interactions that go best with what no term explains, or a model of them."""
    constant = design.problem(()).constant().intercept
    residual = design.residual(np.broadcast_to(constant, design.targets.shape))
    singles: list[Term] = [(int(i),) for i in design.varying]
    most = max(min(_CANDIDATES, _CELLS // max(len(design.signs), 1)) - len(singles), 0)
    return singles + [term for _, term in ranked(design.scan, residual, design.degree, most)[:most]]


@dataclass(eq=False)
class Lasso:
    """Candidates (rows x terms) and rows with targets."""

    columns: NDArray[np.float32]
    design: Design

    def __post_init__(self) -> None:
        self._weights = np.zeros((self.columns.shape[1], self.design.targets.shape[1]))
        self._intercept = self.design.problem(()).constant().intercept.copy()
        self._working: list[int] = []
        self._steepest_of = -1, 0.0

    def path(self) -> Iterator[list[int]]:
        """The terms that have weights, for one penalty after the other."""
        first = self._wants().max(initial=0.0)
        penalty = first
        while first > 0 and penalty > _LEAST * first:
            penalty *= _FALL
            yield self.at(penalty)

    def at(self, penalty: float) -> list[int]:
        """The terms that have weights at the minimum, from where the last one was."""
        for _ in range(_ROUNDS):
            self._settle(penalty)
            wants = self._wants()
            wants[self._working] = 0.0
            new = np.argsort(-wants, kind="stable")[:_AT_ONCE]
            new = new[wants[new] > 1.01 * penalty]
            if not len(new):
                break
            self._working += [int(i) for i in new]
        return [i for i in self._working if self._weights[i].any()]

    @property
    def model(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Weights of all candidates, and intercepts."""
        return self._weights, self._intercept

    @cached_property
    def _curvature(self) -> float:
        return _CURVATURES[type(self.design.loss)]

    def _slopes(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """What the loss falls by, row by row, as scores rise."""
        return self.design.residual(scores) * self.design.shares[:, None]

    def _wants(self) -> NDArray[np.float64]:
        """How much the loss falls with the weights of every term, at first."""
        some = self._working
        scores = self.columns[:, some] @ self._weights[some] + self._intercept
        slopes = self._slopes(scores).astype(np.float32)  # one pass over all candidates, in single precision
        return np.sqrt(((self.columns.T @ slopes) ** 2).sum(axis=1, dtype=np.float64))

    def _settle(self, penalty: float) -> None:
        """The minimum over the working set: gradient steps with momentum, each followed by shrinking."""
        matrix = np.column_stack([self.columns[:, self._working], np.ones(len(self.columns))]).astype(np.float64)
        point = np.vstack([self._weights[self._working], self._intercept])
        step = 1 / (self._curvature * self._steepest(matrix) + 1e-12)
        ahead, momentum = point, 1.0
        for _ in range(_STEPS):
            gradient = -matrix.T @ self._slopes(matrix @ ahead)
            there = _shrunk(ahead - step * gradient, step * penalty)
            moved = there - point
            if (moved * (ahead - there)).sum() > 0:  # it swings back: start afresh (O'Donoghue and Candes 2015)
                momentum = 1.0
            later = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
            ahead, point = there + (momentum - 1) / later * moved, there
            momentum = later
            if np.abs(moved).max() < _SMALL_STEP * max(np.abs(there).max(), 1e-3):
                break
        self._weights[self._working], self._intercept = point[:-1], point[-1]

    def _steepest(self, matrix: NDArray[np.float64]) -> float:
        """The largest eigenvalue of the second moments of the working set, which only grows."""
        known, value = self._steepest_of
        if known != len(self._working):
            value = float(np.linalg.eigvalsh(matrix.T @ (matrix * self.design.shares[:, None]))[-1])
            self._steepest_of = len(self._working), value
        return value


def _shrunk(point: NDArray[np.float64], by: float) -> NDArray[np.float64]:
    """All rows but the last, which is the intercept, drawn toward nought; short ones are nought."""
    sizes = np.sqrt((point**2).sum(axis=1, keepdims=True))
    factor = np.maximum(1 - by / np.maximum(sizes, 1e-300), 0)
    factor[-1] = 1.0
    return np.asarray(point * factor)
