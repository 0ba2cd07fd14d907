"""JuntaRegressor: the k columns whose cell means explain a numeric target best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn.certificates import Certificate, heldout_squared, occam_squared
from paclearn.counting.remote_engine import RemoteSums, summed_codes
from paclearn.counting.summed_values import SquareValues, whole_weights
from paclearn.exceptions import InputError, TargetError
from paclearn.learners.fitting import NumberLearner, Rows
from paclearn.learners.juntas.junta_base import JuntaBase
from paclearn.models.truth_table import TruthTable, mean_table
from paclearn.search import Score, SquaredErrorScore
from paclearn.tables.remote_numbers import RemoteNumbers
from paclearn.tables.weights import summable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.counting import CodeTable, Counts, Engine
    from paclearn.learners.juntas.units import Units
    from paclearn.models.model import About

__all__ = ["JuntaRegressor"]

_LARGEST_WIDTH = 1e150


@dataclass(eq=False, repr=False, kw_only=True)
class JuntaRegressor(NumberLearner, JuntaBase):
    """The best k columns (or bits) and the mean of a numeric target in each of their cells.

    Every subset of k columns is scored by the share of the target's variance that the means of its cells explain,
    corrected for each row's part in its own mean. An empty cell asks the table without its least informative column,
    down to the overall mean.

    Parameters
    ----------
    k, unit, search, choose_k, n_best : as of `JuntaClassifier`
        How many columns or bits, how they are searched for, and how k is chosen.
    n_bins, min_count, max_levels : default=4, 5, 16
        How columns become levels, see `BooleanEncoder`.
    holdout : float or "auto", default=None
        Share of the rows (``"auto"``: a fifth, of 200 rows or more) to bound the error with.
    delta, time_limit, checkpoint, n_jobs : as of `JuntaClassifier`
        How probably the bound may fail, seconds for the search of each k, where its state is kept, and threads.
    random_state : int, RandomState instance or None, default=None
        Draws the held-out rows and the folds.
    target_range : pair of float, default=None
        The range the target never leaves, which the certificate rests on. The range of the training rows by default.

    Attributes
    ----------
    model_ : TableModel
        The means of all cells: it predicts, explains and can be exported.
    score_ : float
        Share of the variance explained by the chosen subset.
    subset_, table_, subsets_, baseline_, search_, candidates_, skipped_, k_ : as of `JuntaClassifier`
        What was chosen and found.
    certificate_, certificates_ : Certificate, list of Certificate
        The tightest bound on the mean squared error, and all of them.
    heldout_rows_ : ndarray of int or None
        Numbers of the rows (of positive weight) that ``holdout`` kept out of the fit.
    domain_ : Domain
        What the codes of the columns mean.

    Examples
    --------
    >>> import numpy as np
    >>> from paclearn import JuntaRegressor
    >>> X = np.random.default_rng(0).integers(0, 3, size=(500, 6))
    >>> y = 10.0 * (X[:, 1] == X[:, 4])
    >>> JuntaRegressor(k=2).fit(X, y).subset_
    ('x1', 'x4')
    """

    target_range: tuple[float, float] | None = None

    # ---- the parts that JuntaBase asks for ----

    def _about_target(self) -> About:
        return self._about()

    def _rows_elsewhere(self, X: Any, y: Any, sample_weight: Any) -> Rows:
        self._refuse_single_rows()
        return self._numbers_elsewhere(X, y, sample_weight)

    def _fit_rows(self, train: Rows, held: Rows | None, rng: np.random.RandomState) -> None:
        targets: Any = train.targets
        if isinstance(targets, RemoteNumbers):
            self._check_target(np.array([targets.low, targets.high]))
            self._centre = targets.mean
        else:
            self._check_target(np.concatenate([targets, [] if held is None else held.targets]))
            self._centre = float(summable(train.counts * targets).sum() / summable(train.counts).sum())
        super()._fit_rows(train, held, rng)

    def _check_target(self, values: NDArray[np.float64]) -> None:
        low, high = float(values.min()), float(values.max())
        given = (low, high) if self.target_range is None else tuple(self.target_range)
        if len(given) != 2 or not given[0] <= low <= high <= given[1]:
            raise InputError(
                f"target_range={self.target_range!r} must hold all targets; they run from {low:g} to {high:g}"
            )
        self._width = float(given[1]) - float(given[0])
        if self._width > _LARGEST_WIDTH:
            raise TargetError(f"the target runs from {low:g} to {high:g}, too far to square; rescale it")

    def _counting_table(self, codes: Any, sizes: tuple[int, ...], rows: Rows) -> CodeTable | RemoteSums:
        weighted = rows.weights is not None
        values = SquareValues(self._centre, whole_weights(rows.weights), once=True, weighted=weighted)
        return summed_codes(codes, sizes, values, rows.targets, rows.weights)

    def _score(self, engine: Engine) -> Score:
        return SquaredErrorScore(weighted=engine.n_channels > 3)

    def _truth_table(self, counts: Counts, order: tuple[int, ...], units: Units) -> TruthTable:
        subset = counts.subsets[0]
        names = tuple(units.names[i] for i in subset)
        code_names = tuple(units.code_names(i) for i in subset)
        return mean_table(names, code_names, counts.table(0)[..., :3], order, self._centre)

    def _training_error(self, table: TruthTable, counts: Counts, *, weighted: bool) -> tuple[float, int]:
        channels = counts.table(0)
        once = (channels[..., :3] if weighted else channels[..., -3:]).reshape(-1, 3)
        mean = table.seen_predictions.reshape(-1) - self._centre
        n = round(float(once[:, 0].sum()))
        squares = once[:, 2] - 2 * mean * once[:, 1] + mean**2 * once[:, 0]
        return max(0.0, float(squares.sum()) / n), n

    def _training_certificates(
        self, error: float, n: int, table: TruthTable, n_units: int, delta: float
    ) -> list[Certificate]:
        k = len(table.members)
        return [occam_squared(error, n, n_units, k, table.n_cells, self._width, delta, self._width**2 / 4)]

    def _heldout_certificate(self, predictions: NDArray[np.float64], rows: Rows, delta: float) -> Certificate:
        error = rows.mean(self._losses(predictions, rows))
        return heldout_squared(error, rows.n_independent, self._width, delta, self._width**2 / 4)

    def _losses(self, predictions: NDArray[np.float64], rows: Rows) -> NDArray[Any]:
        return np.asarray((predictions[:, 0] - rows.targets) ** 2)
