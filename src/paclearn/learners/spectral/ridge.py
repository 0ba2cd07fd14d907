r"""Linear models with a ridge penalty, fitted exactly whatever the loss.

Minimises :math:`\sum_i v_i\,\ell(y_i, b + x_i'W) + \frac{\lambda}{2}\lVert W\rVert^2`. The Cholesky factor of
the terms' covariance, weighted by the hessian of the loss, turns the problem into one that is about round, which
L-BFGS solves in a dozen steps or two. Where terms outnumber rows the model moves into the span of the rows, which
changes nothing: a ridge solution lies there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import cholesky, eigh, solve_triangular
from scipy.linalg.lapack import dtrtri
from scipy.optimize import minimize

from paclearn.learners.spectral.losses import LadderLoss, LogLoss, Loss, SoftmaxLoss, SquaredLoss
from paclearn.learners.spectral.newton import FewTerms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from paclearn.learners.spectral.term_matrix import TermMatrix

__all__ = ["LinearFit", "RidgeProblem"]

_TOLERANCE = 3e-4
_STEPS, _SPARSE_STEPS = 15, 100
_ROUNDS = 3
_LEAST_RIDGE = 1e-6
_MOST_WORK = 3e9
_MOST_ERRORS = 3000
_MOST_COVARIANCES = 3 * 10**7
_JITTER = 1e-6
_FEW_WEIGHTS = 150  # up to which Newton's method is faster


@dataclass(frozen=True, eq=False)
class LinearFit:
    """Weights (terms x outputs) and intercepts."""

    weights: NDArray[np.float64]
    intercept: NDArray[np.float64]

    def scores(self, matrix: TermMatrix) -> NDArray[np.float64]:
        return matrix.times(self.weights) + self.intercept


@dataclass(frozen=True, eq=False)
class RidgeProblem:
    """Rows with targets, ready to be fitted with any penalty."""

    matrix: TermMatrix
    targets: NDArray[np.float64]
    row_weights: NDArray[np.float64]  # add up to one
    loss: Loss
    n_rows: float | None = None  # how many rows these stand for; equal ones may be one that weighs more

    @cached_property
    def _shares(self) -> NDArray[np.float64]:
        return self.row_weights @ self.targets

    @cached_property
    def mean(self) -> NDArray[np.float64]:
        """Of every term."""
        return self.matrix.transposed_times(self.row_weights[:, None])[:, 0]

    @cached_property
    def _covariance(self) -> NDArray[np.float64]:
        return self.matrix.covariance(self.row_weights, self.mean)

    def constant(self) -> LinearFit:
        """The best model without terms."""
        return LinearFit(np.zeros((self.matrix.shape[1], self.targets.shape[1])), self.loss.intercept(self._shares))

    def solve(self, penalty: float, start: LinearFit | None = None) -> LinearFit:
        """The minimum."""
        if self.matrix.shape[1] == 0:
            return self.constant()
        if self.matrix.sparse is not None:
            return _minimise(_Whole(self.matrix), self.mean, self, penalty, start or self.constant())
        if self.matrix.shape[1] > self.matrix.shape[0]:
            return self._solve_in_span_of_rows(penalty, start)
        if isinstance(self.loss, SquaredLoss):
            return self._least_squares(penalty)
        few = (self.matrix.shape[1] + 1) * self.targets.shape[1] <= _FEW_WEIGHTS
        if few and isinstance(self.loss, LogLoss | SoftmaxLoss | LadderLoss):
            return self._newton(penalty, start or self.constant())
        return _minimise(_Whole(self.matrix), self.mean, self, penalty, start or self.constant())

    def scores(self, fit: LinearFit) -> NDArray[np.float64]:
        """What a model says of the rows."""
        return fit.scores(self.matrix) if len(fit.weights) else np.broadcast_to(fit.intercept, self.targets.shape)

    def objective(self, fit: LinearFit, penalty: float) -> float:
        """What the minimum minimises."""
        loss = self.loss.mean(self.scores(fit), self.targets, self.row_weights)
        return loss + penalty / 2 * float((fit.weights**2).sum())

    def _newton(self, penalty: float, start: LinearFit) -> LinearFit:
        few = FewTerms(self._with_ones, self.targets, self.row_weights, self.loss, penalty)
        *weights, intercept = few.minimum(np.vstack([start.weights, start.intercept]))
        return LinearFit(np.array(weights), intercept)

    @cached_property
    def _with_ones(self) -> NDArray[np.float32]:
        (_, whole), *_ = self.matrix.blocks()
        found = np.ones((whole.shape[1] + 1, len(whole)), dtype=np.float32)
        found[:-1] = whole.T
        return found.T

    def _least_squares(self, penalty: float) -> LinearFit:
        gram = self._covariance
        centred = (self.targets - self._shares) * self.row_weights[:, None]
        moments = self.matrix.transposed_times(centred)
        factor = cholesky(gram + (penalty + _JITTER * gram.diagonal().max(initial=0.0)) * np.eye(len(gram)), lower=True)
        weights = _solve(factor, moments)
        return LinearFit(weights, self._shares - self.mean @ weights)

    def standard_errors(self, fit: LinearFit, penalty: float) -> NDArray[np.float64]:
        """Of the terms' weights, each output by itself; not a number where terms outnumber rows or are too many."""
        if not self._has_errors:
            return np.full(fit.weights.shape, np.nan)
        errors = np.empty(fit.weights.shape)
        for k, (half, middle) in enumerate(self._sandwiches(fit, penalty)):
            errors[:, k] = np.sqrt(np.maximum((half * middle).sum(axis=1), 0))
        return errors

    def covariance(self, fit: LinearFit, penalty: float) -> NDArray[np.float64] | None:
        """Of the terms' weights, outputs x terms x terms; None where it is unknown or would fill the memory."""
        p, outputs = fit.weights.shape
        if not self._has_errors or outputs * p**2 > _MOST_COVARIANCES:
            return None
        return np.stack([half @ middle.T for half, middle in self._sandwiches(fit, penalty)])

    @property
    def _has_errors(self) -> bool:
        n, p = self.matrix.shape
        return 0 < p <= min(n, _MOST_ERRORS) and self.matrix.sparse is None

    def _sandwiches(self, fit: LinearFit, penalty: float) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """For every output A and A B, where A B A' is the covariance of the weights."""
        predicted = self.loss.predictions(fit.scores(self.matrix))
        dispersion = self.loss.dispersion(self.targets, predicted, self.row_weights)
        for k, (gram, inverse) in enumerate(self._hessians(fit, penalty)):
            half = self.matrix.to_terms(inverse)
            yield half, half @ gram * (dispersion[k] / (self.n_rows or len(self.row_weights)))

    def costs_of_leaving_out(self, fit: LinearFit, penalty: float) -> NDArray[np.float64]:
        """About how much more every term's absence would cost, once the others have made up for it."""
        costs = np.zeros(len(fit.weights))
        for weights, (_, inverse) in zip(fit.weights.T, self._hessians(fit, penalty), strict=True):
            costs += weights**2 / (2 * inverse.diagonal())
        return costs

    def _hessians(self, fit: LinearFit, penalty: float) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """For every output, the second derivatives of the loss by the weights, and the inverse with the penalty."""
        hessians = self.loss.hessian(fit.scores(self.matrix))
        for hessian in hessians.T:
            gram = self.matrix.covariance(hessian * self.row_weights, self.mean)
            yield gram, np.linalg.inv(gram + (penalty + _JITTER * gram.diagonal().max(initial=0.0)) * np.eye(len(gram)))

    # ---- more terms than rows ----

    @cached_property
    def _span(self) -> _Span:
        return _Span.of(self.matrix, self.row_weights)

    def _solve_in_span_of_rows(self, penalty: float, start: LinearFit | None) -> LinearFit:
        span = self._span
        first = start or self.constant()
        inside = LinearFit(span.enter(first.weights), first.intercept + span.mean @ first.weights)
        zero = np.zeros(span.rows.shape[1])
        if isinstance(self.loss, SquaredLoss):
            gram = span.covariance(self.row_weights, zero)
            moments = span.rows.T @ ((self.targets - self._shares) * self.row_weights[:, None])
            found = LinearFit(_solve(cholesky(gram + penalty * np.eye(len(gram)), lower=True), moments), self._shares)
        else:
            found = _minimise(span, zero, self, penalty, inside)
        weights = span.leave(found.weights)
        return LinearFit(weights, found.intercept - span.mean @ weights)


@dataclass(frozen=True, eq=False)
class _Whole:
    """The matrix as it is."""

    matrix: TermMatrix

    def times(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.matrix.times(weights)

    def transposed_times(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.matrix.transposed_times(columns)

    def covariance(self, row_weights: NDArray[np.float64], mean: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.matrix.covariance(row_weights, mean)


@dataclass(frozen=True, eq=False)
class _Span:
    """The centred matrix in the basis of its own rows."""

    matrix: TermMatrix
    mean: NDArray[np.float64]
    rows: NDArray[np.float64]  # rows x rank
    back: NDArray[np.float64]  # rows x rank: weights of terms are matrix' back weights

    @classmethod
    def of(cls, matrix: TermMatrix, row_weights: NDArray[np.float64]) -> _Span:
        mean = matrix.transposed_times(row_weights[:, None])[:, 0]
        inner = np.zeros((matrix.shape[0],) * 2)
        middle = mean.astype(np.float32)
        blocks = list(matrix.blocks())
        for one, left in blocks:
            for other, right in blocks:
                inner[one, other] = (left - middle) @ (right - middle).T
        values, vectors = eigh(inner)
        kept = values > 1e-6 * max(values[-1], 1e-300)
        root = np.sqrt(values[kept])
        return cls(matrix, mean, vectors[:, kept] * root, vectors[:, kept] / root)

    def enter(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.back.T @ (self.matrix.times(weights) - self.mean @ weights)

    def leave(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        inside = self.back @ weights
        return self.matrix.transposed_times(inside) - np.outer(self.mean, inside.sum(axis=0))

    def times(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.rows @ weights

    def transposed_times(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.rows.T @ columns

    def covariance(self, row_weights: NDArray[np.float64], mean: NDArray[np.float64]) -> NDArray[np.float64]:  # noqa: ARG002
        return self.rows.T @ (self.rows * row_weights[:, None])


def _minimise(
    rows: _Whole | _Span, mean: NDArray[np.float64], problem: RidgeProblem, penalty: float, start: LinearFit
) -> LinearFit:
    """L-BFGS in coordinates in which the problem is about round; they are looked for again where it is slow."""
    fit = start
    for _ in range(_ROUNDS):
        fit, done = _descend(rows, mean, problem, penalty, fit)
        if done:
            break
    return fit


def _descend(
    rows: _Whole | _Span, mean: NDArray[np.float64], problem: RidgeProblem, penalty: float, start: LinearFit
) -> tuple[LinearFit, bool]:
    p, k = start.weights.shape
    hessian = problem.loss.hessian(rows.times(start.weights) + start.intercept)
    curvatures = hessian * problem.row_weights[:, None]
    sparse = problem.matrix.sparse is not None
    factors = (_scales if sparse else _factors)(rows, mean, curvatures, penalty)
    steps = _SPARSE_STEPS if sparse else _STEPS
    root_hessian = np.sqrt(problem.row_weights @ hessian)

    def value(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights = factors.out_of(point[:-k].reshape(p, k))
        scores = rows.times(weights) + (point[-k:] / root_hessian - mean @ weights)
        by_score = -problem.loss.residuals(scores, problem.targets) * problem.row_weights[:, None]
        total = by_score.sum(axis=0)
        gradient = rows.transposed_times(by_score) - np.outer(mean, total) + penalty * weights
        cost = problem.loss.mean(scores, problem.targets, problem.row_weights) + penalty / 2 * (weights**2).sum()
        return cost, np.concatenate([factors.gradient(gradient).ravel(), total / root_hessian])

    centred = start.intercept + mean @ start.weights
    first = np.concatenate([factors.into(start.weights).ravel(), centred * root_hessian])
    options = {"maxiter": steps, "gtol": _TOLERANCE, "ftol": 1e-6, "maxcor": 10}
    found = minimize(value, first, jac=True, method="L-BFGS-B", options=options)
    weights = factors.out_of(found.x[:-k].reshape(p, k))
    return LinearFit(weights, found.x[-k:] / root_hessian - mean @ weights), found.nit < steps


@dataclass(frozen=True, eq=False)
class _Factors:
    """One Cholesky factor for every output, or one for all, and their inverses: outputs x terms x terms."""

    lower: NDArray[np.float64]
    inverse: NDArray[np.float64]

    def out_of(self, point: NDArray[np.float64]) -> NDArray[np.float64]:
        return _each(self.inverse.transpose(0, 2, 1), point)

    def gradient(self, gradient: NDArray[np.float64]) -> NDArray[np.float64]:
        return _each(self.inverse, gradient)

    def into(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return _each(self.lower.transpose(0, 2, 1), weights)


@dataclass(frozen=True, eq=False)
class _Scales:
    """A square root for every weight: about round where terms have little to do with each other, as rare levels do."""

    roots: NDArray[np.float64]

    def out_of(self, point: NDArray[np.float64]) -> NDArray[np.float64]:
        return point / self.roots

    def gradient(self, gradient: NDArray[np.float64]) -> NDArray[np.float64]:
        return gradient / self.roots

    def into(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return weights * self.roots


def _scales(rows: _Whole | _Span, mean: NDArray[np.float64], hessians: NDArray[np.float64], penalty: float) -> _Scales:
    """From the diagonal of the second derivatives; terms are plus or minus their scale."""
    assert isinstance(rows, _Whole)  # noqa: S101 - sparse rows have no span to be in
    total, scale = hessians.sum(axis=0), rows.matrix.scale[:, None].astype(np.float64)
    sums = rows.transposed_times(hessians)
    diagonal = scale**2 * total - 2 * mean[:, None] * sums + mean[:, None] ** 2 * total
    return _Scales(np.sqrt(np.maximum(diagonal, 0) + max(penalty, _LEAST_RIDGE)))


def _each(matrices: NDArray[np.float64], columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every output's column times its matrix."""
    if len(matrices) == 1:
        return matrices[0] @ columns
    return np.column_stack([m @ c for m, c in zip(matrices, columns.T, strict=True)])


def _factors(
    rows: _Whole | _Span, mean: NDArray[np.float64], hessians: NDArray[np.float64], penalty: float
) -> _Factors:
    """Of the second derivative in every output; of their mean where several would cost too much."""
    n, p = len(hessians), len(mean)
    if n * p**2 * hessians.shape[1] > _MOST_WORK:
        hessians = hessians.mean(axis=1, keepdims=True)
    lower = []
    for hessian in hessians.T:
        gram = rows.covariance(hessian, mean)
        ridge = max(penalty, _LEAST_RIDGE) + _JITTER * gram.diagonal().max(initial=0.0)
        lower.append(cholesky(gram + ridge * np.eye(p), lower=True))
    inverse = [dtrtri(f, lower=1)[0] for f in lower]
    return _Factors(np.stack(lower), np.stack(inverse))


def _solve(factor: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    return solve_triangular(factor, solve_triangular(factor, right, lower=True), lower=True, trans=1)
