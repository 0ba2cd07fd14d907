r"""Linear models with a ridge penalty, fitted exactly whatever the loss.

Minimises :math:`\sum_i v_i\,\ell(y_i, b + x_i'W) + \frac{\lambda}{2}\lVert W\rVert^2`. The Cholesky factor of
the terms' covariance, weighted by the hessian of the loss, turns the problem into one that is about round, which
L-BFGS solves in a dozen steps or two. Where terms outnumber rows the model moves into the span of the rows, which
changes nothing: a ridge solution lies there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import eigh

from paclearn.learners.spectral.along_axes import AlongAxes, minimised_along
from paclearn.learners.spectral.curvature import JITTER, Axes, Factors, Scales, SecondDerivatives, inverse, solved
from paclearn.learners.spectral.descent import GAIN, GAIN_ON_THE_WAY, LinearFit, minimise
from paclearn.learners.spectral.leaving_out import LeavingOut
from paclearn.learners.spectral.losses import LadderLoss, LogLoss, Loss, SoftmaxLoss, SquaredLoss
from paclearn.learners.spectral.newton import FewTerms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from paclearn.learners.spectral.term_matrix import TermMatrix


__all__ = ["RidgeProblem"]

_STEPS, _SPARSE_STEPS = 15, 100
_MOST_WORK = 3e9
_MOST_ERRORS = 3000
_MOST_COVARIANCES = 3 * 10**7
_FEW_WEIGHTS = 150  # up to which Newton's method is faster
_MANY_OUTPUTS = 4  # from which one set of axes for all outputs is faster than a factor for each
_AXES_STEPS = 60
_MANY_AT_ONCE = 2**21  # numbers: second derivatives by all outputs are worked out side by side
_SMALL = 2**20  # rows times terms that are laid out along axes
_FEW_NEW = 0.25  # share of the terms up to which second derivatives are extended by new ones


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
    def targets_by_output(self) -> NDArray[Any]:
        """One output after the other, as sums over the outputs of a row are fast."""
        single = isinstance(self.loss, SoftmaxLoss)  # whose sums are of single precision
        return np.asfortranarray(self.targets, dtype=np.float32 if single else np.float64)

    @cached_property
    def _covariance(self) -> NDArray[np.float64]:
        return self.matrix.covariance(self.row_weights, self.mean)

    @property
    def keeps_curvatures(self) -> bool:
        """Whether rows are so many that second derivatives are not worked out for every penalty."""
        return self.matrix.cells is not None

    @cached_property
    def second_derivatives(self) -> SecondDerivatives:
        """Where rows are many: as they were for another penalty or for fewer terms, which changes them little."""
        return SecondDerivatives()

    def learn_from(self, before: RidgeProblem) -> None:
        """Take over what a problem with the first of these terms and the same rows knows of second derivatives."""
        known, p = before.second_derivatives, self.matrix.shape[1]
        few = p - before.matrix.shape[1] <= _FEW_NEW * p
        if few and known.grams and self.keeps_curvatures and not self._in_span:
            blocks = ((some, block - self.mean.astype(np.float32)) for some, block in self.matrix.blocks())
            self.second_derivatives.extend(known, blocks, p)

    def constant(self) -> LinearFit:
        """The best model without terms."""
        return LinearFit(np.zeros((self.matrix.shape[1], self.targets.shape[1])), self.loss.intercept(self._shares))

    def solve(self, penalty: float, start: LinearFit | None = None, *, on_the_way: bool = False) -> LinearFit:
        """The minimum, or nearly that of a model on the way to another."""
        if self.matrix.shape[1] == 0:
            return self.constant()
        if self.matrix.sparse is not None:
            return self._minimised(penalty, start or self.constant())
        if self._in_span:
            return self._solve_in_span_of_rows(penalty, start)
        if isinstance(self.loss, SquaredLoss):
            return self._least_squares(penalty)
        few = (self.matrix.shape[1] + 1) * self.targets.shape[1] <= _FEW_WEIGHTS
        if few and isinstance(self.loss, LogLoss | SoftmaxLoss | LadderLoss):
            return self._newton(penalty, start or self.constant())
        return self._minimised(penalty, start or self.constant(), GAIN_ON_THE_WAY if on_the_way else GAIN)

    def _minimised(self, penalty: float, start: LinearFit, gain: float = GAIN) -> LinearFit:
        small = len(self.targets) * self.matrix.shape[1] <= _SMALL and self.matrix.sparse is None
        if small and self.targets.shape[1] >= _MANY_OUTPUTS:
            return self._minimised_along_axes(penalty, start, gain)
        return minimise(_Descent(_Whole(self.matrix), self.mean, self), penalty, start, gain)

    def _minimised_along_axes(self, penalty: float, start: LinearFit, gain: float) -> LinearFit:
        """In coordinates that are the axes already: fewer products at every step of few rows."""
        axes = self.axes[1]
        inside = LinearFit(axes.T @ start.weights, start.intercept + self.mean @ start.weights)
        found = minimised_along(self._along, self, penalty, inside, gain)
        weights = axes @ found.weights
        return LinearFit(weights, found.intercept - self.mean @ weights)

    @cached_property
    def _along(self) -> AlongAxes:
        whole = np.concatenate([block for _, block in self.matrix.blocks()])
        return AlongAxes.of((whole - self.mean.astype(np.float32)) @ self.axes[1])

    def coordinates(self, penalty: float, start: LinearFit) -> tuple[Factors | Axes | Scales, int, NDArray[np.float64]]:
        """In which the loss is about round near a start, see `Descending`."""
        return _Descent(_Whole(self.matrix), self.mean, self).coordinates(penalty, start)

    def scores(self, fit: LinearFit) -> NDArray[np.float64]:
        """What a model says of the rows."""
        return fit.scores(self.matrix) if len(fit.weights) else np.broadcast_to(fit.intercept, self.targets.shape)

    def objective(self, fit: LinearFit, penalty: float) -> float:
        """What the minimum minimises."""
        loss = self.loss.mean(self.scores(fit), self.targets, self.row_weights)
        return loss + penalty / 2 * float((fit.weights**2).sum())

    def divergence_from(self, fit: LinearFit) -> Callable[[LinearFit], float]:
        """The mean loss that other models would add, were this one true."""
        before = self.scores(fit)
        return lambda after: float(self.row_weights @ self.loss.divergences(before, self.scores(after)))

    def mean_of(self, work: Callable[[NDArray[np.float64], NDArray[np.float64]], Any], fit: LinearFit) -> Any:
        """The mean over rows of what is made of their scores and targets: numbers, rows x channels."""
        return self.row_weights @ work(self.scores(fit), self.targets)

    def _newton(self, penalty: float, start: LinearFit) -> LinearFit:
        few = FewTerms(self._with_ones, self.targets, self.row_weights, self.loss, penalty)
        *weights, intercept = few.minimum(np.vstack([start.weights, start.intercept]))
        return LinearFit(np.array(weights), intercept)

    @cached_property
    def _with_ones(self) -> NDArray[np.float32]:
        found = np.ones((self.matrix.shape[1] + 1, self.matrix.shape[0]), dtype=np.float32)
        for some, block in self.matrix.blocks():
            found[:-1, some] = block.T
        return found.T

    def _least_squares(self, penalty: float) -> LinearFit:
        gram = self._covariance
        centred = (self.targets - self._shares) * self.row_weights[:, None]
        moments = self.matrix.transposed_times(centred)
        weights = solved(gram, penalty + JITTER * gram.diagonal().max(initial=0.0), moments)
        return LinearFit(weights, self._shares - self.mean @ weights)

    def standard_errors(self, fit: LinearFit, penalty: float) -> NDArray[np.float64]:
        """Of the terms' weights, each output by itself; not a number where terms outnumber rows or are too many."""
        if not self._has_errors:
            return np.full(fit.weights.shape, np.nan)
        variances = [
            share * (whole.diagonal() - ridge * (half**2).sum(axis=1))
            for whole, half, ridge, share in self._sandwiches(fit, penalty)
        ]
        return np.sqrt(np.maximum(np.column_stack(variances), 0))

    def covariance(self, fit: LinearFit, penalty: float) -> NDArray[np.float64] | None:
        """Of the terms' weights, outputs x terms x terms; None where it is unknown or would fill the memory."""
        p, outputs = fit.weights.shape
        if not self._has_errors or outputs * p**2 > _MOST_COVARIANCES:
            return None
        found = self._sandwiches(fit, penalty)
        return np.stack([share * (whole - ridge * half @ half.T) for whole, half, ridge, share in found])

    @property
    def _has_errors(self) -> bool:
        n, p = self.matrix.shape
        return 0 < p <= min(n, _MOST_ERRORS) and self.matrix.sparse is None

    def _sandwiches(
        self, fit: LinearFit, penalty: float
    ) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64], float, float]]:
        """For every output T A T', T A, the ridge r and a share s of the dispersion.

        Where A is the inverse of H + r, the covariance of the weights is s T A H A T' = s (T A T' - r T A A T').
        """
        predicted = self.loss.predictions(fit.scores(self.matrix))
        dispersion = self.loss.dispersion(self.targets, predicted, self.row_weights)
        for k, (found, ridge) in enumerate(self._inverses(fit, penalty)):
            half = self.matrix.to_terms(found)
            yield self.matrix.to_terms(half.T), half, ridge, dispersion[k] / (self.n_rows or len(self.row_weights))

    def leaving_out(self, fit: LinearFit, penalty: float) -> LeavingOut:
        """About what every term's absence would cost and do to the others, once these have made up for it."""
        hessians = self.loss.hessian(fit.scores(self.matrix)) * self.row_weights[:, None]
        if hessians.size * len(fit.weights) <= _MANY_AT_ONCE:
            grams = self.matrix.covariances(hessians, self.mean)
        else:
            grams = np.stack([self.matrix.covariance(hessian, self.mean) for hessian in hessians.T])
        places = np.arange(grams.shape[1])
        grams[:, places, places] += penalty + JITTER * grams[:, places, places].max(axis=1, initial=0.0)[:, None]
        return LeavingOut(fit, self.mean, np.asarray(np.linalg.inv(grams), dtype=np.float64))

    def _inverses(self, fit: LinearFit, penalty: float) -> Iterator[tuple[NDArray[np.float64], float]]:
        """For every output, the inverse of the second derivatives by the weights with a ridge, and that ridge."""
        hessians = self.loss.hessian(fit.scores(self.matrix))
        for hessian in hessians.T:
            gram = self.matrix.covariance(hessian * self.row_weights, self.mean)
            ridge = penalty + JITTER * gram.diagonal().max(initial=0.0)
            yield inverse(gram, ridge), ridge

    @cached_property
    def axes(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Principal variances of the terms, or of the span of the rows, and their axes: the same for every penalty."""
        gram = self._span.covariance(self.row_weights) if self._in_span else self._covariance
        variances, axes = np.linalg.eigh(gram.astype(np.float32))
        return np.maximum(variances, 0), axes

    @property
    def _in_span(self) -> bool:
        return self.matrix.shape[1] > self.matrix.shape[0]

    # ---- more terms than rows ----

    @cached_property
    def _span(self) -> _Span:
        return _Span.of(self.matrix, self.row_weights)

    @cached_property
    def _inner(self) -> NDArray[np.float64]:
        """Inner products of rows less their mean, each times the roots of the rows' weights."""
        root = np.sqrt(self.row_weights)
        return self.matrix.inner_products(self.mean) * root * root[:, None]

    def _least_squares_in_span(self, penalty: float) -> LinearFit:
        """The dual problem has as many unknowns as there are rows (Saunders, Gammerman and Vovk, 1998)."""
        root = np.sqrt(self.row_weights)[:, None]
        ridge = penalty + JITTER * self._inner.diagonal().max(initial=0.0)
        dual = root * solved(self._inner, ridge, root * (self.targets - self._shares))
        weights = self.matrix.transposed_times(dual) - np.outer(self.mean, dual.sum(axis=0))
        return LinearFit(weights, self._shares - self.mean @ weights)

    def _solve_in_span_of_rows(self, penalty: float, start: LinearFit | None) -> LinearFit:
        if isinstance(self.loss, SquaredLoss):
            return self._least_squares_in_span(penalty)
        span = self._span
        first = start or self.constant()
        inside = LinearFit(span.enter(first.weights), first.intercept + span.mean @ first.weights)
        zero = np.zeros(span.rows.shape[1])
        found = minimise(_Descent(span, zero, self), penalty, inside)
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
        values, vectors = eigh(matrix.inner_products(mean))
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

    def covariance(
        self,
        row_weights: NDArray[np.float64],
        mean: NDArray[np.float64] | None = None,  # noqa: ARG002 - it is nought
    ) -> NDArray[np.float64]:
        return self.rows.T @ (self.rows * row_weights[:, None])


@dataclass(frozen=True, eq=False)
class _Descent:
    """The loss of a problem over its rows: as they are, or in the basis of their span."""

    rows: _Whole | _Span
    mean: NDArray[np.float64]
    problem: RidgeProblem

    nearness = 1.0

    def at(self, fit: LinearFit) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
        problem = self.problem
        scores = self.rows.times(fit.weights) + fit.intercept
        lost, by_score = problem.loss.descent(scores, problem.targets_by_output, problem.row_weights)
        return lost, self.rows.transposed_times(by_score), by_score.sum(axis=0, dtype=np.float64)

    def coordinates(self, penalty: float, start: LinearFit) -> tuple[Factors | Axes | Scales, int, NDArray[np.float64]]:
        hessian = self.problem.loss.hessian(self.rows.times(start.weights) + start.intercept)
        curvatures = hessian * self.problem.row_weights[:, None]
        found = _coordinates(self.rows, self.mean, self.problem, curvatures, penalty)
        return *found, np.sqrt(curvatures.sum(axis=0))

    def forget(self) -> None:
        self.problem.second_derivatives.forget()


def _coordinates(
    rows: _Whole | _Span,
    mean: NDArray[np.float64],
    problem: RidgeProblem,
    curvatures: NDArray[np.float64],
    penalty: float,
) -> tuple[Factors | Axes | Scales, int]:
    """In which the problem is about round, and how many steps to take in them before they are looked for again."""
    n, p, outputs = len(curvatures), len(mean), curvatures.shape[1]
    if problem.matrix.sparse is not None:
        return Scales.of(_diagonal(problem.matrix, mean, curvatures), penalty), _SPARSE_STEPS
    if outputs >= _MANY_OUTPUTS:
        return Axes.of(problem.axes, curvatures.sum(axis=0), penalty), _AXES_STEPS
    if n * p**2 * outputs > _MOST_WORK:
        curvatures = curvatures.mean(axis=1, keepdims=True)
    if not problem.keeps_curvatures:
        return Factors.of((rows.covariance(curvature, mean) for curvature in curvatures.T), penalty), _STEPS
    known = problem.second_derivatives
    if not known.grams:
        known.grams, known.curvatures = [rows.covariance(curvature, mean) for curvature in curvatures.T], curvatures
    return Factors.of((gram.copy() for gram in known.grams), penalty), _STEPS


def _diagonal(matrix: TermMatrix, mean: NDArray[np.float64], curvatures: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of the second derivatives by the weights, where few bits are true; others are plus or minus their scale."""
    total, sums = curvatures.sum(axis=0), matrix.transposed_times(curvatures)
    squares = matrix.scale[:, None].astype(np.float64) ** 2 * total
    if matrix.sparse is not None:
        squares = matrix.sparse.sums_of_squares(curvatures)
    return squares - 2 * mean[:, None] * sums + mean[:, None] ** 2 * total
