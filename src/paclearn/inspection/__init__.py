"""Pictures. Each takes plain names and numbers, and imports matplotlib only when it draws."""

from paclearn.inspection.interactions import HeatmapDisplay, NetworkDisplay

__all__ = ["HeatmapDisplay", "NetworkDisplay"]
