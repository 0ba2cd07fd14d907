"""System 3: readable models over levels, thresholds and their XORs."""

from paclearn.spectral.classifier import SpectralClassifier
from paclearn.spectral.regressor import SpectralRegressor

__all__ = ["SpectralClassifier", "SpectralRegressor"]
