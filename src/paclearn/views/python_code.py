"""A model as a Python file that predicts rows, with nothing to install."""

from __future__ import annotations

import json
import pprint
from importlib.resources import files
from typing import TYPE_CHECKING

from paclearn.views.model_file import file_content

if TYPE_CHECKING:
    from paclearn.models import Model

__all__ = ["to_python"]

_PLACE = "MODEL = {}\n"


def to_python(model: Model) -> str:
    """The text of `standalone`, with the model in its place."""
    before, after = files("paclearn.views").joinpath("standalone.py").read_text(encoding="utf-8").split(_PLACE)
    content = json.loads(json.dumps(file_content(model)))
    written = pprint.pformat(content, width=110, compact=True, sort_dicts=False)
    return f"{before}MODEL = {written}\n{after}"
