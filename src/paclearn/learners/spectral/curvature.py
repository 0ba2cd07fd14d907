"""Coordinates in which a loss is about round, so that a general solver takes few steps.

Weights are points in the coordinates: ``out_of`` a point to weights, ``into`` back, ``gradient`` by weights to gradient
by the point. A factor of the second derivatives is the best and the dearest; what is common to all outputs, or to a
weight by itself, is cheaper. None of them has a say in where the minimum is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import cholesky
from scipy.linalg.lapack import dpotrf, dpotri, dtrtri, dtrtrs, spotrf, strtri

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["JITTER", "Axes", "Factors", "Scales", "SecondDerivatives", "inverse", "solved"]

JITTER = 1e-6  # of the largest variance, on the diagonal: sums are of single precision
_LEAST_RIDGE = 1e-6
_RAISES = 8  # tenfold each


@dataclass(eq=False)
class SecondDerivatives:
    """By the weights, one matrix for every output or one for all, with the curvatures of the rows that they are of."""

    grams: list[NDArray[np.float64]] = field(default_factory=list)
    curvatures: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0)))  # rows x outputs

    def forget(self) -> None:
        self.grams = []

    def extend(
        self, before: SecondDerivatives, blocks: Iterable[tuple[slice, NDArray[np.float32]]], n_terms: int
    ) -> None:
        """Those of fewer terms, and what the new ones add: rows x all terms, centred, some rows at a time."""
        first = len(before.grams[0])
        across = np.zeros((len(before.grams), n_terms - first, n_terms))
        for some, block in blocks:
            for k, curvature in enumerate(before.curvatures[some].T):
                across[k] += (block[:, first:] * curvature[:, None].astype(np.float32)).T @ block
        self.curvatures = before.curvatures
        self.grams = [_bordered(gram, new) for gram, new in zip(before.grams, across, strict=True)]


def _bordered(gram: NDArray[np.float64], new: NDArray[np.float64]) -> NDArray[np.float64]:
    """A symmetric matrix with more rows below it."""
    first = len(gram)
    whole = np.empty((new.shape[1],) * 2)
    whole[:first, :first] = gram
    whole[first:] = new
    whole[:first, first:] = new[:, :first].T
    return whole


@dataclass(frozen=True, eq=False)
class Factors:
    """One Cholesky factor for every output, or one for all, and their inverses: outputs x terms x terms.

    In single precision, as the matrix is: they say where it is steep, not where the minimum is.
    """

    lower: NDArray[np.float32]
    inverse: NDArray[np.float32]

    @classmethod
    def of(cls, grams: Iterable[NDArray[np.float64]], penalty: float) -> Factors:
        """From the second derivatives in every output, or their mean; with the penalty they are changed in place."""
        found = [_factor(gram, penalty) for gram in grams]
        if len(found) == 1:  # without copies of what may be large
            return cls(found[0][0][None], found[0][1][None])
        return cls(np.stack([lower for lower, _ in found]), np.stack([inverse for _, inverse in found]))

    def out_of(self, point: NDArray[np.float64]) -> NDArray[np.float64]:
        return _each(self.inverse.transpose(0, 2, 1), point)

    def gradient(self, gradient: NDArray[np.float64]) -> NDArray[np.float64]:
        return _each(self.inverse, gradient)

    def into(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return _each(self.lower.transpose(0, 2, 1), weights)


@dataclass(frozen=True, eq=False)
class Axes:
    """Principal axes of the terms, for all outputs, and how steep each of these is along them: axes x outputs.

    The second derivatives of an output are taken for the covariance of the terms times its mean curvature.
    """

    axes: NDArray[np.float32]
    roots: NDArray[np.float64]

    @classmethod
    def of(
        cls, known: tuple[NDArray[np.float32], NDArray[np.float32]], curvatures: NDArray[np.float64], penalty: float
    ) -> Axes:
        variances, axes = known
        return cls(axes, np.sqrt(np.outer(variances, curvatures) + max(penalty, _LEAST_RIDGE)))

    def out_of(self, point: NDArray[np.float64]) -> NDArray[np.float64]:
        return (self.axes @ (point / self.roots).astype(np.float32)).astype(np.float64)

    def gradient(self, gradient: NDArray[np.float64]) -> NDArray[np.float64]:
        return (self.axes.T @ gradient.astype(np.float32)) / self.roots

    def into(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return (self.axes.T @ weights.astype(np.float32)) * self.roots


@dataclass(frozen=True, eq=False)
class Scales:
    """A square root for every weight: about round where terms have little to do with each other, as rare levels do."""

    roots: NDArray[np.float64]

    @classmethod
    def of(cls, diagonal: NDArray[np.float64], penalty: float) -> Scales:
        """From the diagonal of the second derivatives, terms x outputs."""
        return cls(np.sqrt(np.maximum(diagonal, 0) + max(penalty, _LEAST_RIDGE)))

    def out_of(self, point: NDArray[np.float64]) -> NDArray[np.float64]:
        return point / self.roots

    def gradient(self, gradient: NDArray[np.float64]) -> NDArray[np.float64]:
        return gradient / self.roots

    def into(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return weights * self.roots


def _each(matrices: NDArray[np.float32], columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every output's column times its matrix, or all columns times the only one."""
    single = columns.astype(np.float32)
    if len(matrices) == 1:
        return (matrices[0] @ single).astype(np.float64)
    return (matrices @ single.T[:, :, None])[:, :, 0].T.astype(np.float64)


def _factor(gram: NDArray[np.float64], penalty: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The Cholesky factor and its inverse; worked out in double precision where single is not enough."""
    gram[np.diag_indices(len(gram))] += max(penalty, _LEAST_RIDGE) + JITTER * gram.diagonal().max(initial=0.0)
    if not len(gram):  # of nothing LAPACK has but complaints
        return (nothing := gram.astype(np.float32)), nothing
    lower, failed = spotrf(gram.T, lower=1)  # symmetric: the same matrix as LAPACK stores it
    if not failed:
        return lower, strtri(lower, lower=1)[0]
    lower = cholesky(gram, lower=True)
    return lower.astype(np.float32), dtrtri(lower, lower=1)[0].astype(np.float32)


def inverse(gram: NDArray[np.float64], ridge: float) -> NDArray[np.float64]:
    """Of a symmetric matrix with something added to its diagonal."""
    gram[np.diag_indices(len(gram))] += ridge
    half = np.tril(dpotri(cholesky(gram, lower=True), lower=1)[0])
    return half + np.tril(half, -1).T


def _factored(gram: NDArray[np.float64], ridge: float) -> NDArray[np.float64]:
    """Of columns that repeat each other, sums of single precision may be below nought: then more is added."""
    for _ in range(_RAISES):
        raised = gram.copy()
        raised.reshape(-1)[:: len(raised) + 1] += ridge
        factor, failed = dpotrf(raised.T, lower=True, overwrite_a=True)
        if not failed:
            return np.asarray(factor)
        ridge *= 10
    raise np.linalg.LinAlgError(f"the leading minor of order {failed} is not positive definite")


def solved(gram: NDArray[np.float64], ridge: float, right: NDArray[np.float64]) -> NDArray[np.float64]:
    """By a symmetric matrix with something added to its diagonal; LAPACK itself, as most systems are small."""
    if not len(gram):
        return right  # of nothing LAPACK has but complaints
    factor = _factored(gram, ridge)
    return np.asarray(dtrtrs(factor, dtrtrs(factor, right, lower=True)[0], lower=True, trans=1)[0])
