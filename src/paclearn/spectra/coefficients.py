"""Coefficients of subsets of bits under a measure: how they are found, added, cut and listed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from paclearn._compat import make_frame
from paclearn._parameters import Listed, check
from paclearn.exceptions import InputError
from paclearn.measures.network import as_subset

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from paclearn.measures import Network

__all__ = ["Coefficients", "numbers_of"]

_SHOWN = 5


def numbers_of(members: Iterable[int | str], names: Sequence[str], what: str) -> tuple[int, ...]:
    """Bits or columns, given by numbers or names, by their numbers, ascending."""
    if not isinstance(members, str):
        check("members", members, Listed(f"numbers or names of {what}s"))
    given = [members] if isinstance(members, str) else list(members)
    unknown = [i for i in given if isinstance(i, str) and i not in names]
    if unknown:
        shown = ", ".join(names[:_SHOWN]) + ", ..." * (len(names) > _SHOWN)
        raise InputError(f"{unknown[0]!r} is no {what} of the spectrum; the {what}s are {shown}")
    numbers = [names.index(i) if isinstance(i, str) else i for i in given]
    return tuple(sorted(as_subset(numbers, len(names), what)))


@dataclass(frozen=True, eq=False)
class Coefficients:
    """What a `Spectrum` holds; see there."""

    network: Network
    subsets: tuple[tuple[int, ...], ...]
    values: NDArray[np.float64]
    se: NDArray[np.float64] | None
    names: tuple[str, ...]
    classes: tuple[Any, ...] = ()
    signs: bool = True

    # ---- looking ----

    @cached_property
    def degrees(self) -> NDArray[np.intp]:
        """The sizes of the subsets."""
        return np.fromiter(map(len, self.subsets), dtype=np.intp, count=len(self.subsets))

    @cached_property
    def _place(self) -> dict[tuple[int, ...], int]:
        return {s: i for i, s in enumerate(self.subsets)}

    def __getitem__(self, subset: Sequence[int | str]) -> Any:
        """The coefficient of a subset; a number if there is one target."""
        row = self.values[self._place[self.numbers_of(subset)]]
        return float(row[0]) if len(row) == 1 else row

    def numbers_of(self, members: Iterable[int | str]) -> tuple[int, ...]:
        """Bits by their numbers, ascending.

        Parameters
        ----------
        members : iterable of int or str
            Numbers or names of different bits.
        """
        return numbers_of(members, self.names, "bit")

    def __repr__(self) -> str:
        kind = "" if self.se is None else " with standard errors"
        shown = self.top(3)
        largest = ", ".join(f"{self._label(s)} {v[0]:+.3f}" for s, v in zip(shown.subsets, shown.values, strict=True))
        return f"<Spectrum{kind}: {len(self.subsets):,} subsets of {self.network.d} bits; {largest}>"

    def _label(self, subset: tuple[int, ...]) -> str:
        return " × ".join(self.names[i] for i in subset) or "(constant)"

    def __add__(self, other: Coefficients) -> Self:
        """The spectrum of the sum of two functions under one measure."""
        if not isinstance(other, Coefficients):
            return NotImplemented
        if not self.network.equals(other.network) or self.values.shape[1] != other.values.shape[1]:
            raise InputError("spectra add up under one measure and with the same targets; see under() for another one")
        subsets = tuple(dict.fromkeys((*self.subsets, *other.subsets)))
        values = np.zeros((len(subsets), self.values.shape[1]))
        place = {s: i for i, s in enumerate(subsets)}
        for part in (self, other):
            values[[place[s] for s in part.subsets]] += part.values
        return replace(self, subsets=subsets, values=values, se=None)

    def __mul__(self, factor: float) -> Self:
        """The spectrum of a multiple of the function."""
        se = None if self.se is None else self.se * abs(factor)
        return replace(self, values=self.values * factor, se=se, signs=self.signs and abs(factor) == 1)

    __rmul__ = __mul__

    def __sub__(self, other: Coefficients) -> Self:
        """The spectrum of the difference of two functions."""
        return self + other * -1.0

    # ---- cuts ----

    def top(self, n_terms: int) -> Self:
        """The spectrum with its largest coefficients only, largest first.

        Parameters
        ----------
        n_terms : int
            How many.
        """
        size = np.abs(self.values).max(axis=1)
        return self._only(np.argsort(-np.round(size, 12), kind="stable")[: max(n_terms, 0)])

    def above(self, threshold: float) -> Self:
        """The spectrum with the coefficients beyond a threshold only.

        Parameters
        ----------
        threshold : float
            Coefficients of at most this size are dropped.
        """
        return self._only(np.flatnonzero(np.abs(self.values).max(axis=1) > threshold))

    def without_constant(self) -> Self:
        """The spectrum of the function less its mean: without the empty subset."""
        return self._only(np.flatnonzero(self.degrees > 0))

    def up_to(self, degree: int) -> Self:
        """The spectrum with subsets of up to this size only.

        Parameters
        ----------
        degree : int
            The size.
        """
        return self._only(np.flatnonzero(self.degrees <= degree))

    def _only(self, kept: NDArray[np.intp]) -> Self:
        se = None if self.se is None else self.se[kept]
        return replace(self, subsets=tuple(self.subsets[i] for i in kept), values=self.values[kept], se=se)

    def to_frame(self) -> Any:
        """A data frame, one row a subset and target: ``subset`` (names), ``degree``, ``target``, ``value``, ``se``."""
        n_targets = self.values.shape[1]
        named = [tuple(self.names[i] for i in s) for s in self.subsets]
        return make_frame(
            {
                "subset": [name for name in named for _ in range(n_targets)],
                "degree": np.repeat(self.degrees, n_targets).tolist(),
                "target": list(range(n_targets)) * len(named),
                "value": self.values.ravel().tolist(),
                "se": [None] * self.values.size if self.se is None else self.se.ravel().tolist(),
            }
        )
