"""Measure: a law of bits, learned from counts that add up."""

from __future__ import annotations

from abc import abstractmethod
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from paclearn._compat import all_or_nothing
from paclearn.exceptions import InputError
from paclearn.measures.bit_layout import layout_of, names_of
from paclearn.measures.factored_law import topological_order
from paclearn.measures.network import LARGEST_CUBE, Network, as_states
from paclearn.tables.weights import weights_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.inspection import StructureDisplay

__all__ = ["Measure", "fitted_network", "network_of"]

Counts = tuple["NDArray[Any]", ...]  # whole numbers, unless rows have weights that are none


class Measure(BaseEstimator):
    """A law of bits. Bits are -1 and +1; whatever is positive counts as +1.

    Parameters
    ----------
    smoothing : float, default=1.0
        Rows that are added to both values of every conditional. Without any, a state that no row has is an error.

    Attributes
    ----------
    network_ : Network
        The graph and its conditional probabilities.
    names_ : tuple of str
        Names of the bits: those of the data frame's columns, or x0, x1, ...
    counts_ : tuple of ndarray
        What was counted; two measures' counts add up (`merge`).
    """

    def __init__(self, smoothing: float = 1.0) -> None:
        self.smoothing = smoothing

    @abstractmethod
    def _parents(self, d: int) -> list[tuple[int, ...]]:
        """The graph."""

    # ---- learning ----

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Learn the graph and its probabilities.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_bits)
            Bits.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_rows,), default=None
            How much each row counts; smoothing adds rows of weight one.

        Returns
        -------
        Measure
            Itself.
        """
        _check_smoothing(self.smoothing)
        states = as_states(X)
        if states.size == 0:
            raise InputError(f"bits must be a table with rows and columns; found shape {states.shape}")
        weights = weights_of(sample_weight, len(states))
        with all_or_nothing(self):
            self.layout_, self.named_ = layout_of(X, states.shape[1])
            self.names_ = self.layout_.names
            if len(set(self.names_)) < len(self.names_):
                raise InputError("two columns have the same name; bits need different ones")
            return self._learn(self._count(states, weights))

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Add rows to those seen so far, as if all had been there for `fit`.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_bits)
            Bits.
        y : None
            Ignored.
        """
        if not hasattr(self, "counts_"):
            return self.fit(X, y)
        _check_smoothing(self.smoothing)
        return self._learn(self._sum(self._count(self.states(X))))

    def merge(self, other: Measure) -> Measure:
        """A new measure of the rows of both, equal to one that was fitted to all of them at once.

        Parameters
        ----------
        other : Measure
            One with the same parameters, fitted to other rows of the same bits.
        """
        check_is_fitted(self)
        check_is_fitted(other)
        if self._signature() != other._signature():
            raise InputError(f"{self!r} and {other!r} are different measures; only like ones can be merged")
        both: Measure = deepcopy(self)
        return both._learn(self._sum(other.counts_))

    def _signature(self) -> tuple[Any, ...]:
        """What two measures must share to be merged."""
        graph = [sorted(p) for p in self._parents(len(self.names_))]
        return type(self), float(self.smoothing), self.names_, graph

    def _sum(self, counts: Counts) -> Counts:
        if [a.shape for a in self.counts_] != [b.shape for b in counts]:
            raise InputError("the two tables have different numbers of bits; give the same columns in the same order")
        return tuple(a + b for a, b in zip(self.counts_, counts, strict=True))

    def _learn(self, counts: Counts) -> Self:
        self.network_ = self._network(counts)
        self.counts_ = counts
        return self

    def _count(self, states: NDArray[np.uint8], weights: NDArray[np.float64] | None = None) -> Counts:
        """For every bit, the rows by the states of its parents (first) and its own."""
        parents = self._parents(states.shape[1])
        if weights is None and not any(parents):
            return single_counts(states)
        return tuple(family_counts(states, (*family, i), weights) for i, family in enumerate(parents))

    def _network(self, counts: Counts) -> Network:
        parents = self._parents(len(counts))
        if any(c.ndim != len(p) + 1 for c, p in zip(counts, parents, strict=True)):
            raise InputError("the graph has changed since the first rows were counted; fit again")
        tables = tuple(self._table(i, parents[i], c) for i, c in enumerate(counts))
        return Network(tuple(parents), tables, topological_order(parents, self.names_))

    def _table(self, i: int, parents: tuple[int, ...], counts: NDArray[Any]) -> NDArray[np.float64]:
        smoothed = counts + float(self.smoothing)
        if (smoothed == 0).any():
            under = f" for some state of its parents {[self.names_[p] for p in parents]}" if parents else ""
            raise InputError(
                f"bit {self.names_[i]!r} takes one value only{under}; smoothing above 0 gives the other a probability"
            )
        return np.asarray(smoothed[..., 1] / smoothed.sum(axis=-1))

    # ---- rows ----

    def states(self, X: Any) -> NDArray[np.uint8]:
        """Rows as 0 and 1, if they have the bits that were fitted; every method that takes rows calls this.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_bits)
            Bits. Whatever is positive is 1.
        """
        states = as_states(X, network_of(self).d)
        names = names_of(X)
        if self.named_ and names is not None and names != self.names_:
            raise InputError(f"the measure was fitted to {list(self.names_)[:5]}; found the columns {list(names)[:5]}")
        return states

    def conditional(self, X: Any) -> NDArray[np.float64]:
        """P(x_i = +1 | parents) for every row and bit, an array of shape (n_rows, n_bits).

        Parameters
        ----------
        X : array-like
            See `states`.
        """
        return network_of(self).conditional(self.states(X))

    def log_prob(self, X: Any) -> NDArray[np.float64]:
        """Log probability of every row.

        Parameters
        ----------
        X : array-like
            See `states`.
        """
        return network_of(self).log_prob(self.states(X))

    def basis(self, X: Any) -> NDArray[np.float64]:
        """The orthonormal functions of single bits, see `Network.basis`; those of subsets are their products.

        Parameters
        ----------
        X : array-like
            See `states`.
        """
        return network_of(self).basis(self.states(X))

    def sample(self, n: int, random_state: Any = None) -> NDArray[np.int8]:
        """Draw rows of bits -1 and +1.

        Parameters
        ----------
        n : int
            How many.
        random_state : int, RandomState instance or None, default=None
            Seed.
        """
        return network_of(self).sample(n, random_state)

    def marginal(self, subset: Sequence[int]) -> NDArray[np.float64]:
        """The joint law of a few bits: probabilities, one axis a bit in the order given, -1 before +1.

        Parameters
        ----------
        subset : sequence of int
            Numbers of the bits.
        """
        return network_of(self).marginal(subset)

    # ---- structure ----

    def describe(self) -> str:
        """The structure in words: one line a dependent bit, the closest dependence first."""
        kind = type(self).__name__.removesuffix("Measure").lower()
        return f"A {kind} measure of {network_of(self).describe(self.names_)}"

    def plot(self, ax: Any = None) -> StructureDisplay:
        """Draw the structure.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if not given.
        """
        from paclearn.inspection import StructureDisplay

        network = network_of(self)
        order = [self.names_[i] for i in network.order]
        edges = [(self.names_[p], self.names_[i], network.strength(p, i)) for p, i in network.edges]
        return StructureDisplay(order, edges).plot(ax)


def network_of(measure: Measure | Network) -> Network:
    """The network of a fitted measure, or the network itself."""
    network = measure if isinstance(measure, Network) else fitted_network(measure)
    if not isinstance(network, Network):
        raise InputError(f"{measure!r} is a law of columns with levels, for LevelSpectrum; a law of bits is needed")
    return network


def fitted_network(measure: Any) -> Any:
    """That of a measure of bits or of levels."""
    if not hasattr(measure, "network_"):
        raise InputError("the measure has not been fitted; call its fit with a table first")
    return measure.network_


def single_counts(states: NDArray[np.uint8]) -> Counts:
    """Rows by the state of every bit: `family_counts` of all bits without parents, in one go."""
    up = np.count_nonzero(states, axis=0)
    return tuple(np.stack([len(states) - up, up], axis=1))


def family_counts(
    states: NDArray[np.uint8], family: Sequence[int], weights: NDArray[np.float64] | None = None
) -> NDArray[Any]:
    """Rows by the states of some bits, one axis a bit."""
    if len(family) > LARGEST_CUBE:
        raise InputError(f"a bit with {len(family) - 1} parents has too large a table; {LARGEST_CUBE - 1} is the most")
    place = np.zeros(len(states), dtype=np.intp)
    for bit in family:
        place = 2 * place + states[:, bit]
    counts = np.bincount(place, weights, minlength=2 ** len(family)).reshape((2,) * len(family))
    return whole_if_exact(counts)


def whole_if_exact(counts: NDArray[Any]) -> NDArray[Any]:
    """Counts as whole numbers, where they are, and not too large for it."""
    rounded = np.rint(counts)
    return rounded.astype(np.int64) if np.array_equal(rounded, counts) and np.max(counts) < 2.0**53 else counts


def _check_smoothing(value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 <= value < np.inf:
        raise InputError(f"smoothing={value!r} must be a number of rows >= 0")
