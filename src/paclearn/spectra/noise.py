"""Noise that respects a measure: how a row is shaken, and how much of a function survives it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state

from paclearn._parameters import Between, Such, check, check_choice
from paclearn.measures.measure import network_of
from paclearn.measures.network import as_states

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.measures import Measure, Network
    from paclearn.measures.factored_law import FactoredLaw

__all__ = ["check_rho", "exponents", "noisy_copies"]

KINDS = ("uniform", "sequential", "structured")


def exponents(network: FactoredLaw, subsets: Sequence[tuple[int, ...]], kind: str) -> NDArray[np.float64]:
    """To which power of rho the square of a coefficient counts: Zhang (2019), Propositions 13 to 15.

    The size of the subset where each bit is kept or redrawn by itself (bits without dependences), the place of its last
    member where everything is redrawn from some place on, or the number of its members and their ancestors.
    """
    check_choice("kind", kind, KINDS)
    if kind == "uniform":
        return np.fromiter(map(len, subsets), dtype=np.float64, count=len(subsets))
    if kind == "structured":
        return np.array([network.reach(s) for s in subsets], dtype=np.float64)
    place = {bit: t + 1 for t, bit in enumerate(network.order)}
    return np.array([max((place[i] for i in s), default=0) for s in subsets], dtype=np.float64)


def check_rho(rho: Any, least: int) -> None:
    """Refuse what is no number from the least to one."""
    if rho != 1:
        check("rho", rho, Such(lambda r: Between(least, 1, closed=True).allows(r), f"a number from {least} to 1"))


def noisy_copies(
    X: Any, measure: Measure | Network, rho: float, kind: str = "structured", random_state: Any = None
) -> NDArray[np.int8]:
    """Rows of -1 and +1 that follow the same law as the given ones and resemble them.

    Zhang (2019), Definition 8 (sequential) and Definition 9 (structured).

    Parameters
    ----------
    X : array-like of shape (n_rows, n_bits)
        Bits, drawn from the measure.
    measure : Measure or Network
        The law.
    rho : float
        The chance that a bit is kept: 1 for copies, 0 for fresh rows.
    kind : {"sequential", "structured"}, default="structured"
        In the order of the measure, everything is redrawn from the first bit on that is not kept; or a bit is redrawn
        where it is not kept itself or one of its parents was redrawn. Without dependences, the latter keeps or redraws
        each bit by itself.
    random_state : int, RandomState instance or None, default=None
        Seed.
    """
    check_choice("kind", kind, KINDS[1:])
    check_rho(rho, 0)
    network, rng = network_of(measure), check_random_state(random_state)
    rows = 2 * as_states(X, network.d).astype(np.int8) - 1
    redrawn = rng.random_sample(rows.shape) >= rho
    for place, i in enumerate(network.order):
        before = network.order[:place] if kind == "sequential" else network.parents[i]
        redrawn[:, i] |= redrawn[:, list(before)].any(axis=1)
        up = network.tables[i][tuple((rows[:, p] > 0).astype(np.intp) for p in network.parents[i])]
        fresh = np.where(rng.random_sample(len(rows)) < up, 1, -1)
        rows[:, i] = np.where(redrawn[:, i], fresh, rows[:, i])
    return rows
