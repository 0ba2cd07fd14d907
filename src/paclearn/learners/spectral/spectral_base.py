"""What the classifier and the regressor share: from a table to a few named terms and their weights."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from html import escape
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import gammaln
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from paclearn._compat import ShowsItself, TakesTables, all_or_nothing, make_frame
from paclearn._parameters import check_between, check_choice, is_whole
from paclearn._text import aligned, html_table
from paclearn.encoding import EncodingRules, learn_and_encode
from paclearn.encoding.distinct import distinct_signs
from paclearn.encoding.folds import splits
from paclearn.exceptions import InputError
from paclearn.learners.spectral.forward import Bench, Stage, grow_at_once
from paclearn.learners.spectral.model_choice import (
    SINGLES,
    STEPS,
    Choice,
    Family,
    Trial,
    average_if_better,
    choose,
    refit,
)
from paclearn.learners.spectral.smooth import roots_of
from paclearn.learners.spectral.term_matrix import products_of, scores_of
from paclearn.learners.thesis.spectrum_learner import fitted_measure, measure_from
from paclearn.models.terms import model_bits, name_of, signs_of
from paclearn.tables.table import RowSubset, as_table
from paclearn.tables.weights import row_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.encoding.folds import Splits
    from paclearn.learners.spectral.losses import Loss
    from paclearn.tables.table import Table

__all__ = ["Rows", "SpectralBase", "price_of_integers"]

_MOST_BITS = 3000  # with more columns, numbers are cut more coarsely
_FEWEST_BINS = 8
_CHEAP_TRIPLES, _FEW_BITS = 6e8, 150
_SHOWN_IN_NOTEBOOK = 20
_DEGREES = 3
_ENOUGH_ROWS = 50_000  # to choose terms by
_FEW_ROWS = 2000
_ENOUGH_TO_PART = 100  # different rows
_SLACK = 0.5
_MANY_TERMS, _MANY_PENALTY = 4000, 1e-3  # beyond, no choice among sizes and penalties


class SpectralBase(ShowsItself, TakesTables, BaseEstimator):
    """A linear model over levels, thresholds and XORs of them; see `SpectralClassifier` for the parameters."""

    _SCALES: tuple[float, ...] = (0.5,)  # by how much interactions may be held back
    _SHORT: tuple[int, ...] = ()  # sizes of short models to try beside the rich ones
    _MAY_AVERAGE = False  # whether to try the mean of several models, where rows are few enough for several folds
    _MAY_BE_SMOOTH = False  # whether to try weights that go together where thresholds are near

    def __init__(
        self,
        degree: int | str = "auto",
        n_terms: int | str = "auto",
        *,
        max_terms: int | None = None,
        measure: Any = "product",
        basis: str = "parity",
        selection: str = "residual",
        n_bins: int = 32,
        min_count: float = 2,
        max_levels: int = 500,
        holdout: float | None = None,
        delta: float = 0.05,
        random_state: Any = None,
    ) -> None:
        self.degree = degree
        self.n_terms = n_terms
        self.max_terms = max_terms
        self.measure = measure
        self.basis = basis
        self.selection = selection
        self.n_bins = n_bins
        self.min_count = min_count
        self.max_levels = max_levels
        self.holdout = holdout
        self.delta = delta
        self.random_state = random_state

    # ---- what differs ----

    @abstractmethod
    def _read_target(self, y: Any, n_rows: int) -> NDArray[np.float64]:
        """One number a row: a class, or the target itself."""

    @abstractmethod
    def _prepare(self, targets: NDArray[np.float64], counts: NDArray[np.float64]) -> tuple[Loss, NDArray[np.float64]]:
        """The loss, and targets as it wants them, one column an output."""

    @abstractmethod
    def _groups(self, targets: NDArray[np.float64]) -> NDArray[np.intp]:
        """Groups that folds should share evenly."""

    @abstractmethod
    def _settle(self, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        """The targets of the rows that count, once the others are gone."""

    @abstractmethod
    def _certify(self, train: Rows, held: Rows | None) -> None:
        """Set the certificates."""

    # ---- fitting ----

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        self._check_parameters()
        with all_or_nothing(self), threadpool_limits(limits=1, user_api="blas"):  # the same bytes on any machine
            table = as_table(self, X, reset=True)
            weights = row_weights(sample_weight, table)
            targets = self._read_target(y, table.n_rows).copy()  # y is the caller's
            rng = check_random_state(self.random_state)
            rows = np.arange(table.n_rows) if weights is None else np.flatnonzero(weights)
            targets[rows] = self._settle(targets[rows])
            kept, out = self._held_out(rows, rng)
            train, held = Rows.of(table, targets, weights, kept), Rows.of(table, targets, weights, out)
            self._learn(train, rng)
            self._certify(train, held if len(out) else None)

    def _held_out(
        self, rows: NDArray[np.intp], rng: np.random.RandomState
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows to learn from, and rows to bound the error with."""
        if self.holdout is None:
            return rows, rows[:0]
        order = rng.permutation(rows)
        cut = max(1, round(self.holdout * len(rows)))
        if cut == len(rows):
            raise InputError(f"holdout={self.holdout} leaves no rows to learn from")
        return np.sort(order[cut:]), np.sort(order[:cut])

    def _learn(self, train: Rows, rng: np.random.RandomState) -> None:
        bins = int(np.clip(_MOST_BITS // max(len(train.table.names), 1), min(_FEWEST_BINS, self.n_bins), self.n_bins))
        rules = EncodingRules(bins, self.min_count, self.max_levels)
        self.domain_, codes = learn_and_encode(train.table, rules, train.weights)
        self._bits = model_bits(self.domain_)
        signs = signs_of(self.domain_, self._bits, codes)
        signs, targets, counts = distinct_signs(signs, train.targets, train.counts)
        loss, scaled = self._prepare(targets, counts)
        columns = np.array([bit.column for bit in self._bits], dtype=np.intp)
        basis, values = self._functions(signs, counts, rng)
        by_residual = self.selection == "residual"
        roots = roots_of(self.domain_, self._bits) if self._MAY_BE_SMOOTH and self.basis == "parity" else ()
        bench = Bench(signs, basis, values, columns, scaled, counts, loss, by_residual=by_residual, roots=roots)
        self._keep(self._best_stage(bench, self._groups(targets), rng))

    def _best_stage(self, bench: Bench, groups: NDArray[np.intp], rng: np.random.RandomState) -> Stage:
        """The model that predicts rows left out best, fitted to all."""
        if self.n_terms != "auto" and self.max_terms is None and int(self.n_terms) > _MANY_TERMS:
            return self._many_terms(bench, rng)
        some = np.arange(len(groups))
        if len(some) > _ENOUGH_ROWS:
            some = np.sort(rng.permutation(some)[:_ENOUGH_ROWS])
        few = bench if len(some) == len(groups) else bench.rows(some)
        judged = splits(few.signs, groups[some], few.counts, rng)
        self._choice = self._chosen(few, judged)
        best = self._choice.best
        stage = refit(few, best)
        if few is not bench:  # the terms are chosen; their weights take all rows
            problem = best.family.of(bench).problem(stage.terms)
            stage = Stage(stage.terms, problem, problem.solve(best.penalty, stage.fit))
        return stage

    def _many_terms(self, bench: Bench, rng: np.random.RandomState) -> Stage:
        degree = 2 if self.degree == "auto" else int(self.degree)
        size = int(self.n_terms)
        family = Family("rich", degree, (size,))
        self._choice = Choice(Trial(family, size, _MANY_PENALTY, _MANY_PENALTY), {})
        return grow_at_once(family.of(bench), _MANY_PENALTY, size, rng)

    def _functions(
        self, signs: NDArray[np.int8], counts: NDArray[np.float64], rng: np.random.RandomState
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The functions of single bits that rank interactions, and those that terms are made of."""
        if self.measure == "product" and self.basis == "parity":
            share = counts / counts.sum()
            mean = share @ signs
            spread = np.sqrt(np.maximum(1 - mean**2, 1e-12))
            self.measure_: Any = None
            return ((signs - mean) / spread).astype(np.float32), signs.astype(np.float32)
        self.measure_ = fitted_measure(self.measure, signs, counts, rng)
        basis = self.measure_.basis(signs).astype(np.float32)
        return basis, signs.astype(np.float32) if self.basis == "parity" else basis

    def _chosen(self, bench: Bench, judged: Splits) -> Choice:
        """The best of what there is to try; of equally good ones, unless the size is limited anyway, the smallest."""
        degrees = self._degrees(bench)
        if self.max_terms is None:
            choice = choose(bench, judged, self._unlimited(degrees, len(bench.signs)), _SLACK)
            may_help = (
                self._MAY_AVERAGE and choice.best.size > 0 and len(judged) > 1 and len(bench.signs) >= _ENOUGH_TO_PART
            )
            return average_if_better(bench, judged, choice, _SLACK) if may_help else choice
        sizes = tuple(range(1, self.max_terms + 1))
        families = [Family("sparse", degree, sizes, cut_back=True) for degree in degrees]
        if bench.counts.sum() <= _FEW_ROWS:  # where greed would learn much noise
            teacher = choose(bench, judged, self._rich(degrees, len(bench.signs)), _SLACK).best
            degree = teacher.family.degree
            families.append(Family("sparse", degree, sizes[-1:], cut_back=True, teacher=teacher))
        return choose(bench, judged, families, 0.0)

    def _degrees(self, bench: Bench) -> list[int]:
        if self.degree != "auto":
            return [int(self.degree)]
        (n, d), outputs = bench.signs.shape, bench.targets.shape[1]
        return [2, 3] if d <= _FEW_BITS and n * outputs * d**3 / 6 < _CHEAP_TRIPLES else [2]

    def _unlimited(self, degrees: list[int], n: int) -> list[Family]:
        short = self._SHORT if self.n_terms == "auto" else ()
        return self._rich(degrees, n) + [Family("sparse", k, short) for k in degrees if short]

    def _rich(self, degrees: list[int], n: int) -> list[Family]:
        steps = tuple(k for k in STEPS if k <= n) if self.n_terms == "auto" else (int(self.n_terms),)
        return [Family("rich", k, steps, scale) for k in degrees if k > 1 for scale in self._SCALES] or [SINGLES]

    def _keep(self, stage: Stage) -> None:
        self._terms = stage.terms
        self._weights = stage.problem.matrix.to_terms(stage.fit.weights)
        self._errors = stage.problem.standard_errors(stage.fit, self._choice.best.penalty)
        self.intercept_ = stage.fit.intercept
        self.n_terms_ = len(stage.terms)
        self.degree_ = max(map(len, stage.terms), default=0)
        self.terms_ = make_frame(self._term_columns())

    def _term_columns(self) -> dict[str, list[Any]]:
        """One row a term, the largest weight first. An XOR of two is true where their signs differ."""
        turn = np.array([1.0 if len(t) % 2 else -1.0 for t in self._terms])[:, None]
        weights = self._weights * turn
        order = _weightiest(weights)
        names = [name_of(self._terms[i], self._bits) for i in order]
        columns: dict[str, list[Any]] = {"term": names, "degree": [len(self._terms[i]) for i in order]}
        for k, label in enumerate(self._output_labels()):
            columns[f"weight{label}"] = weights[order, k].tolist()
            columns[f"se{label}"] = self._errors[order, k].tolist()
        return columns

    def _output_labels(self) -> list[str]:
        return [""]

    # ---- using it ----

    def _scores(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        return self._scores_of(as_table(self, X, reset=False))

    def _scores_of(self, table: Any) -> NDArray[np.float64]:
        return scores_of(self._values(table), self._terms, self._weights, self.intercept_)

    def _values(self, table: Table) -> NDArray[np.float32]:
        signs = signs_of(self.domain_, self._bits, list(self.domain_.encode(table)))
        if self.basis == "parity":
            return signs.astype(np.float32)
        return self.measure_.basis(signs).astype(np.float32)

    def _products(self, table: Table) -> NDArray[np.float32]:
        if not self._terms:
            return np.ones((table.n_rows, 0), dtype=np.float32)
        return products_of(self._values(table), self._terms)

    def explain(self, X: Any, *, most: int = 10) -> list[Any]:
        """What every row's score is made of.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table, with the columns of ``fit``.
        most : int, default=10
            At most this many terms a row, the weightiest first; the others are summed up.

        Returns
        -------
        list of data frame
            One a row: ``term``, ``holds`` (whether it is true of the row) and its ``contribution`` to the score of
            every output; the intercept and the rest come last.
        """
        check_is_fitted(self)
        table = as_table(self, X, reset=False)
        products = self._products(table)
        return [make_frame(self._explained(row, most)) for row in products]

    def _explained(self, row: NDArray[np.float32], most: int) -> dict[str, list[Any]]:
        parts = row[:, None] * self._weights
        order = _weightiest(parts)[:most]
        rest = parts.sum(axis=0) - parts[order].sum(axis=0)
        holds: list[Any] = [bool((row[i] > 0) == (len(self._terms[i]) % 2 == 1)) for i in order]
        columns: dict[str, list[Any]] = {
            "term": [name_of(self._terms[i], self._bits) for i in order] + ["(all others)", "(intercept)"],
            "holds": [*holds, None, None],
        }
        for k, label in enumerate(self._output_labels()):
            columns[f"contribution{label}"] = [float(parts[i, k]) for i in order] + [
                float(rest[k]),
                float(self.intercept_[k]),
            ]
        return columns

    @property
    def path_(self) -> Any:
        """The loss on rows left out against the size of the model, for every way that was tried."""
        check_is_fitted(self)
        singles = len(self._bits)
        best: dict[tuple[str, int, int], float] = {}
        for trial, loss in self._choice.losses.items():
            size = trial.size + (singles if trial.family.name == "rich" else 0)
            key = (trial.family.name, trial.family.degree, size)
            best[key] = min(loss, best.get(key, np.inf))
        rows = sorted(best.items())
        return make_frame(
            {
                "family": [key[0] for key, _ in rows],
                "degree": [key[1] for key, _ in rows],
                "terms": [key[2] for key, _ in rows],
                "loss": [loss for _, loss in rows],
            }
        )

    def plot_path(self, ax: Any = None) -> Any:
        """Draw the loss on rows left out against the number of terms.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw.

        Returns
        -------
        PathDisplay
            With ``ax_`` and ``figure_``.
        """
        from paclearn.inspection import PathDisplay

        lines: dict[str, list[tuple[int, float]]] = {}
        for family, degree, terms, loss in _records(self.path_):
            start = "all single bits and interactions" if family == "rich" else "one best term at a time"
            lines.setdefault(f"{start}, up to {degree} bits", []).append((terms, loss))
        return PathDisplay(lines, self.n_terms_).plot(ax)

    def to_text(self, most: int = 20) -> str:
        """The model in words.

        Parameters
        ----------
        most : int, default=20
            At most this many terms, the weightiest first.

        Returns
        -------
        str
            A table of terms and weights, and the certificate.
        """
        check_is_fitted(self)
        table = self._shown_terms(most)
        lines = aligned(table, right=range(1, len(table[0])))
        more = self._hidden_terms(most)
        promise = [] if self.certificate_ is None else ["", str(self.certificate_)]
        return "\n".join([*lines, *more, *promise])

    def _shown_terms(self, most: int) -> list[list[str]]:
        """A head, the start, and the weightiest terms."""
        columns = self._term_columns()
        weights = [key for key in columns if key.startswith("weight")]
        rows = [[columns["term"][i], *(f"{columns[w][i]:+.3f}" for w in weights)] for i in range(self.n_terms_)][:most]
        return [["term", *weights], ["(start)", *(f"{value:+.3f}" for value in self.intercept_)], *rows]

    def _hidden_terms(self, most: int) -> list[str]:
        return [f"and {self.n_terms_ - most} more terms"] if self.n_terms_ > most else []

    def _in_notebook(self) -> str | None:
        if not hasattr(self, "terms_"):
            return None
        head, *rows = self._shown_terms(_SHOWN_IN_NOTEBOOK)
        promise = [] if self.certificate_ is None else [str(self.certificate_)]
        notes = [*self._hidden_terms(_SHOWN_IN_NOTEBOOK), *promise]
        return html_table(head, rows) + "".join(f"<p>{escape(note)}</p>" for note in notes)

    def plot_terms(self, most: int = 20, output: int = 0, ax: Any = None) -> Any:
        """Draw the weights of the terms with two standard errors.

        Parameters
        ----------
        most : int, default=20
            At most this many terms, the weightiest first.
        output : int, default=0
            Of which score, where every class has one.
        ax : matplotlib Axes, default=None
            Where to draw.

        Returns
        -------
        TermsDisplay
            With ``ax_`` and ``figure_``.
        """
        from paclearn.inspection import TermsDisplay

        check_is_fitted(self)
        columns = self._term_columns()
        labels = self._output_labels()
        if not 0 <= output < len(labels):
            raise InputError(f"output={output!r} must be a whole number from 0 to {len(labels) - 1}")
        label = labels[output]
        weights, errors = columns[f"weight{label}"][:most], columns[f"se{label}"][:most]
        return TermsDisplay(columns["term"][:most], weights, errors, f"weight{label} of a true term").plot(ax)

    def _check_parameters(self) -> None:
        if self.degree != "auto" and not (is_whole(self.degree) and 1 <= int(self.degree) <= 3):
            raise InputError(f"degree={self.degree!r} must be 1, 2, 3 or 'auto'")
        if self.n_terms != "auto" and not (is_whole(self.n_terms) and int(self.n_terms) >= 0):
            raise InputError(f"n_terms={self.n_terms!r} must be a number of interactions >= 0, or 'auto'")
        if self.max_terms is not None and not (is_whole(self.max_terms) and self.max_terms >= 1):
            raise InputError(f"max_terms={self.max_terms!r} must be a whole number >= 1, or None")
        measure_from(self.measure)
        check_choice("basis", self.basis, ("parity", "orthonormal"))
        check_choice("selection", self.selection, ("residual", "coefficient"))
        if self.holdout is not None:
            check_between("holdout", self.holdout, 0, 1)
        check_between("delta", self.delta, 0, 1)

    def _log_choices(self) -> float:
        """Nats to write down which terms were chosen: the largest degree, how many, and which of all that there are."""
        d = len(self._bits)
        candidates = sum(comb(d, k) for k in range(1, self.degree_ + 1))
        extra = self.n_terms_ - (d if self._choice.best.family.name == "rich" else 0)
        return float(np.log(_DEGREES + 1)) + price_of_integers([extra]) + _log_binomial(candidates, extra)


@dataclass(frozen=True, eq=False)
class Rows:
    """Some rows of a table with their targets."""

    table: Any
    targets: NDArray[np.float64]
    weights: NDArray[np.float64] | None

    @classmethod
    def of(
        cls, table: Any, targets: NDArray[np.float64], weights: NDArray[np.float64] | None, rows: NDArray[np.intp]
    ) -> Rows:
        some = table if len(rows) == table.n_rows else RowSubset(table, rows)
        return cls(some, targets[rows], None if weights is None else weights[rows])

    @property
    def n(self) -> int:
        return len(self.targets)

    @property
    def counts(self) -> NDArray[np.float64]:
        return np.ones(self.n) if self.weights is None else self.weights


def _records(frame: Any) -> list[tuple[Any, ...]]:
    """The rows of a small data frame of whatever library."""
    return list(zip(*(list(frame[name]) for name in ("family", "degree", "terms", "loss")), strict=True))


def _weightiest(weights: NDArray[Any]) -> NDArray[np.intp]:
    """Rows by their largest entry."""
    return np.argsort(-np.abs(weights).max(axis=1, initial=0), kind="stable")


def price_of_integers(whole: Any) -> float:
    """Nats to write down integers, small ones cheaply: k has the share 1 / (c (|k| + 1)^2) of all codes."""
    return float((2 * np.log(np.abs(whole) + 1) + np.log(np.pi**2 / 3 - 1)).sum())


def _log_binomial(n: float, k: float) -> float:
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(max(n - k, 0) + 1)) if 0 < k <= n else 0.0
