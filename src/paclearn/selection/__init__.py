"""System 2: which columns, and which combinations of columns, carry the information, and which are redundant."""

from paclearn.selection.redundancy import RedundancyFilter
from paclearn.selection.selector import FourierSelector

__all__ = ["FourierSelector", "RedundancyFilter"]
