r"""Which term explains most of what is left? All pairs at once, and triples behind each bit.

A term's score is :math:`z^2 = (\sum_i v_i r_i \phi_S(x_i))^2 / (V_r V_\phi \sum_i v_i)`, with the variances of
the residual and of the term: what its coefficient under the measure is in standard errors, squared, averaged over the
outputs (whose variances are drawn half-way to their mean, see ``of_equal_size``). Of m terms that explain nothing the
best reaches about 2 log m, so that is what every degree has to pay.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.learners.spectral.tuning import TUNING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from paclearn.models.terms import Term

__all__ = ["Scan", "Standardised", "of_equal_size"]

_CELLS_AT_ONCE = 2**23
_ROWS_AT_ONCE = 2**13
_FEW_BITS = 250
_NO_PLACE = np.empty(0, dtype=np.intp)


def of_equal_size(residual: NDArray[np.float64], shares: NDArray[Any]) -> NDArray[np.float64]:
    """Every output by its mean square, half its own and half that of all.

    By its own alone, the few rows of a rare class would outweigh all others: what one row can win is limited, but its
    square beside a tiny mean is not.
    """
    squares = (residual**2 * shares[:, None]).sum(axis=0)
    found: NDArray[np.float64] = residual / np.sqrt(np.maximum((squares + squares.mean()) / 2, 1e-12))
    return found


@dataclass(frozen=True, eq=False)
class Standardised:
    """Functions of single bits under independent bits: their signs, less the mean, by the standard deviation."""

    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]

    @classmethod
    def under(cls, signs: NDArray[np.int8], shares: NDArray[np.float64]) -> Standardised:
        """The means of rows, whose shares add up to one."""
        parts = range(0, len(signs), _ROWS_AT_ONCE)
        mean = np.sum([shares[i : i + _ROWS_AT_ONCE] @ signs[i : i + _ROWS_AT_ONCE] for i in parts], axis=0)
        return cls(mean, np.sqrt(np.maximum(1 - mean**2, 1e-12)))

    def of(self, signs: NDArray[np.int8]) -> NDArray[np.float32]:
        """Rows x bits."""
        return ((signs - self.mean) / self.deviation).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Scan:
    """Rows to scan: functions of single bits, their signs, every bit's column, and how often rows count."""

    basis: NDArray[Any]
    signs: NDArray[np.int8]
    columns: NDArray[np.intp]
    counts: NDArray[np.float32]
    least_rows: float
    least_variance: float = 1.0  # a function of a measure has mean square one; a parity may have less

    @cached_property
    def known(self) -> dict[tuple[int, int, int], list[tuple[float, Term]]]:
        """Rankings that were made already."""
        return {}

    @property
    def d(self) -> int:
        return self.basis.shape[1]

    @property
    def has_copies(self) -> bool:
        """Whether terms of the same columns may be nearly the same."""
        return True

    @cached_property
    def _n(self) -> np.float32:
        return np.float32(self.counts.sum())

    def _blocks(self) -> list[slice]:
        n = len(self.basis)
        step = max(1, _CELLS_AT_ONCE // max(self.d, 1))
        return [slice(begin, min(begin + step, n)) for begin in range(0, n, step)]

    # ---- what does not depend on the residual ----

    @cached_property
    def _pair_variance(self) -> NDArray[np.float32]:
        """Variance of every pair's function."""
        means, squares = self._sums_of_pairs(self.counts), self._sums_of_squares()
        return np.maximum(squares / self._n - (means / self._n) ** 2, np.float32(self.least_variance))

    @cached_property
    def _allowed_pairs(self) -> NDArray[np.bool_]:
        """Pairs of different columns all of whose four cells have rows enough, once each."""
        both = self._sums_where_true()
        ups = both.diagonal()
        cells = (both, ups[:, None] - both, ups - both, self._n - ups[:, None] - ups + both)
        supported = np.minimum.reduce(cells) >= self.least_rows - 1e-3
        return np.triu(supported & (self.columns[:, None] != self.columns), 1)

    @cached_property
    def n_pairs(self) -> int:
        """How many pairs are allowed."""
        return int(self._allowed_pairs.sum())

    @cached_property
    def _correlations(self) -> dict[int, NDArray[np.float32]]:
        return {}

    def _correlation_in(self, column: int) -> NDArray[np.float32]:
        """Of the bits of a column, regardless of the sign."""
        if column not in self._correlations:
            share, bits = (self.counts / self._n)[:, None], self.basis[:, self._bits_of[column]]
            centred = (bits - (bits * share).sum(axis=0)) * np.sqrt(share)
            centred /= np.maximum(np.sqrt((centred**2).sum(axis=0)), np.float32(1e-9))
            self._correlations[column] = np.abs(centred.T @ centred)
        return self._correlations[column]

    @cached_property
    def _bits_of(self) -> dict[int, NDArray[np.intp]]:
        return {int(c): np.flatnonzero(self.columns == c) for c in np.unique(self.columns)}

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """Of every bit: its column, and where it stands among the bits of that."""
        return [(int(c), int(np.searchsorted(self._bits_of[int(c)], i))) for i, c in enumerate(self.columns)]

    def alike(self, term: Term) -> NDArray[np.bool_]:
        """By place, whether terms of the same columns say nearly the same."""
        parts = [self._correlation_in(column)[place] for column, place in (self.places[i] for i in term)]
        found: NDArray[np.bool_] = reduce(np.multiply.outer, parts) > TUNING.alike
        return found

    # ---- scores ----

    def _weighted(self, residual: NDArray[np.float64]) -> NDArray[np.float32]:
        """Residuals of about mean square one in every output, times how often rows count."""
        return of_equal_size(residual, self.counts / self._n).astype(np.float32) * self.counts[:, None]

    def singles(self, residual: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores of single bits."""
        r = self._weighted(residual)
        share = (self.counts / self._n)[:, None]
        mean = (self.basis * share).sum(axis=0)
        variance = (self.basis**2 * share).sum(axis=0) - mean**2
        total = self.basis.T @ r
        return np.asarray((total**2).mean(axis=1) / (self._n * np.maximum(variance, 1e-9)), dtype=np.float64)

    def pairs(self, residual: NDArray[np.float64]) -> NDArray[np.float32]:
        """Scores of pairs, d x d, zero where a pair is not allowed."""
        return self.scores_of(self.sums(residual))

    def sums(self, residual: NDArray[np.float64]) -> list[NDArray[np.float32]]:
        """Over the rows, of the residual times the functions of two bits: d x d for every output."""
        return [self._sums_of_pairs(output) for output in self._weighted(residual).T]

    def scores_of(self, sums: list[NDArray[np.float32]]) -> NDArray[np.float32]:
        """Scores of pairs whose sums are known."""
        score = np.zeros((self.d, self.d), dtype=np.float32)
        for total in sums:
            score += total**2
        score /= np.float32(len(sums)) * self._n * self._pair_variance
        return np.where(self._allowed_pairs, score, 0)

    def best_pairs(self, residual: NDArray[np.float64], most: int) -> list[tuple[float, Term]]:
        """The best pairs, with their scores."""
        scores = self.pairs(residual)
        flat = scores.ravel()
        count = min(most, int((flat > 0).sum()))
        if count == 0:
            return []
        best = np.argpartition(-flat, count - 1)[:count]
        pairs = zip(*(part.tolist() for part in np.divmod(best, len(scores))), strict=True)
        return list(zip(flat[best].tolist(), pairs, strict=True))

    def _sums_of_pairs(self, output: NDArray[np.float32]) -> NDArray[np.float32]:
        """Of products of two functions, d x d, weighted."""
        return self._products((self.basis[some] for some in self._blocks()), output)

    def _sums_of_squares(self) -> NDArray[np.float32]:
        return self._products((self.basis[some] ** 2 for some in self._blocks()), self.counts)

    def _sums_where_true(self) -> NDArray[np.float32]:
        return self._products(((self.signs[some] > 0).astype(np.float32) for some in self._blocks()), self.counts)

    def _products(self, parts: Iterable[NDArray[np.float32]], weights: NDArray[np.float32]) -> NDArray[np.float32]:
        total = np.zeros((self.d, self.d), dtype=np.float32)
        for some, block in zip(self._blocks(), parts, strict=True):
            total += block.T @ (block * weights[some, None])
        return total

    def largest_coefficients(self, labels: NDArray[np.float64], degree: int, most: int) -> list[Term]:
        r"""Interactions by :math:`|\hat f(S)| = |\frac1n \sum_i y_i \phi_S(x_i)|`, the largest of several outputs.

        Zhang (2019), Algorithms 2 and 3: all subsets of bits, those of one column and rare ones included.
        """
        outputs = (labels * (self.counts / self._n)[:, None]).astype(np.float32).T
        sizes = np.maximum.reduce([np.abs(self._sums_of_pairs(output)) for output in outputs])
        found = _largest(np.triu(sizes, 1), most, ())
        for i in range(self.d - 2 if degree > 2 else 0):
            behind = self.basis[:, i + 1 :]
            sums = [behind.T @ (behind * (output * self.basis[:, i])[:, None]) for output in outputs]
            found += _largest(np.triu(np.abs(sums).max(axis=0), 1), most, (i,))
        return [term for _, term in sorted(found, key=lambda item: (-item[0], item[1]))[:most]]

    def triples(self, residual: NDArray[np.float64], most: int) -> list[tuple[float, Term]]:
        """The best triples of different columns, with their scores."""
        r = self._weighted(residual)
        found = [self._best_behind(i, r, most) for i in range(self.d - 2)]
        if not found:
            return []
        score, first, second, third = (np.concatenate(parts) for parts in zip(*found, strict=True))
        order = np.lexsort((third, second, first, -score))[:most]
        terms = zip(first[order].tolist(), second[order].tolist(), third[order].tolist(), strict=True)
        return list(zip(score[order].tolist(), terms, strict=True))

    def _best_behind(self, i: int, r: NDArray[np.float32], most: int) -> tuple[NDArray[Any], ...]:
        """Scores and members of the best triples that begin with a bit."""
        bits = self._beside(i)
        score = self._behind(i, bits, r)
        best = np.argpartition(-score, min(most, score.size) - 1, axis=None)[:most] if score.size else _NO_PLACE
        best = best[score.ravel()[best] > 0]
        second, third = np.unravel_index(best, score.shape) if score.size else (_NO_PLACE, _NO_PLACE)
        return score.ravel()[best], np.full(len(best), i), bits[second], bits[third]

    def _beside(self, i: int) -> NDArray[np.intp]:
        """The bits behind a bit that go with it: others are in no triple of it."""
        return np.flatnonzero(self._allowed_pairs[i])

    def _behind(self, i: int, bits: NDArray[np.intp], r: NDArray[np.float32]) -> NDArray[np.float32]:
        """Scores of bit i with all pairs of those behind it."""
        behind = self.basis[:, bits]
        score = np.zeros((len(bits),) * 2, dtype=np.float32)
        for output in r.T:
            score += (behind.T @ (behind * (output * self.basis[:, i])[:, None])) ** 2
        score /= np.float32(r.shape[1]) * self._n * self._triple_variance(i, behind)
        return np.where(self._allowed_pairs[np.ix_(bits, bits)], score, 0)

    @cached_property
    def _triple_variances(self) -> dict[int, NDArray[np.float32]]:
        return {}

    def _triple_variance(self, i: int, behind: NDArray[Any]) -> NDArray[np.float32]:
        """Variance of the functions of bit i with all pairs of those behind it; kept where that takes little room."""
        if i in self._triple_variances:
            return self._triple_variances[i]
        first, count = self.basis[:, i, None], self.counts[:, None]
        means = behind.T @ (behind * first * count) / self._n
        squares = (behind**2).T @ ((behind * first) ** 2 * count) / self._n
        variance = np.maximum(squares - means**2, np.float32(self.least_variance))
        if self.d <= _FEW_BITS:
            self._triple_variances[i] = variance
        return variance


def _largest(sizes: NDArray[np.float32], most: int, prefix: Term) -> list[tuple[float, Term]]:
    """The largest entries of a triangle, with the bits they stand for: those of a prefix and two behind it."""
    flat, shift = sizes.ravel(), prefix[-1] + 1 if prefix else 0
    best = np.argpartition(-flat, min(most, len(flat)) - 1)[:most] if most and len(flat) else np.empty(0, dtype=np.intp)
    best = best[flat[best] > 0]
    rows, columns = np.unravel_index(best, sizes.shape)
    terms = zip((rows + shift).tolist(), (columns + shift).tolist(), strict=True)
    return [(size, (*prefix, *pair)) for size, pair in zip(flat[best].tolist(), terms, strict=True)]
