"""From a table and a target to facts: everything the page says, and nothing about how it looks."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, cast

import numpy as np

import paclearn
from paclearn._progress import stage
from paclearn.encoding.date_columns import n_columns_of
from paclearn.encoding.set_aside import columns_set_aside
from paclearn.exceptions import InputError, TargetError
from paclearn.learners.spectral.ordered_classes import ranks_of
from paclearn.report.card_facts import describe_card
from paclearn.report.column_facts import find_dependences, find_redundancies
from paclearn.report.comparison_facts import Comparison
from paclearn.report.first_look import first_look
from paclearn.report.graph_facts import describe_graph, small_graph
from paclearn.report.junta_facts import certificate_facts, describe_junta, fit_junta, rank_subsets, theorem
from paclearn.report.kept_aside import keep_aside
from paclearn.report.leaks import find_leaks
from paclearn.report.likeness import find_likeness
from paclearn.report.model_facts import describe_effects, describe_terms, fit_linear, what_if
from paclearn.report.rare_classes import positive_class
from paclearn.report.report_options import Limits
from paclearn.report.risk_table import describe_risk
from paclearn.report.rule_facts import describe_rules, fit_rules
from paclearn.report.sentences import about_rows, five_sentences
from paclearn.report.subject import Subject
from paclearn.report.table_facts import describe_columns
from paclearn.tables.read_once import read_once
from paclearn.tables.row_roles import read_roles, split_roles
from paclearn.tables.single_values import labels_and_numbers
from paclearn.tables.target import read_target_column

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paclearn.learners.rules import RuleClassifier
    from paclearn.models import GraphModel, LinearModel, Model
    from paclearn.report.facts import (
        AboutFacts,
        ClassFacts,
        ClassTarget,
        DiscoveryFacts,
        Facts,
        LeakFacts,
        LikenessFacts,
        NumberTarget,
        RedundancyFacts,
        SourceFacts,
    )
    from paclearn.report.facts_of_models import PageCertificate, RiskFacts
    from paclearn.report.junta_facts import Junta
    from paclearn.report.kept_aside import Exam
    from paclearn.report.report_options import ReportOptions
    from paclearn.tables.row_roles import RowRoles
    from paclearn.tables.table import Table
    from paclearn.tables.target import Target

__all__ = ["summarise"]

_FEWEST_GROUPS = 3


@dataclass(frozen=True, eq=False)
class _Found:
    """What was fitted and tested."""

    exam: Exam
    junta: Junta
    compared: Comparison
    rules: RuleClassifier | None
    model: LinearModel
    graph: GraphModel
    discovery: DiscoveryFacts | None
    redundancy: RedundancyFacts | None
    leaks: list[LeakFacts]
    likeness: list[LikenessFacts]


def summarise(
    table: Table, target: str, options: ReportOptions, drop: Iterable[str] = (), source: str = "table"
) -> Facts:
    """Fit the readable models, hold them against baselines and collect the facts."""
    columns, values = split_roles(table, target, drop, options.roles)
    column, roles = read_roles(table, options.roles, read_target_column(values, target, options.task))
    subject = _subject(columns, column, options, roles)
    facts = _facts(subject, _find(subject), source, column.n_missing)
    warned = [leak["sentence"] for leak in facts["leaks"]]
    rare = [] if facts["rare"] is None else facts["rare"]["sentences"]
    facts["rows"] = about_rows(facts)
    facts["sentences"] = [*warned, *facts["rows"], *rare, *five_sentences(facts)]
    return cast("Facts", _finite(facts))


def _find(subject: Subject) -> _Found:
    junta = fit_junta(subject)  # first: it refuses what cannot be explained at all
    with stage("watching for rows that belong together, and for columns that give the answer away"):
        likeness = find_likeness(subject)
        named = {one["column"] for one in likeness}
        leaks = [leak for leak in find_leaks(subject) if leak["column"] not in named]
    exam = keep_aside(subject)
    learned = exam.learned
    with stage("holding models against each other on rows kept out of their fits"):
        compared = Comparison.of(learned, junta)
    with stage("looking for rules"):
        rules = fit_rules(learned)
    with stage("fitting the model to all rows but those of its exam"):
        model = fit_linear(learned, short=compared.short)
        graph = learned.fit(small_graph(learned), learned.limits.fit).model_
    with stage("testing which columns and pairs matter"):
        discovery = find_dependences(subject)
    with stage("looking for columns that others make up"):
        redundancy = find_redundancies(subject) if subject.limits.redundancy else None
    return _Found(exam, junta, compared, rules, model, graph, discovery, redundancy, leaks, likeness)


def _facts(subject: Subject, found: _Found, source: str, n_missing: int) -> Facts:
    junta, compared, learned = found.junta, found.compared, found.exam.learned
    return {
        "about": _about(subject.options),
        "source": _describe_source(subject, source),
        "target": _describe_target(subject, n_missing),
        "columns": describe_columns(subject.table),
        "dropped": [{"name": name, "why": why} for name, why in _set_aside(subject.table, junta)],
        "seen": first_look(subject.table, subject.y),
        "leaks": found.leaks,
        "likeness": found.likeness,
        "drift": compared.drift,
        "rows": [],
        "skipped": list(junta.skipped_.values()),
        "rankings": rank_subsets(junta if compared.risk is None else compared.risk),
        "model": describe_junta(junta, tells=compared.junta_tells, risk=_risk(compared)),
        "theorem": theorem(junta) if subject.classify else None,
        "comparison": compared.rows,
        "validation": compared.validation,
        "calibration": compared.calibration,
        "rare": compared.rare,
        "rules": describe_rules(found.rules, learned, leads=compared.by_rules),
        "terms": describe_terms(found.model, learned, short=compared.short),
        "card": describe_card(found.model, learned),
        "effects": describe_effects(found.model),
        "graph": describe_graph(found.graph, subject.asked),
        "what_if": what_if(found.model, subject, found.exam.margin(found.model)),
        "certificate": _certificate(found, junta),
        "exam": found.exam.facts(*_leading(found)),
        "discovery": found.discovery,
        "redundancy": found.redundancy,
        "sentences": [],
    }


def _describe_source(subject: Subject, name: str) -> SourceFacts:
    return {
        "name": name,
        "rows": subject.table.n_rows,
        "columns": len(subject.table.names),
        "reading": subject.options.reading,
        "group": subject.names.group,
        "time": subject.names.time,
        "weight": subject.names.weight,
    }


def _subject(table: Table, column: Target, options: ReportOptions, roles: RowRoles) -> Subject:
    y, table, name = column.y, read_once(column.rows_of(table)), column.name
    if not column.classify and np.ptp(y) == 0:
        raise TargetError(f"the target {name!r} is {y[0]:g} in all {len(y)} rows; there is nothing to explain")
    if roles.groups is not None and roles.groups.max() + 1 < _FEWEST_GROUPS:
        raise InputError(
            f"the group {options.roles.group!r} has {roles.groups.max() + 1} different values; a page needs "
            f"{_FEWEST_GROUPS}: one to be examined on, one to choose by, and one to learn from"
        )
    if options.ordered is not None and column.classify:
        ranks_of(options.ordered, labels_and_numbers(y)[0])  # refused before anything is fitted
    n_outputs = len(labels_and_numbers(y)[0]) if column.classify else 2
    rare = column.classify and positive_class(y, options.positive) is not None
    limits = Limits.of(table.n_rows, n_columns_of(table), n_outputs, quick=options.quick, rare=rare)
    return Subject(table, y, name, column.classify, options, limits, roles, options.roles)


def _about(options: ReportOptions) -> AboutFacts:
    return {
        "paclearn": paclearn.__version__,
        "seed": options.seed,
        "delta": options.delta,
        "command": options.command,
        "quick": options.quick,
    }


def _describe_target(subject: Subject, n_missing: int) -> ClassTarget | NumberTarget:
    y, name = subject.y, subject.name
    if subject.classify:
        labels, numbers = labels_and_numbers(y)
        rows = np.bincount(numbers)
        classes: list[ClassFacts] = [
            {"label": str(label), "rows": n, "share": n / len(y)}
            for label, n in zip(labels, rows.tolist(), strict=True)
        ]
        return {"name": name, "task": "classification", "missing": n_missing, "classes": classes}
    return {
        "name": name,
        "task": "regression",
        "missing": n_missing,
        "mean": float(y.mean()),
        "sd": float(y.std()),
        "low": float(y.min()),
        "high": float(y.max()),
    }


def _set_aside(table: Table, junta: Junta) -> list[tuple[str, str]]:
    """Columns that no model uses; those of the whole table first, since a fit sees some of the rows."""
    whole = dict(columns_set_aside(table))
    return [*whole.items(), *((name, why) for name, why in junta.domain_.dropped if name not in whole)]


def _risk(compared: Comparison) -> RiskFacts | None:
    if compared.risk is None or compared.rare is None:
        return None
    return describe_risk(compared.risk, compared.rare["label"])


def _certificate(found: _Found, junta: Junta) -> PageCertificate:
    """The page's own model's, if it promises anything; otherwise that of the truth table, if it tells anything."""
    own = found.exam.certificate(*_leading(found))
    if own is not None:
        return own
    assert junta.certificate_ is not None  # noqa: S101 - a junta always has one
    known: PageCertificate = {
        **certificate_facts(junta.certificate_), "of": f"truth table of {', '.join(junta.subset_)}"
    }  # fmt: skip
    return known if found.compared.junta_tells else {**known, "vacuous": True}


def _leading(found: _Found) -> tuple[Model, str]:
    """The page's own model, and what it is called."""
    if found.compared.by_rules and found.rules is not None:
        return found.rules.model_, "rules"
    return found.model, "model"


def _finite(value: Any) -> Any:
    """Numbers that JSON does not know become nothing."""
    if isinstance(value, dict):
        return {key: _finite(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(v) for v in value]
    if isinstance(value, float | np.floating):
        return float(value) if isfinite(value) else None
    return value
