"""What the two junta estimators share: from a table to the ranked subsets, the choice of k and the truth table."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Collection
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from paclearn._compat import make_frame
from paclearn._parameters import Between, Cores, Nothing, OneOf, Rule, Such, Whole, is_whole
from paclearn.certificates import Certificate, tightest
from paclearn.counting import Counts, engine_for
from paclearn.encoding import EncodingRules, learn_and_encode
from paclearn.encoding.folds import folds_of_groups
from paclearn.exceptions import IncompleteSearchWarning, InputError, SearchTooLongError
from paclearn.learners.copied_rows import uncopied
from paclearn.learners.fitting import HELD_OUT, Learner
from paclearn.learners.juntas.units import Units
from paclearn.models.table_model import TableModel
from paclearn.models.truth_table import TruthTable, backoff_order
from paclearn.search import Score, SearchResult, beam, exhaustive, greedy, swaps
from paclearn.search.limits import check_cells
from paclearn.tables.remote import refuse_elsewhere
from paclearn.views.truth_table_text import cells_to_show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from paclearn.counting import BitTable, CodeTable, Engine
    from paclearn.counting.remote_engine import RemoteRows
    from paclearn.learners.fitting import Rows
    from paclearn.models.model import About

__all__ = ["JUNTA_PARAMETERS", "Candidate", "JuntaBase"]

_FOLDS = 5


@dataclass(frozen=True, eq=False)
class Candidate:
    """The best junta of one size.

    Parameters
    ----------
    k : int
        Its size.
    search : SearchResult
        What was searched.
    table : TruthTable
        What was counted and what is predicted.
    members : tuple of int
        Its units.
    certificates : list of Certificate
        What can be promised.
    promise : float
        The bound to choose k by: rows count as their weights say, which a certificate may not do.
    """

    k: int
    search: SearchResult
    table: TruthTable
    members: tuple[int, ...]
    certificates: list[Certificate]
    promise: float

    def promising(self, more: Certificate) -> Candidate:
        """The same with one bound more."""
        return replace(self, certificates=[*self.certificates, more], promise=min(self.promise, more.bound))


@dataclass(frozen=True, eq=False)
class Juntas:
    """The best junta of every size that was tried on some rows."""

    units: Units
    baseline: float
    candidates: list[Candidate]
    skipped: dict[int, str]


_SEARCHES = {"exhaustive": exhaustive, "greedy": greedy, "beam": beam, "swaps": swaps}

JUNTA_PARAMETERS: dict[str, Rule] = {
    "k": Such(lambda k: bool(sizes_asked(k)), "a whole number >= 1 or a range of them, such as range(1, 4)"),
    "unit": OneOf("column", "bit"),
    "search": OneOf(*_SEARCHES),
    "choose_k": OneOf("certificate", "cv"),
    "n_best": Whole(1),
    "time_limit": Between(0, np.inf) | Nothing(),
    "n_jobs": Cores(),
    **HELD_OUT,
}


@dataclass(eq=False, repr=False)
class JuntaBase(Learner):
    """Search for the best k units and tabulate the target over their cells."""

    _parameters: ClassVar[dict[str, Rule]] = JUNTA_PARAMETERS

    model_: TableModel = field(init=False)

    k: int | Iterable[int] = 2
    _: KW_ONLY
    unit: str = "column"
    search: str = "exhaustive"
    choose_k: str = "certificate"
    n_best: int = 100
    n_bins: int = 4
    min_count: float = 5
    max_levels: int = 16
    holdout: float | str | None = None
    delta: float = 0.05
    time_limit: float | None = None
    checkpoint: Any = None
    n_jobs: int | None = None
    random_state: Any = None

    # ---- what the classifier and the regressor say differently ----

    @abstractmethod
    def _counting_table(self, codes: Any, sizes: tuple[int, ...], rows: Rows) -> BitTable | CodeTable | RemoteRows: ...

    @abstractmethod
    def _score(self, engine: Engine) -> Score: ...

    @abstractmethod
    def _truth_table(self, counts: Counts, order: tuple[int, ...], units: Units) -> TruthTable: ...

    @abstractmethod
    def _training_error(self, table: TruthTable, counts: Counts, *, weighted: bool) -> tuple[float, int]:
        """Mean loss on the rows of the fit, and how many they are, or what they weigh."""

    @abstractmethod
    def _training_certificates(
        self, error: float, n: int, table: TruthTable, n_units: int, delta: float
    ) -> list[Certificate]: ...

    @abstractmethod
    def _heldout_certificate(self, predictions: NDArray[np.float64], rows: Rows, delta: float) -> Certificate: ...

    @abstractmethod
    def _losses(self, predictions: NDArray[np.float64], rows: Rows) -> NDArray[Any]:
        """Of every row."""

    @abstractmethod
    def _about_target(self) -> About: ...

    def _strata(self, rows: Rows) -> NDArray[Any] | None:  # noqa: ARG002 - the classifier uses it
        return None

    # ---- fit ----

    def _refuse_single_rows(self) -> None:
        """What cannot be done with rows that lie on a cluster."""
        refuse_elsewhere("holdout", self.holdout is not None)
        refuse_elsewhere("choose_k='cv'", self.choose_k == "cv")

    def _fit_rows(self, train: Rows, held: Rows | None, rng: np.random.RandomState) -> None:  # noqa: ARG002
        """Rows held out judge the juntas of all sizes, so that they may help to choose one."""
        train = uncopied(train.read_once() if self.choose_k == "cv" else train)
        found = self._best_juntas(train)
        if held is not None:
            delta = self._share_of_exam / len(found.candidates)
            judged = [self._with_heldout(c, found.units, held, delta) for c in found.candidates]
            found = replace(found, candidates=judged)
        best = self._choose(found.candidates, train)
        self._keep(best, found)
        self._keep_certified(self._model(best, found.units), best.certificates, train)

    def _best_juntas(self, rows: Rows) -> Juntas:
        """The best junta of every size asked for."""
        rules = EncodingRules(self.n_bins, self.min_count, self.max_levels)
        domain, codes = learn_and_encode(rows.table, rules, rows.weights)
        units = Units(domain, self.unit)
        sizes = self._sizes_to_try(len(units.names))
        counting = self._counting_table(units.codes(codes), units.sizes, rows)
        for k in sizes:
            check_cells(units.sizes, k, counting.n_channels)
        del codes
        engine = engine_for(counting, self.n_jobs)
        score = self._score(engine)
        skipped: dict[int, str] = {}
        candidates = list(self._best_of_sizes(sizes, engine, score, units, rows, skipped))
        return Juntas(units, float(score(_no_members(engine))[0]), candidates, skipped)

    def _best_of_sizes(
        self, sizes: list[int], engine: Engine, score: Score, units: Units, rows: Rows, skipped: dict[int, str]
    ) -> Iterator[Candidate]:
        """From small to large; sizes that would take longer than the time limit are left out, unless that is all."""
        for k in sizes:
            try:
                yield self._best_of_size(k, engine, score, units, rows, len(sizes))
            except SearchTooLongError as error:
                if k == sizes[0]:
                    raise
                skipped[k] = str(error)
                warnings.warn(f"k={k} is left out: {error}", IncompleteSearchWarning, stacklevel=6)

    def _best_of_size(self, k: int, engine: Engine, score: Score, units: Units, rows: Rows, n_sizes: int) -> Candidate:
        file = None if self.checkpoint is None else f"{self.checkpoint}.k{k}"
        found = _SEARCHES[self.search](engine, score, k, self.n_best, self.time_limit, file)
        if found.stopped:
            warnings.warn(str(found), IncompleteSearchWarning, stacklevel=5)
        counts = engine.counts(found.subsets[:1])
        table = self._truth_table(counts, backoff_order(counts, score), units)
        members = tuple(int(m) for m in found.subsets[0])
        errors = (
            [self._training_error(table, counts, weighted=weighted) for weighted in (False, True)]
            if rows.groups is None
            else [self._error_in_groups(table, members, units, rows)] * 2
        )
        certificates, promises = (
            self._training_certificates(error, n, table, len(units.names), self._share(n_sizes)) for error, n in errors
        )
        return Candidate(k, found, table, members, certificates, tightest(promises).bound)

    def _error_in_groups(
        self, table: TruthTable, members: tuple[int, ...], units: Units, rows: Rows
    ) -> tuple[float, int]:
        """Mean over groups, and how many: cells do not know which group their rows are of, so rows are looked up."""
        predictions = table.lookup(units.encode(rows.table, members))
        return rows.mean(self._losses(predictions, rows)), rows.n_independent

    def _with_heldout(self, candidate: Candidate, units: Units, held: Rows, delta: float) -> Candidate:
        predictions = candidate.table.lookup(units.encode(held.table, candidate.members))
        return candidate.promising(self._heldout_certificate(predictions, held, delta))

    def _share(self, n_sizes: int) -> float:
        """Each bound may fail with this probability, so that all of them together fail with at most delta."""
        return self._share_of_delta / n_sizes

    def _choose(self, candidates: list[Candidate], rows: Rows) -> Candidate:
        if len(candidates) == 1:
            return candidates[0]
        if self.choose_k == "certificate":
            return min(candidates, key=lambda c: c.promise)
        losses = self._cross_validate(rows, len(candidates))
        return candidates[int(np.argmin(np.round(losses, 12)))]

    def _cross_validate(self, rows: Rows, n_sizes: int) -> NDArray[np.float64]:
        """Mean loss of every size over five folds; a fold is encoded afresh, so nothing leaks."""
        if rows.n < 2 * _FOLDS:
            raise InputError(f"choose_k='cv' needs at least {2 * _FOLDS} rows; there are {rows.n}")
        losses = []
        for train, test in self._folds(rows):
            found, held = self._best_juntas(rows.take(train)), rows.take(test)
            answers = (c.table.lookup(found.units.encode(held.table, c.members)) for c in found.candidates)
            lost = [float(np.average(self._losses(answer, held), weights=held.weights)) for answer in answers][:n_sizes]
            # a fold in which fewer columns vary has no junta of the larger sizes: its largest one stands in
            losses.append(lost + lost[-1:] * (n_sizes - len(lost)))
        return np.mean(losses, axis=0)

    def _folds(self, rows: Rows) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Five times rows to learn from and rows to judge by, which share the classes; groups stay whole."""
        from sklearn.model_selection import KFold, StratifiedKFold  # a third of a second that most fits can do without

        strata = self._strata(rows)
        if rows.groups is not None and rows.n_independent > 1:
            generator = np.random.default_rng(check_random_state(self.random_state).randint(0, 2**31 - 1))
            known = np.zeros(rows.n, dtype=np.intp) if strata is None else strata
            fold = folds_of_groups(rows.groups, known, _FOLDS, generator)
            return ((np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(int(fold.max()) + 1))
        folds = (KFold if strata is None else StratifiedKFold)(_FOLDS, shuffle=True, random_state=self.random_state)
        return folds.split(np.arange(rows.n), strata)

    def _keep(self, best: Candidate, found: Juntas) -> None:
        self.domain_, self.units_ = found.units.domain, found.units
        self.baseline_, self.skipped_ = found.baseline, found.skipped
        self.candidates_ = {c.k: c for c in found.candidates}
        self.k_ = best.k
        self.truth_table_ = best.table
        self.members_ = best.members
        self.subset_ = best.table.members
        self.score_ = float(best.search.scores[0])
        self.search_ = best.search

    def _model(self, best: Candidate, units: Units) -> TableModel:
        columns, members = units.members(best.members)
        return TableModel(self._about_target(), columns, members, best.table.predictions, best.table)

    # ---- parameters ----

    def _sizes_to_try(self, n_units: int) -> list[int]:
        """Sizes that exist; of a range, those that fit are tried, and a single k must fit."""
        sizes = sizes_asked(self.k)
        possible = [k for k in sizes if k <= n_units]
        if not possible:
            raise InputError(
                f"k={sizes[0]} is larger than the number of {self.unit}s that vary (n_features={n_units}); "
                f"choose k <= {n_units}"
            )
        return possible

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
        return super().to_text(most)

    def _heading(self) -> list[str]:
        kind = "columns" if self.unit == "column" else "bits"
        chosen = ", ".join(self.subset_)
        return [f"The best {self.k_} of {len(self.units_.names)} {kind}: {chosen} (score {self.score_:.4f})"]

    def _notes(self) -> list[str]:
        return [f"Searched: {self.search_}."]

    def plot_table(self, ax: Any = None) -> Any:
        """Draw the truth table: what is predicted in every cell, and how many rows say so, as a `CellsDisplay`.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw.
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
        """Draw the scores of the best subsets, as a `BarDisplay`.

        Parameters
        ----------
        most : int, default=20
            How many.
        ax : matplotlib Axes, default=None
            Where to draw.
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


def sizes_asked(k: Any) -> list[int]:
    """The sizes that ``k`` asks for; none where it makes no sense."""
    sizes = list(k) if isinstance(k, Collection) and not isinstance(k, str) else [k]
    return sorted({int(size) for size in sizes}) if all(is_whole(size) and size >= 1 for size in sizes) else []
