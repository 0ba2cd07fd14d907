"""The scikit-learn contract, with no exceptions."""

from inspect import signature

import numpy as np
import pandas as pd
import pytest
from registry import ESTIMATORS, OTHER_PATHS
from sklearn.base import clone, is_classifier
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
    "check_sample_weight_equivalence_on_sparse_data",
    "check_sample_weights_list",
    "check_sample_weights_not_an_array",
    "check_sample_weights_pandas_series",
    "check_supervised_y_2d",
}

# what `fitting` and `predicting` do before a path begins and after it has ended, in one place for all of them
AROUND = {
    "check_classifier_data_not_an_array",
    "check_dont_overwrite_attributes",
    "check_dont_overwrite_parameters",
    "check_estimator_sparse_tag",
    "check_estimators_fit_returns_self",
    "check_estimators_overwrite_params",
    "check_estimators_unfitted",
    "check_fit1d",
    "check_fit2d_predict1d",
    "check_fit_check_is_fitted",
    "check_fit_score_takes_y",
    "check_n_features_in",
    "check_n_features_in_after_fitting",
    "check_pipeline_consistency",
    "check_positive_only_tag_during_fit",
    "check_readonly_memmap_input",
    "check_sample_weights_not_overwritten",
    "check_sample_weights_shape",
}


def repeats(check):
    """Whether the same code answers as did for the row of this class above, which meets every check.

    Of arrays that can be written to, that cannot, and of single precision, those that cannot are the hardest.
    """
    name, keywords = check.func.__name__, dict(check.keywords)
    in_several_kinds = name.endswith(("_train", "_transformer_general", "_pickle"))
    return name in HANDED_OVER | AROUND or (in_several_kinds and keywords != {"readonly_memmap": True})


def checks_of_other_paths():
    for row in OTHER_PATHS:
        for estimator, check in estimator_checks_generator(row, legacy=True):
            if not repeats(check):
                label = "".join(str(row).split())
                yield pytest.param(estimator, check, id=f"{label}-{check.func.__name__}")


@pytest.mark.parametrize(("estimator", "check"), list(checks_of_other_paths()))
def test_scikit_learn_checks_on_other_paths(estimator, check):
    check(estimator)


def takes_weights(estimator):
    return "sample_weight" in signature(estimator.fit).parameters and hasattr(estimator, "predict")


@pytest.mark.parametrize("estimator", [row for row in ESTIMATORS if takes_weights(row)], ids=repr)
def test_a_row_of_weight_three_is_three_rows(estimator):
    """On a table with something to learn: of the fifteen rows of scikit-learn's check many learn nothing."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, (120, 4)), columns=list("abcd"))
    X["rare"] = (rng.random(120) < 0.35).astype(int)  # there, y rises with a
    number = (np.where(X["rare"], X["a"], 1 - X["a"]) + (X["b"] ^ X["c"]) + rng.normal(0, 0.4, 120)).to_numpy()
    number = (number - number.min()) / np.ptp(number)
    y = np.where(number > 0.5, "up", "down") if is_classifier(estimator) else number
    times = rng.integers(0, 4, 120) * (1 + 4 * X["rare"].to_numpy())
    every = np.repeat(np.arange(120), times)
    weighted = clone(estimator).fit(X, y, sample_weight=times.astype(float))
    repeated, plain = clone(estimator).fit(X.iloc[every], y[every]), clone(estimator).fit(X, y)
    ask = next(how for how in ("predict_proba", "decision_function", "predict") if hasattr(weighted, how))
    found, same, other = (getattr(model, ask)(X) for model in (weighted, repeated, plain))
    np.testing.assert_allclose(found, same, atol=1e-9)
    assert np.abs(found - other).max() > 1e-6


def test_every_estimator_has_one_row():
    names = [type(row).__name__ for row in ESTIMATORS]
    estimators = [name for name in paclearn.__all__ if hasattr(getattr(paclearn, name), "get_params")]
    assert sorted(names) == sorted(estimators)
    assert {type(row) for row in OTHER_PATHS} <= {type(row) for row in ESTIMATORS}
