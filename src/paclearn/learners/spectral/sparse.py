"""Models of few terms: they grow from nothing, and where room is short beyond what is wanted, and are cut back.

A term that helped most when it came may say little beside those that came later, and some terms help only together:
on the way back the model is always left without the term that it misses least. Of each size the better is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paclearn.learners.spectral.forward import Stage, grown, ranked
from paclearn.learners.spectral.ridge import LinearFit
from paclearn.learners.spectral.term_matrix import products_of
from paclearn.learners.spectral.term_scan import of_equal_size

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.learners.spectral.forward import Bench
    from paclearn.learners.spectral.term_matrix import Term

__all__ = ["grow_and_cut", "grow_sparse"]

_POOL = 300  # pairs and triples that are compared exactly
_LEAST_NEW = 0.1  # a term that the others nearly say is left out
_WORTH = np.array([1.0, 0.75, 0.6])  # an XOR must say more than one bit to be as good: it is harder to read
_MOST_SPARE = 60  # terms to be cut again


def grow_sparse(bench: Bench, penalty: float, sizes: Sequence[int]) -> Iterator[Stage]:
    """Models of these sizes as they grow; where there are not terms enough, the last is as large as can be."""
    stage = None
    for stage in _forward(bench, penalty, max(sizes)):
        if stage.n_terms in sizes:
            yield stage
    if stage is not None and stage.n_terms not in sizes:
        yield stage


def grow_and_cut(bench: Bench, penalty: float, sizes: Sequence[int]) -> Iterator[Stage]:
    """Models of these sizes, cut back from larger ones where that is better: for a size that may not be exceeded."""
    most = max(sizes)
    way_up: list[tuple[float, tuple[Term, ...], LinearFit]] = []
    for stage in _forward(bench, penalty, most + min(most, _MOST_SPARE)):
        way_up.append((stage.problem.objective(stage.fit, penalty), stage.terms, stage.fit))
    found = [stage] if stage.n_terms <= most else []
    while stage.n_terms > min(sizes):
        stage = _without_the_least(bench, penalty, stage)
        objective, terms, fit = way_up[stage.n_terms]
        if objective < stage.problem.objective(stage.fit, penalty):  # small models are often better on the way up
            stage = Stage(terms, bench.problem(terms), fit)
        if stage.n_terms in sizes:
            found.append(stage)
    yield from reversed(found)


def _forward(bench: Bench, penalty: float, most: int) -> Iterator[Stage]:
    """From nothing, term by term: always the one that helps most beside those already there."""
    stage = Stage((), bench.problem(()), bench.problem(()).constant())
    yield stage
    pool: list[Term] = []
    candidates = np.empty((0, 0), dtype=np.float32)
    while stage.n_terms < most:
        scores = stage.fit.scores(stage.problem.matrix) if stage.terms else stage.fit.intercept
        residual = bench.loss.residuals(np.broadcast_to(scores, bench.targets.shape), bench.targets)
        if stage.n_terms in {0, 1, 2, 4} or stage.n_terms % 8 == 0:
            pool = _pool(bench, residual)
            candidates = _centred(products_of(bench.values, pool), bench.shares) if pool else candidates
        new = _most_helpful(candidates, pool, stage, residual, bench)
        if new is None:
            return
        stage = grown(bench, (*stage.terms, new), penalty, stage)
        yield stage


def _pool(bench: Bench, residual: NDArray[np.float64]) -> list[Term]:
    scan = bench.parity_scan
    singles = [(i,) for i in range(scan.d) if bench.signs[:, i].min() < bench.signs[:, i].max()]
    if len(singles) > 2 * _POOL:
        score = scan.singles(residual)
        singles = sorted(singles, key=lambda t: -score[t[0]])[: 2 * _POOL]
    return singles + [term for _, term in ranked(scan, residual, bench.degree, _POOL)[:_POOL]]


def _centred(products: NDArray[np.float32], shares: NDArray[np.float64]) -> NDArray[np.float32]:
    """Less their means, and weighted so that sums of squares are variances."""
    centred: NDArray[np.float32] = products - shares.astype(np.float32) @ products
    return centred * np.sqrt(shares)[:, None].astype(np.float32)


def _most_helpful(
    candidates: NDArray[np.float32],
    pool: list[Term],
    stage: Stage,
    residual: NDArray[np.float64],
    bench: Bench,
) -> Term | None:
    """The candidate whose part that is new beside the present terms goes best with the residual."""
    if not pool:
        return None
    shares = bench.shares
    root = np.sqrt(shares)[:, None].astype(np.float32)
    new = whole = np.einsum("ij,ij->j", candidates, candidates)
    if stage.terms:
        basis = np.linalg.qr(_centred(products_of(stage.problem.matrix.values, stage.terms), shares))[0]
        new = new - ((basis.T @ candidates) ** 2).sum(axis=0)
    r = of_equal_size(residual, shares).astype(np.float32) * root
    gain = bench.counts.sum() * ((candidates.T @ r) ** 2).mean(axis=1) / np.maximum(new, 1e-9)
    price = np.array([2 * np.log(max(sum(len(t) == k for t in pool), 1)) for k in (1, 2, 3)])
    sizes = np.array([len(t) for t in pool])
    gain = gain * _WORTH[sizes - 1] - price[sizes - 1] - np.where(new < _LEAST_NEW * whole + 1e-6, np.inf, 0)
    best = int(np.argmax(gain))
    return pool[best] if np.isfinite(gain[best]) else None


def _without_the_least(bench: Bench, penalty: float, stage: Stage) -> Stage:
    """The model without the term that it would miss least, fitted again."""
    worth = _WORTH[np.array([len(t) for t in stage.terms]) - 1]
    least = int(np.argmin(stage.problem.costs_of_leaving_out(stage.fit, penalty) * worth))
    terms = stage.terms[:least] + stage.terms[least + 1 :]
    problem = bench.problem(terms)
    start = LinearFit(np.delete(stage.fit.weights, least, axis=0), stage.fit.intercept)
    return Stage(terms, problem, problem.solve(penalty, start))
