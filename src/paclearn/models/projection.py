r"""What tables say of fewer columns: their projection onto sums of functions of all columns but one.

For a table :math:`F` over the cells of some columns, with masses :math:`W`, the functions :math:`u_m` of all columns
but m minimise :math:`\sum_c W_c (F_c - \sum_m u_m(c))^2`. What is left has mean zero over every column, whatever the
others are; this is the step of the functional ANOVA of dependent columns (Hooker 2007, Section 3). Where masses fall
apart into blocks the minimum is not unique: the smallest one under the masses is taken, so that no column comes first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["project"]

_DENSE = 400  # unknowns up to which an eigendecomposition is faster than conjugate gradients
_NOUGHT = 1e-12  # eigenvalues of a matrix whose largest are 1 and more
_SMALL = 1e-13  # means, in units of the largest cell
_SWEEPS = 500
_AT_ONCE = 2**21  # numbers in a batch


def project(
    tables: NDArray[np.float64], masses: NDArray[np.float64]
) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]:
    """What is left of tables (tables x cells x outputs), and for each column the functions of all others.

    Tables of one shape go together; each has its own masses (tables x cells).
    """
    shape = masses.shape[1:]
    step = max(1, _AT_ONCE // (int(np.prod(shape)) * (_unknowns(shape) + tables.shape[-1])))
    parts = [_project(tables[i : i + step], masses[i : i + step]) for i in range(0, len(tables), step)]
    rest = np.concatenate([part[0] for part in parts])
    return rest, [np.concatenate([part[1][m] for part in parts]) for m in range(len(shape))]


def _project(
    tables: NDArray[np.float64], masses: NDArray[np.float64]
) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]:
    problem = _Problem(masses)
    found = problem.solve(tables)
    rest = tables - problem.spread(found)
    largest = np.abs(tables).max(initial=0.0)
    for _ in range(_SWEEPS):  # what rounding left
        left = [problem.mean(rest, m) for m in range(len(found))]
        if max(np.abs(mean).max(initial=0.0) for mean in left) <= _SMALL * largest:
            break
        for m in range(len(found)):
            mean = problem.mean(rest, m)
            rest = rest - np.expand_dims(mean, 1 + m)
            found[m] = found[m] + mean
    return rest, found


def _unknowns(shape: tuple[int, ...]) -> int:
    cells = int(np.prod(shape))
    return sum(cells // size for size in shape)


@lru_cache(maxsize=64)
def _places(shape: tuple[int, ...]) -> NDArray[np.intp]:
    """For every column m and cell, the number of the unknown of all others' groups."""
    grid = np.indices(shape).reshape(len(shape), -1)
    found, start = [], 0
    for m in range(len(shape)):
        sizes = shape[:m] + shape[m + 1 :]
        others = np.delete(grid, m, axis=0)
        found.append(start + (np.ravel_multi_index(tuple(others), sizes) if sizes else np.zeros(grid.shape[1], int)))
        start += int(np.prod(sizes))
    return np.array(found)


@dataclass(frozen=True, eq=False)
class _Problem:
    """The least squares problem of several masses of one shape, in coordinates in which the unknowns weigh the same."""

    masses: NDArray[np.float64]

    @cached_property
    def _margins(self) -> list[NDArray[np.float64]]:
        return [self.masses.sum(axis=1 + m) for m in range(self.masses.ndim - 1)]

    @cached_property
    def _inverse_roots(self) -> list[NDArray[np.float64]]:
        return [np.divide(1, np.sqrt(m), out=np.zeros_like(m), where=m > 0) for m in self._margins]

    def mean(self, tables: NDArray[np.float64], m: int) -> NDArray[np.float64]:
        """Over column m; nought where there are no rows."""
        total = (tables * self.masses[..., None]).sum(axis=1 + m)
        margin = self._margins[m][..., None]
        return np.divide(total, margin, out=np.zeros_like(total), where=margin > 0)

    def spread(self, functions: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Their sum, a number a cell."""
        total = np.expand_dims(functions[0], 1)
        for m, function in enumerate(functions[1:], 1):
            total = total + np.expand_dims(function, 1 + m)
        return total

    def solve(self, tables: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """The functions, by eigenvectors where they are few; otherwise by conjugate gradients."""
        right = [self._scaled(self.mean(tables, m) * self._margins[m][..., None], m) for m in range(tables.ndim - 2)]
        if _unknowns(self.masses.shape[1:]) > _DENSE:
            found = self._by_gradients(right)
        else:
            flat = np.concatenate([r.reshape(len(tables), -1, tables.shape[-1]) for r in right], axis=1)
            found = self._parted(self._by_eigenvectors(flat))
        return [self._scaled(values, m) for m, values in enumerate(found)]

    def _scaled(self, functions: NDArray[np.float64], m: int) -> NDArray[np.float64]:
        return functions * self._inverse_roots[m][..., None]

    def _parted(self, flat: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        cuts = np.cumsum([margin[0].size for margin in self._margins])[:-1]
        parts = np.split(flat, cuts, axis=1)
        return [part.reshape(*margin.shape, -1) for part, margin in zip(parts, self._margins, strict=True)]

    def _by_eigenvectors(self, right: NDArray[np.float64]) -> NDArray[np.float64]:
        n, shape = len(self.masses), self.masses.shape[1:]
        places, cells = _places(shape), np.arange(int(np.prod(shape)))
        design = np.zeros((n, len(cells), _unknowns(shape)))
        roots = np.sqrt(self.masses).reshape(n, -1)
        inverse = np.concatenate([r.reshape(n, -1) for r in self._inverse_roots], axis=1)
        for place in places:
            design[:, cells, place] = roots * inverse[:, place]
        values, vectors = np.linalg.eigh(design.transpose(0, 2, 1) @ design)
        kept = values > _NOUGHT
        inverted = np.divide(1, values, out=np.zeros_like(values), where=kept)
        return vectors @ (inverted[..., None] * (vectors.transpose(0, 2, 1) @ right))

    def _normal(self, scaled: list[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
        """The matrix of the normal equations times unknowns."""
        total = self.spread([self._scaled(values, m) for m, values in enumerate(scaled)]) * self.masses[..., None]
        return [self._scaled(total.sum(axis=1 + m), m) for m in range(len(scaled))]

    def _by_gradients(self, right: list[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
        """Conjugate gradients from nought stay in the range of the matrix, so they find the smallest solution."""
        found = [np.zeros_like(r) for r in right]
        left, ahead = list(right), list(right)
        size = first = _inner(left, left)
        for _ in range(_SWEEPS):
            if (size <= 1e-26 * first).all():
                break
            turned = self._normal(ahead)
            step = _ratio(size, _inner(ahead, turned))
            found, left = _plus(found, step, ahead), _plus(left, -step, turned)
            size, before = _inner(left, left), size
            ahead = _plus(left, _ratio(size, before), ahead)
        return found


def _inner(one: list[NDArray[np.float64]], other: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Of all unknowns, a number a table and output."""
    parts = [(a * b).reshape(len(a), -1, a.shape[-1]).sum(axis=1) for a, b in zip(one, other, strict=True)]
    return np.asarray(np.sum(parts, axis=0))


def _plus(
    values: list[NDArray[np.float64]], steps: NDArray[np.float64], along: list[NDArray[np.float64]]
) -> list[NDArray[np.float64]]:
    """Values and so many steps, a number a table and output, along others."""
    beside = [steps.reshape(len(a), *(1,) * (a.ndim - 2), -1) for a in along]
    return [v + step * a for v, step, a in zip(values, beside, along, strict=True)]


def _ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
