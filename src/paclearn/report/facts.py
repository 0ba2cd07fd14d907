"""What a report knows, as plain data: `Report.facts`, and what ``paclearn report --json`` prints.

Numbers that JSON does not know (infinities and the like) are None.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from paclearn.report.facts_of_models import (
    CalibrationOfClasses,
    CalibrationOfNumbers,
    CardFacts,
    DriftFacts,
    EffectsFacts,
    ExamFacts,
    GraphFacts,
    JudgedFacts,
    PageCertificate,
    RankingFacts,
    RareFacts,
    RulesFacts,
    TableFacts,
    TermsFacts,
    TheoremFacts,
    ValidationFacts,
    WhatIfFacts,
)

__all__ = [
    "AboutFacts",
    "ClassFacts",
    "ClassTarget",
    "ColumnFacts",
    "DiscoveryFacts",
    "DriftFacts",
    "DroppedFacts",
    "EquationFacts",
    "Facts",
    "FindingFacts",
    "LeakFacts",
    "LikenessFacts",
    "LinkFacts",
    "NumberTarget",
    "RedundancyFacts",
    "SeenFacts",
    "SourceFacts",
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
    group: str | None  # the columns that say what belongs together,
    time: str | None  # when a row was,
    weight: str | None  # and how much it counts


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
    heights: list[float]  # rows in ten equal parts of the range, or of the most frequent levels, the most as 1
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


class LikenessFacts(TypedDict):
    """A column whose rows are alike, and so may belong together."""

    column: str
    values: int  # different ones
    shuffled: float  # accuracy, or share of the variance explained, of a quick model on shuffled rows
    apart: float  # the same on rows of values that it has not seen
    sentence: str


class DroppedFacts(TypedDict):
    """A column that no model uses."""

    name: str
    why: str


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
    likeness: list[LikenessFacts]  # columns that look like groups, where none was named
    drift: DriftFacts | None  # where a time was named
    rows: list[str]  # what is to be known of rows before models are read: groups, time, weights
    skipped: list[str]  # searches that would have taken too long
    rankings: list[RankingFacts]
    model: TableFacts
    theorem: TheoremFacts | None  # for classes
    comparison: list[JudgedFacts]  # the page's model first
    validation: ValidationFacts
    calibration: CalibrationOfClasses | CalibrationOfNumbers | None  # None with few rows
    rare: RareFacts | None  # for a rare class, or one that was named
    rules: RulesFacts | None  # None for a number, in a quick report, and where no rule is of use
    card: CardFacts | None  # of a model of points that has one score
    terms: TermsFacts
    effects: EffectsFacts
    graph: GraphFacts | None  # None where no question helps
    what_if: WhatIfFacts
    certificate: PageCertificate
    exam: ExamFacts  # the rows that were kept for it
    discovery: DiscoveryFacts | None  # None with few rows
    redundancy: RedundancyFacts | None  # None in a quick report
    sentences: list[str]  # leaks first, then the rules, then what was found in five of them
