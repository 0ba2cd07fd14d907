"""What a report knows of its models: how good they are, and what they look like."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from paclearn.views.effect_pictures import EffectFacts

__all__ = [
    "BinFacts",
    "CalibrationOfClasses",
    "CalibrationOfNumbers",
    "CardFacts",
    "CellFacts",
    "CertificateFacts",
    "DateFacts",
    "DecisionFacts",
    "DriftFacts",
    "EffectFacts",
    "EffectsFacts",
    "ExamFacts",
    "GraphFacts",
    "GroupFacts",
    "JudgedFacts",
    "PageCertificate",
    "RankingFacts",
    "RareFacts",
    "RiskFacts",
    "RiskLine",
    "RuleFacts",
    "RulesFacts",
    "ScoreFacts",
    "SubsetFacts",
    "TableFacts",
    "TermFacts",
    "TermsFacts",
    "TheoremFacts",
    "TopFacts",
    "ValidationFacts",
    "WhatIfFacts",
]


# ---- how good the models are ----


class CertificateFacts(TypedDict):
    """A bound on an error."""

    bound: float
    delta: float  # the probability with which it may fail
    kind: str
    observed: float
    n_rows: int
    unit: str  # what was counted: "rows" or "groups"
    vacuous: bool  # whether it promises no more than guessing would
    quantity: str  # what is bounded, such as "error"
    assumptions: list[str]
    sentence: str


class PageCertificate(CertificateFacts):
    """The one that the page leads with."""

    of: str  # "model", "rules", or which truth table


class ExamFacts(TypedDict):
    """Rows that no model of the page has seen, and how the page's model did on them."""

    rows: int  # 0 where none were kept,
    groups: int  # that they are of, where there are groups
    learned: int  # rows that were left to learn from
    why: str | None  # and why none were
    sentences: list[str]
    calibration: CertificateFacts | None  # of probabilities


class ScoreFacts(TypedDict):
    """How good a model is on rows that it was not fitted to, with a 95 % interval."""

    metric: Literal["accuracy", "R2"]
    value: float
    low: float
    high: float
    rows: int


class JudgedFacts(ScoreFacts):
    """One model of the comparison."""

    # "model" (the page's), "rules", "long", "short", "graph", "junta", "halfspaces", "linear", "boosting" or "none"
    role: str
    name: str
    note: str  # what it is made of
    short: bool


class ValidationFacts(TypedDict):
    """How models were compared."""

    folds: int
    rows: int
    asked: int  # rows that models were judged on: fewer where the last ones are
    groups: int | None  # whole groups were held out, of so many


class DriftFacts(TypedDict):
    """How a model of the past does on what came last, beside one that has seen rows of any time."""

    column: str
    since: str  # when the last part begins
    rows: int  # of the last part
    past: float  # accuracy, or share of the variance explained, learned from the past
    shuffled: float  # the same of shuffled rows, learned from as many
    shuffled_on_last: float  # the same on the last part, learned from as many rows of any time
    worse: float  # the difference
    error: float  # its standard error
    clearly: bool  # whether it is more than chance
    sentence: str


class TopFacts(TypedDict):
    """The riskiest rows."""

    part: float  # of all rows
    rows: int
    holds: float  # share of the class that is among them
    lift: float


class GroupFacts(TypedDict):
    """Rows among which a rare class is frequent."""

    rule: str
    rows: float
    share: float
    lift: float
    q: float


class DecisionFacts(TypedDict):
    """When to raise the alarm, for given costs."""

    miss: float
    alarm: float
    threshold: float  # of the risk
    alarms: int
    caught: float  # share of the class
    cost: float  # a row
    cost_without_model: float


class RareFacts(TypedDict):
    """A class of few rows: where they are to be found."""

    label: str
    share: float
    auc: float
    average_precision: float
    log_loss: float
    log_loss_without_model: float
    tops: list[TopFacts]
    groups: list[GroupFacts]
    decision: DecisionFacts | None
    sentences: list[str]


class BinFacts(TypedDict):
    """Some rows of similar predictions."""

    said: float  # the mean prediction
    seen: float  # the mean of what came
    rows: int
    low: float  # 95 % interval of what came
    high: float


class CalibrationOfClasses(TypedDict):
    """Whether probabilities come true."""

    about: str | None  # of two classes the second; otherwise of whichever is predicted
    bins: list[BinFacts]
    ece: float  # expected calibration error
    brier: float
    brier_without_model: float


class CalibrationOfNumbers(TypedDict):
    """Whether predicted numbers are right on average."""

    about: None
    bins: list[BinFacts]
    off: float  # the mean distance of what was said from what came, over bins


# ---- the model in several forms ----


class TermFacts(TypedDict):
    """One term; it adds its weight where it is true, and where it is false nothing or, if a product, minus that."""

    name: str
    weights: list[float]  # one an output
    errors: list[float | None]  # their standard errors
    best: int  # the output of the largest weight


class TermsFacts(TypedDict):
    """The linear model."""

    kind: str  # the class of the estimator
    short: bool  # whether its terms were limited
    points: bool  # whether terms are conditions that add where they are true, and nothing elsewhere
    n_terms: int
    degree: int  # bits of the largest term
    rows: int  # that it was fitted to
    outputs: list[str]  # what the scores are of; none for a number
    intercept: list[float]
    terms: list[TermFacts]  # the weightiest
    certificate: CertificateFacts | None
    interactions: bool  # whether any were looked for


class CardFacts(TypedDict):
    """A model of points, rounded to whole ones."""

    lines: list[tuple[str, int]]  # conditions and their points, the most first
    verdict: str  # what to do with the points
    about: str  # what the chances are of
    chances: list[tuple[str, str]]  # totals and what they mean; none for a number
    cost: str  # how good the card is on the rows of the fit, and what rounding costs there


class RuleFacts(TypedDict):
    """One rule, or what is said where none applies."""

    text: str
    place: int  # in the order in which rules are asked
    label: str  # the class that it says
    rows: float  # that it applies to
    share: float | None  # of the class among them


class RulesFacts(TypedDict):
    """Rules that tell the classes."""

    rules: list[RuleFacts]  # class by class, those that say most first
    otherwise: RuleFacts
    n_conditions: int  # of all rules together
    rows: int  # that they were learned from
    errors: int  # of those
    leads: bool  # whether they are the page's model
    proved: bool  # whether no smaller set of rules has as few errors
    optimality: str  # that, in words
    certificate: CertificateFacts | None
    model: dict[str, Any]  # a model file without its checksum


class EffectsFacts(TypedDict):
    """The same model as a start and effects of few columns, which add up to its scores, exactly."""

    start: list[float]
    outputs: list[str]  # what the scores are of
    log_odds: bool  # whether there is one score, the logarithm of the odds
    logarithm: bool  # whether it is that of a number
    rungs: str  # which of several ordered classes it is at which score, in words
    added_to: list[str]  # what the scores are, in words
    shown: int  # effects that are nearly all there is to see
    shown_small: int  # of those, as many as two small screens hold
    effects: list[EffectFacts]  # the most important first


class DateFacts(TypedDict):
    """A column of dates, which the panel asks for as it is: a middle one, and between which they lie."""

    position: int  # in the table
    start: str  # as ISO 8601 has it
    first: str
    last: str
    clock: bool  # whether there are times of the day


class WhatIfFacts(TypedDict):
    """What the page needs beside the effects to run the model."""

    columns: list[dict[str, Any]]  # as in a model file
    classes: list[Any] | None
    link: str
    ladder: dict[str, Any] | None  # of ordered classes: how one score becomes one a class
    limits: list[float] | None
    start: list[float | None]  # of every column of the model: a frequent code, or a middle number
    dates: list[DateFacts]  # that columns of the model are made from
    order: list[int]  # columns of the model by how much they matter
    margin: float | None  # how far to go from what is predicted so that 90 of 100 rows are inside


class GraphFacts(TypedDict):
    """A small decision graph; inner nodes come first, parents before children, then leaves by value."""

    about: str | None  # the class whose share it gives
    n_leaves: int
    merged: int  # leaves with several ways in
    questions: list[str]  # one an inner node
    children: list[list[int]]  # nodes that a yes and a no lead to
    edge_rows: list[list[float]]
    values: list[float]
    rows: list[float]


class CellFacts(TypedDict):
    """One cell of the truth table, or cells that vote alike."""

    codes: list[str]
    rows: float
    prediction: Any  # a class or a number
    share: float | None  # of the predicted class among the rows of the cell
    backed_off: bool  # decided by fewer columns: the cell is empty or tied


class RiskLine(TypedDict):
    """One cell, and the share of the class among its rows."""

    codes: list[str]
    rows: float
    share: float


class RiskFacts(TypedDict):
    """The few columns whose cells say where a rare class is to be found, though none of them votes for it."""

    label: str
    members: list[str]
    n_cells: int  # that have rows
    cells: list[RiskLine]  # those of the highest share
    lowest: float  # share


class TableFacts(TypedDict):
    """The truth table of the few columns that decide most."""

    kind: str  # the class of the estimator
    members: list[str]
    k: int
    score: float
    baseline: float  # the score of no columns at all
    n_cells: int
    n_lines: int  # of classes: as many lines say the same as all cells that have rows
    cells: list[CellFacts]  # those lines, or, of a number, cells; the ones with the most rows
    given_up_first: str  # the member that an empty cell does without
    certificates: list[CertificateFacts]
    tells: bool  # whether, on rows left out, it is better than no columns at all, by more than chance
    risk: RiskFacts | None  # of a rare class, where it is not


class SubsetFacts(TypedDict):
    """Some columns and how well they tell the target."""

    members: list[str]
    score: float


class RankingFacts(TypedDict):
    """The best subsets of one size."""

    k: int
    title: str
    searched: str  # what was searched, in words
    complete: bool
    best: list[SubsetFacts]


class TheoremFacts(TypedDict):
    """Rows that a theorem would ask for, were the columns independent fair bits."""

    epsilon: float
    delta: float
    rows: int
