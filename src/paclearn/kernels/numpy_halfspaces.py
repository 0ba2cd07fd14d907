"""The kernels of halfspaces in numpy: the oracle of the compiled core, and its stand-in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

__all__ = ["Steps", "expand", "walk"]

_SMALLEST = 1e-100  # a running factor below this is multiplied out


@dataclass(frozen=True, eq=False)
class Steps:
    """What a block of rows did to a classifier ``sum_j alpha_j K(x_j, .)``.

    ``shrink`` multiplies the coefficients from before the block, and ``weight`` times those coefficients went into the
    sum of all classifiers; ``changes`` and ``sums`` are the same for the rows of the block.
    """

    norm: Numbers
    shrink: Numbers
    weight: Numbers
    changes: Numbers
    sums: Numbers


def walk(
    gram: Numbers,
    before: Numbers,
    targets: Numbers,
    counts: Numbers,
    radius: Numbers,
    rate: Numbers,
    norm: Numbers,
    one_sided: bool = False,
) -> Steps:
    """Projected subgradient steps on the rows of a block, one after another.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
        Kernel values of the rows.
    before, targets : ndarray of shape (n, outputs)
        Predictions by the coefficients from before the block, and what they should be.
    counts : ndarray of shape (n,)
        How many times each row occurs; it takes as many steps.
    radius, rate, norm : ndarray of shape (outputs,)
        The most that the squared norm may be, the length of a step, and the squared norm before the block.
    one_sided : bool, default=False
        Whether a prediction beyond its target, above 1 or below 0, costs nothing and so takes no step.

    Returns
    -------
    Steps
        What came of it.
    """
    return _Walk(gram, targets, radius, rate, norm, one_sided=one_sided).run(before, counts)


def expand(base: Numbers, slope: float, offset: float, weights: Numbers) -> Numbers:
    """``sum_j weights[j] / (offset - slope * base[:, j])``, for every output; no matrix but ``base`` is needed."""
    return np.asarray((1 / (offset - slope * base)) @ weights)


class _Walk:
    """The steps of all outputs at once. ``factor`` is a running factor of all changes of the block."""

    def __init__(
        self, gram: Numbers, targets: Numbers, radius: Numbers, rate: Numbers, norm: Numbers, *, one_sided: bool
    ) -> None:
        self.gram, self.targets, self.radius, self.rate = gram, targets, radius, rate
        self.one_sided = one_sided
        self.norm = norm.copy()
        self.changes, self.sums, self.since = np.zeros((3, *targets.shape))
        self.factor, self.outer = np.ones((2, len(norm)))
        self.total, self.outer_weight = np.zeros((2, len(norm)))

    def run(self, before: Numbers, counts: Numbers) -> Steps:
        for i, count in enumerate(counts):
            steps = int(np.ceil(count))
            value = self.outer * before[i] + self.factor * (self.gram[i, :i] @ self.changes[:i])
            for _ in range(steps):
                value = self.step(i, value, count / steps)
        self.settle()
        return Steps(self.norm, self.outer, self.outer_weight, self.changes, self.sums)

    def step(self, i: int, value: Numbers, share: float) -> Numbers:
        change = -self.rate * share * self.slope(value, self.targets[i])
        norm = self.norm + 2 * change * value + self.gram[i, i] * change * change
        self.changes[i] += change / self.factor
        back = np.sqrt(self.radius / np.maximum(norm, self.radius))
        self.norm = np.minimum(norm, self.radius)
        self.factor, self.outer = self.factor * back, self.outer * back
        self.total = self.total + share * self.factor
        self.outer_weight = self.outer_weight + share * self.outer
        self.sums[i] += share * self.factor * self.changes[i]
        self.since[i] = self.total
        value = (value + self.gram[i, i] * change) * back
        if (self.factor < _SMALLEST).any():
            self.settle()
        return value

    def slope(self, value: Numbers, target: Numbers) -> Numbers:
        """The derivative of the loss in the prediction."""
        sign = np.sign(value - target)
        return np.where(sign * (target - 0.5) > 0, 0.0, sign) if self.one_sided else sign

    def settle(self) -> None:
        """Multiply the running factor out of the rows seen so far, and bring their sums up to date."""
        self.sums += (self.total - self.since) * self.changes
        self.changes *= self.factor
        self.since[:] = 0
        self.factor, self.total = np.ones_like(self.factor), np.zeros_like(self.total)
