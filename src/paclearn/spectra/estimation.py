"""Coefficients from rows: which subsets, which targets, and their means with standard errors."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._parameters import is_whole
from paclearn.exceptions import InputError
from paclearn.measures.network import as_subset
from paclearn.spectra.moments import Sample, moments_of, moments_up_to
from paclearn.tables.weights import effective_rows, weights_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.measures import Network

__all__ = ["Estimates", "estimate"]

_MOST_SUBSETS = 2**22
Subsets = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class Estimates:
    """Coefficients of subsets, their standard errors, the classes behind the targets, and whether all are -1 or +1."""

    subsets: Subsets
    values: NDArray[np.float64]
    se: NDArray[np.float64]
    classes: tuple[Any, ...]
    signs: bool


def estimate(
    network: Network,
    bits: NDArray[np.uint8],
    y: Any,
    degree: int,
    subsets: Sequence[Sequence[int]] | None,
    sample_weight: Any,
) -> Estimates:
    r""":math:`\hat f(S) = \frac1n \sum_i y_i\,\phi_S(x_i)`: Zhang (2019), Algorithm 1, step 2."""
    chosen = subsets_up_to(network.d, degree) if subsets is None else _listed(subsets, network.d)
    targets, classes = targets_of(y)
    if len(bits) != len(targets) or len(bits) == 0:
        raise InputError(f"there are {len(bits)} rows of bits and {len(targets)} labels")
    sample = Sample(bits, targets, weights_of(sample_weight, len(bits)))
    if subsets is None:
        values, squares = moments_up_to(network, sample, min(degree, network.d))
    else:
        values, squares = moments_of(network, sample, chosen)
    errors = _standard_errors(sample, chosen, values, squares)
    return Estimates(chosen, values, errors, classes, signs=bool((np.abs(targets) == 1).all()))


def _standard_errors(
    sample: Sample, chosen: Subsets, values: NDArray[np.float64], squares: NDArray[np.float64]
) -> NDArray[np.float64]:
    weights, targets = sample.weights, sample.targets
    n = effective_rows(weights, len(targets))
    se = np.sqrt(np.maximum(squares - values**2, 0) / n)
    if () in chosen:  # a mean, whose square may be much larger than its variance
        middle = np.average(targets, axis=0, weights=weights)
        se[chosen.index(())] = np.sqrt(np.average((targets - middle) ** 2, axis=0, weights=weights) / n)
    return np.asarray(se)


def targets_of(y: Any) -> tuple[NDArray[np.float64], tuple[Any, ...]]:
    """Targets, one column each, and the classes they stand for."""
    given = np.asarray(y)
    if given.dtype.kind in "iuf":
        if np.isnan(given).any():
            raise InputError(f"labels must not be missing; found NaN in row {int(np.argwhere(np.isnan(given))[0][0])}")
        return given.astype(np.float64).reshape(len(given), -1 if given.size else 1), ()
    classes = np.unique(given)
    if len(classes) < 2:
        raise InputError("all labels are the same; two classes or more are needed")
    signs = np.where(given[:, None] == classes, 1.0, -1.0)
    return signs[:, 1:] if len(classes) == 2 else signs, tuple(classes.tolist())


def subsets_up_to(d: int, degree: int) -> Subsets:
    """All subsets of up to so many bits, by size."""
    if not is_whole(degree) or degree < 0:
        raise InputError(f"degree={degree!r} must be a whole number >= 0")
    degree = min(degree, d)
    total = sum(comb(d, k) for k in range(degree + 1))
    if total > _MOST_SUBSETS:
        raise InputError(f"{d} bits have {total:,} subsets of up to {degree}; choose a smaller degree or give a list")
    return tuple(chain.from_iterable(combinations(range(d), k) for k in range(degree + 1)))


def _listed(subsets: Sequence[Sequence[int]], d: int) -> Subsets:
    chosen = tuple(tuple(sorted(as_subset(s, d))) for s in subsets)
    if len(set(chosen)) < len(chosen):
        raise InputError("a subset is listed twice")
    return chosen
