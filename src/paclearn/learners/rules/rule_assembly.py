"""From chosen rules to a model: in order, with the probabilities of their cells."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from paclearn.encoding.comparisons import Comparison, columns_of
from paclearn.models.rule_model import RuleModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.encoding.comparisons import Condition
    from paclearn.learners.rules.rule_growth import Block, Order
    from paclearn.learners.rules.rule_rows import RuleRows
    from paclearn.models.model import About

__all__ = ["assembled"]

_CLEAR = 1e-6  # by how much a class that is said is more probable than any other


def assembled(about: About, blocks: Sequence[Block], order: Order, rows: RuleRows) -> RuleModel:
    """The model of some rules; conditions and columns that none needs are left out."""
    found: list[tuple[Condition, ...]] = []
    covers: list[NDArray[np.bool_]] = []
    labels: list[int] = []
    for block in blocks:
        asked = [tuple(block.grown.pool.conditions[c] for c in rule) for rule in block.rules]
        mine = np.array([rows.covers(rule) for rule in asked], dtype=bool).reshape(len(asked), rows.n)
        for rule in _surest_first(mine, rows, block.grown.label):
            found.append(asked[rule])
            covers.append(mine[rule])
            labels.append(block.grown.label)
    applies = np.array(covers, dtype=bool).reshape(len(found), rows.n)
    n_classes = len(about.classes or order)  # some may have no rows but those kept aside
    kept = sorted({c for rule in found for part in rule for c in columns_of(part)})
    every = sorted({part for rule in found for part in rule}, key=lambda part: (columns_of(part), part.name))
    named = {part: _moved(part, kept) for part in every}
    place = {part: i for i, part in enumerate(named)}
    return RuleModel(
        about,
        tuple(rows.domain.columns[c] for c in kept),
        tuple(named.values()),
        tuple(tuple(sorted(place[part] for part in rule)) for rule in found),
        _cells(applies, [*labels, order[-1]], rows, n_classes),
        _covered(applies, rows, n_classes),
    )


def _moved(condition: Condition, kept: list[int]) -> Condition:
    """The same of columns that have other numbers."""
    if isinstance(condition, Comparison):
        first, second = (kept.index(c) for c in condition.columns)
        return replace(condition, columns=(first, second))
    return replace(condition, column=kept.index(condition.column))


def _surest_first(covers: NDArray[np.bool_], rows: RuleRows, label: int) -> list[int]:
    """Rules in the order in which they are surest of the rows that those before leave."""
    right, left = rows.weights * (rows.targets == label), rows.weights.copy()
    order: list[int] = []
    while len(order) < len(covers):
        some = covers * left
        share = (some @ (right > 0) + 1) / (some.sum(axis=1) + 2)
        share[order] = -1
        order.append(int(share.argmax()))
        left[covers[order[-1]]] = 0
    return order


def _cells(applies: NDArray[np.bool_], labels: list[int], rows: RuleRows, n_classes: int) -> NDArray[np.float64]:
    """Shares of the classes where a rule is the first to apply, with one row of every class added.

    Where rows that a rule leaves to others are what speaks for it, it has the shares of all rules of its class.
    """
    first = RuleModel.first(applies.T)
    counts = np.zeros((len(labels), n_classes))
    np.add.at(counts, (first, rows.targets), rows.weights)
    together = np.array([counts[[said == label for said in labels]].sum(axis=0) for label in labels])
    for r, label in enumerate(labels):
        if counts[r].argmax() != label or counts[r].sum() == 0:
            counts[r] = together[r]
    shares = (counts + 1) / (counts + 1).sum(axis=1, keepdims=True)
    return np.array([_saying(share, label) for share, label in zip(shares, labels, strict=True)])


def _saying(shares: NDArray[np.float64], label: int) -> NDArray[np.float64]:
    """Shares of which that of a class is the largest."""
    others = np.delete(shares, label).max()
    if shares[label] > others:
        return shares
    raised = shares.copy()
    raised[label] = others + _CLEAR
    return raised / raised.sum()


def _covered(applies: NDArray[np.bool_], rows: RuleRows, n_classes: int) -> NDArray[np.float64]:
    """Rows of every class that a rule applies to, and those that none does."""
    every = np.concatenate([applies, ~applies.any(axis=0, keepdims=True)]).astype(np.float64)
    return every @ (np.eye(n_classes)[rows.targets] * rows.weights[:, None])
