r"""What a subset of columns explains beyond all its proper subsets, on the scale of the target's mean.

With cell means :math:`m_c` and their variances :math:`u_c`, the best sum of functions of proper subsets is the weighted
least squares fit :math:`\mu_c`, and :math:`T = \sum_c (m_c - \mu_c)^2 / u_c` has a chi-square law with as many degrees
of freedom as there are k-way contrasts if the subset adds nothing, whatever the joint law of the columns and however
strong the smaller effects. For bits that is the squared alternating sum of the cell means over its standard error.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import rel_entr

from paclearn.certificates.tails import log_f_tail, log_gamma_tail

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    from paclearn.counting import Counts
    from paclearn.tables.target import Target

    # effect, standard error, cell and shift of every subset
    _Effects: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]

__all__ = ["CellMeans", "Tests", "cell_means", "examine", "strength"]

_FEW = 5.0  # rows of the rarer kind that a cell needs for the normal approximation
_WORTH_SIMULATING = 0.05
_SIMULATIONS = (999, 9_999)
_HOPELESS = -np.log(1e6)
_FIT_STEPS = 30
_LEAST_VARIANCE = 1e-9
_REWEIGHTINGS = 3
_NUMBERS_AT_ONCE = 2**22
_RANK_TOLERANCE = 1e-10


@dataclass(frozen=True, eq=False)
class CellMeans:
    """Means of a target in the cells of a block of subsets of one shape; all arrays are subsets x cells."""

    shape: tuple[int, ...]
    rows: NDArray[np.float64]  # effective ones, where rows have weights
    raw: NDArray[np.float64]  # frequencies of a class, or means
    mean: NDArray[np.float64]  # the same, with frequencies drawn towards a half
    variance: NDArray[np.float64]  # of the mean
    usable: NDArray[np.bool_]
    binary: bool

    @property
    def bits(self) -> bool:
        """Whether all members have two levels."""
        return all(q == 2 for q in self.shape)


@dataclass(frozen=True, eq=False)
class Tests:
    """One test a subset: p is NaN where the cells leave nothing to test."""

    effect: NDArray[np.float64]
    se: NDArray[np.float64]
    p: NDArray[np.float64]
    log_p: NDArray[np.float64]  # tells those apart that are zero
    cell: NDArray[np.int64]  # the one that stands out, in mixed radix
    shift: NDArray[np.float64]  # how far its mean is from what is expected, within the range of means
    simulated: NDArray[np.bool_]


def cell_means(counts: Counts, target: Target, label: int, min_cell: float) -> CellMeans:
    """Means of one class against the rest, or of the numbers, for subsets of one shape."""
    shape = tuple(int(q) for q in counts.sizes[0])
    n_cells = int(np.prod(shape))
    values = counts.values[:, :n_cells].astype(np.float64)
    if target.classes is None:
        return _numeric_means(values, shape, min_cell)
    channels = values.reshape(*values.shape[:2], target.n_classes, -1)
    weight = channels[..., 0].sum(axis=-1)
    own = weight if channels.shape[-1] == 1 else channels[..., 1].sum(axis=-1)
    rows = _ratio(weight**2, own)
    share = _ratio(channels[..., label, 0], weight)
    # two successes and two failures, spread over the cells: intervals for sums of proportions then hold their level
    extra = 2 / n_cells
    smooth = (share * rows + extra) / (rows + 2 * extra)
    variance = smooth * (1 - smooth) / (rows + 2 * extra)
    return CellMeans(shape, rows, share, smooth, variance, rows >= min_cell, binary=True)


def _numeric_means(values: NDArray[np.float64], shape: tuple[int, ...], min_cell: float) -> CellMeans:
    weight, total, square, own = (values[..., i] for i in range(4))
    mean = _ratio(total, weight)
    rows = _ratio(weight**2, own)
    within = np.maximum(square - total * mean, 0.0)
    free = np.maximum(rows - 1, 0.0)
    squares = _ratio(within * rows, weight)  # their sum, at effective rows
    # where a column decides the target there is no variance left, and the effect is as clear as can be
    overall = (square.sum(axis=1) / np.maximum(weight.sum(axis=1), 1e-300))[:, None]
    variance = np.maximum(_ratio(squares, free), _LEAST_VARIANCE * overall)
    return CellMeans(shape, rows, mean, mean, _ratio(variance, rows), rows >= max(2 * min_cell, 3), binary=False)


def _ratio(top: NDArray[np.float64], bottom: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0)


def examine(means: CellMeans, rng: np.random.RandomState | None = None) -> Tests:
    """Test every subset of a block; with ``rng``, subsets with small cells that look like something are simulated."""
    n_cells = means.mean.shape[1]
    smaller = _functions_of_proper_subsets(means.shape).shape[1]
    step = max(1, _NUMBERS_AT_ONCE // (n_cells * smaller + smaller**2))
    parts = [_test(_part(means, slice(i, i + step)), rng) for i in range(0, len(means.mean), step)]
    return Tests(*(np.concatenate([getattr(part, name) for part in parts]) for name in Tests.__dataclass_fields__))


def strength(means: CellMeans) -> tuple[float, float, float]:
    """How far one subset's effect is beyond what chance makes of it, how far chance may go, and on how many rows.

    The subsets of the block are strata of rows here; their statistics add up. The first number is the statistic less
    its degrees of freedom: it grows with the rows, and is about zero where there is no effect, give or take the second.
    """
    means = _part(means, means.usable.sum(axis=1) > 1)  # one cell by itself says nothing
    if not len(means.mean):
        return 0.0, 0.0, 0.0
    fit = _fit(means)
    free, statistic = fit.free, fit.statistic
    testable = free > 0
    rows = float(np.where(means.usable, means.rows, 0.0)[testable].sum())
    if not testable.any():
        return 0.0, 0.0, 0.0
    if means.bits:  # strata agree on the sign of an effect of the subset's own
        effect, se = _alternating_sum(means)
        precision = 1 / se[testable] ** 2
        return float((effect[testable] * precision).sum() ** 2 / precision.sum()) - 1.0, np.sqrt(2.0), rows
    return float(statistic[testable].sum() - free[testable].sum()), float(np.sqrt(2.0 * free[testable].sum())), rows


def _part(means: CellMeans, rows: slice | NDArray[np.bool_]) -> CellMeans:
    arrays = {name: getattr(means, name)[rows] for name in ("rows", "raw", "mean", "variance", "usable")}
    return replace(means, **arrays)


def _test(means: CellMeans, rng: np.random.RandomState | None) -> Tests:
    fit = _fit(means)
    testable, fitted = fit.free > 0, fit.fitted
    log_p = np.where(testable, _log_tail(means, fit), np.nan)
    effect, se, cell, shift = _last_cell(means) if means.bits else _standout_cell(means, fitted)
    simulated = np.zeros(len(log_p), dtype=bool)
    if rng is not None and means.binary:
        expected = np.minimum(fitted, 1 - fitted)
        rarer = np.where(means.usable, means.rows * expected, np.inf).min(axis=1)
        for i in np.flatnonzero(testable & (rarer < _FEW) & (log_p <= np.log(_WORTH_SIMULATING))):
            log_p[i] = _small_cells(means, int(i), fitted[i], rng)
            simulated[i] = True
    effect, se, shift = (np.where(testable, values, np.nan) for values in (effect, se, shift))
    return Tests(effect, se, np.exp(log_p), log_p, cell, shift, simulated)


@dataclass(frozen=True, eq=False)
class _Fit:
    """Sums of functions of proper subsets next to the cell means, and what they leave."""

    free: NDArray[np.int64]  # degrees of freedom of what is left
    statistic: NDArray[np.float64]
    fitted: NDArray[np.float64]
    left: NDArray[np.float64]  # share of every cell's own mean that the fit leaves: one less its leverage


def _fit(means: CellMeans) -> _Fit:
    return _contrast(means) if means.bits else _least_squares(means)


def _signs(means: CellMeans) -> NDArray[np.float64]:
    """+1 where all bits are 1, and changing with every bit."""
    k = len(means.shape)
    return np.array([(-1.0) ** (k - sum(c)) for c in product((0, 1), repeat=k)])


def _alternating_sum(means: CellMeans) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return means.mean @ _signs(means), np.sqrt(means.variance.sum(axis=1))


def _last_cell(means: CellMeans) -> _Effects:
    """Of bits: how far the mean where all are 1 is from what smaller effects add up to, starting where all are 0."""
    effect = means.raw @ _signs(means)
    last = means.raw[:, -1]
    expected = last - effect
    shift = last - (np.clip(expected, 0.0, 1.0) if means.binary else expected)
    return effect, _alternating_sum(means)[1], np.full(len(last), means.raw.shape[1] - 1), shift


def _standout_cell(means: CellMeans, fitted: NDArray[np.float64]) -> _Effects:
    """The cell that adds most to what the fit leaves: how far it is from it, and its standard error."""
    positive = means.usable & (means.variance > 0)
    if means.binary:  # sums of frequencies may leave the range of frequencies; nothing is further off than its ends
        fitted = np.clip(fitted, 0.0, 1.0)
    left = np.where(positive, means.raw - fitted, 0.0)
    cell = (left**2 * means.rows).argmax(axis=1)
    every = np.arange(len(cell))
    effect, variance = left[every, cell], means.variance[every, cell]
    if len(means.shape) == 1:  # a level beside all others
        rows = means.rows.copy()
        rows[every, cell] = 0
        rest = np.maximum(rows.sum(axis=1), 1e-300)
        effect = means.raw[every, cell] - (rows * means.raw).sum(axis=1) / rest
        variance = variance + (rows**2 * means.variance).sum(axis=1) / rest**2
    return effect, np.sqrt(variance), cell, effect


def _contrast(means: CellMeans) -> _Fit:
    """Of subsets of bits: one alternating sum, if every cell has rows."""
    total = means.variance.sum(axis=1)
    safe = np.where(total > 0, total, 1.0)
    difference = means.mean @ _signs(means)
    share = means.variance / safe[:, None]
    fitted = means.mean - _signs(means) * share * difference[:, None]
    free = np.where(total > 0, means.usable.all(axis=1), 0).astype(np.int64)
    return _Fit(free, difference**2 / safe, fitted, share)


@lru_cache(maxsize=64)
def _functions_of_proper_subsets(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Cells x functions: an orthogonal basis of the sums of functions of proper subsets of the members."""
    own = [_helmert(q) for q in shape]
    columns = []
    for size in range(len(shape)):
        for subset in combinations(range(len(shape)), size):
            block: NDArray[np.float64] = np.ones((1, 1))
            for t, q in enumerate(shape):
                factor = own[t] if t in subset else np.ones((q, 1))
                block = np.asarray(np.kron(block, factor), dtype=np.float64)
            columns.append(block)
    return np.concatenate(columns, axis=1)


def _helmert(q: int) -> NDArray[np.float64]:
    """Functions of one member with mean zero, orthonormal."""
    basis, _ = np.linalg.qr(np.column_stack([np.ones(q), np.eye(q)[:, : q - 1]]))
    return np.asarray(basis[:, 1:] * np.sqrt(q))


def _least_squares(means: CellMeans) -> _Fit:
    """The same for any shape; cells without rows take no part.

    Variances of frequencies are those that the fit expects, not those seen: a cell of ten rows that are all of one
    class would count as known for certain.
    """
    positive = means.usable & (means.variance > 0)
    weight = np.where(positive, means.rows if means.binary else 1 / np.where(positive, means.variance, 1.0), 0.0)
    fitted, leverage, rank = _weighted_fit(means, weight)
    for _ in range(_REWEIGHTINGS if means.binary else 0):
        expected = _inside(fitted, means.rows.sum(axis=1, keepdims=True))
        weight = np.where(positive, means.rows / (expected * (1 - expected)), 0.0)
        fitted, leverage, rank = _weighted_fit(means, weight)
    statistic = (weight * (means.raw - fitted) ** 2).sum(axis=1)
    return _Fit(positive.sum(axis=1) - rank, statistic, fitted, np.where(positive, 1 - leverage, 0.0))


def _weighted_fit(
    means: CellMeans, weight: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Sums of functions of proper subsets next to the means, leverages, and how many functions the cells tell apart."""
    basis = _functions_of_proper_subsets(means.shape)
    weight = weight / np.maximum(weight.max(axis=1, keepdims=True), 1e-300)
    gram = (basis.T * weight[:, None, :]) @ basis
    values, vectors = np.linalg.eigh(gram)
    known = values > _RANK_TOLERANCE * np.maximum(values[:, -1:], 1e-300)
    root = vectors * np.sqrt(np.where(known, 1 / np.where(known, values, 1.0), 0.0))[:, None, :]
    scaled = basis @ root  # subsets x cells x functions
    shared = (weight * means.raw)[:, None, :] @ scaled
    fitted = (scaled @ shared.transpose(0, 2, 1))[:, :, 0]
    return fitted, weight * (scaled**2).sum(axis=2), known.sum(axis=1)


def _log_tail(means: CellMeans, fit: _Fit) -> NDArray[np.float64]:
    free = np.maximum(fit.free, 1)
    if means.binary:
        return log_gamma_tail(fit.statistic / 2, free / 2)
    # variances of numbers are estimated, each from the rows of its cell: Welch's approximation, as Johansen has it
    doubt = np.where(means.usable, fit.left**2 / np.maximum(means.rows - 1, 1), 0.0).sum(axis=1)
    doubt = np.maximum(doubt, 1e-12)
    scale = free + 2 * doubt - 6 * doubt / (free + 2)
    return log_f_tail(fit.statistic / scale, free, free * (free + 2) / (3 * doubt))


def _small_cells(means: CellMeans, i: int, fitted: NDArray[np.float64], rng: np.random.RandomState) -> float:
    """Log p-value of a subset with cells too small for the normal law: simulated, and bounded where that ends."""
    usable = means.usable[i]
    rows = np.round(means.rows[i, usable]).astype(np.int64)
    shares = means.raw[i, usable]
    basis = _functions_of_proper_subsets(means.shape)[usable]
    bound = _log_bound(shares, rows, fitted[usable], basis)
    if bound < _HOPELESS:  # no simulation of ours would come across anything like it
        return np.log(2) + bound
    p, resolved = _simulate(shares, rows, fitted[usable], basis, rng)
    return float(np.log(p)) if resolved else min(0.0, np.log(2) + min(np.log(p), bound))


def _simulate(
    shares: NDArray[np.float64],
    rows: NDArray[np.int64],
    fitted: NDArray[np.float64],
    basis: NDArray[np.float64],
    rng: np.random.RandomState,
) -> tuple[float, bool]:
    """The share of tables drawn from the fit without the subset's own effect that stand out as much as this one.

    More tables are drawn as long as next to none of them does; the second answer says whether enough did in the end.
    """
    mean = _inside(fitted, rows.sum())
    scale = np.sqrt(rows / (mean * (1 - mean)))
    spanned = np.linalg.qr(basis * scale[:, None])[0][:, : np.linalg.matrix_rank(basis)]

    def statistic(shares: NDArray[np.float64]) -> NDArray[np.float64]:
        scaled = shares * scale
        return np.asarray((scaled**2).sum(axis=-1) - ((scaled @ spanned) ** 2).sum(axis=-1))

    bar = float(statistic(shares)) * (1 - 1e-9)
    reached = drawn = 0
    for most in _SIMULATIONS:
        tables = rng.binomial(rows, mean, (most - drawn, len(rows))) / rows
        reached += int((statistic(tables) >= bar).sum())
        drawn = most
        if reached >= 10:
            break
    return (1 + reached) / (1 + drawn), reached >= 10


def _inside(mean: NDArray[np.float64], rows: Any) -> NDArray[np.float64]:
    """Away from 0 and 1 by half a row."""
    return np.clip(mean, 0.5 / (rows + 1), 1 - 0.5 / (rows + 1))


def _log_bound(
    shares: NDArray[np.float64], rows: NDArray[np.int64], fitted: NDArray[np.float64], basis: NDArray[np.float64]
) -> float:
    """Log of a bound on the p-value for any number of rows, from the likelihood ratio.

    In a cell, rows times the divergence of the observed from the true frequency exceeds x with probability at most
    2 exp(-x), by Chernoff, so it is at most log 2 plus an exponential variable, and the sum over K cells at most
    K log 2 plus a Gamma variable. The divergence from the best fit is no larger than that from the truth.
    """
    mean = _inside(fitted, rows.sum())
    best = np.inf
    for _ in range(_FIT_STEPS):  # reweighted least squares; the best step counts, since any fit bounds the best one
        best = min(best, float((rows * _divergence(shares, mean)).sum()))
        scale = np.sqrt(rows / (mean * (1 - mean)))
        factors, *_ = np.linalg.lstsq(basis * scale[:, None], shares * scale, rcond=None)
        mean = _inside(0.5 * mean + 0.5 * (basis @ factors), 1000 * rows.sum())
    return float(log_gamma_tail(np.array([max(best - len(rows) * np.log(2), 0.0)]), np.array([len(rows)]))[0])


def _divergence(observed: NDArray[np.float64], expected: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(rel_entr(observed, expected) + rel_entr(1 - observed, 1 - expected))
