"""System 3 as the thesis has it: learners that take one look at the coefficients."""

from paclearn.learners.thesis.direct_spectrum import DirectSpectrumClassifier, DirectSpectrumRegressor
from paclearn.learners.thesis.polynomial_regression import PolynomialL1Classifier, PolynomialL2Classifier
from paclearn.learners.thesis.spectral_features import SpectralFeatures

__all__ = [
    "DirectSpectrumClassifier",
    "DirectSpectrumRegressor",
    "PolynomialL1Classifier",
    "PolynomialL2Classifier",
    "SpectralFeatures",
]
