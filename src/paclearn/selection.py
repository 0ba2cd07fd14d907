"""What a discovery and a redundancy filter report."""

from paclearn.learners.selection import Equation, Finding

__all__ = ["Equation", "Finding"]
