"""HalfspaceClassifier."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from paclearn._blas_threads import one_blas_thread
from paclearn._compat import all_or_nothing, make_frame, validate_data
from paclearn._parameters import Between, Flag, OneOf, Rule, Such, Whole, check_parameters
from paclearn.certificates import kernel_ball
from paclearn.encoding import EncodingRules
from paclearn.exceptions import InputError, TargetError
from paclearn.learners.fitting import HELD_OUT, ClassLearner, ModelLearner, Rows
from paclearn.learners.halfspaces.halfspace_loss import LOSSES
from paclearn.learners.halfspaces.halfspace_solvers import Fitted, Settings, fit_sample
from paclearn.learners.halfspaces.halfspace_tuning import TUNING
from paclearn.learners.halfspaces.kernel_choice import KernelChoice, pulled_back
from paclearn.learners.halfspaces.radius_choice import Choice, Search, choose_ball
from paclearn.learners.halfspaces.subgradient import OnlineState, advance
from paclearn.learners.halfspaces.training_points import (
    Drawn,
    Points,
    first_points,
    more_points,
    precomputed_points,
)
from paclearn.learners.learned import Learned
from paclearn.learners.predicting import DecidesByScore
from paclearn.models.kernel_functions import Kernel, Precomputed
from paclearn.models.kernel_model import KernelModel
from paclearn.tables.table import ArrayTable
from paclearn.tables.target import class_target, classes_present

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from paclearn.certificates import Certificate
    from paclearn.learners.learned import Judged
    from paclearn.tables.table import Table

__all__ = ["HalfspaceClassifier"]


_PAPERS_NU = 0.5


def _goes_on(classifier: Any) -> bool:
    return bool(classifier.solver == "online")


@dataclass(eq=False, repr=False)
class HalfspaceClassifier(DecidesByScore, ClassLearner, ModelLearner):
    """A kernel classifier that competes with the margin error of the best halfspace, whatever the labels.

    Labels may be wrong anywhere, on purpose, on one side only: the error of the randomised prediction is at most the
    best halfspace's *margin* error (rows that it gets wrong, or that lie within the margin) plus a term that vanishes
    with more rows (Shalev-Shwartz, Shamir and Sridharan 2011, Theorem 1). The classifier is
    ``f(x) = clip(<v, psi(x)>, 0, 1)`` in the space of the kernel ``K = 1 / (1 - nu k)``, and v minimises the mean loss
    of ``<v, psi(x)>`` over ``|v|^2 <= B``.

    ``predict_proba`` gives the chances with which that randomised classifier says each class: ``f(x)`` for two classes;
    for more, the probabilities nearest to the values of the classes. They come from a loss that rows on the right side
    do not feel, and so crowd at 0 and 1; they are not calibrated.

    Parameters
    ----------
    B : float or "auto", default="auto"
        The largest squared norm: the larger, the steeper the functions it competes with. ``"auto"`` takes the one that
        predicts rows left out best; what the theory asks for, see `paclearn.halfspaces.suggest_B`, is astronomical.
    nu : float or "auto", default="auto"
        Between 0 and 1. Near 1, products of many coordinates weigh more. ``"auto"`` chooses it together with B, and is
        1/2, as in the article, where B is given.
    kernel : {"linear", "rbf", "poly", "precomputed"} or callable, default="linear"
        The inner product k in which the halfspace is one. A callable takes two matrices of rows.
    solver : {"auto", "batch", "online", "features"}, default="auto"
        ``"batch"`` solves the problem to ``tol``, with all kernel values in memory. ``"online"`` is Algorithm 1
        of the article: one step a row, no stored matrix. ``"features"`` works in the span of ``n_landmarks`` rows, at a
        cost linear in the rows. ``"auto"`` is ``"batch"`` up to 3000 different rows and ``"features"`` beyond.
    bias : bool, default=True
        Whether halfspaces may leave the origin: one more coordinate, the same for all rows.
    loss : {"one-sided", "absolute"}, default="one-sided"
        What a value f of ``<v, psi(x)>`` costs. ``"one-sided"`` is ``max(0, 1 - f)`` where y is 1 and ``max(0, f)``
        where it is 0: nothing beyond 0 and 1, where predictions are cut off. ``"absolute"`` is ``|f - y|``, the letter
        of the article. The theorems hold for both, and the first is the more accurate.
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
        How far from the least mean loss the result may be, for ``"batch"`` and ``"features"``.
    max_iter : int, default=5000
        At most this many steps towards that.
    min_count, max_levels : default=2, 500
        Rarer levels of a category are pooled, see `BooleanEncoder`.
    holdout : float or "auto", default=None
        Share of the rows to keep aside for an exact bound on the error; ``"auto"``: a fifth, of 200 rows or more.
    delta : float, default=0.05
        The probability with which the certificate may fail.
    random_state : int, RandomState instance or None, default=None
        Seed of the order of the rows, the folds and the landmarks.

    Attributes
    ----------
    model_ : KernelModel
        The model: it predicts, explains and, unless the kernel is a function or precomputed, can be exported.
    B_ : float
        The largest squared norm that was used.
    nu_ : float
        The nu that was used.
    validation_ : data frame or None
        Share of rows left out that every nu and B got wrong; None where B was given.
    solver_ : str
        The solver that was used.
    gap_ : float or None
        By how much the mean loss can be above the least there is, proved by a dual bound (the largest over
        the classes); None for the solver ``"online"`` and where the rows were too many to be solved at once.
    n_iter_ : int
        Steps of the solver ``"batch"`` or ``"features"``, passes of ``"online"``.
    anchors_ : ndarray
        The vectors of the rows that the function is a sum over (their numbers, for a precomputed kernel).
    dual_coef_ : ndarray of shape (n_anchors, n_outputs)
        ``f(x) = sum_j dual_coef_[j] K(x, anchors_[j])``.
    classes_ : ndarray
        The class labels.
    certificate_ : Certificate or None
        A bound on the error: of the randomised prediction by Rademacher averages, for two classes, or of ``predict`` on
        the rows held out, whichever is the smaller.
    certificates_ : list of Certificate
        All bounds, of which that is the tightest.
    exam_ : tuple of Certificate
        A bound on the calibration error, if rows were held out.
    heldout_rows_ : ndarray of int or None
        Numbers of the rows (of positive weight) that ``holdout`` kept out of the fit.

    Examples
    --------
    >>> from paclearn import HalfspaceClassifier
    >>> from paclearn.datasets import make_halfspace
    >>> data = make_halfspace(500, flipped=0, noise=0, random_state=0)
    >>> model = HalfspaceClassifier(B=100, random_state=0).fit(data.data, data.target)
    >>> model.gap_ < 1e-4
    True
    """

    _threshold = 0.5
    _parameters: ClassVar[dict[str, Rule]] = {
        "B": Between(0, inf) | OneOf("auto"),
        "nu": Between(0, 1) | OneOf("auto"),
        "kernel": OneOf("linear", "rbf", "poly", "precomputed") | Such(callable, "a function of two matrices of rows"),
        "solver": OneOf("auto", "batch", "online", "features"),
        "bias": Flag(),
        "loss": OneOf(*LOSSES),
        "gamma": Between(0, inf) | OneOf("scale"),
        "degree": Whole(1),
        "coef0": Between(0, inf, closed=True),
        "standardize": Flag(),
        "n_passes": Whole(1),
        "n_landmarks": Whole(1),
        "tol": Between(0, 1),
        "max_iter": Whole(1),
        **HELD_OUT,
    }

    model_: KernelModel = field(init=False)

    B: float | str = "auto"
    nu: float | str = "auto"
    kernel: Any = "linear"
    solver: str = "auto"
    bias: bool = True
    _: KW_ONLY
    loss: str = "one-sided"
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 1.0
    standardize: bool = True
    n_passes: int = 1
    n_landmarks: int = 500
    tol: float = 1e-4
    max_iter: int = 5000
    min_count: float = 2
    max_levels: int = 500
    holdout: float | str | None = None
    delta: float = 0.05
    random_state: Any = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.kernel == "precomputed":
            tags.input_tags.pairwise = True
            tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = False
            tags.input_tags.sparse = False
        return tags

    # ---- from rows to points ----

    def _table(self, X: Any, *, reset: bool) -> Table:
        if self.kernel != "precomputed":
            return super()._table(X, reset=reset)
        values = validate_data(self, X, reset=reset, dtype=np.float64)
        if reset and values.shape[0] != values.shape[1]:
            raise InputError(
                f"kernel='precomputed' takes kernel values of all pairs of rows: a square matrix was expected, "
                f"and X has shape {values.shape}"
            )
        return ArrayTable(values, tuple(f"x{i}" for i in range(values.shape[1])))

    def _drawn(self, rows: Rows) -> tuple[Drawn, Kernel]:
        """The different rows as points, and the kernel in which they lie in the unit ball; nu is settled later."""
        wanted = KernelChoice(self.kernel, _PAPERS_NU, self.bias, self.gamma, self.degree, self.coef0)
        if self.kernel == "precomputed":
            drawn = precomputed_points(rows)
        else:
            rules = EncodingRules(2, self.min_count, self.max_levels)
            drawn = first_points(rows, rules, standardize=bool(self.standardize))
        return drawn, wanted.settled(drawn)

    # ---- learning ----

    def _learn(self, train: Rows, rng: np.random.RandomState) -> Learned:
        drawn, kernel = self._drawn(train)
        kernel = self._choose(drawn, kernel, rng)
        sample = drawn.sample(len(self.classes_), self.B_, LOSSES[self.loss])
        settings = Settings(
            self.solver_, int(self.n_passes), int(self.n_landmarks), float(self.tol), int(self.max_iter)
        )
        self._keep(fit_sample(kernel, sample, settings, rng).without_noughts())
        return self._learned(drawn, kernel)

    def _choose(self, drawn: Drawn, kernel: Kernel, rng: np.random.RandomState) -> Kernel:
        """nu and B, given or by validation, and the solver."""
        self._choice: Choice | None = None
        if self.B == "auto":
            nu = None if self.nu == "auto" else float(self.nu)
            passes = int(self.n_passes) if self.solver == "online" else None
            search = Search.of(nu, LOSSES[self.loss], int(self.n_landmarks), passes)
            self._choice = choose_ball(search, kernel, drawn, len(self.classes_), rng)
            self.nu_, self.B_ = self._choice.best.nu, self._choice.best.radius
        else:
            self.nu_, self.B_ = _PAPERS_NU if self.nu == "auto" else float(self.nu), float(self.B)
        few = len(drawn) <= TUNING.batch_rows
        self.solver_ = self.solver if self.solver != "auto" else "batch" if few else "features"
        return replace(kernel, nu=self.nu_)

    def _keep(self, fitted: Fitted) -> None:
        self.anchors_, self.dual_coef_ = fitted.anchors, fitted.coefficients
        self._online: OnlineState | None = fitted.state
        self.gap_, self.n_iter_ = fitted.gap, fitted.n_iter

    def _learned(self, drawn: Drawn, kernel: Kernel) -> Learned:
        columns, codes, anchors, centre = drawn.columns, drawn.codes, self.anchors_, drawn.centre
        if isinstance(kernel.base, Precomputed):  # it reads kernel values with its anchors and no others
            columns, codes, centre = tuple(columns[i] for i in anchors), codes[:, anchors], centre[anchors]
            anchors = np.arange(len(anchors))
        return Learned(self._model(columns, kernel, anchors, centre), list(codes.T), drawn.kind)

    def _model(
        self, columns: Sequence[Any], kernel: Kernel, anchors: NDArray[Any], centre: NDArray[np.float64]
    ) -> KernelModel:
        about = self._about(self.classes_)
        return KernelModel(about, tuple(columns), kernel, self.B_, anchors, self.dual_coef_, centre)

    def _certify(self, train: Judged, held: Judged | None) -> Sequence[Certificate]:
        """By Rademacher averages for two classes, and by the rows held out; every row counts once."""
        trivial, delta, found = train.trivial, self._share_of_delta, []
        if len(self.classes_) == 2:
            losses = np.abs(np.clip(train.scores[:, 0], 0, 1) - train.rows.targets)
            error = train.rows.mean(np.round(losses, 12))  # beyond that, engines add up scores in their own order
            choices = 1 if self._choice is None else len(self._choice.errors)
            found.append(kernel_ball(error, train.n, self.B_, 1 / (1 - self.nu_), delta, trivial, choices))
        return [*found, *self._exam(held, trivial)]

    # ---- going on ----

    @available_if(_goes_on)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> HalfspaceClassifier:
        """Take steps for more rows (solver ``"online"``).

        The first call, or ``fit``, settles levels, scale, nu and B; its rows should be like those to come.

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
        check_parameters(self, self._parameters)
        if self.kernel == "precomputed":
            raise InputError("partial_fit needs rows; kernel='precomputed' has only kernel values of those of one fit")
        with all_or_nothing(self), one_blas_thread():
            self._take_steps(X, y, classes, sample_weight)
        return self

    def _take_steps(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> None:
        rng = check_random_state(self.random_state)
        self._online = vars(self).get("_online")
        first = self._online is None
        table = self._table(X, reset=first)
        if first:
            self.classes_ = _all_classes(classes)
        weights = self._weights(sample_weight, table)
        rows = Rows(table, self._known_classes(y, classes, table.n_rows), weights).counted()
        if first:
            drawn, kernel = self._drawn(rows)
            kernel = self._choose(drawn, kernel, rng)
            self._go_on(drawn, kernel, drawn.centre, rng)
        else:
            self._go_on(more_points(rows, self.model_.columns), self.model_.kernel, self.model_.centre, rng)

    def _known_classes(self, y: Any, classes: Any, n_rows: int) -> NDArray[np.intp]:
        if classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise TargetError(f"classes={classes!r} is not the same as on last call to partial_fit: {self.classes_!r}")
        labels, numbers = class_target(y, n_rows)
        unknown = labels[~np.isin(labels, self.classes_)]
        if len(unknown):
            raise TargetError(f"y holds classes that partial_fit was not told of: {unknown.tolist()[:5]}")
        return np.searchsorted(self.classes_, labels)[numbers]

    def _go_on(self, drawn: Drawn, kernel: Kernel, centre: NDArray[np.float64], rng: np.random.RandomState) -> None:
        more = drawn.sample(len(self.classes_), self.B_, LOSSES[self.loss])[rng.permutation(len(drawn))]
        rows = pulled_back(kernel, more.points.rows)
        more = replace(more, points=Points(rows, rows))
        state = OnlineState.start(0, more.targets.shape[1]) if self._online is None else self._online
        before = len(state.coefficients)
        anchors = np.concatenate([self.anchors_, rows]) if before else rows
        rate = np.sqrt(more.radius / (state.steps + more.counts.sum()))
        mine = np.arange(before, len(anchors))
        state = advance(kernel, anchors, more, state.grown(len(anchors)), mine, rate)
        self._keep(Fitted(anchors, state.average, None, 1, state))
        self._keep_certified(self._model(drawn.columns, kernel, anchors, centre), [])

    # ---- using it ----

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
        """Share of rows left out that every nu and B got wrong, or None where B was given."""
        self._check_fitted()
        if self._choice is None:
            return None
        balls, errors = zip(*self._choice.errors.items(), strict=True)
        return make_frame(
            {"nu": [ball.nu for ball in balls], "B": [ball.radius for ball in balls], "error": list(errors)}
        )


def _all_classes(classes: Any) -> NDArray[Any]:
    if classes is None:
        raise TargetError("classes must be passed on the first call to partial_fit: all that will ever occur")
    present, _ = classes_present(*class_target(classes, len(classes)))
    return present
