"""Numbers that make no bound are refused in one line."""

import numpy as np
import pytest

from paclearn.certificates import (
    calibration_exam,
    chernoff,
    clopper_pearson,
    clopper_pearson_interval,
    error_interval,
    gam_excess,
    graph_deviation,
    graph_error,
    graph_squared,
    heldout_squared,
    junta_log_size,
    kernel_ball,
    occam,
    occam_kl,
    occam_squared,
    q_values,
    tightest,
)
from paclearn.exceptions import InputError

NO_BOUNDS = [
    (clopper_pearson, (10, 100, 1.5), "delta=1.5 must be a number between 0 and 1"),
    (clopper_pearson, (10, 100, 0), "delta=0 must be a number between 0 and 1"),
    (clopper_pearson, (-1, 100, 0.05), "errors=-1 must be a number >= 0"),
    (clopper_pearson, (10, 0, 0.05), "n=0 must be a number between 0 and inf"),
    (clopper_pearson_interval, (101, 100), "errors=101 must be at most the number of rows, n=100"),
    (chernoff, (np.nan, 100, 0.05), "errors=nan must be a number >= 0"),
    (occam, (10, 100, 5.0, 2.0), "delta=2.0 must be a number between 0 and 1"),
    (occam, (10, 100, -5.0, 0.05), "log_size=-5.0 must be a number >= 0"),
    (occam_kl, (10, np.nan, 5.0, 0.05), "n=nan must be a number between 0 and inf"),
    (occam_squared, (0.1, -3, 5, 2, 4, 1.0, 0.05, 1.0), "n=-3 must be a number between 0 and inf"),
    (occam_squared, (0.1, 100, 5, 7, 4, 1.0, 0.05, 1.0), "k=7 must be a whole number"),
    (heldout_squared, (0.1, 100, 1e200, 0.05, 1.0), "target_range=1e.200 must be a number from 0 to below 1e.154"),
    (junta_log_size, (0, 0, 4, 2), "n_units=0 must be a whole number >= 1"),
    (graph_deviation, (0, 3.0, 100, 0.05), "n_nodes=0 must be a whole number >= 1"),
    (graph_squared, (0.1, 1.0, -1.0, 100, 0.05, 1.0), "deviation=-1.0 must be a number >= 0"),
    (graph_error, (0.1, 0.1, 100, "x", 1.0), "delta='x' must be a number between 0 and 1"),
    (gam_excess, (100, 0, 1.0, 1.0, 0.05, 1.0), "n_columns=0 must be a whole number >= 1"),
    (kernel_ball, (0.1, 100, -1.0, 1.0, 0.05), "radius=-1.0 must be a number >= 0"),
    (error_interval, (np.array([np.nan]), 0.9, 0.05), "errors must be numbers in a line, one or more, and none of"),
    (error_interval, (np.ones(9), 1.2, 0.05), "share=1.2 must be a number between 0 and 1"),
    (calibration_exam, (np.array([1.5]), np.array([True]), 0.05), "said must be from 0 to 1; found 1.5 to 1.5"),
    (calibration_exam, (np.ones(2), np.array([True]), 0.05), r"as many of came as of said; found \(1,\) and \(2,\)"),
    (q_values, (np.array([0.1, -0.2]),), "p_values must be from 0 to 1; found -0.2 to 0.1"),
    (q_values, (0.1,), r"p_values must be numbers in a line; found float64 of shape \(\)"),
    (tightest, ([],), "no certificates were given"),
]


@pytest.mark.parametrize(("bound", "given", "said"), NO_BOUNDS, ids=lambda each: getattr(each, "__name__", ""))
def test_numbers_that_make_no_bound(bound, given, said):
    """Some were promises once, of at least -100 %, or of nan."""
    with pytest.raises(InputError, match=said):
        bound(*given)
