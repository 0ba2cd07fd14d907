"""What comes before the learning: parameters, rows as points, the kernel, the choice of B."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

from paclearn._compat import TakesTables, validate_data
from paclearn._parameters import check_between, check_choice, is_whole
from paclearn.encoding import EncodingRules
from paclearn.encoding.coordinates import learn_coordinates
from paclearn.encoding.distinct import DistinctRows
from paclearn.exceptions import InputError
from paclearn.learners.halfspaces.radius_choice import Choice, choose_radius
from paclearn.learners.halfspaces.solvers import BATCH_ROWS, Fitted, Sample, Settings, fit_sample
from paclearn.models.kernel_functions import BaseKernel, Custom, Kernel, Linear, Points, Polynomial, Precomputed, Rbf
from paclearn.tables.table import ArrayTable, RowSubset, as_table
from paclearn.tables.weights import row_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.tables.table import Table

__all__ = ["Drawn", "HalfspaceBase", "Part"]

_KERNELS = ("linear", "rbf", "poly", "precomputed")
_SOLVERS = ("auto", "batch", "online", "features")


@dataclass(frozen=True, eq=False)
class Part:
    """Some rows of a table with their classes and weights."""

    table: Table
    classes: NDArray[np.intp]
    weights: NDArray[np.float64] | None


@dataclass(frozen=True, eq=False)
class Drawn:
    """Different training points with their classes, how often each counts, and how many rows it stands for."""

    points: Points
    classes: NDArray[np.intp]
    counts: NDArray[np.float64]
    times: NDArray[np.intp]


class HalfspaceBase(TakesTables, BaseEstimator):
    """From a table to points of a unit ball; see `HalfspaceClassifier` for the parameters."""

    def __init__(
        self,
        B: float | str = "auto",
        nu: float = 0.5,
        kernel: Any = "linear",
        solver: str = "auto",
        bias: bool = True,
        *,
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        standardize: bool = True,
        n_passes: int = 1,
        n_landmarks: int = 500,
        tol: float = 1e-4,
        max_iter: int = 5000,
        min_count: float = 2,
        max_levels: int = 500,
        holdout: float | None = None,
        delta: float = 0.05,
        random_state: Any = None,
    ) -> None:
        self.B = B
        self.nu = nu
        self.kernel = kernel
        self.solver = solver
        self.bias = bias
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.standardize = standardize
        self.n_passes = n_passes
        self.n_landmarks = n_landmarks
        self.tol = tol
        self.max_iter = max_iter
        self.min_count = min_count
        self.max_levels = max_levels
        self.holdout = holdout
        self.delta = delta
        self.random_state = random_state

    # ---- parameters ----

    def _check_parameters(self) -> None:
        if self.B != "auto":
            check_between("B", self.B, 0, np.inf)
        check_between("nu", self.nu, 0, 1)
        if not callable(self.kernel):
            check_choice("kernel", self.kernel, _KERNELS)
        check_choice("solver", self.solver, _SOLVERS)
        if self.gamma != "scale":
            check_between("gamma", self.gamma, 0, np.inf)
        check_between("coef0", self.coef0, -np.finfo(float).tiny, np.inf)
        check_between("tol", self.tol, 0, 1)
        for name in ("degree", "n_passes", "n_landmarks", "max_iter"):
            value = getattr(self, name)
            if not is_whole(value) or value < 1:
                raise InputError(f"{name}={value!r} must be a whole number >= 1")
        if self.holdout is not None:
            check_between("holdout", self.holdout, 0, 1)
        check_between("delta", self.delta, 0, 1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.kernel == "precomputed":
            tags.input_tags.pairwise = True
            tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = False
            tags.input_tags.sparse = False
        return tags

    # ---- rows ----

    def _table(self, X: Any, *, reset: bool) -> Table:
        if self.kernel != "precomputed":
            return as_table(self, X, reset=reset)
        values = validate_data(self, X, reset=reset, dtype=np.float64)
        if reset and values.shape[0] != values.shape[1]:
            raise InputError(
                f"kernel='precomputed' takes kernel values of all pairs of rows: a square matrix was expected, "
                f"and X has shape {values.shape}"
            )
        return ArrayTable(values, tuple(f"x{i}" for i in range(values.shape[1])))

    def _split(
        self,
        table: Table,
        numbers: NDArray[Any],
        sample_weight: Any,
        rng: np.random.RandomState,
        *,
        whole: bool = False,
    ) -> tuple[Part, Part | None]:
        """Rows to learn from, and rows to bound the error with; none of weight nought."""
        weights = row_weights(sample_weight, table)
        rows = np.arange(table.n_rows) if weights is None else np.flatnonzero(weights)
        if self.holdout is None or whole:
            return _part(table, numbers, weights, rows), None
        order = rng.permutation(rows)
        cut = max(1, round(self.holdout * len(rows)))
        if cut == len(rows):
            raise InputError(f"holdout={self.holdout} leaves no rows to learn from")
        return tuple(_part(table, numbers, weights, np.sort(some)) for some in (order[cut:], order[:cut]))  # type: ignore[return-value]

    def _draw(
        self, table: Table, classes: NDArray[np.intp], weights: NDArray[np.float64] | None, *, again: bool = False
    ) -> Drawn:
        """The points of a table; columns and kernel are settled the first time."""
        counts = np.ones(table.n_rows) if weights is None else weights
        if self.kernel == "precomputed":
            return self._draw_precomputed(table, classes, counts)
        if not again:
            rules = EncodingRules(2, self.min_count, self.max_levels)
            self._coordinates, matrix = learn_coordinates(table, rules, weights, standardize=bool(self.standardize))
        else:
            matrix = self._coordinates.read(table)
        kinds = DistinctRows.mixed(matrix, classes, counts)
        if not again:
            self._coordinates = self._coordinates.learned(matrix[kinds.first], kinds.weights)
        rows = self._coordinates.vectors(matrix[kinds.first])
        if not again:
            self._settle_kernel(rows, kinds.weights)
        return Drawn(Points(rows, rows), classes[kinds.first], kinds.weights, kinds.counts)

    def _draw_precomputed(self, table: Table, classes: NDArray[np.intp], counts: NDArray[np.float64]) -> Drawn:
        rows, numbers = _matrix_of(table)
        largest = float(np.diagonal(rows[:, numbers]).max())
        if not largest > 0:
            raise InputError("a precomputed kernel must have positive values on its diagonal; all were 0 or less")
        self._kernel = Kernel(Precomputed(), float(self.nu), bool(self.bias), largest)
        return Drawn(Points(rows, numbers), classes, counts, np.ones(len(classes), dtype=np.intp))

    def _rows(self, table: Table) -> NDArray[np.float64]:
        """New rows as the kernel takes them."""
        if self.kernel == "precomputed":
            return _matrix_of(table)[0]
        return self._coordinates.vectors(self._coordinates.read(table))

    def _settle_kernel(self, rows: NDArray[np.float64], counts: NDArray[np.float64]) -> None:
        base = self._base_kernel(rows, counts)
        with np.errstate(over="ignore"):
            largest = float(base.squares(rows).max())
        if not np.isfinite(largest):
            raise InputError(
                "rows are so large that their kernel is infinite; standardize=True or smaller units would do"
            )
        self._kernel = Kernel(base, float(self.nu), bool(self.bias), largest if largest > 0 else 1.0)

    def _base_kernel(self, rows: NDArray[np.float64], counts: NDArray[np.float64]) -> BaseKernel:
        if callable(self.kernel):
            return Custom(self.kernel)
        if self.kernel == "linear":
            return Linear()
        gamma = _gamma(rows, counts) if self.gamma == "scale" else float(self.gamma)
        return Rbf(gamma) if self.kernel == "rbf" else Polynomial(int(self.degree), gamma, float(self.coef0))

    # ---- learning ----

    def _choose(self, drawn: Drawn, rng: np.random.RandomState) -> None:
        """B, given or by validation, and the solver."""
        self._choice: Choice | None = None
        if self.B == "auto":
            self._choice = choose_radius(
                self._kernel, drawn.points, drawn.classes, drawn.counts, int(self.n_landmarks), rng
            )
        self.B_ = float(self.B) if self._choice is None else self._choice.best
        few = len(drawn.points) <= BATCH_ROWS
        self.solver_ = self.solver if self.solver != "auto" else "batch" if few else "features"

    def _solve(self, sample: Sample, rng: np.random.RandomState) -> Fitted:
        settings = Settings(
            self.solver_, int(self.n_passes), int(self.n_landmarks), float(self.tol), int(self.max_iter)
        )
        return fit_sample(self._kernel, sample, self.B_, settings, rng)


def _part(table: Table, numbers: NDArray[Any], weights: NDArray[np.float64] | None, rows: NDArray[np.intp]) -> Part:
    some: Table = table if len(rows) == table.n_rows else RowSubset(table, rows)
    return Part(some, numbers[rows].astype(np.intp), None if weights is None else weights[rows])


def _matrix_of(table: Any) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Precomputed kernel values and the numbers of their rows."""
    if isinstance(table, RowSubset):
        return np.asarray(_matrix_of(table.table)[0][table.rows]), table.rows
    return table.values, np.arange(table.n_rows)


def _gamma(rows: NDArray[np.float64], counts: NDArray[np.float64]) -> float:
    shares = counts / counts.sum()
    spread = float(shares @ ((rows - shares @ rows) ** 2).sum(axis=1))
    return 1 / spread if spread > 0 else 1.0
