"""Models as SQL that any database runs: nested selects of CASE expressions, no functions beyond ANSI.

NULL is a missing value. A database that keeps NaN beside NULL has to turn it into NULL first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paclearn.encoding.domain import BinColumn, Column, LevelColumn
from paclearn.views import sql_words as _sql

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paclearn.models.graph_model import GraphModel
    from paclearn.models.linear import LinearModel
    from paclearn.models.model import PortableModel
    from paclearn.models.table_model import TableModel

__all__ = ["condition", "graph_query", "label", "linear_query", "table_query"]

_TERMS_A_SUM = 500  # databases limit how deeply an expression may nest


# ---- models ----------------------------------------------------------------------------------------------------------


def linear_query(model: LinearModel, table: str, keys: Sequence[str], name: str) -> str:
    """Signs of the bits, then scores, then what they say."""
    signs = _fresh("bit", len(model.bits), model, keys, name)
    columns = (
        f"CASE WHEN {condition(model.columns[bit.column], bit.codes)} THEN 1 ELSE -1 END AS {sign}"
        for bit, sign in zip(model.bits, signs, strict=True)
    )
    inner = _select([*map(_sql.identifier, keys), *columns], _sql.identifier(table))
    scores = _fresh("score", model.weights.shape[1], model, keys, name)
    parts = _partial_sums(model, signs)
    sums = _fresh("part", sum(map(len, parts)), model, keys, name)
    names = iter(sums)
    named = [[(part, next(names)) for part in output] for output in parts]
    middle = _select([*map(_sql.identifier, keys), *(f"{p} AS {n}" for o in named for p, n in o)], _inside(inner))
    totals = [
        f"{' + '.join([_sql.number(start), *(n for _, n in output)])} AS {score}"
        for start, output, score in zip(model.intercept, named, scores, strict=True)
    ]
    outer = _select([*map(_sql.identifier, keys), *totals], _inside(middle))
    return _select(
        [*map(_sql.identifier, keys), f"{_verdict(model, scores)} AS {_sql.identifier(name)}"], _inside(outer)
    )


def _partial_sums(model: LinearModel, signs: Sequence[str]) -> list[list[str]]:
    """Sums of a few hundred terms each, for every output."""
    found = []
    for weights in model.weights.T:
        terms = [
            f"{_sql.number(w)} * {' * '.join(signs[i] for i in term)}"
            for w, term in zip(weights, model.terms, strict=True)
            if w != 0
        ]
        found.append([" + ".join(terms[i : i + _TERMS_A_SUM]) for i in range(0, len(terms), _TERMS_A_SUM)])
    return found


def _verdict(model: LinearModel, scores: Sequence[str]) -> str:
    if model.about.classes is None:
        return _between(scores[0], model.limits)
    labels = [label(c) for c in model.about.classes]
    if model.link == "logit":
        return f"CASE WHEN {scores[0]} > 0 THEN {labels[1]} ELSE {labels[0]} END"
    return largest(scores, labels)


def _between(score: str, limits: tuple[float, float] | None) -> str:
    if limits is None:
        return score
    low, high = map(_sql.number, limits)
    return f"CASE WHEN {score} < {low} THEN {low} WHEN {score} > {high} THEN {high} ELSE {score} END"


def largest(scores: Sequence[str], labels: Sequence[str]) -> str:
    """The label of the largest score, the first of equals."""
    cases = [
        f"WHEN {' AND '.join(f'{s} >= {other}' for other in scores if other != s)} THEN {text}"
        for s, text in zip(scores[:-1], labels[:-1], strict=True)
    ]
    return f"CASE {' '.join(cases)} ELSE {labels[-1]} END"


def table_query(model: TableModel, table: str, keys: Sequence[str], name: str) -> str:
    """The code of every member, then one CASE with a branch for every cell."""
    codes = _fresh("code", len(model.members), model, keys, name)
    columns = [f"{_code(model.columns[c], yes)} AS {code}" for (c, yes), code in zip(model.members, codes, strict=True)]
    inner = _select([*map(_sql.identifier, keys), *columns], _sql.identifier(table))
    verdict = _nested(model, codes, ())
    return _select([*map(_sql.identifier, keys), f"{verdict} AS {_sql.identifier(name)}"], _inside(inner))


def graph_query(model: GraphModel, table: str, keys: Sequence[str], name: str) -> str:
    """The graph's own query; what it says of classes is decided around it."""
    if model.about.classes is None:
        return model.graphs[0].to_sql(table, keys=keys, name=name)
    labels, passed = [label(c) for c in model.about.classes], list(map(_sql.identifier, keys))
    shares = _fresh("share", len(model.graphs), model, keys, name)
    inner = _one_after_another(model, table, keys, [share.strip('"') for share in shares])
    if len(shares) == 1:
        verdict = f"CASE WHEN {shares[0]} > 0.5e0 THEN {labels[1]} ELSE {labels[0]} END"
    else:
        verdict = largest(shares, labels)
    return _select([*passed, f"{verdict} AS {_sql.identifier(name)}"], _inside(inner))


def _one_after_another(model: GraphModel, table: str, keys: Sequence[str], shares: Sequence[str]) -> str:
    """Every graph reads what the one before it says, and passes that on with all columns."""
    columns = [column.name for column in model.columns] if len(shares) > 1 else []
    source = f"FROM {_sql.identifier(table)}"
    query = model.graphs[0].to_sql(table, keys=list(dict.fromkeys([*keys, *columns])), name=shares[0])
    for i, graph in enumerate(model.graphs[1:], 1):
        passed = list(dict.fromkeys([*keys, *columns, *shares[:i]]))
        outer = graph.to_sql(table, keys=passed, name=shares[i])
        # names and texts double their quotes, so the first such words are the ones that name the table
        query = outer.replace(source, f"FROM (\n{query}\n) AS {_sql.identifier(table)}", 1)
    return query


def _nested(model: TableModel, codes: Sequence[str], place: tuple[int, ...]) -> str:
    """One CASE a member, inside each other; the unseen code comes last."""
    if len(place) == len(codes):
        said = model.said(place)
        return label(said) if model.about.classes is not None else _sql.number(said)
    answers = [_nested(model, codes, (*place, i)) for i in range(model.sizes[len(place)])]
    rest = max(dict.fromkeys(answers), key=answers.count)
    cases = [f"WHEN {i} THEN {answer}" for i, answer in enumerate(answers) if answer != rest]
    return f"CASE {codes[len(place)]} {' '.join(cases)} ELSE {rest} END" if cases else rest


# ---- columns ---------------------------------------------------------------------------------------------------------


def _code(column: Column, yes: tuple[int, ...] | None) -> str:
    if yes is not None:
        return f"CASE WHEN {condition(column, yes)} THEN 1 ELSE 0 END"
    cases = [f"WHEN {condition(column, (i,))} THEN {i}" for i in range(column.n_codes)]
    return f"CASE {' '.join(cases)} ELSE {column.n_codes} END"


def condition(column: Column, codes: Iterable[int]) -> str:
    """Whether a value has one of some codes; unknown counts as no."""
    wanted = set(codes)
    null = column.missing and column.n_codes - 1 in wanted
    wanted -= {column.n_codes - 1} if column.missing else set()
    parts = [f"{_sql.identifier(column.name)} IS NULL"] * null
    if wanted:
        parts.append(_of_levels(column, wanted) if isinstance(column, LevelColumn) else _of_bins(column, wanted))
    return f"({' OR '.join(parts)})" if parts else "1 = 0"


def _of_levels(column: LevelColumn, wanted: set[int]) -> str:
    with_rest = column.other and len(column.levels) in wanted
    listed = [level for i, level in enumerate(column.levels) if (i in wanted) != with_rest]
    if column.numeric:
        value, literals = _sql.identifier(column.name), [_sql.number(float(level)) for level in listed]
    else:
        value, literals = _sql.as_text(column.name), _sql.level_texts(listed, column.levels)
    return _sql.among(column.name, value, literals, inside=not with_rest, null=False)


def _of_bins(column: Column, wanted: set[int]) -> str:
    """Runs of neighbouring bins."""
    assert isinstance(column, BinColumn)  # noqa: S101 - there are two kinds of columns
    name, cuts = _sql.identifier(column.name), column.thresholds
    parts = []
    for start in sorted(i for i in wanted if i - 1 not in wanted):
        stop = start
        while stop + 1 in wanted:
            stop += 1
        bounds = [f"{name} > {_sql.number(cuts[start - 1])}"] if start > 0 else []
        bounds += [f"{name} <= {_sql.number(cuts[stop])}"] if stop < len(cuts) else []
        parts.append(" AND ".join(bounds) or f"{name} IS NOT NULL")
    return " OR ".join(f"({part})" for part in parts) if len(parts) > 1 else "".join(parts)


# ---- words -----------------------------------------------------------------------------------------------------------


def label(value: Any) -> str:
    """A class label as a literal."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value)
    return _sql.number(value) if isinstance(value, float) else _sql.text(str(value))


def _select(columns: Iterable[str], source: str) -> str:
    chosen = ",\n  ".join(columns) or "1 AS nothing"  # rows without a column are not to be had
    return f"SELECT {chosen}\nFROM {source}"


def _inside(query: str) -> str:
    return "(\n" + query + "\n) AS step"


def _fresh(wish: str, count: int, model: PortableModel, keys: Sequence[str], name: str) -> list[str]:
    """Quoted names that no column has, neither of the result nor among those that the model reads."""
    taken = [*keys, name, *(column.name for column in model.columns)]
    return list(map(_sql.identifier, _sql.fresh(wish, count, taken)))
