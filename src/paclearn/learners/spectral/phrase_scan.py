r"""Which phrase explains most of what is left? All pairs of conditions at once, and what the best can be made into.

A phrase that is true of a share p of n rows scores :math:`z^2 = (\sum_i v_i r_i [\text{true}])^2 / (n p (1 - p) V_r)`,
averaged over the outputs. One product of matrices has the sums of all pairs of bits; those in which one or both are
denied follow by inclusion and exclusion. Longer phrases, intervals and lists of levels grow from the best of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import gammaln

from paclearn.learners.spectral.phrases import Phrase
from paclearn.learners.spectral.term_scan import of_equal_size
from paclearn.learners.spectral.tuning import TUNING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.learners.spectral.phrases import CodedRows, Vocabulary

__all__ = ["PhraseScan"]

_CELLS_AT_ONCE = 2**23
_DEPTH = 20  # how many times more phrases are ranked than are kept


@dataclass(frozen=True, eq=False)
class PhraseScan:
    """Rows to look at: their answers to all bits, their codes, and how often they count."""

    vocabulary: Vocabulary
    signs: NDArray[np.int8]
    rows: CodedRows
    counts: NDArray[np.float64]
    least_rows: float

    # ---- what does not depend on the residual ----

    @cached_property
    def _n(self) -> float:
        return float(self.counts.sum())

    @property
    def _d(self) -> int:
        return len(self.vocabulary.bits)

    @cached_property
    def _asked(self) -> NDArray[np.float32]:
        """Rows x bits, then one more for every column with missing values, 1 where it has one, and then only 1."""
        columns = self.vocabulary.domain.columns
        known = [self.rows.columns[i] < c.n_codes - 1 for i, c in enumerate(columns) if c.missing]
        every = [*known, np.ones(len(self.signs), dtype=bool)]
        return np.concatenate([self.signs > 0, np.stack(every, axis=1)], axis=1).astype(np.float32)

    @cached_property
    def _base(self) -> NDArray[np.intp]:
        """Of every bit, where in that matrix the rows stand of which either it or its denial is true."""
        columns = self.vocabulary.domain.columns
        with_missing = [i for i, column in enumerate(columns) if column.missing]
        place = {column: self._d + k for k, column in enumerate(with_missing)}
        last = self._d + len(with_missing)
        return np.array(
            [
                last if bit.codes == (columns[bit.column].n_codes - 1,) else place.get(bit.column, last)
                for bit in self.vocabulary.bits
            ],
            dtype=np.intp,
        )

    @cached_property
    def paired(self) -> NDArray[np.intp]:
        """Bits whose pairs are scanned: all or, of very many, some of each column, for codes are chosen anew later."""
        if self._d <= TUNING.paired_bits:
            return np.arange(self._d)
        columns = np.split(np.arange(self._d), np.flatnonzero(np.diff(self._columns)) + 1)
        wanted = [max(TUNING.fewest_paired, len(bits) * TUNING.paired_bits // self._d) for bits in columns]
        return np.concatenate([self._some_of(bits, most) for bits, most in zip(columns, wanted, strict=True)])

    def _some_of(self, bits: NDArray[np.intp], most: int) -> NDArray[np.intp]:
        """Of one column: thresholds that part its range evenly, or levels that have most rows."""
        if len(bits) <= most:
            return bits
        if self.vocabulary.order(int(self._columns[bits[0]])) is not None:
            return bits[np.linspace(0, len(bits) - 1, most + 2)[1:-1].round().astype(np.intp)]
        fewer = self._rows_of_literals[:, bits].min(axis=0)
        return bits[np.sort(np.argsort(-fewer, kind="stable")[:most])]

    def _four(self, weights: NDArray[Any]) -> NDArray[np.float32]:
        """Sums of weights over both, the first alone, the second alone and neither of all pairs of bits."""
        asked, d = self._asked_of_pairs, len(self.paired)
        base = self._base[self.paired] - self._d + d
        inner = np.zeros((asked.shape[1],) * 2, dtype=np.float32)
        step = max(1, _CELLS_AT_ONCE // asked.shape[1])
        for begin in range(0, len(self.signs), step):
            block = asked[begin : begin + step]
            inner += block.T @ (block * weights[begin : begin + step, None].astype(np.float32))
        both, first, either = inner[:d, :d], inner[:d, base], inner[base][:, base]
        return np.stack([both, first - both, first.T - both, either - first - first.T + both])

    @cached_property
    def _asked_of_pairs(self) -> NDArray[np.float32]:
        whole = len(self.paired) == self._d
        return self._asked if whole else np.hstack([self._asked[:, self.paired], self._asked[:, self._d :]])

    @cached_property
    def _rows_of_pairs(self) -> NDArray[np.float32]:
        return self._four(self.counts)

    @cached_property
    def _rows_of_literals(self) -> NDArray[np.float32]:
        """2 x bits: rows of every bit, and of its denial."""
        sums = self.counts.astype(np.float32) @ self._asked
        return np.stack([sums[: self._d], sums[self._base] - sums[: self._d]])

    @cached_property
    def _allowed(self) -> NDArray[np.bool_]:
        """Pairs with rows enough that say something else than each of the two, once each."""
        rows = self._rows_of_pairs
        yes, no = self._rows_of_literals[:, self.paired]
        first = np.stack([yes, yes, no, no])[:, :, None]
        second = np.stack([yes, no, yes, no])[:, None, :]
        less = np.minimum(first, second) - rows
        least = np.float32(self.least_rows - 1e-3)
        return np.triu((rows >= least) & (less >= least) & (self._n - rows >= least), 1)

    # ---- scores ----

    def _weighted(self, residual: NDArray[np.float64]) -> NDArray[np.float64]:
        """Residuals of about mean square one in every output and of mean nought, times how often rows count."""
        r = of_equal_size(residual, self.counts / self._n) * self.counts[:, None]
        return r - (self.counts / self._n)[:, None] * r.sum(axis=0)

    def _z2(self, squares: NDArray[Any], rows: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(squares / np.maximum(rows * (1 - rows / self._n), 1e-9))

    def scores(self, phrases: Sequence[Phrase], residual: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of some phrases."""
        true = self.truth(phrases).astype(np.float64)
        squares = ((true.T @ self._weighted(residual)) ** 2).mean(axis=1)
        return self._z2(squares, self.counts @ true)

    def pairs(self, residual: NDArray[np.float64], most: int) -> list[Phrase]:
        """The best pairs of conditions on different columns; on one column, intervals and pairs of levels."""
        r = self._weighted(residual)
        squares = np.zeros_like(self._rows_of_pairs)
        for output in r.T:
            squares += self._four(output) ** 2 / np.float32(r.shape[1])
        scores = np.where(self._allowed, self._z2(squares, self._rows_of_pairs), 0)
        best = _best(scores, _DEPTH * most)
        way, *both = np.unravel_index(best, scores.shape)
        first, second = self.paired[both]
        columns = self._columns
        low, high = np.sort([columns[first], columns[second]], axis=0)
        kept = _varied(low * (columns.max() + 1) + high)[:most]
        literals = self.vocabulary.literals
        found = (
            Phrase((literals[first[t]][way[t] // 2],)).with_condition(literals[second[t]][way[t] % 2]) for t in kept
        )
        pairs = [phrase for phrase in found if phrase is not None and self._is_plain(phrase)]
        closer = self.reworded(residual, pairs[: TUNING.parents]) if len(self.paired) < self._d else []
        return list(dict.fromkeys([*pairs, *closer]))

    def longer(self, residual: NDArray[np.float64], parents: Sequence[Phrase], degree: int, most: int) -> list[Phrase]:
        """The best that some phrases and one more condition say."""
        if not parents:
            return []
        r = self._weighted(residual)
        true = self.truth(parents)
        squares = np.sum([self._two(true, output) ** 2 for output in r.T], axis=0) / np.float32(r.shape[1])
        rows = self._two(true, self.counts)
        least = np.float32(self.least_rows - 1e-3)
        of_parents = (self.counts.astype(np.float32) @ true)[None, :, None]
        allowed = (rows >= least) & (of_parents - rows >= least)
        scores = np.where(allowed, self._z2(squares, rows), 0)
        way, parent, bit = np.unravel_index(_best(scores, _DEPTH * most), scores.shape)
        kept = _varied(parent * (self._columns.max() + 1) + self._columns[bit])[:most]
        literals = self.vocabulary.literals
        found = (parents[parent[t]].with_condition(literals[bit[t]][way[t]]) for t in kept)
        plain = (phrase for phrase in found if phrase is not None and self._is_plain(phrase))
        return list(dict.fromkeys(phrase for phrase in plain if len(phrase) <= degree))

    def _is_plain(self, phrase: Phrase) -> bool:
        return all(self.vocabulary.is_plain(*part) for part in phrase.conditions)

    def _two(self, true: NDArray[np.float32], weights: NDArray[Any]) -> NDArray[np.float32]:
        """2 x phrases x bits: sums of weights where a phrase and a bit are true, or it and the bit's denial."""
        inner = (true * weights[:, None].astype(np.float32)).T @ self._asked
        return np.stack([inner[:, : self._d], inner[:, self._base] - inner[:, : self._d]])

    @cached_property
    def _columns(self) -> NDArray[np.intp]:
        return np.array([bit.column for bit in self.vocabulary.bits], dtype=np.intp)

    def truth(self, phrases: Sequence[Phrase]) -> NDArray[np.float32]:
        """Rows x phrases."""
        return self.rows.truth(phrases).T

    # ---- other codes of one column ----

    def reworded(self, residual: NDArray[np.float64], phrases: Sequence[Phrase]) -> list[Phrase]:
        """Phrases with the codes of one of their columns chosen anew, all else as it is."""
        r = self._weighted(residual)
        found: dict[Phrase, None] = {}
        for phrase in phrases:
            for column in phrase.columns:
                rest = phrase.without(column)
                true = self.truth([rest])[:, 0] > 0 if len(rest) else np.ones(len(self.signs), dtype=bool)
                codes = self._best_codes(column, r[true], self.rows.columns[column][true], self.counts[true])
                new = None if codes is None else rest.with_condition((column, codes))
                if new is not None and new != phrase:
                    found[new] = None
        return list(found)

    def of_columns(self, residual: NDArray[np.float64]) -> list[Phrase]:
        """The best set of codes of every column; of two codes there is no choice."""
        some = [column for column in range(len(self.rows.columns)) if len(self.vocabulary.present(column)) > 2]
        whole = [Phrase(((column, (0,)),)) for column in some]
        return self.reworded(residual, whole)

    def _best_codes(
        self, column: int, r: NDArray[np.float64], codes: NDArray[np.intp], counts: NDArray[np.float64]
    ) -> tuple[int, ...] | None:
        n_codes = self.vocabulary.domain.columns[column].n_codes
        present = self.vocabulary.present(column)
        outputs = r.shape[1]
        places = codes if outputs == 1 else (codes[:, None] * outputs + np.arange(outputs)).ravel()
        all_sums = np.bincount(places, r.ravel(), minlength=n_codes * outputs)
        sums = all_sums.reshape(n_codes, outputs)[list(present)].astype(np.float64)
        rows = np.bincount(codes, counts, minlength=n_codes)[list(present)].astype(np.float64)
        order = self.vocabulary.order(column)
        if order is not None:
            return self._best_run(sums[order], rows[order], np.array(order))
        return self._best_list(sums, rows)

    def _best_run(
        self, sums: NDArray[np.float64], rows: NDArray[np.float64], order: NDArray[np.intp]
    ) -> tuple[int, ...] | None:
        """Neighbouring codes, from the first to the last."""
        total = np.concatenate([np.zeros((1, sums.shape[1])), np.cumsum(sums, axis=0)])
        mass = np.concatenate([[0.0], np.cumsum(rows)])
        squares = ((total[None, :] - total[:, None]) ** 2).mean(axis=2)
        inside = mass[None, :] - mass[:, None]
        begin, end = _spans(len(mass))
        score = self._z2(squares[begin, end], inside[begin, end])
        fits = (inside[begin, end] >= self.least_rows) & (mass[-1] - inside[begin, end] >= self.least_rows)
        inner = (begin > 0) & (end < len(mass) - 1)  # of which there are more to choose from
        score -= 2 * np.where(inner, np.log(max(len(rows), 2) / 2), 0.0)
        score[~fits] = -np.inf
        if not fits.any():
            return None
        best = int(np.argmax(score))
        return tuple(sorted(order[begin[best] : end[best]].tolist()))

    def _best_list(self, sums: NDArray[np.float64], rows: NDArray[np.float64]) -> tuple[int, ...] | None:
        """A few levels that differ most from the others, or all but these."""
        order = _order_of_levels(sums, rows)
        listed = np.arange(1, min(TUNING.most_listed, len(order) - 1) + 1)
        if not len(listed):
            return None
        total, mass = np.cumsum(sums[order], axis=0), np.cumsum(rows[order])
        few_sums = np.stack([total[listed - 1], total[-1] - total[-listed - 1]])  # from the front, from the end
        few_rows = np.stack([mass[listed - 1], mass[-1] - mass[-listed - 1]])
        all_sums, all_rows = np.stack([few_sums, total[-1] - few_sums]), np.stack([few_rows, mass[-1] - few_rows])
        score = self._z2((all_sums**2).mean(axis=-1), all_rows) - 2 * _log_choose(len(order), listed)
        score[np.minimum(all_rows, mass[-1] - all_rows) < self.least_rows] = -np.inf
        others, back, best = np.unravel_index(int(np.argmax(score)), score.shape)
        if not np.isfinite(score[others, back, best]):
            return None
        few = order[-listed[best] :] if back else order[: listed[best]]
        return tuple(sorted((np.setdiff1d(np.arange(len(rows)), few) if others else few).tolist()))


@lru_cache(maxsize=256)
def _spans(n: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """From each of so many places to each behind it."""
    return np.triu_indices(n, 1)


def _order_of_levels(sums: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.intp]:
    """Levels that have rows, by their mean residual; of several outputs, in the direction in which they vary most."""
    seen = np.flatnonzero(rows > 0)
    mean = sums[seen] / rows[seen, None]
    if sums.shape[1] == 1:
        return seen[np.argsort(mean[:, 0], kind="stable")]
    away = mean - sums.sum(axis=0) / max(rows.sum(), 1e-9)
    direction = np.linalg.svd(away * np.sqrt(rows[seen])[:, None], full_matrices=False)[2][0]
    return seen[np.argsort(away @ direction, kind="stable")]


def _best(scores: NDArray[np.float64], most: int) -> NDArray[np.intp]:
    """Places of the largest positive ones, the largest first."""
    flat = scores.ravel()
    count = min(most, int((flat > 0).sum()))
    if not count:
        return np.empty(0, dtype=np.intp)
    lines = np.sort(scores.reshape(-1, scores.shape[-1]).max(axis=1))
    least = (
        lines[-count] if len(lines) >= count else 0.0
    )  # as many lines hold as much, so what is less is not among them
    places = np.flatnonzero(flat >= least if least > 0 else flat > 0)
    best = places[np.argpartition(-flat[places], count - 1)[:count]]
    return best[np.lexsort((best, -flat[best]))]


def _varied(keys: NDArray[np.intp]) -> NDArray[np.intp]:
    """Places of the first few of each key: phrases of the same columns are near copies of each other."""
    order = np.argsort(keys, kind="stable")
    begins = np.flatnonzero(np.diff(keys[order], prepend=-1))
    rank = np.arange(len(keys)) - np.repeat(begins, np.diff(np.append(begins, len(keys))))
    return np.sort(order[rank < TUNING.copies])


def _log_choose(n: int, k: NDArray[np.intp]) -> NDArray[np.float64]:
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
