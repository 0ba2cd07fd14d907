"""Models as SQL that any database runs: nested selects of CASE expressions, no functions beyond ANSI.

NULL is a missing value. A database that keeps NaN beside NULL has to turn it into NULL first.
"""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

from paclearn.encoding.domain import Bit
from paclearn.exceptions import InputTypeError
from paclearn.models.additive_model import AdditiveModel
from paclearn.models.graph_mean import MeanModel
from paclearn.models.graph_model import GraphModel
from paclearn.models.kernel_model import KernelModel
from paclearn.models.linear import LinearModel
from paclearn.models.points import PointsModel
from paclearn.models.rule_model import RuleModel
from paclearn.models.table_model import TableModel
from paclearn.models.weak_graph import WeakGraphModel
from paclearn.views import sql_words as words
from paclearn.views.additive_sql import effect_selects
from paclearn.views.graph_sql import walk_of_sums, walked_graph
from paclearn.views.kernel_sql import scored_by_kernel
from paclearn.views.sql_columns import code_of, condition
from paclearn.views.sql_dates import with_dates
from paclearn.views.sql_tree import Node, Select, Table, Walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from paclearn.encoding.comparisons import Condition
    from paclearn.models.ladder import Ladder
    from paclearn.models.model import Model

__all__ = ["to_sql"]

_TERMS_A_SUM = 500  # databases limit how deeply an expression may nest


def to_sql(model: Model, table: str, keys: Sequence[str], name: str) -> str:
    """A query that predicts every row of a table."""
    origin = Table.of(table, [*keys, *(read for column in model.columns for read in column.read_from)])
    return query(model, with_dates(model, origin, keys), list(keys), name).text()


@singledispatch
def query(model: Model, origin: Node, keys: list[str], name: str) -> Select:  # noqa: ARG001
    """The query as a tree."""
    raise InputTypeError(f"{type(model).__name__} cannot be written in SQL")


@query.register
def _(model: LinearModel, origin: Node, keys: list[str], name: str) -> Select:
    """Answers to the bits, then partial sums, then scores, then what they say."""
    signs = _fresh("bit", len(model.bits), model, keys, name)
    conditions = (condition(model.columns[bit.column], bit.codes) for bit in model.bits)
    no = 0 if isinstance(model, PointsModel) else -1
    asked = Select.of(
        origin, keys, ((f"CASE WHEN {c} THEN 1 ELSE {no} END", sign) for c, sign in zip(conditions, signs, strict=True))
    )
    parts = [list(_partial_sums(model, output, signs)) for output in range(model.n_scores)]
    names = iter(_fresh("part", sum(map(len, parts)), model, keys, name))
    named = [[(part, next(names)) for part in output] for output in parts]
    return _added_up(model, model.intercept, named, asked, keys, name)


def _partial_sums(model: LinearModel, output: int, signs: Sequence[str]) -> Iterator[str]:
    """Sums of a few hundred terms each."""
    quoted = [words.identifier(sign) for sign in signs]
    joins = model.joins if isinstance(model, PointsModel) else ("product",) * len(model.terms)
    terms = [
        f"{words.number(w)} * {_joined([quoted[i] for i in term], join)}"
        for w, term, join in zip(model.weights[:, output], model.terms, joins, strict=True)
        if w != 0
    ]
    return (" + ".join(terms[i : i + _TERMS_A_SUM]) for i in range(0, len(terms), _TERMS_A_SUM))


def _joined(bits: Sequence[str], join: str) -> str:
    """Products of signs, or of answers 0 and 1: all of them, or, step by step, an odd number of them."""
    if join != "odd":
        return " * ".join(bits)
    found, *more = bits
    for bit in more:
        found = f"CASE WHEN {found} = {bit} THEN 0 ELSE 1 END"
    return found


def _added_up(
    model: LinearModel | AdditiveModel,
    start: NDArray[np.float64],
    parts: Sequence[Sequence[tuple[str, str]]],
    origin: Node,
    keys: list[str],
    name: str,
) -> Select:
    """Parts of every output, then their sums, then what they say."""
    summed = Select.of(origin, keys, (part for output in parts for part in output))
    scores = _fresh("score", model.n_scores, model, keys, name)
    totals = (
        " + ".join([words.number(first), *(words.identifier(n) for _, n in output)])
        for first, output in zip(start, parts, strict=True)
    )
    scored = Select.of(summed, keys, zip(totals, scores, strict=True))
    if isinstance(model, LinearModel) and model.ladder is not None:
        return _on_rungs(model, model.ladder, scored, scores[0], keys, name)
    return Select.of(scored, keys, [(_verdict(model, scores), name)])


def _on_rungs(model: LinearModel, ladder: Ladder, scored: Select, score: str, keys: list[str], name: str) -> Select:
    """A score of every class from the one of the row, then the largest."""
    rungs = _fresh("rung", len(ladder.ranks), model, keys, name)
    each = (
        f"{words.number(start)} + {rank} * {words.identifier(score)}"
        for start, rank in zip(ladder.starts, ladder.ranks, strict=True)
    )
    classes = Select.of(scored, keys, zip(each, rungs, strict=True))
    return Select.of(classes, keys, [(class_of(rungs, model, "0"), name)])


def _verdict(model: LinearModel | AdditiveModel, scores: Sequence[str]) -> str:
    if model.about.classes is None:
        score = words.identifier(scores[0])
        return words.between(
            words.exponential(score) if isinstance(model, LinearModel) and model.logarithmic else score, model.limits
        )
    return class_of(scores, model, "0")


@query.register
def _(model: AdditiveModel, origin: Node, keys: list[str], name: str) -> Select:
    """The group of every column in every effect, then what each effect adds, then scores, then what they say."""
    groups, parts = effect_selects(model, lambda wish, n: _fresh(wish, n, model, keys, name))
    return _added_up(model, model.start, parts, Select.of(origin, keys, groups), keys, name)


@query.register
def _(model: TableModel, origin: Node, keys: list[str], name: str) -> Select:
    """The code of every member, then one CASE with a branch for every cell."""
    codes = _fresh("code", len(model.members), model, keys, name)
    looked = Select.of(
        origin,
        keys,
        ((code_of(model.columns[c], yes), code) for (c, yes), code in zip(model.members, codes, strict=True)),
    )
    return Select.of(looked, keys, [(_nested(model, list(map(words.identifier, codes)), ()), name)])


def _nested(model: TableModel, codes: Sequence[str], place: tuple[int, ...]) -> str:
    """One CASE a member, inside each other; the unseen code comes last."""
    if len(place) == len(codes):
        said = model.said(place)
        return words.label(said) if model.about.classes is not None else words.number(said)
    answers = [_nested(model, codes, (*place, i)) for i in range(model.sizes[len(place)])]
    rest = max(dict.fromkeys(answers), key=answers.count)
    cases = [f"WHEN {i} THEN {answer}" for i, answer in enumerate(answers) if answer != rest]
    return f"CASE {codes[len(place)]} {' '.join(cases)} ELSE {rest} END" if cases else rest


@query.register
def _(model: GraphModel, origin: Node, keys: list[str], name: str) -> Select:
    """All graphs are walked, one after the other."""
    shares = _fresh("share", len(model.graphs), model, keys, name)
    graphs = tuple(walked_graph(graph, share) for graph, share in zip(model.graphs, shares, strict=True))
    walk = Walk(origin, tuple(keys), tuple(column.own_name for column in model.columns), graphs)
    said = words.identifier(shares[0]) if model.about.classes is None else class_of(shares, model, "0.5e0")
    return Select.of(walk, keys, [(said, name)])


@query.register
def _(model: MeanModel, origin: Node, keys: list[str], name: str) -> Select:
    """All graphs are walked, each adds to its sum, and sums are kept within their ranges."""
    shares = _fresh("share", len(model.sums), model, keys, name)
    walk = walk_of_sums(model.sums, origin, keys, shares)
    limits = [(total.low, total.high) for total in model.sums]
    kept = [(words.between(words.identifier(s), ends), s) for s, ends in zip(shares, limits, strict=True)]
    said = words.identifier(shares[0]) if model.about.classes is None else class_of(shares, model, "0.5e0")
    return Select.of(Select.of(walk, keys, kept), keys, [(said, name)])


@query.register
def _(model: WeakGraphModel, origin: Node, keys: list[str], name: str) -> Select:  # noqa: ARG001
    model.refuse("SQL cannot say")


@query.register
def _(model: KernelModel, origin: Node, keys: list[str], name: str) -> Select:
    """Scores by kernel values; the second of two classes where its score is above one half."""
    scored, scores = scored_by_kernel(model, origin, keys, lambda wish, n: _fresh(wish, n, model, keys, name))
    return Select.of(scored, keys, [(class_of(scores, model, "0.5e0"), name)])


@query.register
def _(model: RuleModel, origin: Node, keys: list[str], name: str) -> Select:
    """One CASE, a branch for every rule."""
    if any(isinstance(label, bool) for label in model.about.classes or ()):  # to SQLite FALSE is a column of that name
        origin = Select.of(origin, dict.fromkeys([*keys, *(column.own_name for column in model.columns)]), ())
    labels = [words.label((model.about.classes or ())[said]) for said in model.said]
    asked = [_asked(condition, model) for condition in model.conditions]
    cases = [
        f"WHEN {' AND '.join(asked[c] for c in rule)} THEN {label}"
        for rule, label in zip(model.rules, labels[:-1], strict=True)
    ]
    said = "\n    ".join(["CASE", *cases, f"ELSE {labels[-1]} END"]) if cases else labels[-1]
    return Select.of(origin, keys, [(said, name)])


def _asked(question: Condition, model: RuleModel) -> str:
    """A set of codes of one column; or, of two, for every code of the first those of the second."""
    if isinstance(question, Bit):
        return condition(model.columns[question.column], question.codes)
    first, second = (model.columns[c] for c in question.columns)
    beside: dict[int, list[int]] = {}
    for a, b in question.pairs:
        beside.setdefault(a, []).append(b)
    pairs = [f"({condition(first, [a])} AND {condition(second, codes)})" for a, codes in beside.items()]
    return f"({' OR '.join(pairs)})" if pairs else "1 = 0"


def class_of(scores: Sequence[str], model: Model, threshold: str) -> str:
    """The label of the second class beyond a threshold, or that of the largest score, the first of equals."""
    labels = [words.label(c) for c in model.about.classes or ()]
    quoted = [words.identifier(score) for score in scores]
    if len(quoted) == 1:
        return f"CASE WHEN {quoted[0]} > {threshold} THEN {labels[1]} ELSE {labels[0]} END"
    cases = [
        f"WHEN {' AND '.join(f'{s} >= {other}' for other in quoted if other != s)} THEN {text}"
        for s, text in zip(quoted[:-1], labels[:-1], strict=True)
    ]
    return f"CASE {' '.join(cases)} ELSE {labels[-1]} END"


def _fresh(wish: str, count: int, model: Model, keys: Sequence[str], name: str) -> list[str]:
    """Names that no column has, neither of the result nor among those that the model reads."""
    return words.fresh(wish, count, [*keys, name, *(column.own_name for column in model.columns)])
