"""System 2: which columns, and which combinations of columns, carry the information, and which are redundant."""

from paclearn.learners.selection.discovery import discover
from paclearn.learners.selection.equations import Equation
from paclearn.learners.selection.findings import Discovery, Finding
from paclearn.learners.selection.fourier_selector import FourierSelector
from paclearn.learners.selection.redundancy_filter import RedundancyFilter

__all__ = ["Discovery", "Equation", "Finding", "FourierSelector", "RedundancyFilter", "discover"]
