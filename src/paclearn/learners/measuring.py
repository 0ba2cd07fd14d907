"""The law of the bits that a learner is given or finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from paclearn._parameters import check_choice
from paclearn.encoding.distinct import distinct_signs
from paclearn.exceptions import InputError
from paclearn.measures import ChainMeasure, Measure, ProductMeasure, TreeMeasure, UniformMeasure, best_measure

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MEASURES", "fitted_measure", "measure_from"]

MEASURES = {"uniform": UniformMeasure, "product": ProductMeasure, "chain": ChainMeasure, "tree": TreeMeasure}
_FEWEST_TO_CHOOSE = 4


def measure_from(given: Any) -> Measure | None:
    """A measure to be fitted, from its name or another one; None where rows left out are to choose it."""
    if isinstance(given, str):
        check_choice("measure", given, (*MEASURES, "auto"))
        return MEASURES[given]() if given in MEASURES else None
    if not isinstance(given, Measure):
        raise InputError(f"measure={given!r} must be {', '.join(map(repr, MEASURES))}, 'auto' or a Measure")
    return clone(given)


def fitted_measure(given: Any, signs: NDArray[np.int8], counts: NDArray[np.float64] | None, rng: Any) -> Measure:
    """The measure of the rows; for ``"auto"`` the one that serves rows left out best.

    Fewer than four different rows leave none out, and are taken for independent.
    """
    measure = measure_from(given)
    if measure is None:
        rows = np.ones(len(signs)) if counts is None else counts
        signs, _, draws = distinct_signs(signs, np.zeros(len(signs)), rows)
        if len(signs) >= _FEWEST_TO_CHOOSE:
            every = draws.one_by_one()  # equal rows are several draws, which both parts may hold
            tried = tuple(m() for m in MEASURES.values())
            return best_measure(signs[every.kinds], tried, sample_weight=every.weights, random_state=rng)
        measure = ProductMeasure()
    return measure.fit(signs, None, counts)
