"""How long a Boolean function is to write: the sizes of its normal forms (Zhang 2019, section 4.1.1.3, Table 4.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from paclearn._parameters import is_whole
from paclearn.exceptions import InputError
from paclearn.spectra.transforms import values_on_cube

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["NormalFormSizes", "normal_form_sizes"]

_MOST_BITS = 10

Cube = tuple[int, int]  # the bits that are asked for, and their values, as binary numbers


@dataclass(frozen=True)
class NormalFormSizes:
    """How many terms the shortest normal forms of a function have.

    Parameters
    ----------
    dnf : int
        Conjunctions of literals, joined by or; 0 for a function that is never true.
    cnf : int
        Disjunctions of literals, joined by and; 0 for one that is always true.
    ring_sum : int
        Products of bits that are not negated, and perhaps the constant, joined by exclusive or.
    """

    dnf: int
    cnf: int
    ring_sum: int


def normal_form_sizes(function: Any, n_bits: int) -> NormalFormSizes:
    """The sizes of the shortest normal forms of a function of at most ten bits.

    They do not agree on what is simple: a parity of d bits has a ring sum of d or d + 1 terms and 2^(d-1) conjunctions,
    the or of d bits has d conjunctions and a ring sum of 2^d - 1 terms.

    Parameters
    ----------
    function : callable or array-like
        As of `Spectrum.exact`, of values -1 and +1.
    n_bits : int
        How many bits it takes.

    Returns
    -------
    NormalFormSizes
        Exact: prime implicants (Quine 1955, McCluskey 1956), and the fewest that cover the function by integer
        programming.
    """
    if not is_whole(n_bits) or not 1 <= n_bits <= _MOST_BITS:
        raise InputError(f"n_bits={n_bits!r} must be a whole number from 1 to {_MOST_BITS}; longer forms take too long")
    values = values_on_cube(function, range(n_bits), n_bits)
    if not np.isin(values, (-1, 1)).all():
        raise InputError(f"a Boolean function has values -1 and +1; found {values[~np.isin(values, (-1, 1))][0]:g}")
    true = values > 0
    return NormalFormSizes(_fewest_terms(true), _fewest_terms(~true), int(_ring_sum(true).sum()))


def _ring_sum(true: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which products of bits a function is the exclusive or of: the Moebius transform modulo two."""
    terms = true.copy()
    half = 1
    while half < len(terms):
        pairs = terms.reshape(-1, 2, half)
        pairs[:, 1] ^= pairs[:, 0]
        half *= 2
    return terms


def _fewest_terms(true: NDArray[np.bool_]) -> int:
    points = np.flatnonzero(true)
    if len(points) == 0:
        return 0
    primes = _prime_implicants(points.tolist(), len(true) - 1)
    covers = np.array([[(point & asked) == value for asked, value in primes] for point in points], dtype=float)
    every = np.ones(len(primes))
    found = milp(every, constraints=LinearConstraint(covers, lb=1), integrality=every, bounds=Bounds(0, 1))
    return round(found.fun)


def _prime_implicants(points: Iterable[int], all_bits: int) -> list[Cube]:
    """Conjunctions that imply the function and have no literal too many; two that differ in one value make one."""
    level: set[Cube] = {(all_bits, point) for point in points}
    primes: list[Cube] = []
    while level:
        larger: set[Cube] = set()
        merged: set[Cube] = set()
        for asked, value in level:
            for bit in _bits_of(asked):
                if (other := (asked, value ^ bit)) in level:
                    larger.add((asked & ~bit, value & ~bit))
                    merged |= {(asked, value), other}
        primes += sorted(level - merged)
        level = larger
    return primes


def _bits_of(number: int) -> list[int]:
    return [1 << k for k in range(number.bit_length()) if number >> k & 1]
