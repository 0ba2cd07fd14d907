"""The convex problem of Shalev-Shwartz, Shamir and Sridharan (2011) itself, to a stated tolerance.

::

    minimise  sum_i c_i l(f_i, y_i)   over  f = R v,  |v|^2 <= B,   where R R' = K and the c_i are shares of one

by the alternating direction method of multipliers (Boyd and others 2011): one step is two products with an orthogonal
matrix, a search for one number (how much to shrink v) and a soft threshold. The dual: for any u,

    min_v sum_i c_i l((R v)_i, y_i)  >=  min_f [sum_i c_i l(f_i, y_i) - u'f] + min_v u'R v
                                      =  -u'y - sqrt(B) |R'u|

as long as the first minimum is finite, and then it lies at f = y, where nothing is lost: ``|u_i| <= c_i`` for the
absolute loss; for the one-sided one ``-c_i <= u_i <= 0`` where y = 1 and ``0 <= u_i <= c_i`` where y = 0. Any such u is
a proof, so how far a solution can be from the best is known, and not guessed. Several problems of the same rows
(classes, or values of B) are solved side by side.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import eigh

from paclearn.learners.halfspaces.halfspace_loss import ABSOLUTE
from paclearn.learners.halfspaces.halfspace_tuning import TUNING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.halfspaces.halfspace_loss import Loss

__all__ = ["Factor", "Solution", "factor_of_features", "factor_of_kernel", "solve"]


@dataclass(frozen=True, eq=False)
class Factor:
    """``K = U diag(S) U'``: a function of norm |v| has the values ``U sqrt(S) v`` and the coefficients ``lift v``.

    Parameters
    ----------
    vectors : ndarray of shape (n_rows, rank)
        U, with orthonormal columns; in single precision where that is enough, so that a step moves half of the bytes.
    values : ndarray of shape (rank,)
        S, all above nought.
    lift : ndarray of shape (n_coefficients, rank)
        From v to coefficients of kernel functions, or of explicit features.
    """

    vectors: NDArray[Any]
    values: NDArray[np.float64]
    lift: NDArray[np.float64]

    @cached_property
    def roots(self) -> NDArray[np.float64]:
        return np.sqrt(self.values)[:, None]

    def in_single(self) -> Factor:
        """The same, for tolerances far above the rounding of single precision."""
        return replace(self, vectors=self.vectors.astype(np.float32))

    def coordinates(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """``U' values``."""
        return (self.vectors.T @ values.astype(self.vectors.dtype, copy=False)).astype(np.float64, copy=False)

    def function(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """``U sqrt(S) v``."""
        pulled = (self.roots * weights).astype(self.vectors.dtype, copy=False)
        return (self.vectors @ pulled).astype(np.float64, copy=False)


def factor_of_kernel(matrix: NDArray[np.float64]) -> Factor:
    """Of a matrix of kernel values."""
    values, vectors = eigh(matrix, driver="evd")
    kept = values > TUNING.least_direction * values[-1]
    vectors, values = np.ascontiguousarray(vectors[:, kept]), values[kept]
    return Factor(vectors, values, vectors / np.sqrt(values))


def factor_of_features(features: NDArray[np.float64]) -> Factor:
    """Of explicit features, one row each; what v is lifted to are weights of the features."""
    values, turn = eigh(features.T @ features, driver="evd")
    kept = values > TUNING.least_direction * values[-1]
    turn, values = turn[:, kept], values[kept]
    return Factor((features @ turn) / np.sqrt(values), values, turn)


@dataclass(frozen=True, eq=False)
class Solution:
    """The best found for every problem, and what proves that it is nearly the best there is.

    Parameters
    ----------
    weights : ndarray of shape (rank, problems)
        v.
    multipliers : ndarray of shape (n_rows, problems)
        u.
    objective, bound : ndarray of shape (problems,)
        The mean loss, and what it must be at least.
    steps : int
        How many steps it took.
    """

    weights: NDArray[np.float64]
    multipliers: NDArray[np.float64]
    objective: NDArray[np.float64]
    bound: NDArray[np.float64]
    steps: int

    @property
    def gap(self) -> NDArray[np.float64]:
        """How much better the best can be at most."""
        return self.objective - self.bound


def solve(
    factor: Factor,
    targets: NDArray[np.float64],
    shares: NDArray[np.float64],
    radius: NDArray[np.float64],
    *,
    loss: Loss = ABSOLUTE,
    tolerance: float = 1e-4,
    max_steps: int = 5000,
) -> Solution:
    """Solve problems of the same rows side by side, until no gap is above the tolerance or the steps are used up."""
    run = _Run(factor, targets, shares, radius, loss)
    for step in range(1, max_steps + 1):
        run.step()
        if step % TUNING.look_every == 0 or step == max_steps:
            run.look()
            if run.done(tolerance):
                break
        if step % TUNING.balance_every == 0 and step <= TUNING.balance_until:
            run.balance()
    return Solution(run.best_weights, run.best_multipliers, run.objective, run.bound, step)


class _Run:
    """The state of the method: split values z, scaled multipliers w, a penalty for each problem not yet solved."""

    def __init__(
        self,
        factor: Factor,
        targets: NDArray[np.float64],
        shares: NDArray[np.float64],
        radius: NDArray[np.float64],
        loss: Loss,
    ) -> None:
        self.factor, self.targets, self.shares, self.radius = factor, targets, shares[:, None], radius
        self.loss = loss
        self.penalty = np.full(targets.shape[1], TUNING.first_penalty / len(shares))
        self.split, self.scaled = targets.copy(), np.zeros_like(targets)
        self.extra = np.zeros(targets.shape[1])
        self.open = np.arange(targets.shape[1])  # which problems the arrays above are of
        self.best_weights = np.zeros((len(factor.values), targets.shape[1]))
        self.best_multipliers = np.zeros_like(targets)
        self.objective = (self.shares * targets).sum(axis=0)  # of v = 0, by either loss
        self.bound = np.zeros(targets.shape[1])  # of u = 0

    def done(self, tolerance: float) -> bool:
        """Whether all problems are solved; those that are need no more steps."""
        left = (self.objective - self.bound)[self.open] > tolerance
        if not left.all():
            for name in ("targets", "split", "scaled", "previous", "values", "weights"):
                setattr(self, name, getattr(self, name)[:, left])
            for name in ("radius", "penalty", "extra", "open"):
                setattr(self, name, getattr(self, name)[left])
        return not left.any()

    def step(self) -> None:
        turned = self.factor.coordinates(self.split - self.scaled)
        self.weights, self.extra = nearest_in_ball(self.factor, turned, self.radius, self.extra)
        self.values = self.factor.function(self.weights)
        relaxed = TUNING.relaxation * self.values + (1 - TUNING.relaxation) * self.split
        ahead = relaxed + self.scaled
        self.previous = self.split
        self.scaled = self.loss.pushed(ahead, self.targets, self.shares / self.penalty)
        self.split = ahead - self.scaled

    def look(self) -> None:
        """Keep whatever is the best so far, for each problem and either bound."""
        objective = (self.shares * self.loss.values(self.values, self.targets)).sum(axis=0)
        multipliers = self.loss.allowed(self.penalty * self.scaled, self.targets, self.shares)
        pull = self.factor.roots * self.factor.coordinates(multipliers)
        bound = -(multipliers * self.targets).sum(axis=0) - np.sqrt(self.radius * (pull**2).sum(axis=0))
        lower, higher = objective < self.objective[self.open], bound > self.bound[self.open]
        self.best_weights[:, self.open[lower]] = self.weights[:, lower]
        self.best_multipliers[:, self.open[higher]] = multipliers[:, higher]
        self.objective[self.open[lower]] = objective[lower]
        self.bound[self.open[higher]] = bound[higher]

    def balance(self) -> None:
        """A penalty under which neither side lags behind."""
        size = np.maximum(_norms(self.values), _norms(self.split))
        primal = _norms(self.values - self.split) / np.maximum(size, 1e-300)
        dual = _norms(self.split - self.previous) / np.maximum(_norms(self.scaled), 1e-300)
        change = np.clip(np.sqrt(primal / np.maximum(dual, 1e-300)), 0.5, 2)
        change[(change > 0.83) & (change < 1.2)] = 1
        self.penalty = self.penalty * change
        self.scaled = self.scaled / change


def nearest_in_ball(
    factor: Factor, turned: NDArray[np.float64], radius: NDArray[np.float64], extra: NDArray[np.float64], most: int = 60
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The v with ``|v|^2 <= B`` whose function is nearest to values whose coordinates are ``turned = U' values``.

    That is ``(S + t)^-1 sqrt(S) turned`` with t >= 0 such that the norm is right, and t is returned with it: a good
    start for the next one. Newton's method for ``1 / |v|``, which is concave in t, comes from below from the second
    step on and never passes the solution.
    """
    values, pulled = factor.values[:, None], factor.roots * turned
    for _ in range(most):
        damped = values + extra
        weights = pulled / damped
        squares = weights**2
        square = squares.sum(axis=0)
        off = (square > radius * (1 + 1e-10)) | ((extra > 0) & (square < radius * (1 - 1e-10)))
        if not off.any():
            break
        slope = (squares / damped).sum(axis=0)
        change = square / np.maximum(slope, 1e-300) * (np.sqrt(square / radius) - 1)
        extra = np.where(off, np.maximum(extra + change, 0), extra)
    # what is left is rounding
    return weights * np.sqrt(radius / np.maximum(square, radius)), extra


def _norms(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.linalg.norm(columns, axis=0))
