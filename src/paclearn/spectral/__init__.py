"""System 3: readable models over levels, thresholds and their XORs."""

from paclearn.spectral.classifier import SpectralClassifier
from paclearn.spectral.direct import DirectSpectrumClassifier, DirectSpectrumRegressor
from paclearn.spectral.features import SpectralFeatures
from paclearn.spectral.polynomial import PolynomialL1Classifier, PolynomialL2Classifier
from paclearn.spectral.regressor import SpectralRegressor

__all__ = [
    "DirectSpectrumClassifier",
    "DirectSpectrumRegressor",
    "PolynomialL1Classifier",
    "PolynomialL2Classifier",
    "SpectralClassifier",
    "SpectralFeatures",
    "SpectralRegressor",
]
