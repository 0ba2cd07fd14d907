"""All estimators: what is listed here is checked everywhere.

`ESTIMATORS` has one row a class and meets every check of scikit-learn. `OTHER_PATHS` are settings under which other
code runs, each with the code it is there for; settings that differ in numbers only are not repeated. Where the same
code runs on fewer bins, terms or graphs, fewer are taken: the checks are about the contract, not about the fit.
"""

from paclearn import (
    BooleanEncoder,
    CorrelationBoostingRegressor,
    DirectSpectrumClassifier,
    DirectSpectrumRegressor,
    FourierSelector,
    HalfspaceClassifier,
    JuntaClassifier,
    JuntaRegressor,
    OrderlyCorrelator,
    PolynomialL1Classifier,
    PolynomialL2Classifier,
    RedundancyFilter,
    RegressionGraphClassifier,
    RegressionGraphEnsembleClassifier,
    RegressionGraphEnsembleRegressor,
    RegressionGraphRegressor,
    RuleClassifier,
    SpectralClassifier,
    SpectralFeatures,
    SpectralRegressor,
)

ESTIMATORS = [
    BooleanEncoder(),
    JuntaClassifier(),
    JuntaRegressor(),
    RedundancyFilter(),
    FourierSelector(random_state=0),
    SpectralClassifier(n_terms=4, n_bins=3, random_state=0),
    SpectralRegressor(degree=2, n_terms=4, n_bins=3, loss="squared", random_state=0),
    SpectralFeatures(n_terms=5, measure="auto"),
    DirectSpectrumClassifier(),
    DirectSpectrumRegressor(degree=1),
    PolynomialL2Classifier(degree=1),
    PolynomialL1Classifier(degree=1),
    HalfspaceClassifier(B=30, random_state=0),
    RegressionGraphRegressor(random_state=0),
    RegressionGraphClassifier(random_state=0),
    RegressionGraphEnsembleRegressor(n_estimators=4, method="bagging", max_splits=5, random_state=0),
    RegressionGraphEnsembleClassifier(n_estimators=3, method="boosting", max_splits=5, random_state=0),
    CorrelationBoostingRegressor(),
    OrderlyCorrelator(),
    RuleClassifier(n_bins=3, max_conditions=2, effort=1, random_state=0),
]

OTHER_PATHS = [
    BooleanEncoder(n_bins=3, min_count=0.1, max_levels=3),  # rare levels are merged, numbers are cut
    JuntaClassifier(k=range(1, 3), unit="bit"),  # members are bits; a certificate chooses the size
    JuntaClassifier(search="greedy", measure="product"),  # greedy search; the score of a product measure
    JuntaClassifier(multiclass="accuracy", n_jobs=2),  # a score that is not fused with counting; threads
    JuntaRegressor(k=[1, 3], search="greedy", n_jobs=2),  # greedy search over sums
    RedundancyFilter(depth=3, group_size=10, order="random", correct=False, random_state=0),  # draws its order
    FourierSelector(n_features=2, depth=1, unit="bit", redundancy=False, norm="l2"),  # ranks bits, by L2
    # numbers as bins; subsets of three; draws rows again and again
    FourierSelector(depth=3, numeric="bins", n_bins=3, redundancy=False, n_bootstrap=2, n_jobs=2, random_state=0),
    SpectralClassifier(degree=1, max_terms=2, n_bins=3, random_state=0),  # grows term by term, is cut back, is taught
    SpectralClassifier(degree=1, measure="uniform", basis="orthonormal", n_bins=3, random_state=0),  # no parities
    SpectralRegressor(
        measure="auto", selection="coefficient", n_terms=8, n_bins=3, random_state=0
    ),  # chooses its measure and its loss, ranks once
    SpectralClassifier(degree=1, max_effects=2, n_bins=3, random_state=0),  # a sum of tables
    SpectralRegressor(max_effects=1, n_bins=3, loss="squared", random_state=0),  # and of a number
    # ranks once, by coefficients; pairs, one at a time
    SpectralRegressor(degree=2, max_terms=2, n_bins=3, selection="coefficient", loss="squared", random_state=0),
    SpectralFeatures(degree=1, basis="orthonormal", measure="chain", threshold=0.01),  # functions of a chain
    HalfspaceClassifier(B=30, kernel="rbf", solver="online", n_passes=3, random_state=0),  # one row at a time
    # landmarks; rows left out choose B
    HalfspaceClassifier(kernel="poly", degree=2, solver="features", n_landmarks=10, random_state=0),
    RegressionGraphRegressor(stop="validation", min_samples_leaf=2, random_state=0),  # rows left out end the growth
    RegressionGraphRegressor(max_splits=20, max_leaves=3, merge=0, n_bins=8),  # never merges; cuts at quantiles
    RegressionGraphClassifier(stop="validation", max_leaves=4, random_state=0),  # rows left out; a limit of leaves
    RegressionGraphEnsembleRegressor(
        n_estimators=2, max_splits=5, random_state=0
    ),  # both methods, and rows out of bag choose
    # draws columns
    RegressionGraphEnsembleClassifier(n_estimators=2, method="boosting", max_features=1, random_state=0),
    CorrelationBoostingRegressor(OrderlyCorrelator(), min_samples_leaf=1),  # a weak regressor of our own
    RuleClassifier(max_rules=4, max_conditions=2, max_literals=6, effort=1, n_bins=3, random_state=0),  # within limits
    OrderlyCorrelator(epsilon=0.5),  # sets rare bits aside
]
