"""The scikit-learn contract, with no exceptions."""

from registry import ESTIMATORS
from sklearn.utils.estimator_checks import parametrize_with_checks


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
