r"""What a model is without one of its terms, by the second derivatives at its minimum.

With A the inverse of the second derivatives by the weights w, the best weights with :math:`w_j = 0` are
:math:`w - A_{\cdot j} w_j / A_{jj}`, and cost :math:`w_j^2 / 2 A_{jj}` more (Hassibi and Stork 1993, equation 5); the
inverse for the others is :math:`A - A_{\cdot j} A_{j \cdot} / A_{jj}`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from paclearn.learners.spectral.descent import LinearFit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LeavingOut"]


@dataclass(frozen=True, eq=False)
class LeavingOut:
    """A fit, the mean of every term, and the inverse of the second derivatives: outputs x terms x terms."""

    fit: LinearFit
    mean: NDArray[np.float64]
    inverses: NDArray[np.float64]
    gone: int = 0  # terms that were left out since the second derivatives were worked out

    @property
    def costs(self) -> NDArray[np.float64]:
        """About how much more every term's absence would cost, in all outputs together."""
        places = np.arange(len(self.fit.weights))
        return np.asarray((self.fit.weights.T**2 / (2 * self.inverses[:, places, places])).sum(axis=0))

    def without(self, term: int) -> LeavingOut:
        """About the best of all others, whose mean score stays what it was, and what leaving out more would do then."""
        columns = self.inverses[:, :, term]  # outputs x terms
        own = columns[:, term]
        others = self.fit.weights - columns.T * (self.fit.weights[term] / own)
        intercept = self.fit.intercept + self.mean @ (self.fit.weights - others)
        left = self.inverses - columns[:, :, None] * (columns / own[:, None])[:, None, :]
        inverses = np.delete(np.delete(left, term, axis=1), term, axis=2)
        fit = LinearFit(np.delete(others, term, axis=0), intercept)
        return LeavingOut(fit, np.delete(self.mean, term), inverses, self.gone + 1)
