"""System 5: a kernel classifier that competes with the margin error of the best halfspace."""

from paclearn.halfspaces.classifier import HalfspaceClassifier

__all__ = ["HalfspaceClassifier"]
