"""SpectralClassifier."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import ClassifierMixin

from paclearn.certificates import clopper_pearson, occam_kl, tightest
from paclearn.learners.spectral.forward import Stage
from paclearn.learners.spectral.losses import LogLoss, SoftmaxLoss
from paclearn.learners.spectral.ridge import LinearFit
from paclearn.learners.spectral.spectral_base import Rows, SpectralBase, price_of_integers
from paclearn.tables.target import class_target, classes_present

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.learners.spectral.losses import Loss

__all__ = ["SpectralClassifier"]

_STEPS_A_WEIGHT = 64


class SpectralClassifier(ClassifierMixin, SpectralBase):
    """A logistic model over named terms: levels, thresholds, and XORs of two or three of them.

    By default all single bits are in the model, and the interactions that explain most of what these leave; how many,
    of what degree and with which penalty is decided on rows left out, and the winner is fitted to all rows. With
    ``max_terms`` the model grows from nothing, one best term at a time, beyond its limit, and is cut back to it.

    Parameters
    ----------
    degree : {1, 2, 3, "auto"}, default="auto"
        Bits an interaction may have. ``"auto"`` tries two, and three where that is cheap.
    n_terms : int or "auto", default="auto"
        How many interactions beside the single bits.
    max_terms : int, default=None
        At most this many terms in all: the best model of that size.
    measure : {"product", "uniform", "chain", "tree", "auto"} or Measure, default="product"
        The law of the bits under which interactions are ranked. ``"auto"`` takes the one of the four under which rows
        left out are most probable.
    basis : {"parity", "orthonormal"}, default="parity"
        Whether terms are products of signs, or of the measure's own functions.
    selection : {"residual", "coefficient"}, default="residual"
        Rank interactions by what the single bits leave unexplained, or by their coefficients, once (the thesis's rule).
    n_bins, min_count, max_levels : default=32, 2, 500
        How columns become bits, see `BooleanEncoder`. Tables of many columns get fewer bins.
    holdout : float, default=None
        Share of the rows to keep out of the fit and to bound the error with.
    delta : float, default=0.05
        Probability with which the certificate may fail.
    random_state : int, RandomState instance or None, default=None
        Draws the folds and the held-out rows.

    Attributes
    ----------
    terms_ : data frame
        The model: every term with its weight and standard error, the weightiest first. A term adds its weight to the
        score where it is true and subtracts it where it is false; the score is the log-odds of the second class, or one
        score a class where there are more.
    intercept_ : ndarray
        What the score starts from.
    n_terms_ : int
        How many terms there are.
    degree_ : int
        The size of the largest.
    path_ : data frame
        Loss on rows left out against the number of terms.
    certificate_ : Certificate
        A bound on the error: Occam's on the rows of the fit, or Clopper-Pearson's on those held out.
    measure_ : Measure or None
        The fitted measure; None for independent bits.
    domain_ : Domain
        What the bits mean.
    classes_ : ndarray
        The class labels.
    n_features_in_ : int
        Number of columns seen in ``fit``.
    feature_names_in_ : ndarray of str
        Their names, where they had names.

    Examples
    --------
    >>> from paclearn import SpectralClassifier
    >>> from paclearn.datasets import make_parity
    >>> data = make_parity(1000, n_columns=20, k=3, noise=0.1, random_state=0)
    >>> model = SpectralClassifier(max_terms=1, degree=3, random_state=0).fit(data.data, data.target)
    >>> model.terms_["term"].tolist() == [" XOR ".join(f"x{i}=1" for i in data.relevant)]
    True
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SpectralClassifier:
        """Choose the terms and fit their weights.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table.
        y : array-like of shape (n_rows,)
            The classes.
        sample_weight : array-like of shape (n_rows,), default=None
            How many times each row counts, if all are whole numbers; otherwise relative weights. Certificates count
            every row of positive weight once.

        Returns
        -------
        SpectralClassifier
            The fitted classifier.
        """
        self._fit(X, y, sample_weight)
        return self

    def _read_target(self, y: Any, n_rows: int) -> NDArray[np.float64]:
        self.classes_, numbers = class_target(y, n_rows)
        return numbers.astype(np.float64)

    def _settle(self, targets: NDArray[np.float64]) -> NDArray[np.float64]:
        self.classes_, numbers = classes_present(self.classes_, targets.astype(np.intp))
        return numbers.astype(np.float64)

    def _prepare(self, targets: NDArray[np.float64], counts: NDArray[np.float64]) -> tuple[Loss, NDArray[np.float64]]:  # noqa: ARG002
        if len(self.classes_) == 2:
            return LogLoss(), targets[:, None]
        return SoftmaxLoss(), np.eye(len(self.classes_))[targets.astype(np.intp)]

    def _groups(self, targets: NDArray[np.float64]) -> NDArray[np.intp]:
        return targets.astype(np.intp)

    def _output_labels(self) -> list[str]:
        return [""] if len(self.classes_) == 2 else [f"[{label}]" for label in self.classes_]

    def _keep(self, stage: Stage) -> None:
        """Weights are kept to a sixty-fourth of the largest: no worse, easier to read, and one of finitely many."""
        largest = max(np.abs(stage.fit.weights).max(initial=0.0), 1e-6)
        step = 2.0 ** np.ceil(np.log2(largest / _STEPS_A_WEIGHT))
        weights, intercept = np.round(stage.fit.weights / step), np.round(stage.fit.intercept / step)
        self._digits = price_of_integers(weights) + price_of_integers(intercept) + price_of_integers([np.log2(step)])
        super()._keep(Stage(stage.terms, stage.problem, LinearFit(weights * step, intercept * step)))

    def _certify(self, train: Rows, held: Rows | None) -> None:
        """Every row of positive weight counts once."""
        trivial = 1 - float(np.bincount(train.targets.astype(np.intp)).max() / train.n)
        delta = self.delta if held is None else self.delta / 2
        found = [occam_kl(self._missed(train), train.n, self._log_choices() + self._digits, delta, trivial)]
        if held is not None:
            found.append(clopper_pearson(self._missed(held), held.n, delta, trivial))
        self.certificates_ = found
        self.certificate_ = replace(tightest(found), delta=self.delta)

    def _missed(self, rows: Rows) -> int:
        return int((_classes(self._scores_of(rows.table)) != rows.targets).sum())

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table, with the columns of ``fit``.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Probabilities, in the order of ``classes_``.
        """
        scores = self._scores(X)
        if len(self.classes_) == 2:
            up = LogLoss().predictions(scores)[:, 0]
            return np.column_stack([1 - up, up])
        return SoftmaxLoss().predictions(scores)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Scores: the log-odds of the second class, or one score a class.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table, with the columns of ``fit``.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            Scores.
        """
        scores = self._scores(X)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of every row.

        Parameters
        ----------
        X : data frame, array, sparse matrix or table file of shape (n_rows, n_columns)
            The table, with the columns of ``fit``.

        Returns
        -------
        ndarray of shape (n_rows,)
            Class labels.
        """
        chosen = _classes(self._scores(X))
        return self.classes_[chosen]


def _classes(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    return (scores[:, 0] > 0).astype(np.intp) if scores.shape[1] == 1 else scores.argmax(axis=1)
