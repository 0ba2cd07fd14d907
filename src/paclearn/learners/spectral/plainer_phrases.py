r"""The same said more plainly: a short model with fewer phrases, fewer conditions and intervals that are open.

Phrases that grew one by one overlap, since each says what those before left over: an interval that another one nearly
covers, two neighbouring intervals of nearly equal weight, an upper end that three rows are above. A step says the same
in fewer words: it drops a phrase, drops a condition of one, opens an interval, or takes two phrases that differ in one
column for one. It is taken as long as it costs less than the words are worth: nats of the loss of the rows against the
description length that is saved (Rissanen 1978), times a share that rows left out choose.

What a step costs is estimated by how near the new phrases come to the scores of the old, weighted by the second
derivatives of the loss, since at a minimum there is no first one; what is taken has been fitted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import log
from typing import TYPE_CHECKING

import numpy as np

from paclearn.encoding.conditions import runs
from paclearn.learners.spectral.and_terms import other_wordings
from paclearn.learners.spectral.fitted_terms import FittedTerms
from paclearn.learners.spectral.tuning import TUNING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.learners.spectral.forward import Design
    from paclearn.learners.spectral.phrases import Phrase, Vocabulary
    from paclearn.models.terms import Term

__all__ = ["said_plainly"]

_FITTED = 3  # steps that look best, which are fitted before none is taken
_JITTER = 1e-9
_NO_GAIN = 1e-6


def said_plainly(design: Design, terms: tuple[Term, ...], share: float) -> tuple[Term, ...]:
    """The terms after all steps that cost less than this share of what they save, taking smaller shares first."""
    for price in TUNING.plain:
        terms = _for_a_price(design, terms, price) if price <= share else terms
    return terms


def _for_a_price(design: Design, terms: tuple[Term, ...], share: float) -> tuple[Term, ...]:
    """All steps; then thresholds that lie better now that others are gone, and what steps that leaves."""
    model = _all_steps(design, _fitted(design, terms), share)
    for term in model.terms:
        better = _better_worded(design, model, term, share)
        model = model if better is None else _all_steps(design, better, share)
    return model.terms


def _all_steps(design: Design, model: FittedTerms, share: float) -> FittedTerms:
    while (plainer := _next(design, model, share)) is not None:
        model = plainer
    return model


def _better_worded(design: Design, model: FittedTerms, term: Term, share: float) -> FittedTerms | None:
    """The model with other codes of one column in one of its phrases, if that tells more than it takes to say."""
    if term not in model.terms:
        return None
    others = tuple(other for other in model.terms if other != term)
    rest = _fitted(design, others)
    residual = design.residual(rest.problem.scores(rest.fit))
    found = [_fitted(design, (*others, new)) for new in other_wordings(design, residual, term) if new not in others]
    lost = [_nats(design, model, one) + share * _length(design, one.terms) for one in found]
    best = int(np.argmin(lost)) if lost else 0
    return found[best] if lost and lost[best] < share * _length(design, model.terms) - _NO_GAIN else None


def _fitted(design: Design, terms: tuple[Term, ...]) -> FittedTerms:
    """Hardly held back: a penalty on weights would rather have three phrases of the same than one that weighs more."""
    problem = design.problem(terms)
    return FittedTerms(terms, problem, problem.solve(TUNING.least_penalty))


@dataclass(frozen=True)
class _Step:
    """Places of phrases that go, what comes in their place, and the nats that are saved."""

    gone: tuple[int, ...]
    new: Phrase | None
    saved: float = 0.0

    def of(self, terms: Sequence[Term], words: Vocabulary) -> tuple[Term, ...]:
        """The terms after it."""
        kept = [term for i, term in enumerate(terms) if i not in self.gone]
        return tuple(dict.fromkeys([*kept, *([] if self.new is None else [words.term(self.new)])]))


def _next(design: Design, model: FittedTerms, share: float) -> FittedTerms | None:
    """The model after the step that gains most, if one gains."""
    words, terms = design.words, model.terms
    before = _length(design, terms)
    found = (_Step(s.gone, s.new, share * (before - _length(design, s.of(terms, words)))) for s in _steps(words, terms))
    steps = [step for step in found if step.saved > 0]
    if not steps:
        return None
    costs = _in_nats(design, model) * _Nearness(design, model, steps).costs
    gains = np.array([step.saved for step in steps]) - costs
    for i in np.argsort(-gains, kind="stable")[:_FITTED]:
        plainer = _fitted(design, steps[i].of(terms, words))
        if _nats(design, model, plainer) < steps[i].saved:
            return plainer
    return None


def _nats(design: Design, before: FittedTerms, after: FittedTerms) -> float:
    """What all rows lose by another model, in nats."""
    more = after.problem.objective(after.fit, 0.0) - before.problem.objective(before.fit, 0.0)
    return _in_nats(design, before) * more


def _in_nats(design: Design, model: FittedTerms) -> float:
    """How many nats of all rows there are to a unit of the mean loss: of numbers, by the variance that is left."""
    said = design.loss.predictions(model.problem.scores(model.fit))
    dispersion = float(design.loss.dispersion(design.targets, said, design.shares).mean())
    return float(design.counts.sum()) / max(dispersion, 1e-12)


def _length(design: Design, terms: Sequence[Term]) -> float:
    """Nats to say which phrases, and a weight of each to as many figures as the rows can tell."""
    weights = len(terms) * design.targets.shape[1]
    return design.words.log_choices_of_all(terms) + weights * log(max(design.counts.sum(), 2.0)) / 2


# ---- steps -----------------------------------------------------------------------------------------------------------


def _steps(words: Vocabulary, terms: Sequence[Term]) -> Iterator[_Step]:
    phrases = [words.phrase(term) for term in terms]
    for i, phrase in enumerate(phrases):
        yield _Step((i,), None)
        if phrase.join == "and":
            yield from (_Step((i,), new) for new in _shorter(words, phrase))
    for (i, one), (j, other) in combinations(enumerate(phrases), 2):
        yield from (_Step((i, j), new) for new in _both(words, one, other))


def _shorter(words: Vocabulary, phrase: Phrase) -> Iterator[Phrase]:
    """Without one of its conditions, or with an interval that is open at one end."""
    for column, codes in phrase.conditions:
        rest = phrase.without(column)
        if len(rest):
            yield rest
        for opened in _opened(words.order(column), codes):
            new = rest.with_condition((column, opened))
            if new is not None:
                yield new


def _opened(order: list[int] | None, codes: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """An interval without its lower or its upper end; of "below or above" one of the two."""
    if order is None or not set(codes) <= set(order):
        return
    found = runs(order.index(code) for code in codes)
    if len(found) == 1:
        (first, last), *_ = found
        if first > 0 and last < len(order) - 1:
            yield tuple(sorted(order[first:]))
            yield tuple(sorted(order[: last + 1]))
    elif len(found) == 2:
        yield from (tuple(sorted(order[first : last + 1])) for first, last in found)


def _both(words: Vocabulary, one: Phrase, other: Phrase) -> Iterator[Phrase]:
    """What is true where either of two phrases is, if they differ in the codes of one column."""
    if (one.join, one.columns) != (other.join, other.columns) or one.join != "and":
        return
    differing = [(a, b) for a, b in zip(one.conditions, other.conditions, strict=True) if a != b]
    if len(differing) != 1:
        return
    ((column, some), (_, more)) = differing[0]
    codes = tuple(sorted({*some, *more}))
    if set(codes) < set(words.present(column)) and words.is_plain(column, codes):
        new = one.without(column).with_condition((column, codes))
        if new is not None:
            yield new


# ---- what they cost --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Nearness:
    """How near other phrases come to the scores of a model, by least squares in the metric of the loss."""

    design: Design
    model: FittedTerms
    steps: Sequence[_Step]

    @property
    def costs(self) -> NDArray[np.float64]:
        """About what each step adds to the mean loss."""
        return np.sum([self._of_output(k) for k in range(self._scores.shape[1])], axis=0)

    @cached_property
    def _scores(self) -> NDArray[np.float64]:
        return self.model.problem.scores(self.model.fit)

    @cached_property
    def _new(self) -> dict[Term, int]:
        """A number for each phrase that a step brings, behind one and the phrases of the model."""
        words = self.design.words
        found = dict.fromkeys(words.term(step.new) for step in self.steps if step.new is not None)
        return {term: i for i, term in enumerate(found, 1 + len(self.model.terms))}

    @cached_property
    def _columns(self) -> NDArray[np.float64]:
        """Rows x all of these."""
        products = self.design.products([*self.model.terms, *self._new]).astype(np.float64)
        return np.hstack([np.ones((len(products), 1)), products])

    def _of_output(self, k: int) -> NDArray[np.float64]:
        weights = self.design.shares * self.design.loss.hessian(self._scores)[:, k]
        weighted = self._columns * weights[:, None]
        known = 1 + len(self.model.terms)
        gram = weighted.T @ self._columns[:, :known]
        own = np.einsum("ij,ij->j", weighted, self._columns)
        moments, square = weighted.T @ self._scores[:, k], float(weights @ self._scores[:, k] ** 2)
        return np.array([self._missed(step, gram, own, moments, square) for step in self.steps])

    def _missed(
        self,
        step: _Step,
        gram: NDArray[np.float64],
        own: NDArray[np.float64],
        moments: NDArray[np.float64],
        square: float,
    ) -> float:
        """Half the squared distance of the scores from what is left and what is new."""
        kept = [i for i in range(gram.shape[1]) if i - 1 not in step.gone]
        new = [] if step.new is None else [self._new[self.design.words.term(step.new)]]
        places = [*kept, *new]
        inner = np.empty((len(places),) * 2)
        inner[: len(kept), : len(kept)] = gram[np.ix_(kept, kept)]
        if new:
            inner[-1, :-1] = inner[:-1, -1] = gram[new[0], kept]
            inner[-1, -1] = own[new[0]]
        inner[np.diag_indices_from(inner)] += _JITTER
        wanted = moments[places]
        return max(square - float(wanted @ np.linalg.solve(inner, wanted)), 0.0) / 2
