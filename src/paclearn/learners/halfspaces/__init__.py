"""System 5: a kernel classifier that competes with the margin error of the best halfspace.

Theorems, lemmas and equations have their numbers in Shalev-Shwartz, Shamir and Sridharan, "Agnostically learning
halfspaces with margin errors" (TTIC-TR-2009-4), which became "Learning kernel-based halfspaces with the 0-1 loss"
(2011).
"""

from paclearn.learners.halfspaces.halfspace_classifier import HalfspaceClassifier

__all__ = ["HalfspaceClassifier"]
