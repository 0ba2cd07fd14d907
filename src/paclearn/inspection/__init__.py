"""Pictures. Each takes plain names and numbers, and imports matplotlib only when it draws."""

from paclearn.inspection.curve_plots import EffectDisplay, MarginCurveDisplay, PathDisplay
from paclearn.inspection.display import Display
from paclearn.inspection.effect_plots import (
    EffectBarsDisplay,
    EffectMapDisplay,
    EffectsDisplay,
    EffectStepsDisplay,
)
from paclearn.inspection.graph_plot import GraphDisplay
from paclearn.inspection.interaction_plots import HeatmapDisplay, NetworkDisplay
from paclearn.inspection.model_plots import CellsDisplay, CertificateDisplay, TermsDisplay
from paclearn.inspection.spectrum_plots import BarDisplay, StemDisplay
from paclearn.inspection.structure_plot import StructureDisplay

__all__ = [
    "BarDisplay",
    "CellsDisplay",
    "CertificateDisplay",
    "Display",
    "EffectBarsDisplay",
    "EffectDisplay",
    "EffectMapDisplay",
    "EffectStepsDisplay",
    "EffectsDisplay",
    "GraphDisplay",
    "HeatmapDisplay",
    "MarginCurveDisplay",
    "NetworkDisplay",
    "PathDisplay",
    "StemDisplay",
    "StructureDisplay",
    "TermsDisplay",
]
