"""The facts as one self-contained page. Everything that came from the data is escaped by the template engine."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._compat import need
from paclearn._text import figures as in_figures
from paclearn.models.links import exponential
from paclearn.report import figures
from paclearn.report.sentences import lead_rules, nothing_promised, rules_begin, shorten, told
from paclearn.views.effect_svg import effect_picture
from paclearn.views.score_words import short_percent

if TYPE_CHECKING:
    from paclearn.report.facts import Facts

__all__ = ["embedded_json", "framed", "to_html"]

_MOST_EMBEDDED = 1_000_000  # characters of a model that still goes into the page


def to_html(facts: Facts, *, in_frame: bool = False) -> str:
    """Fill the template. In a frame, links to its own sections would otherwise lead to the document around it."""
    environment = _environment()
    markup = need("markupsafe", "report", "writing a report").Markup
    drawings = {name: _drawing(getattr(figures, name), markup) for name in figures.__all__}
    drawings["effect"] = _drawing(effect_picture, markup)
    style, rule_script = _asset("page.css"), _asset("rule_panel.js")
    script = "".join(map(_asset, ("page_elements.js", "panel_values.js", "what_if.js")))
    model, rules = embedded_json(_to_run(facts)), facts["rules"]
    too_large = len(model) > _MOST_EMBEDDED
    fits = not too_large and bool(facts["what_if"]["columns"])
    page = environment.get_template("page.html.jinja")
    return str(
        page.render(
            **facts,
            in_frame=in_frame,
            draw=drawings,
            style=markup(style),
            script=markup(script) if fits else None,
            model_json=markup(model) if fits else None,
            model_too_large=too_large,
            rules_json=markup(embedded_json(rules["model"])) if fits and rules is not None else None,
            rule_script=markup(rule_script) if fits and rules is not None else None,
            rules_begin="" if rules is None else rules_begin(rules, facts["target"]["name"]),
            nothing_promised=nothing_promised(facts),
            lead_rules=[] if rules is None else [told(rule) for rule in lead_rules(rules)],
            policy=_policy(style, ([script] if rules is None else [script, rule_script]) if fits else []),
        )
    )


@cache
def _environment() -> Any:
    """The template engine, which reads a template once, however many pages are written."""
    jinja2 = need("jinja2", "report", "writing a report")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_asset),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {"percent": _percent, "number": _number, "thousands": "{:,}".format, "short": shorten}
    environment.filters |= {"exp": _exponential, "percent_more": short_percent}
    return environment


def _to_run(facts: Facts) -> dict[str, Any]:
    """The model in numbers: what the panel adds up, and where it starts."""
    effects = [
        {"columns": e["numbers"], "places": e["places"], "values": e["values"]} for e in facts["effects"]["effects"]
    ]
    return {**facts["what_if"], "intercept": facts["effects"]["start"], "effects": effects}


def framed(facts: Facts) -> str:
    """The page in a frame of its own: neither its style nor its program reaches the document around it."""
    title = escape(f"Report on {shorten(facts['target']['name'])}")
    look = "width:100%;height:80vh;min-height:30rem;border:1px solid #8884;border-radius:4px"
    page = escape(to_html(facts, in_frame=True))
    # the panel is a program, so programs may run; but the frame has no origin, and so no way out
    return f'<iframe title="{title}" sandbox="allow-scripts" style="{look}" srcdoc="{page}"></iframe>'


def embedded_json(value: Any) -> str:
    """JSON that is safe between script tags: no character in it can end the element or begin a comment."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _policy(style: str, programs: list[str]) -> str:
    """Nothing may be loaded, and only the page's own style and programs may run."""
    scripts = " ".join(map(_digest, programs)) or "'none'"
    own = f"script-src {scripts}; style-src {_digest(style)}"
    return f"default-src 'none'; {own}; img-src data:; base-uri 'none'; form-action 'none'"


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _asset(name: str) -> str:
    return files("paclearn.report").joinpath(name).read_text(encoding="utf-8").replace("\r\n", "\n")


def _drawing(draw: Any, markup: Any) -> Any:
    return lambda *arguments, **options: markup(draw(*arguments, **options))


def _percent(value: float | None, digits: int = 1) -> str:
    return "–" if value is None else f"{round(100 * value, digits) + 0.0:.{digits}f} %"  # and never -0.0


def _exponential(logarithm: float) -> float:
    return float(exponential(np.array(logarithm)))


def _number(value: float | None) -> str:
    return "–" if value is None else in_figures(value, 4)
