"""HalfspaceClassifier."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from paclearn._compat import all_or_nothing, make_frame
from paclearn.certificates import clopper_pearson, kernel_ball, tightest
from paclearn.exceptions import InputError, ProjectedRowsWarning, TargetError
from paclearn.learners.halfspaces.halfspace_base import Drawn, HalfspaceBase
from paclearn.learners.halfspaces.online import OnlineState, advance
from paclearn.learners.halfspaces.radius_choice import GRID, decide, indicators
from paclearn.learners.halfspaces.solvers import Fitted, Sample
from paclearn.models.kernel_functions import Linear, Points
from paclearn.tables.target import class_target, classes_present

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["HalfspaceClassifier"]


def _goes_on(classifier: Any) -> bool:
    return bool(classifier.solver == "online")


class HalfspaceClassifier(ClassifierMixin, HalfspaceBase):
    """A kernel classifier that competes with the margin error of the best halfspace, whatever the labels.

    Labels may be wrong anywhere, on purpose, on one side only: the error of the randomised prediction is at most the
    best halfspace's *margin* error (rows that it gets wrong, or that lie within the margin) plus a term that vanishes
    with more rows. The classifier is ``f(x) = clip(<v, psi(x)>, 0, 1)`` in the space of the kernel
    ``K = 1 / (1 - nu k)``, and v minimises the mean of ``|<v, psi(x)> - y|`` over ``|v|^2 <= B``.

    Parameters
    ----------
    B : float or "auto", default="auto"
        The largest squared norm: the larger, the steeper the functions it competes with. ``"auto"`` takes the one that
        predicts rows left out best; what the theory asks for, see `paclearn.halfspaces.suggest_B`, is astronomical.
    nu : float, default=0.5
        Between 0 and 1. Near 1, products of many coordinates weigh more.
    kernel : {"linear", "rbf", "poly", "precomputed"} or callable, default="linear"
        The inner product k in which the halfspace is one. A callable takes two matrices of rows.
    solver : {"auto", "batch", "online", "features"}, default="auto"
        ``"batch"`` solves the problem to ``tol``, with all kernel values in memory. ``"online"`` is the paper's
        algorithm: one step a row, no stored matrix. ``"features"`` works in the span of ``n_landmarks`` rows, at a cost
        linear in the rows. ``"auto"`` is ``"batch"`` up to 3000 different rows and ``"features"`` beyond.
    bias : bool, default=True
        Whether halfspaces may leave the origin: one more coordinate, the same for all rows.
    gamma : float or "scale", default="scale"
        Of the kernels ``"rbf"`` and ``"poly"``. ``"scale"`` is one over the mean squared distance from the mean row.
    degree, coef0 : default=3, 1.0
        Of the kernel ``"poly"``.
    standardize : bool, default=True
        Whether columns of numbers are centred and divided by their standard deviation. Categories take one coordinate
        a level in any case.
    n_passes : int, default=1
        Of the solver ``"online"``; each pass takes the rows in a new order.
    n_landmarks : int, default=500
        Of the solver ``"features"``.
    tol : float, default=1e-4
        How far from the least mean absolute error the result may be, for ``"batch"`` and ``"features"``.
    max_iter : int, default=5000
        At most this many steps towards that.
    min_count, max_levels : default=2, 500
        Rarer levels of a category are pooled, see `BooleanEncoder`.
    holdout : float, default=None
        Share of the rows to keep aside for an exact bound on the error; none by default.
    delta : float, default=0.05
        The probability with which the certificate may fail.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of the rows, the folds and the landmarks.

    Attributes
    ----------
    B_ : float
        The largest squared norm that was used.
    validation_ : data frame or None
        Share of rows left out that every B got wrong; None where B was given.
    solver_ : str
        The solver that was used.
    gap_ : float or None
        By how much the mean absolute error can be above the least there is, proved by a dual bound (the largest over
        the classes); None for the solver ``"online"`` and where the rows were too many to be solved at once.
    n_iter_ : int
        Steps of the solver ``"batch"`` or ``"features"``, passes of ``"online"``.
    anchors_ : ndarray
        The vectors of the rows that the function is a sum over (their numbers, for a precomputed kernel).
    dual_coef_ : ndarray of shape (n_anchors, n_outputs)
        ``f(x) = sum_j dual_coef_[j] K(x, anchors_[j])``.
    certificate_ : Certificate or None
        A bound on the error: of the randomised prediction by Rademacher averages, for two classes, or of ``predict`` on
        the rows held out, whichever is the smaller.
    classes_ : ndarray
        The class labels.
    n_features_in_ : int
        Number of columns seen in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, where they had names.

    Examples
    --------
    >>> from paclearn import HalfspaceClassifier
    >>> from paclearn.datasets import make_halfspace
    >>> data = make_halfspace(500, flipped=0, noise=0, random_state=0)
    >>> model = HalfspaceClassifier(B=100, random_state=0).fit(data.data, data.target)
    >>> model.gap_ < 1e-4
    True
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> HalfspaceClassifier:
        """Choose B and learn.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table; for a precomputed kernel, its values for all pairs of rows.
        y : array-like of shape (n_rows,)
            The classes.
        sample_weight : array-like of shape (n_rows,), default=None
            How many times each row counts, if all are whole numbers; otherwise relative weights. Certificates count
            every row of positive weight once.

        Returns
        -------
        HalfspaceClassifier
            The fitted classifier.
        """
        self._check_parameters()
        with all_or_nothing(self), threadpool_limits(limits=1, user_api="blas"):  # the same bytes on any machine
            rng = check_random_state(self.random_state)
            table = self._table(X, reset=True)
            every, numbers = class_target(y, table.n_rows)
            kept, held = self._split(table, numbers, sample_weight, rng)
            self.classes_, present = classes_present(every, kept.classes)
            drawn = self._draw(kept.table, present, kept.weights)
            self._choose(drawn, rng)
            targets = indicators(drawn.classes, len(self.classes_))
            sample = Sample(drawn.points, targets, drawn.counts)
            self._keep(self._solve(sample, rng))
            self._certify(drawn, None if held is None else (held.table, self._numbers_among(kept, held)))
        return self

    def _numbers_among(self, kept: Any, held: Any) -> NDArray[np.intp]:
        """The classes of rows held out, -1 for those that the fit never saw."""
        present = np.unique(kept.classes)
        places = np.minimum(np.searchsorted(present, held.classes), len(present) - 1)
        return np.where(present[places] == held.classes, places, -1)

    def _keep(self, fitted: Fitted) -> None:
        used = np.flatnonzero(fitted.coefficients.any(axis=1))
        if fitted.state is not None or len(used) == 0:
            used = np.arange(len(fitted.anchors))
        self.anchors_, self.dual_coef_ = fitted.anchors[used], fitted.coefficients[used]
        self._online: OnlineState | None = fitted.state
        self.gap_, self.n_iter_ = fitted.gap, fitted.n_iter

    # ---- certificates ----

    def _certify(self, drawn: Drawn, held: tuple[Any, NDArray[np.intp]] | None) -> None:
        trivial = 1 - float(np.bincount(drawn.classes, weights=drawn.times).max() / drawn.times.sum())
        delta = self.delta if held is None else self.delta / 2
        found = []
        if len(self.classes_) == 2:
            values = self._kernel.sums(drawn.points.rows, self.anchors_, self.dual_coef_)[:, 0]
            lost = np.abs(np.clip(values, 0, 1) - drawn.classes)
            n = int(drawn.times.sum())
            error, choices = float(drawn.times @ lost) / n, len(GRID) if self.B == "auto" else 1
            found.append(kernel_ball(error, n, self.B_, self._kernel.largest, delta, trivial, choices))
        if held is not None:
            table, numbers = held
            missed = int((decide(self._values_of(table)) != numbers).sum())
            found.append(clopper_pearson(missed, len(numbers), delta, trivial))
        self.certificates_ = found
        self.certificate_ = replace(tightest(found), delta=self.delta) if found else None

    # ---- going on ----

    @available_if(_goes_on)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> HalfspaceClassifier:
        """Take steps for more rows (solver ``"online"``).

        The first call, or ``fit``, settles levels, scale and B; its rows should be like those to come.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            More rows.
        y : array-like of shape (n_rows,)
            Their classes.
        classes : array-like, default=None
            All classes there are; needed in the first call.
        sample_weight : array-like of shape (n_rows,), default=None
            How many times each row counts.

        Returns
        -------
        HalfspaceClassifier
            Itself.
        """
        self._check_parameters()
        if self.kernel == "precomputed":
            raise InputError("partial_fit needs rows; kernel='precomputed' has only kernel values of those of one fit")
        with all_or_nothing(self), threadpool_limits(limits=1, user_api="blas"):
            rng = check_random_state(self.random_state)
            self._online = getattr(self, "_online", None)
            first = self._online is None
            table = self._table(X, reset=first)
            if first:
                self.classes_ = self._all_classes(classes)
            numbers = self._known_classes(y, classes, table.n_rows)
            kept, _ = self._split(table, numbers, sample_weight, rng, whole=True)
            drawn = self._draw(kept.table, kept.classes, kept.weights, again=not first)
            if first:
                self._choose(drawn, rng)
            self._go_on(drawn, rng)
        return self

    def _all_classes(self, classes: Any) -> NDArray[Any]:
        if classes is None:
            raise TargetError("classes must be passed on the first call to partial_fit: all that will ever occur")
        present, _ = classes_present(*class_target(classes, len(classes)))
        return present

    def _known_classes(self, y: Any, classes: Any, n_rows: int) -> NDArray[np.intp]:
        if classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise TargetError(f"classes={classes!r} is not the same as on last call to partial_fit: {self.classes_!r}")
        labels, numbers = class_target(y, n_rows)
        unknown = labels[~np.isin(labels, self.classes_)]
        if len(unknown):
            raise TargetError(f"y holds classes that partial_fit was not told of: {unknown.tolist()[:5]}")
        return np.searchsorted(self.classes_, labels)[numbers]

    def _go_on(self, drawn: Drawn, rng: np.random.RandomState) -> None:
        order = rng.permutation(len(drawn.points))
        rows = self._inside(drawn.points.rows[order])
        targets, counts = indicators(drawn.classes, len(self.classes_))[order], drawn.counts[order]
        state = OnlineState.start(0, targets.shape[1]) if self._online is None else self._online
        before = len(state.coefficients)
        anchors = np.concatenate([self.anchors_, rows]) if before else rows
        radius = np.full(targets.shape[1], self.B_)
        rate = np.sqrt(radius / (state.steps + counts.sum()))
        mine = np.arange(before, len(anchors))
        state = advance(
            self._kernel, Points(anchors, anchors), targets, counts, state.grown(len(anchors)), mine, radius, rate
        )
        self.anchors_, self.dual_coef_, self._online = anchors, state.average, state
        self.gap_, self.n_iter_, self.certificate_, self.certificates_ = None, 1, None, []

    def _inside(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Rows pulled back to the unit ball of the first call."""
        projection = self._projection(rows)
        if projection is None:
            return rows
        if not isinstance(self._kernel.base, Linear):
            raise InputError(
                "some rows lie outside the unit ball of the first call, and this kernel has no way to pull them back; "
                "let the first call hold the largest rows, or use kernel='linear' or 'rbf'"
            )
        return rows * projection[:, None]

    # ---- using it ----

    def _projection(self, rows: NDArray[Any]) -> NDArray[np.float64] | None:
        """What pulls rows back to the unit ball, or None where all are inside."""
        if self.kernel == "precomputed":
            return None  # k of a new row with itself is not known
        squares = self._kernel.base.squares(rows) / self._kernel.scale
        outside = squares > 1 + 1e-9
        if not outside.any():
            return None
        warnings.warn(
            f"{outside.sum()} of {len(rows)} rows are larger than any row of the fit (by a factor of up to "
            f"{np.sqrt(squares.max()):.3g}) and were pulled back to the unit ball",
            ProjectedRowsWarning,
            stacklevel=5,
        )
        return 1 / np.sqrt(np.maximum(squares, 1))

    def _values_of(self, table: Any) -> NDArray[np.float64]:
        rows = self._rows(table)
        with threadpool_limits(limits=1, user_api="blas"):
            return self._kernel.sums(rows, self.anchors_, self.dual_coef_, self._projection(rows))

    def _values(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        return self._values_of(self._table(X, reset=False))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """``<v, psi(x)> - 1/2`` for two classes, otherwise ``<v, psi(x)>`` of every class.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table, with the columns of ``fit``.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            Above nought for the second of two classes, or one value a class.
        """
        values = self._values(X)
        return values[:, 0] - 0.5 if len(self.classes_) == 2 else values

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the largest value, for every row.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table, with the columns of ``fit``.

        Returns
        -------
        ndarray of shape (n_rows,)
            Class labels.
        """
        chosen = decide(self._values(X))
        return self.classes_[chosen]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The chances with which the paper's randomised classifier says each class.

        ``clip(<v, psi(x)>, 0, 1)`` for two classes; for more, the probabilities nearest to the values of the classes.
        They come from absolute error and so lie near 0 and 1; they are not calibrated.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table, with the columns of ``fit``.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Probabilities, in the order of ``classes_``.
        """
        values = self._values(X)
        if len(self.classes_) == 2:
            up = np.clip(values[:, 0], 0, 1)
            return np.column_stack([1 - up, up])
        return _nearest_probabilities(values)

    def predict_random(self, X: Any, random_state: Any = None) -> NDArray[Any]:
        """A class drawn for every row, with the chances of ``predict_proba``: the classifier that the theorems bound.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table, with the columns of ``fit``.
        random_state : int, RandomState instance or None, default=None
            Seed of the draw.

        Returns
        -------
        ndarray of shape (n_rows,)
            Class labels.
        """
        chances = self.predict_proba(X).cumsum(axis=1)
        draws = check_random_state(random_state).random_sample(len(chances))
        chosen = (draws[:, None] >= chances[:, :-1]).sum(axis=1)
        return self.classes_[chosen]

    @property
    def validation_(self) -> Any:
        """Share of rows left out that every B got wrong, or None where B was given."""
        check_is_fitted(self)
        if self._choice is None:
            return None
        errors = self._choice.errors
        return make_frame({"B": list(errors), "error": list(errors.values())})


def _nearest_probabilities(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The point of the simplex nearest to every row: the same number is taken off all, and nought is the least."""
    falling = -np.sort(-values, axis=1)
    excess = (falling.cumsum(axis=1) - 1) / np.arange(1, values.shape[1] + 1)
    last = (falling > excess).sum(axis=1) - 1
    return np.maximum(values - excess[np.arange(len(values)), last][:, None], 0)
