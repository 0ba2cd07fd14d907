"""What shapes an effect may have, how each is made from rows, and what it would help on rows left out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from paclearn.learners.spectral.effect_cuts import best_runs, grown_grids, order_of_codes
from paclearn.learners.spectral.effect_fit import EffectFit, EffectRows, constant_fit, fit_pieces, held_by_themselves
from paclearn.learners.spectral.effect_shapes import Piece, curve, grid, line, monotone_grid, partition, sheet, surface
from paclearn.learners.spectral.effect_tuning import EFFECTS
from paclearn.learners.spectral.losses import SquaredLoss

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.learners.spectral.effect_columns import EffectColumn

__all__ = [
    "RICH",
    "FoldFit",
    "Recipe",
    "gains_of",
    "piece_of",
    "pieces_for",
    "plain_piece",
    "rich_pieces",
    "usual_piece",
]

RICH = ("curves", "table")  # shapes that are too dear to be tried wherever there might be an effect
_JITTER = 1e-9
_STRENGTHS = np.array(EFFECTS.strengths)


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

    def held_by_themselves(self, strength: float) -> FoldFit:
        """Every piece held back as its own weights ask for."""
        pieces, fit = held_by_themselves(self.train, self.pieces, strength, self.fit)
        return FoldFit(self.train, self.held, pieces, fit)

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

    @cached_property
    def noise(self) -> float:
        """The variance of what a model of numbers leaves; that of classes follows from their probabilities."""
        return (
            2 * float(self.train.counts @ self.train.losses(self.pieces, self.fit)) / self.train.n
            if isinstance(self.train.loss, SquaredLoss)
            else 1.0
        )

    def mass(self, places: tuple[int, ...], groups: tuple[NDArray[np.intp], ...]) -> NDArray[np.float64]:
        """How many rows of the fit the cells of two columns have."""
        one, other = (g[self.train.codes[i]] for i, g in zip(places, groups, strict=True))
        width = int(groups[1].max()) + 1
        return self.train.mass(one * width + other, (int(groups[0].max()) + 1) * width)

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
    if recipe.shape in RICH:
        found = rich_pieces(fold, recipe.columns, columns)
    else:
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
        yield Recipe((place,), "curve"), curve(place, column, mass, min(n_bins - 1, EFFECTS.waves)).centred(mass)


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
    (one, coarse), (other, also) = (columns[i].coarsely(EFFECTS.most_bins) for i in places)
    a, b = coarse[fold.train.codes[places[0]]], also[fold.train.codes[places[1]]]
    shape = one.n_codes, other.n_codes, -1
    G, H = (s.reshape(shape) for s in fold.sums(a * other.n_codes + b, one.n_codes * other.n_codes))
    signs = one.sign, other.sign
    make = partial(monotone_grid, signs=signs) if any(signs) else grid

    for i, groups in enumerate(grown_grids((one, other), G, H, EFFECTS.cuts, strength)):
        if i == EFFECTS.few_grids and min(one.n_bins, other.n_bins) > EFFECTS.smooth and not any(signs):
            yield Recipe(places, "surface"), _smooth(fold, places, columns, surface)
        words = " x ".join(str(int(g.max()) + 1) for g in groups) + " cells"
        fine = groups[0][coarse], groups[1][also]
        piece = make(places, fine, mass=fold.mass(places, fine), shape=words)
        if piece is not None:
            yield Recipe(places, "grid", i), piece


def rich_pieces(
    fold: FoldFit, places: tuple[int, ...], columns: tuple[EffectColumn, ...]
) -> Iterator[tuple[Recipe, Piece]]:
    """Shapes that are too dear to be tried wherever there might be an effect."""
    chosen = [columns[i] for i in places]
    if len(places) == 2 and max(c.n_bins for c in chosen) > EFFECTS.few_steps and not any(c.sign for c in chosen):
        yield Recipe(places, "curves"), _smooth(fold, places, columns, sheet)
    if len(places) == 2 and all(c.means is None for c in chosen):
        yield from _of_all_levels(fold, places, chosen)


def _of_all_levels(
    fold: FoldFit, places: tuple[int, ...], columns: Sequence[EffectColumn]
) -> Iterator[tuple[Recipe, Piece]]:
    """A weight a cell of two columns of levels, where these are more than cuts make and not too many."""
    one, other = (c.n_codes for c in columns)
    if one + other - 2 <= EFFECTS.cuts or (one - 1) * (other - 1) > EFFECTS.products:
        return
    groups = np.arange(one), np.arange(other)
    piece = grid(places, groups, fold.mass(places, groups), f"{one} x {other} cells")
    if piece is not None:
        yield Recipe(places, "table"), piece


def _smooth(
    fold: FoldFit, places: tuple[int, ...], columns: tuple[EffectColumn, ...], make: Callable[..., Piece]
) -> Piece:
    """A surface, or a sheet of curves, under the law of the rows of a fold."""
    chosen = [columns[i] for i in places]
    alone = [fold.train.mass(fold.train.codes[i], c.n_codes) for i, c in zip(places, chosen, strict=True)]
    return make(places, chosen, alone, partial(fold.mass, places))


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
    if len(piece.columns) > 1 and piece.one_sided is None:
        strength = _likeliest_strength(piece, G, H, fold.noise)
    penalty = np.append(strength * piece.held * piece.penalty, 0.0) + _JITTER
    residual, hessian = fold.held_derivatives
    cells = fold.held.cells(piece)
    gains = np.zeros(len(cells))
    for k, (g, h) in enumerate(zip(G.T, H.T, strict=True)):
        second = (basis * h[:, None]).T @ basis
        second[np.diag_indices(len(second))] += penalty
        said = (basis @ _step(second, basis.T @ g, piece))[cells]
        gains += said * (residual[:, k] - hessian[:, k] * said / 2)
    return gains


def _likeliest_strength(piece: Piece, G: NDArray[np.float64], H: NDArray[np.float64], noise: float) -> float:
    r"""Under which the rows are likeliest, their loss taken for a quadratic and weights for draws of a normal law.

    With eigenvalues d of the second derivatives in units of the prior, and the gradient z along them, the logarithm of
    that likelihood is :math:`\sum z^2 / 2\phi (d + \lambda) + \frac12 \sum \log \lambda / (d + \lambda)`.
    """
    scaled = piece.basis / np.sqrt(piece.penalty)
    total = np.zeros(len(_STRENGTHS))
    for g, h in zip(G.T, H.T, strict=True):
        mean = h @ scaled / h.sum()
        centred = scaled - mean
        values, vectors = np.linalg.eigh((centred * h[:, None]).T @ centred)
        along = (vectors.T @ (centred.T @ g)) ** 2
        apart = np.maximum(values, 0)[:, None] + _STRENGTHS
        total += (along[:, None] / (noise * apart) + np.log(_STRENGTHS / apart)).sum(axis=0)
    return float(_STRENGTHS[int(total.argmax())])


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
