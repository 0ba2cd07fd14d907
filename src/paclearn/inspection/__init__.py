"""Pictures. Each takes plain names and numbers, and imports matplotlib only when it draws."""

from paclearn.inspection.effects import EffectDisplay
from paclearn.inspection.graph import GraphDisplay
from paclearn.inspection.interactions import HeatmapDisplay, NetworkDisplay
from paclearn.inspection.margins import MarginCurveDisplay
from paclearn.inspection.models import CellsDisplay, CertificateDisplay, TermsDisplay
from paclearn.inspection.path import PathDisplay
from paclearn.inspection.spectra import BarDisplay, StemDisplay
from paclearn.inspection.structure import StructureDisplay

__all__ = [
    "BarDisplay",
    "CellsDisplay",
    "CertificateDisplay",
    "EffectDisplay",
    "GraphDisplay",
    "HeatmapDisplay",
    "MarginCurveDisplay",
    "NetworkDisplay",
    "PathDisplay",
    "StemDisplay",
    "StructureDisplay",
    "TermsDisplay",
]
