"""Parities, where they really are there: nothing simpler about their columns says half as much."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np

from paclearn.learners.spectral.phrases import Phrase
from paclearn.learners.spectral.tuning import TUNING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from paclearn.learners.spectral.forward import Design
    from paclearn.learners.spectral.phrases import Condition, Vocabulary
    from paclearn.models.terms import Term

__all__ = ["odd_phrases"]

_LOOKED_AT = 5  # of the pairs, and of the triples, that rank highest
_BEYOND_CHANCE = 10.0  # by how much a parity must rank above the best of as many that mean nothing


def odd_phrases(design: Design) -> list[Phrase]:
    """Of two or three bits, ranked by their coefficients (the thesis's rule), before anything else is known."""
    start = design.loss.intercept(design.shares @ design.targets)
    residual = design.loss.residuals(np.broadcast_to(start, design.targets.shape), design.targets)
    found = [_odd(design.words, term) for term in _ranked(design, residual)]
    return [phrase for phrase in found if _says_most(design, residual, phrase)]


def _ranked(design: Design, residual: NDArray[np.float64]) -> list[Term]:
    bits = design.phrase_scan.paired
    scan = design.parity_scan if len(bits) == design.signs.shape[1] else design.parity_scan_of(bits)
    found: list[Term] = []
    if design.degree >= 2 and scan.n_pairs:
        best = sorted(scan.best_pairs(residual, _LOOKED_AT), key=lambda item: (-item[0], item[1]))
        found = [tuple(bits[list(term)].tolist()) for _, term in best]
    (n, d), outputs = design.signs.shape, design.targets.shape[1]
    if design.degree >= 3 and d <= TUNING.few_bits and n * outputs * d**3 / 6 < TUNING.cheap_triples:
        found += [term for _, term in scan.triples(residual, _LOOKED_AT)]
    return found


def _odd(words: Vocabulary, term: Term) -> Phrase:
    return Phrase(tuple(sorted(words.literals[i][0] for i in term)), "odd")


def _says_most(design: Design, residual: NDArray[np.float64], phrase: Phrase) -> bool:
    simpler = list(_simpler(design.words, phrase))
    score, *others = design.phrase_scan.scores([phrase, *simpler], residual)
    chance = 2 * design.words.log_choices(phrase) + _BEYOND_CHANCE
    return bool(score > max(chance, TUNING.clearly_odd * max(others)))


def _simpler(words: Vocabulary, phrase: Phrase) -> Iterator[Phrase]:
    """Conjunctions of its conditions and of what denies them, and parities of fewer."""
    ways = [(part, _denied(words, part)) for part in phrase.conditions]
    for size in range(1, len(ways) + 1):
        for some in combinations(ways, size):
            yield from (Phrase(parts) for parts in product(*some) if all(codes for _, codes in parts))
            if 1 < size < len(ways):
                yield Phrase(tuple(part for part, _ in some), "odd")


def _denied(words: Vocabulary, part: Condition) -> Condition:
    column, codes = part
    return column, tuple(code for code in words.present(column) if code not in codes)
