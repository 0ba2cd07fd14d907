"""What time does to a model: learned from the past and examined on what came last, beside the same on shuffled rows.

Both learn from as many rows. The shuffled one is judged on all rows, which is what is usually promised, and on the last
ones too: what it loses there, rows of their own time did not help.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paclearn.report.compare import cross_validate, judge, our_contender
from paclearn.report.sentences import shorten
from paclearn.report.shared_folds import Folds
from paclearn.tables.table import RowSubset

if TYPE_CHECKING:
    from collections.abc import Callable

    from paclearn.learners.predicting import ModelEstimator
    from paclearn.report.compare import Answers, Contender
    from paclearn.report.facts_of_models import DriftFacts, ScoreFacts
    from paclearn.tables.row_roles import RowRoles
    from paclearn.tables.table import Table
    from paclearn.tables.target import Target

__all__ = ["LAST", "describe_drift", "drift_of"]

LAST = 0.25  # of the rows, to be examined on
_ROWS = 20_000  # that an exam takes
_CLEARLY = 2.0  # standard errors


def drift_of(
    name: str, table: Table, target: Target, roles: RowRoles, make: Callable[[], ModelEstimator], seed: int
) -> DriftFacts:
    """The same of an estimator that is not part of a report, on as many rows as there is time for."""
    rows = np.sort(np.random.RandomState(seed).permutation(table.n_rows)[:_ROWS])
    table, y, roles = RowSubset(table, rows), target.y[rows], roles.take(rows)
    folds = Folds(table, y, np.zeros(len(y), dtype=np.intp), target.classify, roles).by_time(LAST)
    contender = our_contender("model", "", make)
    answers = cross_validate(folds, {"model": contender})["model"]
    return describe_drift(name, folds, answers, contender, seed)


def describe_drift(name: str, folds: Folds, answers: Answers, contender: Contender, seed: int) -> DriftFacts:
    """How much worse a model of the past does on the last rows than one of shuffled rows does on all."""
    mixed = folds.shared_out(round(1 / LAST), np.random.RandomState(seed).permutation(len(folds.y)), seed)
    again = cross_validate(mixed, {"shuffled": contender})["shuffled"]
    roles = folds.roles.take(folds.asked)
    past = judge(answers.values, folds.truth, classify=folds.classify, roles=roles)
    shuffled = judge(again.values, mixed.truth, classify=folds.classify, roles=mixed.roles)
    last = judge(again.take(folds.asked).values, folds.truth, classify=folds.classify, roles=roles)
    worse, error = shuffled["value"] - past["value"], float(np.hypot(_error(past), _error(shuffled)))
    times = folds.roles.times
    assert times is not None  # noqa: S101 - the last rows were found by it
    facts: DriftFacts = {
        "column": name,
        "since": roles.time_in_words(float(times[folds.asked].min())),
        "rows": len(folds.asked),
        "past": past["value"],
        "shuffled": shuffled["value"],
        "shuffled_on_last": last["value"],
        "worse": worse,
        "error": error,
        "clearly": bool(worse > _CLEARLY * error),
        "sentence": "",
    }
    return {**facts, "sentence": _in_words(facts, classify=folds.classify)}


def _error(score: ScoreFacts) -> float:
    """The standard error: an interval is about four of them wide."""
    return (score["high"] - score["low"]) / 4


def _in_words(facts: DriftFacts, *, classify: bool) -> str:
    told = "is right on" if classify else "explains"
    points = f"{100 * abs(facts['worse']):.1f} points {'less' if facts['worse'] > 0 else 'more'}"
    verdict = (
        "what holds changes with time, and shuffled rows promise too much"
        if facts["clearly"]
        else "no drift to be seen beyond chance"
    )
    return (
        f"Learned from what was before {facts['since']} (“{shorten(facts['column'])}”), the model {told} "
        f"{_share(facts['past'])} of the {facts['rows']:,} rows since then; where rows are shuffled it {told} "
        f"{_share(facts['shuffled'])}. That is {points} (give or take {200 * facts['error']:.1f}): {verdict}."
    )


def _share(value: float) -> str:
    return f"{100 * value:.1f} %" if value > 0 else "nothing"
