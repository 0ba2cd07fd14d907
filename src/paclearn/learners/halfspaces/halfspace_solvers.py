"""From training points to a function: which solver, and what it returns."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from paclearn.exceptions import InputError
from paclearn.learners.halfspaces.admm import factor_of_kernel, solve
from paclearn.learners.halfspaces.halfspace_tuning import TUNING
from paclearn.learners.halfspaces.landmarks import Landmarks, fit_features
from paclearn.learners.halfspaces.subgradient import OnlineState, one_pass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.halfspaces.admm import Solution
    from paclearn.learners.halfspaces.training_points import Sample
    from paclearn.models.kernel_functions import Kernel

__all__ = ["Fitted", "Settings", "fit_sample"]


@dataclass(frozen=True)
class Settings:
    """How to solve; see `HalfspaceClassifier`."""

    solver: str
    n_passes: int
    n_landmarks: int
    tol: float
    max_iter: int


@dataclass(frozen=True, eq=False)
class Fitted:
    """``f(x) = sum_j coefficients[j] K(x, anchor_j)``, for every output.

    ``gap`` says how far the mean loss can be from the least there is, where that is known, and ``n_iter`` how
    many steps or passes it took; a ``state`` can be gone on from.
    """

    anchors: NDArray[Any]
    coefficients: NDArray[np.float64]
    gap: float | None
    n_iter: int
    state: OnlineState | None = None

    def without_noughts(self) -> Fitted:
        """Anchors that nothing is multiplied with are left out, unless there are no others, or more rows may come."""
        used = np.flatnonzero(self.coefficients.any(axis=1))
        if self.state is not None or len(used) == 0:
            return self
        return Fitted(self.anchors[used], self.coefficients[used], self.gap, self.n_iter)


def fit_sample(kernel: Kernel, sample: Sample, settings: Settings, rng: np.random.RandomState) -> Fitted:
    """The function of bounded norm that is nearest to the targets, by one of the solvers."""
    if settings.solver == "batch":
        return _batch(kernel, sample, settings)
    return (_online if settings.solver == "online" else _features)(kernel, sample, settings, rng)


def _online(kernel: Kernel, sample: Sample, settings: Settings, rng: np.random.RandomState) -> Fitted:
    ordered = sample[rng.permutation(len(sample))]
    state = one_pass(kernel, ordered, passes=settings.n_passes, rng=rng)
    return Fitted(ordered.points.anchors, state.average, None, settings.n_passes, state)


def _batch(kernel: Kernel, sample: Sample, settings: Settings) -> Fitted:
    n = len(sample)
    if n > TUNING.most_batch_rows:
        raise InputError(
            f"solver='batch' keeps a matrix of kernel values of all pairs of rows, {8 * n**2 / 2**30:,.0f} GiB for "
            f"{n:,} different rows; solver='features' or 'online' need none"
        )
    matrix = kernel.matrix(sample.points.rows, sample.points.anchors)
    factor = factor_of_kernel(matrix)
    found = solve(
        factor,
        sample.targets,
        sample.shares,
        sample.radius,
        loss=sample.loss,
        tolerance=0.9 * settings.tol,
        max_steps=settings.max_iter,
    )
    coefficients, gap = _checked(matrix, sample, factor.lift @ found.weights, found)
    _say_if_not_there(gap, settings)
    return Fitted(sample.points.anchors, coefficients, gap, found.steps)


def _checked(
    matrix: NDArray[np.float64], sample: Sample, coefficients: NDArray[np.float64], found: Solution
) -> tuple[NDArray[np.float64], float]:
    """Checked with the kernel itself: what the factor leaves out is in the account."""
    values = matrix @ coefficients
    square = (coefficients * values).sum(axis=0)
    back = np.sqrt(sample.radius / np.maximum(square, sample.radius))
    objective = sample.shares @ sample.loss.values(values * back, sample.targets)
    pull = (found.multipliers * (matrix @ found.multipliers)).sum(axis=0)
    bound = -(found.multipliers * sample.targets).sum(axis=0) - np.sqrt(sample.radius * np.maximum(pull, 0))
    return coefficients * back, float((objective - bound).max())


def _features(kernel: Kernel, sample: Sample, settings: Settings, rng: np.random.RandomState) -> Fitted:
    landmarks = Landmarks.draw(kernel, sample.points, settings.n_landmarks, rng)
    coefficients, solution, whole = fit_features(
        landmarks, sample, tolerance=settings.tol, max_steps=settings.max_iter, rng=rng
    )
    gap = float(solution.gap.max())
    _say_if_not_there(gap, settings)
    return Fitted(landmarks.anchors, coefficients, gap if whole else None, solution.steps)


def _say_if_not_there(gap: float, settings: Settings) -> None:
    if gap > settings.tol * (1 + 1e-6) + 1e-12:
        warnings.warn(
            f"after {settings.max_iter} steps the mean loss may be {gap:.2g} above the least there is, more "
            f"than tol={settings.tol:g}; raise max_iter, or be content with that",
            ConvergenceWarning,
            stacklevel=2,
        )
