"""What a report knows, as plain data: `Report.facts`, and what ``paclearn report --json`` prints.

Numbers that JSON does not know (infinities and the like) are None.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from paclearn.views.effect_pictures import EffectFacts

__all__ = [
    "AboutFacts",
    "BinFacts",
    "CalibrationOfClasses",
    "CalibrationOfNumbers",
    "CellFacts",
    "CertificateFacts",
    "ClassFacts",
    "ClassTarget",
    "ColumnFacts",
    "DecisionFacts",
    "DiscoveryFacts",
    "DroppedFacts",
    "EffectFacts",
    "EffectsFacts",
    "EquationFacts",
    "Facts",
    "FindingFacts",
    "GraphFacts",
    "GroupFacts",
    "JudgedFacts",
    "LeakFacts",
    "LinkFacts",
    "NumberTarget",
    "PageCertificate",
    "RankingFacts",
    "RareFacts",
    "RedundancyFacts",
    "RuleFacts",
    "RulesFacts",
    "ScoreFacts",
    "SeenFacts",
    "SourceFacts",
    "SubsetFacts",
    "TableFacts",
    "TermFacts",
    "TermsFacts",
    "TheoremFacts",
    "TopFacts",
    "ValidationFacts",
    "WhatIfFacts",
]


# ---- the table and its target ----


class AboutFacts(TypedDict):
    """How the report was made."""

    paclearn: str  # the version
    seed: int
    delta: float  # the probability with which a certificate may fail
    command: str | None  # what makes the same page again
    quick: bool


class SourceFacts(TypedDict):
    """The table."""

    name: str
    rows: int  # those that have a target
    columns: int  # beside the target
    reading: str | None  # how its file was read


class ClassFacts(TypedDict):
    """One class."""

    label: str
    rows: int
    share: float


class ClassTarget(TypedDict):
    """A target of classes."""

    name: str
    task: Literal["classification"]
    missing: int  # rows without a target, which were left out
    classes: list[ClassFacts]


class NumberTarget(TypedDict):
    """A target of numbers."""

    name: str
    task: Literal["regression"]
    missing: int  # rows without a target, which were left out
    mean: float
    sd: float  # standard deviation
    low: float
    high: float


class ColumnFacts(TypedDict):
    """One column of the table."""

    name: str
    kind: Literal["levels", "numbers", "dates"]
    distinct: int
    missing: int
    summary: str  # the most frequent levels, or minimum | quartiles | maximum
    missing_share: float


class SeenFacts(TypedDict):
    """Something to know of the table before anything is learned from it."""

    sentence: str
    fix: str | None  # the option that mends it


class LeakFacts(TypedDict):
    """A column that answers nearly everything, and so may have been filled in after the fact."""

    column: str
    by_gaps: bool  # whether it is the gaps that tell
    alone: float  # accuracy, or share of the variance, of this column alone, on rows left out
    without: float  # of a model of the others, without interactions
    target: str
    sentence: str


class DroppedFacts(TypedDict):
    """A column that no model uses."""

    name: str
    why: str


# ---- how good the models are ----


class CertificateFacts(TypedDict):
    """A bound on an error."""

    bound: float
    delta: float  # the probability with which it may fail
    kind: str
    observed: float
    n_rows: int
    vacuous: bool  # whether it promises no more than guessing would
    quantity: str  # what is bounded, such as "error"
    assumptions: list[str]
    sentence: str


class PageCertificate(CertificateFacts):
    """The one that the page leads with."""

    of: str  # "model", "rules", or which truth table


class ScoreFacts(TypedDict):
    """How good a model is on rows that it was not fitted to, with a 95 % interval."""

    metric: Literal["accuracy", "R2"]
    value: float
    low: float
    high: float
    rows: int


class JudgedFacts(ScoreFacts):
    """One model of the comparison."""

    role: str  # "model" (the page's), "rules", "long", "short", "graph", "junta", "linear", "boosting" or "none"
    name: str
    note: str  # what it is made of
    short: bool


class ValidationFacts(TypedDict):
    """How models were compared."""

    folds: int
    rows: int


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
    added_to: list[str]  # what the scores are, in words
    shown: int  # effects that are nearly all there is to see
    effects: list[EffectFacts]  # the most important first


class WhatIfFacts(TypedDict):
    """What the page needs beside the effects to run the model."""

    columns: list[dict[str, Any]]  # as in a model file
    classes: list[Any] | None
    link: str
    limits: list[float] | None
    start: list[float | None]  # of every column of the model: a frequent code, or a middle number
    order: list[int]  # columns of the model by how much they matter


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


# ---- which columns matter ----


class FindingFacts(TypedDict):
    """A column, or columns together, that the target depends on."""

    members: list[str]
    effect: float
    se: float | None
    q: float
    levels: list[str]
    label: str | None  # the class that it is about
    sentence: str


class LinkFacts(TypedDict):
    """An interaction to be drawn."""

    members: list[str]
    strength: float  # in standard errors


class DiscoveryFacts(TypedDict):
    """Which columns and combinations matter, with control of false reports."""

    promise: str
    fdr: float
    coarse: bool  # whether columns were cut in two for this
    pairs_tested: bool
    n_singles: int
    n_pairs: int
    singles: list[FindingFacts]  # the clearest
    pairs: list[FindingFacts]
    strengths: dict[str, float]  # of single columns, in standard errors
    links: list[LinkFacts]


class EquationFacts(TypedDict):
    """A column that others make up."""

    name: str
    equations: list[str]
    more: int  # equations that are not listed
    residual: float  # the share that is left unexplained


class RedundancyFacts(TypedDict):
    """Columns that are sums or products of others."""

    rows: int  # that were looked at
    columns: list[EquationFacts]


# ---- all of it ----


class Facts(TypedDict):
    """Everything that the page says, and nothing about how it looks."""

    about: AboutFacts
    source: SourceFacts
    target: ClassTarget | NumberTarget
    columns: list[ColumnFacts]
    dropped: list[DroppedFacts]
    seen: list[SeenFacts]  # rows that repeat, gaps that coincide, odd values and the like
    leaks: list[LeakFacts]  # columns that may give the answer away, the most telling first
    skipped: list[str]  # searches that would have taken too long
    rankings: list[RankingFacts]
    model: TableFacts
    theorem: TheoremFacts | None  # for classes
    comparison: list[JudgedFacts]  # the page's model first
    validation: ValidationFacts
    calibration: CalibrationOfClasses | CalibrationOfNumbers | None  # None with few rows
    rare: RareFacts | None  # for a rare class, or one that was named
    rules: RulesFacts | None  # None for a number, in a quick report, and where no rule is of use
    terms: TermsFacts
    effects: EffectsFacts
    graph: GraphFacts | None  # None where no question helps
    what_if: WhatIfFacts
    certificate: PageCertificate
    discovery: DiscoveryFacts | None  # None with few rows
    redundancy: RedundancyFacts | None  # None in a quick report
    sentences: list[str]  # leaks first, then the rules, then what was found in five of them
