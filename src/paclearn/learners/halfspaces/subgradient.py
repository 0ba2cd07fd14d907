"""Algorithm 1 of Shalev-Shwartz, Shamir and Sridharan (2011): projected subgradient steps, averaged over all rows.

::

    alpha_i = -eta l'(b, y_i),      b = sum_j alpha_j K(x_j, x_i)
    alpha  *= sqrt(B / |v|^2)       where |v|^2 = alpha' K alpha is more than B

with ``eta = sqrt(B / steps)``; l' is the sign of ``b - y_i``, and nought beyond 0 and 1 for the one-sided loss. (The
printed pseudocode has the inverse of that rate, and a norm that is not the norm.) Rows come in blocks: what earlier
rows predict for a block is a product of matrices, and within it the steps go one by one in compiled code. The matrix of
all kernel values is never stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.kernels.dispatch import walk
from paclearn.learners.halfspaces.halfspace_tuning import TUNING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.halfspaces.training_points import Sample
    from paclearn.models.kernel_functions import Kernel

__all__ = ["OnlineState", "advance", "one_pass"]


@dataclass(frozen=True, eq=False)
class OnlineState:
    """A classifier on the way: coefficients of the rows seen, and the sum of all classifiers so far.

    Parameters
    ----------
    coefficients, sums : ndarray of shape (n_rows, outputs)
        Of the last classifier, and summed over all steps.
    norm : ndarray of shape (outputs,)
        The squared norm of the last classifier.
    steps : float
        How many steps were taken.
    """

    coefficients: NDArray[np.float64]
    sums: NDArray[np.float64]
    norm: NDArray[np.float64]
    steps: float = 0.0

    @classmethod
    def start(cls, n_rows: int, outputs: int) -> OnlineState:
        return cls(np.zeros((n_rows, outputs)), np.zeros((n_rows, outputs)), np.zeros(outputs))

    @property
    def average(self) -> NDArray[np.float64]:
        """The coefficients of the mean of all classifiers: the result of Algorithm 1."""
        return self.sums / max(self.steps, 1e-300)

    def grown(self, n_rows: int) -> OnlineState:
        """The same with more rows, not seen yet."""
        more = ((0, n_rows - len(self.coefficients)), (0, 0))
        return OnlineState(np.pad(self.coefficients, more), np.pad(self.sums, more), self.norm, self.steps)


def advance(
    kernel: Kernel,
    anchors: NDArray[Any],
    sample: Sample,
    state: OnlineState,
    order: NDArray[np.intp],
    rate: NDArray[np.float64],
) -> OnlineState:
    """One step for every row of a sample; ``order`` says which of the anchors each is."""
    coefficients, sums, norm = state.coefficients.copy(), state.sums.copy(), state.norm
    seen = int(np.flatnonzero(coefficients.any(axis=1)).max(initial=-1)) + 1
    for first in range(0, len(order), TUNING.block):
        here = slice(first, first + TUNING.block)
        mine, block = order[here], sample[here]
        before = kernel.sums(block.points.rows, anchors[:seen], coefficients[:seen])
        gram = kernel.matrix(block.points.rows, block.points.anchors)
        steps = walk(gram, before, block.targets, block.counts, sample.radius, rate, norm, sample.loss.one_sided)
        sums[:seen] += coefficients[:seen] * steps.weight
        coefficients[:seen] *= steps.shrink
        sums[mine] += steps.sums
        coefficients[mine] += steps.changes
        norm, seen = steps.norm, max(seen, int(mine.max()) + 1)
    return OnlineState(coefficients, sums, norm, state.steps + float(sample.counts.sum()))


def one_pass(
    kernel: Kernel, sample: Sample, *, passes: int = 1, rng: np.random.RandomState | None = None
) -> OnlineState:
    """The rows in their order, and in ever new orders if there is more than one pass."""
    state = OnlineState.start(*sample.targets.shape)
    rate = np.sqrt(sample.radius / (passes * sample.counts.sum()))
    order, ordered = np.arange(len(sample)), sample
    for turn in range(passes):
        if turn and rng is not None:
            order = rng.permutation(len(sample))
            ordered = sample[order]
        state = advance(kernel, sample.points.anchors, ordered, state, order, rate)
    return state
