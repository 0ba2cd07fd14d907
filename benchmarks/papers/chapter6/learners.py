"""Chapter 6 of the thesis: where features come from, what learns from them, and how well."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.feature_selection import RFE, f_classif, f_regression
from sklearn.linear_model import LinearRegression, LogisticRegression, lars_path, orthogonal_mp
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.preprocessing import PolynomialFeatures
from sklearn.svm import SVC, SVR

from benchmarks.papers.chapter6.laws import assumed, draw
from paclearn import DirectSpectrumClassifier, DirectSpectrumRegressor, SpectralFeatures

EVERY_TERM = 10**6

# for classes and for numbers; as in the thesis, with the library's own settings
LEARNERS = {
    "linear": (lambda: LogisticRegression(max_iter=1000), LinearRegression),
    "linear SVM": (lambda: SVC(kernel="linear"), lambda: SVR(kernel="linear")),
    "polynomial SVM": (lambda: SVC(kernel="poly"), lambda: SVR(kernel="poly")),
    "RBF SVM": (SVC, SVR),
    "MLP": (lambda: MLPClassifier(random_state=0), lambda: MLPRegressor(random_state=0)),
    "neighbours": (KNeighborsClassifier, KNeighborsRegressor),
    "forest": (lambda: RandomForestClassifier(random_state=0), lambda: RandomForestRegressor(random_state=0)),
    "boosting": (lambda: GradientBoostingClassifier(random_state=0), lambda: GradientBoostingRegressor(random_state=0)),
}
TREES = ("forest", "boosting")
OTHERS = tuple(name for name in LEARNERS if name not in TREES)


@dataclass(frozen=True)
class Setting:
    """One point of one figure."""

    task: str
    law: str
    alpha: float
    n: int
    sources: tuple[str, ...]
    learners: tuple[str, ...] = ("linear",)
    sizes: tuple[int, ...] = (10, 25, 50, 100, 200)
    degree: int = 2
    share: float = 1.0  # of the repeats


def features(source, setting, X, y, Z):
    """The columns of the rows to learn from and to be judged by, the most wanted first."""
    if source == "raw":
        return X, Z
    if source == "naive" or not source.startswith("algorithm"):
        expand = PolynomialFeatures(setting.degree, interaction_only=True, include_bias=False).fit(X)
        F, G = expand.transform(X).astype(float), expand.transform(Z).astype(float)
        order = slice(None) if source == "naive" else RANKINGS[source](F, y, max(setting.sizes))
        return F[:, order], G[:, order]
    algorithm, _, law = source.partition(", ")
    basis = {"algorithm 2": "orthonormal", "algorithm 3": "parity"}[algorithm]
    measure = assumed(law or setting.law, X)
    terms = SpectralFeatures(setting.degree, EVERY_TERM, measure, basis, min_count=1).fit(X, y)
    return terms.transform(X), terms.transform(Z)


def by_p_value(F, y, most):  # noqa: ARG001
    p = (f_regression if y.dtype.kind == "f" else f_classif)(F, y)[1]
    return np.argsort(np.where(np.isnan(p), 1.0, p), kind="stable")


def by_elimination(F, y, most):  # noqa: ARG001
    """Five at a time, or a hundredth of many; one at a time would take as many times as long."""
    step = max(5, F.shape[1] // 100)
    return np.argsort(RFE(LogisticRegression(max_iter=200), n_features_to_select=5, step=step).fit(F, y).ranking_)


def by_lasso(F, y, most):
    """In the order in which features come into the path."""
    coefficients = lars_path(F - F.mean(axis=0), y - y.mean(), method="lasso", max_iter=2 * most)[2]
    return _by_entry(coefficients)


def by_pursuit(F, y, most):
    most = min(most, len(F) // 2)
    return _by_entry(orthogonal_mp(F - F.mean(axis=0), y - y.mean(), n_nonzero_coefs=most, return_path=True))


def _by_entry(path):
    entered = path.reshape(len(path), -1) != 0
    step = np.where(entered.any(axis=1), entered.argmax(axis=1), entered.shape[1])
    return np.argsort(step, kind="stable")[: max(1, int(entered.any(axis=1).sum()))]


RANKINGS = {"p-value": by_p_value, "elimination": by_elimination, "LASSO": by_lasso, "pursuit": by_pursuit}


def score(found, truth):
    """Accuracy in percent; for numbers, the share of the variance that is explained, in percent (100 less the MSE)."""
    if truth.dtype.kind == "f":
        return 100 * (1 - np.mean((found - truth) ** 2) / truth.var())
    return 100 * np.mean(found == truth)


def curve(setting, source, learner, columns, y, t):
    """The score against the number of features."""
    F, G = columns
    sizes = (F.shape[1],) if source in {"raw", "naive"} else setting.sizes
    make = LEARNERS[learner][int(y.dtype.kind == "f")]
    return [score(make().fit(F[:, :k], y).predict(G[:, :k]), t) for k in sizes]


def direct(setting, X, y, Z, t):
    """Algorithm 1 against the number of terms."""
    learner = DirectSpectrumRegressor if y.dtype.kind == "f" else DirectSpectrumClassifier
    model = learner(setting.degree, EVERY_TERM, assumed(setting.law, X), min_count=1).fit(X, y)
    whole, scores = model.spectrum_, []
    for k in setting.sizes:
        model.spectrum_ = whole.top(k)
        scores.append(score(model.predict(Z), t))
    return scores


def trial(setting, seed):
    """Every source of features with every learner, on one draw."""
    warnings.simplefilter("ignore")  # of solvers that stop early
    X, y, Z, t = draw(setting.task, setting.law, setting.alpha, setting.n, seed)
    scores = {}
    for source in setting.sources:
        if source == "algorithm 1":
            scores[source, "linear"] = direct(setting, X, y, Z, t)
            continue
        columns = features(source, setting, X, y, Z)
        for learner in setting.learners:
            scores[source, learner] = curve(setting, source, learner, columns, y, t)
    return scores


class Found:
    """Scores by source and learner, one row a draw."""

    def __init__(self, setting, repeats, jobs):
        draws = range(max(3, round(repeats * setting.share)))
        runs = Parallel(n_jobs=jobs)(delayed(trial)(setting, seed) for seed in draws)
        self.setting = setting
        self.scores = {key: np.array([run[key] for run in runs]) for key in runs[0]}

    def best(self, source, learner="linear"):
        """Scores of the draws, with the number of features that is best on average, as in the thesis."""
        scores = self.scores[source, learner]
        return scores[:, scores.mean(axis=0).argmax()]

    def at(self, size, source, learner="linear"):
        """Scores of the draws with so many features."""
        return self.scores[source, learner][:, self.setting.sizes.index(size)]
