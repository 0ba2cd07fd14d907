"""How much must a column say that is new? The threshold of redundancy that serves rows left out best."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from paclearn.learners.selection.ranking import in_order, own_scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from paclearn.learners.selection.ranking import Wanted
    from paclearn.learners.selection.selection_units import UnitRows

__all__ = ["chosen_threshold", "filled_up", "new_units"]

_THRESHOLDS = (0.0, 0.2, 0.4, 0.6, 0.8)  # from leaving nothing out to asking for three fifths of new variance
_MOST_ROWS = 2000  # more would not change the choice
_FOLDS = 5
_MOST_TIMES = 5
_MOST_UNITS = 4000  # to be scored again and again
_NEIGHBOURS = 10
_FEWEST_ROWS = 50


def chosen_threshold(rows: UnitRows, asked: Wanted, rng: np.random.RandomState) -> float:
    """The threshold under which neighbours predict rows left out best; of equally good ones the least.

    Neighbours among the rows of the fit, in the columns that come first by themselves and are new under the threshold:
    they see interactions and need no settings. 0 where there is nothing to choose, or too little to choose by. The
    fewer rows there are, the more often they are divided.
    """
    n = len(rows.target.values)
    if len(rows.names) <= asked.n_features or n < _FEWEST_ROWS:
        return 0.0
    rows = rows.take(np.sort(rng.permutation(n)[:_MOST_ROWS]))
    blocks = rows.blocks()
    found = np.array([_scores(rows, blocks, asked, train, test) for train, test in _folds(rows, rng)])
    return _THRESHOLDS[int(np.round(found.mean(axis=0), 9).argmax())]


def _folds(rows: UnitRows, rng: np.random.RandomState) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    target = rows.target
    few = target.classes is None or np.bincount(target.values).min() < _FOLDS
    kind = RepeatedKFold if few else RepeatedStratifiedKFold
    times = int(np.clip(min(_MOST_ROWS // len(target.values), _MOST_UNITS // len(rows.names)), 1, _MOST_TIMES))
    folds = kind(n_splits=_FOLDS, n_repeats=times, random_state=rng)
    return folds.split(target.values, target.values)


def _scores(
    rows: UnitRows,
    blocks: Sequence[NDArray[np.float64]],
    asked: Wanted,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
) -> list[float]:
    """How well neighbours predict some rows, for every threshold."""
    order = in_order(own_scores(rows.take(train), asked))
    y = rows.target.values
    judge = KNeighborsRegressor if rows.target.classes is None else KNeighborsClassifier
    known: dict[tuple[int, ...], float] = {}  # thresholds that leave out the same columns need one look
    found = []
    for threshold in _THRESHOLDS:
        new = new_units((blocks[u][:, train] for u in order), len(train), threshold, asked.n_features)
        units = tuple(order[i] for i in filled_up(new, len(order), asked.n_features))
        if units not in known:
            X = np.concatenate([blocks[u] for u in units]).T
            model = judge(min(_NEIGHBOURS, len(train))).fit(X[train], y[train])
            known[units] = float(model.score(X[test], y[test]))
        found.append(known[units])
    return found


def filled_up(first: list[int], n: int, wanted: int) -> list[int]:
    """Some of n numbers, and as many of the others, in order, as are wanted besides."""
    others = (i for i in range(n) if i not in set(first))
    return first + list(islice(others, max(wanted - len(first), 0)))


def new_units(
    blocks: Iterable[NDArray[np.float64]], n_rows: int, threshold: float, most: int | None = None
) -> list[int]:
    """The units, or the first so many, of which those before leave more than the threshold: FOURIER-ORTH at depth one.

    Of some function of the unit, as a standard deviation, judged by the rows that the functions before leave free.
    """
    basis, kept = np.full((1, n_rows), 1 / np.sqrt(n_rows)), list[int]()
    for unit, functions in enumerate(blocks):
        if len(kept) == most:
            break
        if threshold == 0:
            kept.append(unit)
            continue
        left = functions - (functions @ basis.T) @ basis
        free = np.sqrt(max(n_rows - len(basis), 0) / n_rows)
        if (np.sqrt((left**2).mean(axis=1)) > threshold * free).any() and free > 0:
            kept.append(unit)
            basis = np.concatenate([basis, _orthonormal(left, threshold)])
    return kept


def _orthonormal(functions: NDArray[np.float64], threshold: float) -> NDArray[np.float64]:
    """A basis of what some functions span, without directions in which they hardly vary."""
    _, sizes, directions = np.linalg.svd(functions, full_matrices=False)
    return directions[sizes > threshold * np.sqrt(functions.shape[1])]
