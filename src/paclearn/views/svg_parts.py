"""Parts of pictures as SVG text: no scripts, colours by classes, all words escaped."""

from __future__ import annotations

from html import escape

__all__ = ["circle", "line", "rect", "svg", "text", "title"]


def svg(width: float, height: float, label: str, *parts: str, css: str = "") -> str:
    css = f' class="{css}"' if css else f' width="{width:g}" height="{height:g}"'
    stretch = ' preserveAspectRatio="none"' if css.endswith('cell"') else ""
    return (
        f'<svg{css} viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(label)}"{stretch}>'
        f"{''.join(parts)}</svg>"
    )


def text(x: float, y: float, text: str, *, anchor: str = "start", css: str = "", turn: float = 0) -> str:
    rotate = f' transform="rotate({turn:g} {x:.1f} {y:.1f})"' if turn else ""
    kind = f' class="{css}"' if css else ""
    kind += ' dominant-baseline="middle"' if turn else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{kind}{rotate}>{escape(text)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, css: str, width: float | None = None, inner: str = "") -> str:
    wide = "" if width is None else f' stroke-width="{width:.1f}"'
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{css}"{wide}>{inner}</line>'


def rect(x: float, y: float, width: float, height: float, css: str, inner: str = "") -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{height:.1f}" class="{css}">{inner}</rect>'
    )


def circle(x: float, y: float, radius: float, css: str, inner: str = "") -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" class="{css}">{inner}</circle>'


def title(text: str) -> str:
    return f"<title>{escape(text)}</title>"
