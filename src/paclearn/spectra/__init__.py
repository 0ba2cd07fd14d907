"""Fourier spectra of functions of bits under any measure."""

from paclearn.spectra import functions
from paclearn.spectra.spectrum import Spectrum
from paclearn.spectra.transforms import inverse_transform, transform

__all__ = ["Spectrum", "functions", "inverse_transform", "transform"]
