"""System 1: the best k columns and their truth table."""

from paclearn.learners.juntas.junta_classifier import JuntaClassifier
from paclearn.learners.juntas.junta_regressor import JuntaRegressor

__all__ = ["JuntaClassifier", "JuntaRegressor"]
