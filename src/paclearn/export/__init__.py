"""The way out: model files, SQL, plain Python, Markdown and scorecards of fitted models."""

from paclearn.export.files import from_json, load, save, to_json
from paclearn.export.make import portable
from paclearn.export.model import PortableModel
from paclearn.export.scorecard import Scorecard, to_scorecard
from paclearn.export.write import to_markdown, to_python, to_sql

__all__ = [
    "PortableModel",
    "Scorecard",
    "from_json",
    "load",
    "portable",
    "save",
    "to_json",
    "to_markdown",
    "to_python",
    "to_scorecard",
    "to_sql",
]
