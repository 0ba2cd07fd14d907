"""How far to go so that a new row is inside as often as asked: split conformal prediction.

Of n rows held out, each is given a number that says how badly the model fits it. A new row, drawn as they were, is as
likely to take any of the n + 1 places among them; so it lies at or below the ceil((n + 1) c)-th smallest with a
probability of at least c, whatever the model and the law of the rows (Vovk, Gammerman and Shafer 2005; Lei, G'Sell,
Rinaldo, Tibshirani and Wasserman 2018, Theorem 2.2).
"""

from __future__ import annotations

from math import ceil, inf
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["conformal_margin"]


def conformal_margin(misfits: NDArray[np.float64], confidence: float) -> float:
    """What a new row's misfit stays at or below with this probability, at least.

    Parameters
    ----------
    misfits : ndarray of shape (n_rows,)
        How badly the model fits each of the rows held out.
    confidence : float
        The probability.

    Returns
    -------
    float
        One of them, or infinity where they are too few to promise anything.
    """
    place = ceil((len(misfits) + 1) * confidence)
    return inf if place > len(misfits) else float(np.partition(misfits, place - 1)[place - 1])
