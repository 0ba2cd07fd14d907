"""Which measure? The one that serves rows it has not seen best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from paclearn._validation import check_between
from paclearn.exceptions import InputError
from paclearn.measures.families import ChainMeasure, ProductMeasure, TreeMeasure, UniformMeasure
from paclearn.measures.measure import Measure, as_states

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = ["best_measure"]


def best_measure(
    X: Any,
    candidates: Sequence[Measure] | None = None,
    *,
    score: Callable[[Measure, NDArray[np.intp], NDArray[np.intp]], float] | None = None,
    validation: float = 0.25,
    random_state: Any = None,
) -> Measure:
    """Fit measures of growing complexity to some rows and keep the one that serves the others best.

    With few rows the true structure is often not the best choice: its probabilities are known too badly.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_bits)
        Bits.
    candidates : sequence of Measure, default=None
        What to try, simplest first; uniform, product, chain and tree if not given. A later one must be better, not as
        good.
    score : callable, default=None
        ``score(measure, train, held)`` with a measure fitted to the rows ``train``: what to make large, for example
        the accuracy on the rows ``held`` of a model that is built on the measure (`paclearn.spectra.direct_score`).
        The mean log probability of those rows if not given.
    validation : float, default=0.25
        Share of the rows to judge by.
    random_state : int, RandomState instance or None, default=None
        Draws those rows.

    Returns
    -------
    Measure
        The best one, fitted to all rows, with ``validation_`` (the score of every candidate).
    """
    check_between("validation", validation, 0, 1)
    bits = as_states(X)
    rows = check_random_state(random_state).permutation(len(bits))
    held = rows[: round(validation * len(rows))]
    train = rows[len(held) :]
    if len(held) == 0 or len(train) == 0:
        raise InputError(f"{len(bits)} row(s) are too few to keep a share of {validation} aside")
    tried = list(candidates or (UniformMeasure(), ProductMeasure(), ChainMeasure(), TreeMeasure()))
    judge = score or (lambda measure, _, held: float(measure.log_prob(bits[held]).mean()))
    scores = [judge(clone(m).fit(bits[train]), train, held) for m in tried]
    best = clone(tried[int(np.argmax(np.round(scores, 12)))]).fit(X)
    best.validation_ = dict(zip((type(m).__name__ for m in tried), scores, strict=True))
    return best
