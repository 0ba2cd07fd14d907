"""Models of few terms: they grow from nothing, and where room is short beyond what is wanted, and are cut back.

A term that helped most when it came may say little beside those that came later, and some terms help only together:
on the way back the model is always left without the term that it misses least. Of each size the better is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paclearn.learners.spectral.forward import FittedTerms, grown, ranked
from paclearn.learners.spectral.ridge import LinearFit
from paclearn.learners.spectral.term_scan import of_equal_size
from paclearn.learners.spectral.tuning import TUNING
from paclearn.models.terms import products_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.learners.spectral.forward import Design
    from paclearn.models.terms import Term

__all__ = ["grow_and_cut", "grow_sparse"]

_WORTH = np.array(TUNING.worth)


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
    found = [model] if model.n_terms <= most else []
    while model.n_terms > min(sizes):
        model = _without_the_least(design, penalty, model)
        objective, terms, fit = way_up[model.n_terms]
        if objective < model.problem.objective(model.fit, penalty):  # small models are often better on the way up
            model = FittedTerms(terms, design.problem(terms), fit)
        if model.n_terms in sizes:
            found.append(model)
    yield from reversed(found)


def _forward(design: Design, penalty: float, most: int) -> Iterator[FittedTerms]:
    """From nothing, term by term: always the one that helps most beside those already there."""
    model = FittedTerms((), design.problem(()), design.problem(()).constant())
    yield model
    pool: list[Term] = []
    candidates = np.empty((0, 0), dtype=np.float32)
    while model.n_terms < most:
        scores = model.fit.scores(model.problem.matrix) if model.terms else model.fit.intercept
        residual = design.loss.residuals(np.broadcast_to(scores, design.targets.shape), design.targets)
        if model.n_terms in {0, 1, 2, 4} or model.n_terms % 8 == 0:
            pool = _pool(design, residual)
            candidates = _centred(products_of(design.values, pool), design.shares) if pool else candidates
        new = _most_helpful(candidates, pool, model, residual, design)
        if new is None:
            return
        model = grown(design, (*model.terms, new), penalty, model)
        yield model


def _pool(design: Design, residual: NDArray[np.float64]) -> list[Term]:
    scan = design.parity_scan
    singles = [(i,) for i in range(scan.d) if design.signs[:, i].min() < design.signs[:, i].max()]
    if len(singles) > 2 * TUNING.pool:
        score = scan.singles(residual)
        singles = sorted(singles, key=lambda t: -score[t[0]])[: 2 * TUNING.pool]
    return singles + [term for _, term in ranked(scan, residual, design.degree, TUNING.pool)[: TUNING.pool]]


def _centred(products: NDArray[np.float32], shares: NDArray[np.float64]) -> NDArray[np.float32]:
    """Less their means, and weighted so that sums of squares are variances."""
    centred: NDArray[np.float32] = products - shares.astype(np.float32) @ products
    return centred * np.sqrt(shares)[:, None].astype(np.float32)


def _most_helpful(
    candidates: NDArray[np.float32],
    pool: list[Term],
    model: FittedTerms,
    residual: NDArray[np.float64],
    design: Design,
) -> Term | None:
    """The candidate whose part that is new beside the present terms goes best with the residual."""
    if not pool:
        return None
    shares = design.shares
    root = np.sqrt(shares)[:, None].astype(np.float32)
    new = whole = np.einsum("ij,ij->j", candidates, candidates)
    if model.terms:
        basis = np.linalg.qr(_centred(products_of(model.problem.matrix.values, model.terms), shares))[0]
        new = new - ((basis.T @ candidates) ** 2).sum(axis=0)
    r = of_equal_size(residual, shares).astype(np.float32) * root
    gain = design.counts.sum() * ((candidates.T @ r) ** 2).mean(axis=1) / np.maximum(new, 1e-9)
    price = np.array([2 * np.log(max(sum(len(t) == k for t in pool), 1)) for k in (1, 2, 3)])
    sizes = np.array([len(t) for t in pool])
    gain = gain * _WORTH[sizes - 1] - price[sizes - 1] - np.where(new < TUNING.least_new * whole + 1e-6, np.inf, 0)
    best = int(np.argmax(gain))
    return pool[best] if np.isfinite(gain[best]) else None


def _without_the_least(design: Design, penalty: float, model: FittedTerms) -> FittedTerms:
    """The model without the term that it would miss least, fitted again."""
    worth = _WORTH[np.array([len(t) for t in model.terms]) - 1]
    least = int(np.argmin(model.problem.costs_of_leaving_out(model.fit, penalty) * worth))
    terms = model.terms[:least] + model.terms[least + 1 :]
    problem = design.problem(terms)
    start = LinearFit(np.delete(model.fit.weights, least, axis=0), model.fit.intercept)
    return FittedTerms(terms, problem, problem.solve(penalty, start))
