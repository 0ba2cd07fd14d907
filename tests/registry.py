"""All estimators, one row each: what is listed here is checked everywhere."""

from paclearn import (
    BooleanEncoder,
    FourierSelector,
    JuntaClassifier,
    JuntaRegressor,
    RedundancyFilter,
    SpectralClassifier,
    SpectralRegressor,
)

ESTIMATORS = [
    BooleanEncoder(),
    BooleanEncoder(n_bins=3, min_count=0.1, max_levels=3),
    JuntaClassifier(),
    JuntaClassifier(k=range(1, 3), unit="bit"),
    JuntaClassifier(search="greedy", measure="product"),
    JuntaClassifier(multiclass="accuracy", n_jobs=2),
    JuntaRegressor(),
    JuntaRegressor(k=[1, 3], search="greedy", n_jobs=2),
    RedundancyFilter(),
    RedundancyFilter(depth=3, group_size=10, order="random", correct=False, random_state=0),
    FourierSelector(random_state=0),
    FourierSelector(n_features=2, depth=1, unit="bit", redundancy=False, norm="l2"),
    SpectralClassifier(random_state=0),
    SpectralClassifier(max_terms=3, random_state=0),
    SpectralClassifier(degree=1, measure="uniform", basis="orthonormal", random_state=0),
    SpectralRegressor(random_state=0),
    SpectralRegressor(degree=2, max_terms=3, selection="coefficient", random_state=0),
    FourierSelector(depth=3, numeric="bins", n_bins=3, redundancy=False, n_bootstrap=2, n_jobs=2, random_state=0),
]
