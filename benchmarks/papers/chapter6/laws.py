"""What chapter 6 of the thesis draws: laws of bits with Beta(alpha, alpha) conditionals, and functions to learn.

The laws: independent bits, a chain, a grid of five or six columns, and two readings of its "hidden Markov model" (whose
picture is not in the text): `hmm`, a chain of states and one sign of each, all of them seen; `hidden`, only the signs.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from paclearn.measures import GraphMeasure, Network
from paclearn.measures.factored_law import topological_order

if TYPE_CHECKING:
    from collections.abc import Callable

TEST_ROWS = 2000
_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


@dataclass(frozen=True)
class Task:
    """How many bits, and how to draw a function of them."""

    d: int
    function: Callable
    regression: bool = False


def tribes(width, size):
    """+1 where all members of a tribe are +1."""

    def function(_):
        return lambda bits: np.where((bits.reshape(len(bits), size, width).min(axis=2) > 0).any(axis=1), 1, -1)

    return Task(width * size, function)


def polynomial(d, n_terms, *, sign=False):
    """Normal coefficients of products of a Poisson(1) number of bits; or the sign of that."""

    def function(rng):
        subsets = [rng.choice(d, min(rng.poisson(1.0), d), replace=False) for _ in range(n_terms)]
        weights = rng.normal(size=n_terms)

        def value(bits):
            total = sum(w * bits[:, s].prod(axis=1) for w, s in zip(weights, subsets, strict=True))
            return np.where(total > 0, 1, -1) if sign else np.asarray(total, dtype=float)

        return value

    return Task(d, function, regression=not sign)


def boards():
    """Tic-tac-toe on any board: whether a square is filled and by whom; 1 or -1 where just one player has a line."""

    def function(_):
        def value(bits):
            filled, crosses = bits[:, :9] > 0, bits[:, 9:] > 0
            won = [_has_line(filled & crosses), _has_line(filled & ~crosses)]
            return won[0].astype(int) - won[1].astype(int)

        return value

    return Task(18, function)


def _has_line(squares):
    return np.any([squares[:, list(line)].all(axis=1) for line in _LINES], axis=0)


TASKS = {
    "tribes 3x5": tribes(3, 5),
    "tribes 4x6": tribes(4, 6),
    "tribes 4x10": tribes(4, 10),
    "polynomial 15": polynomial(15, 20),
    "polynomial 24": polynomial(24, 48),
    "threshold 30": polynomial(30, 60, sign=True),
    "boards": boards(),
}


def parents_of(law, d):
    """The graph of a law."""
    if law == "chain":
        return [(i - 1,) if i else () for i in range(d)]
    if law == "hmm":
        states = (d + 1) // 2
        return [((i - 1,) if i else ()) if i < states else (i - states,) for i in range(d)]
    if law == "grid":
        width = 5 if d == 15 else 6
        return [(*((i - width,) if i >= width else ()), *((i - 1,) if i % width else ())) for i in range(d)]
    return [()] * d


def assumed(law, X):
    """The measure to be fitted."""
    if law in {"uniform", "product"}:
        return law
    parents = parents_of("chain" if law == "hidden" else law, X.shape[1])
    return GraphMeasure([(p, i) for i, given in enumerate(parents) for p in given])


def sample(law, d, alpha, n, rng):
    """Rows of a law whose conditional probabilities come from Beta(alpha, alpha)."""
    parents = parents_of("hmm" if law == "hidden" else law, 2 * d if law == "hidden" else d)
    tables = tuple(np.clip(rng.beta(alpha, alpha, (2,) * len(p)), 1e-6, 1 - 1e-6) for p in parents)
    rows = Network(tuple(parents), tables, topological_order(parents)).sample(n, rng)
    return rows[:, d:] if law == "hidden" else rows


def draw(task, law, alpha, n, seed):
    """Four fifths of n rows to learn from (the thesis's five folds), and fresh ones to be judged by.

    A law under which a class has fewer than one row in twenty is drawn again.
    """
    if task == "votes":
        return votes(n, seed)
    chosen = TASKS[task]
    rng = np.random.RandomState(seed)
    train = n * 4 // 5
    while True:
        order = rng.permutation(chosen.d)  # where in the graph the function's bits are
        X = sample(law, chosen.d, alpha, train + TEST_ROWS, rng)
        y = chosen.function(rng)(X[:, order])
        if chosen.regression or _balanced(y[:train]):
            return X[:train], y[:train], X[train:], y[train:]


def _balanced(y):
    classes, counts = np.unique(y, return_counts=True)
    return len(classes) > 1 and counts.min() >= max(3, len(y) / 20)


def votes(n, seed):
    """The votes of Congress as two bits each: whether it is known, and what it was."""
    import pandas as pd

    frame = pd.read_parquet(Path(os.environ["PACLEARN_DATA"]) / "house_votes_84.parquet")
    y = (frame.pop("target").astype(str) == "republican").to_numpy()
    known, yes = frame.notna().to_numpy(), (frame.astype(str) == "y").to_numpy()
    X = np.where(np.concatenate([known, yes], axis=1), 1, -1)
    rows = np.random.RandomState(seed).permutation(len(y))[:n]
    X, y = X[rows], np.where(y[rows], 1, -1)
    train = n * 4 // 5
    return X[:train], y[:train], X[train:], y[train:]
