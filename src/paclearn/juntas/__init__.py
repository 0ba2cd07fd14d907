"""System 1: the best k columns and their truth table."""

from paclearn.juntas.classifier import JuntaClassifier
from paclearn.juntas.regressor import JuntaRegressor
from paclearn.juntas.render import cells_to_show
from paclearn.juntas.table import TruthTable

__all__ = ["JuntaClassifier", "JuntaRegressor", "TruthTable", "cells_to_show"]
