"""The small truth table: the few columns that decide most, as facts."""

from __future__ import annotations

from math import ceil, comb
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

from paclearn.certificates import junta_sample_size
from paclearn.encoding import EncodingRules
from paclearn.encoding.table_codes import learn_domain
from paclearn.exceptions import EmptyTableError, InputError
from paclearn.learners.juntas import JuntaClassifier, JuntaRegressor
from paclearn.search.traversal import cells_of_all
from paclearn.tables.single_values import labels_and_numbers
from paclearn.tables.table import RowSubset
from paclearn.views.merged_table import merged_lines
from paclearn.views.truth_table_text import cells_to_show

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paclearn.certificates import Certificate
    from paclearn.models.truth_table import Cell
    from paclearn.report.facts_of_models import (
        CellFacts,
        CertificateFacts,
        RankingFacts,
        RiskFacts,
        TableFacts,
        TheoremFacts,
    )
    from paclearn.report.subject import Subject
    from paclearn.views.merged_table import MergedLine

__all__ = ["certificate_facts", "describe_junta", "fit_junta", "junta_of_size", "rank_subsets", "theorem"]

_SHOWN_SUBSETS = 10
_SHOWN_CELLS = 40
_NAMES_OF_SIZES = {1: "columns", 2: "pairs", 3: "triples"}
_EPSILON, _DELTA = 0.05, 0.05
_FEWEST_ASIDE = 2
_MOST_COUNTED, _ROWS_OF_A_CELL = 2e12, 1000  # cells of all subsets times rows and outputs; and rows that a cell costs
_ROWS_TO_KNOW = 2000  # how many levels columns have

Junta: TypeAlias = JuntaClassifier | JuntaRegressor


def fit_junta(subject: Subject) -> Junta:
    """The best of all subsets of up to ``max_k`` columns, with rows kept aside for its bound."""
    options, names = subject.options, subject.table.names
    if ceil(options.holdout * len(subject.y)) < _FEWEST_ASIDE:
        raise InputError(f"too few rows ({len(subject.y)}) to keep a share of {options.holdout} aside")
    largest = min(options.max_k, len(names))
    fewer = largest_counted(subject, largest) if options.time_limit is None else largest
    model = junta_of_size(fewer, subject).set_params(holdout=options.holdout, delta=options.delta)
    try:
        model = subject.fit(model, subject.table.n_rows)
    except EmptyTableError:  # what varies may do so only in the rows that were kept aside
        model = subject.fit(model.set_params(holdout=None), subject.table.n_rows)
    for k in range(fewer + 1, largest + 1):
        model.skipped_[k] = (
            f"{comb(len(names), k):,} subsets of size {k} of {len(names)} columns are more than a page counts unasked; "
            "with time_limit (--time-limit 600) they are looked at if so many seconds are enough"
        )
    return model


def largest_counted(subject: Subject, most: int) -> int:
    """The largest size of subsets whose cells can be counted on a page: by how many they are and not by the clock."""
    rows, n_outputs = subject.table.n_rows, len(labels_and_numbers(subject.y)[0]) if subject.classify else 2
    allowed = _MOST_COUNTED / (rows + _ROWS_OF_A_CELL) / n_outputs
    usual = JuntaClassifier()
    n_names = len(subject.table.names)
    if cells_of_all([usual.max_levels] * n_names, most) <= allowed:
        return most
    some = RowSubset(subject.table, np.arange(min(rows, _ROWS_TO_KNOW)))
    sizes = learn_domain(some, EncodingRules(usual.n_bins, usual.min_count, usual.max_levels)).sizes
    return next((k - 1 for k in range(2, most + 1) if cells_of_all(sizes, k) > allowed), most)


def junta_of_size(k: int, subject: Subject) -> Junta:
    """An unfitted one of up to so many columns, without rows aside."""
    kind = JuntaClassifier if subject.classify else JuntaRegressor
    options = subject.options
    sizes = range(1, k + 1)
    return kind(k=sizes, time_limit=options.time_limit, n_jobs=options.n_jobs, random_state=options.seed)


def rank_subsets(model: Junta) -> list[RankingFacts]:
    """The best subsets of every size."""
    return [_ranking(k, model) for k in model.candidates_]


def _ranking(k: int, model: Junta) -> RankingFacts:
    search, names = model.candidates_[k].search, model.units_.names
    return {
        "k": k,
        "title": _NAMES_OF_SIZES.get(k, f"subsets of {k} columns"),
        "searched": search.looked_at,
        "complete": search.complete,
        "best": [
            {"members": [names[i] for i in subset], "score": float(score)}
            for subset, score in zip(search.subsets[:_SHOWN_SUBSETS], search.scores[:_SHOWN_SUBSETS], strict=True)
        ],
    }


def describe_junta(model: Junta, *, tells: bool, risk: RiskFacts | None) -> TableFacts:
    """The table itself, and whether it tells anything."""
    table = model.truth_table_
    lines = merged_lines(model.model_)
    merged = [_describe(line, line.said) for line in lines if line.rows]
    shown = [table.cell(i) for i in cells_to_show(table, most=_SHOWN_CELLS)]
    cells = [_describe(cell, cell.codes, backed_off=cell.depth < len(table.members)) for cell in shown]
    return {
        "kind": model.model_.about.learner,
        "members": list(table.members),
        "k": model.k_,
        "score": model.score_,
        "baseline": model.baseline_,
        "n_cells": table.n_cells,
        "n_lines": len(merged),
        "cells": _fullest(merged) if table.classes is not None else cells,
        "given_up_first": table.members[table.order[0]],
        "certificates": [certificate_facts(certificate) for certificate in model.certificates_],
        "tells": tells,
        "risk": risk,
    }


def _fullest(lines: list[CellFacts]) -> list[CellFacts]:
    """The lines with the most rows, in their order."""
    least = sorted((line["rows"] for line in lines), reverse=True)[:_SHOWN_CELLS][-1] if lines else 0
    return [line for line in lines if line["rows"] >= least][:_SHOWN_CELLS]


def _describe(shown: MergedLine | Cell, codes: Sequence[str], *, backed_off: bool = False) -> CellFacts:
    return {
        "codes": list(codes),
        "rows": shown.rows,
        "prediction": shown.prediction,
        "share": shown.share,
        "backed_off": backed_off,
    }


def certificate_facts(certificate: Certificate) -> CertificateFacts:
    """A certificate as plain data."""
    return cast("CertificateFacts", certificate.to_dict())


def theorem(model: Junta) -> TheoremFacts:
    """How many rows the theorem asks for, if columns were uniform independent bits."""
    n = junta_sample_size(_EPSILON, _DELTA, max(len(model.units_.names), model.k_), model.k_)
    return {"epsilon": _EPSILON, "delta": _DELTA, "rows": n}
