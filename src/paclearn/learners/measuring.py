"""The law of the bits that a learner is given or finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from paclearn._parameters import check_choice
from paclearn._text import without_repeats
from paclearn.encoding.distinct import distinct_signs
from paclearn.exceptions import InputError
from paclearn.measures import (
    ChainMeasure,
    GridMeasure,
    GroupMeasure,
    Measure,
    ProductMeasure,
    TreeMeasure,
    UniformMeasure,
    best_measure,
)
from paclearn.measures.bit_layout import BitLayout, BitRows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import Bit, Domain

__all__ = ["MEASURES", "fitted_measure", "layout_in", "measure_from"]

MEASURES = {"uniform": UniformMeasure, "product": ProductMeasure, "chain": ChainMeasure, "tree": TreeMeasure}
_STRUCTURES = {"groups": GroupMeasure, "grid": GridMeasure}  # what the columns must be arranged for
_WORDS: dict[str, type[Measure]] = {**MEASURES, **_STRUCTURES}
_FEWEST_TO_CHOOSE = 4


def measure_from(given: Any) -> Measure | None:
    """A measure to be fitted, from its name or another one; None where rows left out are to choose it."""
    if isinstance(given, str):
        check_choice("measure", given, (*_WORDS, "auto"))
        return _WORDS[given]() if given in _WORDS else None
    if not isinstance(given, Measure):
        raise InputError(f"measure={given!r} must be {', '.join(map(repr, _WORDS))}, 'auto' or a Measure of bits")
    return clone(given)


def layout_in(domain: Domain, bits: Sequence[Bit], table: Sequence[str]) -> BitLayout:
    """What the bits are about, for measures that depend on how the columns of a table are arranged."""
    columns = [domain.columns[bit.column] for bit in bits]
    names = without_repeats(bit.name for bit in bits)
    return BitLayout(names, tuple(c.name for c in columns), tuple(c.position for c in columns), tuple(table))


def fitted_measure(
    given: Any, signs: NDArray[np.int8], layout: BitLayout, counts: NDArray[np.float64] | None, rng: Any
) -> Measure:
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
            drawn = BitRows(signs[every.kinds], layout)
            return best_measure(drawn, tried, sample_weight=every.weights, random_state=rng)
        measure = ProductMeasure()
    return measure.fit(BitRows(signs, layout), None, counts)
