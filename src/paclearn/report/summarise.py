"""From a table and a target to a plain dict: everything the page says, and nothing about how it looks."""

from __future__ import annotations

from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

import paclearn
from paclearn._progress import stage
from paclearn.report.calibration import calibration_of_classes, calibration_of_numbers
from paclearn.report.column_facts import find_dependences, find_redundancies
from paclearn.report.compare import Folds, cross_validate, judge, our_contender, sklearn_contenders
from paclearn.report.graph_facts import LEAVES, describe_graph, small_graph
from paclearn.report.junta_facts import describe_junta, fit_junta, junta_of_size, rank_subsets, theorem
from paclearn.report.model_facts import MOST_TERMS, describe_terms, fit_some, maker, short_is_good_enough, what_if
from paclearn.report.report_options import Limits
from paclearn.report.sentences import five_sentences
from paclearn.report.table_facts import describe_columns
from paclearn.tables.target import read_target_column

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from paclearn.report.report_options import ReportOptions
    from paclearn.tables.table import Table
    from paclearn.tables.target import Target

__all__ = ["summarise"]


def summarise(
    table: Table, target: Any, target_name: str, options: ReportOptions, source: str = "table"
) -> dict[str, Any]:
    """Fit the readable models, hold them against baselines and collect the facts."""
    found = read_target_column(target, target_name, options.task)
    y, classify, table = found.y, found.classify, found.rows_of(table)
    about = _describe_target(found)
    limits = Limits.of(table.n_rows, len(table.names), len(about.get("classes", [0, 0])), quick=options.quick)
    junta = fit_junta(table, y, options, classify=classify)  # first: it refuses what cannot be explained at all
    models = _Models(table, y, options, limits, junta, classify=classify)
    facts = {
        "about": {
            "paclearn": paclearn.__version__,
            "seed": options.seed,
            "delta": options.delta,
            "command": options.command,
            "quick": options.quick,
        },
        "source": {"name": source, "rows": table.n_rows, "columns": len(table.names)},
        "target": about,
        "columns": describe_columns(table),
        "dropped": [{"name": name, "why": why} for name, why in junta.domain_.dropped],
        "skipped": list(junta.skipped_.values()),
        "rankings": rank_subsets(junta),
        "model": describe_junta(junta),
        "theorem": theorem(junta) if classify else None,
        **models.facts(target_name),
        "discovery": _found(table, y, target_name, options, limits, classify=classify),
        "redundancy": _equations(table, options, limits),
    }
    facts["sentences"] = five_sentences(facts)
    return _finite(facts)


def _found(
    table: Table, y: NDArray[Any], name: str, options: ReportOptions, limits: Limits, *, classify: bool
) -> dict[str, Any] | None:
    with stage("testing which columns and pairs matter"):
        return find_dependences(table, y, name, options, limits, classify=classify)


def _equations(table: Table, options: ReportOptions, limits: Limits) -> dict[str, Any] | None:
    if not limits.redundancy:
        return None
    with stage("looking for columns that others make up"):
        return find_redundancies(table, options.seed, limits.equations)


def _describe_target(target: Target) -> dict[str, Any]:
    facts: dict[str, Any] = {"name": target.name, "task": target.task, "missing": target.n_missing}
    y = target.values
    if target.classes is None:
        return facts | {"mean": float(y.mean()), "sd": float(y.std()), "low": float(y.min()), "high": float(y.max())}
    counted = zip(target.classes, np.bincount(y).tolist(), strict=True)
    return facts | {"classes": [{"label": str(label), "rows": n, "share": n / len(y)} for label, n in counted]}


class _Models:
    """The linear model of the page, long or short, and everybody on the same folds."""

    def __init__(
        self, table: Table, y: NDArray[Any], options: ReportOptions, limits: Limits, junta: Any, *, classify: bool
    ) -> None:
        self.table, self.y, self.options, self.limits, self.classify = table, y, options, limits, classify
        self.junta = junta

    def facts(self, target_name: str) -> dict[str, Any]:
        with stage("fitting the model to all rows"):
            long = self._fit(short=False)
        with stage("holding models against each other on rows kept out of their fits"):
            folds, comparison, calibrations = self._compare(self.limits.try_short and long.n_terms_ > MOST_TERMS)
        short = comparison[0]["role"] == "model" and comparison[0]["short"]
        model = long
        if short:
            with stage("fitting the short model"):
                model = self._fit(short=True)
        rows = min(self.table.n_rows, self.limits.short if short else self.limits.fit)
        return {
            "comparison": comparison,
            "validation": {"folds": folds.n_folds, "rows": len(folds.y)},
            "calibration": calibrations,
            "terms": describe_terms(model, rows, short=short) | {"interactions": self.limits.interactions},
            "graph": describe_graph(self._fit_graph()),
            "what_if": what_if(model, self.table, target_name),
            "certificate": self._certificate(model),
        }

    def _make(self, *, short: bool) -> Any:
        return maker(self.options, self.limits, classify=self.classify, short=short)

    def _fit(self, *, short: bool) -> Any:
        most = self.limits.short if short else self.limits.fit
        return fit_some(self._make(short=short), self.table, self.y, most, self.options.seed)

    def _fit_graph(self) -> Any:
        make = partial(small_graph, self.options, classify=self.classify)
        return fit_some(make, self.table, self.y, self.limits.fit, self.options.seed)

    def _compare(self, long_is_long: bool) -> tuple[Folds, list[dict[str, Any]], Any]:
        """Rows of the comparison, the page's model first, and how its probabilities or numbers come true."""
        seed, classify = self.options.seed, self.classify
        limits = self.limits
        folds = Folds.draw(self.table, self.y, limits.folds_rows, limits.n_folds, seed, classify=classify)
        contenders = dict(self._contenders(folds, long_is_long))
        answers = dict(zip(contenders, cross_validate(folds, list(contenders.values())), strict=True))
        judged = {
            role: {"role": role, "name": c.name, "note": c.note, "short": role == "short"}
            | judge(answers[role].values, folds.y, classify=classify)
            for role, c in contenders.items()
        }
        chosen = "short" if "short" in judged and short_is_good_enough(judged["short"], judged["long"]) else "long"
        judged[chosen]["role"] = "model"
        rest = [row for role, row in judged.items() if role != chosen]
        return folds, [judged[chosen], *rest], self._calibration(folds, answers[chosen])

    def _contenders(self, folds: Folds, long_is_long: bool) -> list[tuple[str, Any]]:
        options, classify = self.options, self.classify
        classes = folds.classes if classify else None
        members = ", ".join(self.junta.subset_)
        ours = [("long", our_contender("spectral model", "all terms that pay", self._make(short=False), classes))]
        if long_is_long:
            note = f"at most {MOST_TERMS} terms"
            ours.append(("short", our_contender("short spectral model", note, self._make(short=True), classes)))
        junta = our_contender(
            f"junta ({members})",
            f"{self.junta.truth_table_.n_cells} cells; columns chosen anew in every fold",
            partial(junta_of_size, self.junta.k_, options, classify=classify),
            classes,
        )
        graph = our_contender(
            "small regression graph",
            f"at most {LEAVES} leaves",
            partial(small_graph, options, classify=classify),
            classes,
        )
        rivals = zip(("linear", "boosting", "none"), sklearn_contenders(folds, options.seed), strict=True)
        return [*ours, ("graph", graph), ("junta", junta), *rivals]

    def _calibration(self, folds: Folds, answers: Any) -> dict[str, Any] | None:
        if not self.classify:
            return calibration_of_numbers(answers.values, folds.y)
        if answers.shares is None:
            return None
        return calibration_of_classes(answers.shares, folds.y, folds.classes)

    def _certificate(self, model: Any) -> dict[str, Any]:
        """The page's own model's, if it promises anything; otherwise that of the truth table."""
        own = model.certificate_
        if own is not None and not own.vacuous:
            return {**own.to_dict(), "of": "model"}
        return {**self.junta.certificate_.to_dict(), "of": f"truth table of {', '.join(self.junta.subset_)}"}


def _finite(value: Any) -> Any:
    """Numbers that JSON does not know become nothing."""
    if isinstance(value, dict):
        return {key: _finite(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(v) for v in value]
    if isinstance(value, float | np.floating):
        return float(value) if isfinite(value) else None
    return value
