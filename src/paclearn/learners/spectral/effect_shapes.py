r"""What an effect may look like: a basis over the cells of its columns, and how much each weight is held back.

A number's effect is a line (in the means of its bins), a curve (cosines of ranks: :math:`\cos k\pi u`, held back by
:math:`k^2`, which is the prior of a Brownian motion), or a few steps; that of categories a weight a level, or a group
of levels that act alike; that of several columns a grid of cells, each weight of which is a pure interaction: it
averages to nought over each column alone, under the law of the rows (the functional ANOVA; Hooker 2007).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import helmert, null_space

from paclearn.learners.spectral.effect_tuning import EFFECTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paclearn.learners.spectral.effect_columns import EffectColumn

__all__ = ["Piece", "curve", "grid", "line", "monotone_grid", "partition", "sheet", "surface"]

_SMOOTH = ("surface", "curves")  # functions of cells, not the cells themselves
_FLAT = 1e-9  # deviations below this part of the largest are none

_Mass = Callable[[tuple[NDArray[np.intp], ...]], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class Piece:
    """An effect before its weights are known: the groups of the codes of its columns, and a basis over their cells."""

    columns: tuple[int, ...]
    groups: tuple[NDArray[np.intp], ...]  # of every code of each column
    basis: NDArray[np.float64]  # cells x weights
    penalty: NDArray[np.float64]  # of every squared weight
    shape: str
    one_sided: NDArray[np.bool_] | None = None  # weights that may not be negative
    held: float = 1.0  # how much more, or less, than others it is held back

    @property
    def sizes(self) -> tuple[int, ...]:
        """Groups of each column."""
        return tuple(int(g.max()) + 1 for g in self.groups)

    @property
    def n_weights(self) -> int:
        return self.basis.shape[1]

    def cells(self, codes: NDArray[np.intp]) -> NDArray[np.intp]:
        """The cell of every row."""
        place = np.zeros(codes.shape[1], dtype=np.intp)
        for column, group, size in zip(self.columns, self.groups, self.sizes, strict=True):
            place = place * size + group[codes[column]]
        return place

    def centred(self, mass: NDArray[np.float64]) -> Piece:
        """Each function of the basis less its mean."""
        return replace(self, basis=self.basis - (mass @ self.basis) / mass.sum())

    def under(self, mass: NDArray[np.float64]) -> Piece:
        """The same under another law of the rows."""
        if len(self.columns) == 1 or self.one_sided is not None:
            return self.centred(mass)
        if self.shape in _SMOOTH:
            return replace(self, basis=_without_margins(self.basis, self.sizes, mass))
        new = grid(self.columns, self.groups, mass, self.shape)
        return self if new is None else replace(new, held=self.held)


def line(place: int, column: EffectColumn, mass: NDArray[np.float64]) -> Piece:
    """A straight line in the means of the bins, in units of their standard deviation; what is missing is apart."""
    return _of_number(place, column, [_scaled(column, mass)], [1.0], "line")


def curve(place: int, column: EffectColumn, mass: NDArray[np.float64], waves: int) -> Piece:
    """A line and so many waves over the ranks."""
    if column.sign:
        return _monotone_curve(place, column, mass)
    inside = mass[: column.n_bins]
    ranks = (np.cumsum(inside) - inside / 2) / max(inside.sum(), 1e-300)
    many = min(waves, column.n_bins - 1)
    functions = [np.sqrt(2) * np.cos(np.pi * k * ranks) for k in range(1, many + 1)]
    penalty = [float(k**2) for k in range(1, many + 1)]
    return _of_number(place, column, [_scaled(column, mass), *functions], [1.0, *penalty], "curve")


def _monotone_curve(place: int, column: EffectColumn, mass: NDArray[np.float64]) -> Piece:
    """A line and a step at every threshold, none of which goes down."""
    steps = [np.where(np.arange(column.n_bins) > t, 1.0, 0.0) for t in range(column.n_bins - 1)]
    penalty = [1.0, *[column.n_bins / 4] * len(steps)]
    return _of_number(place, column, [_scaled(column, mass), *steps], penalty, "curve")


def _scaled(column: EffectColumn, mass: NDArray[np.float64]) -> NDArray[np.float64]:
    assert column.means is not None  # noqa: S101 - only numbers have lines
    inside = mass[: column.n_bins] / max(mass[: column.n_bins].sum(), 1e-300)
    units = column.means / max(float(np.abs(column.means).max()), 1e-300)  # squares of the largest numbers overflow
    means = units - inside @ units
    deviation = float(np.sqrt(inside @ means**2))
    return means / deviation if deviation > _FLAT * np.abs(means).max() else np.zeros_like(means)


def _of_number(
    place: int, column: EffectColumn, functions: list[NDArray[np.float64]], penalty: list[float], shape: str
) -> Piece:
    """Functions of the bins, and one of what is missing, where anything is."""
    n, n_bins = column.n_codes, column.n_bins
    basis = np.zeros((n, len(functions) + n - n_bins))
    basis[:n_bins, : len(functions)] = np.column_stack(functions) * (column.sign or 1)
    basis[n_bins:, len(functions) :] = np.eye(n - n_bins)
    one_sided = np.arange(basis.shape[1]) < len(functions) if column.sign else None
    held_back = np.array([*penalty, *[1.0] * (n - n_bins)])
    return Piece((place,), (np.arange(n),), basis, held_back, shape, one_sided)


def partition(place: int, column: EffectColumn, group: NDArray[np.intp], shape: str) -> Piece:
    """A weight for each group of codes; of a column with a sign, steps that never go against it."""
    size = int(group.max()) + 1
    if not column.sign:
        return Piece((place,), (group,), np.eye(size), np.ones(size), shape)
    last = int(group[: column.n_bins].max())  # groups are numbered in order, what is missing behind
    steps = np.arange(size)[:, None] > np.arange(last)
    basis = np.zeros((size, last + size - last - 1))
    basis[:, :last] = np.where((np.arange(size) <= last)[:, None], steps * float(column.sign), 0.0)
    basis[last + 1 :, last:] = np.eye(size - last - 1)
    one_sided = np.arange(basis.shape[1]) < last
    return Piece((place,), (group,), basis, np.ones(basis.shape[1]), shape, one_sided)


def grid(
    places: tuple[int, ...], groups: tuple[NDArray[np.intp], ...], mass: NDArray[np.float64], shape: str
) -> Piece | None:
    """Pure interactions over the cells that have rows; None where there is none."""
    sizes = [int(g.max()) + 1 for g in groups]
    filled = np.flatnonzero(mass > 0)
    pure = null_space(_margins(sizes, mass)[:, filled])
    if pure.shape[1] == 0:
        return None
    basis = np.zeros((len(mass), pure.shape[1]))
    basis[filled] = pure
    return Piece(places, groups, basis, np.ones(pure.shape[1]), shape)


def surface(
    places: tuple[int, ...], columns: Sequence[EffectColumn], masses: Sequence[NDArray[np.float64]], mass: _Mass
) -> Piece:
    """Two numbers that go together smoothly: products of a line and a wave of each, over a grid of quantiles.

    ``masses`` are those of the codes of each column, and ``mass`` says that of the cells of some groups of codes.
    """
    groups, heights, ranks = zip(*(_quantiles(c, m) for c, m in zip(columns, masses, strict=True)), strict=True)
    waves = [np.column_stack([h, np.sqrt(2) * np.cos(2 * np.pi * r)]) for h, r in zip(heights, ranks, strict=True)]
    table = np.stack([np.multiply.outer(a, b).ravel() for a in waves[0].T for b in waves[1].T], axis=1)
    cells = mass(groups)
    pure = _without_margins(table, [len(w) for w in waves], cells)
    return Piece(places, tuple(groups), pure, np.array([1.0, 4.0, 4.0, 16.0]), "surface")


def sheet(
    places: tuple[int, ...], columns: Sequence[EffectColumn], masses: Sequence[NDArray[np.float64]], mass: _Mass
) -> Piece:
    r"""A curve for every level, or for every height of another number: products of what each column may say alone.

    Held back by the product of what holds back the factors, :math:`k^2 l^2`, which is the prior of a Brownian sheet; of
    all products those that are held back least (the hyperbolic cross).
    """
    groups, functions, penalties = zip(*(_factor(c, m) for c, m in zip(columns, masses, strict=True)), strict=True)
    penalty = np.multiply.outer(*penalties).ravel()
    kept = np.sort(np.argsort(penalty, kind="stable")[: EFFECTS.products])
    table = np.einsum("ik,jl->ijkl", *functions).reshape(-1, len(penalty))[:, kept]
    pure = _without_margins(table, [len(f) for f in functions], mass(groups))
    return Piece(places, tuple(groups), pure, penalty[kept], "curves")


def _factor(
    column: EffectColumn, mass: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]:
    """Groups of codes, functions of them, and how much each is held back: contrasts of levels, or a line and waves."""
    if column.means is None:
        return np.arange(column.n_codes), helmert(column.n_codes).T, np.ones(column.n_codes - 1)
    group, height, middle = _quantiles(column, mass)
    waves = np.arange(1, len(height))
    functions = np.column_stack([height, np.sqrt(2) * np.cos(np.pi * middle[:, None] * waves)])
    return group, functions, np.append(1.0, waves.astype(np.float64) ** 2)


def _quantiles(
    column: EffectColumn, mass: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]:
    """Groups of about as many rows, what is missing with the last; where they lie, and their ranks."""
    inside = mass[: column.n_bins]
    ranks = (np.cumsum(inside) - inside / 2) / max(inside.sum(), 1e-300)
    many = column.n_bins if column.n_bins <= EFFECTS.few_bins else EFFECTS.quantiles
    _, runs = np.unique(np.minimum((ranks * many).astype(np.intp), many - 1), return_inverse=True)
    if many == column.n_bins:
        runs = np.arange(many)
    group = np.append(runs, np.full(column.n_codes - column.n_bins, runs[-1])).astype(np.intp)
    there = np.maximum(np.bincount(runs, inside), 1e-300)
    height = np.bincount(runs, inside * _scaled(column, mass)) / there
    middle = np.bincount(runs, inside * ranks) / there
    return group, height, middle


def _without_margins(
    table: NDArray[np.float64], sizes: Sequence[int], mass: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Functions of cells less the sum of functions of each column that is nearest, under the law of the rows."""
    places = np.indices(sizes).reshape(len(sizes), -1)
    design = np.concatenate([np.eye(size)[place] for size, place in zip(sizes, places, strict=True)], axis=1)
    weighted = design * mass[:, None]
    nearest = np.linalg.pinv(weighted.T @ design, hermitian=True) @ (weighted.T @ table)
    return np.asarray(table - design @ nearest)


def monotone_grid(
    places: tuple[int, ...],
    groups: tuple[NDArray[np.intp], ...],
    signs: Sequence[int],
    mass: NDArray[np.float64],
    shape: str,
) -> Piece:
    """A table that never goes against the signs of its two columns, for a model that has effects of each alone.

    Steps of a column with a sign have a weight in each group of the other, none negative; where both have signs, a
    corner of the table goes up, or all but a corner.
    """
    ups = [_ups(group, sign) for group, sign in zip(groups, signs, strict=True)]
    functions = [np.multiply.outer(a, b) for a in ups[0] for b in ups[1]]
    if all(signs):
        functions += [np.maximum.outer(a, b) for a in ups[0] for b in ups[1]]
    basis = np.stack([f.ravel() for f in functions], axis=1)
    free = Piece(places, groups, basis, np.ones(basis.shape[1]), shape, np.ones(basis.shape[1], dtype=bool))
    return free.centred(mass)


def _ups(group: NDArray[np.intp], sign: int) -> NDArray[np.float64]:
    """Of a column with a sign, every cut of its groups; of another, every group by itself."""
    size = int(group.max()) + 1
    if not sign:
        return np.eye(size)
    above = np.arange(size) > np.arange(size - 1)[:, None]
    return np.where(above, 1.0, 0.0) if sign > 0 else np.where(above, 0.0, 1.0)


def _margins(sizes: Sequence[int], mass: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows that a pure table is orthogonal to: its sums over each column, in every cell of the others."""
    cells = np.arange(len(mass)).reshape(sizes)
    found = []
    for axis in range(len(sizes)):
        for run in np.moveaxis(cells, axis, -1).reshape(-1, sizes[axis]):
            row = np.zeros(len(mass))
            row[run] = mass[run]
            total = row.sum()
            if total > 0:
                found.append(row / np.linalg.norm(row))
    return np.array(found)
