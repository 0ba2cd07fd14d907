"""Splits found by a weak regressor: where its predictions are best cut in two (Kalai, 2005, Lemma 7)."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from paclearn.exceptions import InputError, InputTypeError, PaclearnError
from paclearn.models.weak_graph import WeakQuestion

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from paclearn.models.weak_graph import Regressor

__all__ = ["WeakBranching", "WeakLeaf", "in_clear_words"]


@dataclass(eq=False)
class WeakLeaf:
    """The rows of a leaf, their weight and the sum of their weighted targets; and the best split, once looked for."""

    rows: NDArray[np.intp]
    weight: float
    total: float
    gain: float = 0.0
    question: WeakQuestion | None = None


@dataclass(frozen=True, eq=False)
class WeakBranching:
    """Splits leaves where the predictions of a regressor, fitted to the leaf, are best cut in two."""

    estimator: Any
    X: Any
    scaled: NDArray[np.float64]
    weights: NDArray[np.float64]
    least_weight: float
    rng: np.random.RandomState
    n_repeats: int = 1

    @cached_property
    def _weighted(self) -> bool:
        """Whether weights say something, and the regressor listens."""
        return has_fit_parameter(self.estimator, "sample_weight") and not bool((self.weights == 1).all())

    def root(self) -> WeakLeaf:
        """All rows."""
        return self._leaf(np.arange(len(self.scaled)))

    def _leaf(self, rows: NDArray[np.intp]) -> WeakLeaf:
        weights = self.weights[rows]
        return WeakLeaf(rows, float(weights.sum()), float(weights @ self.scaled[rows]))

    def look(self, leaf: WeakLeaf) -> None:
        """Fit the regressor to the leaf and cut its predictions."""
        if leaf.weight < 2 * self.least_weight or np.ptp(self.scaled[leaf.rows]) == 0:
            return
        model, correlation = self._fitted(leaf.rows) if self.n_repeats == 1 else self._best_of_repeats(leaf.rows)
        if model is None:
            return
        said = self._said(model, leaf.rows)
        leaf.gain, threshold = self._best_cut(said, leaf)
        reached = self._correlation(said, leaf.rows) if correlation is None else correlation
        leaf.question = WeakQuestion(model, threshold, reached)

    # ---- one fit, or the best of several ----

    def _fitted(self, rows: NDArray[np.intp]) -> tuple[Regressor, None]:
        model = clone(self.estimator)
        seeded = {name: int(self.rng.randint(2**31 - 1)) for name in model.get_params() if name == "random_state"}
        model.set_params(**seeded)
        weights = {"sample_weight": self.weights[rows]} if self._weighted else {}
        with _in_words_of(model):
            return model.fit(_safe_indexing(self.X, rows), self.scaled[rows], **weights), None

    def _best_of_repeats(self, rows: NDArray[np.intp]) -> tuple[Regressor | None, float]:
        """The fit to half of the rows that correlates most with the targets of the other half; none where none does.

        A weak correlator may fail one time in four; the best of several as measured by fresh rows hardly ever does
        (Kalai, 2005, after Lemma 8).
        """
        best: tuple[Regressor | None, float] = (None, 0.0)
        for _ in range(self.n_repeats):
            drawn = self.rng.permutation(rows)
            mine, fresh = np.sort(drawn[: len(rows) // 2]), np.sort(drawn[len(rows) // 2 :])
            model, _ = self._fitted(mine)
            reached = self._correlation(self._said(model, fresh), fresh)
            best = (model, reached) if reached > best[1] else best
        return best

    def _said(self, model: Regressor, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        with _in_words_of(model):
            return np.asarray(model.predict(_safe_indexing(self.X, rows)), dtype=np.float64)

    def _correlation(self, said: NDArray[np.float64], rows: NDArray[np.intp]) -> float:
        """Of predictions with the targets; nought where either is the same for all rows."""
        shares = self.weights[rows] / self.weights[rows].sum()
        off, apart = said - shares @ said, self.scaled[rows] - shares @ self.scaled[rows]
        variances = float(shares @ off**2) * float(shares @ apart**2)
        return float(shares @ (off * apart)) / np.sqrt(variances) if variances > 0 else 0.0

    # ---- the cut ----

    def _best_cut(self, said: NDArray[np.float64], leaf: WeakLeaf) -> tuple[float, float]:
        """The threshold that lowers the squared error most, and by how much."""
        order = np.argsort(said, kind="stable")
        sorted_said, weights = said[order], self.weights[leaf.rows][order]
        low, sums = np.cumsum(weights), np.cumsum(weights * self.scaled[leaf.rows][order])
        rest = leaf.weight - low
        differ = np.append(_clearly_apart(sorted_said), False)
        allowed = differ & (low >= self.least_weight) & (rest >= self.least_weight)
        if not allowed.any():
            return 0.0, float("inf")
        apart = sums * leaf.weight - leaf.total * low
        gains = np.where(allowed, apart**2 / np.where(allowed, low * rest * leaf.weight, 1.0), -1.0)
        place = int(gains.argmax())
        return float(gains[place]), float((sorted_said[place] + sorted_said[place + 1]) / 2)

    def children(self, leaf: WeakLeaf) -> tuple[WeakLeaf, WeakLeaf]:
        """The two sides of the threshold."""
        assert leaf.question is not None  # noqa: S101 - only leaves with a split are split
        low = leaf.question.goes_low(_safe_indexing(self.X, leaf.rows))
        return self._leaf(leaf.rows[low]), self._leaf(leaf.rows[~low])

    def joined(self, leaves: list[WeakLeaf]) -> WeakLeaf:
        """One leaf with the rows of all, in their order."""
        return self._leaf(np.sort(np.concatenate([leaf.rows for leaf in leaves])))


def _clearly_apart(sorted_said: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether neighbours differ by more than rounding: a threshold between them must tell them apart tomorrow as
    well.
    """
    size = np.maximum(np.abs(sorted_said[1:]), np.abs(sorted_said[:-1]))
    return np.diff(sorted_said) > 1e-9 * np.maximum(size, 1e-9)


@contextmanager
def in_clear_words(what: str, *kinds: type[Exception]) -> Iterator[None]:
    """Regressors are anybody's and know nothing of words and dates unless they are ours: their errors are told in a
    line that begins with what was tried.
    """
    try:
        yield
    except PaclearnError:
        raise
    except kinds as error:
        said = str(error).splitlines() or [type(error).__name__]
        kind = InputTypeError if isinstance(error, TypeError) else InputError
        raise kind(f"{what}: {said[0]}; turn words and dates into numbers first (BooleanEncoder)") from error


def _in_words_of(model: Regressor) -> AbstractContextManager[None]:
    what = f"the weak regressor {type(model).__name__} cannot learn from these rows"
    return in_clear_words(what, ValueError, TypeError, OverflowError, NotImplementedError)  # the last is Arrow's
