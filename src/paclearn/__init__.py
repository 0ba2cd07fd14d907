"""Models a person can read, learned from tables of categories, with a bound on their error attached."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from paclearn._files import open_table
from paclearn.certificates import Certificate
from paclearn.encoding import BooleanEncoder, Domain
from paclearn.juntas import JuntaClassifier, JuntaRegressor

if TYPE_CHECKING:
    from paclearn.graphs import (
        CorrelationBoostingRegressor,
        OrderlyCorrelator,
        RegressionGraphClassifier,
        RegressionGraphEnsembleClassifier,
        RegressionGraphEnsembleRegressor,
        RegressionGraphRegressor,
    )
    from paclearn.halfspaces import HalfspaceClassifier
    from paclearn.selection import Discovery, FourierSelector, RedundancyFilter, discover
    from paclearn.spectral import (
        DirectSpectrumClassifier,
        DirectSpectrumRegressor,
        PolynomialL1Classifier,
        PolynomialL2Classifier,
        SpectralClassifier,
        SpectralFeatures,
        SpectralRegressor,
    )

__version__ = "0.1.0"

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
    "SpectralClassifier",
    "SpectralFeatures",
    "SpectralRegressor",
    "__version__",
    "discover",
    "open_table",
]

# scikit-learn's own selectors, which ours are built on, take a quarter of a second to import: only where they are used
_LATER = dict.fromkeys(("Discovery", "FourierSelector", "RedundancyFilter", "discover"), "paclearn.selection")
_LATER |= {name: "paclearn.spectral" for name in __all__ if name.startswith(("Spectral", "DirectS", "Polynomial"))}

_LATER |= {name: "paclearn.graphs" for name in __all__ if name.startswith(("RegressionG", "Correlation", "Orderly"))}
_LATER |= {"HalfspaceClassifier": "paclearn.halfspaces"}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'paclearn' has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)


def __dir__() -> list[str]:
    return __all__
