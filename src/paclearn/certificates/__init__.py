"""How sure is that? Bounds on the error of fitted models."""

from paclearn.certificates.ball import kernel_ball
from paclearn.certificates.certificate import Certificate, tightest
from paclearn.certificates.fdr import q_values
from paclearn.certificates.final_exam import ErrorInterval, calibration_exam, error_interval
from paclearn.certificates.graph_bounds import gam_excess, graph_deviation, graph_error, graph_squared
from paclearn.certificates.heldout import chernoff, clopper_pearson, clopper_pearson_interval, heldout_squared
from paclearn.certificates.occam import junta_log_size, occam, occam_kl, occam_squared
from paclearn.certificates.theorems import bias_sample_size, junta_sample_size, largest_parity

__all__ = [
    "Certificate",
    "ErrorInterval",
    "bias_sample_size",
    "calibration_exam",
    "chernoff",
    "clopper_pearson",
    "clopper_pearson_interval",
    "error_interval",
    "gam_excess",
    "graph_deviation",
    "graph_error",
    "graph_squared",
    "heldout_squared",
    "junta_log_size",
    "junta_sample_size",
    "kernel_ball",
    "largest_parity",
    "occam",
    "occam_kl",
    "occam_squared",
    "q_values",
    "tightest",
]
