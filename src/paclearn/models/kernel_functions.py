"""Base kernels, scaled so that k(x, x) <= 1, and the kernel K = 1 / (1 - nu k) of all power series of halfspaces."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from paclearn.exceptions import InputError
from paclearn.kernels.dispatch import expand

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["BaseKernel", "Custom", "Kernel", "Linear", "Points", "Polynomial", "Precomputed", "Rbf"]

_TILE = 2**20  # kernel values at once: they should not leave the cache
_FEW = 64


class BaseKernel(ABC):
    """An inner product of rows."""

    @abstractmethod
    def between(self, rows: NDArray[Any], anchors: NDArray[Any]) -> NDArray[np.float64]:
        """k of every row with every anchor."""

    def squares(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        """k of every row with itself."""
        blocks = [rows[i : i + _FEW] for i in range(0, len(rows), _FEW)]
        return np.concatenate([np.diagonal(self.between(block, block)) for block in blocks])


@dataclass(frozen=True)
class Linear(BaseKernel):
    """``<x, x'>``."""

    def between(self, rows: NDArray[Any], anchors: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(rows @ anchors.T)

    def squares(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(np.einsum("ij,ij->i", rows, rows))


@dataclass(frozen=True)
class Rbf(BaseKernel):
    """``exp(-gamma |x - x'|^2)``."""

    gamma: float

    def between(self, rows: NDArray[Any], anchors: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(rbf_kernel(rows, anchors, gamma=self.gamma))

    def squares(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        return np.ones(len(rows))


@dataclass(frozen=True)
class Polynomial(BaseKernel):
    """``(gamma <x, x'> + coef0)^degree``."""

    degree: int
    gamma: float
    coef0: float

    def between(self, rows: NDArray[Any], anchors: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(polynomial_kernel(rows, anchors, self.degree, self.gamma, self.coef0))

    def squares(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray((self.gamma * np.einsum("ij,ij->i", rows, rows) + self.coef0) ** self.degree)


@dataclass(frozen=True)
class Custom(BaseKernel):
    """The user's own function of two matrices of rows."""

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

    def between(self, rows: NDArray[Any], anchors: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(rows[:, anchors])

    def squares(self, rows: NDArray[Any]) -> NDArray[np.float64]:
        """Of the training rows; of others it cannot be known."""
        return np.asarray(np.diagonal(rows))


@dataclass(frozen=True, eq=False)
class Points:
    """Training rows in both of their parts: as rows, and as anchors of the functions that are learned."""

    rows: NDArray[Any]
    anchors: NDArray[Any]

    def __len__(self) -> int:
        return len(self.anchors)

    def __getitem__(self, some: Any) -> Points:
        rows = self.rows[some]
        return Points(rows, rows if self.rows is self.anchors else self.anchors[some])


@dataclass(frozen=True, eq=False)
class Kernel:
    """``K(x, x') = 1 / (1 - nu k(x, x') / scale)``; with a bias, k / scale becomes (k / scale + 1) / 2.

    That is the inner product of ``psi(x) = (nu^(j/2) x_{k_1} ... x_{k_j})`` over all products of coordinates, and so a
    function ``<v, psi(x)>`` can be any power series of any halfspace, ``sum_j beta_j <w, x>^j``, with
    ``|v|^2 = sum_j beta_j^2 nu^-j |w|^(2j)`` (Lemma 3). A bias is one more coordinate that is the same for all rows.
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

    def _base(self, rows: NDArray[Any], anchors: NDArray[Any]) -> NDArray[np.float64]:
        """Values of the base kernel, to be written over."""
        values = self.base.between(rows, anchors)
        if isinstance(self.base, Custom | Precomputed):
            # no inner product of rows in the ball is larger than this, but who knows what we were given
            return np.clip(values, -self.scale, self.scale)
        return values

    def matrix(self, rows: NDArray[Any], anchors: NDArray[Any]) -> NDArray[np.float64]:
        """K of every row with every anchor."""
        values = self._base(rows, anchors)
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
                base = self._base(rows[i : i + down], anchors[j : j + across])
                if projection is not None:
                    base *= projection[i : i + down, None]
                out[i : i + down] += expand(base, self.slope, self.offset, weights[j : j + across])
        return out
