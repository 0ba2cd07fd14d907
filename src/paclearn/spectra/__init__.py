"""Fourier spectra of functions of bits under any measure."""

from paclearn.spectra import functions
from paclearn.spectra.noise import noisy_copies
from paclearn.spectra.smoother import degrees_of_freedom, direct_score, smoothing_kernel
from paclearn.spectra.spectrum import Spectrum
from paclearn.spectra.transforms import change_of_measure, inverse_transform, transform

__all__ = [
    "Spectrum",
    "change_of_measure",
    "degrees_of_freedom",
    "direct_score",
    "functions",
    "inverse_transform",
    "noisy_copies",
    "smoothing_kernel",
    "transform",
]
