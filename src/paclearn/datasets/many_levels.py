"""A table some of whose columns have hundreds of levels, most of them rare: towns, products, doctors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import Bunch, check_random_state

from paclearn._compat import make_frame
from paclearn.datasets.requests import check_sizes

if TYPE_CHECKING:
    from numpy.random import RandomState
    from numpy.typing import NDArray

__all__ = ["make_many_levels"]

_STRENGTH = 0.5  # the standard deviation of what a level of a long column adds to a class's score


def make_many_levels(
    n_rows: int = 4000,
    *,
    n_levels: int = 700,
    n_long: int = 3,
    n_short: int = 20,
    n_classes: int = 3,
    random_state: Any = None,
) -> Bunch:
    """Classes by the sum of what every level adds; a few columns have hundreds of levels, as rare as words are.

    One short column says far more than any other level does.

    Parameters
    ----------
    n_rows : int, default=4000
        Rows.
    n_levels : int, default=700
        Levels of a long column; the k-th is drawn in proportion to 1 / (k + 10).
    n_long, n_short : int, default=3 and 20
        Columns of so many levels, and of three.
    n_classes : int, default=3
        Classes; the first is the most frequent.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    Bunch
        ``data`` (a frame of text), ``target`` (class numbers), ``chances`` (the true probabilities of the classes).
    """
    check_sizes(n_rows=n_rows, n_levels=n_levels)
    check_sizes(0, n_long=n_long, n_short=n_short)
    check_sizes(2, n_classes=n_classes)
    rng = check_random_state(random_state)
    long = [_drawn(rng, n_rows, 1 / (np.arange(n_levels) + 10)) for _ in range(n_long)]
    short = [_drawn(rng, n_rows, np.array([3, 2, 1])) for _ in range(n_short)]
    scores = np.tile(np.append(1.0, np.zeros(n_classes - 1)), (n_rows, 1))
    for codes, strength in [*((c, 1.0) for c in long), *zip(short, [4.0] + [0.3] * n_short, strict=False)]:
        scores += rng.normal(0, _STRENGTH * strength, (codes.max() + 1, n_classes))[codes]
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    target = (rng.random_sample((n_rows, 1)) > chances.cumsum(axis=1)[:, :-1]).sum(axis=1)
    names = [*(f"place{i}" for i in range(n_long)), *(f"kind{i}" for i in range(n_short))]
    columns = {
        name: np.char.add("v", codes.astype(str)).tolist() for name, codes in zip(names, long + short, strict=True)
    }
    return Bunch(data=make_frame(columns), target=target, chances=chances)


def _drawn(rng: RandomState, n_rows: int, weights: NDArray[np.float64]) -> NDArray[np.intp]:
    return rng.choice(len(weights), n_rows, p=weights / weights.sum())
