"""From a table to a model of few effects: columns, rows that are alike, the search, and the weights of all rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

from paclearn.encoding.distinct import DistinctRows
from paclearn.encoding.folds import splits
from paclearn.learners.spectral.effect_columns import learn_effect_columns
from paclearn.learners.spectral.effect_fit import EffectRows, cell_errors, fit_pieces
from paclearn.learners.spectral.effect_search import EffectSearch
from paclearn.learners.spectral.effect_tuning import EFFECTS
from paclearn.learners.spectral.tuning import TUNING
from paclearn.models.effects import Effect

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from paclearn.encoding import EncodingRules
    from paclearn.encoding.domain import Domain
    from paclearn.encoding.folds import Draws, Part
    from paclearn.learners.fitting import Rows
    from paclearn.learners.spectral.effect_columns import EffectColumn
    from paclearn.learners.spectral.effect_fit import EffectFit
    from paclearn.learners.spectral.effect_pieces import Piece
    from paclearn.learners.spectral.losses import Loss

__all__ = ["EffectsAsked", "EffectsLearned", "learn_effects"]

Prepare = "Callable[[NDArray[np.float64], NDArray[np.float64]], tuple[Loss, NDArray[np.float64]]]"


@dataclass(frozen=True)
class EffectsAsked:
    """How many effects of how many columns, and the signs of those that must not go against them."""

    most: int
    degree: int | None  # None: two, and three where that is cheap
    signs: dict[str, int]


@dataclass(frozen=True, eq=False)
class EffectsLearned:
    """The columns and their codes in all rows, the effects with their weights, and how they were found."""

    domain: Domain
    codes: NDArray[np.intp]
    columns: tuple[EffectColumn, ...]
    rows: EffectRows
    pieces: tuple[Piece, ...]
    fit: EffectFit
    strength: float
    path: tuple[tuple[int, float], ...]

    def rounded(self, step: float) -> EffectsLearned:
        """Weights as multiples of a step."""
        weights = tuple(np.round(w / step) * step for w in self.fit.weights)
        return replace(self, fit=replace(self.fit, weights=weights, intercept=np.round(self.fit.intercept / step) * step))

    @property
    def largest_weight(self) -> float:
        return max((float(np.abs(w).max(initial=0.0)) for w in self.fit.weights), default=0.0)

    def tables(self) -> tuple[tuple[Effect, str, NDArray[np.float64]], ...]:
        """The effects, each with its shape and its standard errors, the weightiest first; none that says nothing."""
        errors = cell_errors(self.rows, self.pieces, self.fit, self.strength)
        found = []
        for piece, weights, error in zip(self.pieces, self.fit.weights, errors, strict=True):
            cells = piece.basis @ weights
            share = self.rows.mass(self.rows.cells(piece), len(cells)) / self.rows.n
            size = float(share @ (cells**2).sum(axis=1))
            if np.abs(cells).max(initial=0.0) > 0:
                found.append((size, (_effect(piece, cells), piece.shape, _effect(piece, error).cells)))
        return tuple(item for _, item in sorted(found, key=lambda item: -item[0]))

    def log_choices(self) -> float:
        """Nats to write down which effects were chosen: columns, shapes, and the groups of their codes."""
        total = 0.0
        d = len(self.columns)
        for piece in self.pieces:
            total += np.log(3) + _log_binomial(d, len(piece.columns)) + np.log(len(EFFECTS.steps) + 4)
            total += sum(
                _nats_of_groups(self.columns[c], int(g.max()) + 1) for c, g in zip(piece.columns, piece.groups, strict=True)
            )
        return float(total)


def _effect(piece: Piece, cells: NDArray[np.float64]) -> Effect:
    """With a last group a column, for codes that were never seen, where nothing is added."""
    groups = tuple(np.append(group, size) for group, size in zip(piece.groups, piece.sizes, strict=True))
    table = np.pad(cells.reshape(*piece.sizes, -1), [(0, 1)] * len(groups) + [(0, 0)])
    return Effect(piece.columns, groups, table)


def _nats_of_groups(column: EffectColumn, size: int) -> float:
    """Which codes go together: cuts of a number, or the group of every level."""
    if size == column.n_codes:
        return 0.0
    return _log_binomial(column.n_bins - 1, size - 1) if column.means is not None else column.n_codes * float(np.log(size))


def _log_binomial(n: int, k: int) -> float:
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)) if 0 < k <= n else 0.0


def learn_effects(
    train: Rows,
    rules: EncodingRules,
    asked: EffectsAsked,
    prepare: Callable[[NDArray[np.float64], NDArray[np.float64]], tuple[Loss, NDArray[np.float64]]],
    strata_of: Callable[[NDArray[np.float64]], NDArray[np.intp]],
    rng: np.random.RandomState,
) -> EffectsLearned:
    """The best model of few effects of some rows."""
    domain, columns, codes = learn_effect_columns(train.table, rules, train.weights, asked.signs)
    targets = train.targets.astype(np.float64)
    kinds = DistinctRows.in_order(codes.T.astype(np.uint16), targets, train.counts)
    targets, draws = targets[kinds.first], kinds.draws
    loss, scaled = prepare(targets, draws.weights)
    rows = EffectRows(np.ascontiguousarray(codes[:, kinds.first]), scaled, draws.weights, loss)
    search = _searched(rows, columns, asked, draws, strata_of(targets), rng)
    found = search.run()
    pieces, fit = found.whole.pieces, found.whole.fit
    if search.rows is not rows:  # the effects are chosen; their weights take all rows
        pieces = tuple(p.under(rows.mass(rows.cells(p), len(p.basis))) for p in pieces)
        fit = fit_pieces(rows, pieces, found.strength)
    return EffectsLearned(domain, codes, columns, rows, pieces, fit, found.strength, tuple(search.path))


def _searched(
    rows: EffectRows,
    columns: tuple[EffectColumn, ...],
    asked: EffectsAsked,
    draws: Draws,
    strata: NDArray[np.intp],
    rng: np.random.RandomState,
) -> EffectSearch:
    """The rows that effects are chosen by, shared out."""
    few = rows
    if len(rows.counts) > TUNING.enough_rows:
        some = np.sort(rng.permutation(len(rows.counts))[: TUNING.enough_rows])
        draws, strata = draws.take(some), strata[some]
        few = _part(rows, replace(draws.whole(), kinds=some))
    judged = splits(draws, strata, rng)[: EFFECTS.splits]
    parts = [(_part(few, split.train), _part(few, split.held)) for split in judged]
    search = EffectSearch(columns, few, parts, asked.most, asked.degree or 2)
    if asked.degree is None and search.triples_are_cheap:
        search = replace(search, degree=3)
    return search


def _part(rows: EffectRows, part: Part) -> EffectRows:
    codes = np.ascontiguousarray(rows.codes[:, part.kinds])
    return EffectRows(codes, rows.targets[part.kinds], part.weights, rows.loss)
