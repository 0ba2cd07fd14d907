r"""Effects fitted together: Newton's method on a penalised loss, by counts of pairs of cells.

Minimises :math:`\sum_i v_i\,\ell(y_i, b + \sum_j (B_j w_j)[c_{ij}]) + \frac{\lambda}{2} \sum_j w_j' P_j w_j`. A row has
one cell in each effect, so gradients are sums over the cells of an effect, and second derivatives sums over
pairs of cells: rows are touched by counting alone, however many weights there are.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import LinAlgError
from scipy.linalg.lapack import dposv
from scipy.optimize import minimize

from paclearn.learners.spectral.curvature import inverse
from paclearn.learners.spectral.losses import SquaredLoss

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.learners.spectral.effect_shapes import Piece
    from paclearn.learners.spectral.losses import Loss

__all__ = ["EffectFit", "EffectRows", "cell_errors", "constant_fit", "fit_pieces"]

_STEPS = 30
_TOLERANCE = 1e-6
_SHORTEST = 1 / 64
_JITTER = 1e-9
_FLOPS_A_PAIR = 1e5  # what counting a pair of cells takes, in multiplications of a product of matrices
_ROUNDS, _SETTLED = 6, 0.1  # of strengths, and the logarithm of a change that is none
_HELD = 0.01, 1e4  # strengths, in rows, between which effects are held back


@dataclass(frozen=True, eq=False)
class EffectRows:
    """Different rows: codes (columns x rows), targets (rows x outputs), and how often each counts."""

    codes: NDArray[np.intp]
    targets: NDArray[np.float64]
    counts: NDArray[np.float64]
    loss: Loss
    _cells: dict[int, tuple[Piece, NDArray[np.intp]]] = field(default_factory=dict)

    @property
    def n(self) -> float:
        """How many rows, each as often as it counts."""
        return float(self.counts.sum())

    @property
    def n_kinds(self) -> int:
        """How many different rows."""
        return len(self.counts)

    @property
    def n_outputs(self) -> int:
        return self.targets.shape[1]

    def cells(self, piece: Piece) -> NDArray[np.intp]:
        """The cell of every row, remembered."""
        known = self._cells.get(id(piece.groups))  # which a piece that is held back otherwise shares
        if known is None:
            known = self._cells[id(piece.groups)] = piece, piece.cells(self.codes)
        return known[1]

    def scores(self, pieces: Sequence[Piece], fit: EffectFit) -> NDArray[np.float64]:
        """What a model says of every row."""
        total = np.tile(fit.intercept, (len(self.counts), 1))
        for piece, weights in zip(pieces, fit.weights, strict=True):
            total += (piece.basis @ weights)[self.cells(piece)]
        return total

    def losses(self, pieces: Sequence[Piece], fit: EffectFit) -> NDArray[np.float64]:
        """The loss of every row."""
        return self.loss.of_rows(self.scores(pieces, fit), self.targets)

    def mass(self, cells: NDArray[np.intp], size: int) -> NDArray[np.float64]:
        """How many rows each cell has."""
        return np.bincount(cells, self.counts, minlength=size).astype(np.float64)


@dataclass(frozen=True, eq=False)
class EffectFit:
    """Weights of every piece (weights x outputs) and intercepts."""

    weights: tuple[NDArray[np.float64], ...]
    intercept: NDArray[np.float64]

    def with_nought_for(self, pieces: Sequence[Piece]) -> EffectFit:
        """The same model with further pieces that say nothing yet."""
        more = [np.zeros((p.n_weights, len(self.intercept))) for p in pieces[len(self.weights) :]]
        return EffectFit((*self.weights, *more), self.intercept)


def constant_fit(rows: EffectRows) -> EffectFit:
    """The best model without effects."""
    return EffectFit((), rows.loss.intercept(rows.counts @ rows.targets / rows.n))


def fit_pieces(rows: EffectRows, pieces: Sequence[Piece], strength: float, start: EffectFit | None = None) -> EffectFit:
    """The minimum, from a start that may lack the last pieces."""
    fit = (start or constant_fit(rows)).with_nought_for(pieces)
    system = _System(rows, tuple(pieces), strength)
    point = system.pack(fit)
    scores = rows.scores(pieces, fit)
    value = system.objective(scores, point)
    for _ in range(_STEPS):
        step = system.newton_step(scores, point)
        point, scores, new = system.line_search(scores, point, step, value)
        done = value - new <= _TOLERANCE * rows.n
        value = new
        if done or isinstance(rows.loss, SquaredLoss):
            break
    return system.unpack(point)


def held_by_themselves(
    rows: EffectRows, pieces: Sequence[Piece], strength: float, start: EffectFit
) -> tuple[tuple[Piece, ...], EffectFit]:
    r"""Each effect held back as its own weights ask for, by the likelihood of the rows when weights are drawn.

    The weights of effect j have variance :math:`\phi / \lambda_j P_j`, and the restricted likelihood, by Laplace's
    approximation, goes up with (Wood and Fasiolo 2017, equation 6)

    .. math:: \lambda_j \leftarrow \phi\,(p_j - \lambda_j \mathrm{tr}(H^{-1} P_j)) / w_j' P_j w_j.
    """
    pieces, fit = tuple(pieces), start
    for _ in range(_ROUNDS):
        factors = _System(rows, pieces, strength).own_factors(fit)
        change = max((abs(np.log(f / p.held)) for f, p in zip(factors, pieces, strict=True)), default=0.0)
        pieces = tuple(replace(p, held=float(f)) for f, p in zip(factors, pieces, strict=True))
        fit = fit_pieces(rows, pieces, strength, fit)
        if change < _SETTLED:
            break
    return pieces, fit


@dataclass(eq=False)
class _System:
    """All weights as one matrix, the intercept first: weights x outputs."""

    rows: EffectRows
    pieces: tuple[Piece, ...]
    strength: float

    def __post_init__(self) -> None:
        widths = [p.n_weights for p in self.pieces]
        ends = 1 + np.cumsum([0, *widths])
        self.places = [slice(a, b) for a, b in pairwise(ends.tolist())]
        self.penalty = self.strength * np.concatenate([[0.0], *[p.held * p.penalty for p in self.pieces]])
        sided = [np.zeros(p.n_weights, bool) if p.one_sided is None else p.one_sided for p in self.pieces]
        self.one_sided = np.concatenate([[False], *sided]).astype(bool)
        self.bounded = bool(self.one_sided.any())
        self.cells = [self.rows.cells(p) for p in self.pieces]
        self.few_rows = self.rows.n_kinds * ends[-1] ** 2 < _FLOPS_A_PAIR * len(self.pieces) ** 2

    @cached_property
    def design(self) -> NDArray[np.float64]:
        """Rows x weights: of few rows sums over them take less time than sums over cells."""
        parts = [piece.basis[cells] for piece, cells in zip(self.pieces, self.cells, strict=True)]
        return np.concatenate([np.ones((self.rows.n_kinds, 1)), *parts], axis=1)

    def pack(self, fit: EffectFit) -> NDArray[np.float64]:
        return np.concatenate([fit.intercept[None], *fit.weights])

    def unpack(self, point: NDArray[np.float64]) -> EffectFit:
        return EffectFit(tuple(point[s] for s in self.places), point[0])

    def objective(self, scores: NDArray[np.float64], point: NDArray[np.float64]) -> float:
        lost = self.rows.loss.mean(scores, self.rows.targets, self.rows.counts)
        return lost + float(self.penalty @ (point**2).sum(axis=1)) / 2

    def newton_step(self, scores: NDArray[np.float64], point: NDArray[np.float64]) -> NDArray[np.float64]:
        """Every output by itself; several at once move against each other, and so each a little less."""
        rows = self.rows
        residual = rows.loss.residuals(scores, rows.targets) * rows.counts[:, None]
        hessian = rows.loss.hessian(scores) * rows.counts[:, None]
        outputs = rows.n_outputs
        step = np.empty_like(point)
        for k in range(outputs):
            gradient = self.gradient(residual[:, k]) - self.penalty * point[:, k]
            step[:, k] = self._minimum(self.second_derivative(hessian[:, k]), gradient, point[:, k])
        return step * ((outputs - 1) / outputs if outputs > 1 else 1.0)

    def gradient(self, residual: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.few_rows:
            return np.asarray(self.design.T @ residual)
        parts = [
            np.bincount(cells, residual, minlength=len(piece.basis)) @ piece.basis
            for piece, cells in zip(self.pieces, self.cells, strict=True)
        ]
        return np.concatenate([[residual.sum()], *parts])

    def second_derivative(self, hessian: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of the loss and the penalty."""
        found = self._by_rows(hessian) if self.few_rows else self._by_cells(hessian)
        diagonal = found.reshape(-1)[:: len(found) + 1]
        diagonal += self.penalty + _JITTER * max(1.0, float(diagonal.max()))
        return found

    def _by_rows(self, hessian: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray((self.design * hessian[:, None]).T @ self.design)

    def _by_cells(self, hessian: NDArray[np.float64]) -> NDArray[np.float64]:
        found = np.zeros((len(self.penalty),) * 2)
        found[0, 0] = hessian.sum()
        for i, (piece, cells, here) in enumerate(zip(self.pieces, self.cells, self.places, strict=True)):
            mass = np.bincount(cells, hessian, minlength=len(piece.basis))
            found[0, here] = found[here, 0] = mass @ piece.basis
            found[here, here] = (piece.basis * mass[:, None]).T @ piece.basis
            for j in range(i):
                found[here, self.places[j]] = self._between(i, j, hessian)
                found[self.places[j], here] = found[here, self.places[j]].T
        return found

    def _between(self, i: int, j: int, hessian: NDArray[np.float64]) -> NDArray[np.float64]:
        one, other = self.pieces[i].basis, self.pieces[j].basis
        counts = np.bincount(self.cells[i] * len(other) + self.cells[j], hessian, minlength=len(one) * len(other))
        return np.asarray(one.T @ (counts.reshape(len(one), len(other)) @ other))

    def own_factors(self, fit: EffectFit) -> list[float]:
        """One step of each piece towards what it ought to be held back by; bounded weights say nothing of it."""
        scores = self.rows.scores(self.pieces, fit)
        hessian = self.rows.loss.hessian(scores) * self.rows.counts[:, None]
        free = [self.penalty * inverse(self.second_derivative(h), 0.0).diagonal() for h in hessian.T]
        used = self.penalty.size - float(np.sum(free)) / len(free)  # degrees of freedom
        noise = self._noise(scores, used)
        found = []
        for piece, here, weights in zip(self.pieces, self.places, fit.weights, strict=True):
            told = sum(float((1 - share[here])[piece.penalty > 0].sum()) for share in free)
            asked = self.strength * float(piece.penalty @ (weights**2).sum(axis=1))
            factor = noise * told / max(asked, 1e-300)
            lowest, highest = (s / self.strength for s in _HELD)
            found.append(piece.held if piece.one_sided is not None else float(np.clip(factor, lowest, highest)))
        return found

    def _noise(self, scores: NDArray[np.float64], used: float) -> float:
        """The variance of what is left, of a number; that of classes follows from their probabilities."""
        rows = self.rows
        if not isinstance(rows.loss, SquaredLoss):
            return 1.0
        return float(rows.counts @ (rows.targets - scores)[:, 0] ** 2) / max(rows.n - used, 1.0)

    def _minimum(
        self, second: NDArray[np.float64], gradient: NDArray[np.float64], point: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The step to the minimum of the quadratic, within the bounds where there are any."""
        _, step, failed = dposv(second, gradient, lower=True)  # thousands of small systems: without the way around
        if failed or not np.isfinite(step).all():
            raise LinAlgError("the second derivative of an effect's loss is not positive definite")
        sided = self.one_sided
        if not self.bounded or (point + step)[sided].min() >= 0:
            return step
        bounds = [(-at if yes else None, None) for at, yes in zip(point, sided, strict=True)]
        start = np.where(sided, np.maximum(step, -point), step)
        found = minimize(
            lambda s: (s @ second @ s / 2 - gradient @ s, second @ s - gradient),
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"maxiter": 500, "ftol": 1e-12},
        )
        return np.asarray(found.x)

    def line_search(
        self, scores: NDArray[np.float64], point: NDArray[np.float64], step: NDArray[np.float64], value: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
        """As far as the step goes down; a half of it, and so on, where the whole of it does not."""
        change = self.rows.scores(self.pieces, self.unpack(step))
        length = 1.0
        while length >= _SHORTEST:
            new = self.objective(scores + length * change, point + length * step)
            if new <= value:
                return point + length * step, scores + length * change, new
            length /= 2
        return point, scores, value


def cell_errors(
    rows: EffectRows, pieces: Sequence[Piece], fit: EffectFit, strength: float
) -> list[NDArray[np.float64]]:
    """Standard errors of what every cell of every piece adds (cells x outputs), each output by itself."""
    system = _System(rows, tuple(pieces), strength)
    scores = rows.scores(pieces, fit)
    predicted = rows.loss.predictions(scores)
    hessian = rows.loss.hessian(scores) * rows.counts[:, None]
    noise = rows.counts @ (rows.targets - predicted) ** 2 / rows.n if isinstance(rows.loss, SquaredLoss) else None
    errors = [np.empty((len(piece.basis), rows.n_outputs)) for piece in pieces]
    for k in range(rows.n_outputs):
        whole = inverse(system.second_derivative(hessian[:, k]), 0.0)
        covariance = whole - (whole * system.penalty) @ whole  # of weights held back: less than the inverse
        for piece, here, found in zip(pieces, system.places, errors, strict=True):
            variance = np.einsum("ij,jk,ik->i", piece.basis, covariance[here, here], piece.basis)
            found[:, k] = np.sqrt(np.maximum(variance, 0) * (1.0 if noise is None else noise[k]))
    return errors
