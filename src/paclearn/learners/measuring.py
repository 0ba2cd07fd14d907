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

__all__ = ["MEASURES", "fitted_measure", "layout_in", "measures_from"]

MEASURES: dict[str, type[Measure]] = {  # what "auto" chooses from, the simplest first
    "uniform": UniformMeasure,
    "product": ProductMeasure,
    "groups": GroupMeasure,
    "chain": ChainMeasure,
    "tree": TreeMeasure,
}
_WORDS: dict[str, type[Measure]] = {**MEASURES, "grid": GridMeasure}
_FEWEST_TO_CHOOSE = 4


def measures_from(given: Any) -> list[Measure]:
    """The measures to be fitted, from names or others of their kind: one, or those that rows left out choose from."""
    if isinstance(given, list | tuple) and given:
        return [measure for each in given for measure in measures_from(each)]
    if isinstance(given, str):
        check_choice("measure", given, (*_WORDS, "auto"))
        return [_WORDS[given]()] if given in _WORDS else [measure() for measure in MEASURES.values()]
    if not isinstance(given, Measure):
        known = ", ".join(map(repr, _WORDS))
        raise InputError(f"measure={given!r} must be {known}, 'auto', a Measure of bits, or a list of such")
    return [clone(given)]


def layout_in(domain: Domain, bits: Sequence[Bit], table: Sequence[str]) -> BitLayout:
    """What the bits are about, for measures that depend on how the columns of a table are arranged."""
    columns = [domain.columns[bit.column] for bit in bits]
    names = without_repeats(bit.name for bit in bits)
    places, sources = tuple(c.position for c in columns), tuple(c.features for c in columns)
    return BitLayout(names, tuple(c.name for c in columns), places, tuple(table), sources)


def fitted_measure(
    given: Any, signs: NDArray[np.int8], layout: BitLayout, counts: NDArray[np.float64] | None, rng: Any
) -> Measure:
    """The measure of the rows; of several the one that serves rows left out best.

    Fewer than four different rows leave none out, and are taken for independent.
    """
    tried = measures_from(given)
    if len(tried) == 1:
        return tried[0].fit(BitRows(signs, layout), None, counts)
    rows = np.ones(len(signs)) if counts is None else counts
    signs, _, draws = distinct_signs(signs, np.zeros(len(signs)), rows)
    if len(signs) < _FEWEST_TO_CHOOSE:
        return ProductMeasure().fit(BitRows(signs, layout), None, counts)
    every = draws.one_by_one()  # equal rows are several draws, which both parts may hold
    drawn = BitRows(signs[every.kinds], layout)
    return best_measure(drawn, tried, sample_weight=every.weights, random_state=rng)
