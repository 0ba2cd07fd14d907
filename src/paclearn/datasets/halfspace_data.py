"""Halfspaces with labels that are wrong where it hurts."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Bunch, check_random_state

from paclearn._parameters import Between, check
from paclearn.datasets.requests import check_chances, check_sizes

__all__ = ["make_halfspace"]


def make_halfspace(
    n_rows: int = 2000,
    n_columns: int = 10,
    *,
    flipped: float = 0.9,
    beyond: float = 0.45,
    noise: float = 0.05,
    margin: float = 0.0,
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
    margin : float, default=0.0
        No row is nearer to the halfspace than this.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    Bunch
        ``data``, ``target`` (0 and 1), ``normal`` (the unit vector of the halfspace) and ``clean`` (its labels).
    """
    check_chances(flipped=flipped, noise=noise)
    check_sizes(n_rows=n_rows, n_columns=n_columns)
    check("margin", margin, Between(0, 0.9, closed=True))  # hardly a row is further out than that
    rng = check_random_state(random_state)
    normal = _unit(rng.normal(size=(1, n_columns)))[0]
    rows = _rows_outside(margin, normal, n_rows, rng)
    across = rows @ normal
    clean = (across > 0).astype(np.int64)
    wrong = (across > beyond) & (rng.random_sample(n_rows) < flipped)
    wrong ^= rng.random_sample(n_rows) < noise
    return Bunch(data=rows, target=np.where(wrong, 1 - clean, clean), normal=normal, clean=clean)


def _rows_outside(margin: float, normal: Any, n_rows: int, rng: np.random.RandomState) -> Any:
    """Rows of the sphere that are as far from the halfspace as they should be; others are drawn again."""
    rows = _unit(rng.normal(size=(n_rows, len(normal))))
    while (near := np.abs(rows @ normal) < margin).any():
        rows[near] = _unit(rng.normal(size=(int(near.sum()), len(normal))))
    return rows


def _unit(rows: Any) -> Any:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)
