"""Which measure? The one that serves rows it has not seen best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing, check_random_state

from paclearn._parameters import check_between
from paclearn.exceptions import InputError
from paclearn.measures.bit_layout import BitRows
from paclearn.measures.families import ProductMeasure, TreeMeasure, UniformMeasure
from paclearn.measures.known_structures import ChainMeasure
from paclearn.measures.measure import Measure
from paclearn.measures.network import as_states
from paclearn.tables.weights import weights_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = ["best_measure"]

_DEFAULT = (UniformMeasure(), ProductMeasure(), ChainMeasure(), TreeMeasure())


def best_measure(
    X: Any,
    candidates: Sequence[Measure] | None = None,
    *,
    score: Callable[[Measure, NDArray[np.intp], NDArray[np.intp]], float] | None = None,
    validation: float = 0.25,
    sample_weight: Any = None,
    random_state: Any = None,
) -> Measure:
    """Fit measures of growing complexity to some rows and keep the one that serves the others best.

    With few rows the true structure need not be the best choice: where bits have many parents, its probabilities are
    known too badly.

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
    sample_weight : array-like of shape (n_rows,), default=None
        How much each row counts, in the fits and in the mean log probability.
    random_state : int, RandomState instance or None, default=None
        Draws those rows.

    Returns
    -------
    Measure
        The best one, fitted to all rows, with ``validation_`` (every candidate and its score).
    """
    check_between("validation", validation, 0, 1)
    bits = as_states(X)
    weights = weights_of(sample_weight, len(bits))
    counting = len(bits) if weights is None else np.flatnonzero(weights)
    rows = check_random_state(random_state).permutation(counting)
    held = rows[: round(validation * len(rows))]
    train = rows[len(held) :]
    if len(held) == 0 or len(train) == 0:
        raise InputError(f"{len(rows)} row(s) are too few to keep a share of {validation} aside")
    tried = list(_DEFAULT if candidates is None else candidates)
    if not tried:
        raise InputError("no candidates were given")
    if not all(isinstance(measure, Measure) for measure in tried):
        raise InputError(f"candidates are measures, such as ProductMeasure(); found {tried}")
    learning, judging = (None if weights is None else weights[some] for some in (train, held))
    judge = score or (lambda measure, _, held: float(np.average(measure.log_prob(_some_of(X, held)), weights=judging)))
    scores = [judge(clone(m).fit(_some_of(X, train), None, learning), train, held) for m in tried]
    if np.isnan(scores).any():
        raise InputError(f"the score of {tried[int(np.isnan(scores).argmax())]!r} is not a number")
    best = clone(tried[int(np.argmax(np.round(scores, 12)))]).fit(X, None, weights)
    best.validation_ = list(zip(map(repr, tried), scores, strict=True))
    return best


def _some_of(X: Any, rows: NDArray[np.intp]) -> Any:
    return X[rows] if isinstance(X, BitRows) else _safe_indexing(X, rows)
