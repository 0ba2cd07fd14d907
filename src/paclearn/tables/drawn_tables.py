"""Tables drawn with bars and dashes, as consoles of databases, Markdown and lists of SAP have them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from paclearn._compat import need
from paclearn.tables.letters import head_of

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["without_drawing"]

_HEAD, _FIRST_LINES, _MOST = 2**17, 20, 0.8  # bytes and lines that are looked at; most of the lines
_RULE = re.compile(rb"(?m)^(?=.*(?:---|===))[-+|=: \t]+\r?$\n?")
_EDGES = re.compile(rb"(?m)^[ \t]*\|(.*)\|[ \t]*(?=\r?$)")


def without_drawing(text: Any) -> tuple[Any, tuple[str, ...]]:
    """A text without lines of dashes and without bars at ends of lines, and what was found; most stay as they are."""
    lines = head_of(text, _HEAD).splitlines()
    drawn = [_RULE.fullmatch(line) is not None for line in lines]
    others = [line for line, is_rule in zip(lines, drawn, strict=True) if line.strip() and not is_rule]
    if not any(drawn[:_FIRST_LINES]) or not _mostly(others, lambda line: b"|" in line):
        return text, ()
    content = _RULE.sub(b"", text.to_pybytes())
    if _mostly(others, _EDGES.fullmatch):
        content = _EDGES.sub(rb"\1", content)
    return need("pyarrow", "io", "reading CSV").py_buffer(content), ("lines of dashes left out",)


def _mostly(lines: Sequence[bytes], fits: Any) -> bool:
    return sum(bool(fits(line)) for line in lines) > _MOST * len(lines)
