"""Candidates for a short model in words: conditions, conjunctions of two or three, and parities if there are some."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paclearn.learners.spectral.phrases import Phrase
from paclearn.learners.spectral.tuning import TUNING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.learners.spectral.forward import Design
    from paclearn.learners.spectral.phrases import Vocabulary
    from paclearn.models.terms import Term

__all__ = ["other_wordings", "phrase_prices", "phrase_worth", "phrases_to_try"]


def phrases_to_try(design: Design, residual: NDArray[np.float64]) -> list[Term]:
    """All single conditions, the best sets of codes of each column, and the conjunctions that rank highest."""
    scan, words = design.phrase_scan, design.words
    found = dict.fromkeys(_singles(design, residual))
    found |= dict.fromkeys(scan.of_columns(residual))
    if design.degree >= 2:
        pairs = scan.pairs(residual, TUNING.phrases)
        found |= dict.fromkeys(pairs)
        if design.degree >= 3:
            found |= dict.fromkeys(scan.longer(residual, pairs[: TUNING.parents], design.degree, TUNING.phrases))
        found |= dict.fromkeys(design.odd_phrases)
    return [words.term(phrase) for phrase in found]


def other_wordings(design: Design, residual: NDArray[np.float64], term: Term) -> list[Term]:
    """The same with other codes of one of its columns: a threshold nearby, an interval, a longer list of levels."""
    phrase = design.words.phrase(term)
    if phrase.join != "and":
        return []
    return [design.words.term(new) for new in design.phrase_scan.reworded(residual, [phrase])]


def _singles(design: Design, residual: NDArray[np.float64]) -> list[Phrase]:
    places = design.varying
    if len(places) > 2 * TUNING.pool:
        score = design.parity_scan.singles(residual)
        places = places[np.argsort(-score[places], kind="stable")[: 2 * TUNING.pool]]
    return [Phrase((design.words.literals[i][0],)) for i in places]


def phrase_worth(words: Vocabulary, terms: Sequence[Term]) -> NDArray[np.float64]:
    """What is gained by a term counts less the longer it is to read."""
    worth = {"and": TUNING.phrase_worth, "odd": TUNING.worth}
    phrases = [words.phrase(term) for term in terms]
    return np.array([worth[phrase.join][len(phrase) - 1] for phrase in phrases])


def phrase_prices(words: Vocabulary, terms: Sequence[Term]) -> NDArray[np.float64]:
    """What the best of as many terms that explain nothing would reach."""
    return np.array([words.price(term) for term in terms])
