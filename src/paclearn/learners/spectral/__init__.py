"""System 3: readable models over levels, thresholds and their XORs."""

from paclearn.learners.spectral.spectral_classifier import SpectralClassifier
from paclearn.learners.spectral.spectral_regressor import SpectralRegressor

__all__ = ["SpectralClassifier", "SpectralRegressor"]
