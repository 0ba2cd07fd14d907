"""What a report is asked for, and how much work it may be."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from paclearn._parameters import Between, Cores, Flag, Nothing, OneOf, Rule, Whole, check, check_parameters
from paclearn.learners.spectral.tuning import TUNING
from paclearn.tables.row_roles import NO_NAMES, RoleNames

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paclearn.tables.dialect import FileOptions

__all__ = ["LARGEST_SEED", "Limits", "ReportOptions", "command_line", "python_call"]

LARGEST_SEED = 2**32 - 1  # of numpy
_RULES: dict[str, Rule] = {
    "task": OneOf("auto", "classification", "regression"),
    "max_k": Whole(1),
    "holdout": Between(0, 1),
    "delta": Between(0, 1),
    "time_limit": Between(0, inf) | Nothing(),
    "n_jobs": Cores(),
    "seed": Whole(0, LARGEST_SEED),
    "quick": Flag(),
}

_FIT_NUMBERS, _SPLIT_NUMBERS, _FOLD_NUMBERS = 40_000_000, 20_000_000, 4_000_000  # rows x columns x outputs
_FEWEST_TO_FIT, _FEWEST_IN_FOLDS, _MOST_IN_FOLDS, _QUICK = 2000, 1000, 6000, 2000
_ROWS_OF_SHORT, _ROWS_OF_EQUATIONS = 20_000, 5000
_ONE_SPLIT = 18_000  # rows, of which a third is as many as folds have
_FEW_ROWS = 500
_ALL_LEVELS, _ALL_PAIRS = 40, 600  # columns
_BITS_OF_NUMBERS, _BITS_OF_LEVELS = 800, 1500
_PAIRS_OF_BITS = 5e10  # times rows and outputs
_MOST_BITS = 4000  # a square of so many numbers is 64 MB


@dataclass(frozen=True)
class ReportOptions:
    """What is asked of a report; see `Report` for what each means."""

    task: str = "auto"
    max_k: int = 3
    holdout: float = 0.25
    delta: float = 0.05
    time_limit: float | None = None
    n_jobs: int | None = None
    seed: int = 0
    quick: bool = False
    command: str | None = None
    reading: str | None = None  # how the file was read
    positive: str | None = None
    cost: tuple[float, float] | None = None  # of a miss, and of a false alarm
    ordered: tuple[str, ...] | None = None  # the classes, the lowest first
    roles: RoleNames = NO_NAMES

    def __post_init__(self) -> None:
        check_parameters(self, _RULES)
        for what, value in zip(("cost of a miss", "cost of an alarm"), self.cost or (), strict=False):
            check(what, value, Between(0, inf))


def command_line(
    source: str,
    target: str,
    options: ReportOptions,
    drop: Iterable[str] = (),
    missing: Iterable[str] = (),
    asked: FileOptions | None = None,
    drop_repeats: bool = False,
) -> str:
    """The command that makes this report; how many cores it may use changes nothing in it."""
    words = ["paclearn", "report", source, "--target", target, "--seed", str(options.seed)]
    words += [word for name, value in _unusual(options) for word in (f"--{name.replace('_', '-')}", str(value))]
    words += [word for role, name in options.roles.given.items() for word in (f"--{role}", name)]
    words += [word for name in drop for word in ("--drop", name)]
    words += [word for text in missing for word in ("--missing", text)]
    words += [*_of_file(asked), *_costs(options), *_order(options)]
    flags = {"--quick": options.quick, "--drop-repeats": drop_repeats}
    return shlex.join([*words, *(flag for flag, is_set in flags.items() if is_set)])


def _costs(options: ReportOptions) -> list[str]:
    return [] if options.cost is None else ["--cost", "miss={:g},alarm={:g}".format(*options.cost)]


def _order(options: ReportOptions) -> list[str]:
    return [] if options.ordered is None else ["--ordered", " < ".join(options.ordered)]


def _of_file(asked: FileOptions | None) -> list[str]:
    if asked is None:
        return []
    named = {"--sheet": asked.sheet, "--table": asked.table, "--query": asked.query}
    words = [word for name, value in named.items() if value is not None for word in (name, value)]
    order = {None: [], True: ["--day-first"], False: ["--month-first"]}[asked.day_first]
    return [*words, *order, *(["--tidy"] if asked.tidy else [])]


def python_call(target: str, options: ReportOptions, drop: Sequence[str] = ()) -> str:
    """The call that makes this report of a table that is in memory."""
    words = ["table", f"target={target!r}", *(f"{name}={value!r}" for name, value in _unusual(options))]
    words += [f"{role}={name!r}" for role, name in options.roles.given.items()]
    words += [f"drop={list(drop)!r}"] if drop else []
    words += [] if options.cost is None else [f"cost={tuple(options.cost)!r}"]
    words += [] if options.ordered is None else [f"ordered={list(options.ordered)!r}"]
    words += ["quick=True"] if options.quick else []
    return f"paclearn.Report({', '.join([*words, f'random_state={options.seed}'])})"


def _unusual(options: ReportOptions) -> list[tuple[str, Any]]:
    """Options that are not as they usually are."""
    usual = ReportOptions()
    names = ("task", "max_k", "delta", "time_limit", "positive")
    return [(name, getattr(options, name)) for name in names if getattr(options, name) != getattr(usual, name)]


@dataclass(frozen=True)
class Limits:
    """How many rows each part of the report looks at, so that a large table takes minutes and not hours."""

    fit: int
    short: int
    folds_rows: int
    n_folds: int  # 1: rows are so many that one split will do
    equations: int
    pairs: bool
    halves: bool  # columns are cut in two before pairs are tested
    redundancy: bool
    rules: bool
    try_short: bool
    n_bins: int
    max_levels: int
    interactions: bool
    rare: bool = False  # a class is looked for that few rows have: a quick page judges as many as any

    def rows_of_linear(self, *, short: bool) -> int:
        """Rows that the linear model is fitted to at most."""
        return self.short if short else self.fit

    @classmethod
    def of(cls, n_rows: int, n_columns: int, n_outputs: int, *, quick: bool, rare: bool = False) -> Limits:
        width = max(1, n_columns * n_outputs)
        fit = max(_FEWEST_TO_FIT, _FIT_NUMBERS // width)
        n_bins = int(np.clip(_BITS_OF_NUMBERS // max(1, n_columns), 4, 32))
        scanned = min(max(_FEWEST_TO_FIT, _SPLIT_NUMBERS // width), n_rows, TUNING.enough_rows)
        pairs_of_bits = float(n_columns * n_bins) ** 2 * scanned * n_outputs
        folds_rows, n_folds = _judged(n_rows, n_columns, width, quick=quick, rare=rare)
        return cls(
            fit=fit,
            short=fit if n_columns <= _ALL_LEVELS else min(fit, _ROWS_OF_SHORT),
            folds_rows=folds_rows,
            n_folds=n_folds,
            equations=_ROWS_OF_EQUATIONS,
            pairs=not quick and n_columns <= _ALL_PAIRS,
            halves=n_columns > _ALL_LEVELS,
            redundancy=not quick,
            rules=not quick and n_columns <= _ALL_PAIRS,
            try_short=not quick and n_columns <= _ALL_PAIRS,
            n_bins=n_bins,
            max_levels=int(np.clip(_BITS_OF_LEVELS // max(1, n_columns), 8, 500)),
            interactions=pairs_of_bits <= _PAIRS_OF_BITS and n_columns * n_bins <= _MOST_BITS,
            rare=rare,
        )


def _judged(n_rows: int, n_columns: int, width: int, *, quick: bool, rare: bool) -> tuple[int, int]:
    """How many rows take part where models are held against each other, and in how many folds; 1: in one split."""
    some = min(n_rows, _SPLIT_NUMBERS // width)
    if some >= _ONE_SPLIT and not quick:
        return some, 1
    most = _QUICK if quick and not rare else _MOST_IN_FOLDS  # of 2 000 rows, twenty of one class would decide
    rows = int(np.clip(_FOLD_NUMBERS // width, min(_FEWEST_IN_FOLDS, most), most))
    return rows, _folds(min(n_rows, rows), n_columns, quick=quick)


def _folds(n_rows: int, n_columns: int, *, quick: bool) -> int:
    if n_columns > _ALL_PAIRS:  # every fold reads every column anew
        return 2
    return 3 if quick or n_rows > _FEW_ROWS else 5
