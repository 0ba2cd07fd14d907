"""A rule that was found, and what there is to say of it."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from paclearn._text import figures, percent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.rules.rule_evidence import Aim

__all__ = ["FoundRule", "describe"]

_LEVEL = 0.95


@dataclass(frozen=True)
class FoundRule:
    """A rule in words and numbers.

    Parameters
    ----------
    rule : str
        The conditions in words.
    label : object
        The class, or None for numbers.
    rows : float
        Rows (or their weight) for which it holds.
    share : float
        The share of the class among them, or their mean.
    lift : float
        That over the same in the whole table; NaN for numbers.
    effect, low, high : float
        How much more that is than among all other rows, and an interval of 95 % for it.
    p, q : float
        See `find_rules`.
    beyond : float
        Rows that no rule above it holds for.
    """

    rule: str
    label: Any
    rows: float
    share: float
    lift: float
    effect: float
    low: float
    high: float
    p: float
    q: float
    beyond: float

    def lines(self, target_name: str) -> tuple[str, str]:
        """The rule, and the numbers in a sentence."""
        if self.label is None:
            said = f"{target_name} is {figures(self.share, 4)} on average over {self.rows:,.6g} rows"
            more, ends = (
                figures(abs(self.effect), 4),
                f"{figures(self.low, 4, sign=True)} to {figures(self.high, 4, sign=True)}",
            )
        else:
            share = f"{percent(self.share)} of {self.rows:,.6g} rows"
            said = f"{target_name} is {self.label} in {share} (lift {self.lift:.3g})"
            more, ends = f"{100 * abs(self.effect):.1f} points", f"{100 * self.low:+.1f} to {100 * self.high:+.1f}"
        than = f"{more} {'more' if self.effect > 0 else 'less'} than elsewhere, {ends}"
        beyond = "" if self.beyond == self.rows else f"; {self.beyond:,.6g} rows beyond the rules above"
        return self.rule, f"    {said}: {than}; q = {self.q:.2g}{beyond}"


def describe(
    aim: Aim, rows: NDArray[np.bool_], words: str, evidence: tuple[float, float], beyond: NDArray[np.bool_]
) -> FoundRule:
    """The facts about one rule; ``beyond`` are the rows that it adds to those above it."""
    own, other, whole = (aim.totals(part) for part in (rows, ~rows, np.ones_like(rows)))
    sign = -1.0 if aim.label == "small" and aim.numbers else 1.0
    interval = (
        _of_means(aim, rows) if aim.numbers else _of_shares(own.mean, _size(aim, rows), other.mean, _size(aim, ~rows))
    )
    low, high = sorted(sign * end for end in interval)
    added = float(aim.mass[beyond].sum())
    return FoundRule(
        words,
        None if aim.numbers else aim.label,
        own.rows,
        sign * own.mean,
        np.nan if aim.numbers else own.mean / whole.mean,
        sign * (own.mean - other.mean),
        low,
        high,
        *evidence,
        added,
    )


def _size(aim: Aim, rows: NDArray[np.bool_]) -> float:
    """Rows of weight one that say as much as these: (sum w)^2 / sum w^2 (Kish 1965); whole weights are rows."""
    weights = aim.mass[rows]
    if np.array_equal(weights, np.rint(weights)):
        return float(weights.sum())
    return float(weights.sum() ** 2 / (weights @ weights))


def _of_shares(share: float, n: float, other: float, n_other: float) -> tuple[float, float]:
    """An interval for a difference of two shares: Newcombe (1998), method 10."""
    low, high = _wilson(share, n)
    other_low, other_high = _wilson(other, n_other)
    effect = share - other
    return (
        effect - sqrt((share - low) ** 2 + (other_high - other) ** 2),
        effect + sqrt((high - share) ** 2 + (other - other_low) ** 2),
    )


def _wilson(share: float, n: float) -> tuple[float, float]:
    z = float(stats.norm.ppf((1 + _LEVEL) / 2))
    middle, half = share + z * z / (2 * n), z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)


def _of_means(aim: Aim, rows: NDArray[np.bool_]) -> tuple[float, float]:
    """An interval for a difference of two means: Welch (1947)."""
    parts = [(aim.totals(part), max(_size(aim, part), 2.0)) for part in (rows, ~rows)]
    errors = [total.squares / total.rows / (n - 1) for total, n in parts]
    effect, error = parts[0][0].mean - parts[1][0].mean, sum(errors)
    if error == 0:
        return effect, effect
    freedom = error**2 / sum(e**2 / (n - 1) for e, (_, n) in zip(errors, parts, strict=True))
    half = float(stats.t.ppf((1 + _LEVEL) / 2, freedom)) * sqrt(error)
    return effect - half, effect + half
