"""Fourier spectra of functions of bits under any measure."""

from paclearn.spectra import functions
from paclearn.spectra.correlated import CorrelatedExpansion
from paclearn.spectra.level_spectrum import LevelSpectrum, level_inverse_transform, level_transform
from paclearn.spectra.noise import noisy_copies
from paclearn.spectra.normal_forms import NormalFormSizes, normal_form_sizes
from paclearn.spectra.smoother import (
    degrees_of_freedom,
    direct_score,
    kernel_moments,
    prediction_std,
    smoothing_kernel,
)
from paclearn.spectra.spectrum import Spectrum
from paclearn.spectra.transforms import change_of_measure, inverse_transform, transform

__all__ = [
    "CorrelatedExpansion",
    "LevelSpectrum",
    "NormalFormSizes",
    "Spectrum",
    "change_of_measure",
    "degrees_of_freedom",
    "direct_score",
    "functions",
    "inverse_transform",
    "kernel_moments",
    "level_inverse_transform",
    "level_transform",
    "noisy_copies",
    "normal_form_sizes",
    "prediction_std",
    "smoothing_kernel",
    "transform",
]
