"""Generators for regression graphs: additive models behind a link, and orderly trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import Bunch, check_random_state

from paclearn._parameters import Between, check, check_between, check_choice
from paclearn.datasets.requests import check_sizes

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["make_gam", "make_orderly"]

_LINKS = ("logistic", "steps", "identity")
_PART_SIZE = 0.6
# of a uniform column, with mean 0 and variance 1
_PARTS: tuple[Callable[[NDArray[np.float64]], NDArray[np.float64]], ...] = (
    lambda x: np.sqrt(2) * np.sin(2 * np.pi * x),
    lambda x: np.sqrt(12) * (x - 0.5),
    lambda x: np.sqrt(180) * ((x - 0.5) ** 2 - 1 / 12),
    lambda x: np.where(x > 0.5, 1.0, -1.0),
    lambda x: np.sqrt(48) * (0.25 - np.abs(x - 0.5)),
)


def make_gam(
    n_rows: int = 1000,
    n_columns: int = 10,
    *,
    n_extra: int = 0,
    link: str = "logistic",
    noise: str = "bernoulli",
    random_state: Any = None,
) -> Bunch:
    """A generalised additive model of uniform columns: waves, slopes, parabolas, steps and roofs behind a link.

    Every part has mean 0 and standard deviation 0.6.

    Parameters
    ----------
    n_rows, n_columns : int
        Rows, and columns that the mean depends on.
    n_extra : int, default=0
        Columns that say nothing.
    link : {"logistic", "steps", "identity"}, default="logistic"
        From the sum of the parts to the mean: the logistic function, three steps, or a line cut off at 0 and 1.
    noise : {"bernoulli", "none"}, default="bernoulli"
        Whether the target is drawn 0 or 1 with that mean, or is the mean.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    Bunch
        ``data``, ``target`` and ``mean``: the true mean of every row.
    """
    check_choice("link", link, _LINKS)
    check_choice("noise", noise, ("bernoulli", "none"))
    check_sizes(n_rows=n_rows, n_columns=n_columns)
    check_sizes(0, n_extra=n_extra)
    rng = check_random_state(random_state)
    X = rng.random_sample((n_rows, n_columns + n_extra))
    parts = [_PARTS[j % len(_PARTS)](X[:, j]) for j in range(n_columns)]
    mean = _linked(_PART_SIZE * np.sum(parts, axis=0), link)
    target = (rng.random_sample(n_rows) < mean).astype(np.float64) if noise == "bernoulli" else mean
    return Bunch(data=X, target=target, mean=mean)


def _linked(total: NDArray[np.float64], link: str) -> NDArray[np.float64]:
    if link == "logistic":
        return 1 / (1 + np.exp(-total))
    if link == "steps":
        return np.select([total < -1, total < 1], [0.1, 0.5], 0.9)
    return np.clip(0.5 + total / 8, 0, 1)


def make_orderly(
    n_rows: int = 1000, depth: int = 200, *, n_extra: int = 0, noise: float = 0.1, growth: float = 1.04,
    random_state: Any = None
) -> Bunch:  # fmt: skip
    """An orderly regression tree none of whose bits correlates with the target.

    The tree is a list: the first bit that is 1 says whether the mean is high or low, in turns. The first bits are
    rarely the first to be 1, each one a little more often than the one before. On rows that an earlier bit has
    decided, a later bit is a coin, tilted by just what it takes to cancel what the bit says elsewhere; so it says
    next to nothing there either.

    Parameters
    ----------
    n_rows, depth : int
        Rows, and bits of the tree.
    n_extra : int, default=0
        Fair bits that say nothing.
    noise : float, default=0.1
        The mean is ``noise`` or ``1 - noise``.
    growth : float, default=1.04
        How much more often a bit decides than the one before it; beyond 1.6 earlier rows are too few to cancel it.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    Bunch
        ``data`` (0 and 1), ``target`` (0 and 1), ``mean``, and ``correlations``: of every bit of the tree with the
        mean, exactly.
    """
    check_sizes(n_rows=n_rows)
    check_sizes(2, depth=depth)
    check_sizes(0, n_extra=n_extra)
    check("noise", noise, Between(0, 0.5, closed=True))
    check_between("growth", growth, 1, 1.6 + 1e-12)
    rng = check_random_state(random_state)
    shares, high, tilts = _orderly_law(depth, growth)
    leaf = rng.choice(depth + 1, n_rows, p=shares)
    bit = np.arange(depth)
    other = high[:depth] != high[leaf][:, None]
    ones = rng.random_sample((n_rows, depth)) < 0.5 + np.where(other, tilts, -tilts) / 2
    bits = (bit == leaf[:, None]) | ((bit > leaf[:, None]) & ones)
    extra = rng.randint(2, size=(n_rows, n_extra))
    mean = np.where(high[leaf], 1 - noise, noise)
    target = (rng.random_sample(n_rows) < mean).astype(np.float64)
    data = np.column_stack([bits, extra]).astype(np.int8)
    return Bunch(data=data, target=target, mean=mean, correlations=_exact_correlations(shares, high, tilts))


def _orderly_law(depth: int, growth: float) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]]:
    """Shares of the leaves, which of them are high, and the tilt of every bit on rows decided before it.

    A bit says ``share`` by itself, and ``tilt / 2`` times the share of all rows decided before it to the contrary.
    """
    shares = growth ** np.arange(depth, dtype=np.float64)
    high = np.arange(depth + 1) % 2 == 0
    high[depth] = not high[depth - 1]
    apart = shares @ np.where(high[:depth], 1, -1)
    shares = np.append(shares, abs(apart))  # the last leaf makes high and low ones weigh the same
    high[depth] = apart < 0
    shares /= shares.sum()
    return shares, high, np.array([_tilt(shares, high, j) for j in range(depth)])


def _tilt(shares: NDArray[np.float64], high: NDArray[np.bool_], j: int) -> float:
    """Solves ``share + sum of same (1 - tilt) / 2 = sum of other (1 + tilt) / 2`` where that can be done."""
    same, other = shares[:j][high[:j] == high[j]].sum(), shares[:j][high[:j] != high[j]].sum()
    if j == 0:
        return 0.0
    return float(np.clip((2 * shares[j] + same - other) / (same + other), -1, 1))


def _exact_correlations(
    shares: NDArray[np.float64], high: NDArray[np.bool_], tilts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Of every bit with the mean; high and low ones weigh the same."""
    found = []
    for j, tilt in enumerate(tilts):
        same, other = shares[:j][high[:j] == high[j]].sum(), shares[:j][high[:j] != high[j]].sum()
        agree, differ = shares[j] + same * (1 - tilt) / 2, other * (1 + tilt) / 2
        ones = agree + differ
        covariance = (agree - differ) / 2 * (1 if high[j] else -1)
        found.append(covariance / np.sqrt(ones * (1 - ones) / 4))
    return np.array(found)
