"""Models a person can read, learned from tables of categories, with a bound on their error attached."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from paclearn.certificates import Certificate
from paclearn.encoding import BooleanEncoder, Domain
from paclearn.learners.juntas import JuntaClassifier, JuntaRegressor
from paclearn.tables.files import open_table

if TYPE_CHECKING:
    from paclearn.learners.graphs import (
        CorrelationBoostingRegressor,
        OrderlyCorrelator,
        RegressionGraphClassifier,
        RegressionGraphEnsembleClassifier,
        RegressionGraphEnsembleRegressor,
        RegressionGraphRegressor,
    )
    from paclearn.learners.halfspaces import HalfspaceClassifier
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

# scikit-learn's own selectors, which ours are built on, take a quarter of a second to import: only where they are used
_ROOMS = {
    "selection": ("Discovery", "FourierSelector", "RedundancyFilter", "discover"),
    "spectral": ("SpectralClassifier", "SpectralRegressor"),
    "thesis": ("DirectSpectrum", "Polynomial", "SpectralFeatures"),
    "graphs": ("RegressionGraph", "CorrelationBoosting", "OrderlyCorrelator"),
    "halfspaces": ("HalfspaceClassifier",),
    "rules": ("RuleClassifier", "find_rules"),
}
_LATER = {
    name: f"paclearn.learners.{room}" for room, heads in _ROOMS.items() for name in __all__ if name.startswith(heads)
} | {"Report": "paclearn.report"}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'paclearn' has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)


def __dir__() -> list[str]:
    return __all__
