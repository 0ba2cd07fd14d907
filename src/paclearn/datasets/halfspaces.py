"""Halfspaces with labels that are wrong where it hurts."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Bunch, check_random_state

from paclearn.exceptions import InputError

__all__ = ["make_halfspace"]


def make_halfspace(
    n_rows: int = 2000,
    n_columns: int = 10,
    *,
    flipped: float = 0.9,
    beyond: float = 0.45,
    noise: float = 0.05,
    random_state: Any = None,
) -> Bunch:
    """Rows uniform on the unit sphere, labels of a halfspace, most of them wrong far out on one side.

    Parameters
    ----------
    n_rows, n_columns : int
        Shape.
    flipped : float, default=0.9
        Probability with which a label is wrong where ``<normal, x> > beyond``. Such labels pull hinge and logistic
        losses away from the halfspace, because they are wrong by a large margin.
    beyond : float, default=0.45
        How far out.
    noise : float, default=0.05
        Probability with which a label is turned round anywhere, after that.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    Bunch
        ``data``, ``target`` (0 and 1), ``normal`` (the unit vector of the halfspace) and ``clean`` (its labels).
    """
    for name, value in (("flipped", flipped), ("noise", noise)):
        if not 0 <= value <= 1:
            raise InputError(f"{name}={value!r} must lie between 0 and 1")
    rng = check_random_state(random_state)
    normal = _unit(rng.normal(size=(1, n_columns)))[0]
    rows = _unit(rng.normal(size=(n_rows, n_columns)))
    across = rows @ normal
    clean = (across > 0).astype(np.int64)
    wrong = (across > beyond) & (rng.random_sample(n_rows) < flipped)
    wrong ^= rng.random_sample(n_rows) < noise
    return Bunch(data=rows, target=np.where(wrong, 1 - clean, clean), normal=normal, clean=clean)


def _unit(rows: Any) -> Any:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)
