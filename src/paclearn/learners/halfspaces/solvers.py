"""From training points to a function: which solver, and what it returns."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from paclearn.exceptions import InputError
from paclearn.learners.halfspaces.batch import factor_of_kernel, solve
from paclearn.learners.halfspaces.landmarks import Landmarks, fit_features
from paclearn.learners.halfspaces.online import OnlineState, one_pass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.models.kernel_functions import Kernel, Points

__all__ = ["BATCH_ROWS", "Fitted", "Sample", "Settings", "fit_sample"]

BATCH_ROWS = 3000  # with more different rows "auto" takes explicit features
_MOST_BATCH_ROWS = 30_000


@dataclass(frozen=True, eq=False)
class Sample:
    """Training points, their targets (0 or 1, one column an output) and how often each counts."""

    points: Points
    targets: NDArray[np.float64]
    counts: NDArray[np.float64]


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

    ``gap`` says how far the mean absolute error can be from the least there is, where that is known, and ``n_iter`` how
    many steps or passes it took; a ``state`` can be gone on from.
    """

    anchors: NDArray[Any]
    coefficients: NDArray[np.float64]
    gap: float | None
    n_iter: int
    state: OnlineState | None = None


def fit_sample(kernel: Kernel, sample: Sample, radius: float, settings: Settings, rng: np.random.RandomState) -> Fitted:
    """The function of squared norm at most ``radius`` that is nearest to the targets, by one of the solvers."""
    radii = np.full(sample.targets.shape[1], float(radius))
    solver = {"batch": _batch, "online": _online, "features": _features}[settings.solver]
    return solver(kernel, sample, radii, settings, rng)


def _online(
    kernel: Kernel, sample: Sample, radii: NDArray[np.float64], settings: Settings, rng: np.random.RandomState
) -> Fitted:
    order = rng.permutation(len(sample.points))
    points = sample.points[order]
    state = one_pass(
        kernel, points, sample.targets[order], sample.counts[order], radii, passes=settings.n_passes, rng=rng
    )
    return Fitted(points.anchors, state.average, None, settings.n_passes, state)


def _batch(
    kernel: Kernel,
    sample: Sample,
    radii: NDArray[np.float64],
    settings: Settings,
    rng: np.random.RandomState,  # noqa: ARG001 - nothing is random here
) -> Fitted:
    n = len(sample.points)
    if n > _MOST_BATCH_ROWS:
        raise InputError(
            f"solver='batch' keeps a matrix of kernel values of all pairs of rows, {8 * n**2 / 2**30:,.0f} GiB for "
            f"{n:,} different rows; solver='features' or 'online' need none"
        )
    matrix = kernel.matrix(sample.points.rows, sample.points.anchors)
    factor = factor_of_kernel(matrix)
    shares = sample.counts / sample.counts.sum()
    found = solve(factor, sample.targets, shares, radii, tolerance=0.9 * settings.tol, max_steps=settings.max_iter)
    coefficients = factor.lift @ found.weights
    # checked with the kernel itself: what the factor leaves out is in the account
    values = matrix @ coefficients
    square = (coefficients * values).sum(axis=0)
    back = np.sqrt(radii / np.maximum(square, radii))
    objective = shares @ np.abs(values * back - sample.targets)
    pull = (found.multipliers * (matrix @ found.multipliers)).sum(axis=0)
    bound = -(found.multipliers * sample.targets).sum(axis=0) - np.sqrt(radii * np.maximum(pull, 0))
    gap = float((objective - bound).max())
    _say_if_not_there(gap, settings)
    return Fitted(sample.points.anchors, coefficients * back, gap, found.steps)


def _features(
    kernel: Kernel, sample: Sample, radii: NDArray[np.float64], settings: Settings, rng: np.random.RandomState
) -> Fitted:
    landmarks = Landmarks.draw(kernel, sample.points, settings.n_landmarks, rng)
    coefficients, solution, whole = fit_features(
        landmarks,
        sample.points,
        sample.targets,
        sample.counts,
        radii,
        tolerance=settings.tol,
        max_steps=settings.max_iter,
        rng=rng,
    )
    gap = float(solution.gap.max())
    _say_if_not_there(gap, settings)
    return Fitted(landmarks.anchors, coefficients, gap if whole else None, solution.steps)


def _say_if_not_there(gap: float, settings: Settings) -> None:
    if gap > settings.tol * (1 + 1e-6) + 1e-12:
        warnings.warn(
            f"after {settings.max_iter} steps the mean absolute error may be {gap:.2g} above the least there is, more "
            f"than tol={settings.tol:g}; raise max_iter, or be content with that",
            ConvergenceWarning,
            stacklevel=2,
        )
