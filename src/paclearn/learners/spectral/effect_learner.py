"""From a table to a model of few effects: columns, rows that are alike, the search, and the weights of all rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from paclearn.encoding.distinct import DistinctRows
from paclearn.encoding.folds import splits
from paclearn.learners.spectral.effect_columns import learn_effect_columns
from paclearn.learners.spectral.effect_fit import EffectRows, cell_errors, fit_pieces
from paclearn.learners.spectral.effect_search import EffectSearch
from paclearn.learners.spectral.effect_tuning import EFFECTS
from paclearn.learners.spectral.rounding import coarsest_step, log_binomial, to_multiples
from paclearn.learners.spectral.tuning import TUNING
from paclearn.models.effects import Effect, Effects
from paclearn.models.purification import Purifier

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from paclearn.encoding import EncodingRules
    from paclearn.encoding.domain import Domain
    from paclearn.encoding.folds import Draws, Part
    from paclearn.learners.fitting import Rows
    from paclearn.learners.spectral.effect_columns import EffectColumn
    from paclearn.learners.spectral.effect_fit import EffectFit
    from paclearn.learners.spectral.effect_shapes import Piece
    from paclearn.learners.spectral.losses import Loss
    from paclearn.learners.spectral.target_views import TargetView

__all__ = ["EffectsAsked", "EffectsLearned", "learn_effects"]


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
        weights = tuple(to_multiples(w, step) for w in self.fit.weights)
        return replace(self, fit=replace(self.fit, weights=weights, intercept=to_multiples(self.fit.intercept, step)))

    def coarsely(self, steps: int) -> tuple[EffectsLearned, float]:
        """Weights as coarse as costs next to nothing, and the step they are multiples of."""
        rows, exact = self.rows, self.rows.scores(self.pieces, self.fit)
        shares = rows.counts / rows.n

        def cost(step: float) -> float:
            return float(shares @ rows.loss.divergences(exact, rows.scores(self.pieces, self.rounded(step).fit)))

        step = coarsest_step(self.largest_weight, steps, cost)
        return self.rounded(step), step

    @property
    def largest_weight(self) -> float:
        return max((float(np.abs(w).max(initial=0.0)) for w in self.fit.weights), default=0.0)

    def effects(self) -> Effects:
        """The effects with their standard errors, as they are."""
        errors = cell_errors(self.rows, self.pieces, self.fit, self.strength)
        parts = zip(self.pieces, self.fit.weights, errors, strict=True)
        found = [self._effect(piece, piece.basis @ weights, error) for piece, weights, error in parts]
        kept = [effect for effect in found if np.abs(effect.cells).max(initial=0.0) > 0]
        return Effects(self.fit.intercept, tuple(sorted(kept, key=lambda effect: -effect.importance)))

    def _effect(self, piece: Piece, cells: NDArray[np.float64], errors: NDArray[np.float64]) -> Effect:
        """With a last group a column, for codes never seen, where nothing is added; one column alone code by code."""
        groups, sizes = piece.groups, piece.sizes
        if len(groups) == 1:
            cells, errors, groups = cells[groups[0]], errors[groups[0]], (np.arange(len(groups[0])),)
            sizes = (len(groups[0]),)
        place = np.ravel_multi_index(
            tuple(g[self.rows.codes[c]] for c, g in zip(piece.columns, groups, strict=True)), sizes
        )
        margin = [(0, 1)] * len(groups)
        mass = np.pad(self.rows.mass(place, prod(sizes)).reshape(sizes), margin)
        table, deviation = (np.pad(m.reshape(*sizes, -1), [*margin, (0, 0)]) for m in (cells, errors))
        return Effect(
            piece.columns, tuple(np.append(g, n) for g, n in zip(groups, sizes, strict=True)), table, mass, deviation
        )

    def pure_effects(self) -> Effects:
        """The same, each averaging to nought over each of its columns: most do, but those with signs."""
        effects = self.effects()
        if all(len(piece.columns) == 1 or piece.one_sided is None for piece in self.pieces):
            return effects
        return Purifier.of_rows(effects.effects, list(self.rows.codes), self.rows.counts).purify(effects)

    @property
    def shapes(self) -> dict[tuple[int, ...], str]:
        """By columns, what each effect is in words."""
        return {piece.columns: piece.shape for piece in self.pieces}

    def log_choices(self) -> float:
        """Nats to write down which effects were chosen: columns, shapes, and the groups of their codes."""
        total = 2 * np.log(len(self.pieces) + 1) + 1
        d = len(self.columns)
        for piece in self.pieces:
            total += np.log(3) + log_binomial(d, len(piece.columns)) + np.log(len(EFFECTS.steps) + 4)
            total += sum(
                _nats_of_groups(self.columns[c], int(g.max()) + 1)
                for c, g in zip(piece.columns, piece.groups, strict=True)
            )
        return float(total)


def _nats_of_groups(column: EffectColumn, size: int) -> float:
    """Which codes go together: cuts of a number, or the group of every level."""
    if size == column.n_codes:
        return 0.0
    return (
        log_binomial(column.n_bins - 1, size - 1) if column.means is not None else column.n_codes * float(np.log(size))
    )


def learn_effects(
    train: Rows,
    rules: EncodingRules,
    asked: EffectsAsked,
    prepare: Callable[[NDArray[np.float64], NDArray[np.float64]], tuple[Loss, TargetView]],
    strata_of: Callable[[NDArray[np.float64]], NDArray[np.intp]],
    rng: np.random.RandomState,
) -> EffectsLearned:
    """The best model of few effects of some rows."""
    domain, columns, codes = learn_effect_columns(train.table, rules, train.weights, asked.signs)
    targets = train.targets.astype(np.float64)
    kinds = DistinctRows.in_order(codes.T.astype(np.uint16), targets, train.counts, train.groups)
    targets, draws = targets[kinds.first], kinds.draws
    loss, view = prepare(targets, draws.weights)
    rows = EffectRows(np.ascontiguousarray(codes[:, kinds.first]), view(targets), draws.weights, loss)
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
    if len(judged) == 1 and EFFECTS.many_rows[0] < draws.n <= EFFECTS.many_rows[1]:  # one fold decides much by chance
        judged = [draws.split(fold) for fold in draws.fold_counts(strata, 5, rng, EFFECTS.folds_of_many)]
    parts = [(_part(few, split.train), _part(few, split.held)) for split in judged]
    most = min(asked.most, draws.n // EFFECTS.rows_an_effect)
    search = EffectSearch(columns, few, parts, most, asked.degree or 2)
    if asked.degree is None and search.triples_are_cheap:
        search = replace(search, degree=3)
    return search


def _part(rows: EffectRows, part: Part) -> EffectRows:
    codes = np.ascontiguousarray(rows.codes[:, part.kinds])
    return EffectRows(codes, rows.targets[part.kinds], part.weights, rows.loss)
