"""What the two junta estimators share: from a table to the ranked subsets, the choice of k and the truth table."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Collection
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from paclearn._compat import ShowsItself, TakesTables, all_or_nothing, make_frame
from paclearn._parameters import check_between, check_choice, check_jobs, is_whole
from paclearn.certificates import Certificate, tightest
from paclearn.counting import Counts, engine_for
from paclearn.encoding import EncodingRules, learn_and_encode
from paclearn.exceptions import IncompleteSearchWarning, InputError, SearchTooLongError
from paclearn.learners.juntas.units import Units
from paclearn.models.truth_table import TruthTable, backoff_order
from paclearn.search import SEARCHES, Score, SearchResult, check_cells
from paclearn.tables.table import RowSubset, as_table
from paclearn.tables.weights import row_weights
from paclearn.views.truth_table_text import cells_to_show, to_html, to_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from paclearn.counting import BitTable, CodeTable, Engine
    from paclearn.tables.table import Table

__all__ = ["Candidate", "JuntaBase", "Target"]

_FOLDS = 5


@dataclass(frozen=True, eq=False)
class Target:
    """The target of the rows at hand, and how many times each row counts."""

    values: NDArray[Any]
    weights: NDArray[np.float64] | None

    def take(self, rows: NDArray[np.intp]) -> Target:
        return Target(self.values[rows], None if self.weights is None else self.weights[rows])


@dataclass(frozen=True, eq=False)
class Candidate:
    """The best junta of one size."""

    k: int
    search: SearchResult
    table: TruthTable
    members: tuple[int, ...]
    certificates: list[Certificate]
    promise: float  # the bound to choose k by: rows count as their weights say, which a certificate may not do


class JuntaBase(ShowsItself, TakesTables, BaseEstimator):
    """Search for the best k units and tabulate the target over their cells."""

    k: Any
    unit: str
    search: str
    choose_k: str
    n_best: int
    n_bins: int
    min_count: float
    max_levels: int
    holdout: float | None
    delta: float
    time_limit: float | None
    checkpoint: Any
    n_jobs: int | None
    random_state: Any

    # ---- what the classifier and the regressor say differently ----

    @abstractmethod
    def _read_target(self, y: Any, table: Table) -> NDArray[Any]: ...

    @abstractmethod
    def _check_target(self, target: Target) -> None: ...

    @abstractmethod
    def _counting_table(self, codes: Any, sizes: tuple[int, ...], target: Target) -> BitTable | CodeTable: ...

    @abstractmethod
    def _score(self, engine: Engine) -> Score: ...

    @abstractmethod
    def _truth_table(self, counts: Counts, order: tuple[int, ...], units: Units) -> TruthTable: ...

    @abstractmethod
    def _training_certificates(
        self, table: TruthTable, counts: Counts, n_units: int, delta: float, *, weighted: bool
    ) -> list[Certificate]: ...

    @abstractmethod
    def _heldout_certificate(self, predictions: NDArray[np.float64], target: Target, delta: float) -> Certificate: ...

    @abstractmethod
    def _loss(self, predictions: NDArray[np.float64], target: Target) -> float: ...

    # ---- fit ----

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        with all_or_nothing(self):
            self._fit_all(X, y, sample_weight)

    def _fit_all(self, X: Any, y: Any, sample_weight: Any) -> None:
        self._check_parameters()
        table = as_table(self, X, reset=True)
        weights = row_weights(sample_weight, table)
        target = Target(self._read_target(y, table), weights)
        if weights is not None and (weights == 0).any():
            kept = np.flatnonzero(weights)
            table, target = RowSubset(table, kept), target.take(kept)
        self._check_target(target)
        train, held = self._split(target)
        self.heldout_rows_ = held
        fitted = self._fit_rows(table, target, train)
        if held is not None:
            fitted = [self._with_heldout(c, table, target, held) for c in fitted]
        self._keep(self._choose(fitted, table, target, train))
        self.candidates_ = {c.k: c for c in fitted}

    def _fit_rows(self, table: Table, target: Target, rows: NDArray[np.intp] | None) -> list[Candidate]:
        """The best junta of every size asked for, from some of the rows (None is all of them)."""
        if rows is not None:
            table, target = RowSubset(table, rows), target.take(rows)
        rules = EncodingRules(self.n_bins, self.min_count, self.max_levels)
        domain, codes = learn_and_encode(table, rules, target.weights)
        self.domain_ = domain
        self.units_ = units = Units(domain, self.unit)
        sizes = self._sizes_to_try(len(units.names))
        counting = self._counting_table(units.codes(codes), units.sizes, target)
        for k in sizes:
            check_cells(units.sizes, k, counting.n_channels)
        del codes
        engine = engine_for(counting, self.n_jobs)
        score = self._score(engine)
        self.baseline_ = float(score(_no_members(engine))[0])
        return list(self._best_of_sizes(sizes, engine, score, units))

    def _best_of_sizes(self, sizes: list[int], engine: Engine, score: Score, units: Units) -> Iterator[Candidate]:
        """From small to large; sizes that would take longer than the time limit are left out, unless that is all."""
        self.skipped_ = {}
        for k in sizes:
            try:
                yield self._best_of_size(k, engine, score, units, len(sizes))
            except SearchTooLongError as error:
                if k == sizes[0]:
                    raise
                self.skipped_[k] = str(error)
                warnings.warn(f"k={k} is left out: {error}", IncompleteSearchWarning, stacklevel=6)

    def _best_of_size(self, k: int, engine: Engine, score: Score, units: Units, n_sizes: int) -> Candidate:
        file = None if self.checkpoint is None else f"{self.checkpoint}.k{k}"
        found = SEARCHES[self.search](engine, score, k, self.n_best, self.time_limit, file)
        if found.stopped:
            warnings.warn(str(found), IncompleteSearchWarning, stacklevel=5)
        counts = engine.counts(found.subsets[:1])
        table = self._truth_table(counts, backoff_order(counts, score), units)
        certificates, promises = (
            self._training_certificates(
                table, counts, len(units.names), self._share_of_delta(n_sizes), weighted=weighted
            )
            for weighted in (False, True)
        )
        members = tuple(int(m) for m in found.subsets[0])
        return Candidate(k, found, table, members, certificates, tightest(promises).bound)

    def _with_heldout(self, candidate: Candidate, table: Table, target: Target, held: NDArray[np.intp]) -> Candidate:
        rows = RowSubset(table, held)
        predictions = candidate.table.lookup(self.units_.encode(rows, candidate.members))
        delta = self._share_of_delta(len(self._sizes_to_try(len(self.units_.names))))
        extra = self._heldout_certificate(predictions, target.take(held), delta)
        promise = min(candidate.promise, extra.bound)
        return replace(candidate, certificates=[*candidate.certificates, extra], promise=promise)

    def _share_of_delta(self, n_sizes: int) -> float:
        """Each bound may fail with this probability, so that all of them together fail with at most delta."""
        return self.delta / (n_sizes * (1 if self.holdout is None else 2))

    def _split(self, target: Target) -> tuple[NDArray[np.intp] | None, NDArray[np.intp] | None]:
        if self.holdout is None:
            return None, None
        from sklearn.model_selection import train_test_split  # a third of a second that most fits can do without

        every = np.arange(len(target.values))
        strata = self._strata(target)
        try:
            train, held = train_test_split(
                every, test_size=self.holdout, random_state=self.random_state, stratify=strata
            )
        except ValueError as error:
            raise InputError(f"too few rows ({len(every)}) to keep a share of {self.holdout} aside: {error}") from error
        return np.sort(train), np.sort(held)

    def _strata(self, target: Target) -> NDArray[Any] | None:  # noqa: ARG002 - the classifier uses it
        return None

    def _choose(
        self, candidates: list[Candidate], table: Table, target: Target, rows: NDArray[np.intp] | None
    ) -> Candidate:
        if len(candidates) == 1:
            return candidates[0]
        if self.choose_k == "certificate":
            return min(candidates, key=lambda c: c.promise)
        losses = self._cross_validate(table, target, rows, len(candidates))
        return candidates[int(np.argmin(np.round(losses, 12)))]

    def _cross_validate(
        self, table: Table, target: Target, rows: NDArray[np.intp] | None, n_sizes: int
    ) -> NDArray[np.float64]:
        """Mean loss of every size over five folds; a fold is encoded afresh, so nothing leaks."""
        from sklearn.model_selection import KFold, StratifiedKFold

        rows = np.arange(len(target.values)) if rows is None else rows
        if len(rows) < 2 * _FOLDS:
            raise InputError(f"choose_k='cv' needs at least {2 * _FOLDS} rows; there are {len(rows)}")
        strata = self._strata(target)
        folds = (KFold if strata is None else StratifiedKFold)(_FOLDS, shuffle=True, random_state=self.random_state)
        kept, losses = (self.domain_, self.units_, self.baseline_, self.skipped_), []
        for train, test in folds.split(rows, None if strata is None else strata[rows]):
            candidates = self._fit_rows(table, target, rows[train])
            held = RowSubset(table, rows[test])
            answers = [c.table.lookup(self.units_.encode(held, c.members)) for c in candidates]
            found = [self._loss(a, target.take(rows[test])) for a in answers][:n_sizes]
            # a fold in which fewer columns vary has no junta of the larger sizes: its largest one stands in
            losses.append(found + found[-1:] * (n_sizes - len(found)))
        self.domain_, self.units_, self.baseline_, self.skipped_ = kept
        return np.mean(losses, axis=0)

    def _keep(self, best: Candidate) -> None:
        self.k_ = best.k
        self.truth_table_ = best.table
        self.members_ = best.members
        self.subset_ = best.table.members
        self.score_ = float(best.search.scores[0])
        self.search_ = best.search
        # whichever of the bounds is picked, it fails with probability delta at most: the shares add up to that
        self.certificates_ = [replace(certificate, delta=self.delta) for certificate in best.certificates]
        self.certificate_ = tightest(self.certificates_)

    # ---- parameters ----

    def _check_parameters(self) -> None:
        check_choice("unit", self.unit, ("column", "bit"))
        check_choice("search", self.search, tuple(SEARCHES))
        check_choice("choose_k", self.choose_k, ("certificate", "cv"))
        check_between("delta", self.delta, 0, 1)
        if self.holdout is not None:
            check_between("holdout", self.holdout, 0, 1)
        if self.time_limit is not None:
            check_between("time_limit", self.time_limit, 0, np.inf)
        check_jobs(self.n_jobs)
        check_random_state(self.random_state)
        if not is_whole(self.n_best) or self.n_best < 1:
            raise InputError(f"n_best={self.n_best!r} must be a whole number >= 1")
        self._sizes_asked()

    def _sizes_asked(self) -> list[int]:
        sizes = list(self.k) if isinstance(self.k, Collection) and not isinstance(self.k, str) else [self.k]
        if not sizes or not all(is_whole(k) and k >= 1 for k in sizes):
            raise InputError(f"k={self.k!r} must be a whole number >= 1 or a range of them, such as range(1, 4)")
        return sorted({int(k) for k in sizes})

    def _sizes_to_try(self, n_units: int) -> list[int]:
        """Sizes that exist; of a range, those that fit are tried, and a single k must fit."""
        sizes = self._sizes_asked()
        possible = [k for k in sizes if k <= n_units]
        if not possible:
            raise InputError(
                f"k={sizes[0]} is larger than the number of {self.unit}s that vary (n_features={n_units}); "
                f"choose k <= {n_units}"
            )
        return possible

    # ---- predict ----

    def _predictions(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        table = as_table(self, X, reset=False)
        return self.truth_table_.lookup(self.units_.encode(table, self.members_))

    # ---- what was found ----

    @property
    def table_(self) -> Any:
        """The truth table as a data frame, one row a cell."""
        return make_frame(self.truth_table_.rows())

    @property
    def subsets_(self) -> Any:
        """The best subsets as a data frame, ranked: members and score."""
        names = self.units_.names
        members = [tuple(names[i] for i in subset) for subset in self.search_.subsets]
        return make_frame({"members": members, "score": self.search_.scores.tolist()})

    def _heading(self) -> str:
        kind = "columns" if self.unit == "column" else "bits"
        chosen = ", ".join(self.subset_)
        return f"The best {self.k_} of {len(self.units_.names)} {kind}: {chosen} (score {self.score_:.4f})"

    def to_text(self, most: int = 32) -> str:
        """The model in words: what was chosen, its truth table, what was searched, and the certificate.

        Parameters
        ----------
        most : int, default=32
            Show at most this many cells of the table.

        Returns
        -------
        str
            Text for a terminal.
        """
        check_is_fitted(self)
        parts = [
            self._heading(),
            to_text(self.truth_table_, most),
            f"Searched: {self.search_}.",
            str(self.certificate_),
        ]
        return "\n\n".join(parts)

    def _in_notebook(self) -> str | None:
        if not hasattr(self, "truth_table_"):
            return None
        return to_html(self.truth_table_, self._heading()) + f"<p>{escape(str(self.certificate_))}</p>"

    def plot_table(self, ax: Any = None) -> Any:
        """Draw the truth table: what is predicted in every cell, and how many rows say so.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw.

        Returns
        -------
        CellsDisplay
            With ``ax_`` and ``figure_``.
        """
        from paclearn.inspection import CellsDisplay

        check_is_fitted(self)
        table = self.truth_table_
        cells = [table.cell(i) for i in cells_to_show(table, most=32)]
        names = [", ".join(map(str, cell.codes)) for cell in cells]
        heights = [cell.prediction if cell.probability is None else cell.probability for cell in cells]
        said = ["" if table.classes is None else str(cell.prediction) for cell in cells]
        what = "mean" if table.classes is None else "probability of the class that is predicted"
        return CellsDisplay(names, heights, said, [cell.rows for cell in cells], ", ".join(table.members), what).plot(
            ax
        )

    def plot_subsets(self, most: int = 20, ax: Any = None) -> Any:
        """Draw the scores of the best subsets.

        Parameters
        ----------
        most : int, default=20
            How many.
        ax : matplotlib Axes, default=None
            Where to draw.

        Returns
        -------
        BarDisplay
            With ``ax_`` and ``figure_``.
        """
        from paclearn.inspection import BarDisplay

        check_is_fitted(self)
        names = [", ".join(self.units_.names[i] for i in subset) for subset in self.search_.subsets[:most]]
        return BarDisplay(names, self.search_.scores[:most].tolist(), "score").plot(ax)


def _no_members(engine: Engine) -> Counts:
    """The table of the empty subset: one cell with all the rows."""
    every = engine.counts([[0]])
    nothing = np.empty((1, 0))
    return Counts(nothing.astype(np.int32), nothing.astype(np.int64), every.values.sum(axis=1, keepdims=True))
