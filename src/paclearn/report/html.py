"""The facts as one self-contained page. Everything that came from the data is escaped by the template engine."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from paclearn._compat import need

__all__ = ["to_html"]


def to_html(facts: dict[str, Any]) -> str:
    """Fill the template."""
    jinja2 = need("jinja2", "report", "writing a report")
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters |= {"percent": _percent, "number": _number, "thousands": "{:,}".format}
    template = files("paclearn.report").joinpath("page.html.jinja").read_text(encoding="utf-8")
    return str(environment.from_string(template).render(**facts))


def _percent(value: float | None, digits: int = 1) -> str:
    return "–" if value is None else f"{100 * value:.{digits}f} %"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"
