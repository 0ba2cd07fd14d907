"""JuntaClassifier: the k columns that decide the class best, and their truth table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from paclearn._parameters import OneOf, Rule
from paclearn.certificates import Certificate, junta_log_size, occam, occam_kl
from paclearn.counting.remote_engine import RemoteRows, packed, summed_codes
from paclearn.counting.summed_values import VoteValues, whole_weights
from paclearn.learners.fitting import ClassLearner, Rows
from paclearn.learners.juntas.junta_base import JUNTA_PARAMETERS, JuntaBase
from paclearn.models.truth_table import TruthTable, class_table
from paclearn.search import AccuracyScore, PermutationTest, Score, ZeroOneScore, permutation_test
from paclearn.search.scores import class_counts, product_marginals
from paclearn.tables.remote import refuse_elsewhere
from paclearn.tables.target import class_target

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.counting import BitTable, CodeTable, Counts, Engine
    from paclearn.learners.juntas.units import Units
    from paclearn.models.model import About

__all__ = ["JuntaClassifier"]

_ROUNDING = 1e-12  # of a mean log probability


@dataclass(eq=False, repr=False, kw_only=True)
class JuntaClassifier(ClassLearner, JuntaBase):
    """The best k columns (or bits) and their truth table, with a bound on its error.

    Every subset of k columns is scored by how well the majority vote in each of its cells does, corrected for each
    row's part in its own vote. The winner's votes, cell by cell, are the model. An empty or tied cell asks the table
    without its least informative column, down to the most frequent class.

    Parameters
    ----------
    k : int or sequence of int, default=2
        How many columns. From several, such as ``range(1, 4)``, one is chosen as ``choose_k`` says.
    unit : {"column", "bit"}, default="column"
        Choose among columns, with all their levels, or among single bits such as ``colour=red`` and ``age>41``.
    search : {"exhaustive", "greedy", "beam", "swaps"}, default="exhaustive"
        Every subset; or one column at a time; or the 50 best at a time; or greedy and then exchanges of one column.
        All but the first miss what shows in no smaller subset (a parity).
    choose_k : {"certificate", "cv"}, default="certificate"
        Choose k by the smallest error bound, or by five-fold cross-validation.
    n_best : int, default=100
        How many of the best subsets to keep in ``subsets_``.
    n_bins, min_count, max_levels : default=4, 5, 16
        How columns become levels, see `BooleanEncoder`.
    holdout : float or "auto", default=None
        Share of the rows to keep out of the fit and to bound the error with; ``"auto"``: a fifth, of 200 rows or more.
        The held-out bound assumes nothing about how the columns were encoded.
    delta : float, default=0.05
        Probability with which the certificate may fail. It is shared among the values of ``k`` and, with ``holdout``,
        among the bounds.
    time_limit : float, default=None
        Seconds for the search of each k. An exhaustive search that would take longer is refused, with advice; one that
        turns out to take longer ends, and ``search_`` says what was not searched.
    checkpoint : path, default=None
        Where an exhaustive search keeps its state, in a file for each k (``PATH.k3``). Fitting again on the same data
        goes on from there, even after a crash, to the same result. The files are left behind.
    n_jobs : int, default=None
        Cores to use at once; -1 is all of them, None is one. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the held-out rows and the folds.
    measure : {"empirical", "product", "auto"}, default="empirical"
        Cells are weighted by how many rows they have, which is right whatever the columns' dependence (measure M_n of
        the feature selection paper); or as if the columns were independent (score_1 of the universal learning paper),
        which is only meaningful if they are. ``"auto"`` takes them for independent where a quarter of the rows, left
        out, is no less probable so than along the tree of columns that fits the others best.
    multiclass : {"one-vs-rest", "accuracy"}, default="one-vs-rest"
        For more than two classes: the mean score of each class against the rest, or leave-one-out accuracy.

    Attributes
    ----------
    model_ : TableModel
        The votes of all cells: it predicts, explains and can be exported.
    subset_ : tuple of str
        Names of the chosen columns or bits.
    table_ : data frame
        The model: one row a cell.
    score_ : float
        Score of the chosen subset; with two classes half of one plus it reads as an accuracy.
    baseline_ : float
        The score of no columns at all, to hold ``score_`` against.
    subsets_ : data frame
        The best subsets: members and score.
    certificate_ : Certificate
        The tightest of ``certificates_``.
    certificates_ : list of Certificate
        All bounds computed.
    search_ : SearchResult
        What was searched, and what was not.
    candidates_ : dict
        The best junta of every k tried.
    skipped_ : dict
        The values of k that would have taken longer than ``time_limit``, with the estimate.
    k_ : int
        The k chosen.
    heldout_rows_ : ndarray of int or None
        Numbers of the rows (of positive weight) that ``holdout`` kept out of the fit.
    measure_ : {"empirical", "product"}
        How cells were weighted.
    classes_, domain_ : ndarray, Domain
        The class labels, and what the codes of the columns mean.

    Examples
    --------
    >>> from paclearn import JuntaClassifier
    >>> from paclearn.datasets import make_parity
    >>> data = make_parity(1000, n_columns=20, k=3, noise=0.1, random_state=0)
    >>> model = JuntaClassifier(k=3).fit(data.data, data.target)
    >>> model.members_ == data.relevant
    True
    """

    _parameters: ClassVar[dict[str, Rule]] = {
        **JUNTA_PARAMETERS,
        "measure": OneOf("empirical", "product", "auto"),
        "multiclass": OneOf("one-vs-rest", "accuracy"),
    }

    measure: str = "empirical"
    multiclass: str = "one-vs-rest"

    def permutation_test(self, X: Any, y: Any, n_permutations: int = 199, random_state: Any = None) -> PermutationTest:
        """Test whether the columns say anything about the classes at all.

        The exhaustive search for the best ``k_`` units is repeated with the classes shuffled among the rows.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table of ``fit``, or another one with its columns.
        y : array-like of shape (n_rows,)
            The classes.
        n_permutations : int, default=199
            How many shuffles. The p-value cannot be smaller than one over this plus one.
        random_state : int, RandomState instance or None, default=None
            Draws the shuffles.

        Returns
        -------
        PermutationTest
            The best score, those of the shuffles, and the p-value.
        """
        table = self._checked(X)
        _, numbers = class_target(y, table.n_rows)
        codes = self.units_.encode(table, range(len(self.units_.names)))
        # a level the fit never saw has a code of its own here: shuffling labels among all rows is valid either way
        sizes = [max(size, int(c.max()) + 1) for size, c in zip(self.units_.sizes, codes, strict=True)]
        return permutation_test(
            codes,
            sizes,
            numbers,
            self.k_,
            n_permutations=n_permutations,
            measure=self.measure_,
            n_jobs=self.n_jobs,
            random_state=random_state,
        )

    def _rows_elsewhere(self, X: Any, y: Any, sample_weight: Any) -> Rows:
        self._refuse_single_rows()
        refuse_elsewhere("measure='auto'", self.measure == "auto")
        return self._classes_elsewhere(X, y, sample_weight)

    def _fit_rows(self, train: Rows, held: Rows | None, rng: np.random.RandomState) -> None:
        self.measure_ = self._chosen_measure(train, rng) if self.measure == "auto" else self.measure
        super()._fit_rows(train, held, rng)

    def _chosen_measure(self, train: Rows, rng: np.random.RandomState) -> str:
        """Whether rows left out speak for independent columns; too few of them speak for nothing."""
        from paclearn.measures import LevelMeasure  # statistics that most fits can do without

        order = rng.permutation(train.n)
        aside, rest = train.take(order[: train.n // 4]), train.take(order[train.n // 4 :])
        if aside.n == 0:
            return "empirical"
        measures = (LevelMeasure(law, 1.0, self.n_bins, self.min_count, self.max_levels) for law in ("product", "tree"))
        alone, along_tree = (
            np.average(law.fit(rest.table, None, rest.weights).log_prob(aside.table), weights=aside.weights)
            for law in measures
        )
        return "product" if alone >= along_tree - _ROUNDING else "empirical"

    # ---- the parts that JuntaBase asks for ----

    def _about_target(self) -> About:
        return self._about(self.classes_)

    def _strata(self, rows: Rows) -> NDArray[Any] | None:
        return rows.targets if np.bincount(rows.targets).min() > 1 else None

    def _counting_table(self, codes: Any, sizes: tuple[int, ...], rows: Rows) -> BitTable | CodeTable | RemoteRows:
        n_classes = len(self.classes_)
        if rows.weights is None:
            return packed(codes, sizes, rows.targets, n_classes)
        values = VoteValues(whole_weights(rows.weights), once=True)
        return summed_codes(codes, sizes, values, rows.targets, rows.weights, n_classes)

    def _score(self, engine: Engine) -> Score:
        n_classes = len(self.classes_)
        if self.multiclass == "accuracy":
            return AccuracyScore(n_classes)
        return ZeroOneScore(n_classes, product_marginals(engine, n_classes) if self.measure_ == "product" else None)

    def _truth_table(self, counts: Counts, order: tuple[int, ...], units: Units) -> TruthTable:
        subset = counts.subsets[0]
        names = tuple(units.names[i] for i in subset)
        code_names = tuple(units.code_names(i) for i in subset)
        rows = class_counts(counts.table(0), len(self.classes_))
        return class_table(names, code_names, rows, order, self.classes_.tolist())

    def _training_error(self, table: TruthTable, counts: Counts, *, weighted: bool) -> tuple[float, int]:
        n_classes = len(self.classes_)
        # the first channel of a class holds weights, the last counts rows, whatever they weigh
        channels = counts.table(0).reshape(-1, n_classes, counts.values.shape[2] // n_classes)
        rows = channels[..., 0 if weighted else -1]
        choice = table.seen_predictions.reshape(-1, n_classes).argmax(axis=1)
        n = round(float(rows.sum()))
        return max(0.0, n - float(rows[np.arange(len(rows)), choice].sum())) / n, n

    def _training_certificates(
        self, error: float, n: int, table: TruthTable, n_units: int, delta: float
    ) -> list[Certificate]:
        n_classes = len(self.classes_)
        log_size = junta_log_size(n_units, len(table.members), table.n_cells, n_classes)
        trivial = 1 - 1 / n_classes
        return [bound(error * n, n, log_size, delta, trivial) for bound in (occam_kl, occam)]

    def _heldout_certificate(self, predictions: NDArray[np.float64], rows: Rows, delta: float) -> Certificate:
        return rows.exam(self._losses(predictions, rows), delta, 1 - 1 / len(self.classes_))

    def _losses(self, predictions: NDArray[np.float64], rows: Rows) -> NDArray[Any]:
        return np.asarray(predictions.argmax(axis=1) != rows.targets)
