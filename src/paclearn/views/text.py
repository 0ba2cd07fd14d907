"""Models in words: for a terminal, for a notebook, and as Markdown. One row a kind of model in each table."""

from __future__ import annotations

from functools import singledispatch
from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING

from paclearn._text import aligned, html_table, markdown_table
from paclearn.exceptions import InputTypeError
from paclearn.models.graph_model import GraphModel
from paclearn.models.kernel_functions import Linear
from paclearn.models.kernel_model import KernelModel
from paclearn.models.linear import LinearModel
from paclearn.models.table_model import TableModel
from paclearn.views import graph_words, kernel_words, truth_table_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paclearn.models.decision_graph import DecisionGraph
    from paclearn.models.model import Model

__all__ = ["to_html", "to_markdown", "to_text"]

_IN_NOTEBOOK = 20
_WIDTH = 100


# ---- text ------------------------------------------------------------------------------------------------------------


@singledispatch
def to_text(model: Model, most: int) -> str:  # noqa: ARG001
    """A model for a terminal, at most so many terms or cells of it."""
    raise InputTypeError(f"{type(model).__name__} has no text")


@to_text.register
def _(model: LinearModel, most: int) -> str:
    lines = aligned([*_terms(model, most)], right=range(1, 1 + model.n_scores))
    return "\n".join([*lines, *_more_terms(model, most)])


@to_text.register
def _(model: TableModel, most: int) -> str:
    if model.counted is not None:
        return truth_table_text.to_text(model.counted, most)
    shown = _cells(model)[: most + 1]
    return "\n".join(
        [*aligned(shown), *([f"and {len(model.places()) - most} more cells"] if len(shown) > most else [])]
    )


@to_text.register
def _(model: GraphModel, most: int) -> str:  # noqa: ARG001 - a graph is told whole
    return "\n\n".join(f"{title}:\n\n{text}" if title else text for title, text in _graphs(model))


@to_text.register
def _(model: KernelModel, most: int) -> str:
    shown, right = _coordinates(model), range(1, 1 + model.n_scores)
    more = [f"and {len(shown) - 1 - most} more"] if len(shown) - 1 > most else []
    lines = aligned(shown[: most + 1], right if isinstance(model.kernel.base, Linear) else ())
    return "\n".join([*wrap(kernel_words.kernel_in_words(model), _WIDTH), "", *lines, *more])


def _coordinates(model: KernelModel) -> list[list[str]]:
    """What columns do, where their coordinates are added up; otherwise what becomes of them."""
    if isinstance(model.kernel.base, Linear):
        return kernel_words.rises(model)
    return kernel_words.columns_in_words(model)


def _terms(model: LinearModel, most: int) -> Iterator[list[str]]:
    """A head, the start, and the weightiest terms with what they add where they are true."""
    outputs = ["weight"] if model.n_scores == 1 else [f"weight[{name}]" for name in model.output_names]
    yield ["term", *outputs]
    yield ["(start)", *(f"{value:+.3f}" for value in model.intercept)]
    names, weights = model.term_names, model.true_weights
    for i in model.weightiest[:most]:
        yield [names[i], *(f"{weight:+.3f}" for weight in weights[i])]


def _more_terms(model: LinearModel, most: int) -> list[str]:
    return [f"and {len(model.terms) - most} more terms"] if len(model.terms) > most else []


def _cells(model: TableModel) -> list[list[str]]:
    rows = [[*names, _shown(model.said(place))] for place, names in model.places()]
    return [[*model.member_names, "prediction"], *rows]


def _shown(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _graphs(model: GraphModel) -> list[tuple[str, str]]:
    """Every graph under its class; one that is alone needs no title."""
    titles = [""] if len(model.graphs) == 1 else list(model.output_names)
    return [(title, graph_words.graph_to_text(graph)) for title, graph in zip(titles, model.graphs, strict=True)]


# ---- notebook --------------------------------------------------------------------------------------------------------


@singledispatch
def to_html(model: Model) -> str:
    """A model for a notebook; everything that came from the data is escaped."""
    return f"<pre>{escape(to_text(model, _IN_NOTEBOOK))}</pre>"


@to_html.register
def _(model: LinearModel) -> str:
    head, *rows = _terms(model, _IN_NOTEBOOK)
    return html_table(head, rows) + "".join(f"<p>{escape(note)}</p>" for note in _more_terms(model, _IN_NOTEBOOK))


@to_html.register
def _(model: TableModel) -> str:
    if model.counted is not None:
        return truth_table_text.to_html(model.counted)
    head, *rows = _cells(model)
    return html_table(head, rows[: truth_table_text.MOST_CELLS])


# ---- Markdown --------------------------------------------------------------------------------------------------------


@singledispatch
def to_markdown(model: Model) -> str:
    """A model as Markdown, whole, without its certificate."""
    raise InputTypeError(f"{type(model).__name__} cannot be written as Markdown")


_ADDED = "for every term, its weight where it is true and minus its weight where it is false"


@to_markdown.register
def _(model: LinearModel) -> str:
    names, weights = model.term_names, model.true_weights
    rows = [["(start)", *(f"{v:+.4g}" for v in model.intercept)]]
    rows += [[names[i], *(f"{w:+.4g}" for w in weights[i])] for i in model.weightiest]
    meaning = {
        "identity": f"The prediction is the start plus, {_ADDED}.",
        "logit": f"The score is the log-odds of {model.output_names[0]!r}: the start plus, {_ADDED}.",
        "softmax": f"Every class has a score: the start plus, {_ADDED}. The largest score wins.",
        "sign": f"The score is the start plus, {_ADDED}. Above nought it is {model.output_names[0]!r}.",
        "largest": f"Every class has a score: the start plus, {_ADDED}. The largest score wins.",
    }[model.link]
    return f"{meaning}\n\n" + markdown_table(["term", *model.output_names], rows)


@to_markdown.register
def _(model: TableModel) -> str:
    head, *rows = _cells(model)
    return markdown_table(head, rows)


@to_markdown.register
def _(model: GraphModel) -> str:
    titles = model.output_names
    return "\n\n".join(_graph_in_markdown(t, g) for t, g in zip(titles, model.graphs, strict=True))


def _graph_in_markdown(title: str, graph: DecisionGraph) -> str:
    """As it stands, line by line: whatever is in a name or a level stays in the block."""
    lines = ["    " + line for line in graph_words.graph_to_text(graph).splitlines()]
    return "\n".join([f"### {title}", "", *lines])


@to_markdown.register
def _(model: KernelModel) -> str:
    head, *rows = _coordinates(model)
    return f"{kernel_words.kernel_in_words(model)}\n\n" + markdown_table(head, rows)
