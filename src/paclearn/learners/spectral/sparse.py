"""Models of few terms: they grow from nothing, and where room is short beyond what is wanted, and are cut back.

A term that helped most when it came may say little beside those that came later, and some terms help only together:
on the way back the model is always left without the term that it misses least. Of each size the better is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from paclearn.learners.spectral.and_terms import other_wordings, phrase_prices, phrase_worth, phrases_to_try
from paclearn.learners.spectral.fitted_terms import FittedTerms
from paclearn.learners.spectral.forward import grown, ranked
from paclearn.learners.spectral.term_scan import of_equal_size
from paclearn.learners.spectral.tuning import TUNING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.learners.spectral.descent import LinearFit
    from paclearn.learners.spectral.forward import Design
    from paclearn.learners.spectral.leaving_out import LeavingOut
    from paclearn.models.terms import Term

__all__ = ["grow_and_cut", "grow_sparse"]

_WORTH = np.array(TUNING.worth)
_AT_ONCE = 4  # a quarter of the terms that are too many goes at once,
_LOOK_AGAIN_AFTER = 4  # and after so many second derivatives are worked out anew
_LOOK_AGAIN = (1, 2, 4, 8, 16)  # terms at which all others are ranked anew; then at multiples of the last


def grow_sparse(design: Design, penalty: float, sizes: Sequence[int]) -> Iterator[FittedTerms]:
    """Models of these sizes as they grow; where there are not terms enough, the last is as large as can be."""
    model = None
    for model in _forward(design, penalty, max(sizes)):
        if model.n_terms in sizes:
            yield model
    if model is not None and model.n_terms not in sizes:
        yield model


def grow_and_cut(design: Design, penalty: float, sizes: Sequence[int]) -> Iterator[FittedTerms]:
    """Models of these sizes, cut back from larger ones where that is better: for a size that may not be exceeded."""
    most = max(sizes)
    way_up: list[tuple[float, tuple[Term, ...], LinearFit]] = []
    for model in _forward(design, penalty, most + min(most, TUNING.most_spare)):
        way_up.append((model.problem.objective(model.fit, penalty), model.terms, model.fit))
    found, absence = [model] if model.n_terms <= most else [], None
    while model.n_terms > min(sizes):
        if absence is None or absence.gone >= _LOOK_AGAIN_AFTER:
            absence = model.problem.leaving_out(model.fit, penalty)
        how_many = max(1, (model.n_terms - most) // _AT_ONCE)
        model, absence = _without_the_least(design, penalty, model, absence, how_many)
        objective, terms, fit = way_up[model.n_terms]
        if objective < model.problem.objective(model.fit, penalty):  # small models are often better on the way up
            model, absence = FittedTerms(terms, design.problem(terms), fit), None
        if model.n_terms in sizes:
            found.append(model)
    yield from reversed(found)


def _forward(design: Design, penalty: float, most: int) -> Iterator[FittedTerms]:
    """From nothing, term by term: always the one that helps most beside those already there.

    It ends where many in a row have helped no more than the best of as many that explain nothing.
    """
    model = FittedTerms((), design.problem(()), design.problem(()).constant())
    yield model
    pool, basis, idle = None, np.empty((0, len(design.signs)), dtype=np.float32), 0
    while model.n_terms < most and idle < TUNING.idle_terms:
        scores = model.fit.scores(model.problem.matrix) if model.terms else model.fit.intercept
        residual = design.loss.residuals(np.broadcast_to(scores, design.targets.shape), design.targets)
        if pool is None or model.n_terms in _LOOK_AGAIN or model.n_terms % _LOOK_AGAIN[-1] == 0:
            pool = _Pool.of(design, residual, basis)
        best = pool.most_helpful(residual, design)
        if best is None:
            return
        idle = 0 if pool.helps(best, residual, design) else idle + 1
        term, direction = _best_worded(design, residual, basis, pool.terms[best], pool.direction(best, basis))
        pool.forget(direction)
        basis = np.vstack([basis, direction])
        model = grown(design, (*model.terms, term), penalty, model, on_the_way=True)
        yield model


def _best_worded(
    design: Design,
    residual: NDArray[np.float64],
    basis: NDArray[np.float32],
    term: Term,
    direction: NDArray[np.float32],
) -> tuple[Term, NDArray[np.float32]]:
    """The same term or, of phrases, one that says it better, and the direction in which it is new."""
    for _ in range(TUNING.wordings if design.in_phrases else 0):
        few = _Pool.comparing(design, [term, *other_wordings(design, residual, term)], basis)
        best = few.most_helpful(residual, design)
        if not best:
            break
        term, direction = few.terms[best], few.direction(best, basis)
    return term, direction


@dataclass(eq=False)
class _Pool:
    """Terms that are compared exactly: what they would add to a model, and at what price."""

    terms: list[Term]
    candidates: NDArray[np.float32]  # rows x terms, centred
    whole: NDArray[np.float32]  # their variances
    new: NDArray[np.float32]  # what of that the terms of the model do not say
    worth: NDArray[np.float64]
    price: NDArray[np.float64]  # of choosing one among so many of its size

    @classmethod
    def of(cls, design: Design, residual: NDArray[np.float64], basis: NDArray[np.float32]) -> _Pool:
        """All single bits, or the best of many, and the interactions that rank highest."""
        terms = phrases_to_try(design, residual) if design.in_phrases else _parities_to_try(design, residual)
        return cls.comparing(design, terms, basis)

    @classmethod
    def comparing(cls, design: Design, terms: list[Term], basis: NDArray[np.float32]) -> _Pool:
        """These terms, beside a model whose terms span a basis."""
        candidates = _centred(design.products(terms), design.shares)
        whole = np.einsum("ij,ij->j", candidates, candidates)
        new = whole - ((basis @ candidates) ** 2).sum(axis=0)
        price = phrase_prices(design.words, terms) if design.in_phrases else _prices(terms)
        return cls(terms, candidates, whole, new, _worth(design, terms), price)

    def most_helpful(self, residual: NDArray[np.float64], design: Design) -> int | None:
        """The candidate whose part that is new beside the present terms goes best with the residual."""
        if not self.terms:
            return None
        gain = self._explained(slice(None), residual, design).mean(axis=1) * self.worth - self.price
        gain[self.new < TUNING.least_new * self.whole + 1e-6] = -np.inf
        best = int(np.argmax(gain))
        return best if np.isfinite(gain[best]) else None

    def helps(self, best: int, residual: NDArray[np.float64], design: Design) -> bool:
        """Whether a candidate explains more than the best of as many would by chance, in all outputs together."""
        return bool(self._explained(slice(best, best + 1), residual, design).sum() > self.price[best])

    def _explained(self, which: slice, residual: NDArray[np.float64], design: Design) -> NDArray[np.float64]:
        """What the new parts of some candidates explain of every output, in units of chance: terms x outputs."""
        root = np.sqrt(design.shares)[:, None].astype(np.float32)
        r = of_equal_size(residual, design.shares).astype(np.float32) * root
        squares = (self.candidates[:, which].T @ r) ** 2
        return np.asarray(design.counts.sum() * squares / np.maximum(self.new[which], 1e-9)[:, None])

    def direction(self, best: int, basis: NDArray[np.float32]) -> NDArray[np.float32]:
        """The direction in which a candidate is new."""
        direction: NDArray[np.float32] = self.candidates[:, best]
        for _ in range(2):  # once more, since rounding leaves a little behind (Giraud and others, 2005)
            direction = np.subtract(direction, (basis @ direction) @ basis, dtype=np.float32)
        direction /= np.sqrt(direction @ direction)
        return direction

    def forget(self, direction: NDArray[np.float32]) -> None:
        """What candidates say of a direction is not new any more."""
        self.new -= (direction @ self.candidates) ** 2


def _parities_to_try(design: Design, residual: NDArray[np.float64]) -> list[Term]:
    """All single bits, or the best of many, and the interactions that rank highest."""
    scan = design.parity_scan
    singles = [(int(i),) for i in design.varying]
    if len(singles) > 2 * TUNING.pool:
        score = scan.singles(residual)
        singles = sorted(singles, key=lambda t: -score[t[0]])[: 2 * TUNING.pool]
    return singles + [term for _, term in ranked(scan, residual, design.degree, TUNING.pool)[: TUNING.pool]]


def _prices(terms: Sequence[Term]) -> NDArray[np.float64]:
    """What the best of as many terms of its size reaches by chance."""
    sizes = np.array([len(t) for t in terms], dtype=np.intp)
    return 2 * np.log(np.maximum(np.bincount(sizes, minlength=4)[1:], 1))[sizes - 1]


def _worth(design: Design, terms: Sequence[Term]) -> NDArray[np.float64]:
    if design.in_phrases:
        return phrase_worth(design.words, terms)
    return _WORTH[np.array([len(t) for t in terms], dtype=np.intp) - 1]


def _centred(products: NDArray[np.float32], shares: NDArray[np.float64]) -> NDArray[np.float32]:
    """Less their means, and weighted so that sums of squares are variances; in place."""
    products -= shares.astype(np.float32) @ products
    products *= np.sqrt(shares)[:, None].astype(np.float32)
    return products


def _without_the_least(
    design: Design, penalty: float, model: FittedTerms, absence: LeavingOut, how_many: int
) -> tuple[FittedTerms, LeavingOut]:
    """The model without the terms that it would miss least, one after the other, fitted again."""
    terms = list(model.terms)
    for _ in range(how_many):
        least = int(np.argmin(absence.costs * _worth(design, terms)))
        absence = absence.without(least)
        del terms[least]
    problem = design.problem(terms)
    fit = problem.solve(penalty, absence.fit, on_the_way=True)
    return FittedTerms(tuple(terms), problem, fit), replace(absence, fit=fit)
