"""Who learns, and how often each is tried: those that take fifty times as long, less often."""

from collections.abc import Hashable

from sklearn.base import clone

from paclearn import (
    CorrelationBoostingRegressor,
    DirectSpectrumClassifier,
    DirectSpectrumRegressor,
    HalfspaceClassifier,
    JuntaClassifier,
    JuntaRegressor,
    OrderlyCorrelator,
    PolynomialL1Classifier,
    PolynomialL2Classifier,
    RegressionGraphClassifier,
    RegressionGraphEnsembleClassifier,
    RegressionGraphEnsembleRegressor,
    RegressionGraphRegressor,
    RuleClassifier,
    SpectralClassifier,
    SpectralRegressor,
)

SHORT = {"n_bins": 3, "random_state": 0}
CLASSIFIERS = [
    (12, JuntaClassifier(k=1)),
    (12, JuntaClassifier(k=2)),
    (8, JuntaClassifier(k=2, unit="bit", search="greedy")),
    (4, JuntaClassifier(k=range(1, 3), multiclass="accuracy", holdout=0.3, random_state=0)),
    (4, JuntaClassifier(search="greedy", measure="product", n_bins=2)),
    (12, RegressionGraphClassifier(max_splits=4)),
    (2, RegressionGraphClassifier(stop="validation", max_leaves=4, holdout=0.2, random_state=0)),
    (6, RegressionGraphEnsembleClassifier(n_estimators=2, max_splits=3, method="boosting", random_state=0)),
    (3, RegressionGraphEnsembleClassifier(n_estimators=2, max_splits=3, method="bagging", random_state=0)),
    (8, DirectSpectrumClassifier(degree=1)),
    (2, DirectSpectrumClassifier(degree=2, measure="chain", n_bins=2)),
    (6, PolynomialL2Classifier(degree=1)),
    (3, PolynomialL1Classifier(degree=1)),
    (4, HalfspaceClassifier(B=30, solver="online", n_passes=2, random_state=0)),
    (2, HalfspaceClassifier(B=30, kernel="rbf", random_state=0)),
    (1, HalfspaceClassifier(kernel="poly", degree=2, solver="features", n_landmarks=20, random_state=0)),
    (1, RuleClassifier(n_bins=3, random_state=0)),
    (0.5, RuleClassifier(max_rules=2, max_conditions=2, n_bins=3, holdout=0.3, random_state=0)),
    (1, SpectralClassifier(n_terms=4, **SHORT)),
    (0.5, SpectralClassifier(degree=1, measure="auto", basis="orthonormal", **SHORT)),
    (0.3, SpectralClassifier(degree=1, max_terms=2, **SHORT)),
    (0.2, SpectralClassifier(max_effects=2, **SHORT)),
    (0.1, SpectralClassifier(random_state=0)),
    (0.1, RuleClassifier(random_state=0)),
]
REGRESSORS = [
    (12, JuntaRegressor(k=1)),
    (8, JuntaRegressor(k=2)),
    (4, JuntaRegressor(k=[1, 3], search="greedy", holdout=0.3, random_state=0)),
    (12, RegressionGraphRegressor(max_splits=4)),
    (3, RegressionGraphRegressor(max_splits=20, max_leaves=3, merge=0, n_bins=8)),
    (2, RegressionGraphRegressor(stop="validation", min_samples_leaf=2, random_state=0)),
    (6, RegressionGraphEnsembleRegressor(n_estimators=2, max_splits=3, method="bagging", random_state=0)),
    (3, RegressionGraphEnsembleRegressor(n_estimators=2, max_splits=3, method="boosting", random_state=0)),
    (8, DirectSpectrumRegressor(degree=1)),
    (2, CorrelationBoostingRegressor(OrderlyCorrelator(), min_samples_leaf=1)),
    (1, CorrelationBoostingRegressor()),
    (1, SpectralRegressor(degree=1, **SHORT)),
    (0.4, SpectralRegressor(degree=1, loss="poisson", **SHORT)),
    (0.4, SpectralRegressor(degree=1, loss="gamma", **SHORT)),
    (0.4, SpectralRegressor(degree=1, loss="log", **SHORT)),
    (0.4, SpectralRegressor(degree=1, max_terms=3, loss="squared", **SHORT)),
    (0.2, SpectralRegressor(degree=1, max_effects=2, **SHORT)),
    (0.1, SpectralRegressor(random_state=0)),
]


def some_learner(of_classes: bool, target, rng):
    """One of them; the classes of one in ten that can have an order do have one."""
    weighted = CLASSIFIERS if of_classes else REGRESSORS
    shares = [weight for weight, _ in weighted]
    chosen = clone(weighted[int(rng.choice(len(weighted), p=[s / sum(shares) for s in shares]))][1])
    if isinstance(chosen, SpectralClassifier) and rng.random() < 0.1 and all(isinstance(v, Hashable) for v in target):
        chosen.set_params(ordered=list(dict.fromkeys(target)), max_effects=None)
    return chosen
