"""System 2: which columns, and which combinations of columns, carry the information, and which are redundant."""

from paclearn.selection.discovery import discover
from paclearn.selection.equations import Equation
from paclearn.selection.findings import Discovery, Finding
from paclearn.selection.redundancy import RedundancyFilter
from paclearn.selection.selector import FourierSelector

__all__ = ["Discovery", "Equation", "Finding", "FourierSelector", "RedundancyFilter", "discover"]
