"""B by validation: whatever predicts rows that were left out best, and of those the smallest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paclearn.learners.halfspaces.admm import Factor, factor_of_kernel, solve
from paclearn.learners.halfspaces.halfspace_tuning import TUNING
from paclearn.learners.halfspaces.landmarks import Landmarks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.halfspaces.training_points import Drawn, Sample
    from paclearn.models.kernel_functions import Kernel

__all__ = ["Choice", "choose_radius"]


@dataclass(frozen=True, eq=False)
class Choice:
    """The radius that was chosen, and the share of rows left out that every one got wrong."""

    best: float
    errors: dict[float, float]


def choose_radius(kernel: Kernel, drawn: Drawn, n_classes: int, n_landmarks: int, rng: np.random.RandomState) -> Choice:
    """Five folds, or one for many rows or groups; all radii side by side."""
    some = np.sort(rng.permutation(len(drawn))[: TUNING.radius_rows])
    sample, classes, draws = drawn.sample(n_classes, 1.0)[some], drawn.classes[some], drawn.draws.take(some)
    few = len(some) <= TUNING.batch_rows
    missed, total = np.zeros(len(TUNING.radii)), 0.0
    n_wanted = TUNING.radius_folds if min(len(some), draws.n_independent) <= TUNING.batch_rows else 1
    for out in draws.fold_counts(classes, TUNING.radius_folds, rng, n_wanted):
        split = draws.split(out)
        train, held = sample.part(split.train), sample.part(split.held)
        if len(train) and len(held):
            landmarks = None if few else Landmarks.draw(kernel, train.points, n_landmarks, rng)
            values = _values(kernel, train, held, landmarks)
            missed += held.counts @ (_decided(values) != classes[split.held.kinds][:, None])
            total += held.counts.sum()
    rates = missed / max(total, 1e-300)
    best = TUNING.radii[int(np.argmin(np.round(rates, 12)))]
    return Choice(best, dict(zip(TUNING.radii, rates.tolist(), strict=True)))


def _values(kernel: Kernel, train: Sample, held: Sample, landmarks: Landmarks | None) -> NDArray[np.float64]:
    """Rows held out x radii x outputs: the values of the functions that the others give."""
    n_radii, outputs = len(TUNING.radii), train.targets.shape[1]
    factor, ahead = _features(kernel, train, held, landmarks)
    found = solve(
        factor,
        np.tile(train.targets, (1, n_radii)),
        train.shares,
        np.repeat(TUNING.radii, outputs),
        tolerance=TUNING.radius_tolerance,
        max_steps=TUNING.radius_steps,
    )
    return np.asarray((ahead @ (factor.lift @ found.weights)).reshape(len(held), n_radii, outputs))


def _features(
    kernel: Kernel, train: Sample, held: Sample, landmarks: Landmarks | None
) -> tuple[Factor, NDArray[np.float64]]:
    """What the problem of the training rows is solved with, and what its solution is multiplied by for other rows."""
    if landmarks is not None:
        return landmarks.factor(train.points), landmarks.features(held.points)
    factor = factor_of_kernel(kernel.matrix(train.points.rows, train.points.anchors))
    return factor, kernel.matrix(held.points.rows, train.points.anchors)


def _decided(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """The class, from the values of the outputs along the last axis."""
    return (values[..., 0] > 0.5).astype(np.intp) if values.shape[-1] == 1 else values.argmax(axis=-1)
