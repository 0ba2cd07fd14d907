"""The best model of few effects: forward, and back, each effect as simple as rows left out allow."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from paclearn.learners.spectral.effect_recipes import (
    RICH,
    FoldFit,
    Recipe,
    gains_of,
    piece_of,
    pieces_for,
    plain_piece,
    rich_pieces,
    usual_piece,
)
from paclearn.learners.spectral.effect_scan import EffectScan
from paclearn.learners.spectral.effect_tuning import EFFECTS
from paclearn.learners.spectral.losses import SquaredLoss

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from paclearn.learners.spectral.effect_columns import EffectColumn
    from paclearn.learners.spectral.effect_fit import EffectRows
    from paclearn.learners.spectral.effect_shapes import Piece

__all__ = ["EffectSearch", "Found"]


@dataclass(frozen=True, eq=False)
class Found:
    """The same recipes on all splits, and on all rows: the last fold, which nobody is left out of."""

    recipes: tuple[Recipe, ...]
    folds: tuple[FoldFit, ...]
    strength: float

    @property
    def judged(self) -> tuple[FoldFit, ...]:
        return self.folds[:-1]

    @property
    def whole(self) -> FoldFit:
        return self.folds[-1]

    @cached_property
    def losses(self) -> NDArray[np.float64]:
        """Of all rows left out, one split after the other."""
        return np.concatenate([fold.held_losses for fold in self.judged])

    @property
    def columns(self) -> set[tuple[int, ...]]:
        return {recipe.columns for recipe in self.recipes}

    def without(self, place: int) -> Found:
        """Without one effect, the others as they are."""
        recipes = self.recipes[:place] + self.recipes[place + 1 :]
        return Found(recipes, tuple(fold.without(place) for fold in self.folds), self.strength)

    def refitted(self, strength: float) -> Found:
        """On the splits, which judge it; all rows wait until it is chosen."""
        judged = (fold.fitted(fold.pieces, strength, fold.fit) for fold in self.judged)
        return Found(self.recipes, (*judged, self.whole), strength)

    def held_by_themselves(self) -> Found:
        """Every effect held back as its own weights ask for: those of a fold, which no row left out had a say in."""
        folds = (fold.held_by_themselves(self.strength) for fold in self.folds)
        return Found(self.recipes, tuple(folds), self.strength)

    def chosen(self) -> Found:
        """On all rows too."""
        whole = self.whole.fitted(self.whole.pieces, self.strength, self.whole.fit)
        return Found(self.recipes, (*self.judged, whole), self.strength)

    def tried(
        self, recipe: Recipe, columns: tuple[EffectColumn, ...], held: Sequence[float] | None = None
    ) -> Found | None:
        """With one more effect, held back so much, where all splits have it; all rows wait until it is chosen."""
        pieces = [piece_of(fold, recipe, columns, self.strength) for fold in self.folds]
        if any(piece is None for piece in pieces):
            return None
        every = zip(self.folds, pieces, held or [1.0] * len(pieces), strict=True)
        both = [(fold, replace(piece, held=share)) for fold, piece, share in every if piece is not None]
        judged = (s.grown(p, self.strength) for s, p in both[:-1])
        return Found((*self.recipes, recipe), (*judged, both[-1][0].beside(both[-1][1])), self.strength)

    def grown(
        self, recipe: Recipe, columns: tuple[EffectColumn, ...], held: Sequence[float] | None = None
    ) -> Found | None:
        """With one more effect, on all rows too."""
        new = self.tried(recipe, columns, held)
        return None if new is None else new.chosen()


@dataclass(frozen=True, eq=False)
class Gain:
    """What an effect would help: for every row left out, as a recipe would have it."""

    recipe: Recipe
    rows: NDArray[np.float64]
    repeats: float

    @property
    def total(self) -> float:
        return float(self.rows.sum()) / self.repeats

    @property
    def error(self) -> float:
        """The standard error of the total; a row that is judged three times is still one."""
        return float(np.sqrt(((self.rows - self.rows.mean()) ** 2).sum() / self.repeats))

    def is_clear(self, errors: float) -> bool:
        """Whether it is more than so many standard errors."""
        return self.total > errors * self.error

    def clearly_above(self, other: Gain, errors: float) -> bool:
        return Gain(self.recipe, self.rows - other.rows, self.repeats).is_clear(errors)


@dataclass(frozen=True, eq=False)
class EffectSearch:
    """Rows, shared out to fit to and to judge by, and how many effects there may be."""

    columns: tuple[EffectColumn, ...]
    rows: EffectRows
    splits: Sequence[tuple[EffectRows, EffectRows]]
    most: int
    degree: int = 2
    path: list[tuple[int, float]] = field(default_factory=list)  # effects, and the loss on rows left out
    _known: dict[tuple[int, ...], Gain | None] = field(default_factory=dict)

    @cached_property
    def _counts(self) -> NDArray[np.float64]:
        """Of all rows left out, one split after the other."""
        return np.concatenate([held.counts for _, held in self.splits])

    @cached_property
    def _repeats(self) -> float:
        return max(1.0, sum(held.n for _, held in self.splits) / self.rows.n)

    @cached_property
    def _scan(self) -> EffectScan:
        return EffectScan.of(self.rows, self.columns)

    @property
    def triples_are_cheap(self) -> bool:
        """Whether triples can be scanned at every step."""
        return self._scan.triples_are_cheap(self.rows.n_outputs)

    def loss(self, found: Found) -> float:
        """The mean on rows left out."""
        return float(self._counts @ found.losses / self._counts.sum())

    # ---- the search ----

    def run(self) -> Found:
        """Forward beyond the limit, back to it, and every effect as simple as it may be."""
        first = (*(FoldFit.first(*split) for split in self.splits), FoldFit.first(self.rows, self.rows))
        found = Found((), first, EFFECTS.first_strength)
        least = self._plain_strength(found)
        found = Found((), first, least)
        found = self._cut_back(self._reshaped(self._tuned(self._forward(found, least), least), least))
        found = self._exchanged(found, least)
        return self._tuned(self._cut_back(self._simplified(found)), least)

    def _forward(self, found: Found, least: float) -> Found:
        """One effect after the other, some beyond the limit."""
        while len(found.recipes) < self.most + max(2, int(EFFECTS.beyond * self.most)):
            new = self._step(found)
            if new is None:
                break
            found = self._tuned(new, least) if len(new.recipes) in EFFECTS.tuned_at else new
            self.path.append((len(found.recipes), self.loss(found)))
        return found

    def _exchanged(self, found: Found, least: float) -> Found:
        """Forward and back again, as long as that finds better effects to keep."""
        for _ in range(EFFECTS.rounds if len(found.recipes) == self.most else 0):
            new = self._cut_back(self._reshaped(self._tuned(self._forward(found, least), least), least))
            if new.columns == found.columns or self.loss(new) >= self.loss(found):
                break
            found = new
        return found

    def _plain_strength(self, found: Found) -> float:
        """The strength that is best for many columns in one shape for all, none of which was chosen by its help.

        A choice by rows left out flatters what was chosen, and would then hold it back too little. Lines want to be
        held back by what they leave unsaid, and curves by their own waves: the lesser of the two is no flattery.
        """
        rough = {i: self._rough_gain(found, i) for i in range(len(self.columns))}
        most = EFFECTS.plain_columns // min(self.rows.n_outputs, 4)
        chosen = sorted(rough, key=lambda i: -rough[i])[:most]
        lines = self._tuned(self._in_one_shape(found, chosen, plain_piece), 0.0).strength
        if all(self.columns[i].means is None for i in chosen):
            return lines
        curves = self._in_one_shape(replace(found, strength=lines), chosen, usual_piece)
        return self._better_in(curves, EFFECTS.strengths[: EFFECTS.strengths.index(lines)][::-1])[-1].strength

    def _in_one_shape(
        self, found: Found, chosen: list[int], make: Callable[[FoldFit, int, EffectColumn], Piece]
    ) -> Found:
        pieces = [tuple(make(fold, i, self.columns[i]) for i in chosen) for fold in found.judged]
        fitted = (fold.fitted(p, found.strength) for fold, p in zip(found.judged, pieces, strict=True))
        return Found((), (*fitted, found.whole), found.strength)

    def _step(self, found: Found) -> Found | None:
        best = max((*self._singles(found), *self._several(found)), key=lambda t: t[0], default=None)
        return None if best is None else found.grown(best[1], self.columns)

    def _tuned(self, found: Found, least: float) -> Found:
        """The strength of the penalty that is best on rows left out: up, then down, as long as that helps."""
        allowed = [strength for strength in EFFECTS.strengths if strength >= least]
        place = allowed.index(found.strength)
        ways = (self._better_in(found, way) for way in (allowed[place + 1 :], allowed[:place][::-1]))
        best = min((way[-1] for way in ways), key=self.loss)
        best = best if best is found else best.chosen()
        apart = best.held_by_themselves() if best.recipes else best
        better = best.recipes and self._gain(apart, best).is_clear(EFFECTS.apart)
        return apart if better else best

    def _better_in(self, found: Found, strengths: Sequence[float]) -> list[Found]:
        """With one strength after the other, as long as each is better than the last."""
        better = [found]
        for strength in strengths:
            new = better[-1].refitted(strength)
            if self.loss(new) > self.loss(better[-1]):
                break
            better.append(new)
        return better

    def _cut_back(self, found: Found) -> Found:
        """Without what helps least: down to the limit, and on as long as that is no loss."""
        first = found
        while found.recipes:
            tries = [found.without(i).refitted(found.strength) for i in self._least(found)]
            best = min(tries, key=self.loss)
            if len(found.recipes) <= self.most and self.loss(best) > self.loss(found):
                break
            found = best
        return found if found is first else found.chosen()

    def _least(self, found: Found) -> list[int]:
        """The effects whose absence, before the others make up for it, costs least."""
        free = [i for i, recipe in enumerate(found.recipes) if not self._needed(recipe.columns, found)]
        return sorted(free, key=lambda i: self.loss(found.without(i)))[:2]

    def _reshaped(self, found: Found, least: float) -> Found:
        """Effects in richer shapes, as long as they have more to say beside the others than when they were alone.

        One at a time may seem to help little where all of them have to bend, so all are judged together.
        """
        for _ in range(EFFECTS.rounds if found.recipes else 0):
            new = found
            for recipe in found.recipes:
                best = min(self._other_shapes(new, recipe), key=self.loss, default=new)
                new = best.chosen() if self.loss(best) < self.loss(new) else new
            gain, changed = self._gain(new, found), len(set(new.recipes) - set(found.recipes))
            price = self._noise(found) * changed * np.log(2 * len(found.recipes))  # of the choice among so many
            if new is found or gain.total - price <= EFFECTS.simpler * gain.error:
                break
            found = self._tuned(new, least)
        return found

    def _other_shapes(self, found: Found, recipe: Recipe) -> list[Found]:
        """With one effect in the shape that adds most to the one it has, and in the richest of those that add."""
        tried = [] if recipe.bits else self._gains(found, recipe.columns, rich=True)
        gains = [gain for gain in tried if gain.is_clear(EFFECTS.richer)]
        if not gains:
            return []
        shapes = {max(gains, key=lambda gain: gain.total).recipe, gains[-1].recipe} - {recipe}
        rest = found.without(found.recipes.index(recipe))
        grown = (rest.tried(shape, self.columns) for shape in sorted(shapes, key=lambda r: (r.shape, r.size)))
        return [new for new in grown if new is not None]

    def _simplified(self, found: Found) -> Found:
        """Every effect in the simplest shape that does as well beside the others, and all of them together too."""
        first = found
        for recipe in found.recipes:
            place = found.recipes.index(recipe)
            rest, held = found.without(place), [fold.pieces[place].held for fold in found.folds]
            gains = [] if recipe.bits else self._gains(rest, recipe.columns, rich=recipe.shape in RICH)
            if not gains:
                continue
            chosen = self._simplest(gains).recipe
            new = rest.grown(chosen, self.columns, held) if chosen != recipe else None
            if new is not None and not self._gain(first, new).is_clear(self._errors_allowed(recipe)):
                found = new  # a Newton step says little of a model that is sure of most rows; the fit does
        return found

    def _gain(self, new: Found, old: Found) -> Gain:
        """What a model has on another, on rows left out, both as they were fitted."""
        return Gain(new.recipes[-1], self._counts * (old.losses - new.losses), self._repeats)

    # ---- candidates ----

    def _gains(self, found: Found, places: tuple[int, ...], *, rich: bool = False) -> list[Gain]:
        """Of all shapes that all splits have, the simplest first."""
        rows: dict[Recipe, list[NDArray[np.float64]]] = {}
        for fold in found.judged:
            dear = rich_pieces(fold, places, self.columns) if rich else ()
            for recipe, piece in (*pieces_for(fold, places, self.columns, found.strength), *dear):
                rows.setdefault(recipe, []).append(gains_of(fold, piece, found.strength))
        whole = [(r, g) for r, g in rows.items() if len(g) == len(found.judged)]
        return [Gain(recipe, np.concatenate(gains), self._repeats) for recipe, gains in whole]

    def _simplest(self, gains: list[Gain]) -> Gain:
        """The gain of the best shape, and the recipe of the simplest that is not clearly worse."""
        best = max(gains, key=lambda gain: gain.total)
        errors = self._errors_allowed(best.recipe)
        return replace(best, recipe=next(g.recipe for g in gains if not best.clearly_above(g, errors)))

    def _errors_allowed(self, recipe: Recipe) -> float:
        if len(recipe.columns) > 1:
            return EFFECTS.fewer_cells
        return EFFECTS.merged if self.columns[recipe.columns[0]].means is None else EFFECTS.simpler

    def _singles(self, found: Found) -> list[tuple[float, Recipe]]:
        """Single columns that help by enough, with what they help."""
        open_columns = [i for i in range(len(self.columns)) if (i,) not in found.columns]
        rough = {i: self._rough_gain(found, i) for i in open_columns}
        gains = [self._gains(found, (i,)) for i in sorted(rough, key=lambda i: -rough[i])[: EFFECTS.looked_into]]
        best = [max(gain, key=lambda g: g.total) for gain in gains]
        return [(g.total, g.recipe) for g in best if g.total > EFFECTS.single * g.error]

    def _rough_gain(self, found: Found, place: int) -> float:
        """In one shape that does for most columns."""
        total = 0.0
        for fold in found.judged:
            piece = usual_piece(fold, place, self.columns[place])
            total += float(gains_of(fold, piece, found.strength).sum())
        return total

    def _several(self, found: Found) -> list[tuple[float, Recipe]]:
        """Pairs and triples that help by enough, with what they help less the price of the choice."""
        if self.degree < 2 or len(self.columns) < 2:
            return []
        self._look_into_pairs(found)
        if self.degree > 2 and len(self.columns) > 2:
            self._look_into_triples(found)
        gains = [g for columns, g in self._known.items() if g is not None and columns not in found.columns]
        noise = self._noise(found)
        worth = [(g.total - noise * np.log(self._rivals(g.recipe)), g) for g in gains]
        return [(left, g.recipe) for left, g in worth if left > EFFECTS.several * g.error]

    def _rivals(self, recipe: Recipe) -> int:
        """How many it was chosen among: pairs of columns, or triples of bits, which all rows had a say in."""
        size = len(recipe.columns)
        return comb(len(self._scan.bits) if recipe.bits else len(self.columns), size)

    def _look_into_pairs(self, found: Found) -> None:
        """Those that rank highest in a scan and are new, and again the best of those that are not."""
        ranked = self._scan.pairs(found.whole, EFFECTS.pairs + len(found.recipes))
        fresh = [p for p in ranked if self._allowed(p, found) and p not in self._known][: EFFECTS.pairs]
        two = {p: g for p, g in self._known.items() if g is not None and len(p) == 2}
        known = {p: g.total for p, g in two.items() if self._allowed(p, found)}
        again = sorted(known, key=lambda p: -known[p])[: EFFECTS.again]
        for places in (*fresh, *again):
            gains = self._gains(found, places, rich=True)
            self._known[places] = max(gains, key=lambda g: g.total, default=None)

    def _look_into_triples(self, found: Found) -> None:
        for places, bits in self._scan.triples(found.whole, EFFECTS.again):
            recipe = Recipe(places, "bits", bits=bits)
            pieces = [piece_of(fold, recipe, self.columns, found.strength) for fold in found.judged]
            known = [(s, p) for s, p in zip(found.judged, pieces, strict=True) if p is not None]
            if len(known) == len(pieces) and not any(self.columns[i].sign for i in places):
                rows = [gains_of(fold, piece, found.strength) for fold, piece in known]
                self._known[places] = Gain(recipe, np.concatenate(rows), self._repeats)

    def _allowed(self, places: tuple[int, ...], found: Found) -> bool:
        """New; and with a sign, only beside effects of each column alone, which it then may lean on."""
        signed = any(self.columns[i].sign for i in places)
        return places not in found.columns and (not signed or all((i,) in found.columns for i in places))

    def _needed(self, places: tuple[int, ...], found: Found) -> bool:
        """Whether an effect with a sign leans on this one."""
        pairs = [p for p in found.columns if len(p) > 1 and any(self.columns[i].sign for i in p)]
        return any(set(places) < set(pair) for pair in pairs)

    def _noise(self, found: Found) -> float:
        """What a weight that means nothing gains by chance, in units of the loss: twice over, one."""
        return 2 * self.loss(found) if isinstance(self.rows.loss, SquaredLoss) else 1.0
