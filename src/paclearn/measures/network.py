"""A joint law of bits that factors along a directed acyclic graph; every measure is one of these in the end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state

from paclearn._parameters import Whole, check, is_whole
from paclearn.exceptions import InputError
from paclearn.measures.factored_law import FactoredLaw

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["LARGEST_CUBE", "Network", "as_states", "as_subset", "check_cube"]

LARGEST_CUBE = 24


@dataclass(frozen=True, eq=False)
class Network(FactoredLaw):
    r"""Bits -1 and +1 with :math:`p(x) = \prod_i p(x_i \mid x_{\mathrm{parents}(i)})`.

    Parameters
    ----------
    parents : tuple of tuple of int
        The parents of every bit.
    tables : tuple of ndarray
        The probability of +1 for every state of the parents, one axis a parent, -1 before +1.
    order : tuple of int
        The bits so that parents come before their children; it is part of the basis.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        for i, table in enumerate(self.tables):
            if table.shape != (2,) * len(self.parents[i]):
                raise InputError(f"bit {i} has {len(self.parents[i])} parent(s) and a table of shape {table.shape}")
            if not ((table > 0) & (table < 1)).all():
                raise InputError(
                    f"bit {i} has a probability of 0 or 1 given its parents, and no basis exists then; smooth it"
                )

    # ---- rows ----

    def conditional(self, bits: Any) -> NDArray[np.float64]:
        """P(x_i = +1 | parents) for every row and bit.

        Parameters
        ----------
        bits : array-like of shape (n_rows, n_bits)
            Whatever is positive is +1.
        """
        states = as_states(bits, self.d)
        result = np.empty(states.shape)
        for i, table in enumerate(self.tables):
            result[:, i] = table[tuple(states[:, p] for p in self.parents[i])]
        return result

    def log_prob(self, bits: Any) -> NDArray[np.float64]:
        """Log probability of every row.

        Parameters
        ----------
        bits : array-like
            See `conditional`.
        """
        up = self.conditional(bits)
        return np.log(np.where(np.asarray(bits) > 0, up, 1 - up)).sum(axis=1)

    def basis(self, bits: Any) -> NDArray[np.float64]:
        r""":math:`\phi_{\{i\}}(x) = x_i \sqrt{p(-x_i \mid \cdot) / p(x_i \mid \cdot)}` for every row and bit.

        Zhang (2019), Theorem 1, equation 3.5.

        Parameters
        ----------
        bits : array-like
            See `conditional`.
        """
        if not self.edges:  # one multiple of every bit, and a shift
            up = np.array([float(table) for table in self.tables])
            odds = np.sqrt((1 - up) / up)
            return np.where(as_states(bits, self.d), odds, -1 / odds)
        up = self.conditional(bits)
        odds = np.sqrt((1 - up) / up)
        return np.where(np.asarray(bits) > 0, odds, -1 / odds)

    def sample(self, n: int, random_state: Any = None) -> NDArray[np.int8]:
        """Draw rows of -1 and +1.

        Parameters
        ----------
        n : int
            How many.
        random_state : int, RandomState instance or None, default=None
            Seed.
        """
        check("n", n, Whole(0))
        rng = check_random_state(random_state)
        bits = np.empty((n, self.d), dtype=np.int8)
        for i in self.order:
            states = tuple((bits[:, p] > 0).astype(np.intp) for p in self.parents[i])
            bits[:, i] = np.where(rng.random_sample(n) < self.tables[i][states], 1, -1)
        return bits

    # ---- the cube ----

    def table_on_cube(self, i: int) -> NDArray[np.float64]:
        """P(x_i = +1 | parents) as an array with one axis a bit, of length one where it does not depend on the bit.

        Parameters
        ----------
        i : int
            Number of the bit.
        """
        by_number = np.argsort(self.parents[i])
        table = self.tables[i].transpose(tuple(by_number)) if self.parents[i] else self.tables[i]
        return table.reshape([2 if axis in self.parents[i] else 1 for axis in range(self.d)])

    def probabilities(self) -> NDArray[np.float64]:
        """The probability of every point, one axis a bit, -1 before +1."""
        check_cube(self.d)
        cube = np.ones((2,) * self.d)
        for i in range(self.d):
            up = self.table_on_cube(i)
            cube = cube * np.concatenate([1 - up, up], axis=i)
        return cube

    # ---- structure ----

    def restricted(self, members: Sequence[int]) -> Network:
        """The law of some bits that contain all their parents; they are numbered in the order given.

        Parameters
        ----------
        members : sequence of int
            Their numbers here.
        """
        place = {bit: k for k, bit in enumerate(members)}
        parents = tuple(tuple(place[p] for p in self.parents[i]) for i in members)
        return Network(
            parents, tuple(self.tables[i] for i in members), tuple(place[i] for i in self.order if i in place)
        )

    def marginal(self, subset: Sequence[int]) -> NDArray[np.float64]:
        """The joint law of a few bits, one axis a bit in the order given; other bits are summed out one by one.

        Parameters
        ----------
        subset : sequence of int
            Their numbers.
        """
        subset = as_subset(subset, self.d)
        needed = frozenset().union(*(self.closures[i] for i in subset))
        factors = [self._factor(i) for i in needed]
        waiting = set(needed) - set(subset)
        while waiting:
            bit = min(waiting, key=lambda b: (len(_scope(factors, b)), b))
            waiting.remove(bit)
            touched = [f for f in factors if bit in f[0]]
            factors = [f for f in factors if bit not in f[0]] + [_product(touched, tuple(_scope(touched, bit) - {bit}))]
        return _product(factors, tuple(subset))[1]

    def _factor(self, i: int) -> tuple[tuple[int, ...], NDArray[np.float64]]:
        return (*self.parents[i], i), np.stack([1 - self.tables[i], self.tables[i]], axis=-1)

    def strength(self, parent: int, child: int) -> float:
        """How much a bit's probability moves with one parent, at most: 0 for not at all, 1 for a copy.

        Parameters
        ----------
        parent, child : int
            Numbers of the two.
        """
        axis = self.parents[child].index(parent)
        return float(np.abs(np.diff(self.tables[child], axis=axis)).max())

    def describe(self, names: Sequence[str] | None = None) -> str:
        """The structure in words.

        Parameters
        ----------
        names : sequence of str, default=None
            Of the bits; x0, x1, ... if not given.
        """
        called = list(names) if names is not None else [f"x{i}" for i in range(self.d)]
        dependent = [i for i in self.order if self.parents[i]]
        dependent.sort(key=lambda i: -max(self.strength(p, i) for p in self.parents[i]))
        free = self.d - len(dependent)
        edges = f"{len(self.edges)} dependence{'s' * (len(self.edges) != 1)}"
        lines = [f"{self.d} bits, {edges}; {free} depend{'s' * (free == 1)} on no other bit."]
        for i in dependent:
            given = " and ".join(called[p] for p in self.parents[i])
            low, high = self.tables[i].min(), self.tables[i].max()
            lines.append(f"{called[i]} depends on {given}: +1 with probability {low:.2f} to {high:.2f}")
        return "\n".join(lines)


def check_cube(d: int) -> None:
    """Refuse to list the points of too many bits."""
    if d > LARGEST_CUBE:
        raise InputError(f"a cube of {d} bits has too many points to list; {LARGEST_CUBE} is the most")


def as_states(X: Any, d: int | None = None) -> NDArray[np.uint8]:
    """Bits as 0 and 1: whatever is positive is 1."""
    bits = np.asarray(X)
    if bits.dtype == object:  # a frame of booleans and numbers
        bits = _numbers(bits)
    if bits.ndim != 2:
        raise InputError(f"bits must be a table with rows and columns; found shape {bits.shape}")
    if d is not None and bits.shape[1] != d:
        raise InputError(f"the measure has {d} bits; the table has {bits.shape[1]} columns")
    if bits.dtype.kind not in "biuf":
        raise InputError(f"bits must be numbers or booleans; found {bits.dtype} (BooleanEncoder makes bits of a table)")
    if bits.dtype.kind == "f" and np.isnan(bits).any():
        row, column = np.argwhere(np.isnan(bits))[0]
        raise InputError(f"bits must not be missing; found NaN in row {row}, column {column}")
    return (bits > 0).astype(np.uint8)


def _numbers(bits: NDArray[Any]) -> NDArray[Any]:
    try:
        return bits.astype(np.float64)
    except (TypeError, ValueError):
        return bits.astype(str)


def as_subset(members: Any, d: int, what: str = "bit") -> tuple[int, ...]:
    """Numbers of different bits, or of other members of a law."""
    given = tuple(members) if isinstance(members, Iterable) else members
    fine = isinstance(given, tuple) and all(is_whole(i) and 0 <= i < d for i in given)
    if not fine or len(set(given)) < len(given):
        raise InputError(f"a subset lists different {what}s from 0 to {d - 1}; found {given}")
    return tuple(int(i) for i in given)


_Factor = tuple[tuple[int, ...], "NDArray[np.float64]"]


def _scope(factors: Sequence[_Factor], bit: int) -> set[int]:
    """The bits that share a factor with one."""
    return set().union(*(f[0] for f in factors if bit in f[0]))


def _product(factors: Sequence[_Factor], kept: tuple[int, ...]) -> _Factor:
    """Factors multiplied one after the other, and summed over the bits that are not kept."""
    scope: tuple[int, ...] = ()
    array = np.array(1.0)
    for others, values in factors:
        union = tuple(dict.fromkeys((*scope, *others)))
        if len(union) > LARGEST_CUBE:
            raise InputError(f"this marginal needs a table of {len(union)} bits; {LARGEST_CUBE} is the most")
        letters = dict(zip(union, ascii_lowercase, strict=False))
        left, right, out = ("".join(letters[bit] for bit in bits) for bits in (scope, others, union))
        array, scope = np.einsum(f"{left},{right}->{out}", array, values), union
    axes = dict(zip(scope, ascii_lowercase, strict=False))
    return kept, np.einsum(f"{''.join(axes.values())}->{''.join(axes[bit] for bit in kept)}", array)
