"""Spectrum: the coefficients of a function, known or estimated, in the basis of a measure, and what they say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._parameters import Listed, Whole, check, check_choice
from paclearn.exceptions import InputError
from paclearn.measures import Measure, Network
from paclearn.measures.measure import network_of
from paclearn.measures.network import as_states, as_subset, check_cube
from paclearn.spectra.coefficients import Coefficients
from paclearn.spectra.estimation import estimate
from paclearn.spectra.few_bits import best_of_size, closure, listed, norms
from paclearn.spectra.influence import conditional_influences, spectral_influences
from paclearn.spectra.noise import check_rho, exponents
from paclearn.spectra.rebase import all_subsets, rebased
from paclearn.spectra.transforms import inverse_transform, transform, values_on_cube

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paclearn.inspection import BarDisplay, StemDisplay

__all__ = ["Spectrum"]

_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class Spectrum(Coefficients):
    """Coefficients of subsets of bits: Zhang (2019), equation 3.8.

    Parameters
    ----------
    network : Network
        The measure that the basis is orthonormal under.
    subsets : tuple of tuple of int
        The subsets, members ascending.
    values : ndarray of shape (n_subsets, n_targets)
        Their coefficients; one column, unless there are more than two classes.
    se : ndarray or None
        Standard errors, for an estimated spectrum.
    names : tuple of str
        Names of the bits.
    classes : tuple
        The classes that the targets stand for, if they were classes.
    signs : bool
        Whether the labels of an estimated spectrum were -1 and +1 throughout.
    """

    # ---- where it comes from ----

    @classmethod
    def exact(
        cls,
        function: Any,
        measure: Measure | Network,
        names: Sequence[str] | None = None,
        *,
        members: Sequence[int] | None = None,
    ) -> Spectrum:
        """The spectrum of a known function.

        Parameters
        ----------
        function : callable or array-like
            Maps a table of bits (-1 and +1, one row a point) to a value each; or the values themselves, for all points
            in order, the first bit slowest, -1 before +1.
        measure : Measure or Network
            A fitted measure.
        names : sequence of str, default=None
            Names of the bits; x0, x1, ... if not given.
        members : sequence of int, default=None
            The bits that the function takes, if not all: only those and their ancestors are enumerated, so that a
            measure with few dependences may have any number of bits.

        Returns
        -------
        Spectrum
            With the coefficients of all subsets of the bits that were enumerated.
        """
        network = network_of(measure)
        chosen = range(network.d) if members is None else as_subset(members, network.d)
        needed = sorted(frozenset().union(*(network.closures[i] for i in chosen)))
        part = network.restricted(needed)
        values = values_on_cube(function, [needed.index(i) for i in chosen], len(needed))
        coefficients = transform(values, part).reshape(-1, 1)
        return cls(network, all_subsets(needed), coefficients, None, _names(names, measure, network.d))

    @classmethod
    def estimate(
        cls,
        X: Any,
        y: Any,
        measure: Measure | Network,
        degree: int = 2,
        subsets: Sequence[Sequence[int]] | None = None,
        names: Sequence[str] | None = None,
        sample_weight: Any = None,
    ) -> Spectrum:
        """The spectrum of what made the labels, up to a degree, from rows.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_bits)
            Bits -1 and +1.
        y : array-like of shape (n_rows,) or (n_rows, n_targets)
            Numbers, such as labels -1 and +1, one column a target; or classes as text or booleans, of which each
            becomes a target of -1 and +1 (of two, the second in order is +1).
        measure : Measure or Network
            A fitted measure.
        degree : int, default=2
            Subsets of up to this many bits.
        subsets : sequence of sequences of int, default=None
            These subsets instead.
        names : sequence of str, default=None
            Names of the bits.
        sample_weight : array-like of shape (n_rows,), default=None
            How many times each row counts, if all are whole numbers; otherwise relative weights.

        Returns
        -------
        Spectrum
            With standard errors.
        """
        network = network_of(measure)
        bits = measure.states(X) if isinstance(measure, Measure) else as_states(X, network.d)
        found = estimate(network, bits, y, degree, subsets, sample_weight)
        named = _names(names, measure, network.d)
        return cls(network, found.subsets, found.values, found.se, named, found.classes, found.signs)

    def under(self, measure: Measure | Network) -> Spectrum:
        """The spectrum of the same function under another measure.

        Parameters
        ----------
        measure : Measure or Network
            A fitted measure of the same bits.

        Returns
        -------
        Spectrum
            Without standard errors. Between measures without dependences any number of bits will do, otherwise all
            values of the function are listed.
        """
        network = network_of(measure)
        if network.d != self.network.d:
            raise InputError(f"the measure has {network.d} bits, the spectrum {self.network.d}")
        if not network.edges and not self.network.edges:
            subsets, values = rebased(self.subsets, self.values, self.network, network)
            return replace(self, network=network, subsets=subsets, values=values, se=None)
        check_cube(network.d)
        values = np.zeros((2**network.d, self.values.shape[1]))
        values[self._codes] = self.values
        moved = [transform(inverse_transform(v, self.network), network).ravel() for v in values.T]
        whole = all_subsets(range(network.d))
        return replace(self, network=network, subsets=whole, values=np.column_stack(moved), se=None)

    @cached_property
    def _codes(self) -> NDArray[np.int64]:
        """The place of every subset in a transform."""
        d = self.network.d
        if len(self.subsets) == 2**d and self.subsets[-1] == tuple(range(d)) and self.subsets[1] == (d - 1,):
            return np.arange(2**d)
        return np.array([sum(1 << (d - 1 - i) for i in s) for s in self.subsets], dtype=np.int64)

    # ---- functionals ----

    def weight_by_degree(self) -> NDArray[np.float64]:
        """Sum of squared coefficients of every degree, from 0 to the largest, over all targets."""
        return np.bincount(self.degrees, weights=(self.values**2).sum(axis=1)).astype(np.float64)

    def l1_norm(self) -> float:
        """Sum of the absolute coefficients: Zhang (2019), equation 4.2."""
        return float(np.abs(self.values).sum())

    def weighted_cardinality(self) -> float:
        r""":math:`\sum_S |S| \hat f(S)^2`, for uniform bits the total influence: Zhang (2019), equation 4.4."""
        return float(self.degrees @ (self.values**2).sum(axis=1))

    def influences(self, kind: str = "spectral") -> NDArray[np.float64]:
        """How much every bit matters.

        Parameters
        ----------
        kind : {"spectral", "conditional"}, default="spectral"
            The sum of the squared coefficients of the subsets that contain the bit; or the expected variance of the
            function given all other bits, for which all its values are listed. Both are summed over the targets.
            Without dependences they are the same, and for uniform bits and a function of values -1 and +1 the chance
            that the bit is pivotal (Zhang 2019, equation 2.7).
        """
        check_choice("kind", kind, ("spectral", "conditional"))
        if kind == "conditional":
            return conditional_influences(self.network, self._codes, self.values)
        return spectral_influences(self.network.d, self.subsets, self.values)

    def concentration(self, within: int | Iterable[Sequence[int | str]]) -> float:
        """Share of the squared coefficients, from 0 to 1, that some subsets have.

        Parameters
        ----------
        within : int or collection of subsets
            All subsets of up to this size; or a list of subsets, each of numbers or names of bits.
        """
        return max(1 - self.weight_outside(within) / max(float((self.values**2).sum()), 1e-300), 0.0)

    def weight_outside(self, within: int | Iterable[Sequence[int | str]]) -> float:
        r"""The :math:`\epsilon` for which it is concentrated: :math:`\sum_{S \notin C} \hat f(S)^2`.

        Zhang (2019), Definition 2. Of an estimated spectrum, what its own subsets hold.

        Parameters
        ----------
        within : int or collection of subsets
            The collection C, see `concentration`.
        """
        weights = (self.values**2).sum(axis=1)
        if isinstance(within, int | np.integer):
            return float(weights[self.degrees > within].sum())
        check("within", within, Whole(0) | Listed("subsets"))
        inside = {self.numbers_of(subset) for subset in within}
        return float(sum(w for s, w in zip(self.subsets, weights, strict=True) if s not in inside))

    # ---- seen through a few bits ----

    def onto(self, members: Iterable[int | str]) -> Spectrum:
        r"""The projection onto some bits: :math:`f^{\subseteq J} = \sum_{S \subseteq J} \hat f(S)\,\phi_S`.

        The mean of the function given these bits (Heidari, Shamir and Szpankowski, about 2020, Definitions 1 and 6).

        Parameters
        ----------
        members : iterable of int or str
            The bits J, by number or name.

        Returns
        -------
        Spectrum
            Of the projection. Where a bit of J depends on one that is not in J, all values of the function of J and of
            what it depends on are listed, and there are no standard errors.
        """
        chosen = self.numbers_of(members)
        needed = closure(self.network, chosen)
        self._check_known(needed)
        kept = self._only(np.flatnonzero([set(needed).issuperset(s) for s in self.subsets]))
        if needed == chosen:
            return kept
        means = listed(kept, needed).given(chosen)
        each = [Spectrum.exact(row, self.network, self.names, members=chosen) for row in means]
        return replace(self, subsets=each[0].subsets, values=np.hstack([s.values for s in each]), se=None)

    def _check_known(self, members: tuple[int, ...]) -> None:
        """Of an estimate, a subset that was not looked at is not nought."""
        missing = next((s for s in all_subsets(members) if s not in self._place), None)
        if self.se is not None and missing is not None:
            raise InputError(
                f"no coefficient of {self._label(missing)} was estimated; degree={len(members)} would give all of them"
            )

    def norm(self, order: float = 2) -> Any:
        r""":math:`E[|f|^p]^{1/p}` under the measure for p of 1 or 2; the largest size of any value for infinity.

        Not the spectral norm of `l1_norm`, which is the sum of the sizes of the coefficients.

        Parameters
        ----------
        order : {1, 2, inf}, default=2
            The p; but for 2, all values of the function are listed (of at most 24 bits with those they depend on).

        Returns
        -------
        float or ndarray of shape (n_targets,)
            One number a target.
        """
        found = norms(self, order)
        return float(found[0]) if len(found) == 1 else found

    def popt(self, members: Iterable[int | str]) -> float:
        r"""The least error of any predictor that looks at some bits only: :math:`\frac12 (1 - \|f^{\subseteq J}\|_1)`.

        Heidari, Shamir and Szpankowski (about 2020), Proposition 2 and Lemma 2; the best predictor is the sign of the
        projection. From estimated coefficients it is too small on average, the more so the more bits there are.

        Parameters
        ----------
        members : iterable of int or str
            The bits J, by number or name; `best_members` finds the best ones of some size.
        """
        fits = self.signs if self.se is not None else bool(np.all(self.norm(2) <= 1 + 1e-9))
        if self.values.shape[1] != 1 or not fits:
            raise InputError("the least error is that of one label of -1 and +1; the spectrum is of something else")
        found = (1 - float(self.onto(members).norm(1))) / 2
        return found if abs(found) > _ROUNDING else 0.0

    def best_members(self, k: int) -> tuple[int, ...]:
        """The k bits that allow the least error, all subsets of that size tried: the argument of Proposition 2.

        Parameters
        ----------
        k : int
            How many.
        """
        return best_of_size(self.network.d, k, lambda subset: -self.popt(subset))

    def noise_stability(self, rho: float, kind: str = "uniform") -> float:
        r"""How much of a function survives noise of correlation rho: :math:`\sum_S \hat f(S)^2 \rho^{e(S)}`.

        Zhang (2019), Propositions 13 to 15; in the last, the ancestors of a bit include the bit.

        Parameters
        ----------
        rho : float
            1 for no noise, 0 for fresh bits.
        kind : {"uniform", "sequential", "structured"}, default="uniform"
            The exponent: the size of the subset (bits without dependences, each kept or redrawn by itself); the place
            of its last member (from some place on everything is redrawn); or the number of its members and their
            ancestors.
        """
        check_rho(rho, -1)
        powers = float(rho) ** exponents(self.network, self.subsets, kind)
        return float(powers @ (self.values**2).sum(axis=1))

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The function that the coefficients make, one column a target where there are several.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_bits)
            Bits.
        """
        basis = self.network.basis(X)
        total = np.zeros((len(basis), self.values.shape[1]))
        for subset, value in zip(self.subsets, self.values, strict=True):
            total += basis[:, list(subset)].prod(axis=1)[:, None] * value
        return total[:, 0] if total.shape[1] == 1 else total

    def classify(self, X: Any) -> NDArray[Any]:
        """The class with the largest value, or the sign where the target was a number.

        Parameters
        ----------
        X : array-like
            See `predict`.
        """
        values = self.predict(X)
        if values.ndim == 2:
            return np.asarray(self.classes or range(values.shape[1]))[values.argmax(axis=1)]
        return np.asarray(self.classes or (-1, 1))[(values > 0).astype(np.intp)]

    def plot(self, kind: str = "stems", *, most: int = 30, target: int = 0, ax: Any = None) -> BarDisplay | StemDisplay:
        """Draw the largest coefficients, the weight of every degree, or the influence of every bit.

        Parameters
        ----------
        kind : {"stems", "degrees", "influences"}, default="stems"
            The picture.
        most : int, default=30
            At most this many stems.
        target : int, default=0
            Of which target the stems are.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure if not given.
        """
        from paclearn.inspection import BarDisplay, StemDisplay

        check_choice("kind", kind, ("stems", "degrees", "influences"))
        if kind == "degrees":
            weights = self.weight_by_degree()
            return BarDisplay([str(k) for k in range(len(weights))], weights.tolist(), "weight of the degree").plot(ax)
        if kind == "influences":
            return BarDisplay(self.names, self.influences().tolist(), "influence").plot(ax)
        shown = self.top(most)
        labels = [self._label(s) for s in shown.subsets]
        errors = None if shown.se is None else shown.se[:, target].tolist()
        return StemDisplay(labels, shown.values[:, target].tolist(), shown.degrees.tolist(), errors).plot(ax)


def _names(names: Sequence[str] | None, measure: Measure | Network, d: int) -> tuple[str, ...]:
    if names is None:
        return getattr(measure, "names_", tuple(f"x{i}" for i in range(d)))
    if len(names) != d:
        raise InputError(f"{len(names)} names were given for {d} bits")
    if len(set(names)) < len(names):
        raise InputError("two bits have the same name; give them different ones")
    return tuple(names)
