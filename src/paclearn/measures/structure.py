"""Which measure? The one that finds rows it has not seen least surprising."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from paclearn._validation import check_between
from paclearn.exceptions import InputError
from paclearn.measures.measures import ChainMeasure, Measure, ProductMeasure, TreeMeasure, UniformMeasure

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["best_measure"]


def best_measure(
    X: Any, candidates: Sequence[Measure] | None = None, *, validation: float = 0.25, random_state: Any = None
) -> Measure:
    """Fit measures of growing complexity to some rows and keep the one under which the others are most probable.

    With few rows the true structure is often not the best choice: its probabilities are known too badly.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_bits)
        Bits.
    candidates : sequence of Measure, default=None
        What to try, simplest first; uniform, product, chain and tree if not given. A later one must be better, not as
        good.
    validation : float, default=0.25
        Share of the rows to judge by.
    random_state : int, RandomState instance or None, default=None
        Draws those rows.

    Returns
    -------
    Measure
        The best one, fitted to all rows, with ``validation_`` (mean log probability of every candidate).
    """
    check_between("validation", validation, 0, 1)
    bits = np.asarray(X)
    rows = check_random_state(random_state).permutation(len(bits))
    held = rows[: round(validation * len(rows))]
    train = rows[len(held) :]
    if len(held) == 0 or len(train) == 0:
        raise InputError(f"{len(bits)} row(s) are too few to keep a share of {validation} aside")
    tried = list(candidates or (UniformMeasure(), ProductMeasure(), ChainMeasure(), TreeMeasure()))
    scores = [float(clone(m).fit(bits[train]).log_prob(bits[held]).mean()) for m in tried]
    best = clone(tried[int(np.argmax(np.round(scores, 12)))]).fit(bits)
    best.validation_ = dict(zip((type(m).__name__ for m in tried), scores, strict=True))
    return best
