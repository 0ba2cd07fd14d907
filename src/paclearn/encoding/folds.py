"""Folds of rows of which some are alike: every fold is a sample of the same law.

Equal rows were merged into kinds (`DistinctRows`); a kind that stands for ten rows is ten draws, not one. So the draws
of a kind are shared out over the folds at random, like rows that differ. A kind kept in one fold would be judged by
models that never saw it, and one spread evenly by models that have seen the very same shares: the first favours models
that are too simple, the second models that are too rich. Kinds stand in an order that depends on what they hold, so
that the order of the rows is of no account, and a row of weight three is three rows. A table in which every row stands
ten times was copied, and is as many draws as before.

Where rows come in groups (several visits of a patient), a kind is of one group, and a group is in one fold with all its
rows: folds then say what is to be expected of groups never seen, and it is groups that are counted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.tables.weights import are_counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Draws", "Part", "Split", "copies_of", "folds_of_groups", "splits"]

_MANY_ROWS, _SOME_ROWS, _FEW_ROWS = 4000, 1000, 200
_HELD = 5  # one in so many
_REPEATS = 3  # where a choice by one set of folds is much by chance, and there are rows enough to choose by
_MOST_SINGLE = 1_000_000  # draws, beyond which nobody wants them one by one
_FEWEST_UNCOPIED = 100  # draws, below which equal numbers of every kind are no sign of a copy
_MOST_EXACT = 10_000_000  # draws of a stratum, beyond which folds of exactly equal size are not worth the time


@dataclass(frozen=True, eq=False)
class Part:
    """Some kinds of rows, how much each weighs here, and how many draws that is."""

    kinds: NDArray[np.intp]
    weights: NDArray[np.float64]
    draws: NDArray[np.float64]
    groups: NDArray[np.intp] | None = None

    @property
    def variance(self) -> NDArray[np.float64]:
        """What each kind adds to the variance of a weighted sum: the square of its weight, draw by draw."""
        return np.asarray(self.weights**2 / self.draws)


@dataclass(frozen=True, eq=False)
class Split:
    """What is learned from, and what is judged by."""

    train: Part
    held: Part


@dataclass(frozen=True, eq=False)
class Draws:
    """Kinds of rows: what all rows of a kind weigh together, and how many draws they are.

    Parameters
    ----------
    weights : ndarray of float
        Of every kind.
    counts : ndarray of int
        Draws of every kind: its weight where weights say how often a row occurs, otherwise its rows.
    groups : ndarray of int, default=None
        The group of every kind, all draws of which stay together. Those of a single group are shared out.
    copies : int, default=1
        How often the whole table stands there: so many rows are one draw.
    """

    weights: NDArray[np.float64]
    counts: NDArray[np.int64]
    groups: NDArray[np.intp] | None = None
    copies: int = 1

    @classmethod
    def of(
        cls, weights: NDArray[np.float64], n_rows: NDArray[np.intp], groups: NDArray[np.intp] | None = None
    ) -> Draws:
        """From the weight of every kind, its number of rows, and its group where there are any."""
        counts = weights if are_counts(weights) and weights.sum() < 2**53 else n_rows
        draws = np.maximum(counts, 1).astype(np.int64)
        copies = copies_of(draws)
        return cls(weights, draws // copies, groups, copies)

    def uncopied(self) -> Draws:
        """The same draws, weighing as much as if the table stood there once."""
        return replace(self, weights=self.weights / self.copies, copies=1)

    @property
    def n(self) -> int:
        """Draws of all kinds."""
        return int(self.counts.sum())

    @cached_property
    def group_numbers(self) -> NDArray[np.intp] | None:
        """The group of every kind, numbered from nought, where there are two or more to be kept apart."""
        if self.groups is None:
            return None
        found, numbers = np.unique(self.groups, return_inverse=True)
        return numbers.astype(np.intp) if len(found) > 1 else None

    @property
    def n_independent(self) -> int:
        """How many can be shared out independently: groups, or else draws."""
        return self.n if self.group_numbers is None else int(self.group_numbers.max()) + 1

    def take(self, kinds: NDArray[np.intp]) -> Draws:
        """Some kinds."""
        return Draws(self.weights[kinds], self.counts[kinds], None if self.groups is None else self.groups[kinds])

    def fold_counts(
        self, strata: NDArray[np.intp], n_folds: int, rng: np.random.RandomState, n_wanted: int | None = None
    ) -> NDArray[np.int64]:
        """Folds x kinds: the draws that each fold holds, every stratum shared out evenly; only the first so many.

        There are no more folds than groups.
        """
        generator = np.random.default_rng(rng.randint(0, 2**31 - 1))
        n_wanted = n_folds if n_wanted is None else n_wanted
        if self.group_numbers is not None:
            fold = folds_of_groups(self.group_numbers, strata, n_folds, generator, self.counts)
            return np.where(fold == np.arange(min(n_wanted, int(fold.max()) + 1))[:, None], self.counts, 0)
        found = np.zeros((n_wanted, len(self.counts)), dtype=np.int64)
        first = 0  # the fold that has one draw more: another one in every stratum
        for stratum in np.unique(strata):
            kinds = np.flatnonzero(strata == stratum)
            found[:, kinds] = _shared_out(self.counts[kinds], n_folds, n_wanted, first, generator)
            first = (first + int(self.counts[kinds].sum())) % n_folds
        return found

    def drawn(self, n: int, rng: np.random.RandomState) -> NDArray[np.int64]:
        """So many of all draws, at random: how many of every kind. Of groups, so large a share of them."""
        generator = np.random.default_rng(rng.randint(0, 2**31 - 1))
        if self.group_numbers is not None:
            most = self.n_independent
            some = generator.permutation(most)[: int(np.clip(round(n / self.n * most), 1, most - 1))]
            return np.where(np.isin(self.group_numbers, some), self.counts, 0)
        if self.n > _MOST_EXACT:
            return generator.binomial(self.counts, n / self.n)
        return generator.multivariate_hypergeometric(self.counts, n, method="marginals")

    def split(self, held: NDArray[np.int64]) -> Split:
        """With so many draws of every kind held out."""
        return Split(self._part(self.counts - held), self._part(held))

    def _part(self, counts: NDArray[np.int64]) -> Part:
        kinds = np.flatnonzero(counts)
        some = counts[kinds].astype(np.float64)
        groups = None if self.groups is None else self.groups[kinds]
        return Part(kinds, self.weights[kinds] * (some / self.counts[kinds]), some, groups)

    def whole(self) -> Part:
        """All of them."""
        return self._part(self.counts)

    def one_by_one(self) -> Part:
        """Every draw for itself; where there are too many of them, kinds as they are."""
        if self.n > max(_MOST_SINGLE, len(self.counts)):
            return self.whole()
        every = np.repeat(np.arange(len(self.counts)), self.counts)
        groups = None if self.groups is None else self.groups[every]
        return Part(every, (self.weights / self.counts)[every], np.ones(len(every)), groups)


def copies_of(counts: NDArray[np.int64]) -> int:
    """How often every kind stands there because somebody copied the table: ten copies are one draw.

    Folds that share copies out judge a model by rows that it was fitted to. Where few would be left, a design with as
    many rows of every kind is likelier than a copy.
    """
    copies = int(np.gcd.reduce(counts)) if len(counts) else 1
    return copies if counts.sum() >= _FEWEST_UNCOPIED * copies else 1


def splits(draws: Draws, strata: NDArray[np.intp], rng: np.random.RandomState) -> list[Split]:
    """Five pairs, three times five, three, or one, the more draws there are, or the more groups.

    Parameters
    ----------
    draws : Draws
        Kinds of rows.
    strata : ndarray of int
        Groups of kinds, classes for example, which all folds are to share evenly.
    rng : RandomState
        Draws the folds.
    """
    n = draws.n_independent
    n_folds = 3 if _SOME_ROWS < n <= _MANY_ROWS else _HELD
    repeats = _REPEATS if n > _FEW_ROWS and draws.n <= _SOME_ROWS else 1
    wanted = 1 if n > _MANY_ROWS else n_folds
    held = [fold for _ in range(repeats) for fold in draws.fold_counts(strata, n_folds, rng, wanted)]
    found = [draws.split(fold) for fold in held if 0 < fold.sum() < draws.n]
    return found or [Split(draws.whole(), draws.whole())]  # a single row


def folds_of_groups(
    groups: NDArray[np.intp],
    strata: NDArray[np.intp],
    n_folds: int,
    generator: np.random.Generator,
    counts: NDArray[Any] | None = None,
) -> NDArray[np.intp]:
    """The fold of every row or kind: whole groups, the largest first, each to where its strata are rarest so far.

    Parameters
    ----------
    groups, strata : ndarray of int
        Numbers of both; folds are to share strata, from nought, evenly, as far as groups allow.
    n_folds : int
        How many folds; as many as groups, where those are fewer.
    generator : Generator
        Breaks ties; the order of the rows decides nothing.
    counts : ndarray, default=None
        How many rows each one stands for.
    """
    counts = np.ones(len(groups)) if counts is None else counts
    groups = np.unique(groups, return_inverse=True)[1]  # of some rows, some groups may be gone
    n_groups, n_strata = int(groups.max()) + 1, int(strata.max()) + 1
    sizes = np.bincount(groups * n_strata + strata, counts, n_groups * n_strata).reshape(n_groups, n_strata)
    shares = np.column_stack([sizes, sizes.sum(axis=1)])  # and of all: no fold stays empty
    shares /= np.maximum(shares.sum(axis=0), 1.0)
    fold, held = np.zeros(n_groups, dtype=np.intp), np.zeros((min(n_folds, n_groups), n_strata + 1))
    shuffled = generator.permutation(n_groups)
    for group in shuffled[np.argsort(-shares[shuffled, -1], kind="stable")]:
        fold[group] = np.argmin(held @ shares[group])
        held[fold[group]] += shares[group]
    return np.asarray(fold[groups])


def _shared_out(
    counts: NDArray[np.int64], n_folds: int, n_wanted: int, first: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Draw without replacement: folds of equal size, the odd draws to the folds from ``first`` on."""
    left, found = counts.copy(), np.zeros((n_wanted, len(counts)), dtype=np.int64)
    exact = left.sum() <= _MOST_EXACT
    sizes = np.full(n_folds, left.sum() // n_folds)
    sizes[(first + np.arange(left.sum() % n_folds)) % n_folds] += 1
    for fold in range(n_wanted):
        if exact:
            found[fold] = generator.multivariate_hypergeometric(left, int(sizes[fold]), method="marginals")
        else:
            found[fold] = generator.binomial(left, 1 / (n_folds - fold))
        left -= found[fold]
    return found
