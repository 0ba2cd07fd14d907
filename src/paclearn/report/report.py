"""Report: a table and a target in, one page out; in a notebook, from Python, and behind ``paclearn report``."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paclearn.report.page import framed, to_html
from paclearn.report.report_options import ReportOptions, command_line, python_call
from paclearn.report.sentences import nothing_found, shorten
from paclearn.report.summarise import summarise
from paclearn.tables.dialect import FileOptions, missing_words
from paclearn.tables.files import read_file, write_atomically
from paclearn.tables.repeats import without_repeats_of
from paclearn.tables.row_roles import RoleNames
from paclearn.tables.table import KnownColumns, Table, as_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paclearn.report.facts import Facts, SeenFacts

__all__ = ["Report"]


class Report:
    """What decides one column of a table, as a page: in a notebook it shows itself.

    Making it takes the time (seconds to minutes, with progress where somebody watches); looking at it takes none.

    Parameters
    ----------
    table : data frame, array, table file or path
        The table: of pandas, polars, pyarrow or whatever narwhals knows; an array, whose columns are ``x0, x1, ...``;
        or the path of a file that `open_table` reads.
    target : str
        The column to be explained. Rows without it are left out.
    drop : sequence of str, default=()
        Columns to be left out.
    task : {"auto", "classification", "regression"}, default="auto"
        Whether the target is a class or a number.
    name : str, default=None
        What the table is called on the page: the name of its file if not given.
    max_k : int, default=3
        Truth tables are searched over subsets of up to this many columns.
    missing : sequence of str, default=()
        More words for missing in a CSV file.
    time_limit : float, default=None
        Seconds, by the clock, for the search through the subsets of one size, and for rules. Without it, work is
        limited by how much is counted, and the same table gives the same page on any machine.
    delta : float, default=0.05
        The probability with which a certificate may fail.
    quick : bool, default=False
        Compare models on fewer rows; look neither for pairs nor for redundant columns nor for a short model.
    positive : str, default=None
        The class that is looked for. Of two classes the rarer one, if it is rare, where none is named.
    cost : tuple of float, default=None
        What a row of that class costs that is missed, and what a false alarm costs: the page says when to raise it.
    ordered : sequence of str, default=None
        The classes, the lowest first, where they have an order: the model then has one set of effects for all.
    group : str, default=None
        The column that says which rows belong together. All rows of a group are on one side of every split, so that
        what the page says is about new groups; it is not learned from.
    time : str, default=None
        The column that says when a row was. Models learn from the past and are examined on the last quarter of the
        rows; the page says how much worse that is than shuffled. It is not learned from.
    weight : str, default=None
        The column that says how much a row counts. It is not learned from.
    sheet : str, default=None
        The sheet of a workbook; the first if not given.
    file_table, query : str, default=None
        The table of a SQLite or DuckDB file, or rows of it by a query.
    day_first : bool, default=None
        Whether 03/04/2025 is the third of April, where a column of a file leaves it open.
    tidy : bool, default=False
        Whether levels of a file that differ by capitals or blanks only are one.
    drop_repeats : bool, default=False
        Whether of rows that are equal in every column one is kept.
    n_jobs : int, default=-1
        Cores to use at once; -1 is all of them, None is one. The result does not depend on it.
    random_state : int, default=0
        Draws folds, simulations and rows that are kept aside.

    Attributes
    ----------
    facts : dict
        Everything that the page says, as plain data (``paclearn.report.facts.Facts``).

    Examples
    --------
    >>> import pandas as pd
    >>> from paclearn import Report
    >>> from paclearn.datasets import make_parity
    >>> data = make_parity(400, n_columns=6, k=2, random_state=0)
    >>> frame = pd.DataFrame(data.data, columns=[f"x{j}" for j in range(6)]).assign(y=data.target)
    >>> report = Report(frame, target="y", quick=True)
    >>> report.facts["model"]["members"] == [f"x{j}" for j in data.relevant]
    True
    >>> report.save("parity.html")  # doctest: +SKIP
    """

    facts: Facts

    def __init__(
        self,
        table: Any,
        target: str,
        *,
        drop: Sequence[str] = (),
        task: str = "auto",
        name: str | None = None,
        max_k: int = 3,
        missing: Sequence[str] = (),
        time_limit: float | None = None,
        delta: float = 0.05,
        quick: bool = False,
        positive: str | None = None,
        cost: tuple[float, float] | None = None,
        ordered: Sequence[str] | None = None,
        group: str | None = None,
        time: str | None = None,
        weight: str | None = None,
        sheet: str | None = None,
        file_table: str | None = None,
        query: str | None = None,
        day_first: bool | None = None,
        tidy: bool = False,
        drop_repeats: bool = False,
        n_jobs: int | None = -1,
        random_state: int = 0,
    ) -> None:
        task = "classification" if ordered is not None and task == "auto" else task
        options = ReportOptions(
            task, max_k, delta=delta, time_limit=time_limit, n_jobs=n_jobs, seed=random_state, quick=quick,
            positive=positive, cost=cost, ordered=None if ordered is None else tuple(map(str, ordered)),
            roles=RoleNames(group, time, weight),
        )  # fmt: skip
        asked = FileOptions(missing_words(missing), sheet, file_table, query, day_first, tidy=tidy)
        whole, path, read = _opened(table, asked, drop_repeats=drop_repeats)
        said = target, options, drop
        again = python_call(*said) if path is None else command_line(path.name, *said, missing, asked, drop_repeats)
        options = replace(options, command=again, reading=read)
        self.facts = summarise(whole, str(target), options, drop, name or (path.name if path else "table"))

    def to_html(self) -> str:
        """The page.

        Returns
        -------
        str
            HTML that needs no other file.
        """
        return to_html(self.facts)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, whole or not at all.

        Parameters
        ----------
        path : str or path
            The file to write.
        """
        write_atomically(path, self.to_html())

    def to_text(self) -> str:
        """How good the models are and what can be promised, for a terminal.

        Returns
        -------
        str
            A few lines.
        """
        lines = [f"{100 * row['value']:6.1f} %  {row['metric']} of {row['name']}" for row in self.facts["comparison"]]
        promise, source = self.facts["certificate"], self.facts["source"]
        read = [f"Read {source['name']}: {source['reading']}"] if source["reading"] else []
        n_missing = self.facts["target"]["missing"]
        read += [f"{n_missing:,} row{'s' * (n_missing > 1)} without a target left out"] if n_missing else []
        aside = [f"Set aside: {column['name']} ({column['why']})" for column in self.facts["dropped"]]
        seen = [_line(one) for one in self.facts["seen"]]
        promised = (
            self.facts["sentences"][-1]
            if promise["vacuous"]
            else f"Of the {shorten(promise['of'], 120)}: {promise['sentence']}"
        )
        nothing = nothing_found(self.facts)
        leaks = [leak["sentence"] for leak in self.facts["leaks"]]
        rare = [] if self.facts["rare"] is None else self.facts["rare"]["sentences"]
        blocks = [read, leaks, self.facts["rows"], rare, lines, aside, seen, [nothing] if nothing else [], [promised]]
        return "\n\n".join("\n".join(block) for block in blocks if block)

    def __repr__(self) -> str:
        source = self.facts["source"]
        rows = f"{source['rows']:,} rows and {source['columns']:,} columns"
        return f"<Report on {self.facts['target']['name']!r} in {source['name']!r}: {rows}>"

    def _repr_html_(self) -> str:
        return framed(self.facts)


def _line(seen: SeenFacts) -> str:
    return f"Seen: {seen['sentence']}" + (f" ({seen['fix']} mends it)" if seen["fix"] else "")


def _opened(table: Any, asked: FileOptions, *, drop_repeats: bool) -> tuple[Table, Path | None, str | None]:
    """A table; of a file, its path and how it was read."""
    if not isinstance(table, str | os.PathLike):
        found, path, how = _as_table(table), None, None
    else:
        path = Path(table)
        found, read = read_file(path, asked)
        how = read.line()
    return without_repeats_of(found) if drop_repeats else found, path, how


def _as_table(table: Any) -> Table:
    return table if isinstance(table, Table) else as_table(KnownColumns(0, None), table, reset=True)
