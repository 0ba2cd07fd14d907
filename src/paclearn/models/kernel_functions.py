"""Base kernels, scaled so that k(x, x) <= 1, and the kernel K = 1 / (1 - nu k) of all power series of halfspaces."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.spatial.distance import cdist

from paclearn.exceptions import InputError, ProjectedRowsWarning
from paclearn.kernels.dispatch import expand

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["BaseKernel", "Custom", "Kernel", "Linear", "Polynomial", "Precomputed", "Rbf", "SumKernel"]

_TILE = 2**20  # kernel values at once: they should not leave the cache
_FEW = 64
_LEAST_POWER = -1e300  # whose exponential is nought, as of all below it
_ROUNDING = 1e-9  # rows of the fit may seem to be outside of it by this


class BaseKernel(ABC):
    """An inner product of rows."""

    name: ClassVar[str]

    @property
    def farthest(self) -> float:
        """Coordinates beyond it have squares that are no floats."""
        return 1e150

    @abstractmethod
    def between(self, rows: NDArray[Any], anchors: NDArray[Any]) -> NDArray[np.float64]:
        """k of every row with every anchor."""

    def squares(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        """k of every row with itself."""
        blocks = [rows[i : i + _FEW] for i in range(0, len(rows), _FEW)]
        return np.concatenate([np.diagonal(self.between(block, block)) for block in blocks])


class SumKernel(BaseKernel):
    """A function of a sum over coordinates: what a coordinate adds to it can be told."""

    @abstractmethod
    def addends(self, row: NDArray[np.float64], anchors: NDArray[Any]) -> NDArray[np.float64]:
        """Anchors x coordinates, to be added up."""

    @abstractmethod
    def mean_slope(self, before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean derivative of the function between two sums: its change is this times theirs."""


@dataclass(frozen=True)
class Linear(SumKernel):
    """``<x, x'>``."""

    name: ClassVar[str] = "linear"

    def between(self, rows: NDArray[Any], anchors: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(rows @ anchors.T)

    def squares(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(np.einsum("ij,ij->i", rows, rows))

    def addends(self, row: NDArray[np.float64], anchors: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(row * anchors)

    def mean_slope(self, before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.float64]:  # noqa: ARG002
        return np.ones_like(before)


@dataclass(frozen=True)
class Rbf(SumKernel):
    """``exp(-gamma |x - x'|^2)``."""

    name: ClassVar[str] = "rbf"

    gamma: float

    def between(self, rows: NDArray[Any], anchors: NDArray[Any]) -> NDArray[np.float64]:
        """From differences: inner products of large numbers cancel, and otherwise so for a row alone."""
        with np.errstate(over="ignore"):  # the power of what is beyond all floats is nought
            powers = cdist(rows, anchors, "sqeuclidean")
            powers *= -self.gamma
            return np.asarray(np.exp(powers, out=powers))

    def squares(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        return np.ones(len(rows))

    def addends(self, row: NDArray[np.float64], anchors: NDArray[Any]) -> NDArray[np.float64]:
        with np.errstate(over="ignore"):
            return np.maximum(-self.gamma * (row - anchors) ** 2, _LEAST_POWER)

    def mean_slope(self, before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.float64]:
        """``(exp(b) - exp(a)) / (b - a)``, without a difference of near numbers."""
        apart = np.abs(after - before)
        share = np.divide(-np.expm1(-apart), apart, out=np.ones_like(apart), where=apart > 0)
        return np.exp(np.maximum(before, after)) * share


@dataclass(frozen=True)
class Polynomial(SumKernel):
    """``(gamma <x, x'> + coef0)^degree``."""

    name: ClassVar[str] = "poly"

    degree: int
    gamma: float
    coef0: float

    @property
    def farthest(self) -> float:
        return float(1e140 ** (1 / self.degree))

    def between(self, rows: NDArray[Any], anchors: NDArray[Any]) -> NDArray[np.float64]:
        from sklearn.metrics.pairwise import polynomial_kernel  # a quarter of a second that most imports can do without

        return np.asarray(polynomial_kernel(rows, anchors, self.degree, self.gamma, self.coef0))

    def squares(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray((self.gamma * np.einsum("ij,ij->i", rows, rows) + self.coef0) ** self.degree)

    def addends(self, row: NDArray[np.float64], anchors: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(self.gamma * row * anchors)

    def mean_slope(self, before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.float64]:
        """``(b^n - a^n) / (b - a)`` is the sum of all ``a^i b^(n - 1 - i)``."""
        a, b = before + self.coef0, after + self.coef0
        return np.asarray(sum(a**i * b ** (self.degree - 1 - i) for i in range(self.degree)))


@dataclass(frozen=True)
class Custom(BaseKernel):
    """The user's own function of two matrices of rows."""

    name: ClassVar[str] = "custom"

    function: Callable[[NDArray[Any], NDArray[Any]], Any]

    def between(self, rows: NDArray[Any], anchors: NDArray[Any]) -> NDArray[np.float64]:
        values = np.asarray(self.function(rows, anchors), dtype=np.float64)
        if values.shape != (len(rows), len(anchors)):
            raise InputError(
                f"the kernel must return a matrix of shape {(len(rows), len(anchors))} for {len(rows)} and "
                f"{len(anchors)} rows; it returned one of shape {values.shape}"
            )
        if not np.isfinite(values).all():
            raise InputError("the kernel returned values that are not finite (NaN or inf)")
        return values


@dataclass(frozen=True)
class Precomputed(BaseKernel):
    """Rows are kernel values with the training rows, and anchors are numbers of training rows."""

    name: ClassVar[str] = "precomputed"

    def between(self, rows: NDArray[Any], anchors: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(rows[:, anchors])

    def squares(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        """Of the training rows; of others it cannot be known."""
        return np.asarray(np.diagonal(rows))


@dataclass(frozen=True, eq=False)
class Kernel:
    """``K(x, x') = 1 / (1 - nu k(x, x') / scale)``; with a bias, k / scale becomes (k / scale + 1) / 2.

    That is the inner product of ``psi(x) = (nu^(j/2) x_{k_1} ... x_{k_j})`` over all products of coordinates, and so a
    function ``<v, psi(x)>`` can be any power series of any halfspace, ``sum_j beta_j <w, x>^j``, with
    ``|v|^2 = sum_j beta_j^2 nu^-j |w|^(2j)`` (Shalev-Shwartz, Shamir and Sridharan 2011, Lemma 3). A bias is one more
    coordinate that is the same for all rows.
    """

    base: BaseKernel
    nu: float
    bias: bool
    scale: float = 1.0

    @property
    def slope(self) -> float:
        return self.nu / self.scale * (0.5 if self.bias else 1.0)

    @property
    def offset(self) -> float:
        return 1 - 0.5 * self.nu if self.bias else 1.0

    @property
    def largest(self) -> float:
        """What K(x, x) is at most."""
        return 1 / (1 - self.nu)

    def squares(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        """K of every row with itself."""
        return 1 / (self.offset - self.slope * self.base.squares(rows))

    def base_values(self, rows: NDArray[Any], anchors: NDArray[Any]) -> NDArray[np.float64]:
        """Values of the base kernel, to be written over."""
        values = self.base.between(rows, anchors)
        if isinstance(self.base, Custom | Precomputed):
            # no inner product of rows in the ball is larger than this, but who knows what we were given
            return np.clip(values, -self.scale, self.scale)
        return values

    def matrix(self, rows: NDArray[Any], anchors: NDArray[Any]) -> NDArray[np.float64]:
        """K of every row with every anchor."""
        values = self.base_values(rows, anchors)
        values *= -self.slope
        values += self.offset
        return np.reciprocal(values, out=values)

    def sums(
        self, rows: NDArray[Any], anchors: NDArray[Any], weights: NDArray[np.float64], projection: Any = None
    ) -> NDArray[np.float64]:
        """``sum_j weights[j] K(x, anchor_j)`` for every row and output, never more than a tile of K at a time.

        ``projection`` multiplies the base kernel of each row: it pulls rows outside the unit ball back to it.
        """
        across = max(1, min(len(anchors), 4096))
        down = max(1, _TILE // across)
        out = np.zeros((len(rows), weights.shape[1]))
        for i in range(0, len(rows), down):
            for j in range(0, len(anchors), across):
                base = self.base_values(rows[i : i + down], anchors[j : j + across])
                if projection is not None:
                    base *= projection[i : i + down, None]
                out[i : i + down] += expand(base, self.slope, self.offset, weights[j : j + across])
        return out

    def projection(self, rows: NDArray[Any]) -> NDArray[np.float64] | None:
        """What k of each row is multiplied by so that none lies outside the unit ball; None where none does."""
        if isinstance(self.base, Precomputed):
            return None  # k of a new row with itself is not known
        squares = self.base.squares(rows) / self.scale
        outside = squares > 1 + _ROUNDING
        if not outside.any():
            return None
        warnings.warn(
            f"{outside.sum()} of {len(rows)} rows are larger than any row of the fit (by a factor of up to "
            f"{np.sqrt(squares.max()):.3g}) and were pulled back to the unit ball",
            ProjectedRowsWarning,
            stacklevel=5,
        )
        return 1 / np.sqrt(np.where(outside, squares, 1.0))

    # ---- explanations ----

    def of_base(self, base: NDArray[np.float64]) -> NDArray[np.float64]:
        """K from values of the base kernel."""
        return 1 / self._denominator(base)

    def slopes(self, before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.float64]:
        """``(K' - K) / (k' - k)`` for two values of the base kernel, the derivative where they are equal."""
        return np.asarray(self.slope / (self._denominator(before) * self._denominator(after)))

    def _denominator(self, base: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self.offset - self.slope * base)

    def changes(
        self, start: NDArray[np.float64], row: NDArray[np.float64], anchors: NDArray[Any], first: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """What columns change in k between two rows: columns x anchors, which add up. ``first`` are their coordinates.

        Where k is a function of a sum over coordinates, all of them move at the same time, from one row to the other
        (the integral of the gradient along that way: Sundararajan, Taly and Yan 2017, equation 1, in the addends of the
        sum). Otherwise columns change one after another, the first of the table first.
        """
        if isinstance(self.base, SumKernel):
            before, after = self.base.addends(start, anchors), self.base.addends(row, anchors)
            slope = self.base.mean_slope(before.sum(axis=1), after.sum(axis=1))
            return np.add.reduceat(after - before, first, axis=1).T * slope
        reached = np.append(first, len(row))[:, None]
        return np.diff(self.base_values(np.where(np.arange(len(row)) < reached, row, start), anchors), axis=0)
