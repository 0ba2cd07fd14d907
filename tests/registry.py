"""All estimators, one row each: what is listed here is checked everywhere."""

from paclearn import BooleanEncoder, JuntaClassifier, JuntaRegressor

ESTIMATORS = [
    BooleanEncoder(),
    BooleanEncoder(n_bins=3, min_count=0.1, max_levels=3),
    JuntaClassifier(),
    JuntaClassifier(k=range(1, 3), unit="bit"),
    JuntaClassifier(search="greedy", measure="product"),
    JuntaClassifier(multiclass="accuracy", n_jobs=2),
    JuntaRegressor(),
    JuntaRegressor(k=[1, 3], search="greedy", n_jobs=2),
]
