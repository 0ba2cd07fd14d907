"""System 1: the best k columns and their truth table."""

from paclearn.learners.juntas.junta_classifier import JuntaClassifier
from paclearn.learners.juntas.junta_regressor import JuntaRegressor
from paclearn.models.truth_table import TruthTable
from paclearn.views.truth_table_text import cells_to_show

__all__ = ["JuntaClassifier", "JuntaRegressor", "TruthTable", "cells_to_show"]
