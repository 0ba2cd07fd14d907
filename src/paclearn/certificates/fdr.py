"""Many tests at once: how many of what is reported may be false."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import false_discovery_control

from paclearn.certificates.given import check_shares

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["q_values"]


def q_values(p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Benjamini and Hochberg (1995): of what has q at most f, on average at most a share f is false.

    Parameters
    ----------
    p_values : ndarray
        NaN where nothing could be tested; those are left out of the count and stay NaN.

    Returns
    -------
    ndarray
        The smallest rate at which each would be reported.
    """
    check_shares("p_values", p_values, or_missing=True)
    p_values = np.asarray(p_values, dtype=float)
    q = np.full(len(p_values), np.nan)
    tested = ~np.isnan(p_values)
    if tested.any():
        q[tested] = false_discovery_control(p_values[tested])
    return q
