"""Models in words: for a terminal, for a notebook, and as Markdown. One row a kind of model in each table."""

from __future__ import annotations

from functools import singledispatch
from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING

from paclearn._text import aligned, figures, html_table, markdown_table
from paclearn.exceptions import InputError, InputTypeError
from paclearn.models.additive_model import AdditiveModel
from paclearn.models.asked_class import of_asked_class
from paclearn.models.graph_mean import MeanModel
from paclearn.models.graph_model import GraphModel
from paclearn.models.kernel_functions import Linear
from paclearn.models.kernel_model import KernelModel
from paclearn.models.linear import LinearModel
from paclearn.models.links import exponential
from paclearn.models.points import PointsModel
from paclearn.models.rule_model import RuleModel
from paclearn.models.table_model import TableModel
from paclearn.models.weak_graph import WeakGraphModel
from paclearn.views import additive_words, graph_words, kernel_words, rule_words, truth_table_text
from paclearn.views.effect_html import effects_html
from paclearn.views.effect_pieces import pieces_of
from paclearn.views.effect_summary import smaller_effects, summary_of_effects
from paclearn.views.score_words import ladder_in_words, short_percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paclearn.models.decision_graph import DecisionGraph
    from paclearn.models.graph_sum import GraphSum
    from paclearn.models.model import Model

__all__ = ["terms_to_text", "to_html", "to_markdown", "to_text"]

_IN_NOTEBOOK = 20
_WIDTH = 100


# ---- text ------------------------------------------------------------------------------------------------------------


def to_text(model: Model, most: int) -> str:
    """A model for a terminal, at most so many terms or cells of it."""
    asked = of_asked_class(model)
    return "\n\n".join([_text(asked, most), *_turned_round(model, asked)])


def _turned_round(model: Model, asked: Model) -> list[str]:
    """That words speak of another class than scores do."""
    if asked is model:
        return []
    classes = asked.about.classes or ()
    note = f"(decision_function, terms_ and effects_ go by {classes[0]!r}, the last of classes_: signs are turned.)"
    return ["\n".join(wrap(note, _WIDTH))]


@singledispatch
def _text(model: Model, most: int) -> str:  # noqa: ARG001
    raise InputTypeError(f"{type(model).__name__} has no text")


@_text.register
def _(model: LinearModel, most: int) -> str:
    """All its terms where they are few; otherwise, and in percents, what they add up to, which is what one reads."""
    if isinstance(model, PointsModel) or (len(model.terms) <= most and not model.logarithmic):
        return _all_terms(model, most)
    try:
        return summary_of_effects(model, most)
    except InputError:  # effects of more cells than anybody could look at
        return _all_terms(model, most)


def terms_to_text(model: LinearModel, most: int) -> str:
    """What terms add up to, and the weightiest as they are."""
    asked = of_asked_class(model)
    return "\n\n".join([_all_terms(asked, most), *_turned_round(model, asked)])


def _all_terms(model: LinearModel, most: int) -> str:
    lines = aligned([*_terms(model, most)], right=range(1, 1 + model.n_scores))
    if isinstance(model, PointsModel) and not model.terms:
        lines += ["", "No condition says more than chance would: the start is all there is."]
    in_percent = isinstance(model, PointsModel) and model.logarithmic
    meaning = _IN_PERCENT if in_percent else _meaning_of_terms(model)
    return "\n".join([*wrap(meaning, _WIDTH), "", *lines, *_more_terms(model, most)])


@_text.register
def _(model: AdditiveModel, most: int) -> str:
    lines = aligned([*additive_words.effect_rows(model, most)], right=range(1, 1 + model.n_scores))
    meaning = wrap(_meaning_of_effects(model), _WIDTH)
    return "\n".join([*meaning, "", *lines, *smaller_effects(len(model.tables) - most)])


@_text.register
def _(model: TableModel, most: int) -> str:
    if model.counted is not None:
        return truth_table_text.to_text(model.counted, most)
    shown = _cells(model)[: most + 1]
    return "\n".join(
        [*aligned(shown), *([f"and {len(model.places()) - most} more cells"] if len(shown) > most else [])]
    )


@_text.register
def _(model: GraphModel, most: int) -> str:  # noqa: ARG001 - a graph is told whole
    return _titled(model, [graph_words.graph_to_text(graph) for graph in model.graphs])


@_text.register
def _(model: WeakGraphModel, most: int) -> str:  # noqa: ARG001 - a graph is told whole
    return graph_words.graph_to_text(model.graph)


@_text.register
def _(model: MeanModel, most: int) -> str:
    return _titled(model, [_sum_in_text(total, most) for total in model.sums])


@_text.register
def _(model: KernelModel, most: int) -> str:
    shown, right = _coordinates(model), range(1, 1 + model.n_scores)
    more = [f"and {len(shown) - 1 - most} more"] if len(shown) - 1 > most else []
    lines = aligned(shown[: most + 1], right if isinstance(model.kernel.base, Linear) else ())
    return "\n".join([*wrap(kernel_words.kernel_in_words(model), _WIDTH), "", *lines, *more])


@_text.register
def _(model: RuleModel, most: int) -> str:
    return rule_words.rules_to_text(model, most)


def _coordinates(model: KernelModel) -> list[list[str]]:
    """What columns do, where their coordinates are added up; otherwise what becomes of them."""
    if isinstance(model.kernel.base, Linear):
        return kernel_words.rises(model)
    return kernel_words.columns_in_words(model)


def _terms(model: LinearModel, most: int) -> Iterator[list[str]]:
    """A head, the start, and the weightiest terms with what they add where they are true."""
    if isinstance(model, PointsModel) and model.logarithmic:
        yield from _percents(model, most)
        return
    outputs = ["weight"] if model.n_scores == 1 else [f"weight[{name}]" for name in model.output_names]
    yield ["term", *outputs]
    yield ["(start)", *(f"{value:+.3f}" for value in model.intercept)]
    names, weights = model.term_names, model.true_weights
    for i in model.weightiest[:most]:
        yield [names[i], *(f"{weight:+.3f}" for weight in weights[i])]


def _percents(model: PointsModel, most: int) -> Iterator[list[str]]:
    """The prediction where no term is true, and by how much each changes it where it is."""
    yield ["term", "adds"]
    yield ["(start)", figures(exponential(model.intercept)[0], 4)]
    for i in model.weightiest[:most]:
        yield [model.term_names[i], short_percent(float(model.weights[i, 0]))]


def _more_terms(model: LinearModel, most: int) -> list[str]:
    return [f"and {len(model.terms) - most} more terms"] if len(model.terms) > most else []


def _cells(model: TableModel) -> list[list[str]]:
    rows = [[*names, _shown(model.said(place))] for place, names in model.places()]
    return [[*model.member_names, "prediction"], *rows]


def _shown(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _titled(model: Model, texts: list[str]) -> str:
    """Every text under its class; one that is alone needs no title."""
    titles = [""] if len(texts) == 1 else list(model.output_names)
    return "\n\n".join(f"{t}:\n\n{text}" if t else text for t, text in zip(titles, texts, strict=True))


def _sum_in_text(total: GraphSum, most: int) -> str:
    lines = graph_words.sum_table(total)
    more = [f"and {len(lines) - 1 - most} more columns"] if len(lines) - 1 > most else []
    table = [*aligned(lines[: most + 1], right=(1, 2, 3)), *more] if len(lines) > 1 else []
    return "\n\n".join([f"{graph_words.sum_in_words(total)}.", *(["\n".join(table)] if table else [])])


# ---- notebook --------------------------------------------------------------------------------------------------------


def to_html(model: Model) -> str:
    """A model for a notebook; everything that came from the data is escaped."""
    asked = of_asked_class(model)
    return _html(asked) + "".join(f"<p>{escape(note)}</p>" for note in _turned_round(model, asked))


@singledispatch
def _html(model: Model) -> str:
    return f"<pre>{escape(to_text(model, _IN_NOTEBOOK))}</pre>"


@_html.register
def _(model: LinearModel) -> str:
    try:
        return effects_html(model)
    except InputError:  # effects of more cells than anybody could look at
        head, *rows = _terms(model, _IN_NOTEBOOK)
        return html_table(head, rows) + "".join(f"<p>{escape(note)}</p>" for note in _more_terms(model, _IN_NOTEBOOK))


@_html.register
def _(model: AdditiveModel) -> str:
    return effects_html(model)


@_html.register
def _(model: TableModel) -> str:
    if model.counted is not None:
        return truth_table_text.to_html(model.counted)
    head, *rows = _cells(model)
    return html_table(head, rows[: truth_table_text.MOST_CELLS])


@_html.register
def _(model: MeanModel) -> str:
    titles = [""] if len(model.sums) == 1 else [f"<p><b>{escape(name)}</b></p>" for name in model.output_names]
    return "".join(title + _sum_in_html(total) for title, total in zip(titles, model.sums, strict=True))


@_html.register
def _(model: RuleModel) -> str:
    return rule_words.rules_to_html(model)


def _sum_in_html(total: GraphSum) -> str:
    head, *rows = graph_words.sum_table(total)
    return f"<p>{escape(graph_words.sum_in_words(total))}.</p>" + (html_table(head, rows) if rows else "")


# ---- Markdown --------------------------------------------------------------------------------------------------------


def to_markdown(model: Model) -> str:
    """A model as Markdown, whole, without its certificate."""
    return _markdown(of_asked_class(model))


@singledispatch
def _markdown(model: Model) -> str:
    raise InputTypeError(f"{type(model).__name__} cannot be written as Markdown")


_SIGNED = "for every term, its weight where it is true and minus its weight where it is false"
_POINTS = "for every term that is true, its weight"
_IN_PERCENT = "The prediction is the start, changed by every term that is true."


@_markdown.register
def _(model: LinearModel) -> str:
    names, weights = model.term_names, model.true_weights
    rows = [["(start)", *(figures(v, 4, sign=True) for v in model.intercept)]]
    rows += [[names[i], *(figures(w, 4, sign=True) for w in weights[i])] for i in model.weightiest]
    return f"{_meaning_of_terms(model)}\n\n" + markdown_table(["term", *model.output_names], rows)


def _meaning_of_terms(model: LinearModel) -> str:
    """What the weights of terms add up to."""
    added = _POINTS if isinstance(model, PointsModel) else _SIGNED
    return {
        "identity": f"The prediction is the start plus, {added}.",
        "log": f"The logarithm of the prediction is the start plus, {added}.",
        "logit": f"The score is the log-odds of {model.output_names[0]!r}: the start plus, {added}.",
        "softmax": f"Every class has a score: the start plus, {added}. The largest score wins.",
        "ordered": f"{ladder_in_words(model)} It is the start plus, {added}.",
        "sign": f"The score is the start plus, {added}. Above nought it is {model.output_names[0]!r}.",
        "largest": f"Every class has a score: the start plus, {added}. The largest score wins.",
    }[model.link]


@_markdown.register
def _(model: AdditiveModel) -> str:
    rows = [["(start)", *(figures(v, 4, sign=True) for v in model.start)]]
    for table in model.tables:
        rows += [[piece.name, *(figures(v, 4, sign=True) for v in piece.values)] for piece in pieces_of(model, table)]
    return f"{_meaning_of_effects(model)}\n\n" + markdown_table(["if", *model.output_names], rows)


def _meaning_of_effects(model: AdditiveModel) -> str:
    """What the cells of effects add up to."""
    return {
        "identity": "The prediction is the start plus, for every effect, what its line says that is true.",
        "logit": f"The score is the log-odds of {model.output_names[0]!r}: the start plus, for every effect, what its "
        "line says that is true.",
        "softmax": "Every class has a score: the start plus, for every effect, what its line says that is true. The "
        "largest score wins.",
    }[model.link]


@_markdown.register
def _(model: TableModel) -> str:
    head, *rows = _cells(model)
    return markdown_table(head, rows)


@_markdown.register
def _(model: GraphModel) -> str:
    titles = model.output_names
    return "\n\n".join(_graph_in_markdown(t, g) for t, g in zip(titles, model.graphs, strict=True))


@_markdown.register
def _(model: WeakGraphModel) -> str:
    return _graph_in_markdown(model.output_names[0], model.graph)


@_markdown.register
def _(model: MeanModel) -> str:
    """Which columns are asked, and how much for; the graphs themselves are for machines."""
    parts = []
    for title, total in zip(model.output_names, model.sums, strict=True):
        head, *rows = graph_words.sum_table(total)
        parts += [
            f"### {title}",
            f"{graph_words.sum_in_words(total)}.",
            *([markdown_table(head, rows)] if rows else []),
        ]
    return "\n\n".join(parts)


def _graph_in_markdown(title: str, graph: DecisionGraph) -> str:
    """As it stands, line by line: whatever is in a name or a level stays in the block."""
    lines = ["    " + line for line in graph_words.graph_to_text(graph).splitlines()]
    return "\n".join([f"### {title}", "", *lines])


@_markdown.register
def _(model: KernelModel) -> str:
    head, *rows = _coordinates(model)
    return f"{kernel_words.kernel_in_words(model)}\n\n" + markdown_table(head, rows)


@_markdown.register
def _(model: RuleModel) -> str:
    return rule_words.rules_to_markdown(model)
