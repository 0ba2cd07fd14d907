"""Which pairs of columns are worth a closer look? All at once, a few bits a column."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np

from paclearn.learners.spectral.cell_evidence import CellEvidence
from paclearn.learners.spectral.effect_tuning import EFFECTS
from paclearn.learners.spectral.term_scan import Scan

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.spectral.effect_columns import EffectColumn
    from paclearn.learners.spectral.effect_fit import EffectRows
    from paclearn.learners.spectral.effect_recipes import FoldFit

__all__ = ["EffectScan"]


@dataclass(frozen=True, eq=False)
class EffectScan:
    """Thresholds at a few quantiles, the most frequent levels, and the scan of all their products."""

    bits: tuple[tuple[int, tuple[int, ...]], ...]  # column and codes
    n_columns: int
    scan: Scan

    @classmethod
    def of(cls, rows: EffectRows, columns: tuple[EffectColumn, ...]) -> EffectScan:
        bits = tuple(
            (i, codes)
            for i, column in enumerate(columns)
            for codes in _bits_of(column, rows.mass(rows.codes[i], column.n_codes))
        )
        signs = np.stack([np.where(np.isin(rows.codes[i], codes), 1, -1) for i, codes in bits], axis=1).astype(np.int8)
        mean = rows.counts @ signs / rows.n
        basis = ((signs - mean) / np.sqrt(np.maximum(1 - mean**2, 1e-12))).astype(np.float32)
        owners = np.array([i for i, _ in bits], dtype=np.intp)
        least = min(5.0, max(2.0, rows.n / 100))
        return cls(bits, len(columns), Scan(basis, signs, owners, rows.counts.astype(np.float32), least))

    @cached_property
    def _cells(self) -> CellEvidence:
        return CellEvidence(self.scan, self.n_columns)

    def pairs(self, fold: FoldFit, most: int) -> list[tuple[int, int]]:
        """Pairs of columns by their best pair of bits and by all their cells, in turns, on what a model leaves."""
        sums = self.scan.sums(_residual(fold))
        ways = (_ranked(self._by_bits(sums), most), _ranked(self._cells.pairs(sums), most))
        return list(dict.fromkeys(pair for both in zip_longest(*ways) for pair in both if pair is not None))[:most]

    def _by_bits(self, sums: list[NDArray[np.float32]]) -> NDArray[np.float64]:
        """Columns x columns: the best pair of bits of each two."""
        score = self.scan.scores_of(sums)
        one, other = np.nonzero(score)
        best = np.zeros((self.n_columns, self.n_columns))
        np.maximum.at(best, (self.scan.columns[one], self.scan.columns[other]), score[one, other])
        return best

    def triples(self, fold: FoldFit, most: int) -> list[tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]]:
        """The best bits of different columns, three at a time: the columns, and the codes of each."""
        found: dict[tuple[int, ...], tuple[tuple[int, ...], ...]] = {}
        for _, term in self.scan.triples(_residual(fold), 4 * most):
            columns = tuple(self.bits[i][0] for i in term)
            found.setdefault(columns, tuple(self.bits[i][1] for i in term))
        return list(found.items())[:most]

    def triples_are_cheap(self, n_outputs: int) -> bool:
        """Whether they can be scanned at every step."""
        n, d = self.scan.basis.shape
        return n_outputs * n * d**3 / 6 < EFFECTS.cheap_triples


def _ranked(score: NDArray[np.float64], most: int) -> list[tuple[int, int]]:
    order = np.argsort(-score, axis=None, kind="stable")[:most]
    return [(int(k) // len(score), int(k) % len(score)) for k in order if score.flat[k] > 0]


def _residual(fold: FoldFit) -> NDArray[np.float64]:
    rows = fold.train
    return rows.loss.residuals(rows.scores(fold.pieces, fold.fit), rows.targets)


def _bits_of(column: EffectColumn, mass: NDArray[np.float64]) -> list[tuple[int, ...]]:
    if column.means is None:
        most = np.argsort(-mass, kind="stable")[: 1 if column.n_codes == 2 else EFFECTS.coarse]
        return [(int(code),) for code in most if mass[code] > 0]
    below = np.cumsum(mass[: column.n_bins]) / max(mass.sum(), 1e-300)
    wanted = np.arange(1, EFFECTS.coarse) / EFFECTS.coarse
    cuts = np.unique(np.abs(below[:-1] - wanted[:, None]).argmin(axis=1))
    return [tuple(range(int(cut) + 1, column.n_bins)) for cut in cuts]
