"""Models a person can read, learned from tables of categories, with a bound on their error attached."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paclearn.certificates import Certificate
    from paclearn.encoding import BooleanEncoder, Domain
    from paclearn.learners.graphs import (
        CorrelationBoostingRegressor,
        OrderlyCorrelator,
        RegressionGraphClassifier,
        RegressionGraphEnsembleClassifier,
        RegressionGraphEnsembleRegressor,
        RegressionGraphRegressor,
    )
    from paclearn.learners.halfspaces import HalfspaceClassifier
    from paclearn.learners.juntas import JuntaClassifier, JuntaRegressor
    from paclearn.learners.rules import RuleClassifier, find_rules
    from paclearn.learners.selection import Discovery, FourierSelector, RedundancyFilter, discover
    from paclearn.learners.spectral import (
        SpectralClassifier,
        SpectralRegressor,
    )
    from paclearn.learners.thesis import (
        DirectSpectrumClassifier,
        DirectSpectrumRegressor,
        PolynomialL1Classifier,
        PolynomialL2Classifier,
        SpectralFeatures,
    )
    from paclearn.report import Report
    from paclearn.tables.files import open_table

__version__ = "0.2.0"

__all__ = [
    "BooleanEncoder",
    "Certificate",
    "CorrelationBoostingRegressor",
    "DirectSpectrumClassifier",
    "DirectSpectrumRegressor",
    "Discovery",
    "Domain",
    "FourierSelector",
    "HalfspaceClassifier",
    "JuntaClassifier",
    "JuntaRegressor",
    "OrderlyCorrelator",
    "PolynomialL1Classifier",
    "PolynomialL2Classifier",
    "RedundancyFilter",
    "RegressionGraphClassifier",
    "RegressionGraphEnsembleClassifier",
    "RegressionGraphEnsembleRegressor",
    "RegressionGraphRegressor",
    "Report",
    "RuleClassifier",
    "SpectralClassifier",
    "SpectralFeatures",
    "SpectralRegressor",
    "__version__",
    "discover",
    "find_rules",
    "open_table",
]

# where each name is at home: imported when it is asked for, so that the command can look at the limits of its process
# before numpy, scipy and scikit-learn take theirs, and what nobody uses takes no time
_ROOMS = {
    "certificates": ("Certificate",),
    "encoding": ("BooleanEncoder", "Domain"),
    "learners.graphs": ("RegressionGraph", "CorrelationBoosting", "OrderlyCorrelator"),
    "learners.halfspaces": ("HalfspaceClassifier",),
    "learners.juntas": ("JuntaClassifier", "JuntaRegressor"),
    "learners.rules": ("RuleClassifier", "find_rules"),
    "learners.selection": ("Discovery", "FourierSelector", "RedundancyFilter", "discover"),
    "learners.spectral": ("SpectralClassifier", "SpectralRegressor"),
    "learners.thesis": ("DirectSpectrum", "Polynomial", "SpectralFeatures"),
    "report": ("Report",),
    "tables.files": ("open_table",),
}
_HOMES = {name: f"paclearn.{room}" for room, heads in _ROOMS.items() for name in __all__ if name.startswith(heads)}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name.startswith("_") or find_spec(f"paclearn.{name}") is None:
        raise AttributeError(f"module 'paclearn' has no attribute {name!r}")
    return import_module(f"paclearn.{name}")


def __dir__() -> list[str]:
    return __all__
