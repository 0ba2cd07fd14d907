"""B by validation: whatever predicts rows that were left out best, and of those the smallest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paclearn.learners.halfspaces.batch import factor_of_kernel, solve
from paclearn.learners.halfspaces.landmarks import Landmarks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.models.kernel_functions import Kernel, Points

__all__ = ["GRID", "Choice", "choose_radius"]

# finer where one radius more or less decides between a function that hardly reaches one half and one that does
GRID = tuple(float(f"{b:.2g}") for b in 10.0 ** np.concatenate([np.arange(0, 1, 0.125), np.arange(1, 6.25, 0.5)]))
_TOLERANCE, _MOST_STEPS = 1e-3, 500
_ENOUGH_ROWS = 20_000
_EXACT_ROWS = 3000  # with more of them, explicit features judge
_FOLDS = 5


@dataclass(frozen=True, eq=False)
class Choice:
    """The radius that was chosen, and the share of rows left out that every one got wrong."""

    best: float
    errors: dict[float, float]


def choose_radius(
    kernel: Kernel,
    points: Points,
    classes: NDArray[np.intp],
    counts: NDArray[np.float64],
    n_landmarks: int,
    rng: np.random.RandomState,
) -> Choice:
    """Five folds, or one for many rows; all values of the grid side by side."""
    some = np.sort(rng.permutation(len(points))[:_ENOUGH_ROWS])
    points, classes, counts = points[some], classes[some], counts[some]
    folds = _folds(classes, rng)
    judged = range(_FOLDS if len(some) <= _EXACT_ROWS else 1)
    missed, total = np.zeros(len(GRID)), 0.0
    for fold in judged:
        train, held = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        if len(train) and len(held):
            wrong = _wrong(kernel, points, classes, counts, (train, held), n_landmarks, rng)
            missed += counts[held] @ wrong
            total += counts[held].sum()
    rates = missed / max(total, 1e-300)
    return Choice(GRID[int(np.argmin(np.round(rates, 12)))], dict(zip(GRID, rates.tolist(), strict=True)))


def _folds(classes: NDArray[np.intp], rng: np.random.RandomState) -> NDArray[np.intp]:
    """The fold of every row; classes are spread evenly."""
    order = rng.permutation(len(classes))
    order = order[np.argsort(classes[order], kind="stable")]
    folds = np.empty(len(classes), dtype=np.intp)
    folds[order] = np.arange(len(classes)) % _FOLDS
    return folds


def _wrong(
    kernel: Kernel,
    points: Points,
    classes: NDArray[np.intp],
    counts: NDArray[np.float64],
    split: tuple[NDArray[np.intp], NDArray[np.intp]],
    n_landmarks: int,
    rng: np.random.RandomState,
) -> NDArray[np.bool_]:
    """Which of the rows held out every radius of the grid gets wrong."""
    train, held = split
    targets = indicators(classes, int(classes.max()) + 1)
    outputs = targets.shape[1]
    side_by_side = np.tile(targets[train], (1, len(GRID)))
    radius = np.repeat(GRID, outputs)
    if len(points) <= _EXACT_ROWS:
        factor = factor_of_kernel(kernel.matrix(points.rows[train], points.anchors[train]))
        ahead = kernel.matrix(points.rows[held], points.anchors[train])
    else:
        landmarks = Landmarks.draw(kernel, points[train], n_landmarks, rng)
        factor, ahead = landmarks.factor(points[train]), landmarks.features(points[held])
    shares = counts[train] / counts[train].sum()
    found = solve(factor, side_by_side, shares, radius, tolerance=_TOLERANCE, max_steps=_MOST_STEPS)
    values = (ahead @ (factor.lift @ found.weights)).reshape(len(held), len(GRID), outputs)
    return decide(values) != classes[held][:, None]


def indicators(classes: NDArray[np.intp], n_classes: int) -> NDArray[np.float64]:
    """Targets 0 and 1: one column for two classes, otherwise one each."""
    ones = np.eye(n_classes)[classes]
    return np.ascontiguousarray(ones[:, 1:]) if n_classes == 2 else ones


def decide(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """The class, from the values of the outputs along the last axis."""
    return (values[..., 0] > 0.5).astype(np.intp) if values.shape[-1] == 1 else values.argmax(axis=-1)
