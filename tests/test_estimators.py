"""The scikit-learn contract, with no exceptions."""

import pytest
from registry import ESTIMATORS, OTHER_PATHS
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

import paclearn


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


# how a table is handed over: read by `tables` before any path begins, and checked on every class above
HANDED_OVER = {
    "check_array_api_input",
    "check_dtype_object",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_estimators_dtypes",
    "check_f_contiguous_array_estimator",
    "check_regressor_data_not_an_array",
    "check_regressors_int",
    "check_sample_weights_list",
    "check_sample_weights_not_an_array",
    "check_sample_weights_pandas_series",
    "check_supervised_y_2d",
}


def repeats(check):
    """Whether another check does the same with tables of another kind, which are read by the same code on all paths.

    Of arrays that can be written to, that cannot, and of single precision, those that cannot are the hardest.
    """
    name = check.func.__name__
    in_several_kinds = name.endswith(("_train", "_transformer_general"))
    return name in HANDED_OVER or (in_several_kinds and dict(check.keywords) != {"readonly_memmap": True})


def checks_of_other_paths():
    for row in OTHER_PATHS:
        for estimator, check in estimator_checks_generator(row, legacy=True):
            if not repeats(check):
                label = "".join(str(row).split())
                yield pytest.param(estimator, check, id=f"{label}-{check.func.__name__}")


@pytest.mark.parametrize(("estimator", "check"), list(checks_of_other_paths()))
def test_scikit_learn_checks_on_other_paths(estimator, check):
    check(estimator)


def test_every_estimator_has_one_row():
    names = [type(row).__name__ for row in ESTIMATORS]
    estimators = [name for name in paclearn.__all__ if hasattr(getattr(paclearn, name), "get_params")]
    assert sorted(names) == sorted(estimators)
    assert {type(row) for row in OTHER_PATHS} <= {type(row) for row in ESTIMATORS}
