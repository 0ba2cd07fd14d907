"""nu and B by validation: whatever predicts rows that were left out best, and of those the ball of least size."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from paclearn.learners.halfspaces.admm import Factor, factor_of_kernel, solve
from paclearn.learners.halfspaces.halfspace_tuning import TUNING
from paclearn.learners.halfspaces.landmarks import Landmarks
from paclearn.learners.halfspaces.subgradient import one_pass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from paclearn.learners.halfspaces.halfspace_loss import Loss
    from paclearn.learners.halfspaces.training_points import Drawn, Sample
    from paclearn.models.kernel_functions import Kernel

__all__ = ["Ball", "Choice", "Search", "choose_ball"]


@dataclass(frozen=True)
class Ball:
    """What functions may be: of the kernel of this nu, with a squared norm of at most B."""

    nu: float
    radius: float

    @property
    def size(self) -> float:
        """``B / (1 - nu)``, the largest square of a value: what the certificate pays for."""
        return self.radius / (1 - self.nu)


@dataclass(frozen=True, eq=False)
class Choice:
    """The ball that was chosen, and the share of rows left out that each one got wrong."""

    best: Ball
    errors: dict[Ball, float]


@dataclass(frozen=True)
class Search:
    """What to choose from, and how the candidates are fitted."""

    radii: Mapping[float, Sequence[float]]  # of every nu
    loss: Loss
    n_landmarks: int
    n_passes: int | None  # of subgradient steps, where they are what is fitted by in the end

    @classmethod
    def of(cls, nu: float | None, loss: Loss, n_landmarks: int, n_passes: int | None) -> Search:
        """All radii of one nu, or the nus of the tuning with the radii at which they differ."""
        ranges = TUNING.nus if nu is None else ((nu, 0.0, inf),)
        radii = {nu: [r for r in TUNING.radii if least <= r <= most] for nu, least, most in ranges}
        return cls(radii, loss, n_landmarks, n_passes)

    @property
    def balls(self) -> list[Ball]:
        return [Ball(nu, radius) for nu, radii in self.radii.items() for radius in radii]


def choose_ball(search: Search, kernel: Kernel, drawn: Drawn, n_classes: int, rng: np.random.RandomState) -> Choice:
    """Five folds, or one for many rows or groups, the same for all; all radii side by side."""
    some = np.sort(rng.permutation(len(drawn))[: TUNING.radius_rows])
    sample, draws = drawn.sample(n_classes, 1.0, search.loss)[some], drawn.draws.take(some)
    classes, few = drawn.classes[some], len(some) <= TUNING.batch_rows
    missed, total = np.zeros(len(search.balls)), 0.0
    n_wanted = TUNING.radius_folds if min(len(some), draws.n_independent) <= TUNING.batch_rows else 1
    for out in draws.fold_counts(classes, TUNING.radius_folds, rng, n_wanted):
        split = draws.split(out)
        train, held = sample.part(split.train), sample.part(split.held)
        if len(train) and len(held):
            values = _values(kernel, train, held, search, rng if not few or search.n_passes else None)
            missed += held.counts @ (_decided(values) != classes[split.held.kinds][:, None])
            total += held.counts.sum()
    rates = np.round(missed / max(total, 1e-300), 12)
    errors = dict(zip(search.balls, rates.tolist(), strict=True))
    return Choice(min(errors, key=lambda ball: (errors[ball], ball.size)), errors)


def _values(
    kernel: Kernel, train: Sample, held: Sample, search: Search, rng: np.random.RandomState | None
) -> NDArray[np.float64]:
    """Rows held out x balls x outputs: the values of the functions that the others give."""
    return np.concatenate(
        [
            _values_of(replace(kernel, nu=nu), train, held, search, np.asarray(radii), rng)
            for nu, radii in search.radii.items()
        ],
        axis=1,
    )


def _values_of(
    kernel: Kernel,
    train: Sample,
    held: Sample,
    search: Search,
    radii: NDArray[np.float64],
    rng: np.random.RandomState | None,
) -> NDArray[np.float64]:
    n_radii, outputs = len(radii), train.targets.shape[1]
    if search.n_passes and rng is not None:
        return _steps_of(kernel, train, held, radii, search.n_passes, rng)
    landmarks = None if rng is None else Landmarks.draw(kernel, train.points, search.n_landmarks, rng)
    factor, ahead = _features(kernel, train, held, landmarks)
    found = solve(
        factor,
        np.tile(train.targets, (1, n_radii)),
        train.shares,
        np.repeat(radii, outputs),
        loss=search.loss,
        tolerance=TUNING.radius_tolerance,
        max_steps=TUNING.radius_steps,
    )
    return np.asarray((ahead @ (factor.lift @ found.weights)).reshape(len(held), n_radii, outputs))


def _steps_of(
    kernel: Kernel,
    train: Sample,
    held: Sample,
    radii: NDArray[np.float64],
    n_passes: int,
    rng: np.random.RandomState,
) -> NDArray[np.float64]:
    """The same by Algorithm 1: a radius that is good for the minimum may be too large for its steps."""
    n_radii, outputs = len(radii), train.targets.shape[1]
    every = replace(train, targets=np.tile(train.targets, (1, n_radii)), radius=np.repeat(radii, outputs))
    ordered = every[rng.permutation(len(every))]
    average = one_pass(kernel, ordered, passes=n_passes, rng=rng).average
    return kernel.sums(held.points.rows, ordered.points.anchors, average).reshape(len(held), n_radii, outputs)


def _features(
    kernel: Kernel, train: Sample, held: Sample, landmarks: Landmarks | None
) -> tuple[Factor, NDArray[np.float64]]:
    """What the problem of the training rows is solved with, and what its solution is multiplied by for other rows."""
    if landmarks is not None:
        return landmarks.factor(train.points).in_single(), landmarks.features(held.points)
    factor = factor_of_kernel(kernel.matrix(train.points.rows, train.points.anchors))
    return factor, kernel.matrix(held.points.rows, train.points.anchors)


def _decided(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """The class, from the values of the outputs along the last axis."""
    return (values[..., 0] > 0.5).astype(np.intp) if values.shape[-1] == 1 else values.argmax(axis=-1)
