"""What shapes an effect may have, how each is made from rows, and what it would help on rows left out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from paclearn.learners.spectral.effect_cuts import best_runs, grown_grids, order_of_codes
from paclearn.learners.spectral.effect_fit import EffectFit, EffectRows, constant_fit, fit_pieces
from paclearn.learners.spectral.effect_shapes import Piece, curve, grid, line, monotone_grid, partition, sheet, surface
from paclearn.learners.spectral.effect_tuning import EFFECTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from paclearn.learners.spectral.effect_columns import EffectColumn

__all__ = ["FoldFit", "Recipe", "gains_of", "piece_of", "pieces_for", "plain_piece", "rich_pieces", "usual_piece"]

_JITTER = 1e-9


@dataclass(frozen=True)
class Recipe:
    """A shape of a size, of some columns; rows decide the rest."""

    columns: tuple[int, ...]
    shape: str
    size: int = 0
    bits: tuple[tuple[int, ...], ...] = ()  # of three columns: the codes that are told from the others


@dataclass(frozen=True, eq=False)
class FoldFit:
    """A model on the way, on rows to fit to and beside rows left out."""

    train: EffectRows
    held: EffectRows
    pieces: tuple[Piece, ...]
    fit: EffectFit

    @classmethod
    def first(cls, train: EffectRows, held: EffectRows) -> FoldFit:
        return cls(train, held, (), constant_fit(train))

    def fitted(self, pieces: tuple[Piece, ...], strength: float, start: EffectFit | None = None) -> FoldFit:
        """The same rows with other pieces."""
        return FoldFit(self.train, self.held, pieces, fit_pieces(self.train, pieces, strength, start))

    def grown(self, piece: Piece, strength: float) -> FoldFit:
        return self.fitted((*self.pieces, piece), strength, self.fit)

    def beside(self, piece: Piece) -> FoldFit:
        """With one more piece that says nothing yet."""
        pieces = (*self.pieces, piece)
        return FoldFit(self.train, self.held, pieces, self.fit.with_nought_for(pieces))

    def without(self, place: int) -> FoldFit:
        """Without one piece, the others as they are."""
        weights = self.fit.weights[:place] + self.fit.weights[place + 1 :]
        pieces = self.pieces[:place] + self.pieces[place + 1 :]
        return FoldFit(self.train, self.held, pieces, EffectFit(weights, self.fit.intercept))

    @cached_property
    def derivatives(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Minus the gradient, and the second derivative, of every row of the fit."""
        return _derivatives(self.train, self.train.scores(self.pieces, self.fit))

    @cached_property
    def held_derivatives(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return _derivatives(self.held, self.held.scores(self.pieces, self.fit))

    @cached_property
    def held_losses(self) -> NDArray[np.float64]:
        return self.held.losses(self.pieces, self.fit)

    def sums(self, cells: NDArray[np.intp], size: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Over the rows of every cell: cells x outputs."""
        return _sums(cells, size, *self.derivatives)


def _derivatives(rows: EffectRows, scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    counts = rows.counts[:, None]
    hessian = rows.loss.hessian(scores)
    return rows.loss.residuals(scores, rows.targets) * counts, hessian * counts


def _sums(
    cells: NDArray[np.intp], size: int, residual: NDArray[np.float64], hessian: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    G, H = (np.column_stack([np.bincount(cells, c, minlength=size) for c in m.T]) for m in (residual, hessian))
    return G.astype(np.float64), H.astype(np.float64)


# ---- from recipes to pieces ------------------------------------------------------------------------------------------


def pieces_for(
    fold: FoldFit, places: tuple[int, ...], columns: tuple[EffectColumn, ...], strength: float
) -> Iterator[tuple[Recipe, Piece]]:
    """All shapes of an effect of some columns, as the rows of a fold would have them, the simplest first."""
    if len(places) == 1:
        column = columns[places[0]]
        make = _of_levels if column.means is None else _of_numbers
        yield from make(fold, places[0], column, strength)
    else:
        yield from _of_pair(fold, places, columns, strength)


def piece_of(fold: FoldFit, recipe: Recipe, columns: tuple[EffectColumn, ...], strength: float) -> Piece | None:
    """The piece of one recipe, where these rows have one."""
    if recipe.bits:
        return _of_bits(fold, recipe, columns)
    if recipe.shape == "curves":
        return _sheet(fold, recipe.columns, columns)
    found = pieces_for(fold, recipe.columns, columns, strength)
    return next((piece for other, piece in found if other == recipe), None)


def plain_piece(fold: FoldFit, place: int, column: EffectColumn) -> Piece:
    """A weight a level, or a line."""
    mass = fold.train.mass(fold.train.codes[place], column.n_codes)
    if column.means is None:
        return partition(place, column, np.arange(column.n_codes), "levels").centred(mass)
    return line(place, column, mass).centred(mass)


def usual_piece(fold: FoldFit, place: int, column: EffectColumn) -> Piece:
    """A shape that does for most columns: a weight a level, or a rather smooth curve."""
    if column.means is None:
        return plain_piece(fold, place, column)
    mass = fold.train.mass(fold.train.codes[place], column.n_codes)
    return curve(place, column, mass, 2 * EFFECTS.smooth).centred(mass)


def _of_numbers(fold: FoldFit, place: int, column: EffectColumn, strength: float) -> Iterator[tuple[Recipe, Piece]]:
    """A line, two or three steps, a smooth curve, more steps, any curve."""
    codes, n_bins = fold.train.codes[place], column.n_bins
    mass = fold.train.mass(codes, column.n_codes)
    yield Recipe((place,), "line"), line(place, column, mass).centred(mass)
    steps = list(_steps(fold, place, column, strength))
    yield from (item for item in steps if item[0].size <= EFFECTS.few_steps)
    if n_bins > EFFECTS.smooth + 2 or (column.sign and n_bins >= EFFECTS.smooth):
        yield Recipe((place,), "curve", EFFECTS.smooth), curve(place, column, mass, EFFECTS.smooth).centred(mass)
    yield from (item for item in steps if item[0].size > EFFECTS.few_steps)
    if n_bins >= EFFECTS.smooth and not column.sign:
        yield Recipe((place,), "curve"), curve(place, column, mass, n_bins - 1).centred(mass)


def _steps(fold: FoldFit, place: int, column: EffectColumn, strength: float) -> Iterator[tuple[Recipe, Piece]]:
    codes, n_bins = fold.train.codes[place], column.n_bins
    if n_bins <= 2:
        return
    G, H = fold.sums(codes, column.n_codes)
    for k, runs in best_runs(G[:n_bins], H[:n_bins], max(EFFECTS.steps), strength).items():
        if k in EFFECTS.steps:
            group = np.concatenate([runs, k + np.arange(column.n_codes - n_bins)])
            piece = partition(place, column, group, f"{k} steps")
            yield Recipe((place,), "steps", k), piece.centred(fold.train.mass(group[codes], len(piece.basis)))


def _of_levels(fold: FoldFit, place: int, column: EffectColumn, strength: float) -> Iterator[tuple[Recipe, Piece]]:
    codes, n = fold.train.codes[place], column.n_codes
    if n > 2:
        G, H = fold.sums(codes, n)
        order = order_of_codes(column, G, H, strength)
        for k, runs in best_runs(G[order], H[order], max(EFFECTS.groups), strength).items():
            if k in EFFECTS.groups and k < n:
                group = np.empty(n, dtype=np.intp)
                group[order] = runs
                mass = fold.train.mass(group[codes], k)
                yield Recipe((place,), "groups", k), partition(place, column, group, f"{k} groups").centred(mass)
    whole = partition(place, column, np.arange(n), "levels")
    yield Recipe((place,), "levels"), whole.centred(fold.train.mass(codes, n))


def _of_pair(
    fold: FoldFit, places: tuple[int, ...], columns: tuple[EffectColumn, ...], strength: float
) -> Iterator[tuple[Recipe, Piece]]:
    one, other = (columns[i] for i in places)
    a, b = (fold.train.codes[i] for i in places)
    shape = one.n_codes, other.n_codes, -1
    G, H = (s.reshape(shape) for s in fold.sums(a * other.n_codes + b, one.n_codes * other.n_codes))
    signs = one.sign, other.sign
    make = partial(monotone_grid, signs=signs) if any(signs) else grid

    def mass(groups: tuple[NDArray[np.intp], ...]) -> NDArray[np.float64]:
        sizes = [int(g.max()) + 1 for g in groups]
        return fold.train.mass(groups[0][a] * sizes[1] + groups[1][b], sizes[0] * sizes[1])

    grids = grown_grids((one, other), G, H, EFFECTS.cuts, strength)
    for i, groups in enumerate(grids):
        if i == EFFECTS.few_grids and min(one.n_bins, other.n_bins) > EFFECTS.smooth and not any(signs):
            alone = fold.train.mass(a, one.n_codes), fold.train.mass(b, other.n_codes)
            yield Recipe(places, "surface"), surface(places, (one, other), alone, mass)
        words = " x ".join(str(int(g.max()) + 1) for g in groups) + " cells"
        piece = make(places, groups, mass=mass(groups), shape=words)
        if piece is not None:
            yield Recipe(places, "grid", i), piece


def rich_pieces(
    fold: FoldFit, places: tuple[int, ...], columns: tuple[EffectColumn, ...]
) -> Iterator[tuple[Recipe, Piece]]:
    """Shapes that are too dear to be tried wherever there might be an effect."""
    chosen = [columns[i] for i in places]
    if len(places) == 2 and max(c.n_bins for c in chosen) > EFFECTS.few_steps and not any(c.sign for c in chosen):
        yield Recipe(places, "curves"), _sheet(fold, places, columns)


def _sheet(fold: FoldFit, places: tuple[int, ...], columns: tuple[EffectColumn, ...]) -> Piece:
    chosen, codes = [columns[i] for i in places], [fold.train.codes[i] for i in places]

    def mass(groups: tuple[NDArray[np.intp], ...]) -> NDArray[np.float64]:
        sizes = [int(g.max()) + 1 for g in groups]
        return fold.train.mass(groups[0][codes[0]] * sizes[1] + groups[1][codes[1]], sizes[0] * sizes[1])

    alone = [fold.train.mass(c, column.n_codes) for c, column in zip(codes, chosen, strict=True)]
    return sheet(places, chosen, alone, mass)


def _of_bits(fold: FoldFit, recipe: Recipe, columns: tuple[EffectColumn, ...]) -> Piece | None:
    """Three columns, each told apart by one bit."""
    groups = []
    for place, codes in zip(recipe.columns, recipe.bits, strict=True):
        group = np.zeros(columns[place].n_codes, dtype=np.intp)
        group[list(codes)] = 1
        groups.append(group)
    cells = np.zeros(len(fold.train.counts), dtype=np.intp)
    for place, group in zip(recipe.columns, groups, strict=True):
        cells = cells * 2 + group[fold.train.codes[place]]
    return grid(recipe.columns, tuple(groups), fold.train.mass(cells, 2 ** len(groups)), "2 x 2 x 2 cells")


# ---- what a piece would help -----------------------------------------------------------------------------------------


def gains_of(fold: FoldFit, piece: Piece, strength: float) -> NDArray[np.float64]:
    """By how much one Newton step of a piece, on the rows of the fit, lowers the loss of every row left out."""
    size = len(piece.basis)
    G, H = fold.sums(fold.train.cells(piece), size)
    basis = np.column_stack([piece.basis, np.ones(size)])
    penalty = np.append(strength * piece.penalty, 0.0) + _JITTER
    residual, hessian = fold.held_derivatives
    cells = fold.held.cells(piece)
    gains = np.zeros(len(cells))
    for k, (g, h) in enumerate(zip(G.T, H.T, strict=True)):
        second = (basis * h[:, None]).T @ basis
        second[np.diag_indices(len(second))] += penalty
        said = (basis @ _step(second, basis.T @ g, piece))[cells]
        gains += said * (residual[:, k] - hessian[:, k] * said / 2)
    return gains


def _step(second: NDArray[np.float64], gradient: NDArray[np.float64], piece: Piece) -> NDArray[np.float64]:
    """Newton's; weights that may not be negative and would be are left out, one set after the other."""
    step: NDArray[np.float64] = np.linalg.solve(second, gradient).astype(np.float64)
    if piece.one_sided is None:
        return step
    kept = np.ones(len(step), dtype=bool)
    sided = np.append(piece.one_sided, False)
    while (kept & sided & (step < 0)).any():
        kept &= ~(sided & (step < 0))
        step = np.zeros(len(step))
        step[kept] = np.linalg.solve(second[np.ix_(kept, kept)], gradient[kept])
    return step
