"""The way out: model files, SQL, plain Python, Markdown and scorecards of fitted models."""

from paclearn.learners.portable import portable
from paclearn.models.model import PortableModel
from paclearn.views.documents import to_markdown, to_python, to_sql
from paclearn.views.model_file import from_json, load, save, to_json
from paclearn.views.scorecard import Scorecard, to_scorecard

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
