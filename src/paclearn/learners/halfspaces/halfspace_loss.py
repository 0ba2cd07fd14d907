r"""What a prediction f costs where y is right.

:math:`|f - y|` is the letter of Shalev-Shwartz, Shamir and Sridharan (2011, equation 7). It also punishes f > 1 where
y = 1 and f < 0 where y = 0, though predictions are cut off at 0 and 1 and lose nothing there. The one-sided loss does
not: :math:`\ell(f, 1) = \max(0, 1 - f)`, :math:`\ell(f, 0) = \max(0, f)`, so that

.. math:: |\mathrm{clip}(f) - y| \le \ell(f, y) \le |f - y|,

convex and 1-Lipschitz in f. Theorems 1 to 4 stand as they are: the functions competed with have values in [0, 1],
where the two losses are the same, and uniform convergence over the ball asks for no more than a Lipschitz constant.

Both are :math:`a\,(f - y)_+ + b\,(y - f)_+`, with a = b = 1 or a = 1 - y, b = y.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

__all__ = ["ABSOLUTE", "LOSSES", "ONE_SIDED", "Loss"]


@dataclass(frozen=True)
class Loss:
    """The cost of predictions for targets of 0 and 1; all arrays are rows x problems."""

    one_sided: bool

    def values(self, found: Numbers, targets: Numbers) -> Numbers:
        """What predictions cost."""
        off = found - targets
        return np.asarray(self._above(targets) * np.maximum(off, 0) - self._below(targets) * np.minimum(off, 0))

    def pushed(self, ahead: Numbers, targets: Numbers, step: Numbers) -> Numbers:
        """How far the proximal point lies behind: ``step * loss(z) + (z - ahead)^2 / 2`` is least at z, a soft
        threshold on sides that cost.
        """
        return np.clip(ahead - targets, -step * self._below(targets), step * self._above(targets))

    def allowed(self, multipliers: Numbers, targets: Numbers, shares: Numbers) -> Numbers:
        """The nearest multipliers for which ``sum_i c_i loss(f_i) - u'f`` is bounded below: ``-b c <= u <= a c``."""
        return np.clip(multipliers, -shares * self._below(targets), shares * self._above(targets))

    def _above(self, targets: Numbers) -> Numbers | float:
        return 1 - targets if self.one_sided else 1.0

    def _below(self, targets: Numbers) -> Numbers | float:
        return targets if self.one_sided else 1.0


ABSOLUTE, ONE_SIDED = Loss(one_sided=False), Loss(one_sided=True)
LOSSES = {"one-sided": ONE_SIDED, "absolute": ABSOLUTE}
